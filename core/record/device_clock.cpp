// SPDX-License-Identifier: Apache-2.0
#include "core/record/device_clock.h"

namespace loupe::session {

void DeviceClock::start(Device device) {
    is_running_ = false;
    if (device.is_cpu()) return;
    if (!began_ || !(device == device_)) {
        DeviceInterface& of_device = *device_interface(device.type);
        began_ = of_device.make_event(device);
        ended_ = of_device.make_event(device);
        device_ = device;
    }
    began_->record();
    is_running_ = true;
}

void DeviceClock::stop() {
    if (is_running_) ended_->record();
}

std::optional<double> DeviceClock::seconds() {
    if (!is_running_) return std::nullopt;
    is_running_ = false;
    ended_->wait();
    return ended_->milliseconds_since(*began_) * 1e-3;
}

}  // namespace loupe::session
