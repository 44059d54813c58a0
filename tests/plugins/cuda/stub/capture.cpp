// SPDX-License-Identifier: Apache-2.0
// Capture of streams, and graphs.

#include <atomic>
#include <fstream>
#include <mutex>
#include <thread>
#include <utility>

#include "tests/plugins/cuda/stub/gpu_state.h"

using loupe::test_device::CaptureFault;
using loupe::test_device::LateCapture;
using loupe::test_device::LateGraph;

struct CUgraph_st {
    std::shared_ptr<const LateGraph> graph;
};
struct CUgraphExec_st {
    std::shared_ptr<const LateGraph> graph;
};

namespace stub_gpu {
namespace {

struct UnderWay {
    std::thread::id thread;
    cudaStreamCaptureMode mode;
    std::weak_ptr<const LateCapture> capture;
    cudaStream_t stream;
};
struct All {
    std::mutex mutex;
    std::vector<UnderWay> captures;
};
All& all() {
    static auto* const own = new All;
    return *own;
}
thread_local cudaStreamCaptureMode thread_mode = cudaStreamCaptureModeGlobal;

cudaError_t error_of(CaptureFault fault) {
    switch (fault) {
        case CaptureFault::None:
            return cudaSuccess;
        case CaptureFault::Unsupported:
            return cudaErrorStreamCaptureUnsupported;
        case CaptureFault::Invalidated:
            return cudaErrorStreamCaptureInvalidated;
        case CaptureFault::Merge:
            return cudaErrorStreamCaptureMerge;
        case CaptureFault::Unmatched:
            return cudaErrorStreamCaptureUnmatched;
        case CaptureFault::Unjoined:
            return cudaErrorStreamCaptureUnjoined;
        case CaptureFault::Isolation:
            return cudaErrorStreamCaptureIsolation;
        case CaptureFault::CapturedEvent:
            return cudaErrorCapturedEvent;
        case CaptureFault::IllegalState:
            return cudaErrorIllegalState;
    }
    return cudaErrorUnknown;
}

}  // namespace

cudaError_t returned(CaptureFault fault) { return returned(error_of(fault)); }

cudaError_t unsafe_call() {
    if (thread_mode == cudaStreamCaptureModeRelaxed) return cudaSuccess;
    const std::lock_guard lock(all().mutex);
    bool is_forbidden = false;
    for (const UnderWay& each : all().captures) {
        const auto capture = each.capture.lock();
        if (!capture || capture->is_over || each.mode == cudaStreamCaptureModeRelaxed) continue;
        const bool is_own = each.thread == std::this_thread::get_id();
        const bool concerns_all =
            each.mode == cudaStreamCaptureModeGlobal && thread_mode == cudaStreamCaptureModeGlobal;
        if (!is_own && !concerns_all) continue;
        is_forbidden = true;
        work_of(each.stream->device).spoil_capture(each.stream->index);
    }
    return returned(is_forbidden ? cudaErrorStreamCaptureUnsupported : cudaSuccess);
}

cudaError_t capture_state(cudaStream_t stream) {
    const auto capture = work_of(stream->device).capture_of(stream->index);
    return returned(capture && capture->is_spoilt ? cudaErrorStreamCaptureInvalidated : cudaSuccess);
}

}  // namespace stub_gpu

using namespace stub_gpu;

extern "C" {

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
    if (const cudaError_t error = device_state(); error != cudaSuccess) return error;
    auto& work = work_of(stream->device);
    if (const CaptureFault fault = work.begin_capture(stream->index); fault != CaptureFault::None)
        return returned(fault);
    const std::lock_guard lock(all().mutex);
    std::erase_if(all().captures, [](const UnderWay& each) { return each.capture.expired(); });
    all().captures.push_back({std::this_thread::get_id(), mode, work.capture_of(stream->index), stream});
    return cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
    *graph = nullptr;
    auto& work = work_of(stream->device);
    if (failure_of(Call::Capture) != cudaSuccess) work.spoil_capture(stream->index);
    CaptureFault fault = CaptureFault::None;
    auto captured = work.end_capture(stream->index, fault);
    if (fault == CaptureFault::None) *graph = new CUgraph_st{std::move(captured)};
    return returned(fault);
}
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long* id,
                                     cudaGraph_t*, const cudaGraphNode_t**, const cudaGraphEdgeData**, size_t*) {
    const auto capture = work_of(stream->device).capture_of(stream->index);
    *status = !capture             ? cudaStreamCaptureStatusNone
              : capture->is_spoilt ? cudaStreamCaptureStatusInvalidated
                                   : cudaStreamCaptureStatusActive;
    if (id != nullptr) *id = capture && !capture->is_spoilt ? capture->id : 0;
    return cudaSuccess;
}
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
    return cudaStreamGetCaptureInfo(stream, status, nullptr, nullptr, nullptr, nullptr, nullptr);
}
cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
    std::swap(*mode, thread_mode);
    return cudaSuccess;
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t*, size_t* count) {
    *count = graph->graph->size();
    return cudaSuccess;
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* made, cudaGraph_t graph, unsigned long long) {
    if (const cudaError_t error = failure_of(Call::Instantiate); error != cudaSuccess) return returned(error);
    if (const cudaError_t error = unsafe_call(); error != cudaSuccess) return error;
    *made = new CUgraphExec_st{graph->graph};
    return device_state();
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t instance, cudaStream_t stream) {
    if (const cudaError_t error = device_state(); error != cudaSuccess) return error;
    if (const cudaError_t error = capture_state(stream); error != cudaSuccess) return error;
    count_graph_launch();
    work_of(stream->device).give_graph(stream->index, instance->graph);
    return cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
    delete graph;
    return cudaSuccess;
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t instance) {
    delete instance;
    return cudaSuccess;
}
cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char* path, unsigned) {
    std::ofstream file(path);
    file << "digraph dot { /* " << graph->graph->size() << " nodes */ }\n";
    return returned(file.good() ? cudaSuccess : cudaErrorOperatingSystem);
}

}  // extern "C"
