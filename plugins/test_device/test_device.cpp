// SPDX-License-Identifier: Apache-2.0
// A device for tests: "test", two of them. Its memory is the host's, at addresses that the host may not touch, so that
// code that takes a tensor's memory for the CPU's is found at once. It has few kernels of its own: nearly all operators
// run through the fallback.

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <tuple>
#include <utility>
#include <vector>

#include "core/autograd/grad_mode.h"
#include "core/autograd/observer.h"
#include "core/base/error.h"
#include "core/dispatch/autocast.h"
#include "core/dispatch/boxing.h"
#include "core/dispatch/functions.h"
#include "core/dispatch/interceptor.h"
#include "core/ops/random/philox.h"
#include "core/plugin/plugin.h"
#include "core/tensor/device_copy.h"
#include "core/tensor/device_interface.h"
#include "plugins/cuda/loops/host.h"
#include "plugins/cuda/loops/kernel_loops.h"
#include "plugins/cuda/loops/launch.h"
#include "plugins/cuda/operators/operators.h"
#include "plugins/test_device/late_work.h"
#include "plugins/test_device/test_graphs.h"
#include "plugins/test_device/test_memory.h"
#include "plugins/test_device/test_streams.h"
#include "plugins/test_device/test_transport.h"

namespace loupe::test_device {
namespace {

TestMemory& memory() {
    static auto* const instance = new TestMemory;  // tensors in static objects may outlive everything else
    return *instance;
}

// Memory of the host for copies beside the host's work.
class PinnedMemory final : public Allocator {
  public:
    void* allocate(std::size_t bytes, Device) override {
        void* const block = std::aligned_alloc(kAlignment, (bytes + kAlignment) / kAlignment * kAlignment);
        if (block == nullptr) throw Error(ErrorKind::Run, "out of memory");
        const std::lock_guard lock(mutex_);
        blocks_[static_cast<const std::byte*>(block)] = bytes;
        return block;
    }
    // It is kept while a stream may still copy.
    void release(void* block, std::size_t, Device) noexcept override {
        for (std::int8_t i = 0; i < kDevices; ++i) work_of(Device{DeviceType::PrivateUse1, i}).run_all();
        const std::lock_guard lock(mutex_);
        blocks_.erase(static_cast<const std::byte*>(block));
        std::free(block);
    }
    bool has(const void* address) const {
        const auto* const at = static_cast<const std::byte*>(address);
        const std::lock_guard lock(mutex_);
        auto found = blocks_.upper_bound(at);
        if (found == blocks_.begin()) return false;
        --found;
        return at < found->first + std::max<std::size_t>(found->second, 1);
    }

