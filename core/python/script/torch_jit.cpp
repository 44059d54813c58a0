// SPDX-License-Identifier: Apache-2.0
#include "core/python/script/torch_jit.h"

#include "core/base/strings.h"
#include "core/formats/torch_writer.h"
#include "core/formats/torchscript/torchscript_reader.h"
#include "core/passes/pass_manager.h"
#include "core/python/language/arguments.h"
#include "core/python/language/builtin_objects.h"
#include "core/python/language/error.h"
#include "core/python/language/evaluator_state.h"
#include "core/python/language/stream.h"
#include "core/python/script/script_compiler.h"
#include "core/python/script/script_function_object.h"
#include "core/python/script/script_modules.h"
#include "core/python/script/script_objects.h"
#include "core/python/script/torch_onnx.h"
#include "core/python/torch/module_parts.h"
#include "core/python/torch/nn_module.h"
#include "core/python/torch/torch_call.h"
#include "core/python/torch/torch_module.h"
#include "core/runtime/trace/tracer.h"

namespace loupe::python {
namespace {

IValue is_no(CallArguments) { return false; }
IValue is_tracing(CallArguments) { return runtime::is_tracing(); }

// --- decorators ---

IValue native(std::string name, NativeCallable::Body body) {
    return IValue::other(make_ptr<NativeCallable>(std::move(name), std::move(body)));
}

// @torch.jit.unused, and @torch.jit.ignore(drop=True).
NativeCallable::Body marking(ScriptMark mark) {
    return [mark](CallArguments arguments) -> IValue {
        if (!arguments.positional.empty() && arguments.positional[0].is_other()) {
            if (object_as<Property>(arguments.positional[0]) != nullptr)
                set_script_mark(object_as<Property>(arguments.positional[0])->getter, mark);
            set_script_mark(arguments.positional[0], mark);
            return arguments.positional[0];
        }
        ScriptMark wanted = mark;
        for (const auto& [name, value] : arguments.keywords) {
            if (name == "drop" && truth(value)) wanted = ScriptMark::Unused;
        }
        return native("decorator", [wanted](CallArguments inner) {
            const IValue function = first_argument(std::move(inner));
            set_script_mark(function, wanted);
            return function;
        });
    };
}

IValue mark_interface(CallArguments arguments) {
    const IValue value = first_argument(std::move(arguments));
    auto* cls = object_as<ClassObject>(value);
    if (cls == nullptr) throw_error("RuntimeError", "interface must be applied to a class");
    cls->attributes().set("__torch_script_interface__", IValue(true));
    return value;
}

IValue overload(CallArguments arguments) {
    const IValue value = first_argument(std::move(arguments));
    const FunctionObject* function = source_function(value);
    if (function == nullptr) throw_type_error("_overload must be applied to a function");
    auto& declared = Evaluator::current()->state().part<DeclaredOverloads>().by_function;
    declared[concat(function->unit->name, ".", function->code.qualified_name)].push_back(value);
    return value;
}

IValue script_if_tracing(CallArguments arguments) {
    const IValue function = first_argument(std::move(arguments));
    if (object_as<FunctionObject>(function) == nullptr)
        throw_type_error("script_if_tracing must be applied to a function");
    return IValue::other(make_ptr<ScriptIfTracing>(function));
}

IValue annotate(CallArguments arguments) {
    check_positional(arguments, "annotate", 2, 2);
    return arguments.positional[1];
}
IValue attribute(CallArguments arguments) {
    const BoundArguments given(arguments, "Attribute", {"value", "type="});
    return IValue::other(make_ptr<ScriptAttribute>(given[0], given.value_or(1, {})));
}

// torch.jit.Final[int] in annotations.
class FinalObject final : public PythonObject {
  public:
    std::string type_name() const override { return "Final"; }
    IValue get_item(const IValue& key) override {
        auto out = make_ptr<TypingObject>();
        out->name = "typing.Final";
        out->arguments = {key};
        return IValue::other(out);
    }
    std::string repr() override { return "typing.Final"; }
};

// --- script ---

IValue script_class(ScriptCompiler& compiler, const IValue& value, ClassObject& cls) {
    if (cls.is_subclass_of(*nn_module_class())) {
        throw_error("RuntimeError",
                    concat("Type '", cls.repr(),
                           "' cannot be compiled since it inherits from nn.Module, pass an instance instead"));
    }
    if (!compiler.class_type(cls) && !cls.is_builtin()) {
        throw_error("RuntimeError",
                    concat("Type '", cls.repr(), "' cannot be compiled: TorchScript has no inheritance of classes"));
    }
    return value;
}

IValue script_value(const IValue& value) {
    ScriptCompiler& compiler = ScriptCompiler::current();
    if (const nn::ModulePtr module = nn::as_module(value))
        return IValue(Ptr<Object>(compiler.modules().script(module)));
    if (auto* cls = object_as<ClassObject>(value)) return script_class(compiler, value, *cls);
    if (auto* function = object_as<FunctionObject>(value)) {
        ir::ScriptFunction& compiled = compiler.function(*function);
        compiled.graph();
        return IValue::other(make_ptr<ScriptFunctionObject>(compiled, compiler.unit()));
    }
    if (object_as<BoundMethod>(value) != nullptr) {
        throw_error(
            "RuntimeError",
            "a method cannot be scripted by itself: script its module, and mark the method with @torch.jit.export");
    }
    return value;
}

IValue script(CallArguments arguments) {
    const BoundArguments given(arguments, "script", {"obj", "optimize=", "_frames_up=", "_rcb=", "example_inputs="});
    try {
        return script_value(given[0]);
    } catch (const Error& error) {
        rethrow_compile_error(error);
    }
}

// torch.jit.CompilationUnit(text): its functions are its attributes.
class CompilationUnitObject final : public PythonObject {
  public:
    CompilationUnitObject() : unit_(make_ptr<ir::CompilationUnit>()) {}
    std::string type_name() const override { return "CompilationUnit"; }
    void define(const std::string& text) {
        try {
            script::define(*unit_, std::make_shared<const ir::Source>(text, "<string>"), ScriptCompiler::options());
            for (const auto& function : unit_->functions()) function->graph();
        } catch (const Error& error) {
            rethrow_compile_error(error);
        }
    }
    std::optional<IValue> find_attribute(std::string_view name) override {
        if (auto* function = dynamic_cast<ir::ScriptFunction*>(unit_->find_function(name))) {
            return IValue::other(make_ptr<ScriptFunctionObject>(*function, unit_));
        }
        if (name == "define") {
            const Ptr<CompilationUnitObject> self(this);
            return native("define", [self](CallArguments a) {
                self->define(str(first_argument(std::move(a))));
                return IValue();
            });
        }
        return PythonObject::find_attribute(name);
    }

