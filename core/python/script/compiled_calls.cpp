// SPDX-License-Identifier: Apache-2.0
#include "core/python/script/compiled_calls.h"

#include "core/base/strings.h"
#include "core/formats/torchscript/code_writer.h"
#include "core/ir/printer.h"
#include "core/passes/pass_manager.h"
#include "core/python/language/error.h"
#include "core/python/language/evaluator.h"
#include "core/python/language/operations.h"
#include "core/python/script/script_compiler.h"
#include "core/python/torch/torch_call.h"
#include "core/runtime/interpreter/print.h"

namespace loupe::python {
namespace {

// A graph as the program sees it: its text.
class GraphObject final : public PythonObject {
  public:
    explicit GraphObject(Ptr<ir::Graph> graph) : graph_(std::move(graph)) {}
    std::string type_name() const override { return "Graph"; }
    std::string repr() override { return ir::print_graph(*graph_); }
    std::optional<IValue> find_attribute(std::string_view name) override {
        if (name != "nodes") return PythonObject::find_attribute(name);
        std::vector<IValue> nodes;
        for (const ir::Node* node : graph_->block()->nodes()) nodes.emplace_back(ir::print_node(*node));
        return IValue::other(make_ptr<NativeCallable>("nodes", [nodes](CallArguments) { return make_list(nodes); }));
    }

  private:
    Ptr<ir::Graph> graph_;
};

[[noreturn]] void refuse(const FunctionSchema& schema, std::string what) {
    throw_error("RuntimeError", concat(schema.name, "() ", what));
}

std::string declaration(const FunctionSchema& schema) { return concat("Declaration: ", schema.str()); }

}  // namespace

IValue graph_object(const Ptr<ir::Graph>& graph) { return IValue::other(make_ptr<GraphObject>(graph)); }

IValue inlined_graph(const ir::ScriptFunction& function) {
    Ptr<ir::Graph> copy = function.graph()->copy();
    passes::PassManager manager;
    manager.keep_snapshots(false);
    manager.run(*copy, passes::pipeline_of("Inline"));
    return graph_object(copy);
}

IValue code_text(const ir::ScriptFunction& function) { return IValue(code_of(function)); }

std::vector<IValue> bound_arguments(const FunctionSchema& schema, std::size_t first, const CallArguments& given) {
    ScriptCompiler& compiler = ScriptCompiler::current();
    std::vector<bool> used(given.keywords.size());
    std::vector<IValue> out;
    if (given.positional.size() > schema.arguments.size() - first) {
        refuse(schema, concat("expected at most ", schema.arguments.size(), " argument(s) but received ",
                              given.positional.size() + first, " argument(s). ", declaration(schema)));
    }
    for (std::size_t i = first; i < schema.arguments.size(); ++i) {
        const Argument& argument = schema.arguments[i];
        const IValue* value =
            i - first < given.positional.size() && !argument.kwarg_only ? &given.positional[i - first] : nullptr;
        for (std::size_t k = 0; k < given.keywords.size() && value == nullptr; ++k) {
            if (given.keywords[k].first != argument.name) continue;
            value = &given.keywords[k].second;
            used[k] = true;
        }
        if (value == nullptr) {
            if (!argument.default_value) {
                refuse(schema, concat("is missing value for argument '", argument.name, "'. ", declaration(schema)));
            }
            out.push_back(*argument.default_value);
            continue;
        }
        auto converted = compiler.to_script(*value, argument.type);
        if (!converted) {
            const InferredType actual = compiler.inferred_type(*value);
            refuse(schema, concat("Expected a value of type '", argument.type->annotation_str(), "' for argument '",
                                  argument.name, "' but instead found type '",
                                  actual.type ? actual.type->annotation_str() : type_name(*value), "'.\nPosition: ", i,
                                  "\nValue: ", repr(*value), "\n", declaration(schema)));
        }
        out.push_back(std::move(*converted));
    }
    for (std::size_t k = 0; k < used.size(); ++k) {
        if (!used[k])
            refuse(schema, concat("Unknown keyword argument '", given.keywords[k].first, "' for operator '",
                                  schema.name, "'. Schema: ", schema.str()));
    }
    return out;
}

IValue run_script(const std::function<IValue()>& work) {
    const runtime::PrintScope prints([](std::string_view text) { Evaluator::current()->write(text); });
    try {
        return ScriptCompiler::current().to_python(work());
    } catch (const PythonError&) {
        throw;
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::Run) rethrow_as_python(error);
        const std::string& message = error.message();
        const bool names_its_class =
            message.find("Error: ") != std::string::npos && !message.starts_with("AssertionError: ");
        throw_error("RuntimeError",
                    concat("The following operation failed in the TorchScript interpreter.\n",
                           "Traceback of TorchScript (most recent call last):\n",
                           error.context().source.empty() ? "" : concat("  ", error.context().source, "\n"),
                           names_its_class ? "" : "RuntimeError: ", message, "\n"));
    }
}

}  // namespace loupe::python
