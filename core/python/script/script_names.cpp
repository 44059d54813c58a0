// SPDX-License-Identifier: Apache-2.0
// What the values of a program are when compiled code names them.
#include <array>
#include <map>

#include "core/base/strings.h"
#include "core/python/language/builtin_objects.h"
#include "core/python/language/evaluator_state.h"
#include "core/python/language/key_lookup.h"
#include "core/python/script/script_compiler.h"
#include "core/python/script/script_function_object.h"
#include "core/python/script/script_functions.h"
#include "core/python/script/script_library.h"
#include "core/python/script/script_modules.h"
#include "core/python/torch/nn_module.h"
#include "core/python/torch/torch_objects.h"
#include "core/script/error.h"
#include "core/script/schema_matching.h"

namespace loupe::python {
namespace {

using script::Builder;
using script::BuiltinNamespace;
using script::BuiltinValue;
using script::Form;
using script::NamedValues;
using script::Range;
using script::simple;
using script::SpecialForm;
using script::Sugared;
using script::SugaredPtr;

SugaredPtr builtin(std::string_view op) { return make_ptr<BuiltinValue>(ir::Symbol::intern(op)); }

// A value that compiled code can name but not use.
class ForeignValue final : public Sugared {
  public:
    ForeignValue(IValue value, std::string hint) : value_(std::move(value)), hint_(std::move(hint)) {}
    std::string describe() const override { return concat("python value of type '", type_name(value_), "'"); }
    ir::Value* as_value(Builder& builder, Range range) override {
        builder.fail(concat(describe(), " cannot be used as a value.", hint_), range);
    }
    SugaredPtr attribute(Builder& builder, std::string_view name, Range range) override {
        if (value_.is_number() || value_.is_string() || value_.is_list() || value_.is_tuple() || value_.is_dict() ||
            value_.is_tensor()) {
            as_value(builder, range);
        }
        const auto found = find_attribute(value_, name);
        if (!found) builder.fail(concat("'", type_name(value_), "' object has no attribute '", name, "'"), range);
        return ScriptCompiler::current().sugared(*found, name, true);
    }
    SugaredPtr call(Builder& builder, NamedValues, NamedValues, Range range) override {
        builder.fail(concat(describe(), " cannot be called in a script"), range);
    }

  private:
    IValue value_;
    std::string hint_;
};

// A numeric or other constant of Python as a constant of the graph; null for other values.
class ConstantValue final : public Sugared {
  public:
    explicit ConstantValue(IValue value) : value_(std::move(value)) {}
    std::string describe() const override { return concat("constant of type '", type_name(value_), "'"); }
    ir::Value* as_value(Builder& builder, Range range) override { return builder.constant(value_, range); }
    SugaredPtr attribute(Builder& builder, std::string_view name, Range range) override {
        return simple(as_value(builder, range))->attribute(builder, name, range);
    }
    std::vector<SugaredPtr> as_tuple(Builder& builder, Range range, std::optional<std::size_t> count) override {
        return simple(as_value(builder, range))->as_tuple(builder, range, count);
    }
    SugaredPtr iterate(Builder& builder, Range range) override {
        return simple(as_value(builder, range))->iterate(builder, range);
    }

  private:
    IValue value_;
};

// torch, math, the user's own modules.
class PythonModuleValue final : public Sugared {
  public:
    explicit PythonModuleValue(Ptr<PythonModule> module) : module_(std::move(module)) {}
    std::string describe() const override { return concat("python module '", module_->name(), "'"); }
    SugaredPtr attribute(Builder& builder, std::string_view name, Range range) override {
        if (SugaredPtr known = library_name(module_->name(), name, builder, range)) return known;
        const auto found = module_->find_attribute(name);
        if (!found) builder.fail(concat("python module '", module_->name(), "' has no attribute '", name, "'"), range);
        return ScriptCompiler::current().sugared(*found, name, true);
    }

