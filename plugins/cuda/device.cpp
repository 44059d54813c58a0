// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda/device.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <vector>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/ops/random/philox.h"
#include "plugins/cuda/allocator.h"
#include "plugins/cuda/check.h"
#include "plugins/cuda/loops/kernel_loops.h"

namespace loupe::cuda {
namespace {

constexpr std::size_t kFaultSlots = 1024;

struct State {
    cudaStream_t stream = nullptr;
    void* scratch = nullptr;
    std::size_t scratch_bytes = 0;
    Ptr<Philox> generator;
    // Slots for what kernels find wrong, in memory that the device sees; used in turn.
    Fault* faults = nullptr;
    std::array<const char*, kFaultSlots> fault_ops{};
    std::size_t next_fault = 0;
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

// Of work that is done.
void say_faults(State& state) {
    for (std::size_t i = 0; i < kFaultSlots; ++i) {
        const std::size_t slot = (state.next_fault + i) % kFaultSlots;
        if (state.faults[slot].kind != 0) throw_fault(state.faults[slot], state.fault_ops[slot]);
    }
}

class Event final : public DeviceEvent {
  public:
    explicit Event(Device device) : device_(device) {
        use(device);
        check(cudaEventCreate(&event_), "making an event");
    }
    ~Event() override { cudaEventDestroy(event_); }
    void record() override {
        use(device_);
        check(cudaEventRecord(event_, stream_of(device_)), "recording an event");
    }
    bool is_reached() const override {
        const cudaError_t status = cudaEventQuery(event_);
        if (status == cudaErrorNotReady) {
            cudaGetLastError();  // it is no error
            return false;
        }
        check(status, "asking an event");
        return true;
    }
    void wait() override { check(cudaEventSynchronize(event_), "waiting for an event"); }
    double milliseconds_since(const DeviceEvent& earlier) const override {
        float milliseconds = 0;
        check(cudaEventElapsedTime(&milliseconds, static_cast<const Event&>(earlier).event_, event_),
              "reading an event");
        return static_cast<double>(milliseconds);
    }

    cudaEvent_t native() const { return event_; }

  private:
    Device device_;
    cudaEvent_t event_ = nullptr;
};

class CudaDevice final : public DeviceInterface {
  public:
    explicit CudaDevice(int count) : allocator_(count) {}

    std::string_view name() const override { return "cuda"; }
    int count() const override { return static_cast<int>(states().size()); }
    Allocator& allocator() override { return allocator_; }
    void copy(void* to, Device to_device, const void* from, Device from_device, std::size_t bytes) override {
        const Device device = to_device.is_cpu() ? from_device : to_device;
        use(device);
        const cudaStream_t stream = stream_of(device);
        if (!to_device.is_cpu() && !from_device.is_cpu() && !(to_device == from_device)) synchronize(from_device);
        check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream), "copying");
        // Between devices' own memory the host need not wait, if they are one device.
        if (to_device.is_cpu() || from_device.is_cpu() || !(to_device == from_device)) wait(device);
    }
    void synchronize(Device device) override {
        use(device);
        wait(device);
    }
    std::unique_ptr<DeviceEvent> make_event(Device device) override { return std::make_unique<Event>(device); }
    Generator* generator(Device device) override { return state_of(device).generator.get(); }
    DeviceProperties properties(Device device) const override {
        cudaDeviceProp found{};
        check(cudaGetDeviceProperties(&found, device.index), "asking the device");
        return {found.name, found.major, found.minor, found.totalGlobalMem, found.multiProcessorCount};
    }
    DeviceMemoryUse memory_use(Device device) const override { return allocator_.memory_use(device); }
    void reset_peak_memory(Device device) override { allocator_.reset_peak(device); }
    DeviceLoops* loops() override { return &loops_; }

  private:
    static void wait(Device device) {
        State& state = state_of(device);
        check(cudaStreamSynchronize(state.stream), "waiting for the device");
        say_faults(state);
    }

    CachingAllocator allocator_;
    KernelLoops loops_;
};

[[noreturn]] void unusable(cudaError_t status) {
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

}  // namespace

cudaStream_t stream_of(Device device) { return state_of(device).stream; }

void* scratch_of(Device device, std::size_t bytes) {
    State& state = state_of(device);
    if (state.scratch_bytes < bytes) {
        use(device);
        check(cudaStreamSynchronize(state.stream), "growing the scratch memory");
        if (state.scratch != nullptr) cudaFree(state.scratch);
        state.scratch = nullptr;
        state.scratch_bytes = 0;
        constexpr std::size_t kUnit = std::size_t{1} << 20;
        const std::size_t size = (bytes + kUnit - 1) / kUnit * kUnit;
        check(cudaMalloc(&state.scratch, size), "allocating scratch memory");
        state.scratch_bytes = size;
    }
    return state.scratch;
}

// The device becomes the calling thread's.
Queue queue_of(Device device) {
    use(device);
    return {.stream = stream_of(device),
            .owner = &state_of(device),
            .scratch = [](const Queue& queue, std::size_t bytes) -> void* {
                const auto index = static_cast<State*>(queue.owner) - states().data();
                return scratch_of(Device{DeviceType::Cuda, static_cast<std::int8_t>(index)}, bytes);
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
void wait_for(const Queue& queue) {
    auto& state = *static_cast<State*>(queue.owner);
    check(cudaStreamSynchronize(state.stream), "waiting for the device");
    say_faults(state);
}

Fault* fault_for(const Queue& queue, const char* op) {
    static std::mutex mutex;
    const std::lock_guard lock(mutex);
    auto& state = *static_cast<State*>(queue.owner);
    const std::size_t slot = state.next_fault;
    state.next_fault = (slot + 1) % kFaultSlots;
    if (state.faults[slot].kind != 0) throw_fault(state.faults[slot], state.fault_ops[slot]);
    state.fault_ops[slot] = op;
    return state.faults + slot;
}
void check_faults(const Queue& queue) {
    // As for PyTorch: errors where they are made, at the cost of waiting for each kernel.
    static const bool blocks = [] {
        const char* const set = std::getenv("CUDA_LAUNCH_BLOCKING");
        return set != nullptr && std::string_view(set) != "0" && std::string_view(set) != "";
    }();
    if (!blocks) return;
    auto& state = *static_cast<State*>(queue.owner);
    check(cudaStreamSynchronize(state.stream), "waiting for a kernel");
    say_faults(state);
}

cudaEvent_t native_event(const DeviceEvent& event) { return static_cast<const Event&>(event).native(); }

DeviceInterface& make_device() {
    int count = 0;
    const cudaError_t status = cudaGetDeviceCount(&count);
    if (status != cudaSuccess || count == 0) unusable(status);
    states().resize(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) {
        const Device device{DeviceType::Cuda, static_cast<std::int8_t>(i)};
        use(device);
        State& state = states()[static_cast<std::size_t>(i)];
        check(cudaStreamCreateWithFlags(&state.stream, cudaStreamNonBlocking), "making a stream");
        state.generator = make_ptr<Philox>(device);
        void* slots = nullptr;
        check(cudaHostAlloc(&slots, kFaultSlots * sizeof(Fault), cudaHostAllocMapped), "allocating host memory");
        state.faults = new (slots) Fault[kFaultSlots]();
        int processors = 0, threads = 0;
        check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, i), "asking the device");
        check(cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerMultiProcessor, i), "asking the device");
        state.resident_threads = std::int64_t{processors} * threads;
    }
    static auto* const device = new CudaDevice(count);
    return *device;
}

}  // namespace loupe::cuda
