// SPDX-License-Identifier: Apache-2.0
#pragma once
// The nodes of an exported graph as nodes of PyTorch's Graph IR: "torch.ops.aten.add.Tensor" is aten::add, Python's own
// operators on sizes are aten's on numbers, higher-order operators are prim::If, prim::Loop and the nodes of their
// graphs. What the engine lacks stays as a call of its name.

#include <memory_resource>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/formats/exported/module_tree.h"
#include "core/formats/exported/program_json.h"
#include "core/formats/exported/stack_trace.h"
#include "core/ir/graph.h"

namespace loupe::exported {

// The values of one graph by name, which the program's JSON holds: graphs inside it see their operands only.
using Names = std::pmr::unordered_map<std::string_view, ir::Value*>;

class NodeEmitter {
  public:
    // All must outlive the emitter.
    NodeEmitter(ir::Graph& graph, const TraceSources& sources, const ModuleTree& modules)
        : graph_(graph), sources_(sources), modules_(modules) {}

    // At the graph's insertion point. Throws Error (File).
    void emit_nodes(const JsonValue& nodes, Names& names);
    // A graph's nodes with these inputs; its outputs.
    std::vector<ir::Value*> emit_graph(const JsonValue& graph, const std::vector<ir::Value*>& inputs);

    // A serialized argument ({"as_tensor": {"name": "x"}}). formal: of the operator's schema, or null.
    ir::Value* value_of(const JsonValue& argument, const TypePtr& formal, const Names& names);
    ir::Value* named(const JsonValue& argument, const Names& names) const;
    void bind(Names& names, std::string_view name, ir::Value* value) const;

  private:
    // One of node["inputs"].
    struct Given {
        std::string_view name;
        const JsonValue* argument;
    };
    std::vector<Given> inputs_of(const JsonValue& node) const;
    void emit_node(const JsonValue& node, Names& names);
    void place(const JsonValue& node);
    const ir::SourceRange& range_of(std::string_view stack_trace);
    const std::string& scope_of(std::string_view module_stack);
    std::vector<ir::Value*> insert(ir::Node* node);

    // --- operators ---
    std::vector<ir::Value*> emit_operator(std::string_view target, const JsonValue& node, Names& names);
    std::optional<std::vector<ir::Value*>> try_call(const Operator& op, const std::vector<Given>& given,
                                                    const Names& names);
    std::vector<ir::Value*> call(const Operator& op, const std::vector<ir::Value*>& values);
    // Finds the overload for numbers where the schema has tensors, or makes them tensors.
    std::optional<std::vector<ir::Value*>> call_with_numbers(const Operator& op, std::vector<ir::Value*> values);
    std::vector<ir::Value*> emit_missing(const std::string& kind, const JsonValue& node, Names& names);
    ir::Value* call_by_types(std::string_view kind, std::vector<ir::Value*> values);

    // --- Python's operators on sizes ---
    std::vector<ir::Value*> emit_python(std::string_view target, const JsonValue& node, Names& names);
    ir::Value* sum_of(const std::vector<Given>& given, const Names& names);

    // --- higher-order operators ---
    std::optional<std::vector<ir::Value*>> emit_higher_order(std::string_view name, const JsonValue& node,
                                                             Names& names);
    struct HigherOrder {
        std::vector<const JsonValue*> graphs = {};
        std::vector<std::vector<ir::Value*>> operands = {};  // of each argument that is no graph
    };
    HigherOrder parts_of(const JsonValue& node, const Names& names);
    std::vector<ir::Value*> emit_cond(const HigherOrder& parts);
    std::vector<ir::Value*> emit_while(const HigherOrder& parts);
    std::vector<ir::Value*> emit_scan(const JsonValue& body, const std::vector<ir::Value*>& carried,
                                      const std::vector<ir::Value*>& scanned, const std::vector<ir::Value*>& others);
    std::vector<ir::Value*> emit_grad_mode(const HigherOrder& parts);
    std::vector<ir::Value*> emit_autocast(const HigherOrder& parts);
    ir::Value* as_bool(ir::Value* value);

    // --- results ---
    void bind_outputs(const JsonValue& node, std::vector<ir::Value*> results, Names& names);
    std::vector<ir::Value*> unpack(ir::Value* list, std::size_t count);
    ir::Value* as_number(ir::Value* value, const TypePtr& type);

    // --- arguments ---
    ir::Value* list_value(std::span<const JsonValue> list, std::string_view kind, const TypePtr& formal,
                          const Names& names);
    ir::Value* make_list(const std::vector<ir::Value*>& elements, const TypePtr& element_type);
    ir::Value* fitted(ir::Value* value, const TypePtr& formal);
    ir::Value* symbolic(const JsonValue& value, const Names& names);

    ir::Graph& graph_;
    const TraceSources& sources_;
    const ModuleTree& modules_;
    // Many nodes have the same texts.
    std::unordered_map<std::string_view, ir::SourceRange> ranges_;
    std::unordered_map<std::string_view, std::string> scopes_;
    int condition_depth_ = 0;  // of loops inside conditions of loops
};

}  // namespace loupe::exported
