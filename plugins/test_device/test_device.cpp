// SPDX-License-Identifier: Apache-2.0
// A device for tests: "test", two of them. Its memory is the host's, at addresses that the host may not touch, so that
// code that takes a tensor's memory for the CPU's is found at once. It has few kernels of its own: nearly all operators
// run through the fallback.

#include <algorithm>
#include <chrono>
#include <cstring>

#include "core/base/error.h"
#include "core/dispatch/boxing.h"
#include "core/dispatch/functions.h"
#include "core/ops/random/philox.h"
#include "core/plugin/plugin.h"
#include "core/tensor/device_interface.h"
#include "plugins/cuda/loops/host.h"
#include "plugins/cuda/loops/kernel_loops.h"
#include "plugins/cuda/operators/operators.h"
#include "plugins/test_device/test_memory.h"
#include "plugins/test_device/test_transport.h"

namespace loupe::test_device {
namespace {

TestMemory& memory() {
    static auto* const instance = new TestMemory;  // tensors in static objects may outlive everything else
    return *instance;
}

// Work is done when it is given: the clock of the host is the device's.
class Event final : public DeviceEvent {
  public:
    void record() override {
        at_ = std::chrono::steady_clock::now();
        is_waited_for_ = false;
    }
    // Its work is done at once; that it has been reached it says later, as a device beside the host would.
    bool is_reached() const override { return is_waited_for_; }
    void wait() override { is_waited_for_ = true; }
    double milliseconds_since(const DeviceEvent& earlier) const override {
        return std::chrono::duration<double, std::milli>(at_ - static_cast<const Event&>(earlier).at_).count();
    }

  private:
    std::chrono::steady_clock::time_point at_;
    bool is_waited_for_ = false;
};

class TestDevice final : public DeviceInterface {
  public:
    std::string_view name() const override { return "test"; }
    int count() const override { return 2; }
    Allocator& allocator() override { return memory(); }
    void copy(void* to, Device to_device, const void* from, Device from_device, std::size_t bytes) override {
        void* const target = to_device.is_cpu() ? to : memory().own_view(to);
        const void* const source = from_device.is_cpu() ? from : memory().own_view(from);
        std::memmove(target, source, bytes);
    }
    void synchronize(Device) override {}
    std::unique_ptr<DeviceEvent> make_event(Device) override { return std::make_unique<Event>(); }
    // test:0 has none, so that it gives the CPU's numbers.
    Generator* generator(Device device) override {
        static const auto own = make_ptr<Philox>(Device{DeviceType::PrivateUse1, 1});
        return device.index == 1 ? own.get() : nullptr;
    }
    // Where an operator's loop asks for them: those of test:1, and copies on test:0 too.
    DeviceLoops* loops() override {
        static cuda::KernelLoops own;
        return &own;
    }
};

// The same elements as a tensor of the CPU's, for the device's own kernels.
Tensor own_view(const Tensor& t) {
    if (!t.defined() || t.device().is_cpu()) return t;
    const Storage& storage = *t.storage();
    Ptr<TensorImpl> impl(new TensorImpl);
    impl->storage = Storage::view_of(memory().own_view(storage.address()), storage.bytes(), t.storage());
    impl->offset = t.storage_offset();
    impl->dtype = t.dtype();
    impl->wrapped_number = t.impl()->wrapped_number;
    impl->set_sizes_strides(t.sizes(), t.strides());
    return Tensor(std::move(impl));
}

void add_kernel(const Tensor& out, const Tensor& self, const Tensor& other, const Scalar& alpha) {
    fn::copy_(own_view(out), fn::add(own_view(self), own_view(other), alpha));
}
void mul_kernel(const Tensor& out, const Tensor& self, const Tensor& other) {
    fn::copy_(own_view(out), fn::mul(own_view(self), own_view(other)));
}
void relu_kernel(const Tensor& out, const Tensor& self) { fn::copy_(own_view(out), fn::relu(own_view(self))); }
void mm_kernel(const Tensor& out, const Tensor& self, const Tensor& other) {
    fn::copy_(own_view(out), fn::mm(own_view(self), own_view(other)));
}

// One that declines, so that the fallback behind a candidate is used too.
bool accepts_float(Arguments arguments, std::string* why) {
    if (arguments[0].to_tensor().dtype() == ScalarType::Float32) return true;
    if (why != nullptr) *why = "not float32";
    return false;
}

void register_all(const PluginRegistries& registries) {
    static TestDevice device;
    memory();
    registries.add_device(DeviceType::PrivateUse1, device);
    register_transport(registries, memory());
    const auto add = [&](std::string_view name, KernelFunction kernel, AcceptFunction accepts = nullptr) {
        registries.add_kernel(name, DeviceType::PrivateUse1, {"test", kernel, accepts});
    };
    cuda::register_loops(registries, DeviceType::PrivateUse1, "loops");
    cuda::register_operators(registries, DeviceType::PrivateUse1, "loops");
    add("aten::add.Tensor", filling<add_kernel>.function);
    add("aten::mul.Tensor", filling<mul_kernel>.function);
    add("aten::relu", filling<relu_kernel>.function);
    add("aten::mm", filling<mm_kernel>.function, accepts_float);
}

}  // namespace
}  // namespace loupe::test_device

// What the loops need of the device: its work is done at once, on the host.
namespace loupe::cuda {
namespace {

struct Faults {
    Fault fault;
    const char* op = "";
};
Faults& faults() {
    thread_local Faults own;
    return own;
}

}  // namespace

Queue queue_of(Device) { return {}; }
void* address_on_device(void* place) { return test_device::memory().own_view(place); }
std::int64_t resident_threads(Device) {
    constexpr std::int64_t kProcessors = 132, kThreads = 2048;  // as an H100 has
    return kProcessors * kThreads;
}
std::shared_ptr<void> host_room(Device, std::size_t bytes) { return std::shared_ptr<char[]>(new char[bytes]()); }
void wait_for(const Queue&) {}
// Those of test:0 run through the fallback.
bool takes(Arguments arguments, std::string* why) {
    constexpr Device kOwn{DeviceType::PrivateUse1, 1};
    bool is_own = false;
    const auto look = [&](const IValue& v) {
        is_own = is_own || (v.is_tensor() && v.to_tensor().defined() && v.to_tensor().device() == kOwn);
    };
    for (const IValue& v : arguments) {
        look(v);
        if (v.is_list()) std::ranges::for_each(v.to_list().elements, look);
        is_own = is_own || (v.is_device() && v.to_device() == kOwn);
    }
    if (!is_own && why != nullptr) *why = "for test:1";
    return is_own;
}
Fault* fault_for(const Queue&, const char* op) {
    faults() = {{}, op};
    return &faults().fault;
}
void check_faults(const Queue&) {
    if (faults().fault.kind != 0) throw_fault(faults().fault, faults().op);
}

}  // namespace loupe::cuda

LOUPE_PLUGIN_EXPORT const loupe::PluginTable* loupe_plugin() {
    static constexpr loupe::PluginTable kTable{loupe::kPluginInterface, "test_device",
                                               "A device whose memory the host may not touch, for tests.", "",
                                               loupe::test_device::register_all};
    return &kTable;
}
