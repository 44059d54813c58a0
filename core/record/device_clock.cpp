// SPDX-License-Identifier: Apache-2.0
#include "core/record/device_clock.h"

#include <utility>

namespace loupe::session {

std::unique_ptr<DeviceEvent> DeviceClock::event() {
    if (free_.empty()) return device_interface(device_.type)->make_event(device_);
    std::unique_ptr<DeviceEvent> event = std::move(free_.back());
    free_.pop_back();
    return event;
}

void DeviceClock::start(Device device, double now) {
    is_running_ = false;
    if (device.is_cpu()) return;
    if (!(device == device_)) {
        free_.clear();
        zero_ = nullptr;
        device_ = device;
    }
    if (zero_ == nullptr) {
        std::shared_ptr<DeviceEvent> zero = device_interface(device.type)->make_event(device);
        zero->record();
        zero->wait();
        zero_ = std::move(zero);
        zero_at_ = now;
    }
    under_way_ = Span();
    under_way_.device_ = device;
    under_way_.began_ = event();
    under_way_.ended_ = event();
    under_way_.zero_ = zero_;
    under_way_.zero_at_ = zero_at_;
    under_way_.began_->record();
    is_running_ = true;
}

std::optional<DeviceClock::Span> DeviceClock::stop() {
    if (!std::exchange(is_running_, false)) return std::nullopt;
    under_way_.ended_->record();
    return std::move(under_way_);
}

void DeviceClock::take_back(Span span) {
    constexpr std::size_t kMost = 4096;
    if (free_.size() >= kMost || !(span.device_ == device_)) return;
    free_.push_back(std::move(span.began_));
    free_.push_back(std::move(span.ended_));
}

}  // namespace loupe::session
