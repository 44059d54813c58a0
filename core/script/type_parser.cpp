// SPDX-License-Identifier: Apache-2.0
#include "core/script/type_parser.h"

#include <limits>
#include <unordered_map>

#include "core/base/strings.h"
#include "core/script/literals.h"
#include "core/script/parser.h"

namespace loupe::script {
namespace {

const std::unordered_map<std::string_view, TypePtr>& simple_types() {
    static const auto* const table = new std::unordered_map<std::string_view, TypePtr>{
        {"Tensor", types::tensor()},
        {"int", types::integer()},
        {"float", types::floating()},
        {"complex", types::complex()},
        {"bool", types::boolean()},
        {"str", types::string()},
        {"number", types::number()},
        {"Scalar", types::number()},
        {"None", types::none()},
        {"NoneType", types::none()},
        {"Any", types::any()},
        {"Device", types::device()},
        {"torch.device", types::device()},
        {"Generator", types::generator()},
        {"torch.Tensor", types::tensor()},
        {"torch.Generator", types::generator()},
        {"Storage", make_type(TypeKind::Storage)},
        {"Capsule", make_type(TypeKind::Capsule)},
        {"Stream", make_type(TypeKind::Capsule, {}, "Stream")},
        {"QScheme", make_type(TypeKind::Capsule, {}, "QScheme")},
        {"list", make_type(TypeKind::AnyList)},
        {"tuple", make_type(TypeKind::AnyTuple)},
        {"Layout", types::integer()},
        {"torch.layout", types::integer()},
        {"torch.dtype", types::integer()},
        {"torch.memory_format", types::integer()},
        {"torch.Size", types::list(types::integer())},
    };
    return *table;
}

std::string_view without_module(std::string_view name) {
    for (const std::string_view prefix : {"typing.", "torch.jit."}) {
        if (name.starts_with(prefix)) return name.substr(prefix.size());
    }
    return name;
}

// N of BroadcastingListN[T]: a list of N, which accepts one T.
std::optional<std::int64_t> broadcast_size(std::string_view name) {
    constexpr std::string_view kPrefix = "BroadcastingList";
    if (!name.starts_with(kPrefix) || name.size() != kPrefix.size() + 1) return std::nullopt;
    const char digit = name.back();
    return digit >= '1' && digit <= '6' ? std::optional<std::int64_t>(digit - '0') : std::nullopt;
}

std::optional<std::int64_t> broadcast_size_of(const Expr* annotation) {
    const auto* subscript = as<Subscript>(annotation);
    if (subscript == nullptr) return std::nullopt;
    const auto name = dotted_name(*subscript->value);
    if (!name) return std::nullopt;
    if (*name == "Optional" && subscript->indices.size() == 1) return broadcast_size_of(subscript->indices.front());
    return broadcast_size(*name);
}

}  // namespace

std::optional<std::string> dotted_name(const Expr& expression) {
    if (const auto* name = as<Name>(&expression)) return std::string(name->id);
    if (const auto* attribute = as<Attribute>(&expression)) {
        if (auto object = dotted_name(*attribute->object)) return concat(*object, ".", attribute->name);
    }
    return std::nullopt;
}

void TypeParser::fail(const std::string& message, const Expr& place_of) const {
    throw CompileError(message, place(source_, place_of.range));
}

TypePtr TypeParser::parse(const Expr& annotation) const {
    switch (annotation.kind) {
        case ExprKind::None:
            return types::none();
        case ExprKind::Subscript:
            return parse_subscript(*as<Subscript>(&annotation));
        case ExprKind::Binary: {
            const auto& binary = *as<Binary>(&annotation);  // int | None
            if (binary.op != OperatorKind::BitOr) break;
            return types::union_of({parse(*binary.left), parse(*binary.right)});
        }
        case ExprKind::String: {
            const auto text = std::make_shared<const ir::Source>(std::string(as<String>(&annotation)->value));
            try {
                const auto tree = parse_expression(text);
                return TypeParser(resolver_, text).parse(*as<ExprStmt>(tree->body.front())->value);
            } catch (const CompileError& error) {
                fail(error.message(), annotation);  // reported at the string
            }
        }
        default:
            break;
    }
    return parse_name(annotation);
}

TypePtr TypeParser::parse_name(const Expr& expression) const {
    const auto name = dotted_name(expression);
    if (!name) fail("Expression of type '' cannot be used in a type expression", expression);
    const std::string_view plain = without_module(*name);
    if (const auto found = simple_types().find(plain); found != simple_types().end()) return found->second;
    if (TypePtr type = resolver_.resolve_type(*name)) return type;
    fail(concat("Unknown type name '", *name, "'"), expression);
}

std::vector<TypePtr> TypeParser::parse_all(std::span<const Expr* const> expressions) const {
    std::vector<TypePtr> parsed;
    for (const Expr* expression : expressions) {
        const auto* tuple = as<Tuple>(expression);
        if (tuple != nullptr && tuple->elements.empty()) continue;  // Tuple[()]
        parsed.push_back(parse(*expression));
    }
    return parsed;
}

TypePtr TypeParser::parse_subscript(const Subscript& subscript) const {
    const auto name = dotted_name(*subscript.value);
    if (!name) fail("Subscripted type must be a type identifier", subscript);
    const std::string constructor = resolver_.constructor_name(*name);
    const std::string_view plain = without_module(constructor);
    std::vector<TypePtr> parts = parse_all(subscript.indices);
    const auto expect = [&](std::size_t count) {
        if (parts.size() != count) {
            fail(
                concat("expected exactly ", count, " element type", count == 1 ? "" : "s", " but found ", parts.size()),
                subscript);
        }
    };
    if (plain == "Tuple" || plain == "tuple") return types::tuple(std::move(parts));
    if (plain == "Union") {
        if (parts.empty()) fail("Union needs at least one type", subscript);
        return types::union_of(std::move(parts));
    }
    if (plain == "Dict" || plain == "dict") {
        expect(2);
        return types::dict(parts[0], parts[1]);
    }
    if (plain == "List" || plain == "list") {
        expect(1);
        return types::list(parts[0]);
    }
    if (plain == "Optional") {
        expect(1);
        return types::optional(parts[0]);
    }
    if (plain == "Future" || plain == "torch.futures.Future") {
        expect(1);
        return types::future(parts[0]);
    }
    if (plain == "Final") {
        expect(1);
        return parts[0];
    }
    if (broadcast_size(plain)) {
        expect(1);
        return types::list(parts[0]);
    }
    fail(concat("Unknown type constructor ", *name), subscript);
}

namespace {

// Text is no number and a fraction no int; containers and classes are checked when the function is called.
bool can_be_default(const IValue& value, const Type& declared) {
    const bool is_optional = declared.kind() == TypeKind::Optional;
    const Type& type = is_optional ? *declared.element() : declared;
    const TypeKind kind = type.kind();
    if (value.is_none()) return is_optional || kind == TypeKind::None || kind == TypeKind::Any;
    if (value.is_tensor()) return kind == TypeKind::Tensor || kind == TypeKind::Any;
    const bool is_number =
        kind == TypeKind::Int || kind == TypeKind::Float || kind == TypeKind::Bool || kind == TypeKind::Number;
    if (value.is_string()) return !is_number && kind != TypeKind::Tensor;
    if (value.is_number() && kind == TypeKind::String) return false;
    return !value.is_double() || (kind != TypeKind::Int && kind != TypeKind::Bool);
}

}  // namespace

Argument TypeParser::parse_param(const Param& param) const {
    Argument argument;
    argument.name = std::string(param.name);
    argument.kwarg_only = param.kwarg_only;
    argument.type = param.annotation != nullptr ? parse(*param.annotation) : resolver_.type_of_unannotated();
    argument.list_size = broadcast_size_of(param.annotation);
    if (param.default_value != nullptr) {
        argument.default_value = resolver_.default_value(param.name);
        if (!argument.default_value) argument.default_value = parse_constant(*param.default_value, argument.type.get());
        if (argument.default_value && argument.default_value->is_int() &&
            without_optional(argument.type)->kind() == TypeKind::Float) {
            argument.default_value = IValue(argument.default_value->to_double());
        }
        if (!argument.default_value) {
            fail("Expected a constant as the default value of a parameter", *param.default_value);
        }
        if (!can_be_default(*argument.default_value, *argument.type)) {
            fail(concat("Expected a default value of type ", argument.type->annotation_str(), " on parameter \"",
                        param.name, "\""),
                 *param.default_value);
        }
    }
    return argument;
}

FunctionSchema TypeParser::parse_schema(const Def& def, bool skip_self) const {
    FunctionSchema schema;
    schema.name = std::string(def.name);
    if (skip_self && def.params.empty())
        throw CompileError("methods must have a self argument", place(source_, def.params_range));
    for (const Param& param : def.params.subspan(skip_self ? 1 : 0)) schema.arguments.push_back(parse_param(param));
    if (def.return_annotation != nullptr) {
        Argument result;
        result.type = parse(*def.return_annotation);
        schema.returns.push_back(std::move(result));
    }
    return schema;
}

std::optional<IValue> TypeParser::parse_constant(const Expr& expression, const Type* hint) const {
    if (hint != nullptr && hint->kind() == TypeKind::Optional) hint = hint->element().get();
    switch (expression.kind) {
        case ExprKind::True:
            return IValue(true);
        case ExprKind::False:
            return IValue(false);
        case ExprKind::None:
            return IValue();
        case ExprKind::String:
            return IValue(as<String>(&expression)->value);
        case ExprKind::Number: {
            auto number = parse_number(as<Number>(&expression)->text);
            if (number && number->is_int() && hint != nullptr && hint->kind() == TypeKind::Float) {
                return IValue(number->to_double());
            }
            return number;
        }
        case ExprKind::Unary: {
            const auto& unary = *as<Unary>(&expression);
            const auto operand = parse_constant(*unary.operand, hint);
            if (unary.op != OperatorKind::Negate || !operand || !operand->is_number()) return std::nullopt;
            return IValue(-operand->to_scalar());
        }
        case ExprKind::Binary: {
            // 1.+2.j
            const auto& binary = *as<Binary>(&expression);
            const auto left = parse_constant(*binary.left);
            const auto right = parse_constant(*binary.right);
            const bool is_sum = binary.op == OperatorKind::Add || binary.op == OperatorKind::Sub;
            if (!is_sum || !left || !right || !left->is_number() || !right->is_complex()) return std::nullopt;
            const std::complex<double> imaginary = right->to_complex();
            const std::complex<double> real = left->to_scalar().to_complex();
            return IValue(binary.op == OperatorKind::Add ? real + imaginary : real - imaginary);
        }
        case ExprKind::Tuple: {
            std::vector<IValue> elements;
            for (const Expr* element : as<Tuple>(&expression)->elements) {
                auto value = parse_constant(*element);
                if (!value) return std::nullopt;
                elements.push_back(std::move(*value));
            }
            return IValue(make_ptr<TupleObject>(std::move(elements)));
        }
        case ExprKind::List:
            return parse_constant_list(*as<List>(&expression), hint);
        case ExprKind::Dict:
            return parse_constant_dict(*as<Dict>(&expression), hint);
        case ExprKind::Call:
            return parse_constant_device(*as<Call>(&expression));
        default:
            break;
    }
    if (auto value = resolver_.constant(expression)) return value;
    const auto name = dotted_name(expression);
    if (name == "inf" || name == "math.inf") return IValue(std::numeric_limits<double>::infinity());
    if (name == "nan" || name == "math.nan") return IValue(std::numeric_limits<double>::quiet_NaN());
    if (!name || name->find('.') == std::string::npos) return std::nullopt;
    // The value of an enum.
    const std::size_t dot = name->rfind('.');
    const TypePtr type = resolver_.resolve_type(name->substr(0, dot));
    if (type == nullptr || type->kind() != TypeKind::Enum) return std::nullopt;
    const Ptr<const EnumType> enum_type(type->as<EnumType>());
    for (const auto& [each, value] : enum_type->values) {
        if (each == name->substr(dot + 1)) return IValue(make_ptr<EnumValue>(enum_type, each, value));
    }
    return std::nullopt;
}

// torch.device("cpu")
std::optional<IValue> TypeParser::parse_constant_device(const Call& call) const {
    const auto* name =
        call.arguments.size() == 1 && call.keywords.empty() ? as<String>(call.arguments.front()) : nullptr;
    if (name == nullptr || dotted_name(*call.callee) != "torch.device") return std::nullopt;
    return IValue(parse_device(name->value));
}

std::optional<IValue> TypeParser::parse_constant_list(const List& list, const Type* hint) const {
    const TypePtr wanted = hint != nullptr && hint->kind() == TypeKind::List ? hint->element() : nullptr;
    std::vector<IValue> elements;
    for (const Expr* element : list.elements) {
        auto value = parse_constant(*element, wanted.get());
        if (!value) return std::nullopt;
        elements.push_back(std::move(*value));
    }
    const TypePtr type = wanted != nullptr ? wanted : elements.empty() ? types::tensor() : type_of(elements.front());
    return IValue(make_ptr<ListObject>(type, std::move(elements)));
}

std::optional<IValue> TypeParser::parse_constant_dict(const Dict& dict, const Type* hint) const {
    const bool is_hinted = hint != nullptr && hint->kind() == TypeKind::Dict;
    auto made = make_ptr<DictObject>(is_hinted ? hint->contained()[0] : types::string(),
                                     is_hinted ? hint->contained()[1] : types::tensor());
    for (std::size_t i = 0; i < dict.keys.size(); ++i) {
        auto key = parse_constant(*dict.keys[i]);
        auto value = parse_constant(*dict.values[i]);
        if (!key || !value) return std::nullopt;
        if (i == 0 && !is_hinted) {
            made->key_type = type_of(*key);
            made->value_type = type_of(*value);
        }
        made->set(std::move(*key), std::move(*value));
    }
    return IValue(std::move(made));
}

}  // namespace loupe::script
