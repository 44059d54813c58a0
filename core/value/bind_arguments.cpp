// SPDX-License-Identifier: Apache-2.0
#include "core/value/bind_arguments.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/value/index_value.h"

namespace loupe {
namespace {

[[noreturn]] void run_error(std::string message) { throw Error(ErrorKind::Run, std::move(message)); }

bool is_method(const FunctionSchema& schema) {
    return !schema.overload.empty() && schema.name.find("::") == std::string::npos;
}

// "linear", "Linear.__init__"; of an operator the part after the namespace.
std::string function_name(const FunctionSchema& schema) {
    if (is_method(schema)) return schema.full_name();
    const auto colons = schema.name.rfind("::");
    return colons == std::string::npos ? schema.name : schema.name.substr(colons + 2);
}

// The number in a CPU tensor with one element that needs no gradient.
std::optional<Scalar> number_in(const IValue& value) {
    if (!value.is_tensor()) return std::nullopt;
    const Tensor t = value.to_tensor();
    if (t.numel() != 1 || t.dim() != 0 || t.device().type != DeviceType::Cpu) return std::nullopt;
    return item(t);
}

std::optional<IValue> convert(const Type& type, std::optional<std::int64_t> list_size, const IValue& value);

std::optional<IValue> convert_list(const Type& type, std::optional<std::int64_t> list_size, const IValue& value) {
    const TypePtr& element = type.element();
    if (value.is_list() && value.to_list().element_type->equals(*element)) return value;
    std::span<const IValue> given;
    if (value.is_list()) {
        given = value.to_list().elements;
    } else if (value.is_tuple()) {
        given = value.to_tuple().elements;
    } else {
        // One number for all elements.
        if (!list_size) return std::nullopt;
        const auto one = convert(*element, std::nullopt, value);
        if (!one) return std::nullopt;
        return make_ptr<ListObject>(element, std::vector<IValue>(static_cast<std::size_t>(*list_size), *one));
    }
    auto list = make_ptr<ListObject>(element);
    list->elements.reserve(given.size());
    for (const IValue& each : given) {
        auto converted = convert(*element, std::nullopt, each);
        if (!converted) return std::nullopt;
        list->elements.push_back(std::move(*converted));
    }
    return list;
}

std::optional<IValue> convert_to_number(TypeKind kind, const IValue& value) {
    if (kind == TypeKind::Int) {
        if (const auto index = index_value(value)) return *index;
    }
    if (const auto number = number_in(value)) {
        if (kind == TypeKind::Int && !number->is_integral()) return std::nullopt;
        if (number->is_complex() && kind == TypeKind::Float) return std::nullopt;
        if (kind == TypeKind::Int) return number->to_int();
        if (kind == TypeKind::Float) return number->to_double();
        return IValue(*number);
    }
    if (!value.is_number()) return std::nullopt;
    if (kind == TypeKind::Number) return value;
    if (kind == TypeKind::Int) return value.is_int() ? std::optional(value) : std::nullopt;
    if (kind == TypeKind::Complex) {
        return value.is_complex() ? value : IValue(std::complex<double>(value.to_double()));
    }
    return value.is_complex() ? std::nullopt : std::optional(IValue(value.to_double()));
}

std::optional<IValue> convert(const Type& type, std::optional<std::int64_t> list_size, const IValue& value) {
    switch (type.kind()) {
        case TypeKind::Any:
        case TypeKind::Var:
            return value;
        case TypeKind::Optional:
            return value.is_none() ? std::optional(value) : convert(*type.element(), list_size, value);
        case TypeKind::Tensor:
            return value.is_tensor() ? std::optional(value) : std::nullopt;
        case TypeKind::Int:
        case TypeKind::Float:
        case TypeKind::Complex:
        case TypeKind::Number:
            return convert_to_number(type.kind(), value);
        case TypeKind::Bool:
            return value.is_bool() ? std::optional(value) : std::nullopt;
        case TypeKind::Device:
            if (value.is_string()) return parse_device(value.to_string());
            return value.is_device() ? std::optional(value) : std::nullopt;
        case TypeKind::List:
            return convert_list(type, list_size, value);
        case TypeKind::Generator:
            return value.is_other() ? std::optional(value) : std::nullopt;
        case TypeKind::Union:
            for (const TypePtr& alternative : type.contained()) {
                if (auto converted = convert(*alternative, list_size, value)) return converted;
            }
            return std::nullopt;
        case TypeKind::AnyClass:
            return value.is_object() ? std::optional(value) : std::nullopt;
        default:
            return is_instance(value, type) ? std::optional(value) : std::nullopt;
    }
}

// As PyTorch's messages name it: "Tensor", "tuple of ints", "float".
std::string expected_type_name(const Type& type) {
    switch (type.kind()) {
        case TypeKind::Optional:
            return expected_type_name(*type.element());
        case TypeKind::Number:
            return "Number";
        case TypeKind::AnyClass:
            return "Module";
        case TypeKind::List:
            return concat("tuple of ", expected_type_name(*type.element()), "s");
        default:
            return type.annotation_str();
    }
}

[[noreturn]] void wrong_type(const FunctionSchema& schema, std::size_t position, const IValue& value) {
    const Argument& argument = schema.arguments[position];
    const std::string where = argument.kwarg_only ? std::string() : concat(" (position ", position + 1, ")");
    run_error(concat(function_name(schema), "(): argument '", argument.name, "'", where, " must be ",
                     expected_type_name(*argument.type), ", not ", python_type_name(value)));
}

[[noreturn]] void too_many(const FunctionSchema& schema, std::size_t given) {
    std::size_t most = is_method(schema) ? 1 : 0;
    std::size_t least = most;
    for (const Argument& argument : schema.arguments) {
        if (argument.kwarg_only) continue;
        ++most;
        if (!argument.default_value) ++least;
    }
    given += is_method(schema) ? 1 : 0;
    const std::string takes = least == most ? std::to_string(most) : concat("from ", least, " to ", most);
    run_error(concat(function_name(schema), "() takes ", takes, " positional argument", most == 1 ? "" : "s", " but ",
                     given, given == 1 ? " was" : " were", " given"));
}

// "'a'", "'a' and 'b'", "'a', 'b', and 'c'".
std::string listed(const std::vector<std::string>& names) {
    std::string out;
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (i > 0) out += i + 1 < names.size() ? ", " : names.size() == 2 ? " and " : ", and ";
        out += concat("'", names[i], "'");
    }
    return out;
}

void fill_defaults(const FunctionSchema& schema, std::vector<IValue>& bound, const std::vector<bool>& is_given) {
    std::vector<std::string> missing;
    bool only_keywords = true;
    for (std::size_t i = 0; i < schema.arguments.size(); ++i) {
        const Argument& argument = schema.arguments[i];
        if (is_given[i]) continue;
        if (argument.default_value) {
            bound[i] = *argument.default_value;
        } else {
            missing.push_back(argument.name);
            only_keywords = only_keywords && argument.kwarg_only;
        }
    }
    if (missing.empty()) return;
    run_error(concat(function_name(schema), "() missing ", missing.size(), " required ",
                     only_keywords ? "keyword-only" : "positional", " argument", missing.size() == 1 ? "" : "s", ": ",
                     listed(missing)));
}

}  // namespace