  private:
    Ptr<PythonModule> module_;
};

struct NamedForm {
    std::string_view name;
    Form form;
};
constexpr std::array kJitForms = {NamedForm{"annotate", Form::Annotate}, NamedForm{"fork", Form::Fork},
                                  NamedForm{"_fork", Form::Fork}, NamedForm{"isinstance", Form::IsInstance}};

SugaredPtr jit_name(std::string_view name) {
    for (const NamedForm& entry : kJitForms) {
        if (entry.name == name) return make_ptr<SpecialForm>(entry.form);
    }
    if (name == "wait" || name == "_wait") return builtin("aten::wait");
    if (name == "_unwrap_optional") return builtin("aten::_unwrap_optional");
    if (name == "is_scripting") return builtin("aten::is_scripting");
    if (name == "is_tracing") return builtin("aten::is_tracing");
    return nullptr;
}

constexpr std::array<std::string_view, 12> kTorchModules = {
    "nn", "jit", "linalg", "fft", "special", "autograd", "utils", "cuda", "random", "optim", "backends", "functional"};

// What torch does to functions of an operator's name in Python.
std::string_view operator_name(std::string_view name) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kOther = {
        {{"unique", "_unique2"},
         {"logsigmoid", "log_sigmoid"},
         {"lu", "_lu_with_info"},
         {"nonzero_numpy", "nonzero_numpy"}}};
    for (const auto& [from, to] : kOther) {
        if (from == name) return to;
    }
    return name;
}

bool is_torch(std::string_view module) { return module == "torch" || module.starts_with("torch."); }

SugaredPtr torch_name(std::string_view name, Builder& builder, Range range) {
    if (std::find(kTorchModules.begin(), kTorchModules.end(), name) != kTorchModules.end()) return nullptr;
    if (SugaredPtr known = ScriptLibrary::current().find("torch", name)) return known;
    // Classes: a dtype is a number, a device is made by an operator.
    if (name == "Tensor" || name == "Size" || name == "Generator" || name == "enable_grad") return nullptr;
    if (name == "is_tensor") return nullptr;
    return make_ptr<BuiltinNamespace>("aten")->attribute(builder, operator_name(name), range);
}

}  // namespace

SugaredPtr library_name(std::string_view module, std::string_view name, Builder& builder, Range range) {
    if (module == "torch") return torch_name(name, builder, range);
    if (module == "torch.jit") return jit_name(name);
    if (module == "torch.nn.functional") {
        if (SugaredPtr known = ScriptLibrary::current().find(module, name)) return known;
        return builtin(concat("aten::", operator_name(name)));
    }
    if (module == "torch.nn.utils.rnn") return ScriptLibrary::current().find(module, name);
    if (module == "torch.autograd" || module == "torch.autograd.grad_mode")
        return ScriptLibrary::current().find("torch", name);
    if (module == "torch.linalg" || module == "torch.fft" || module == "torch.special") {
        return builtin(concat("aten::", module.substr(6), "_", name));
    }
    if (module == "math") {
        const bool is_number = name == "pi" || name == "e" || name == "tau" || name == "inf" || name == "nan";
        return is_number ? nullptr : builtin(concat("aten::", name));
    }
    if (module == "warnings" && name == "warn") return builtin("aten::warn");
    return nullptr;
}

namespace {

// A function of torch or math that was imported by its name.
class ImportedFunction final : public Sugared {
  public:
    ImportedFunction(std::string module, std::string name) : module_(std::move(module)), name_(std::move(name)) {}
    std::string describe() const override { return "builtin"; }
    SugaredPtr call(Builder& builder, NamedValues arguments, NamedValues keywords, Range range) override {
        const SugaredPtr known = library_name(module_, name_, builder, range);
        if (!known) builder.fail(concat("python value ", module_, ".", name_, " cannot be called in a script"), range);
        return known->call(builder, arguments, keywords, range);
    }

