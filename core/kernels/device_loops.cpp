// SPDX-License-Identifier: Apache-2.0
#include "core/kernels/device_loops.h"

#include <array>
#include <chrono>
#include <vector>

#include "core/dispatch/fallback_observer.h"
#include "core/kernels/elementwise.h"
#include "core/kernels/reduce.h"
#include "core/tensor/device_copy.h"
#include "core/tensor/device_interface.h"

namespace loupe {
namespace {

// Copies to the host and back, told to the observer of what runs there.
class HostCopies {
  public:
    Tensor of(const Tensor& t) {
        const Clock::time_point began = Clock::now();
        Tensor host = on_host(t);
        count(t, began);
        return host;
    }
    void put_back(const Tensor& to, const Tensor& host) {
        const Clock::time_point began = Clock::now();
        copy_memory(to, host);
        count(to, began);
    }
    void tell(Device device) const {
        if (FallbackObserver* const observer = fallback_observer()) observer->on_fallback({device, bytes_, seconds_});
    }

  private:
    using Clock = std::chrono::steady_clock;
    void count(const Tensor& t, Clock::time_point began) {
        bytes_ += t.bytes();
        seconds_ += std::chrono::duration<double>(Clock::now() - began).count();
    }

    std::size_t bytes_ = 0;
    double seconds_ = 0;
};

void run_on_host(ElementwiseKernel kernel, const void* params, std::span<const LoopOperand> operands,
                 std::size_t outputs) {
    HostCopies copies;
    std::array<Tensor, kMaxOperands> given, host;
    std::array<LoopOperand, kMaxOperands> there;
    for (std::size_t i = 0; i < operands.size(); ++i) {
        there[i] = operands[i];
        if (operands[i].tensor == nullptr) continue;
        given[i] = Tensor(Ptr<TensorImpl>(const_cast<TensorImpl*>(operands[i].tensor)));
        host[i] = copies.of(given[i]);
        there[i].tensor = host[i].impl();
    }
    run_elementwise(kernel, params, {there.data(), operands.size()}, outputs);
    for (std::size_t i = 0; i < outputs; ++i) copies.put_back(given[i], host[i]);
    copies.tell(given[0].device());
}

}  // namespace

DeviceLoops* device_loops(Device device) {
    DeviceInterface* const interface = device_interface(device.type);
    return interface == nullptr ? nullptr : interface->loops();
}

void detail::run_on_device(ElementwiseKernel kernel, const void* params, std::span<const LoopOperand> operands,
                           std::size_t outputs) {
    DeviceLoops* const loops = device_loops(operands[0].tensor->storage->device());
    if (loops == nullptr || !loops->elementwise(kernel, params, operands, outputs))
        run_on_host(kernel, params, operands, outputs);
}

void detail::reduce_on_device(const Reduction& reduction, const Tensor& input, std::span<const bool> reduced,
                              std::span<const Tensor> outputs, const void* params) {
    DeviceLoops* const loops = device_loops(input.device());
    if (loops != nullptr && loops->reduce(reduction, input, reduced, outputs, params)) return;
    HostCopies copies;
    std::vector<Tensor> host;
    for (const Tensor& out : outputs) host.push_back(copies.of(out));
    run_reduction(reduction, copies.of(input), reduced, host, params);
    for (std::size_t i = 0; i < outputs.size(); ++i) copies.put_back(outputs[i], host[i]);
    copies.tell(input.device());
}

}  // namespace loupe
