// SPDX-License-Identifier: Apache-2.0
// The runtime's functions.

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/plugins/cuda/stub/gpu_state.h"

using loupe::test_device::LateWork;

struct CUevent_st {
    int device = 0;
    LateWork::Mark mark;
};

namespace stub_gpu {
namespace {

struct Block {
    std::size_t bytes = 0;
    int device = -1;  // of the host: -1
};
struct Failure {
    cudaError_t error = cudaSuccess;
    int skipped = 0;
};
struct Gpu {
    Machine machine;
    std::recursive_mutex mutex;
    std::array<LateWork, 8> work;
    std::map<std::byte*, Block> blocks;
    std::map<Call, Failure> failures;
    std::array<cudaError_t, 8> lost{};
    Counts counts;
    struct LibraryFailure {
        int status = 0, skipped = 0, times = 1;
    };
    std::map<std::string, LibraryFailure, std::less<>> library_failures;
    std::map<std::string, std::vector<int>, std::less<>> library_calls;
};
Gpu& gpu() {
    static auto* const one = new Gpu;
    return *one;
}
thread_local int current = 0;
thread_local cudaError_t last = cudaSuccess;

}  // namespace

cudaError_t returned(cudaError_t error) {
    if (error != cudaSuccess && error != cudaErrorNotReady) last = error;
    return error;
}
LateWork& work_of(int device) { return gpu().work.at(static_cast<std::size_t>(device)); }

namespace {

cudaError_t state() { return returned(gpu().lost.at(static_cast<std::size_t>(current))); }

bool breaks(cudaError_t error) {
    return error == cudaErrorIllegalAddress || error == cudaErrorLaunchFailure || error == cudaErrorAssert ||
           error == cudaErrorECCUncorrectable || error == cudaErrorIllegalInstruction;
}

std::optional<cudaError_t> failure(Call call) {
    const auto found = gpu().failures.find(call);
    if (found == gpu().failures.end()) return std::nullopt;
    if (found->second.skipped-- > 0) return std::nullopt;
    const cudaError_t error = found->second.error;
    gpu().failures.erase(found);
    return error;
}

// The block that has these bytes.
const Block* block_with(const void* address, std::size_t bytes) {
    auto* const at = static_cast<std::byte*>(const_cast<void*>(address));
    auto found = gpu().blocks.upper_bound(at);
    if (found == gpu().blocks.begin()) return nullptr;
    --found;
    return at + bytes <= found->first + found->second.bytes ? &found->second : nullptr;
}

std::size_t used_on(int device) {
    std::size_t used = 0;
    for (const auto& [address, block] : gpu().blocks) used += block.device == device ? block.bytes : 0;
    return used;
}

cudaError_t allocate(void** memory, std::size_t bytes, int device) {
    if (const cudaError_t error = unsafe_call(); error != cudaSuccess) return error;
    const std::lock_guard lock(gpu().mutex);
    if (const auto error = failure(Call::Malloc)) return returned(*error);
    if (device >= 0 && used_on(device) + bytes > gpu().machine.memory) return returned(cudaErrorMemoryAllocation);
    auto* const block = static_cast<std::byte*>(std::aligned_alloc(512, (bytes + 511) / 512 * 512));
    if (block == nullptr) return returned(cudaErrorMemoryAllocation);
    std::memset(block, 0xFF, bytes);  // NaN, so that what was not written is seen
    gpu().blocks[block] = {bytes, device};
    *memory = block;
    if (device >= 0) {
        ++gpu().counts.mallocs;
        gpu().counts.reserved += bytes;
    }
    return cudaSuccess;
}
cudaError_t free_block(void* memory) {
    if (memory == nullptr) return cudaSuccess;
    if (const cudaError_t error = unsafe_call(); error != cudaSuccess) return error;
    const std::lock_guard lock(gpu().mutex);
    const auto found = gpu().blocks.find(static_cast<std::byte*>(memory));
    if (found == gpu().blocks.end()) return returned(cudaErrorInvalidValue);
    if (found->second.device >= 0) {
        work_of(found->second.device).run_all();
        ++gpu().counts.frees;
        gpu().counts.reserved -= found->second.bytes;
    }
    gpu().blocks.erase(found);
    std::free(memory);
    return cudaSuccess;
}

// The host cannot wait for what is not given.
cudaError_t forbidden(cudaStream_t stream) {
    LateWork& work = work_of(stream->device);
    if (work.capture_of(stream->index) == nullptr) return cudaSuccess;
    work.spoil_capture(stream->index);
    return returned(cudaErrorStreamCaptureUnsupported);
}
cudaError_t forbidden(cudaEvent_t event) {
    return returned(event->mark.is_captured() ? cudaErrorCapturedEvent : cudaSuccess);
}

cudaError_t waited(int device, const std::function<void(LateWork&)>& wait) {
    {
        const std::lock_guard lock(gpu().mutex);
        ++gpu().counts.waits;
    }
    wait(work_of(device));
    return returned(gpu().lost.at(static_cast<std::size_t>(device)));
}

}  // namespace

cudaError_t device_state() { return state(); }
int current_device() { return current; }
cudaError_t failure_of(Call call) {
    const std::lock_guard lock(gpu().mutex);
    return failure(call).value_or(cudaSuccess);
}
void count_graph_launch() {
    const std::lock_guard lock(gpu().mutex);
    ++gpu().counts.graphs;
}

void set_machine(const Machine& machine) {
    gpu().machine = machine;
    for (LateWork& each : gpu().work) each.make_stream();  // the stream that has no name
}
void set_memory(std::size_t bytes) { gpu().machine.memory = bytes; }
void fail(Call call, cudaError_t error, int skipped) {
    const std::lock_guard lock(gpu().mutex);
    gpu().failures[call] = {error, skipped};
}
void mend() {
    const std::lock_guard lock(gpu().mutex);
    gpu().failures.clear();
    gpu().library_failures.clear();
    gpu().lost.fill(cudaSuccess);
}
Counts counts() {
    const std::lock_guard lock(gpu().mutex);
    return gpu().counts;
}
void clear_counts() {
    const std::lock_guard lock(gpu().mutex);
    const std::size_t reserved = gpu().counts.reserved;
    gpu().counts = {};
    gpu().counts.reserved = reserved;
    gpu().library_calls.clear();
}
void fail_library(std::string_view function, int status, int skipped, int times) {
    const std::lock_guard lock(gpu().mutex);
    gpu().library_failures[std::string(function)] = {status, skipped, times};
}
std::vector<int> library_calls(std::string_view function) {
    const std::lock_guard lock(gpu().mutex);
    const auto found = gpu().library_calls.find(function);
    return found == gpu().library_calls.end() ? std::vector<int>() : found->second;
}
int called(std::string_view function, int what) {
    const std::lock_guard lock(gpu().mutex);
    gpu().library_calls[std::string(function)].push_back(what);
    const auto found = gpu().library_failures.find(function);
    if (found == gpu().library_failures.end() || found->second.skipped-- > 0) return 0;
    const int status = found->second.status;
    if (--found->second.times == 0) gpu().library_failures.erase(found);
    return status;
}
std::size_t pending() {
    std::size_t all = 0;
    for (const LateWork& each : gpu().work) all += each.pending();
    return all;
}
const Machine& machine() { return gpu().machine; }

bool launch(cudaStream_t stream, std::function<void()> work) {
    const std::lock_guard lock(gpu().mutex);
    if (state() != cudaSuccess || capture_state(stream) != cudaSuccess) return false;
    if (const auto error = failure(Call::Launch)) return returned(*error), false;
    ++gpu().counts.launches;
    const auto device = static_cast<std::size_t>(stream->device);
    gpu().work.at(device).give(stream->index, [device, work = std::move(work)] {
        if (gpu().lost.at(device) != cudaSuccess) return;
        if (const auto error = failure(Call::Kernel)) {
            if (breaks(*error)) gpu().lost.at(device) = *error;
            return;
        }
        work();
    });
    return true;
}

}  // namespace stub_gpu

