// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda/streams.h"

#include <array>
#include <atomic>
#include <mutex>
#include <vector>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "plugins/cuda/check.h"
#include "plugins/cuda/current_device.h"

namespace loupe::cuda {
namespace {

// As PyTorch: streams that are asked for beyond these are given again.
constexpr std::size_t kInTurn = 32;
constexpr std::size_t kStreams = 1 + 2 * kInTurn;

struct OneStream {
    std::atomic<cudaStream_t> native = nullptr;
    void* scratch = nullptr;
    std::size_t scratch_bytes = 0;
    cudaEvent_t done = nullptr;  // of those that wait for it
};
struct Streams {
    std::array<OneStream, kStreams> all;
    std::array<std::size_t, 2> next{};
    std::mutex mutex;
};

// Tensors in static objects may outlive everything else: nothing here is destroyed.
std::vector<Streams*>& streams() {
    static auto* const all = new std::vector<Streams*>;
    return *all;
}
Streams& streams_of(Device device) {
    if (device.index < 0 || static_cast<std::size_t>(device.index) >= streams().size())
        throw Error(ErrorKind::Run, "CUDA error: invalid device ordinal");
    return *streams()[static_cast<std::size_t>(device.index)];
}
OneStream& stream_at(Device device, StreamId stream) {
    Streams& all = streams_of(device);
    if (stream < 0 || static_cast<std::size_t>(stream) >= kStreams ||
        all.all[static_cast<std::size_t>(stream)].native == nullptr)
        throw Error(ErrorKind::Run, concat("cuda:", static_cast<int>(device.index), " has no stream ", stream));
    return all.all[static_cast<std::size_t>(stream)];
}

std::vector<StreamId>& current_streams() {
    thread_local std::vector<StreamId> own;
    return own;
}

}  // namespace

void make_own_streams(int count) {
    for (int i = 0; i < count; ++i) {
        use(Device{DeviceType::Cuda, static_cast<std::int8_t>(i)});
        auto* const made = new Streams;
        cudaStream_t own = nullptr;
        check(cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking), "making a stream");
        made->all[0].native = own;
        streams().push_back(made);
    }
}
int device_count() { return static_cast<int>(streams().size()); }

StreamId current_stream(Device device) {
    const std::vector<StreamId>& own = current_streams();
    const auto at = static_cast<std::size_t>(device.index);
    return at < own.size() ? own[at] : 0;
}
void use_stream(Device device, StreamId stream) {
    static_cast<void>(stream_at(device, stream));
    std::vector<StreamId>& own = current_streams();
    const auto at = static_cast<std::size_t>(device.index);
    if (at >= own.size()) own.resize(at + 1);
    own[at] = stream;
}

StreamId make_stream(Device device, int priority) {
    Streams& all = streams_of(device);
    const std::lock_guard lock(all.mutex);
    const std::size_t set = priority < 0 ? 1 : 0;
    const std::size_t at = 1 + set * kInTurn + all.next[set];
    all.next[set] = (all.next[set] + 1) % kInTurn;
    if (all.all[at].native == nullptr) {
        use(device);
        const RelaxedCapture relaxed;
        int least = 0, greatest = 0;
        check(cudaDeviceGetStreamPriorityRange(&least, &greatest), "making a stream");
        cudaStream_t made = nullptr;
        check(cudaStreamCreateWithPriority(&made, cudaStreamNonBlocking, set == 1 ? greatest : least),
              "making a stream");
        all.all[at].native = made;
    }
    return static_cast<StreamId>(at);
}
cudaStream_t native_stream(Device device, StreamId stream) { return stream_at(device, stream).native; }

void* scratch_of(Device device, std::size_t bytes) {
    if (capture_of(device) != 0) return capture_scratch(device, stream_of(device), bytes);
    OneStream& own = stream_at(device, current_stream(device));
    if (own.scratch_bytes < bytes) {
        use(device);
        check(cudaStreamSynchronize(own.native), "growing the scratch memory");
        if (own.scratch != nullptr) cudaFree(own.scratch);
        own.scratch = nullptr;
        own.scratch_bytes = 0;
        constexpr std::size_t kUnit = std::size_t{1} << 20;
        const std::size_t size = (bytes + kUnit - 1) / kUnit * kUnit;
        const RelaxedCapture relaxed;  // of others
        check(cudaMalloc(&own.scratch, size), "allocating scratch memory");
        own.scratch_bytes = size;
    }
    return own.scratch;
}

void wait_for_others(Device device) {
    Streams& all = streams_of(device);
    const std::lock_guard lock(all.mutex);
    const StreamId own = current_stream(device);
    for (std::size_t i = 0; i < kStreams; ++i) {
        OneStream& other = all.all[i];
        if (other.native == nullptr || static_cast<StreamId>(i) == own) continue;
        if (other.done == nullptr)
            check(cudaEventCreateWithFlags(&other.done, cudaEventDisableTiming), "waiting for a stream");
        check(cudaEventRecord(other.done, other.native), "waiting for a stream");
        check(cudaStreamWaitEvent(stream_of(device), other.done, 0), "waiting for a stream");
    }
}

}  // namespace loupe::cuda
