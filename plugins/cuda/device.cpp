// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda/device.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/ops/random/philox.h"
#include "plugins/cuda/allocator.h"
#include "plugins/cuda/check.h"
#include "plugins/cuda/events.h"
#include "plugins/cuda/graphs/captures.h"
#include "plugins/cuda/graphs/graphs.h"
#include "plugins/cuda/loops/kernel_loops.h"
#include "plugins/cuda/pinned_memory.h"
#include "plugins/cuda/streams.h"

namespace loupe::cuda {
namespace {

constexpr std::size_t kFaultSlots = 1024, kGraphFaults = 64;

// What kernels find wrong, in slots that the device sees; used in turn.
struct State {
    Ptr<Philox> generator;
    Fault* faults = nullptr;
    std::array<const char*, kFaultSlots> fault_ops{};
    std::array<StreamId, kFaultSlots> fault_streams{};
    std::size_t next_fault = 0;
    // Of captured work, which is given again and again: a slot an operator, behind the others.
    std::array<const char*, kGraphFaults> graph_ops{};
    std::int64_t resident_threads = 0;
};

// Tensors in static objects may outlive everything else: nothing here is destroyed.
std::vector<State>& states() {
    static auto* const all = new std::vector<State>;
    return *all;
}
State& state_of(Device device) {
    std::vector<State>& all = states();
    if (device.index < 0 || static_cast<std::size_t>(device.index) >= all.size())
        throw Error(ErrorKind::Run, "CUDA error: invalid device ordinal");
    return all[static_cast<std::size_t>(device.index)];
}

// Of work that is done: of one stream, or of all.
void say_faults(State& state, std::optional<StreamId> stream) {
    for (std::size_t i = 0; i < kFaultSlots; ++i) {
        const std::size_t slot = (state.next_fault + i) % kFaultSlots;
        if (stream && state.fault_streams[slot] != *stream) continue;
        if (state.faults[slot].kind != 0) throw_fault(state.faults[slot], state.fault_ops[slot]);
    }
    for (std::size_t i = 0; i < kGraphFaults && state.graph_ops[i] != nullptr; ++i) {
        if (Fault& fault = state.faults[kFaultSlots + i]; fault.kind != 0) throw_fault(fault, state.graph_ops[i]);
    }
}
void wait_for_stream(Device device, StreamId stream) {
    use(device);
    check(cudaStreamSynchronize(native_stream(device, stream)), "waiting for the device");
    say_faults(state_of(device), stream);
}
Device device_of(const State& state) {
    return Device{DeviceType::Cuda, static_cast<std::int8_t>(&state - states().data())};
}

struct Math {
    std::mutex mutex;
    DeviceMathSettings settings;
};
Math& math() {
    static auto* const own = new Math;
    return *own;
}

class CudaDevice final : public DeviceInterface {
  public:
    explicit CudaDevice(int count) : allocator_(count) { set_capture_memory(allocator_); }

