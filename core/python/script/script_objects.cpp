// SPDX-License-Identifier: Apache-2.0
#include "core/python/script/script_objects.h"

#include "core/base/strings.h"
#include "core/formats/torch_writer.h"
#include "core/formats/torchscript/code_writer.h"
#include "core/python/language/arguments.h"
#include "core/python/language/builtin_objects.h"
#include "core/python/language/evaluator_state.h"
#include "core/python/language/stream.h"
#include "core/python/script/compiled_calls.h"
#include "core/python/script/script_compiler.h"
#include "core/python/script/script_modules.h"
#include "core/python/torch/nn_module.h"
#include "core/python/torch/torch_call.h"
#include "core/python/torch/torch_nn.h"
#include "core/runtime/interpreter/interpreter.h"
#include "core/runtime/trace/tracer.h"

namespace loupe::python {
namespace {

IValue call_method_of(const IValue& self, std::string_view name, const CallArguments& given) {
    const Ptr<Object> object = self.to_object();
    const Function* method = object->type()->find_method(name);
    if (method == nullptr)
        throw_error("NotImplementedError",
                    concat("Module [RecursiveScriptModule] is missing the required \"", name, "\" function"));
    std::vector<IValue> arguments = bound_arguments(method->schema(), 1, given);
    const runtime::Traced run = [&](std::vector<IValue> values) {
        return runtime::run_method(object, name, std::move(values));
    };
    const runtime::CompiledCall called{
        nn::as_module(self).get(), const_cast<ir::ScriptFunction*>(dynamic_cast<const ir::ScriptFunction*>(method))};
    return run_script([&] { return runtime::call_compiled(called, std::move(arguments), run); });
}

const ir::ScriptFunction* script_method(const Object& object, std::string_view name) {
    return dynamic_cast<const ir::ScriptFunction*>(object.type()->find_method(name));
}

std::string class_name_of(const nn::Module& module) {
    const std::string& name = module.type()->name();
    return name.substr(name.rfind('.') + 1);
}

// torch.jit.ScriptMethod: a method of compiled code and its object.
class ScriptMethodObject final : public PythonObject {
  public:
    ScriptMethodObject(IValue object, const ir::ScriptFunction& method) : object_(std::move(object)), method_(method) {}
    std::string type_name() const override { return "ScriptMethod"; }
    std::string describe() const override { return method_.name(); }
    std::optional<IValue> find_attribute(std::string_view name) override {
        if (name == "graph") return graph_object(method_.graph());
        if (name == "inlined_graph") return inlined_graph(method_);
        if (name == "code") return code_text(method_);
        if (name == "schema") return IValue(method_.schema().str());
        if (name == "name" || name == "__name__") return IValue(method_.name());
        if (name == "owner" || name == "__self__") return object_;
        return PythonObject::find_attribute(name);
    }
    std::string repr() override { return concat("<torch.ScriptMethod object at ", address_text(this), ">"); }
    IValue call(CallArguments arguments) override { return call_method_of(object_, method_.name(), arguments); }

  private:
    IValue object_;
    const ir::ScriptFunction& method_;
};

}  // namespace

std::optional<IValue> script_object_attribute(const IValue& object, std::string_view name) {
    const Ptr<Object> self = object.to_object();
    if (const auto slot = self->type()->find_attribute(name); slot && *slot < self->slot_count()) {
        return ScriptCompiler::current().to_python(self->slot(*slot));
    }
    if (const auto* method = script_method(*self, name)) {
        return IValue::other(make_ptr<ScriptMethodObject>(object, *method));
    }
    if (self->type()->find_method(script::getter_name(name)) != nullptr)
        return call_method_of(object, script::getter_name(name), {});
    for (const auto& [constant, value] : final_constants(*self->type())) {
        if (constant == name) return ScriptCompiler::current().to_python(value);
    }
    return std::nullopt;
}

std::string script_module_text(const nn::Module& module) {
    std::vector<std::string> lines;
    for (const auto& [name, child] : module.children()) {
        std::string text = script_module_text(*child);
        for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 3))
            text.replace(at, 1, "\n  ");
        lines.push_back(concat("(", name, "): ", text));
    }
    const std::string own = concat("original_name=", class_name_of(module));
    const std::string shown =
        ScriptCompiler::current().is_traced(module) ? class_name_of(module) : "RecursiveScriptModule";
    if (lines.empty()) return concat(shown, "(", own, ")");
    return concat(shown, "(\n  ", own, "\n  ", join(lines, "\n  "), "\n)");
}

