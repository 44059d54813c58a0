// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda/graphs/captures.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>

#include "core/base/error.h"
#include "plugins/cuda/check.h"
#include "plugins/cuda/device.h"
#include "plugins/cuda/streams.h"

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
    StreamId stream = 0;
    CaptureId id = 0;
    MemoryPoolId pool;
    std::map<StreamId, Room> scratch;
    std::vector<Room> kept;
    std::vector<const void*> pinned;
};
struct Captures {
    std::mutex mutex;
    std::vector<Capture> all;
    std::vector<CapturePreparation> preparations;
    std::atomic<int> count = 0;
};
Captures& captures() {
    static auto* const own = new Captures;
    return *own;
}

// The mutex is held.
Capture* find(CaptureId id) {
    const auto found = std::ranges::find_if(captures().all, [&](const Capture& each) { return each.id == id; });
    return found == captures().all.end() ? nullptr : &*found;
}

void refuse_failed(CaptureId id) {
    if (id == kFailed) check(cudaErrorStreamCaptureInvalidated, "allocating memory");
}

Allocator& allocator() { return make_device().allocator(); }

}  // namespace

CaptureId capture_of(Device device, StreamId stream) {
    if (captures().count == 0) return 0;
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    CaptureId id = 0;
    check(cudaStreamGetCaptureInfo(native_stream(device, stream), &status, &id), "asking a stream");
    if (status == cudaStreamCaptureStatusNone) return 0;
    return status == cudaStreamCaptureStatusActive ? id : kFailed;
}
CaptureId capture_of(Device device) { return capture_of(device, current_stream(device)); }

bool captures_any(Device device) {
    if (captures().count == 0) return false;
    const std::lock_guard lock(captures().mutex);
    return std::ranges::any_of(captures().all, [&](const Capture& each) { return each.device == device; });
}

MemoryPoolId pool_for(Device device, StreamId stream) {
    const CaptureId id = capture_of(device, stream);
    if (id == 0) return {};
    const std::lock_guard lock(captures().mutex);
    const Capture* const capture = find(id);
    return capture == nullptr ? MemoryPoolId{} : capture->pool;
}

// The allocator asks for the pool: no lock is held around it.
void* capture_scratch(Device device, std::size_t bytes) {
    const CaptureId id = capture_of(device);
    refuse_failed(id);
    const StreamId stream = current_stream(device);
    Room before;
    {
        const std::lock_guard lock(captures().mutex);
        if (Capture* const capture = find(id)) before = capture->scratch[stream];
    }
    if (before.bytes >= bytes && before.memory != nullptr) return before.memory;
    void* const memory = allocator().allocate(bytes, device);
    {
        const std::lock_guard lock(captures().mutex);
        if (Capture* const capture = find(id)) capture->scratch[stream] = {memory, bytes};
    }
    if (before.memory != nullptr) allocator().release(before.memory, before.bytes, device);
    return memory;
}

void* keep_for_capture(Device device, std::size_t bytes) {
    refuse_failed(capture_of(device));
    void* const memory = allocator().allocate(bytes, device);
    const std::lock_guard lock(captures().mutex);
    if (Capture* const capture = find(capture_of(device))) capture->kept.push_back({memory, bytes});
    return memory;
}

void note_pinned(Device device, const void* address) {
    const CaptureId id = capture_of(device);
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

CaptureId begun_on(Device device, StreamId stream) {
    const std::lock_guard lock(captures().mutex);
    for (const Capture& each : captures().all) {
        if (each.device == device && each.stream == stream) return each.id;
    }
    return 0;
}

void note_capture(Device device, StreamId stream, CaptureId id, MemoryPoolId pool) {
    const std::lock_guard lock(captures().mutex);
    captures().all.push_back({device, stream, id, pool, {}, {}, {}});
    ++captures().count;
}

EndedCapture forget_capture(Device device, CaptureId id) {
    Capture ended;
    {
        const std::lock_guard lock(captures().mutex);
        Capture* const capture = find(id);
        if (capture == nullptr) return {};
        ended = std::move(*capture);
        std::erase_if(captures().all, [&](const Capture& each) { return each.id == id; });
        --captures().count;
    }
    for (const auto& [stream, room] : ended.scratch) allocator().release(room.memory, room.bytes, device);
    for (const Room& room : ended.kept) allocator().release(room.memory, room.bytes, device);
    return {std::move(ended.pinned)};
}

}  // namespace loupe::cuda
