// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/graphs/captured_graph.h"

#include <span>

#include "core/autograd/observer.h"
#include "core/base/error.h"
#include "core/base/strings.h"

namespace loupe::runtime {
namespace {

void require(bool holds, const char* otherwise) {
    if (!holds) throw Error(ErrorKind::Run, otherwise);
}

}  // namespace

CaptureMode parse_capture_mode(const std::string& name) {
    if (name == "global") return CaptureMode::Global;
    if (name == "thread_local") return CaptureMode::ThreadLocal;
    if (name == "relaxed") return CaptureMode::Relaxed;
    throw Error(ErrorKind::Run,
                concat("Unknown capture error mode. Expected `global`, `thread_local`, or `relaxed`, got ", name));
}

CapturedGraph::~CapturedGraph() {
    try {
        reset();
    } catch (const Error&) {  // of a device that is lost: there is nothing to give up
    }
}

DeviceGraphs& CapturedGraph::graphs() const { return *device_interface(device_.type)->graphs(); }

void CapturedGraph::begin(Device device, std::optional<MemoryPoolId> pool, CaptureMode mode) {
    require(!is_begun_ && !is_ended_,
            "This CUDAGraph instance already owns a captured graph. To capture a new graph, create a new instance.");
    DeviceInterface* const devices = device.is_cpu() ? nullptr : device_interface(device.type);
    if (devices == nullptr || devices->graphs() == nullptr)
        throw Error(ErrorKind::Run, concat("Graph is not supported on device type: ", device_type_name(device.type)));
    require(
        devices->current_stream(device) != 0,
        "CUDA graphs must be captured on a non-default stream. (However, after capture, it's ok to replay them on the "
        "default stream.)");
    device_ = device;
    stream_ = devices->current_stream(device);
    pool_ = pool && pool->is_private() ? *pool : new_graph_pool();
    graphs().hold_pool(device, pool_);
    try {
        graphs().begin_capture(device, mode, pool_);
    } catch (...) {
        graphs().release_pool(device, pool_);
        throw;
    }
    draws_ = std::make_shared<GraphDraws>();
    set_graph_draws(draws_);
    is_begun_ = true;
}

void CapturedGraph::end() {
    require(is_begun_, "capture_end() called before capture_begin().");
    require(device_interface(device_.type)->current_stream(device_) == stream_,
            "Capture must end on the same stream it began on.");
    is_begun_ = false;
    set_graph_draws(nullptr);
    try {
        graph_ = graphs().end_capture(device_);
        nodes_ = graph_->nodes();
        is_ended_ = has_source_ = true;
        if (!keeps_graph_) {
            graph_->instantiate();
            if (!is_debugged_) {
                graph_->forget_source();
                has_source_ = false;
            }
        }
    } catch (...) {
        is_ended_ = true;  // of which reset() gives up what is there
        reset();
        throw;
    }
}

void CapturedGraph::instantiate() {
    require(is_ended_, "capture_end() must have been called before calling instantiate");
    if (graph_->is_instantiated())
        require(keeps_graph_, "instantiate() is intended to be called by the user only when keep_graph=true");
    graph_->instantiate();
}

void CapturedGraph::replay() {
    require(is_ended_, "Called CUDAGraph::replay without a preceding successful capture.");
    if (!graph_->is_instantiated()) graph_->instantiate();
    // One row of a recording, whatever it is made of.
    ExecutionObserver* const observer = observer_of_direct_calls();
    const IValue inputs[] = {static_cast<std::int64_t>(nodes_), device_};
    const std::string name = concat("graph replay (", nodes_, nodes_ == 1 ? " node)" : " nodes)");
    const OperatorCall call{.name = name, .inputs = inputs, .outputs = {}};
    if (observer != nullptr) observer->before_operator(call);
    draws_->begin_replay();
    graph_->launch();
    if (observer != nullptr) observer->after_operator(call);
}

void CapturedGraph::reset() {
    if (is_begun_) {  // given up in the midst of a capture
        is_begun_ = false;
        set_graph_draws(nullptr);
        try {
            const StreamScope scope(*device_interface(device_.type), device_, stream_);
            graphs().end_capture(device_);
        } catch (const Error&) {  // of which nothing is kept
        }
        is_ended_ = true;
    }
    if (!is_ended_) return;
    is_ended_ = has_source_ = false;
    nodes_ = 0;
    graph_ = nullptr;
    draws_ = nullptr;
    graphs().release_pool(device_, pool_);
}

MemoryPoolId CapturedGraph::pool() const {
    require(is_ended_, "Called CUDAGraph::pool() without a preceding successful capture.");
    return pool_;
}

std::string CapturedGraph::dot() {
    if (!has_source_) return {};
    std::string text = graph_->dot();
    if (!keeps_graph_) {
        graph_->forget_source();
        has_source_ = false;
    }
    return text;
}

std::uintptr_t CapturedGraph::native() const {
    require(has_source_,
            "No cudaGraph_t is available: either capture_end() has not been called, or the underlying cudaGraph_t was "
            "destroyed (keep_graph=false, and capture has been finalized).");
    return graph_->native();
}
std::uintptr_t CapturedGraph::native_instance() const {
    require(graph_ != nullptr && graph_->is_instantiated(),
            "You cannot access the raw cudaGraphExec_t instance until instantiate() has been called");
    return graph_->native_instance();
}

}  // namespace loupe::runtime
