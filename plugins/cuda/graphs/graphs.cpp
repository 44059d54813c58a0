// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda/graphs/graphs.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "core/base/error.h"
#include "core/base/file_handle.h"
#include "core/base/strings.h"
#include "plugins/cuda/check.h"
#include "plugins/cuda/current_device.h"
#include "plugins/cuda/graphs/captures.h"
#include "plugins/cuda/streams.h"

namespace loupe::cuda {
namespace {

cudaStreamCaptureMode mode_of(CaptureMode mode) {
    switch (mode) {
        case CaptureMode::ThreadLocal:
            return cudaStreamCaptureModeThreadLocal;
        case CaptureMode::Relaxed:
            return cudaStreamCaptureModeRelaxed;
        case CaptureMode::Global:
            break;
    }
    return cudaStreamCaptureModeGlobal;
}

class CudaGraph final : public DeviceGraph {
  public:
    CudaGraph(Device device, cudaGraph_t graph, PinnedMemory& pinned, std::vector<const void*> held)
        : device_(device), graph_(graph), pinned_(pinned), held_(std::move(held)) {
        check(cudaGraphGetNodes(graph_, nullptr, &nodes_), "counting a graph's nodes");
        for (const void* const address : held_) pinned_.hold(address);
    }
    CudaGraph(const CudaGraph&) = delete;
    CudaGraph& operator=(const CudaGraph&) = delete;
    ~CudaGraph() override {
        // What runs is not cut off: CUDA frees the graph behind it.
        const RelaxedCapture relaxed;
        if (instance_ != nullptr) cudaGraphExecDestroy(instance_);
        if (graph_ != nullptr) cudaGraphDestroy(graph_);
        for (const void* const address : held_) pinned_.let_go(address, device_, streams_);
    }

    void instantiate() override {
        use(device_);
        const RelaxedCapture relaxed;
        cudaGraphExec_t made = nullptr;
        check(cudaGraphInstantiate(&made, graph_, cudaGraphInstantiateFlagAutoFreeOnLaunch), "instantiating a graph");
        if (instance_ != nullptr) cudaGraphExecDestroy(instance_);
        instance_ = made;
    }
    bool is_instantiated() const override { return instance_ != nullptr; }
    void launch() override {
        use(device_);
        const StreamId stream = current_stream(device_);
        check(cudaGraphLaunch(instance_, native_stream(device_, stream)), "launching a graph");
        if (std::ranges::find(streams_, stream) == streams_.end()) streams_.push_back(stream);
    }
    std::size_t nodes() const override { return nodes_; }
    void forget_source() override {
        if (graph_ != nullptr) cudaGraphDestroy(graph_);
        graph_ = nullptr;
    }
    // CUDA writes files alone.
    std::string dot() const override {
        std::string name = (std::filesystem::temp_directory_path() / "loupe-graph-XXXXXX").string();
        const FileHandle made(::mkstemp(name.data()));
        if (made.get() < 0) throw Error(ErrorKind::File, "cannot be written", {.file = name});
        const cudaError_t status = cudaGraphDebugDotPrint(graph_, name.c_str(), cudaGraphDebugDotFlagsVerbose);
        std::ifstream file(name);
        std::string text(std::istreambuf_iterator<char>(file), {});
        std::filesystem::remove(name);
        check(status, "writing a graph");
        return text;
    }
    std::uintptr_t native() const override { return reinterpret_cast<std::uintptr_t>(graph_); }
    std::uintptr_t native_instance() const override { return reinterpret_cast<std::uintptr_t>(instance_); }

  private:
    Device device_;
    cudaGraph_t graph_ = nullptr;
    cudaGraphExec_t instance_ = nullptr;
    std::size_t nodes_ = 0;
    PinnedMemory& pinned_;
    std::vector<const void*> held_;
    std::vector<StreamId> streams_;  // that it was launched on
};

}  // namespace

void CudaGraphs::begin_capture(Device device, CaptureMode mode, MemoryPoolId pool) {
    use(device);
    if (capture_of(device) == 0) run_preparations(device);
    const cudaStream_t stream = stream_of(device);
    check(cudaStreamBeginCapture(stream, mode_of(mode)), "beginning a capture");
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    CaptureId id = 0;
    const cudaError_t error = cudaStreamGetCaptureInfo(stream, &status, &id);
    if (error != cudaSuccess) {
        cudaGraph_t nothing = nullptr;
        cudaStreamEndCapture(stream, &nothing);
        check(error, "beginning a capture");
    }
    note_capture(device, stream, id, pool);
    count_captures(1);
}

std::unique_ptr<DeviceGraph> CudaGraphs::end_capture(Device device) {
    use(device);
    const cudaStream_t stream = stream_of(device);
    const CaptureId id = begun_on(stream);
    cudaGraph_t graph = nullptr;
    const cudaError_t status = cudaStreamEndCapture(stream, &graph);
    if (status == cudaErrorStreamCaptureUnmatched || status == cudaErrorStreamCaptureWrongThread)
        check(status, "ending a capture");  // it goes on
    if (id == 0) check(cudaErrorIllegalState, "ending a capture");
    std::vector<const void*> pinned = forget_capture(id);
    count_captures(-1);
    check(status, "ending a capture");
    if (graph == nullptr) throw Error(ErrorKind::Run, "Invalid capture.");
    return std::make_unique<CudaGraph>(device, graph, pinned_, std::move(pinned));
}

bool CudaGraphs::is_capturing(Device device) const { return capture_of(device) != 0; }

}  // namespace loupe::cuda
