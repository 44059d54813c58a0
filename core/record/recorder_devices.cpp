// SPDX-License-Identifier: Apache-2.0
// The recorder's view of devices other than the CPU.
#include "core/dispatch/device_fallback.h"
#include "core/record/recorder.h"

namespace loupe::session {

void Recorder::stop_watching() {
    if (saving_observer() == this) set_saving_observer(nullptr);
    if (fallback_observer() == this) set_fallback_observer(nullptr);
}

void Recorder::start_device_clock(const OperatorCall& call) {
    const Device device = [&] {
        if (call.op != nullptr) return device_of_call(*call.op, call.inputs);
        Device first;
        for (const IValue& input : call.inputs) {
            visit_tensors(input, [&](const Tensor& t) {
                if (first.is_cpu() && t.defined()) first = t.device();
            });
        }
        return first;
    }();
    if (!device.is_cpu()) pending_.device.device = writer_.intern(device_name(device));
    device_clock_.start(device);
}

void Recorder::on_fallback(const FallbackCost& cost) {
    if (!is_pending_ || execution_observer() != this) return;
    pending_.device.fell_back = true;
    pending_.device.copied_bytes += static_cast<std::int64_t>(cost.bytes);
    pending_.device.copy_seconds += cost.seconds;
    if (pending_.device.device.empty()) pending_.device.device = writer_.intern(device_name(cost.device));
}

}  // namespace loupe::session
