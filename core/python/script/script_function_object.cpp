// SPDX-License-Identifier: Apache-2.0
#include "core/python/script/script_function_object.h"

#include "core/base/strings.h"
#include "core/formats/torch_writer.h"
#include "core/ir/compilation_unit.h"
#include "core/python/language/arguments.h"
#include "core/python/language/builtin_objects.h"
#include "core/python/language/stream.h"
#include "core/python/script/compiled_calls.h"
#include "core/python/script/script_compiler.h"
#include "core/python/torch/torch_call.h"
#include "core/runtime/interpreter/interpreter.h"
#include "core/runtime/trace/tracer.h"

namespace loupe::python {
namespace {

IValue save_function(const ir::ScriptFunction& function, CallArguments arguments) {
    const BoundArguments given(arguments, "save", {"f", "_extra_files="});
    FileToWrite file(given[0]);
    with_python_errors([&] { write_script_module(*function_holder(function), file.target()); });
    file.finish();
    return {};
}

}  // namespace

nn::ModulePtr function_holder(const ir::ScriptFunction& function) {
    const auto unit = make_ptr<ir::CompilationUnit>();
    const auto type = make_ptr<ClassType>("__torch__.PlaceholderModule", true);
    unit->add_type(type);
    type->add_attribute("training", types::boolean());
    Ptr<ir::Graph> graph = function.graph()->copy();
    graph->block()->insert_input(0, "self")->set_type(type);
    FunctionSchema schema = function.schema();
    schema.name = "forward";
    Argument self;
    self.name = "self";
    self.type = type;
    schema.arguments.insert(schema.arguments.begin(), std::move(self));
    unit->add_method(*type, make_ptr<ir::ScriptFunction>("__torch__.PlaceholderModule.forward", graph, schema));
    type->set_owner(unit);
    const auto module = make_ptr<nn::Module>(type);
    module->set_slot(0, IValue(true));
    return module;
}

std::optional<IValue> ScriptFunctionObject::find_attribute(std::string_view name) {
    if (name == "graph") return graph_object(function_.graph());
    if (name == "inlined_graph") return inlined_graph(function_);
    if (name == "code") return code_text(function_);
    if (name == "schema") return IValue(function_.schema().str());
    if (name == "name" || name == "__name__") return IValue(function_.name());
    if (name == "qualified_name") return IValue(function_.qualified_name());
    if (name == "save") {
        const ir::ScriptFunction* function = &function_;
        return IValue::other(make_ptr<NativeCallable>(
            "save", [function](CallArguments a) { return save_function(*function, std::move(a)); }));
    }
    return PythonObject::find_attribute(name);
}

std::string ScriptFunctionObject::repr() {
    return concat("<torch.jit.ScriptFunction object at ", address_text(this), ">");
}

IValue ScriptFunctionObject::call(CallArguments arguments) {
    std::vector<IValue> values = bound_arguments(function_.schema(), 0, arguments);
    const runtime::Traced run = [&](std::vector<IValue> given) {
        return runtime::run_function(function_, std::move(given));
    };
    return run_script([&] { return runtime::call_compiled({nullptr, &function_}, std::move(values), run); });
}

std::optional<IValue> ScriptIfTracing::find_attribute(std::string_view name) {
    if (name == "__original_fn") return function;
    return python::find_attribute(function, name);
}

IValue ScriptIfTracing::call(CallArguments arguments) {
    if (!runtime::is_tracing()) return python::call(function, std::move(arguments));
    ScriptCompiler& compiler = ScriptCompiler::current();
    ir::ScriptFunction& compiled = compiler.function(*source_function(function));
    return make_ptr<ScriptFunctionObject>(compiled, compiler.unit())->call(std::move(arguments));
}

std::optional<IValue> ScriptAttribute::find_attribute(std::string_view name) {
    if (name == "value") return value;
    if (name == "type") return type;
    return PythonObject::find_attribute(name);
}

}  // namespace loupe::python
