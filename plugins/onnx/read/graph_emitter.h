// SPDX-License-Identifier: Apache-2.0
#pragma once
// The nodes of an ONNX graph as nodes of PyTorch's Graph IR: onnx::Conv and the like, If and Loop as prim::If and
// prim::Loop, calls of the file's functions as the nodes of their bodies.

#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/formats/exported/module_tree.h"
#include "core/formats/exported/stack_trace.h"
#include "core/ir/graph.h"
#include "plugins/onnx/proto/data_types.h"
#include "plugins/onnx/read/attributes.h"
#include "plugins/onnx/read/functions.h"

namespace loupe::onnx {

// The values that a graph sees by name: its own, and those of the graphs around it.
class Names {
  public:
    explicit Names(const Names* outer = nullptr) : outer_(outer) {}
    ir::Value* find(const std::string& name) const;  // null when there is none
    void set(const std::string& name, ir::Value* value) { own_[name] = value; }
    bool has_own(const std::string& name) const { return own_.contains(name); }

  private:
    const Names* outer_;
    std::unordered_map<std::string, ir::Value*> own_;
};

// What nodes share that stand in one body.
struct Body {
    std::map<std::string, std::int64_t> opsets;  // by domain, "" the default one
    CallAttributes attributes = {};              // of the call, in a function
    std::shared_ptr<const ir::InlinedCall> call = nullptr;
    std::string scope = {};  // of the call
    int depth = 0;
};

class GraphEmitter {
  public:
    // All must outlive the emitter.
    GraphEmitter(ir::Graph& graph, const proto::ModelProto& model, const exported::TraceSources& sources,
                 const exported::ModuleTree& modules, ExternalFiles& files);

    // At the graph's insertion point. Throws Error (File, Unsupported, Cancelled).
    void emit_nodes(const google::protobuf::RepeatedPtrField<proto::NodeProto>& nodes, const Body& body, Names& names);
    // The element type that the file gives a value (TensorProto.DataType); 0: none known.
    void note_elements(const proto::GraphProto& graph);
    void note_elements(const proto::ValueInfoProto& info);
    void note_elements(const std::string& name, std::int32_t type) { elements_[name] = type; }

    // Names of operators that the engine lacks.
    const std::vector<std::string>& missing() const { return missing_; }

  private:
    using Values = std::vector<ir::Value*>;
    using Repeated = google::protobuf::RepeatedPtrField<proto::NodeProto>;

    void emit_node(const proto::NodeProto& node, const Body& body, Names& names);
    void place(const proto::NodeProto& node, const Body& body);
    Values inputs_of(const proto::NodeProto& node, const Names& names);
    void bind_outputs(const proto::NodeProto& node, const Values& results, Names& names);
    void bind(Names& names, const std::string& name, ir::Value* value);
    ir::Node* insert(ir::Node* node, const Body& body);

    // --- operators ---
    Values emit_operator(const std::string& kind, const proto::NodeProto& node, const Body& body, const Values& inputs);
    Values emit_computation(const std::string& kind, const proto::NodeProto& node, const Body& body, Values inputs);
    const DataType* computed_elements(const std::string& name) const;
    ir::Value* converted(ir::Value* value, ScalarType dtype);
    bool bind_arguments(const Operator& op, const proto::NodeProto& node, const Body& body, const Values& inputs,
                        Values& arguments);
    ir::Value* attribute_argument(const Argument& formal, const proto::NodeProto& node, const Body& body);
    Values emit_missing(const std::string& kind, const proto::NodeProto& node, const Body& body, const Values& inputs);
    Values emit_constant(const proto::NodeProto& node, const Body& body);
    Values emit_empty(const proto::NodeProto& node, const Body& body);
    void follow_elements(const proto::NodeProto& node, const Body& body);

    // --- functions ---
    Values emit_call(const proto::FunctionProto& function, const proto::NodeProto& node, const Body& body,
                     const Values& inputs);

    // --- control flow (control_flow.cpp) ---
    bool is_control_flow(const std::string& kind) const;
    bool has_graph(const proto::NodeProto& node, const Body& body, const char* name) const;
    Values emit_control_flow(const proto::NodeProto& node, const Body& body, const Values& inputs, Names& names);
    Values emit_if(const proto::NodeProto& node, const Body& body, const Values& inputs, Names& names);
    Values emit_loop(const proto::NodeProto& node, const Body& body, const Values& inputs, Names& names);
    Values emit_scan(const proto::NodeProto& node, const Body& body, const Values& inputs, Names& names);
    struct ScanParts;
    Values emit_scan_loop(const ScanParts& parts, const Body& body, const Values& states, const Values& scanned,
                          Names& names);
    Values emit_batched_scan(const ScanParts& parts, const Body& body, const Values& inputs, Names& names);
    Values emit_sequence_map(const proto::NodeProto& node, const Body& body, const Values& inputs, Names& names);
    Values emit_flex_attention(const proto::NodeProto& node, const Body& body, const Values& inputs, Names& names);
    const proto::GraphProto& subgraph(const proto::NodeProto& node, const Body& body, const char* name) const;
    // The nodes of a graph inside, with these inputs; its outputs.
    Values emit_graph(const proto::GraphProto& graph, const Body& body, const Values& inputs, const Names& outer);
    ir::Value* call(const char* name, const Values& inputs);
    ir::Value* number(std::int64_t value) { return graph_.insert_constant(IValue(value)); }
    ir::Value* new_list();

    ir::Graph& graph_;
    const exported::TraceSources& sources_;
    const exported::ModuleTree& modules_;
    ExternalFiles& files_;
    Functions functions_;
    std::unordered_map<std::string, std::int32_t> elements_;
    std::vector<std::string> missing_;
};

}  // namespace loupe::onnx
