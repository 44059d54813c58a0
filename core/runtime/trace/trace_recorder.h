// SPDX-License-Identifier: Apache-2.0
#pragma once
// Record of a traced run: operators in order, in their module calls, and the values that they read and produce.

#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "core/autograd/program_tracer.h"
#include "core/dispatch/registry.h"
#include "core/ir/source.h"
#include "core/nn/module.h"
#include "core/runtime/trace/trace.h"

namespace loupe::runtime {

using ValueIndex = std::size_t;

// An input of a recorded node: a value, a constant, or a list of these.
struct TracedInput {
    struct List {
        TypePtr element;
        std::vector<TracedInput> elements;
    };
    std::variant<ValueIndex, IValue, List> what;
};

struct TracedValue {
    TypePtr type;
    std::size_t call = 0;               // that made it
    const nn::Module* owner = nullptr;  // of a parameter or buffer: whose
    std::string name;                   // of a parameter, buffer or input
    Tensor constant;                    // of a tensor from elsewhere
    bool is_input = false;
};

struct TracedNode {
    std::string kind;
    const Operator* op = nullptr;
    std::vector<TracedInput> inputs;
    std::vector<ValueIndex> outputs;
    ir::SourceRange range;
    CompiledCall compiled;  // of prim::CallMethod and prim::CallFunction
};

// A call of a module; the first is the traced one.
struct TracedCall {
    nn::Module* module = nullptr;
    std::size_t parent = 0;
    struct Item {
        bool is_call = false;
        std::size_t index = 0;  // in calls or nodes
    };
    std::vector<Item> items;
};

class TraceRecorder final : public ExecutionObserver, public ProgramTracer {
  public:
    // root: null for a function. ties_sizes: sizes depend on the inputs; else those of the example.
    TraceRecorder(nn::Module* root, bool strict, bool ties_sizes);
    ~TraceRecorder() override;
    TraceRecorder(const TraceRecorder&) = delete;
    TraceRecorder& operator=(const TraceRecorder&) = delete;

    // The values of the inputs, one per argument.
    void add_input(const std::string& name, const IValue& value);
    void finish(const IValue& output);

    // The thread's active recorder; null when none.
    static TraceRecorder* current();
    // Compiled code that a traced program calls becomes one node; its operators are not recorded.
    bool can_record(const CompiledCall& call) const;
    IValue record_compiled(const CompiledCall& call, std::vector<IValue> inputs, const Traced& run);

    void enter_frame(const FrameInfo& frame) override;
    void leave_frame() override;
    void before_operator(const OperatorCall& call) override;
    void after_operator(const OperatorCall& call) override;
    void on_python_use(PythonUse use, const Tensor& t) override;
    Tensor tied_size(const Tensor& t, std::int64_t dim) override;
    Tensor tied_numel(const Tensor& t) override;
    bool tie_number(const NumberTie& tie) override;
    bool ties_numbers() const override { return ties_sizes_ && !is_paused_; }

    const std::vector<TracedCall>& calls() const { return calls_; }
    const std::vector<TracedNode>& nodes() const { return nodes_; }
    const std::vector<TracedValue>& values() const { return values_; }
    const std::vector<ValueIndex>& inputs() const { return inputs_; }
    const TracedInput& output() const { return output_; }
    // Modules that are called as they are: compiled.
    const std::vector<const nn::Module*>& compiled_modules() const { return compiled_modules_; }
    std::vector<TraceWarning> warnings() const { return warnings_; }
    // "layer1.0" of a module inside the root; "" is the root itself.
    const std::unordered_map<const nn::Module*, std::string>& paths() const { return paths_; }

  private:
    void name_tensors(nn::Module& root);
    void take_apart(ValueIndex value, const IValue& contents);
    TracedNode& add_node(std::string kind);
    ValueIndex add_value(TypePtr type);
    void bind(const Tensor& t, ValueIndex value);
    ValueIndex value_of(const Tensor& t);
    TracedInput input_for(const IValue& value, const Type& formal);
    void add_outputs(TracedNode& node, std::span<const IValue> results);
    void record(const Operator& op, std::vector<IValue> inputs, std::span<const IValue> results);
    TracedInput output_for(const IValue& value);
    void warn(std::string text);
    bool warn_of_number(const Operator& op);

    Tensor add_size(std::string_view op, std::vector<TracedInput> inputs, std::int64_t value);
    TracedInput tied_input(std::size_t argument, int element, TracedInput plain, const Dims& list = {});

    bool strict_;
    bool is_paused_ = false;
    std::vector<const nn::Module*> compiled_modules_;
    TraceRecorder* before_;  // that recorded on this thread
    bool ties_sizes_;
    std::vector<NumberTie> ties_;  // of the next operator
    std::vector<TracedCall> calls_;
    std::vector<TracedNode> nodes_;
    std::vector<TracedValue> values_;
    std::vector<ValueIndex> inputs_;
    TracedInput output_;
    std::vector<TraceWarning> warnings_;
    std::unordered_map<const nn::Module*, std::string> paths_;
    // Kept alive, so that addresses are unique.
    struct Known {
        Tensor tensor;
        ValueIndex value;
    };
    std::unordered_map<const TensorImpl*, Known> known_;
    std::unordered_map<std::uint64_t, std::vector<const TensorImpl*>> known_by_storage_;
    std::vector<std::size_t> frames_;  // the call of each active frame
    std::size_t call_ = 0;
    bool has_begun_ = false;  // the root's own frame
};

}  // namespace loupe::runtime