    std::string_view name() const override { return "cuda"; }
    int count() const override { return static_cast<int>(states().size()); }
    Allocator& allocator() override { return allocator_; }
    void copy(void* to, Device to_device, const void* from, Device from_device, std::size_t bytes) override {
        const Device device = to_device.is_cpu() ? from_device : to_device;
        use(device);
        if ((to_device.is_cpu() || from_device.is_cpu()) && capture_of(device) != 0)
            throw Error(
                ErrorKind::Run,
                "Cannot copy between CPU and CUDA tensors during CUDA graph capture unless the CPU tensor is pinned. "
                "Please use tensor.pin_memory() or allocate the tensor with pin_memory=True.");
        if (!to_device.is_cpu() && !from_device.is_cpu() && !(to_device == from_device)) synchronize(from_device);
        // What is shown of a tensor is what its stream has made of it, whichever that is.
        if (to_device.is_cpu()) wait_for_others(device);
        check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream_of(device)), "copying");
        // Between devices' own memory the host need not wait, if they are one device.
        if (to_device.is_cpu() || from_device.is_cpu() || !(to_device == from_device))
            wait_for_stream(device, current_stream(device));
    }
    void copy_later(void* to, Device to_device, const void* from, Device from_device, std::size_t bytes) override {
        const void* const host = to_device.is_cpu() ? to : from;
        const Device device = to_device.is_cpu() ? from_device : to_device;
        if (to_device.is_cpu() == from_device.is_cpu() || !pinned_.has(host))
            return copy(to, to_device, from, from_device, bytes);
        use(device);
        check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream_of(device)), "copying");
        if (capture_of(device) != 0)
            note_pinned(stream_of(device), host);
        else
            pinned_.note_use(host, device);
    }
    bool zero(void* to, Device device, std::size_t bytes) override {
        use(device);
        check(cudaMemsetAsync(to, 0, bytes, stream_of(device)), "filling with zeros");
        return true;
    }
    void synchronize(Device device) override {
        use(device);
        check(cudaDeviceSynchronize(), "waiting for the device");
        say_faults(state_of(device), std::nullopt);
    }
    std::unique_ptr<DeviceEvent> make_event(Device device) override { return cuda::make_event(device); }
    Generator* generator(Device device) override { return state_of(device).generator.get(); }
    DeviceProperties properties(Device device) const override {
        cudaDeviceProp found{};
        check(cudaGetDeviceProperties(&found, device.index), "asking the device");
        return {found.name, found.major, found.minor, found.totalGlobalMem, found.multiProcessorCount};
    }
    DeviceMemoryUse memory_use(Device device) const override { return allocator_.memory_use(device); }
    void reset_peak_memory(Device device) override { allocator_.reset_peak(device); }
    DeviceMemoryStatistics memory_statistics(Device device) const override { return allocator_.statistics(device); }
    std::vector<DeviceSegment> memory_segments(Device device) const override { return allocator_.segments(device); }
    DeviceMemoryRoom memory_room(Device device) const override {
        use(device);
        DeviceMemoryRoom room;
        check(cudaMemGetInfo(&room.free, &room.total), "asking the device");
        return room;
    }
    DeviceLoops* loops() override { return &loops_; }
    DeviceGraphs* graphs() override { return &graphs_; }

    StreamId make_stream(Device device, int priority) override { return cuda::make_stream(device, priority); }
    StreamId current_stream(Device device) const override { return cuda::current_stream(device); }
    void use_stream(Device device, StreamId stream) override { cuda::use_stream(device, stream); }
    void synchronize_stream(Device device, StreamId stream) override { wait_for_stream(device, stream); }
    bool is_idle(Device device, StreamId stream) override {
        use(device);
        const cudaError_t status = cudaStreamQuery(cuda::native_stream(device, stream));
        if (status == cudaErrorNotReady) {
            cudaGetLastError();  // it is no error
            return false;
        }
        check(status, "asking a stream");
        return true;
    }
    std::uintptr_t native_stream(Device device, StreamId stream) const override {
        return reinterpret_cast<std::uintptr_t>(cuda::native_stream(device, stream));
    }
    void note_use(const void* block, Device device, StreamId stream) override {
        allocator_.note_use(block, device, stream);
    }

    Allocator* pinned_memory() override { return &pinned_; }
    bool is_pinned(const void* address) const override { return pinned_.has(address); }
    void set_math(const DeviceMathSettings& settings) override {
        const std::lock_guard lock(math().mutex);
        math().settings = settings;
    }
    std::string why_lost(Device device) const override { return cuda::why_lost(device.index); }

  private:
    CachingAllocator allocator_;
    PinnedMemory pinned_;
    KernelLoops loops_;
    CudaGraphs graphs_{allocator_, pinned_};
};

[[noreturn]] void unusable(cudaError_t status) {
    cudaGetLastError();  // it is said here
    int driver = 0;
    cudaDriverGetVersion(&driver);
    if (status == cudaErrorInsufficientDriver && driver == 0)
        throw Error(ErrorKind::Plugin, "no NVIDIA driver is installed on this machine");
    if (status == cudaErrorInsufficientDriver)
        throw Error(ErrorKind::Plugin,
                    concat("the NVIDIA driver is too old: it knows CUDA ", driver / 1000, ".", driver % 1000 / 10,
                           ", the plugin needs ", CUDART_VERSION / 1000, ".", CUDART_VERSION % 1000 / 10));
    if (status == cudaErrorNoDevice || status == cudaSuccess)
        throw Error(ErrorKind::Plugin, "no CUDA device is in this machine, or none is visible to it");
    throw Error(ErrorKind::Plugin, concat("CUDA cannot be used: ", cudaGetErrorString(status)));
}

// Kernels run on devices from the one on that they are compiled for: their PTX is compiled by the driver.
void require_kernels(int device) {
    cudaDeviceProp found{};
    check(cudaGetDeviceProperties(&found, device), "asking the device");
    if (found.major * 10 + found.minor >= LOUPE_CUDA_LEAST_ARCHITECTURE) return;
    throw Error(ErrorKind::Plugin,
                concat("cuda:", device, ", ", found.name, ", has compute capability ", found.major, ".", found.minor,
                       ", the plugin is built for ", LOUPE_CUDA_LEAST_ARCHITECTURE / 10, ".",
                       LOUPE_CUDA_LEAST_ARCHITECTURE % 10, " and later (LOUPE_CUDA_ARCHITECTURES)"));
}

