// SPDX-License-Identifier: Apache-2.0
#include "core/kernels/device_loops.h"

#include "core/dispatch/fallback_observer.h"
#include "core/tensor/device_copy.h"
#include "core/tensor/device_interface.h"

namespace loupe {

DeviceLoops* device_loops(Device device) {
    DeviceInterface* const interface = device_interface(device.type);
    return interface == nullptr ? nullptr : interface->loops();
}

Tensor HostCopies::of(const Tensor& t) {
    const Clock::time_point began = Clock::now();
    Tensor host = on_host(t);
    count(t, began);
    return host;
}

void HostCopies::put_back(const Tensor& to, const Tensor& host) {
    const Clock::time_point began = Clock::now();
    copy_memory(to, host);
    count(to, began);
}

void HostCopies::tell(Device device) const {
    if (FallbackObserver* const observer = fallback_observer()) observer->on_fallback({device, bytes_, seconds_});
}

void HostCopies::count(const Tensor& t, Clock::time_point began) {
    bytes_ += t.bytes();
    seconds_ += std::chrono::duration<double>(Clock::now() - began).count();
}

}  // namespace loupe
