// SPDX-License-Identifier: Apache-2.0
#pragma once
// One graph of a program while it is traced: nodes as JSON, names of values, and what a graph inside another takes from
// there. torch/_export/serde/schema.py's Graph.

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/dispatch/registry.h"
#include "core/formats/exported/traced_values.h"
#include "core/formats/exported/written_json.h"

namespace loupe::exported {

class GraphRecorder {
  public:
    // metadata: of the node that is made now. outer: null for the program's own graph. All must outlive the recorder.
    GraphRecorder(TracedValues& values, const std::function<Json()>& metadata, GraphRecorder* outer)
        : values_(values), metadata_(metadata), outer_(outer) {}

    // --- values ---
    // "add", "add_1", ...
    std::string fresh_name(std::string_view base);
    void bind(const Tensor& tensor, const std::string& name);
    void bind(const SymbolicNumber& number, const std::string& name);
    bool has_own(const Tensor& tensor) const { return names_.contains(tensor.impl()); }
    // Does the graph, or one around it, have the tensor?
    bool has(const Tensor& tensor) const;
    // The tensor's name here; one of an outer graph becomes an input. Throws Error (Internal) for an unknown one.
    std::string name_of(const Tensor& tensor);
    // Makes the nodes that compute it.
    std::string name_of(const SymbolicNumber& number);
    // What was taken from the outer graph, in order: tensors and symbolic numbers.
    const std::vector<IValue>& captured() const { return captured_; }
    // Takes this value too; it is an input even when nothing reads it.
    void capture(const IValue& value);
    bool has_written_outer() const { return has_written_outer_; }
    bool is_pure() const;
    // Of a finished graph: does a node read it, or is it a result?
    bool is_used(const std::string& name) const { return used_.contains(name); }

    // --- nodes ---
    // An operator's call: results are bound to new names. is_pure: it may be left out when nothing reads its results.
    void add_call(const Operator& op, const std::vector<IValue>& arguments, const std::vector<IValue>& results,
                  bool is_pure);
    // Any other: `inputs` and `outputs` as the schema has them.
    void add_node(const std::string& target, Json inputs, Json outputs, const std::string& name, bool is_pure,
                  std::vector<std::string> reads);
    // A graph that is run as a part of this one, with another mode (wrap_with_set_grad_enabled). settings: the inputs
    // of the node before the graph. What later nodes read of its tensors are its results.
    void add_region(std::string target, std::string graph_name, Json settings, std::unique_ptr<GraphRecorder> graph);
    // The output that a new tensor is: {"as_tensor": {"name": ...}}.
    Json new_output(const Tensor& tensor, std::string_view base);
    // {"name": name, "arg": argument, "kind": 1}
    static Json input(std::string_view name, Json argument, bool is_keyword = false);
    // A value as an argument. formal: the schema's argument; null for those of higher-order operators.
    // reads: the names in it are added there.
    Json argument(const IValue& value, const Argument* formal, std::vector<std::string>& reads);

    // The graph without nodes that nothing needs. inputs: as arguments.
    Json finish(const Json& inputs, const std::vector<IValue>& outputs);
    // As finish; inputs are what was captured, in this order.
    Json finish_inner(const std::vector<IValue>& order, const std::vector<IValue>& outputs);

    // Sizes, strides and the like of a tensor, as tensor_values has them.
    Json meta_of(const Tensor& tensor, bool requires_grad = false);
    Json size_json(const SymbolExpression& expression) const;

    TracedValues& values() { return values_; }
    GraphRecorder* outer() const { return outer_; }

  private:
    struct Region {
        std::string graph_name;
        std::unique_ptr<GraphRecorder> graph;
        std::vector<IValue> captured;
        std::vector<IValue> outputs;
        std::size_t node = 0;
    };
    // Makes it a result of the region that has it; false when none has.
    bool take_from_region(const Tensor& tensor);
    bool has_itself(const Tensor& tensor) const;
    void finish_regions();
    struct NodeInfo {
        std::vector<std::string> reads;
        std::vector<std::string> makes;
        bool is_pure = true;
    };
    Json list_argument(const ListObject& list, const Argument* formal, std::vector<std::string>& reads);
    Json number_argument(const SymbolicNumber& number, std::vector<std::string>& reads);
    Json outputs_of(const Operator& op, const std::vector<IValue>& results, std::vector<std::string>& makes);
    void remove_unused(const std::vector<std::string>& needed);
    Json graph_json(const Json& inputs, Json outputs);

    TracedValues& values_;
    const std::function<Json()>& metadata_;
    GraphRecorder* outer_;
    Json nodes_ = Json::array();
    std::vector<NodeInfo> infos_;
    Json tensor_values_ = Json::object();
    Json sym_ints_ = Json::object();
    Json sym_bools_ = Json::object();
    Json sym_floats_ = Json::object();
    std::unordered_map<const RefCounted*, std::string> names_;
    std::unordered_map<std::string, std::size_t> counts_;
    std::unordered_set<std::string> taken_;
    std::vector<IValue> captured_;
    std::vector<Region> regions_;
    std::unordered_set<std::string> used_;
    bool has_written_outer_ = false;
};

}  // namespace loupe::exported
