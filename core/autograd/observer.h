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

class Error;
class Node;
class Operator;
struct FunctionSchema;

enum class Phase : std::uint8_t { Forward, Backward, Optimizer };

// A frame of the interpreter: a method or function being run.
struct FrameInfo {
    std::string_view function = {};  // "__torch__.torchvision.models.resnet.ResNet.forward"
    std::string_view scope =
        {};  // path of the module from the root: "layer1.0.conv1"; empty at the root, and without a graph
    const void* module = nullptr;     // nn::Module* of a method; null otherwise
    const void* graph = nullptr;      // ir::Graph*
    const void* call_site = nullptr;  // ir::Node* that called; null for the outermost
};

struct OperatorCall {
    Phase phase = Phase::Forward;
    std::string_view name;                   // "aten::conv2d"; in backward "ConvolutionBackward0"
    const FunctionSchema* schema = nullptr;  // null for prim operators without one and in backward
    const Operator* op = nullptr;            // null for prim nodes and in backward
    const void* site = nullptr;              // ir::Node* in a graph; null for direct calls
    const Node* autograd_node = nullptr;     // in backward
    std::span<const IValue> inputs;          // backward: incoming gradients
    std::span<const IValue> outputs;         // empty before the call; backward: outgoing gradients
};

// Use of a tensor that no operator records: the program continues with Python values.
enum class PythonUse : std::uint8_t {
    Boolean,
    Integer,
    Float,
    Index,
    Number,
    List,
    Length,
    Iteration,
    Shape,
    Constructor
};

// The kernel that runs the current call, and those that declined.
struct KernelChoice {
    std::string_view op;                // "aten::conv2d"
    std::string_view backend;           // "onednn", "portable"
    std::vector<std::string> declined;  // "onednn declined: int64 input"
};

// Where an operator takes the number in a tensor.
struct NumberTie {
    const Operator* op = nullptr;  // null: any that takes the list, until a tie without a number ends it
    std::size_t argument = 0;
    int element = -1;
    enum class As : std::uint8_t { Int, Float, Number } as = As::Int;
    Tensor number;
    Dims list = {};  // without op: the list's elements
};

class ExecutionObserver {
  public:
    virtual ~ExecutionObserver() = default;
    virtual void enter_frame(const FrameInfo&) {}
    virtual void leave_frame() {}
    // May block (a breakpoint) and may throw Error (Cancelled).
    virtual void before_operator(const OperatorCall&) {}
    virtual void after_operator(const OperatorCall&) {}
    virtual void on_kernel(const KernelChoice&) {}
    // Statements that are no operators (constants, list and tuple construction) are not observed.
    // Called by the evaluator of a model source.
    virtual void on_python_use(PythonUse, const Tensor&) {}
    // The size of a dimension, or the number of elements, as a 0-dim int64 tensor that stays tied to the tensor, so
    // that a program that computes with sizes can be traced. Undefined: the program uses the number.
    virtual Tensor tied_size(const Tensor&, std::int64_t dim) {
        static_cast<void>(dim);
        return {};
    }
    virtual Tensor tied_numel(const Tensor&) { return {}; }
    // The next operator's argument is the number in this tensor (element: of a list; -1: the whole argument). False:
    // not tied.
    virtual bool tie_number(const NumberTie&) { return false; }
    virtual bool ties_numbers() const { return false; }
    virtual void on_exception(const Error&) {}
    // The event that operators recorded now belong to; autograd nodes store it. 0: none.
    virtual std::uint64_t current_event() const { return 0; }
};

namespace detail {
extern thread_local ExecutionObserver* thread_observer;
extern thread_local bool thread_is_nested_call;
}  // namespace detail
inline ExecutionObserver* execution_observer() { return detail::thread_observer; }

// In this scope the thread's calls are not observed: they are nested in an observed call, or not the program's own.
class NestedCallScope final : ScopedValue<bool> {
  public:
    NestedCallScope() : ScopedValue(detail::thread_is_nested_call, true) {}
};
// The observer of a direct call from a program; null for nested calls.
inline ExecutionObserver* observer_of_direct_calls() {
    return detail::thread_is_nested_call ? nullptr : detail::thread_observer;
}

inline void notify_python_use(PythonUse use, const Tensor& t) {
    if (ExecutionObserver* observer = observer_of_direct_calls()) observer->on_python_use(use, t);
}

// Undefined when sizes are not tied.
inline Tensor tied_size(const Tensor& t, std::int64_t dim) {
    ExecutionObserver* observer = observer_of_direct_calls();
    return observer != nullptr ? observer->tied_size(t, dim) : Tensor();
}
inline Tensor tied_numel(const Tensor& t) {
    ExecutionObserver* observer = observer_of_direct_calls();
    return observer != nullptr ? observer->tied_numel(t) : Tensor();
}
// Sizes are tensors then.
inline bool ties_numbers() {
    const ExecutionObserver* observer = observer_of_direct_calls();
    return observer != nullptr && observer->ties_numbers();
}
inline bool tie_number(const NumberTie& tie) {
    ExecutionObserver* observer = observer_of_direct_calls();
    return observer != nullptr && observer->tie_number(tie);
}

// The modules that the last error went through, the innermost first.
struct UnwoundModule {
    const void* module = nullptr;
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
    const void* module_;
    int depth_;
    int errors_;
};

class ObserverScope final : ScopedValue<ExecutionObserver*> {
  public:
    explicit ObserverScope(ExecutionObserver* observer) : ScopedValue(detail::thread_observer, observer) {}
};

}  // namespace loupe
