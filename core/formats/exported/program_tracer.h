// SPDX-License-Identifier: Apache-2.0
#pragma once
// Runs a model's graphs on fakes and records its operators as a program of torch.export: calls of modules are entered,
// what Python decides (branches, loops, containers, attributes) is decided; a branch or loop that elements of tensors
// decide becomes cond or while_loop.

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/formats/exported/graph_recorder.h"
#include "core/formats/exported/traced_values.h"
#include "core/ir/function.h"
#include "core/nn/module.h"

namespace loupe::exported {

// A tensor of the program beside parameters and buffers.
struct LiftedConstant {
    std::string name;    // in the graph: "c_lifted_tensor_0"
    std::string target;  // "lifted_tensor_0", or the attribute's path
    Tensor tensor;
};

class ProgramTracer {
  public:
    explicit ProgramTracer(const nn::ModulePtr& module);
    ~ProgramTracer();
    ProgramTracer(const ProgramTracer&) = delete;
    ProgramTracer& operator=(const ProgramTracer&) = delete;

    TracedValues& values() { return values_; }
    GraphRecorder& graph() { return *root_; }
    // A fake in place of the model's tensor, under that name.
    void add_model_tensor(const Tensor& tensor, const std::string& name);
    bool has_model_tensor(const Tensor& tensor) const { return stand_ins_.contains(tensor.impl()); }
    // forward with these inputs, fakes that are bound in graph(); with the model's compiled hooks.
    // Throws Error (Unsupported) with the operator and the source line for what a program cannot say.
    IValue run(const ir::ScriptFunction& forward, std::vector<IValue> inputs);
    const std::vector<LiftedConstant>& constants() const { return constants_; }

  private:
    using Values = std::unordered_map<const ir::Value*, IValue>;
    using Inputs = std::vector<IValue>;
    // A call that is being run.
    struct Frame {
        std::string function;  // "forward"
        std::string scope;     // the module's path
        const ir::Node* at = nullptr;
    };
    // Nodes between set_grad_enabled or autocast and its end: a graph of their own.
    struct Region {
        const char* target;
        Json settings;
        bool grad_before = true;
        std::unique_ptr<GraphRecorder> graph;
    };

    // --- program_tracer.cpp ---
    IValue call_function(const ir::ScriptFunction& function, Inputs inputs, std::string scope);
    void run_block(const ir::Block& block, Values& values);
    void run_node(const ir::Node* node, Values& values);
    Inputs run_structure(const ir::Node* node, Inputs inputs);
    IValue call_from(const ir::Node* node, Inputs inputs);
    IValue call_manager(const ir::Node* node, const IValue& manager);
    IValue read_attribute(const ir::Node* node, const IValue& owner);
    void write_attribute(const ir::Node* node, const IValue& owner, const IValue& value);
    IValue stand_in(const IValue& value, const std::string& path);
    Tensor stand_in_tensor(const Tensor& tensor, const std::string& path);
    void check_attributes() const;
    static Inputs inputs_of(const ir::Node* node, Values& values);

    // --- program_places.cpp: where the current node stands, as metadata of nodes ---
    Json place() const;
    std::string module_stack(const std::string& scope) const;
    std::string stack_trace() const;

    // --- operator_tracer.cpp ---
    Inputs run_operator(const Operator& op, Inputs inputs);
    Inputs record(const Operator& op, const Inputs& inputs);
    Inputs read_metadata(const Operator& op, const Inputs& inputs);
    Inputs read_elements(const Operator& op, const Inputs& inputs);
    Inputs call_python(const Operator& op, Inputs inputs);
    Inputs translated(const Operator& op, const Inputs& inputs, bool& is_done);
    Inputs sized_by_data(const Operator& op, const Inputs& inputs, bool& is_done);
    Inputs of_number_tensors(const Operator& op, const Inputs& inputs, bool& is_done);
    IValue new_tensor(const Operator& op, const Inputs& inputs);
    IValue with_facts(const IValue& result, const std::vector<IValue>& samples, const Inputs& inputs);
    bool are_known(const Inputs& inputs);
    Tensor materialized(const Tensor& tensor);
    IValue call_by_name(std::string_view full_name, Inputs inputs);
    static Inputs run_on_fakes(const Operator& op, const Inputs& inputs);

    // --- region_tracer.cpp ---
    void run_if(const ir::Node* node, Values& values);
    void run_loop(const ir::Node* node, Values& values);
    std::unique_ptr<GraphRecorder> record_branch(const ir::Node* node, const ir::Block& block, Values& values,
                                                 Inputs& outputs, Inputs& leaves);
    void record_cond(const ir::Node* node, const IValue& condition, Values& values);
    // What a loop carries: all leaves of its state, and those that are tensors or become some.
    struct Carried {
        std::vector<IValue> leaves = {};
        std::vector<std::size_t> places = {};  // of the tensors among the leaves
        std::vector<Tensor> tensors = {};
    };
    struct LoopGraph {
        std::unique_ptr<GraphRecorder> graph;
        std::vector<IValue> inside = {};  // the carried tensors
        std::vector<IValue> results = {};
    };
    Carried carried_by(const Inputs& state);
    LoopGraph begin_loop_graph(GraphRecorder* outer, const Carried& carried);
    std::vector<IValue> record_turn(const ir::Node* node, const Inputs& state, const Carried& carried,
                                    const LoopGraph& loop, Values& values);
    std::vector<IValue> carried_on(const std::vector<IValue>& leaves, const Carried& carried, const LoopGraph& loop);
    void record_while(const ir::Node* node, Inputs state, Values& values);
    Tensor predicate(const IValue& condition);
    Tensor carried_tensor(const IValue& value);
    IValue carried_value(const IValue& like, const Tensor& tensor);
    Inputs set_grad_mode(bool enabled);
    Inputs enter_autocast(const Inputs& inputs);
    void begin_region(const char* target, Json settings, bool grad_before);
    void end_region(const char* target);
    Region leave_region();

    nn::ModulePtr module_;
    TracedValues values_;
    std::function<Json()> metadata_;
    std::unique_ptr<GraphRecorder> root_;
    GraphRecorder* recorder_ = nullptr;  // the graph that nodes go to now
    std::vector<Frame> frames_;
    std::unordered_map<const Object*, std::string> paths_;     // of modules
    std::unordered_map<const TensorImpl*, Tensor> stand_ins_;  // fakes of the model's tensors
    std::unordered_map<const TensorImpl*, Tensor> originals_;  // the model's tensors behind fakes
    std::vector<LiftedConstant> constants_;
    std::vector<std::pair<std::pair<Ptr<Object>, std::size_t>, IValue>> written_;  // attributes that are no tensors
    // Containers that were made since a branch or loop body began, for each that is being recorded.
    std::vector<std::unordered_set<const RefCounted*>> made_inside_;
    std::vector<Region> regions_;  // that have begun
};

}  // namespace loupe::exported
