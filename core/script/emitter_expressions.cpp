// SPDX-License-Identifier: Apache-2.0
#include <bit>

#include "core/base/strings.h"
#include "core/script/emitter.h"
#include "core/script/literals.h"
#include "core/script/symbols.h"

namespace loupe::script {
namespace {

struct BinaryNames {
    std::string_view op;
    std::string_view method;  // of user classes
};

BinaryNames binary_names(OperatorKind op) {
    switch (op) {
        case OperatorKind::Add:
            return {"aten::add", "__add__"};
        case OperatorKind::Sub:
            return {"aten::sub", "__sub__"};
        case OperatorKind::Mul:
            return {"aten::mul", "__mul__"};
        case OperatorKind::MatMul:
            return {"aten::matmul", "__matmul__"};
        case OperatorKind::Div:
            return {"aten::div", "__truediv__"};
        case OperatorKind::FloorDiv:
            return {"aten::floordiv", "__floordiv__"};
        case OperatorKind::Mod:
            return {"aten::remainder", "__mod__"};
        case OperatorKind::Pow:
            return {"aten::pow", "__pow__"};
        case OperatorKind::LeftShift:
            return {"aten::__lshift__", "__lshift__"};
        case OperatorKind::RightShift:
            return {"aten::__rshift__", "__rshift__"};
        case OperatorKind::BitAnd:
            return {"aten::__and__", "__and__"};
        case OperatorKind::BitOr:
            return {"aten::__or__", "__or__"};
        case OperatorKind::BitXor:
            return {"aten::__xor__", "__xor__"};
        case OperatorKind::Lt:
            return {"aten::lt", "__lt__"};
        case OperatorKind::Gt:
            return {"aten::gt", "__gt__"};
        case OperatorKind::Le:
            return {"aten::le", "__le__"};
        case OperatorKind::Ge:
            return {"aten::ge", "__ge__"};
        case OperatorKind::Eq:
            return {"aten::eq", "__eq__"};
        case OperatorKind::Ne:
            return {"aten::ne", "__ne__"};
        default:
            return {"aten::__contains__", "__contains__"};
    }
}

std::string expected_name(TypeKind kind) { return kind == TypeKind::List ? "List" : "Dict"; }

}  // namespace

ir::Value* Emitter::emit_value(const Expr& expression, const TypePtr& hint) {
    ir::Value* value = emit_sugared(expression, hint)->as_value(builder_, expression.range);
    if (hint != nullptr && hint->kind() == TypeKind::Any && value->type()->kind() != TypeKind::Any) {
        value = builder_.unchecked_cast(value, hint);
    }
    return value;
}

SugaredPtr Emitter::emit_sugared(const Expr& expression, const TypePtr& hint) {
    switch (expression.kind) {
        case ExprKind::Name:
            return lookup(as<Name>(&expression)->id, expression.range);
        case ExprKind::Attribute: {
            const auto& attribute = *as<Attribute>(&expression);
            return emit_sugared(*attribute.object)->attribute(builder_, attribute.name, attribute.range);
        }
        case ExprKind::Call:
            return emit_call(*as<Call>(&expression), hint);
        case ExprKind::Subscript:
            return emit_subscript(*as<Subscript>(&expression), hint);
        default:
            return simple(emit_simple(expression, hint));
    }
}

ir::Value* Emitter::emit_simple(const Expr& expression, const TypePtr& hint) {
    switch (expression.kind) {
        case ExprKind::Number:
            return emit_number(*as<Number>(&expression));
        case ExprKind::String:
            return builder_.constant(IValue(as<String>(&expression)->value), expression.range);
        case ExprKind::True:
            return builder_.constant(IValue(true), expression.range);
        case ExprKind::False:
            return builder_.constant(IValue(false), expression.range);
        case ExprKind::None:
            return builder_.constant(IValue(), expression.range);
        case ExprKind::Unary:
            return emit_unary(*as<Unary>(&expression));
        case ExprKind::Binary:
            return emit_binary(*as<Binary>(&expression));
        case ExprKind::Ternary:
            return emit_ternary(*as<Ternary>(&expression), hint);
        case ExprKind::Tuple:
            return builder_.tuple(emit_values(as<Tuple>(&expression)->elements));
        case ExprKind::List:
            return emit_list(*as<List>(&expression), hint);
        case ExprKind::Dict:
            return emit_dict(*as<Dict>(&expression), hint);
        case ExprKind::ListComp: {
            const auto& comp = *as<ListComp>(&expression);
            return emit_list_comprehension(*comp.element, *comp.target, *comp.iterable, hint, comp.range);
        }
        case ExprKind::DictComp: {
            const auto& comp = *as<DictComp>(&expression);
            return emit_dict_comprehension(*comp.key, *comp.value, *comp.target, *comp.iterable, hint, comp.range);
        }
        case ExprKind::Starred:
            fail("Unexpected starred expansion", expression.range);
        case ExprKind::Ellipsis:
            fail("'...' can only be used as an index", expression.range);
        default:
            fail("this expression can only be used as an index", expression.range);
    }
}

// One constant per number, at the start of the graph.
ir::Value* Emitter::shared_constant(IValue number, Range range) {
    ir::Value*& shared = number.is_int() ? int_constants_[number.to_int()]
                                         : float_constants_[std::bit_cast<std::uint64_t>(number.to_double())];
    if (shared == nullptr) {
        const ir::InsertPointScope scope(graph_, graph_.param_node()->next());
        shared = builder_.constant(std::move(number), range);
    }
    return shared;
}

ir::Value* Emitter::emit_number(const Number& number) {
    const auto parsed = parse_number(number.text);
    if (!parsed) fail("Integral constant out of range (must fit in a signed 64 bit integer)", number.range);
    IValue value = *parsed;
    if (value.is_complex()) return builder_.constant(std::move(value), number.range);
    return shared_constant(std::move(value), number.range);
}

ir::Value* Emitter::emit_unary(const Unary& unary) {
    if (unary.op == OperatorKind::Not) return emit_condition(unary).value;
    const bool is_minus = unary.op == OperatorKind::Negate;
    const NamedValue operand{unary.operand->range, {}, emit_value(*unary.operand)};
    // A constant stays constant, so that -x may be where a constant is required.
    if (const auto constant = ir::constant_of(operand.value); constant && is_minus && constant->is_number()) {
        if (!constant->is_bool()) return builder_.constant(IValue(-constant->to_scalar()), unary.range);
    }
    return call_magic(builder_, is_minus ? "__neg__" : "__invert__",
                      ir::Symbol::intern(is_minus ? "aten::neg" : "aten::bitwise_not"), {&operand, 1}, unary.range);
}

ir::Value* Emitter::emit_binary(const Binary& binary) {
    switch (binary.op) {
        case OperatorKind::And:
        case OperatorKind::Or:
        case OperatorKind::Is:
        case OperatorKind::IsNot:
            return emit_condition(binary).value;
        default:
            break;
    }
    if (const auto* imaginary = as<Number>(binary.right); imaginary != nullptr && imaginary->text.ends_with('j')) {
        if (const auto constant = types_.parse_constant(binary)) return builder_.constant(*constant, binary.range);
    }
    NamedValue left{binary.left->range, {}, emit_value(*binary.left)};
    const bool is_format = binary.op == OperatorKind::Mod && left.value->type()->kind() == TypeKind::String;
    // PyTorch evaluates the left side of % again when it is no string; for a variable that is one more
    // load.
    if (binary.op == OperatorKind::Mod && binary.left->kind == ExprKind::Name) left.value = emit_value(*binary.left);
    NamedValue right{binary.right->range, {}, emit_value(*binary.right)};
    if (is_format) {
        ir::Node* node = builder_.insert(symbols().percent_format, {left.value, right.value});
        node->set_range(builder_.place(binary.range));
        return node->output()->set_type(types::string());
    }
    if (binary.op == OperatorKind::In) std::swap(left, right);
    const auto is_tuple = [](const NamedValue& value) { return value.value->type()->kind() == TypeKind::Tuple; };
    if (binary.op == OperatorKind::Add && is_tuple(left) && is_tuple(right)) {
        std::vector<ir::Value*> elements = builder_.unpack_tuple(left.value);
        const std::vector<ir::Value*> more = builder_.unpack_tuple(right.value);
        elements.insert(elements.end(), more.begin(), more.end());
        return builder_.tuple(elements);
    }
    const BinaryNames names = binary_names(binary.op);
    const NamedValue operands[] = {left, right};
    return call_magic(builder_, names.method, ir::Symbol::intern(names.op), operands, binary.range);
}

std::vector<NamedValue> Emitter::emit_arguments(Exprs expressions, Range) {
    std::vector<NamedValue> values;
    values.reserve(expressions.size());
    for (const Expr* expression : expressions) {
        const auto* starred = as<Starred>(expression);
        if (starred == nullptr) {
            values.push_back({expression->range, {}, emit_value(*expression)});
            continue;
        }
        for (const SugaredPtr& element : emit_sugared(*starred->value)->as_tuple(builder_, starred->range)) {
            values.push_back({starred->range, {}, element->as_value(builder_, starred->range)});
        }
    }
    return values;
}

std::vector<ir::Value*> Emitter::emit_values(Exprs expressions) {
    std::vector<ir::Value*> values;
    for (const NamedValue& value : emit_arguments(expressions, {})) values.push_back(value.value);
    return values;
}

// The List or Dict type that a hint allows for a literal whose own type is `actual` (null when it is empty).
TypePtr Emitter::container_hint(TypeKind kind, const TypePtr& hint, const TypePtr& actual, Range range) {
    if (hint->kind() == kind) return hint;
    if (hint->kind() == TypeKind::Any) return actual != nullptr ? actual : types::list(types::tensor());
    std::vector<TypePtr> candidates;
    if (hint->kind() == TypeKind::Optional || hint->kind() == TypeKind::Union) {
        for (const TypePtr& each : hint->contained()) {
            if (each->kind() == kind) candidates.push_back(each);
        }
    }
    if (candidates.size() == 1) return candidates.front();
    for (const TypePtr& candidate : candidates) {
        if (actual == nullptr) break;
        bool fits = true;
        for (std::size_t i = 0; i < candidate->contained().size(); ++i) {
            fits = fits && actual->contained()[i]->is_subtype_of(*candidate->contained()[i]);
        }
        if (fits) return candidate;
    }
    fail(concat("Expected an annotation of type ", expected_name(kind), " but got ", hint->annotation_str()), range);
}

ir::Value* Emitter::emit_list(const List& list, const TypePtr& hint) {
    std::vector<ir::Value*> values = emit_values(list.elements);
    if (values.empty() && hint == nullptr) {
        // Its use may still determine any list type.
        return builder_.insert(symbols().empty_list, {})->output()->set_type(types::list(types::tensor()));
    }
    TypePtr actual;
    if (!values.empty()) {
        std::vector<TypePtr> all;
        for (const ir::Value* value : values) all.push_back(value->type());
        actual = types::list(unify_or_union(all));
    }
    if (hint == nullptr) return builder_.list(actual->element(), values);
    const TypePtr type = container_hint(TypeKind::List, hint, actual, list.range);
    for (ir::Value*& value : values) value = convert_to_type(builder_, type->element(), value, false, list.range);
    for (const ir::Value* value : values) {
        if (value->type()->is_subtype_of(*type->element())) continue;
        fail(concat("List type annotation `", type->annotation_str(), "` did not match the types of the given list ",
                    "elements, which were unified to ", actual->element()->annotation_str()),
             list.range);
    }
    ir::Value* made = builder_.list(type->element(), values);
    return hint->kind() == TypeKind::Union ? builder_.unchecked_cast(made, hint) : made;
}

ir::Value* Emitter::emit_dict(const Dict& dict, const TypePtr& hint) {
    std::vector<ir::Value*> inputs;
    TypePtr key_type = types::string();
    TypePtr value_type = types::tensor();
    for (std::size_t i = 0; i < dict.keys.size(); ++i) {
        ir::Value* key = emit_value(*dict.keys[i]);
        ir::Value* value = emit_value(*dict.values[i]);
        if (i > 0 && key->type()->kind() != key_type->kind()) {
            fail(concat("Dict keys must contain only a single type. Expected: ", key_type->annotation_str(),
                        " but found ", key->type()->annotation_str(), " instead"),
                 dict.keys[i]->range);
        }
        value_type = i == 0 ? value->type() : unify_or_union(value_type, value->type());
        key_type = key->type();
        inputs.push_back(key);
        inputs.push_back(value);
    }
    const TypePtr actual = types::dict(key_type, value_type);
    TypePtr type = actual;
    if (hint != nullptr && hint->kind() != TypeKind::Any)
        type = container_hint(TypeKind::Dict, hint, actual, dict.range);
    if (!inputs.empty() &&
        (!key_type->is_subtype_of(*type->contained()[0]) || !value_type->is_subtype_of(*type->contained()[1]))) {
        fail(concat("Type annotation was inferred to be `", type->annotation_str(),
                    "`, but the type of values given by the dict literal is ", actual->annotation_str()),
             dict.range);
    }
    ir::Value* made = builder_.insert(ir::prim::DictConstruct, inputs)->output()->set_type(type);
    return hint != nullptr && hint->kind() == TypeKind::Union ? builder_.unchecked_cast(made, hint) : made;
}

}  // namespace loupe::script
