// SPDX-License-Identifier: Apache-2.0
// Callables: operators, casts, classes, functions, methods, exceptions.
#include <algorithm>
#include <array>
#include <limits>
#include <numbers>

#include "core/base/strings.h"
#include "core/script/schema_matching.h"
#include "core/script/sugared_value.h"

namespace loupe::script {
namespace {

struct NamedNumber {
    std::string_view name;
    std::int64_t number;
};
// Other names of dtypes, memory formats, layouts.
constexpr std::array kTorchNumbers = {
    NamedNumber{"half", 5},
    NamedNumber{"float", 6},
    NamedNumber{"double", 7},
    NamedNumber{"short", 2},
    NamedNumber{"int", 3},
    NamedNumber{"long", 4},
    NamedNumber{"cfloat", 9},
    NamedNumber{"cdouble", 10},
    NamedNumber{"contiguous_format", 0},
    NamedNumber{"preserve_format", 1},
    NamedNumber{"channels_last", 2},
    NamedNumber{"channels_last_3d", 3},
    NamedNumber{"strided", 0},
    NamedNumber{"sparse_coo", 1},
};

// torch.NAME as a number: dtypes, layouts, pi.
std::optional<IValue> torch_constant(std::string_view name) {
    if (const auto dtype = dtype_from_name(name)) return IValue(static_cast<std::int64_t>(*dtype));
    for (const NamedNumber& entry : kTorchNumbers) {
        if (entry.name == name) return IValue(entry.number);
    }
    if (name == "pi") return IValue(std::numbers::pi);
    if (name == "e") return IValue(std::numbers::e);
    if (name == "inf") return IValue(std::numeric_limits<double>::infinity());
    if (name == "nan") return IValue(std::numeric_limits<double>::quiet_NaN());
    return std::nullopt;
}

// torch.NAME as a module of torch's, or a special form.
SugaredPtr torch_part(BuiltinNamespace& torch, std::string_view name) {
    constexpr std::array<std::string_view, 7> kSame = {"autograd",   "special", "_C",           "nn",
                                                       "functional", "jit",     "_jit_internal"};
    if (std::find(kSame.begin(), kSame.end(), name) != kSame.end()) return SugaredPtr(&torch);
    if (name == "linalg" || name == "fft") return make_ptr<BuiltinNamespace>(concat("aten::", name));
    if (name == "ops") return make_ptr<OpsNamespace>();
    if (name == "annotate") return make_ptr<SpecialForm>(Form::Annotate);
    if (name == "fork" || name == "_fork") return make_ptr<SpecialForm>(Form::Fork);
    if (name == "_wait") return make_ptr<BuiltinValue>(ir::Symbol::intern("aten::wait"));
    if (name == "isinstance") return make_ptr<SpecialForm>(Form::IsInstance);
    return nullptr;
}

// "AssertionError: " and the arguments behind it.
ir::Value* assertion_message(Builder& builder, NamedValues arguments, Range range) {
    const std::string prefix = "AssertionError: ";
    const auto text = arguments.size() == 1 ? ir::constant_of(arguments.front().value) : std::nullopt;
    if (text && text->is_string()) return builder.constant(IValue(prefix + text->to_string()), range);
    ir::Value* message = builder.constant(IValue(prefix), range);
    for (const NamedValue& argument : arguments) {
        ir::Value* part = argument.value;
        if (part->type()->kind() != TypeKind::String) part = call_builtin(builder, "aten::str", {part}, range);
        message = call_builtin(builder, "aten::add", {message, part}, range);
    }
    return message;
}

// Of a function, which is compiled first when it declares no result.
const FunctionSchema& schema_of(Builder& builder, const Function& function, Range range) {
    try {
        return function.schema();
    } catch (const CompileError&) {
        throw;
    } catch (const Error& error) {
        builder.fail(error.message(), range, error.kind());
    }
}

}  // namespace

SugaredPtr BuiltinValue::call(Builder& builder, NamedValues arguments, NamedValues keywords, Range range) {
    // Older archives' form of unchecked_cast.
    if (name_ == ir::prim::unchecked_unwrap_optional && arguments.size() == 1) {
        ir::Value* value = arguments.front().value;
        return simple(builder.unchecked_cast(value, without_optional(value->type())));
    }
    return simple(call_builtin(builder, name_, CallArguments{arguments, keywords, self_ ? &*self_ : nullptr}, range));
}

SugaredPtr BuiltinNamespace::attribute(Builder& builder, std::string_view name, Range range) {
    if (space_ == "aten") {
        if (const auto constant = torch_constant(name)) return simple(builder.constant(*constant, range));
        if (SugaredPtr part = torch_part(*this, name)) return part;
    }
    // torch.linalg.norm is aten::linalg_norm.
    if (space_.starts_with("aten::")) return make_ptr<BuiltinValue>(ir::Symbol::intern(concat(space_, "_", name)));
    return make_ptr<BuiltinValue>(ir::Symbol::intern(concat(space_, "::", name)));
}

SugaredPtr OpsNamespace::attribute(Builder&, std::string_view name, Range) {
    return make_ptr<BuiltinNamespace>(std::string(name));
}

SugaredPtr CastValue::call(Builder& builder, NamedValues arguments, NamedValues keywords, Range range) {
    if (arguments.size() == 1 && keywords.empty()) {
        ir::Value* value = arguments.front().value;
        // Created as in PyTorch even when unused: between an If and one on its result it keeps them from merging.
        ir::Value* zero = builder.constant(IValue(std::int64_t{0}));
        if (value->type()->is_subtype_of(*type_)) return simple(value);
        const TypeKind kind = value->type()->kind();
        const bool is_container = kind == TypeKind::List || kind == TypeKind::String || kind == TypeKind::Dict;
        if (type_->kind() == TypeKind::Bool && is_container) {
            ir::Value* length = call_builtin(builder, "aten::len", {value}, range);
            return simple(call_builtin(builder, "aten::gt", {length, zero}, range));
        }
    }
    return simple(call_builtin(builder, name_, CallArguments{arguments, keywords}, range));
}

SugaredPtr TensorCast::call(Builder& builder, NamedValues arguments, NamedValues keywords, Range range) {
    if (!arguments.empty() || !keywords.empty()) {
        builder.fail(concat(self_.name, " cast takes no arguments"), range);
    }
    const auto value = [&](IValue constant) {
        return NamedValue{range, {}, builder.constant(std::move(constant), range)};
    };
    const NamedValue positional[] = {value(IValue(static_cast<std::int64_t>(dtype_))), value(IValue(false)),
                                     value(IValue(false))};
    return simple(call_builtin(builder, ir::Symbol::intern("aten::to"), CallArguments{positional, {}, &self_}, range));
}

SugaredPtr MagicMethod::call(Builder& builder, NamedValues arguments, NamedValues keywords, Range range) {
    if (!arguments.empty()) {
        ir::Value* self = arguments.front().value;
        if (self->type()->kind() == TypeKind::Class) {
            return simple(self)
                ->attribute(builder, method_, range)
                ->call(builder, arguments.subspan(1), keywords, range);
        }
    }
    return otherwise_->call(builder, arguments, keywords, range);
}

ir::Value* call_magic(Builder& builder, std::string_view method, ir::Symbol name, NamedValues arguments, Range range) {
    ir::Value* self = arguments.front().value;
    if (self->type()->kind() != TypeKind::Class) return call_builtin(builder, name, CallArguments{arguments}, range);
    return simple(self)
        ->attribute(builder, method, range)
        ->call(builder, arguments.subspan(1), {}, range)
        ->as_value(builder, range);
}

SugaredPtr PrintValue::call(Builder& builder, NamedValues arguments, NamedValues keywords, Range range) {
    if (!keywords.empty()) builder.fail("print doesn't accept any keyword arguments", range);
    std::vector<ir::Value*> values;
    for (const NamedValue& argument : arguments) values.push_back(argument.value);
    builder.insert(ir::prim::Print, values, 0)->set_range(builder.place(range));
    return make_ptr<NoValue>();
}

SugaredPtr ClassValue::attribute(Builder& builder, std::string_view name, Range range) {
    if (name == "__new__") return make_ptr<SpecialForm>(Form::CreateObject);
    // A module that calls a submodule's forward also calls the submodule's hooks.
    if (unit_ != nullptr) {
        if (ir::ScriptFunction* hook = unit_->find_function(concat(type_->name(), ".", name))) {
            return make_ptr<FunctionValue>(*hook);
        }
    }
    builder.fail(concat("Tried to lookup unknown attribute '", name, "' on class ", type_->annotation_str()), range);
}

SugaredPtr ClassValue::call(Builder& builder, NamedValues arguments, NamedValues keywords, Range range) {
    ir::Value* self = builder.insert(ir::prim::CreateObject, {})->output()->set_type(type_);
    if (type_->find_method("__init__") == nullptr) {
        builder.fail(concat("Class ", type_->name(), " does not have an __init__ function defined"), range);
    }
    MethodValue(self, "__init__").call(builder, arguments, keywords, range);
    return simple(self);
}

SugaredPtr NamedTupleClass::call(Builder& builder, NamedValues arguments, NamedValues keywords, Range range) {
    const auto& type = *type_->as<TupleType>();
    FunctionSchema schema;
    schema.name = type.name();
    for (std::size_t i = 0; i < type.fields().size(); ++i) {
        Argument argument;
        argument.name = type.fields()[i];
        argument.type = type.contained()[i];
        if (const auto found = defaults_.find(argument.name); found != defaults_.end())
            argument.default_value = found->second;
        schema.arguments.push_back(std::move(argument));
    }
    const MatchedCall matched = match_call(builder, schema, CallArguments{arguments, keywords}, range);
    ir::Value* value = builder.tuple(matched.inputs, type_);
    value->node()->set_range(builder.place(range));
    return simple(value);
}

SugaredPtr EnumClass::attribute(Builder& builder, std::string_view name, Range range) {
    for (const auto& [each, value] : type_->values) {
        if (each != name) continue;
        IValue constant(make_ptr<EnumValue>(type_, each, value));
        return simple(builder.constant(std::move(constant), range));
    }
    builder.fail(concat(type_->annotation_str(), "' has no attribute '", name, "'"), range);
}

SugaredPtr EnumClass::iterate(Builder& builder, Range range) {
    std::vector<IValue> values;
    for (const auto& [name, value] : type_->values) values.emplace_back(make_ptr<EnumValue>(type_, name, value));
    return simple(builder.constant(IValue(make_ptr<ListObject>(TypePtr(type_), std::move(values))), range));
}

SugaredPtr FunctionValue::call(Builder& builder, NamedValues arguments, NamedValues keywords, Range range) {
    const FunctionSchema& schema = schema_of(builder, function_, range);
    const MatchedCall matched = match_call(builder, schema, CallArguments{arguments, keywords}, range);
    const TypePtr& result = matched.results.empty() ? types::none() : matched.results.front();
    ir::Value* value = builder.call_function(function_, matched.inputs, result);
    value->node()->set_range(builder.place(range));
    return simple(value);
}

SugaredPtr MethodValue::call(Builder& builder, NamedValues arguments, NamedValues keywords, Range range) {
    std::vector<NamedValue> with_self = {{range, {}, self_}};
    with_self.insert(with_self.end(), arguments.begin(), arguments.end());
    const FunctionSchema* schema = nullptr;
    if (const auto* type = self_->type()->as<ClassType>()) {
        schema = &schema_of(builder, *type->find_method(name_), range);
    } else {
        const auto& methods = self_->type()->as<InterfaceType>()->methods;
        schema =
            std::find_if(methods.begin(), methods.end(), [&](const auto& each) { return each->name == name_; })->get();
    }
    const MatchedCall matched = match_call(builder, *schema, CallArguments{with_self, keywords}, range);
    const TypePtr& result = matched.results.empty() ? types::none() : matched.results.front();
    ir::Value* value = builder.call_method(name_, matched.inputs, result);
    value->node()->set_range(builder.place(range));
    return simple(value);
}

SugaredPtr ExceptionClass::call(Builder& builder, NamedValues arguments, NamedValues, Range range) {
    if (name_.empty()) return make_ptr<ExceptionMessage>(assertion_message(builder, arguments, range), nullptr);
    ir::Value* message = nullptr;
    if (arguments.empty()) {
        message = builder.constant(IValue(""), range);
    } else if (arguments.size() == 1) {
        message = arguments.front().value;
    } else {
        std::vector<ir::Value*> values;
        for (const NamedValue& argument : arguments) values.push_back(argument.value);
        message = builder.tuple(values);
    }
    return make_ptr<ExceptionMessage>(message, builder.constant(IValue(name_), range));
}

}  // namespace loupe::script