  private:
    Ptr<ir::CompilationUnit> unit_;
};

IValue make_compilation_unit(CallArguments arguments) {
    const BoundArguments given(arguments, "CompilationUnit", {"lang=", "_frames_up="});
    const auto unit = make_ptr<CompilationUnitObject>();
    if (given.has(0) && !given[0].is_none()) unit->define(str(given[0]));
    return IValue::other(unit);
}

// --- trace ---

std::vector<IValue> example_values(const IValue& examples) {
    if (examples.is_tuple()) return examples.to_tuple().elements;
    if (examples.is_list()) return examples.to_list().elements;
    return {examples};
}

IValue trace(CallArguments arguments) {
    const BoundArguments given(
        arguments, "trace",
        {"func", "example_inputs=", "optimize=", "check_trace=", "check_inputs=", "check_tolerance=", "strict=",
         "_force_outplace=", "_module_class=", "_compilation_unit="});
    const IValue callee = given[0];
    if (!given.has(1)) throw_type_error("trace() missing 1 required positional argument: 'example_inputs'");
    const std::vector<IValue> inputs = example_values(given[1]);
    ScriptCompiler& compiler = ScriptCompiler::current();
    const runtime::Traced run = [callee](std::vector<IValue> values) { return call(callee, std::move(values)); };
    const nn::ModulePtr module = nn::as_module(callee);
    if (module && is_script_module(*module)) return callee;
    runtime::TraceOptions options;
    options.strict = given.truth_or(6, true);
    const std::string name =
        module ? std::string()
               : compiler.unit()->mangle(concat(
                     "__torch__.", source_function(callee) != nullptr ? source_function(callee)->code.name : "f"));
    const runtime::Trace traced = with_python_errors([&] {
        return module ? runtime::trace_module(module, run, inputs, options)
                      : runtime::trace_function(name, run, inputs, options);
    });
    compiler.keep(traced.unit);
    if (traced.module) compiler.note_traced(*traced.module);
    if (traced.module) return IValue(Ptr<Object>(traced.module));
    return IValue::other(make_ptr<ScriptFunctionObject>(*traced.forward, traced.unit));
}

// torch.jit.trace_module(module, {"forward": x, "encode": (x, y)}).
IValue trace_methods(CallArguments arguments) {
    const BoundArguments given(arguments, "trace_module",
                               {"mod", "inputs", "optimize=", "check_trace=", "check_inputs=", "check_tolerance=",
                                "strict=", "_force_outplace=", "_module_class=", "_compilation_unit="});
    const nn::ModulePtr module = nn::as_module(given[0]);
    if (!module) throw_error("AttributeError", "expected torch.nn.Module as the first argument");
    if (!given[1].is_dict()) throw_error("AttributeError", "expected a dictionary of (method_name, input) pairs");
    std::vector<runtime::TracedMethod> methods;
    for (const auto& [name, examples] : given[1].to_dict().entries()) {
        const std::string method = str(name);
        const IValue callee = method == "forward" ? given[0] : get_attribute(given[0], method);
        methods.push_back({method, [callee](std::vector<IValue> values) { return call(callee, std::move(values)); },
                           example_values(examples)});
    }
    runtime::TraceOptions options;
    options.strict = given.truth_or(6, true);
    const runtime::Trace traced =
        with_python_errors([&] { return runtime::trace_methods(module, std::move(methods), options); });
    ScriptCompiler::current().keep(traced.unit);
    ScriptCompiler::current().note_traced(*traced.module);
    return IValue(Ptr<Object>(traced.module));
}

// --- freeze, save, load ---

nn::ModulePtr script_module_of(const IValue& value, const char* function) {
    const nn::ModulePtr module = nn::as_module(value);
    if (!module || !is_script_module(*module)) {
        throw_error("RuntimeError", concat(function,
                                           " expects a ScriptModule as input. Please use torch.jit.script or "
                                           "torch.jit.trace to script your 'nn.Module'."));
    }
    return module;
}

// A module with one method, whose graph the passes made.
nn::ModulePtr module_with_graph(const nn::Module& of, const ir::ScriptFunction& forward, Ptr<ir::Graph> graph) {
    const auto unit = make_ptr<ir::CompilationUnit>();
    const auto type = make_ptr<ClassType>(of.type()->name(), true);
    FunctionSchema schema = forward.schema();
    unit->add_type(type);
    if (forward.unit() != nullptr) unit->set_constants(*type, forward.unit()->constants_of(*of.type()));
    type->add_attribute("training", types::boolean());
    if (graph->inputs().size() + 1 == schema.arguments.size()) graph->block()->insert_input(0, "self");
    graph->inputs().front()->set_type(type);
    schema.arguments.front().type = type;
    unit->add_method(
        *type, make_ptr<ir::ScriptFunction>(concat(type->name(), ".forward"), std::move(graph), std::move(schema)));
    const auto module = make_ptr<nn::Module>(type);
    module->set_slot(0, IValue(false));
    ScriptCompiler::current().keep(unit);
    return module;
}

IValue run_passes(const IValue& value, const char* function, std::string_view pipeline) {
    const nn::ModulePtr module = script_module_of(value, function);
    if (module->is_training()) {
        throw_error("RuntimeError",
                    "Freezing is currently only implemented for modules in eval mode. Please call .eval() on your "
                    "module before freezing.");
    }
    const auto* forward = dynamic_cast<const ir::ScriptFunction*>(module->type()->find_method("forward"));
    if (forward == nullptr) throw_error("RuntimeError", concat(function, " needs a module with a forward"));
    Ptr<ir::Graph> graph = forward->graph()->copy();
    passes::PassManager manager;
    manager.keep_snapshots(false);
    with_python_errors([&] { manager.run(*graph, passes::pipeline_of(pipeline), {.module = Ptr<Object>(module)}); });
    return IValue(Ptr<Object>(module_with_graph(*module, *forward, std::move(graph))));
}

IValue freeze(CallArguments arguments) {
    const BoundArguments given(arguments, "freeze", {"mod", "preserved_attrs=", "optimize_numerics="});
    return run_passes(given[0], "Freezing", "freeze");
}
IValue optimize_for_inference(CallArguments arguments) {
    const BoundArguments given(arguments, "optimize_for_inference", {"mod", "other_methods="});
    return run_passes(given[0], "optimize_for_inference", "optimize_for_inference");
}

IValue save(CallArguments arguments) {
    const BoundArguments given(arguments, "save", {"m", "f", "_extra_files="});
    if (const auto* function = object_as<ScriptFunctionObject>(given[0])) {
        FileToWrite file(given[1]);
        with_python_errors([&] { write_script_module(*function_holder(function->function()), file.target()); });
        file.finish();
        return {};
    }
    const nn::ModulePtr module = script_module_of(given[0], "torch.jit.save");
    FileToWrite file(given[1]);
    with_python_errors([&] { write_script_module(*module, file.target()); });
    file.finish();
    return {};
}

IValue load(CallArguments arguments) {
    const BoundArguments given(arguments, "load", {"f", "map_location=", "_extra_files="});
    const Ptr<MappedFile> source = file_to_read(given[0]);
    const ModelFile file = with_python_errors([&] { return read_torchscript(source); });
    ScriptCompiler::current().keep(file.unit);
    return IValue(Ptr<Object>(file.module));
}

IValue wait(CallArguments arguments) {
    const IValue value = first_argument(std::move(arguments));
    return value.is_future() ? value.to_future().value : value;
}
IValue fork(CallArguments arguments) {
    const IValue function = first_argument(arguments);
    arguments.positional.erase(arguments.positional.begin());
    return IValue(make_ptr<FutureObject>(call(function, std::move(arguments))));
}

void fill_torch_jit(PythonModule& module) {
    using Body = NativeCallable::Body;
    module.define("script", Body(script));
    module.define("CompilationUnit", Body(make_compilation_unit));
    module.define("trace", Body(trace));
    module.define("freeze", Body(freeze));
    module.define("optimize_for_inference", Body(optimize_for_inference));
    module.define("save", Body(save));
    module.define("load", Body(load));
    module.define("fork", Body(fork));
    module.define("_fork", Body(fork));
    module.define("wait", Body(wait));
    module.define("_wait", Body(wait));
    module.define("ignore", marking(ScriptMark::Ignore));
    module.define("unused", marking(ScriptMark::Unused));
    module.define("export", marking(ScriptMark::Export));
    module.define("interface", Body(mark_interface));
    module.define("_overload", Body(overload));
    module.define("script_method", marking(ScriptMark::Export));
    module.define("script_if_tracing", Body(script_if_tracing));
    module.define("_script_if_tracing", Body(script_if_tracing));
    module.define("trace_module", Body(trace_methods));
    module.define("_finish_script_module", Body(script));
    module.define("_is_script_module", [](CallArguments a) {
        const nn::ModulePtr given = nn::as_module(first_argument(std::move(a)));
        return IValue(given && is_script_module(*given));
    });
    module.define("is_scripting", Body(is_no));
    module.define("is_tracing", Body(is_tracing));
    module.define("annotate", Body(annotate));
    module.define("isinstance", [](CallArguments a) {
        check_positional(a, "isinstance", 2, 2);
        return IValue(is_instance(a.positional[0], a.positional[1]));
    });
    module.define("Attribute", Body(attribute));
    module.define("Final", IValue::other(make_ptr<FinalObject>()));
    module.define("ScriptModule", get_attribute(Evaluator::current()->import_module("_script_module"), "ScriptModule"));
    module.define("RecursiveScriptModule", IValue::other(script_module_class()));
    module.define("ScriptFunction", IValue::other(named_class("ScriptFunction")));
}

}  // namespace

std::vector<ModuleRecord> script_modules() {
    std::vector<ModuleRecord> out = {{"torch.jit", fill_torch_jit},
                                     {"torch._export_native", fill_torch_export_native},
                                     {"_onnx_writer", fill_onnx_writer}};
    const auto in_python = script_modules_in_python();
    out.insert(out.end(), in_python.begin(), in_python.end());
    return out;
}

}  // namespace loupe::python
