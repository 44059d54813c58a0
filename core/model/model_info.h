// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a model is, as values: the module tree, its methods, its sources, its graph by levels. Made once when a model is
// opened and constant from then on, so any thread may read it.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/fields.h"

namespace loupe::session {

using Shape = std::vector<std::int64_t>;

// "1x64x56x56"; "scalar" without dimensions.
std::string shape_text(const Shape& shape);

// Where something stands in a source file of the model; line counts from 1, 0 means unknown.
struct SourcePlace {
    std::string file;
    int line = 0;
    int column = 0;
};
auto fields(Like<SourcePlace> auto& it) { return std::tie(it.file, it.line, it.column); }

struct TensorInfo {
    std::string name;  // full: "layer1.0.conv1.weight"
    std::string dtype;
    Shape shape;
    std::int64_t bytes = 0;
    bool requires_grad = false;
    std::uint64_t storage_id = 0;
    std::int64_t numel() const;
};
auto fields(Like<TensorInfo> auto& it) {
    return std::tie(it.name, it.dtype, it.shape, it.bytes, it.requires_grad, it.storage_id);
}

// A tensor of a module that is computed from others: parametrized, normalised by a hook, or pruned.
struct TensorRule {
    std::string tensor;             // full: "fc.weight"
    std::string kind;               // "parametrization", "weight_norm", "spectral_norm", "pruning"
    std::string what;               // "_Orthogonal()", "L1Unstructured, 30 % zero"
    std::vector<std::string> from;  // full: "fc.weight_orig", "fc.weight_mask"
};
auto fields(Like<TensorRule> auto& it) { return std::tie(it.tensor, it.kind, it.what, it.from); }

struct ModuleInfo {
    std::string path;        // "layer1.0.conv1"; empty for the root
    std::string class_name;  // "Conv2d"
    std::string qualified_name;
    int parent = -1;  // index in ModelInfo::modules
    std::vector<int> children;
    std::vector<TensorInfo> parameters;  // its own
    std::vector<TensorInfo> buffers;
    std::map<std::string, std::string> attributes;  // name -> Python repr
    bool training = false;
    int hooks = 0;                        // of calls: forward and backward
    std::vector<std::string> hook_kinds;  // "2 forward", "1 backward"
    std::vector<TensorRule> rules;
    // Over the whole subtree, shared ones counted once.
    std::int64_t parameter_count = 0;
    std::int64_t parameter_bytes = 0;
};
auto fields(Like<ModuleInfo> auto& it) {
    return std::tie(it.path, it.class_name, it.qualified_name, it.parent, it.children, it.parameters, it.buffers,
                    it.attributes, it.training, it.hooks, it.hook_kinds, it.rules, it.parameter_count,
                    it.parameter_bytes);
}

struct MethodInfo {
    std::string name;    // "forward"
    std::string schema;  // "forward(__torch__.M self, Tensor x) -> Tensor"
    struct Argument {
        std::string name;
        std::string type;
        bool has_default = false;
    };
    std::vector<Argument> arguments;  // without self
    std::vector<std::string> returns;
};
auto fields(Like<MethodInfo::Argument> auto& it) { return std::tie(it.name, it.type, it.has_default); }
auto fields(Like<MethodInfo> auto& it) { return std::tie(it.name, it.schema, it.arguments, it.returns); }

// What a class of a model source takes to build it: __init__ as it is written, without self.
struct ConstructorInfo {
    std::string class_name;
    std::string doc;     // of the class; empty when there is none
    SourcePlace source;  // of __init__
    struct Parameter {
        std::string name;
        std::string annotation;                    // "int", "tuple[int, ...]" as written; empty without one
        std::optional<std::string> default_value;  // as written: "64", "nn.ReLU"
        bool is_keyword_only = false;
        std::string guess;  // a value to try, as an expression; empty: none is known, or it has a default
    };
    std::vector<Parameter> parameters;
    bool takes_rest = false;      // *args
    bool takes_keywords = false;  // **kwargs
};
auto fields(Like<ConstructorInfo::Parameter> auto& it) {
    return std::tie(it.name, it.annotation, it.default_value, it.is_keyword_only, it.guess);
}
auto fields(Like<ConstructorInfo> auto& it) {
    return std::tie(it.class_name, it.doc, it.source, it.parameters, it.takes_rest, it.takes_keywords);
}

struct SourceFile {
    std::string name;  // "torchvision/models/resnet.py" or "code/__torch__/torchvision/models/resnet.py"
    std::string text;
    bool is_original = false;  // the user's own lines, as far as debug records give them; else the archive's code
    bool is_editable = false;  // name is a file that the model is evaluated from: edit it and open the model again
};
auto fields(Like<SourceFile> auto& it) { return std::tie(it.name, it.text, it.is_original, it.is_editable); }

// The graph of a method, unfolded along the module tree: each group is a module call, a leaf an operator.
// Nodes and groups have one numbering; ids are stable for a model.
struct GraphNode {
    int id = -1;
    int parent = -1;           // the group it stands in; -1 for the top
    bool is_group = false;     // a module call; else an operator
    bool is_plumbing = false;  // constants, attribute reads, list building: hidden unless asked for
    std::string kind;          // "aten::conv2d"; for a group the class name
    std::string label;         // "conv2d"; for a group the last part of the path
    std::string scope;         // module path
    SourcePlace source;
    std::vector<int> children;            // of a group, in program order
    std::vector<int> blocks;              // of prim::If and prim::Loop: groups that stand for their blocks
    std::vector<std::string> attributes;  // "value=1"
};
auto fields(Like<GraphNode> auto& it) {
    return std::tie(it.id, it.parent, it.is_group, it.is_plumbing, it.kind, it.label, it.scope, it.source, it.children,
                    it.blocks, it.attributes);
}
// A value that flows from one node to another, at the level of operators.
struct GraphEdge {
    int from = -1;  // -1: an input of the method
    int to = -1;    // -1: an output of the method
    int from_port = 0;
    int to_port = 0;
    std::string value;  // "%x.1"
    std::string type;   // "Tensor"
};
auto fields(Like<GraphEdge> auto& it) { return std::tie(it.from, it.to, it.from_port, it.to_port, it.value, it.type); }
struct GraphModel {
    std::string method;
    std::vector<GraphNode> nodes;
    std::vector<GraphEdge> edges;
    std::vector<std::string> inputs;  // names
    std::vector<std::string> outputs;
    std::string text;      // as PyTorch prints the method's graph
    std::string pipeline;  // that made it of the graph as read; empty for that one
};
auto fields(Like<GraphModel> auto& it) {
    return std::tie(it.method, it.nodes, it.edges, it.inputs, it.outputs, it.text, it.pipeline);
}

// How what runs was made of the file: methods of the file itself; a model source, evaluated statement by statement; the
// same compiled as torch.jit.script does, or traced on inputs as torch.jit.trace does.
enum class ModelForm { AsRead, Evaluated, Scripted, Traced };
constexpr ModelForm last_of(ModelForm) { return ModelForm::Traced; }

// A note about a place in a source.
struct SourceNote {
    std::string text;
    SourcePlace source;
};
auto fields(Like<SourceNote> auto& it) { return std::tie(it.text, it.source); }

struct ModelInfo {
    std::string path;
    std::string title;   // file name without folder
    std::string format;  // "TorchScript archive, version 3, 47.0 MiB"
    std::int64_t file_bytes = 0;
    std::vector<ModuleInfo> modules;  // depth first, the root first; a scripted function has one without parameters
    std::vector<MethodInfo> methods;
    std::vector<SourceFile> sources;
    std::shared_ptr<const GraphModel> graph;  // of forward, or the only method
    std::int64_t parameter_count = 0;
    std::int64_t parameter_bytes = 0;
    std::int64_t buffer_bytes = 0;
    // Operators that the model needs and the engine lacks; it can still be looked at.
    std::vector<std::string> missing_operators;
    // Of a recorded run that was opened from a file: that file, while path is the model's that ran. Else empty.
    std::string recorded_in;
    std::string cannot_run;  // why running it is no use; empty when it can be run
    // Of a source that does not say which model to build, or with what arguments: its classes, the likeliest first.
    // Open it again with one of them called: "Net(10, width=64)". Else empty.
    std::vector<ConstructorInfo> constructors;
    std::string built_with;    // the expression that was given to build the model; empty when none was
    std::string built_as;      // the expression that made the model where nothing said it
    std::string guessed_from;  // where its arguments are from, when they were guessed: "README.md"
    ModelForm form = ModelForm::AsRead;
    // What the `loss` of its source takes: 1, the output; 2, the output and a target; 0: it has none.
    int loss_arguments = 0;
    // What of the program its trace does not have: numbers, branches and sizes that stay as they were.
    std::vector<SourceNote> trace_warnings;

    int find_module(const std::string& module_path) const;  // -1 when there is none
};
auto fields(Like<ModelInfo> auto& it) {
    return std::tie(it.path, it.title, it.format, it.file_bytes, it.modules, it.methods, it.sources, it.graph,
                    it.parameter_count, it.parameter_bytes, it.buffer_bytes, it.missing_operators, it.recorded_in,
                    it.cannot_run, it.constructors, it.built_with, it.built_as, it.guessed_from, it.form,
                    it.loss_arguments, it.trace_warnings);
}

}  // namespace loupe::session