// How many there are. Throws Error (Plugin) with the reason where none can be used.
int start_devices() {
    int count = 0;
    const cudaError_t status = cudaGetDeviceCount(&count);
    if (status != cudaSuccess || count == 0) unusable(status);
    for (int i = 0; i < count; ++i) require_kernels(i);
    states().resize(static_cast<std::size_t>(count));
    make_own_streams(count);
    for (int i = 0; i < count; ++i) {
        const Device device{DeviceType::Cuda, static_cast<std::int8_t>(i)};
        use(device);
        State& state = states()[static_cast<std::size_t>(i)];
        state.generator = make_ptr<Philox>(device);
        void* slots = nullptr;
        check(cudaHostAlloc(&slots, (kFaultSlots + kGraphFaults) * sizeof(Fault), cudaHostAllocMapped),
              "allocating host memory");
        state.faults = new (slots) Fault[kFaultSlots + kGraphFaults]();
        int processors = 0, threads = 0;
        check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, i), "asking the device");
        check(cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerMultiProcessor, i), "asking the device");
        state.resident_threads = std::int64_t{processors} * threads;
    }
    return count;
}

}  // namespace

// The device becomes the calling thread's.
Queue queue_of(Device device) {
    use(device);
    return {.stream = stream_of(device),
            .owner = &state_of(device),
            .scratch = [](const Queue& queue, std::size_t bytes) -> void* {
                return scratch_of(device_of(*static_cast<State*>(queue.owner)), bytes);
            }};
}

void* address_on_device(void* place) { return place; }
std::int64_t resident_threads(Device device) { return state_of(device).resident_threads; }
bool takes(Arguments, std::string*) { return true; }

std::shared_ptr<void> host_room(Device device, std::size_t bytes) {
    // Pages are locked by the many: each time the driver waits for the device.
    constexpr std::size_t kRooms = 1024;
    static std::mutex mutex;
    static auto* const free_rooms = new std::vector<void*>;
    if (bytes > kHostRoom) throw Error(ErrorKind::Internal, "a room of the host is smaller than what is asked for");
    const std::lock_guard lock(mutex);
    if (free_rooms->empty()) {
        use(device);
        const RelaxedCapture relaxed;
        void* rooms = nullptr;
        check(cudaHostAlloc(&rooms, kRooms * kHostRoom, cudaHostAllocMapped | cudaHostAllocPortable),
              "allocating host memory");
        for (std::size_t i = 0; i < kRooms; ++i) free_rooms->push_back(static_cast<char*>(rooms) + i * kHostRoom);
    }
    void* const room = free_rooms->back();
    free_rooms->pop_back();
    std::memset(room, 0, bytes);
    return {room, [](void* given_up) {
                const std::lock_guard again(mutex);
                free_rooms->push_back(given_up);
            }};
}
// The queue was asked for on the calling thread; its stream may be another by now.
void wait_for(const Queue& queue) {
    auto& state = *static_cast<State*>(queue.owner);
    use(device_of(state));
    check(cudaStreamSynchronize(static_cast<cudaStream_t>(queue.stream)), "waiting for the device");
    if (queue.stream == stream_of(device_of(state))) say_faults(state, current_stream(device_of(state)));
}

Fault* fault_for(const Queue& queue, const char* op) {
    static std::mutex mutex;
    const std::lock_guard lock(mutex);
    auto& state = *static_cast<State*>(queue.owner);
    if (capture_of(device_of(state)) != 0) {
        const auto own = std::ranges::find_if(
            state.graph_ops, [&](const char* known) { return known == nullptr || std::string_view(known) == op; });
        if (own == state.graph_ops.end()) return nullptr;
        *own = op;
        return state.faults + kFaultSlots + (own - state.graph_ops.begin());
    }
    const std::size_t slot = state.next_fault;
    state.next_fault = (slot + 1) % kFaultSlots;
    if (state.faults[slot].kind != 0) throw_fault(state.faults[slot], state.fault_ops[slot]);
    state.fault_ops[slot] = op;
    state.fault_streams[slot] = current_stream(device_of(state));
    return state.faults + slot;
}
void check_faults(const Queue& queue) {
    if (launches_block() && capture_of(device_of(*static_cast<State*>(queue.owner))) == 0) wait_for(queue);
}

DeviceMathSettings math_settings() {
    const std::lock_guard lock(math().mutex);
    return math().settings;
}

DeviceInterface& make_device() {
    static auto* const device = new CudaDevice(start_devices());
    return *device;
}

}  // namespace loupe::cuda