using namespace stub_gpu;

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
    *count = 0;
    if (machine().driver < CUDART_VERSION / 1000 * 1000) return returned(cudaErrorInsufficientDriver);
    if (machine().devices == 0) return returned(cudaErrorNoDevice);
    *count = machine().devices;
    return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int* version) {
    *version = machine().driver;
    return cudaSuccess;
}
cudaError_t cudaGetLastError() { return std::exchange(last, cudaSuccess); }
const char* cudaGetErrorString(cudaError_t error) {
    switch (error) {
        case cudaErrorMemoryAllocation:
            return "out of memory";
        case cudaErrorIllegalAddress:
            return "an illegal memory access was encountered";
        case cudaErrorLaunchFailure:
            return "unspecified launch failure";
        case cudaErrorInvalidConfiguration:
            return "invalid configuration argument";
        case cudaErrorECCUncorrectable:
            return "uncorrectable ECC error encountered";
        case cudaErrorInvalidValue:
            return "invalid argument";
        case cudaErrorStreamCaptureUnsupported:
            return "operation not permitted when stream is capturing";
        case cudaErrorStreamCaptureInvalidated:
            return "operation failed due to a previous error during capture";
        case cudaErrorStreamCaptureUnjoined:
            return "capturing stream has unjoined work";
        case cudaErrorStreamCaptureIsolation:
            return "dependency created on uncaptured work in another stream";
        case cudaErrorCapturedEvent:
            return "operation not permitted on an event last recorded in a capturing stream";
        default:
            return "another error of the stub";
    }
}
cudaError_t cudaSetDevice(int device) {
    if (device < 0 || device >= machine().devices) return returned(cudaErrorInvalidDevice);
    current = device;
    return state();
}
cudaError_t cudaGetDevice(int* device) {
    *device = current;
    return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* found, int) {
    *found = {};
    std::strcpy(found->name, "Stub GPU");
    found->major = machine().capability / 10;
    found->minor = machine().capability % 10;
    found->totalGlobalMem = machine().memory;
    found->multiProcessorCount = 4;
    return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
    *value = attribute == cudaDevAttrMultiProcessorCount ? 4 : 2048;
    return cudaSuccess;
}
cudaError_t cudaDeviceSynchronize() {
    if (work_of(current).captures_any()) {
        work_of(current).spoil_captures();
        return returned(cudaErrorStreamCaptureUnsupported);
    }
    return waited(current, [](LateWork& work) { work.run_all(); });
}
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
    *least = 0;
    *greatest = -5;
    return cudaSuccess;
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned, int) {
    *stream = new CUstream_st{current, work_of(current).make_stream()};
    return state();
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
    return cudaStreamCreateWithPriority(stream, flags, 0);
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    if (const cudaError_t error = forbidden(stream); error != cudaSuccess) return error;
    return waited(stream->device, [stream](LateWork& work) { work.run(stream->index); });
}
cudaError_t cudaStreamQuery(cudaStream_t stream) {
    if (const cudaError_t error = state(); error != cudaSuccess) return error;
    if (const cudaError_t error = forbidden(stream); error != cudaSuccess) return error;
    work_of(stream->device).run_some(stream->index);
    return work_of(stream->device).is_idle(stream->index) ? cudaSuccess : cudaErrorNotReady;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
    const auto fault = work_of(stream->device).hold(stream->index, event->mark);
    return fault == loupe::test_device::CaptureFault::None ? state() : returned(fault);
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
    *event = new CUevent_st{current, {}};
    return state();
}
cudaError_t cudaEventCreate(cudaEvent_t* event) { return cudaEventCreateWithFlags(event, 0); }
cudaError_t cudaEventDestroy(cudaEvent_t event) {
    delete event;
    return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    event->mark = work_of(stream->device).mark(stream->index);
    return state();
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
    if (const cudaError_t error = state(); error != cudaSuccess) return error;
    if (const cudaError_t error = forbidden(event); error != cudaSuccess) return error;
    return !event->mark.is_set() || event->mark.is_reached() ? cudaSuccess : cudaErrorNotReady;
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    if (const cudaError_t error = forbidden(event); error != cudaSuccess) return error;
    return waited(event->device, [event](LateWork& work) { work.run_to(event->mark); });
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end) {
    for (const cudaEvent_t each : {begin, end}) {
        if (const cudaError_t error = forbidden(each); error != cudaSuccess) return error;
    }
    if (!begin->mark.is_reached() || !end->mark.is_reached()) return returned(cudaErrorNotReady);
    *milliseconds = static_cast<float>((end->mark.time() - begin->mark.time()) * 1e3);
    return state();
}

cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
    if (const cudaError_t error = state(); error != cudaSuccess) return error;
    return allocate(memory, bytes, current);
}
cudaError_t cudaFree(void* memory) { return free_block(memory); }
cudaError_t cudaHostAlloc(void** memory, std::size_t bytes, unsigned) { return allocate(memory, bytes, -1); }
cudaError_t cudaFreeHost(void* memory) { return free_block(memory); }
cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
    const std::lock_guard lock(gpu().mutex);
    *total = machine().memory;
    *free = machine().memory - used_on(current);
    return state();
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind, cudaStream_t stream) {
    if (const cudaError_t error = state(); error != cudaSuccess) return error;
    const std::lock_guard lock(gpu().mutex);
    if (const auto error = failure(Call::Copy)) {
        if (breaks(*error)) gpu().lost.at(static_cast<std::size_t>(current)) = *error;
        return returned(*error);
    }
    const Block* const target = block_with(to, bytes);
    const Block* const source = block_with(from, bytes);
    LateWork& work = work_of(stream->device);
    if (const cudaError_t error = capture_state(stream); error != cudaSuccess) return error;
    if (target == nullptr || source == nullptr) {  // the host waits
        if (const cudaError_t error = forbidden(stream); error != cudaSuccess) return error;
    }
    gpu().counts.copies.push_back({bytes, stream, target != nullptr && source != nullptr});
    if (source == nullptr) {  // memory of the host that may be paged: taken before the call returns
        auto taken = std::make_shared<std::vector<std::byte>>(bytes);
        std::memcpy(taken->data(), from, bytes);
        work.give(stream->index, [to, taken, bytes] { std::memcpy(to, taken->data(), bytes); });
        return cudaSuccess;
    }
    work.give(stream->index, [to, from, bytes] { std::memmove(to, from, bytes); });
    if (target == nullptr) work.run(stream->index);
    return state();
}

cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t stream) {
    if (const cudaError_t error = state(); error != cudaSuccess) return error;
    if (const cudaError_t error = capture_state(stream); error != cudaSuccess) return error;
    work_of(stream->device).give(stream->index, [to, value, bytes] { std::memset(to, value, bytes); });
    return cudaSuccess;
}

}  // extern "C"