  private:
    static constexpr std::size_t kAlignment = 64;
    mutable std::mutex mutex_;
    std::map<const std::byte*, std::size_t> blocks_;
};

class TestDevice final : public DeviceInterface {
  public:
    std::string_view name() const override { return "test"; }
    int count() const override { return kDevices; }
    Allocator& allocator() override { return memory(); }
    void copy(void* to, Device to_device, const void* from, Device from_device, std::size_t bytes) override {
        void* const target = on_host(to, to_device);
        void* const source = on_host(from, from_device);
        if (!to_device.is_cpu() && to_device == from_device)
            return in_turn(to_device, [=] { std::memmove(target, source, bytes); });
        for (const Device each : {to_device, from_device}) {
            if (is_capturing(each))
                throw Error(ErrorKind::Run,
                            "Cannot copy between CPU and CUDA tensors during CUDA graph capture unless the "
                            "CPU tensor is pinned. Please use tensor.pin_memory() or allocate the tensor "
                            "with pin_memory=True.");
            // What is shown of a tensor is what its stream has made of it, whichever that is.
            if (!each.is_cpu()) to_device.is_cpu() ? work_of(each).run_all() : catch_up(each);
        }
        std::memmove(target, source, bytes);
    }
    void copy_later(void* to, Device to_device, const void* from, Device from_device, std::size_t bytes) override {
        const Device device = to_device.is_cpu() ? from_device : to_device;
        if (to_device.is_cpu() == from_device.is_cpu() || !pinned_.has(to_device.is_cpu() ? to : from))
            return copy(to, to_device, from, from_device, bytes);
        in_turn(device, [target = on_host(to, to_device), source = on_host(from, from_device), bytes] {
            std::memmove(target, source, bytes);
        });
    }
    bool zero(void* to, Device device, std::size_t bytes) override {
        in_turn(device, [target = on_host(to, device), bytes] { std::memset(target, 0, bytes); });
        return true;
    }
    void synchronize(Device device) override {
        refuse_captures(device);
        work_of(device).run_all();
    }
    std::unique_ptr<DeviceEvent> make_event(Device device) override { return test_device::make_event(device); }
    StreamId make_stream(Device device, int) override { return test_device::make_stream(device); }
    StreamId current_stream(Device device) const override { return test_device::current_stream(device); }
    void use_stream(Device device, StreamId stream) override { test_device::use_stream(device, stream); }
    void synchronize_stream(Device device, StreamId stream) override {
        refuse_captures(device, stream);
        work_of(device).run(static_cast<std::size_t>(stream));
    }
    bool is_idle(Device device, StreamId stream) override {
        refuse_captures(device, stream);
        LateWork& work = work_of(device);
        work.run_some(static_cast<std::size_t>(stream));
        return work.is_idle(static_cast<std::size_t>(stream));
    }
    void note_use(const void* block, Device, StreamId stream) override { memory().note_use(block, stream); }
    Allocator* pinned_memory() override { return &pinned_; }
    bool is_pinned(const void* address) const override { return pinned_.has(address); }
    DeviceMemoryUse memory_use(Device device) const override {
        const DeviceMemoryStatistics figures = memory().statistics(device);
        const auto bytes = [](std::int64_t count) { return static_cast<std::size_t>(count); };
        return {bytes(figures.allocated_bytes[0].current), bytes(figures.reserved_bytes[0].current),
                bytes(figures.allocated_bytes[0].peak), bytes(figures.reserved_bytes[0].peak)};
    }
    DeviceMemoryStatistics memory_statistics(Device device) const override { return memory().statistics(device); }
    std::vector<DeviceSegment> memory_segments(Device device) const override { return memory().segments(device); }
    DeviceGraphs* graphs() override {
        static TestGraphs own(memory());
        return &own;
    }
    void reset_peak_memory(Device device) override { memory().reset_peak(device); }
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

  private:
    static void* on_host(const void* address, Device device) {
        return device.is_cpu() ? const_cast<void*>(address) : memory().own_view(address);
    }

    PinnedMemory pinned_;
};

// A tensor's place, by which the device's own kernels see its elements as those of a tensor of the CPU's when their
// turn comes: its memory may have been released by then.
class OwnView {
  public:
    explicit OwnView(const Tensor& t) : is_own_(t.defined() && !t.device().is_cpu()) {
        if (!is_own_) {
            host_ = t;
            return;
        }
        const ElementRange range = range_of(t);
        const std::int64_t first = range.first * t.element_size();
        place_ = memory().own_view(t.storage()->address()) + first;
        bytes_ = static_cast<std::size_t>(range.count * t.element_size());
        offset_ = t.storage_offset() - range.first;
        dtype_ = t.dtype();
        wrapped_number_ = t.impl()->wrapped_number;
        sizes_ = to_dims(t.sizes());
        strides_ = to_dims(t.strides());
    }
    Tensor tensor() const {
        if (!is_own_) return host_;
        Ptr<TensorImpl> impl(new TensorImpl);
        impl->storage = Storage::view_of(place_, bytes_, make_ptr<RefCounted>());
        impl->offset = offset_;
        impl->dtype = dtype_;
        impl->wrapped_number = wrapped_number_;
        impl->set_sizes_strides(span_of(sizes_), span_of(strides_));
        return Tensor(std::move(impl));
    }

