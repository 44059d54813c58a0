// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda/graphs/captures.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>

#include "core/base/error.h"
#include "core/base/strings.h"

namespace loupe::cuda {
namespace {

// Of a capture that has failed; CUDA does not number it any more.
constexpr CaptureId kFailed = ~CaptureId{0};

struct Room {
    void* memory = nullptr;
    std::size_t bytes = 0;
};
struct Capture {
    Device device;
    cudaStream_t stream = nullptr;
    CaptureId id = 0;
    MemoryPoolId pool;
    std::map<cudaStream_t, Room> scratch;
    std::vector<Room> kept;
    std::vector<const void*> pinned;
};
struct Captures {
    std::mutex mutex;
    std::vector<Capture> all;
    std::vector<CapturePreparation> preparations;
    std::atomic<int> count = 0;
    Allocator* memory = nullptr;
};
// Tensors in static objects may outlive everything else: nothing here is destroyed.
Captures& captures() {
    static auto* const own = new Captures;
    return *own;
}

// The mutex is held.
Capture* find(CaptureId id) {
    const auto found = std::ranges::find_if(captures().all, [&](const Capture& each) { return each.id == id; });
    return found == captures().all.end() ? nullptr : &*found;
}

CaptureId require_capture(cudaStream_t stream) {
    const CaptureId id = capture_of(stream);
    if (id == kFailed)
        throw Error(ErrorKind::Run, concat("CUDA error: ", cudaGetErrorString(cudaErrorStreamCaptureInvalidated),
                                           " (allocating memory)"));
    return id;
}

}  // namespace

CaptureId capture_of(cudaStream_t stream) {
    if (captures().count == 0) return 0;
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    CaptureId id = 0;
    if (cudaStreamGetCaptureInfo(stream, &status, &id) != cudaSuccess) {
        cudaGetLastError();  // a lost device: what is given to it next says so
        return 0;
    }
    if (status == cudaStreamCaptureStatusNone) return 0;
    return status == cudaStreamCaptureStatusActive ? id : kFailed;
}

bool captures_any(int device) {
    if (captures().count == 0) return false;
    const std::lock_guard lock(captures().mutex);
    return std::ranges::any_of(captures().all, [&](const Capture& each) { return each.device.index == device; });
}

MemoryPoolId pool_for(cudaStream_t stream) {
    const CaptureId id = capture_of(stream);
    if (id == 0) return {};
    const std::lock_guard lock(captures().mutex);
    const Capture* const capture = find(id);
    return capture == nullptr ? MemoryPoolId{} : capture->pool;
}

// The allocator asks for the pool: no lock is held around it.
void* capture_scratch(Device device, cudaStream_t stream, std::size_t bytes) {
    const CaptureId id = require_capture(stream);
    Room before;
    {
        const std::lock_guard lock(captures().mutex);
        if (Capture* const capture = find(id)) before = capture->scratch[stream];
    }
    if (before.bytes >= bytes && before.memory != nullptr) return before.memory;
    void* const memory = captures().memory->allocate(bytes, device);
    {
        const std::lock_guard lock(captures().mutex);
        if (Capture* const capture = find(id)) capture->scratch[stream] = {memory, bytes};
    }
    if (before.memory != nullptr) captures().memory->release(before.memory, before.bytes, device);
    return memory;
}

void* keep_for_capture(Device device, cudaStream_t stream, std::size_t bytes) {
    const CaptureId id = require_capture(stream);
    void* const memory = captures().memory->allocate(bytes, device);
    const std::lock_guard lock(captures().mutex);
    if (Capture* const capture = find(id)) capture->kept.push_back({memory, bytes});
    return memory;
}

void note_pinned(cudaStream_t stream, const void* address) {
    const CaptureId id = capture_of(stream);
    const std::lock_guard lock(captures().mutex);
    if (Capture* const capture = find(id)) capture->pinned.push_back(address);
}

void add_preparation(CapturePreparation prepare) {
    const std::lock_guard lock(captures().mutex);
    captures().preparations.push_back(prepare);
}

void run_preparations(Device device) {
    std::vector<CapturePreparation> all;
    {
        const std::lock_guard lock(captures().mutex);
        all = captures().preparations;
    }
    for (const CapturePreparation prepare : all) prepare(device);
}

void set_capture_memory(Allocator& allocator) { captures().memory = &allocator; }

CaptureId begun_on(cudaStream_t stream) {
    const std::lock_guard lock(captures().mutex);
    for (const Capture& each : captures().all) {
        if (each.stream == stream) return each.id;
    }
    return 0;
}

void note_capture(Device device, cudaStream_t stream, CaptureId id, MemoryPoolId pool) {
    const std::lock_guard lock(captures().mutex);
    captures().all.push_back({device, stream, id, pool, {}, {}, {}});
    ++captures().count;
}

std::vector<const void*> forget_capture(CaptureId id) {
    Capture ended;
    {
        const std::lock_guard lock(captures().mutex);
        Capture* const capture = find(id);
        if (capture == nullptr) return {};
        ended = std::move(*capture);
        std::erase_if(captures().all, [&](const Capture& each) { return each.id == id; });
        --captures().count;
    }
    for (const auto& [stream, room] : ended.scratch) captures().memory->release(room.memory, room.bytes, ended.device);
    for (const Room& room : ended.kept) captures().memory->release(room.memory, room.bytes, ended.device);
    return std::move(ended.pinned);
}

}  // namespace loupe::cuda