  private:
    std::string module_;
    std::string name_;
};

SugaredPtr imported_form(std::string_view module, std::string_view name) {
    return module == "torch.jit" ? jit_name(name) : nullptr;
}

// Which module of ours the function stands in, under what name.
std::optional<std::pair<std::string, std::string>> find_imported(const IValue& value) {
    for (const auto& [module_name, module] : Evaluator::current()->state().modules) {
        const bool is_known = is_torch(module_name) || module_name == "math" || module_name == "warnings";
        auto* object = is_known ? object_as<PythonModule>(module) : nullptr;
        if (object == nullptr) continue;
        for (const auto& [name, entry] : object->entries()) {
            if (entry.is_other() && entry.object_pointer() == value.object_pointer())
                return std::pair(module_name, name);
        }
    }
    return std::nullopt;
}

bool is_constant_value(const IValue& value) {
    if (value.is_number() || value.is_string() || value.is_device() || value.is_enum()) return true;
    if (!value.is_tuple()) return false;
    const auto& elements = value.to_tuple().elements;
    return std::all_of(elements.begin(), elements.end(), is_constant_value);
}

std::map<std::string, IValue> field_defaults(ScriptCompiler& compiler, const ClassObject& cls, const TypePtr& type) {
    std::map<std::string, IValue> defaults;
    const IValue* written = cls.find("_field_defaults");
    if (written == nullptr) return defaults;
    const auto& fields = type->as<TupleType>()->fields();
    for (std::size_t i = 0; i < fields.size(); ++i) {
        const IValue* value = find_key(written->to_dict(), IValue(fields[i]));
        if (value == nullptr) continue;
        if (auto converted = compiler.to_script(*value, type->contained()[i]))
            defaults.emplace(fields[i], std::move(*converted));
    }
    return defaults;
}

SugaredPtr class_value(ScriptCompiler& compiler, const IValue& value, ClassObject& cls) {
    const BuiltinClasses& known = builtin_classes();
    if (cls.is_subclass_of(*known.base_exception)) {
        return make_ptr<script::ExceptionClass>(
            cls.name() == "AssertionError" ? "" : concat(cls.is_builtin() ? "builtins." : "__torch__.", cls.name()));
    }
    if (SugaredPtr known_class = ScriptLibrary::current().find("torch", cls.name()); known_class && cls.is_builtin())
        return known_class;
    if (cls.tuple_type) {
        if (SugaredPtr known_class = ScriptLibrary::current().find(cls.module(), cls.name())) return known_class;
    }
    if (cls.module() == "collections" && cls.name() == "OrderedDict") return builtin("aten::dict");
    const TypePtr type = compiler.class_type(cls);
    if (!type) return make_ptr<ForeignValue>(value, std::string());
    if (const auto* plain_class = type->as<ClassType>()) {
        return make_ptr<script::ClassValue>(Ptr<const ClassType>(plain_class), compiler.unit().get());
    }
    if (type->kind() == TypeKind::Tuple)
        return make_ptr<script::NamedTupleClass>(type, field_defaults(compiler, cls, type));
    if (type->kind() == TypeKind::Enum) return make_ptr<script::EnumClass>(Ptr<const EnumType>(type->as<EnumType>()));
    return make_ptr<ForeignValue>(value, std::string());
}

constexpr std::string_view kClosedOver =
    " Perhaps it is a closed over global variable? If so, please consider passing it in as an argument or use a local "
    "varible instead.";

}  // namespace

SugaredPtr ScriptCompiler::sugared(const IValue& value, std::string_view name, bool is_constant) {
    if (value.is_enum() || (is_constant && is_constant_value(value))) return make_ptr<ConstantValue>(value);
    if (is_constant && value.is_none()) return make_ptr<ConstantValue>(value);
    if (!value.is_other()) {
        if (const auto module = nn::as_module(value); module && is_script_module(value)) {
            return make_ptr<ForeignValue>(value, std::string());
        }
        return make_ptr<ForeignValue>(value, std::string(kClosedOver));
    }
    if (const auto* dtype = object_as<DtypeObject>(value)) {
        const IValue number(static_cast<std::int64_t>(dtype->dtype));
        return is_constant ? SugaredPtr(make_ptr<ConstantValue>(number))
                           : SugaredPtr(make_ptr<ForeignValue>(value, std::string(kClosedOver)));
    }
    if (const auto* constant = object_as<ConstantObject>(value))
        return make_ptr<ConstantValue>(IValue(constant->number));
    if (auto* module = object_as<PythonModule>(value)) return make_ptr<PythonModuleValue>(Ptr<PythonModule>(module));
    if (auto* function = object_as<ScriptFunctionObject>(value))
        return make_ptr<script::FunctionValue>(function->function());
    if (auto* function = object_as<FunctionObject>(value)) return function_value(*this, *function);
    if (auto* wrapper = object_as<ScriptIfTracing>(value)) return sugared(wrapper->function, name, is_constant);
    if (auto* cls = object_as<ClassObject>(value)) return class_value(*this, value, *cls);
    if (object_as<NativeCallable>(value) != nullptr) {
        if (const auto place = find_imported(value)) {
            if (SugaredPtr form = imported_form(place->first, place->second)) return form;
            if (place->first == "torch.nn.functional" || place->first == "torch") {
                if (SugaredPtr known = ScriptLibrary::current().find(place->first, place->second)) return known;
            }
            return make_ptr<ImportedFunction>(place->first, place->second);
        }
        if (SugaredPtr known = script::python_builtin(name)) return known;
        return make_ptr<ForeignValue>(value, std::string());
    }
    if (const auto* function = dynamic_cast<const Callable*>(value.object_pointer());
        function != nullptr && object_as<PythonObject>(value) == nullptr) {
        return make_ptr<ImportedFunction>("torch.nn.functional", function->describe());
    }
    if (const auto* instance = object_as<Instance>(value)) {
        const TypePtr type = class_type(*instance->cls());
        if (type && type->kind() == TypeKind::Enum) return make_ptr<ConstantValue>(*to_script(value, type));
    }
    return make_ptr<ForeignValue>(value, std::string(kClosedOver));
}

}  // namespace loupe::python
