// SPDX-License-Identifier: Apache-2.0
#pragma once
// Writes a graph as an ONNX graph, node by node: numbers that are known are computed, operators become what their rules
// say (rules.h), and those made of others what those become.

#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/ir/graph.h"
#include "core/nn/module.h"
#include "plugins/onnx/export/builder.h"
#include "plugins/onnx/export/operand.h"
#include "plugins/onnx/export/scopes.h"

namespace loupe::onnx_export {

struct Rule;

struct ExportOptions {
    int opset = 20;
    bool folds_constants = true;
    bool exports_parameters = true;  // false: parameters become inputs
    bool parameters_are_inputs = false;
    std::vector<std::string> input_names = {};
    std::vector<std::string> output_names = {};
};

// What is known of the results of a call: one entry a choice.
struct FakeResults : std::array<std::vector<IValue>, kChoices> {
    bool is_real = false;  // of tensors their elements too
};

class Exporter {
  public:
    Exporter(const ExportOptions& options, nn::ModulePtr module);

    // inputs: of the graph but self, in order. size_names: the names of sizes that differ between runs, by their
    // examples.
    ModelDef run(const ir::Graph& graph, const Operands& inputs, const std::vector<ValueDef>& input_defs,
                 const std::map<std::array<std::int64_t, kChoices>, std::string>& size_names);

    Builder& builder() { return builder_; }
    const ExportOptions& options() const { return options_; }
    // The results of an operator: one a return of its schema. Throws Error (Unsupported).
    Operands execute(const Operator& op, Operands arguments);

    // ---- values
    Operand tensor_operand(const Tensor& constant);
    // sizes of the value that are -1 get examples of their own.
    Operand tensor_operand(OnnxValue value);
    Operand tensor_operand(OnnxValue value, std::array<Dims, kChoices> sizes);
    static Operand number_operand(OnnxValue value, std::optional<std::array<IValue, kChoices>> choices = {});
    Operand list_operand(Operands elements, TypePtr element_type, Operand::Kind kind = Operand::Kind::List) const;
    // As a value of the program is that is known whole; tensors in it are constants.
    Operand known_operand(const IValue& value);
    // The value that nodes read; throws Error (Unsupported) for what is no tensor or number.
    OnnxValue value_of(const Operand& operand);
    // The whole value in one choice, with fakes for tensors; nullopt when it is not known.
    std::optional<IValue> example_of(const Operand& operand, std::size_t choice, const Type* type = nullptr) const;
    std::array<std::int64_t, kChoices> fresh_size();

    // ---- blocks (control_flow.cpp)
    void visit_block(const ir::Block& block);
    Operand& at(const ir::Value* value);
    void set(const ir::Value* value, Operand operand) { values_[value] = std::move(operand); }

  private:
    friend class ControlFlow;

    void visit(const ir::Node& node);
    void visit_operator(const ir::Node& node);
    bool visit_structure(const ir::Node& node);
    bool visit_attribute(const ir::Node& node);
    bool visit_container(const ir::Node& node);
    bool visit_list_operator(const ir::Node& node);
    bool visit_dict_operator(const ir::Node& node, ListState& dict);
    bool change_list(const ir::Node& node, const Operand& whole);
    bool visit_sequence_operator(const ir::Node& node, ListState& list);
    bool slice_list(const ir::Node& node, const Operands& elements, const TypePtr& element_type);
    bool visit_identity_test(const ir::Node& node);
    void set_results(const ir::Node& node, const Operands& results);

    std::optional<Operands> known_results(const Operator& op, const Operands& arguments);
    std::optional<FakeResults> fake_results(const Operator& op, const Operands& arguments,
                                            std::array<std::vector<IValue>, kChoices>& inputs) const;
    std::optional<Operands> same_results(const Operator& op, const Operands& arguments,
                                         const std::optional<FakeResults>& fakes);
    Operands apply_rule(const Rule& rule, const Operator& op, const Operands& arguments,
                        const std::optional<FakeResults>& fakes);
    Operands decompose(const Operator& op, const Operands& arguments);
    Operand result_operand(const Type& type, const OnnxValues& values, const std::array<IValue, kChoices>* fakes,
                           bool is_real);
    void mark_views(const Operator& op, const Operands& arguments,
                    const std::array<std::vector<IValue>, kChoices>& inputs, const FakeResults& fakes,
                    Operands& results);

    // ---- writes (writes.cpp)
    Operands execute_in_place(const Operator& op, const Operands& arguments);
    void write(const std::shared_ptr<TensorState>& target, OnnxValue value);
    OnnxValue written_base(const TensorState& view, const OnnxValue& value);
    void refresh(const std::shared_ptr<TensorState>& tensor);
    void refresh(const Operand& operand);
    void keep_for_outer_graphs(const std::shared_ptr<TensorState>& state);

    // ---- outputs (outputs.cpp)
    void name_parameters(const Object& module, const std::string& prefix);
    void add_output(const Operand& operand, const std::string& name);
    ValueDef def_of(const std::string& name, const Operand& operand) const;
    std::vector<DimDef> dims_of(const OnnxValue& value, const std::array<Dims, kChoices>& sizes) const;
    bool is_input(const std::string& name) const;
    void set_depth(const Operand& operand);
    ModelDef finish();

    ExportOptions options_;
    nn::ModulePtr module_;
    Builder builder_;
    std::unordered_map<const ir::Value*, Operand> values_;
    std::unordered_map<const ir::Value*, Ptr<Object>> objects_;
    std::unordered_set<const void*> parameters_;  // addresses of their elements
    std::map<std::pair<const Object*, std::string>, Operand> attributes_;
    Scopes scopes_;
    // States that a graph inside changed, as they were: those around it are not changed by what may not run.
    std::vector<std::vector<std::pair<std::shared_ptr<TensorState>, TensorState>>> journals_;
    std::map<std::array<std::int64_t, kChoices>, std::string> size_names_;
    std::int64_t next_size_ = 0;
    std::vector<ValueDef> values_made_;
    std::unordered_set<std::string> input_names_;
    std::unordered_map<std::string, std::string> renamed_;  // outputs, by the names that their nodes gave them
    std::map<const ListState*, ScalarType> appended_;       // the dtypes of what empty lists get in loops
};

}  // namespace loupe::onnx_export