  private:
    bool is_own_;
    Tensor host_;
    std::byte* place_ = nullptr;
    std::size_t bytes_ = 0;
    std::int64_t offset_ = 0;
    ScalarType dtype_ = ScalarType::Float32;
    bool wrapped_number_ = false;
    Dims sizes_, strides_;
};

// out = compute(inputs...), in the turn of the stream.
template <typename Compute, typename... Inputs>
void fill_in_turn(const Tensor& out, Compute compute, const Inputs&... inputs) {
    in_turn(out.device(), [compute, to = OwnView(out), from = std::tuple(OwnView(inputs)...)] {
        const NestedCallScope unobserved;
        const InterceptorScope not_intercepted(nullptr);
        const GradModeScope no_grad(false);
        const detail::AutocastOff full_precision;
        fn::copy_(to.tensor(), std::apply([&](const auto&... each) { return compute(each.tensor()...); }, from));
    });
}

void add_kernel(const Tensor& out, const Tensor& self, const Tensor& other, const Scalar& alpha) {
    fill_in_turn(
        out, [alpha](const Tensor& a, const Tensor& b) { return fn::add(a, b, alpha); }, self, other);
}
void mul_kernel(const Tensor& out, const Tensor& self, const Tensor& other) {
    fill_in_turn(
        out, [](const Tensor& a, const Tensor& b) { return fn::mul(a, b); }, self, other);
}
void relu_kernel(const Tensor& out, const Tensor& self) {
    fill_in_turn(
        out, [](const Tensor& x) { return fn::relu(x); }, self);
}
void mm_kernel(const Tensor& out, const Tensor& self, const Tensor& other) {
    fill_in_turn(
        out, [](const Tensor& a, const Tensor& b) { return fn::mm(a, b); }, self, other);
}
// In the place of NVIDIA's library, for streams of their own: what they capture cannot run on the CPU.
void addmm_kernel(const Tensor& out, const Tensor& self, const Tensor& a, const Tensor& b, const Scalar& beta,
                  const Scalar& alpha) {
    fill_in_turn(
        out,
        [beta, alpha](const Tensor& c, const Tensor& x, const Tensor& y) { return fn::addmm(c, x, y, beta, alpha); },
        self, a, b);
}
bool is_on_stream(Arguments arguments, std::string* why) {
    const Tensor& t = arguments[0].to_tensor();
    if (!t.device().is_cpu() && current_stream(t.device()) != 0) return true;
    if (why != nullptr) *why = "on the device's own stream";
    return false;
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
    add("aten::addmm", filling<addmm_kernel>.function, is_on_stream);
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

// None for the device's own stream, whose work is done at once.
Queue queue_of(Device device) {
    const StreamId stream = test_device::current_stream(device);
    if (stream == 0) return {};
    return {.stream = reinterpret_cast<void*>(stream), .owner = &test_device::work_of(device)};
}
void give(const Queue& queue, std::function<void()> work) {
    static_cast<test_device::LateWork*>(queue.owner)
        ->give(reinterpret_cast<std::size_t>(queue.stream), std::move(work));
}
void* address_on_device(void* place) { return test_device::memory().own_view(place); }
std::int64_t resident_threads(Device) {
    constexpr std::int64_t kProcessors = 132, kThreads = 2048;  // as an H100 has
    return kProcessors * kThreads;
}
namespace {
bool is_captured(const Queue& queue) {
    return queue.owner != nullptr &&
           static_cast<test_device::LateWork*>(queue.owner)->capture_of(reinterpret_cast<std::size_t>(queue.stream)) !=
               nullptr;
}
}  // namespace
// Given up before it is written, it is still there.
std::shared_ptr<void> host_room(Device, std::size_t bytes) {
    static std::mutex mutex;
    static auto* const rooms = new std::vector<void*>;
    const std::lock_guard lock(mutex);
    if (rooms->empty()) rooms->push_back(std::malloc(kHostRoom));
    void* const room = rooms->back();
    rooms->pop_back();
    std::memset(room, 0, bytes);
    return {room, [](void* given_up) {
                const std::lock_guard again(mutex);
                rooms->push_back(given_up);
            }};
}
void wait_for(const Queue& queue) {
    if (queue.owner == nullptr) return;
    const auto& work = *static_cast<test_device::LateWork*>(queue.owner);
    for (std::int8_t i = 0; i < test_device::kDevices; ++i) {
        const Device device{DeviceType::PrivateUse1, i};
        if (&test_device::work_of(device) == &work)
            test_device::refuse_captures(device, reinterpret_cast<StreamId>(queue.stream));
    }
    static_cast<test_device::LateWork*>(queue.owner)->run(reinterpret_cast<std::size_t>(queue.stream));
}
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
// Of captured work nothing is known before it is given again.
void check_faults(const Queue& queue) {
    if (is_captured(queue)) return;
    wait_for(queue);
    if (faults().fault.kind != 0) throw_fault(faults().fault, faults().op);
}

}  // namespace loupe::cuda

LOUPE_PLUGIN_EXPORT const loupe::PluginTable* loupe_plugin() {
    static constexpr loupe::PluginTable kTable{loupe::kPluginInterface, "test_device",
                                               "A device whose memory the host may not touch, for tests.", "",
                                               loupe::test_device::register_all};
    return &kTable;
}
