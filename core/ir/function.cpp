// SPDX-License-Identifier: Apache-2.0
#include "core/ir/function.h"

#include "core/base/error.h"
#include "core/base/strings.h"

namespace loupe::ir {

ScriptFunction::ScriptFunction(std::string qualified_name, Compile compile)
    : qualified_name_(std::move(qualified_name)), compile_(std::move(compile)) {}

ScriptFunction::ScriptFunction(std::string qualified_name, Ptr<Graph> graph, std::optional<FunctionSchema> schema)
    : qualified_name_(std::move(qualified_name)), schema_(std::move(schema)), graph_(std::move(graph)) {
    if (!schema_) schema_ = schema_of(name(), *graph_);
}

const FunctionSchema& ScriptFunction::schema() const {
    if (!schema_) {
        graph();
        if (!schema_) schema_ = schema_of(name(), *graph_);
    }
    return *schema_;
}

const Ptr<Graph>& ScriptFunction::graph() const {
    if (graph_) return graph_;
    if (compiling_) {
        throw Error(ErrorKind::Compile,
                    concat("function '", name(), "' is called recursively. Recursive calls are not supported"));
    }
    if (!compile_) throw Error(ErrorKind::Internal, concat("function '", qualified_name_, "' has no graph"));
    compiling_ = true;
    try {
        compile_(const_cast<ScriptFunction&>(*this));
    } catch (...) {
        compiling_ = false;
        throw;
    }
    compiling_ = false;
    if (!graph_) throw Error(ErrorKind::Internal, concat("compiling '", qualified_name_, "' gave no graph"));
    compile_ = nullptr;
    return graph_;
}

void ScriptFunction::set_graph(Ptr<Graph> graph) {
    graph_ = std::move(graph);
    code_ = nullptr;
}

FunctionSchema schema_of(const std::string& name, const Graph& graph) {
    FunctionSchema schema;
    schema.name = name;
    for (std::size_t i = 0; i < graph.inputs().size(); ++i) {
        const Value& input = *graph.inputs()[i];
        Argument argument;
        argument.name = input.has_name() ? input.debug_name() : concat("argument_", i);
        if (const auto dot = argument.name.find('.'); dot != std::string::npos) argument.name.resize(dot);
        argument.type = input.type();
        schema.arguments.push_back(std::move(argument));
    }
    for (const Value* output : graph.outputs()) {
        Argument result;
        result.type = output->type();
        schema.returns.push_back(std::move(result));
    }
    return schema;
}

Node* create_function_constant(Graph& graph, Function& function) {
    Node* node = graph.create(prim::Constant);
    node->set_s(attr::name, function.name());
    node->output()->set_type(make_ptr<const FunctionType>(&function));
    return node;
}

Function* function_of(const Value* value) {
    const auto* type = dynamic_cast<const FunctionType*>(value->type().get());
    return type != nullptr ? type->target() : nullptr;
}

}  // namespace loupe::ir