namespace {

nn::Module& self_of(const CallArguments& a) {
    const nn::ModulePtr module = a.positional.empty() ? nullptr : nn::as_module(a.positional[0]);
    if (!module) throw_type_error("expected a module");
    return *module;
}

CallArguments without_self(CallArguments a) {
    a.positional.erase(a.positional.begin());
    return a;
}

// What is asked of the module itself: methods, attributes that only the original has.
IValue fallback_attribute(const IValue& self, const std::string& name) {
    if (auto found = script_object_attribute(self, name)) return *found;
    const nn::ModulePtr module = nn::as_module(self);
    ScriptModules& modules = ScriptCompiler::current().modules();
    if (const ModuleClass* cls = modules.find_class(*module->type())) {
        if (const IValue* constant = cls->constant(name)) return ScriptCompiler::current().to_python(*constant);
    }
    if (const nn::ModulePtr original = modules.original(*module)) {
        const IValue value(Ptr<Object>{original});
        // Of an instance of torch.jit.ScriptModule methods may be left to Python.
        const ClassPtr cls = module_class_of(value);
        if (cls && cls->find("__script_base__") != nullptr) {
            if (auto found = find_attribute(value, name)) return *found;
        }
        if (auto found = find_attribute(value, name); found && object_as<BoundMethod>(*found) == nullptr) return *found;
        if (auto found = find_attribute(value, name); found && script_mark(*found) != ScriptMark::None) return *found;
    }
    throw_error("AttributeError", concat("'RecursiveScriptModule' object has no attribute '", name, "'"));
}

const ir::ScriptFunction& forward_of(const CallArguments& a) {
    const auto* forward = script_method(self_of(a), "forward");
    if (forward == nullptr) throw_error("RuntimeError", concat("Method 'forward' is not defined."));
    return *forward;
}

void define_properties(ClassObject& cls) {
    const auto forward = [](const IValue& self) -> const ir::ScriptFunction& { return forward_of({{self}, {}}); };
    cls.define_property("graph", [forward](const IValue& self) { return graph_object(forward(self).graph()); });
    cls.define_property("inlined_graph", [forward](const IValue& self) { return inlined_graph(forward(self)); });
    cls.define_property("code", [forward](const IValue& self) { return code_text(forward(self)); });
    cls.define_property("original_name",
                        [](const IValue& self) { return IValue(class_name_of(*nn::as_module(self))); });
}

}  // namespace

const ClassPtr& script_module_class() {
    static const ClassPtr cls = [] {
        const EvaluatorScope outside(nullptr);
        auto made = make_ptr<ClassObject>("RecursiveScriptModule", "torch.jit._script",
                                          std::vector<ClassPtr>{nn_module_class()});
        made->set_builtin([](ClassObject&, CallArguments&) -> ClassObject::Made {
            throw_type_error("a RecursiveScriptModule is made by torch.jit.script");
        });
        define_properties(*made);
        made->define("__call__", [](CallArguments a) {
            const IValue self = a.positional.at(0);
            return call_method_of(self, "forward", without_self(std::move(a)));
        });
        made->define("save", [](CallArguments a) -> IValue {
            nn::Module& self = self_of(a);
            const BoundArguments given(without_self(std::move(a)), "save", {"f", "_extra_files="});
            FileToWrite file(given[0]);
            with_python_errors([&] { write_script_module(self, file.target()); });
            file.finish();
            return {};
        });
        made->define("__repr__", [](CallArguments a) { return IValue(script_module_text(self_of(a))); });
        made->define("extra_repr",
                     [](CallArguments a) { return IValue(concat("original_name=", class_name_of(self_of(a)))); });
        made->define("__getattr__",
                     [](CallArguments a) { return fallback_attribute(a.positional.at(0), str(a.positional.at(1))); });
        return made;
    }();
    return cls;
}

}  // namespace loupe::python
