// SPDX-License-Identifier: Apache-2.0
#pragma once
// Observer of a run: the interpreter and the autograd engine notify it around every operator. Without an observer the
// cost is one predictable branch.

#include <cstdint>
#include <exception>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/scoped_value.h"
#include "core/value/ivalue.h"

namespace loupe {

namespace ir {
class Graph;
class Node;
}  // namespace ir
namespace nn {
class Module;
}

class Error;
class Node;
class Operator;
class ProgramTracer;
struct FunctionSchema;

enum class Phase : std::uint8_t { Forward, Backward, Optimizer };

// A frame of the interpreter: a method or function being run.
struct FrameInfo {
    std::string_view function = {};  // "__torch__.torchvision.models.resnet.ResNet.forward"
    std::string_view scope =
        {};  // path of the module from the root: "layer1.0.conv1"; empty at the root, and without a graph
    const nn::Module* module = nullptr;   // of a method; null otherwise
    const ir::Graph* graph = nullptr;     // null for a call without one
    const ir::Node* call_site = nullptr;  // that called; null for the outermost
};

struct OperatorCall {
    Phase phase = Phase::Forward;
    std::string_view name;                   // "aten::conv2d"; in backward "ConvolutionBackward0"
    const FunctionSchema* schema = nullptr;  // null for prim operators without one and in backward
    const Operator* op = nullptr;            // null for prim nodes and in backward
    const ir::Node* site = nullptr;          // in a graph; null for direct calls
    const Node* autograd_node = nullptr;     // in backward
    std::span<const IValue> inputs;          // backward: incoming gradients
    const DictObject* options = nullptr;     // of an optimizer's step: those of the parameter's group
    std::span<const IValue> outputs;         // empty before the call; backward: outgoing gradients
};

// The kernel that runs the current call, and those that declined.
struct KernelChoice {
    std::string_view op;                // "aten::conv2d"
    std::string_view backend;           // "onednn", "portable"
    std::vector<std::string> declined;  // "onednn declined: int64 input"
};

class ExecutionObserver {
  public:
    virtual ~ExecutionObserver() = default;
    virtual void enter_frame(const FrameInfo&) {}
    virtual void leave_frame() {}
    // May block (a breakpoint) and may throw Error (Cancelled). Statements that are no operators (constants, list and
    // tuple construction) are not observed.
    virtual void before_operator(const OperatorCall&) {}
    virtual void after_operator(const OperatorCall&) {}
    virtual void on_kernel(const KernelChoice&) {}
    virtual void on_exception(const Error&) {}
    // The event that operators recorded now belong to; autograd nodes store it. 0: none.
    virtual std::uint64_t current_event() const { return 0; }
};

namespace detail {
struct Watchers {
    ExecutionObserver* observer = nullptr;
    ProgramTracer* tracer = nullptr;
};
extern thread_local Watchers thread_watchers;
extern thread_local bool thread_is_nested_call;
}  // namespace detail
inline ExecutionObserver* execution_observer() { return detail::thread_watchers.observer; }

// In this scope the thread's calls are not observed: they are nested in an observed call, or not the program's own.
class NestedCallScope final : ScopedValue<bool> {
  public:
    NestedCallScope() : ScopedValue(detail::thread_is_nested_call, true) {}
};
// The observer of a direct call from a program; null for nested calls.
inline ExecutionObserver* observer_of_direct_calls() {
    return detail::thread_is_nested_call ? nullptr : detail::thread_watchers.observer;
}

// The modules that the last error went through, the innermost first.
struct UnwoundModule {
    const nn::Module* module = nullptr;
    int depth = 0;
};
namespace detail {
extern thread_local int thread_direct_depth;
extern thread_local std::vector<UnwoundModule> thread_unwound;
}  // namespace detail
inline const std::vector<UnwoundModule>& unwound_modules() { return detail::thread_unwound; }

// The frame of a module or function without a graph, reported to the observer.
class DirectFrame {
  public:
    explicit DirectFrame(const FrameInfo& info)
        : observer_(observer_of_direct_calls()),
          module_(info.module),
          depth_(detail::thread_direct_depth++),
          errors_(std::uncaught_exceptions()) {
        if (depth_ == 0) detail::thread_unwound.clear();
        if (observer_ != nullptr) observer_->enter_frame(info);
    }
    DirectFrame(const DirectFrame&) = delete;
    DirectFrame& operator=(const DirectFrame&) = delete;
    ~DirectFrame() {
        if (observer_ != nullptr) observer_->leave_frame();
        detail::thread_direct_depth = depth_;
        if (std::uncaught_exceptions() > errors_) note_error();
    }

  private:
    void note_error() const {
        auto& unwound = detail::thread_unwound;
        if (!unwound.empty() && unwound.back().depth != depth_ + 1) unwound.clear();  // of a caught error
        unwound.push_back({module_, depth_});
    }

    ExecutionObserver* observer_;
    const nn::Module* module_;
    int depth_;
    int errors_;
};

// tracer: of a run that is traced; see program_tracer.h.
class ObserverScope final : ScopedValue<detail::Watchers> {
  public:
    explicit ObserverScope(ExecutionObserver* observer, ProgramTracer* tracer = nullptr)
        : ScopedValue(detail::thread_watchers, {observer, tracer}) {}
};

}  // namespace loupe