std::string python_type_name(const IValue& value) {
    switch (value.tag()) {
        case IValue::Tag::None:
            return "NoneType";
        case IValue::Tag::String:
            return "str";
        case IValue::Tag::List:
            return "list";
        case IValue::Tag::Tuple:
            return "tuple";
        case IValue::Tag::Dict:
            return "dict";
        case IValue::Tag::Device:
            return "torch.device";
        case IValue::Tag::Future:
            return "Future";
        case IValue::Tag::Enum:
        case IValue::Tag::Object:
            return std::string(split(type_of(value)->name(), '.').back());
        case IValue::Tag::Other:
            if (const auto callable = value.to_other_as<Callable>()) return callable->describe();
            return "object";
        default:
            return value_type_name(value);
    }
}

std::optional<IValue> convert_argument(const Argument& argument, const IValue& value) {
    return convert(*argument.type, argument.list_size, value);
}

namespace {

// Positional arguments only: converted in place.
std::vector<IValue> bind_positions(const FunctionSchema& schema, std::vector<IValue> values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (schema.arguments[i].kwarg_only) too_many(schema, values.size());
        auto converted = convert_argument(schema.arguments[i], values[i]);
        if (!converted) wrong_type(schema, i, values[i]);
        values[i] = std::move(*converted);
    }
    const std::size_t given = values.size();
    const std::size_t count = schema.arguments.size();
    if (given == count) return values;
    std::vector<bool> is_given(count, false);
    std::fill_n(is_given.begin(), given, true);
    values.resize(count);
    fill_defaults(schema, values, is_given);
    return values;
}

}  // namespace

std::vector<IValue> bind_arguments(const FunctionSchema& schema, CallArguments arguments) {
    if (arguments.keywords.empty() && !schema.is_vararg && arguments.positional.size() <= schema.arguments.size()) {
        return bind_positions(schema, std::move(arguments.positional));
    }
    const std::size_t count = schema.arguments.size();
    std::vector<IValue> bound(count);
    std::vector<bool> is_given(count, false);
    const auto give = [&](std::size_t i, const IValue& value) {
        auto converted = convert_argument(schema.arguments[i], value);
        if (!converted) wrong_type(schema, i, value);
        bound[i] = std::move(*converted);
        is_given[i] = true;
    };
    std::size_t next = 0;
    std::vector<IValue> rest;
    for (IValue& value : arguments.positional) {
        if (next < count && !schema.arguments[next].kwarg_only) {
            give(next++, value);
        } else if (schema.is_vararg) {
            rest.push_back(std::move(value));
        } else {
            too_many(schema, arguments.positional.size());
        }
    }
    for (const auto& [name, value] : arguments.keywords) {
        const auto place = schema.find_argument(name);
        if (!place) {
            if (schema.is_vararg) continue;
            run_error(concat(function_name(schema), "() got an unexpected keyword argument '", name, "'"));
        }
        if (is_given[*place])
            run_error(concat(function_name(schema), "() got multiple values for argument '", name, "'"));
        give(*place, value);
    }
    fill_defaults(schema, bound, is_given);
    bound.insert(bound.end(), std::make_move_iterator(rest.begin()), std::make_move_iterator(rest.end()));
    return bound;
}

}  // namespace loupe
