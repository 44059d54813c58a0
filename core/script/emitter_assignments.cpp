// SPDX-License-Identifier: Apache-2.0
#include "core/base/strings.h"
#include "core/script/emitter.h"
#include "core/script/symbols.h"

namespace loupe::script {
namespace {

struct AugmentedOperator {
    std::string_view name;      // of numbers
    std::string_view in_place;  // of tensors and lists
    std::string_view method;    // of user classes, after "__"; "i" before it for the one that changes the object
};

AugmentedOperator augmented_operator(OperatorKind op) {
    switch (op) {
        case OperatorKind::Add:
            return {"aten::add", "aten::add_", "add__"};
        case OperatorKind::Sub:
            return {"aten::sub", "aten::sub_", "sub__"};
        case OperatorKind::Mul:
            return {"aten::mul", "aten::mul_", "mul__"};
        case OperatorKind::Div:
            return {"aten::div", "aten::div_", "truediv__"};
        case OperatorKind::FloorDiv:
            return {"aten::floordiv", "aten::floordiv", "floordiv__"};
        case OperatorKind::Mod:
            return {"aten::fmod", "aten::fmod_", "mod__"};
        case OperatorKind::Pow:
            return {"aten::pow", "aten::pow", "pow__"};
        case OperatorKind::MatMul:
            return {"aten::matmul", "aten::matmul", "matmul__"};
        case OperatorKind::BitOr:
            return {"aten::__or__", "aten::bitwise_or", "or__"};
        case OperatorKind::BitAnd:
            return {"aten::__and__", "aten::bitwise_and", "and__"};
        case OperatorKind::BitXor:
            return {"aten::__xor__", "aten::bitwise_xor", "xor__"};
        case OperatorKind::LeftShift:
            return {"aten::__lshift__", "aten::__lshift__", "lshift__"};
        default:
            return {"aten::__rshift__", "aten::__irshift__", "rshift__"};
    }
}

ir::Symbol augmented_symbol(OperatorKind op, const Type& type) {
    const bool in_place = type.kind() == TypeKind::Tensor || type.kind() == TypeKind::List;
    const AugmentedOperator names = augmented_operator(op);
    return ir::Symbol::intern(in_place ? names.in_place : names.name);
}

}  // namespace

void Emitter::emit_assign(const Assign& statement) {
    if (statement.value == nullptr) {
        fail("For an assignment, expected an expression on the right-hand side", statement.range);
    }
    if (statement.targets.size() == 1) {
        return assign(*statement.targets.front(), *statement.value, statement.annotation, statement.range);
    }
    // a = b = value: the value once, then the targets from left to right.
    const std::string_view name = temporary_name("tmp_assign_");
    environment().set(builder_, name, emit_sugared(*statement.value), statement.value->range);
    Name variable{};
    variable.kind = ExprKind::Name;
    variable.range = statement.value->range;
    variable.id = name;
    for (const Expr* target : statement.targets) assign(*target, variable, nullptr, statement.range);
}

void Emitter::assign(const Expr& target, const Expr& value, const Expr* annotation, Range range) {
    const TypePtr type = annotation != nullptr ? types_.parse(*annotation) : nullptr;
    switch (target.kind) {
        case ExprKind::Name: {
            const SugaredPtr result = emit_sugared(value, type);
            return environment().set(builder_, as<Name>(&target)->id, result, target.range, type);
        }
        case ExprKind::Tuple:
        case ExprKind::List: {
            Tuple tuple{};
            tuple.range = target.range;
            tuple.elements =
                target.kind == ExprKind::Tuple ? as<Tuple>(&target)->elements : as<List>(&target)->elements;
            return assign_tuple(tuple, emit_sugared(value), value.range);
        }
        case ExprKind::Attribute: {
            const auto& attribute = *as<Attribute>(&target);
            const SugaredPtr object = emit_sugared(*attribute.object);
            ir::Value* result = emit_sugared(value, type)->as_value(builder_, value.range);
            return object->set_attribute(builder_, attribute.name, result, range);
        }
        case ExprKind::Subscript:
            return assign_subscript(*as<Subscript>(&target), {value.range, {}, emit_value(value)}, range);
        default:
            fail("unexpected expression on left-hand side of assignment", target.range);
    }
}

// Is one of the targets starred?
bool Emitter::check_targets(Exprs targets, Range range) {
    std::size_t starred = 0;
    for (const Expr* target : targets) {
        switch (target->kind) {
            case ExprKind::Name:
            case ExprKind::Subscript:
            case ExprKind::Tuple:
            case ExprKind::Attribute:
                break;
            case ExprKind::Starred:
                ++starred;
                break;
            default:
                fail("lhs of assignment must be a variable, subscript, or starred expression", target->range);
        }
    }
    if (starred > 1) fail("Only one starred expression is allowed on the lhs", range);
    if (starred > 0 && targets.size() == starred) {
        fail("A Starred expression may only appear on the lhs within the presence of another non-starred expression",
             range);
    }
    return starred > 0;
}

void Emitter::assign_tuple(const Tuple& target, const SugaredPtr& value, Range value_range) {
    const bool is_starred = check_targets(target.elements, target.range);
    const std::size_t wanted = target.elements.size() - (is_starred ? 1 : 0);
    const auto values =
        value->as_tuple(builder_, value_range, is_starred ? std::nullopt : std::optional<std::size_t>(wanted));
    if (values.size() < wanted) {
        fail(concat("need ", is_starred ? "at least " : "", wanted, " values to unpack but found only ", values.size()),
             target.range);
    }
    if (values.size() > wanted && !is_starred) {
        fail(concat("too many values to unpack: need ", wanted, " but found ", values.size()), target.range);
    }
    assign_targets(target.elements, values, value_range);
}

void Emitter::assign_targets(Exprs targets, std::span<const SugaredPtr> values, Range value_range) {
    std::size_t next = 0;
    for (const Expr* target : targets) {
        const auto* starred = as<Starred>(target);
        if (starred == nullptr) {
            assign_sugared(*target, values[next++], value_range);
            continue;
        }
        const auto* name = as<Name>(starred->value);
        if (name == nullptr) fail("Cannot pack a tuple into a non-variable", starred->value->range);
        std::vector<ir::Value*> packed;
        const std::size_t count = values.size() - (targets.size() - 1);
        for (std::size_t i = 0; i < count; ++i) packed.push_back(values[next++]->as_value(builder_, target->range));
        environment().set(builder_, name->id, simple(builder_.tuple(packed)), name->range);
    }
}

void Emitter::assign_sugared(const Expr& target, const SugaredPtr& value, Range value_range) {
    switch (target.kind) {
        case ExprKind::Name:
            return environment().set(builder_, as<Name>(&target)->id, value, target.range);
        case ExprKind::Subscript:
            return assign_subscript(*as<Subscript>(&target), {value_range, {}, value->as_value(builder_, value_range)},
                                    value_range);
        case ExprKind::Tuple:
            return assign_tuple(*as<Tuple>(&target), value, value_range);
        case ExprKind::Attribute: {
            const auto& attribute = *as<Attribute>(&target);
            return emit_sugared(*attribute.object)
                ->set_attribute(builder_, attribute.name, value->as_value(builder_, value_range), value_range);
        }
        default:
            fail("unexpected expression on the left-hand side", target.range);
    }
}

// A number assigned to elements of a tensor becomes a tensor of its dtype and device.
NamedValue Emitter::to_tensor(const NamedValue& value, ir::Value* like) {
    switch (value.value->type()->kind()) {
        case TypeKind::Number:
        case TypeKind::Int:
        case TypeKind::Bool:
        case TypeKind::Float:
            break;
        default:
            return value;
    }
    ir::Value* dtype = call_builtin(builder_, "prim::dtype", {like}, value.range);
    ir::Value* device = call_builtin(builder_, "prim::device", {like}, value.range);
    const NamedValue data{value.range, {}, value.value};
    const NamedValue options[] = {{value.range, "dtype", dtype}, {value.range, "device", device}};
    ir::Value* made =
        call_builtin(builder_, ir::Symbol::intern("aten::tensor"), CallArguments{{&data, 1}, options}, value.range);
    return {value.range, {}, made};
}

void Emitter::assign_subscript(const Subscript& target, const NamedValue& value, Range range) {
    ir::Value* container = emit_value(*target.value);
    if (is_tensor(container->type())) {
        const auto [place, tensors] = emit_basic_indexing(container, target.indices, target.range);
        const NamedValue converted = to_tensor(value, place);
        if (tensors.empty()) {
            call_builtin(builder_, "aten::copy_", {place, converted.value}, range);
        } else {
            ir::Value* indices = builder_.list(types::optional(types::tensor()), tensors);
            call_builtin(builder_, "aten::index_put_", {place, indices, converted.value}, range);
        }
        return;
    }
    if (target.indices.size() != 1 || target.indices.front()->kind == ExprKind::Slice) {
        fail("Sliced expression not yet supported for subscripted assignment. File a bug if you want this",
             target.range);
    }
    if (container->type()->kind() == TypeKind::Tuple) {
        fail(container->type()->annotation_str() + " does not support subscripted assignment", target.range);
    }
    const NamedValue arguments[] = {{target.value->range, {}, container},
                                    {target.range, {}, emit_value(*target.indices.front())},
                                    {value.range, {}, value.value}};
    static const ir::Symbol kSetItem = ir::Symbol::intern("aten::_set_item");
    call_magic(builder_, "__setitem__", kSetItem, arguments, range);
}

void Emitter::emit_augmented(const AugAssign& statement) {
    switch (statement.target->kind) {
        case ExprKind::Name: {
            const auto& name = *as<Name>(statement.target);
            ir::Value* result = augmented_value(statement, emit_value(name));
            return environment().set(builder_, name.id, simple(result), name.range);
        }
        case ExprKind::Attribute: {
            const auto& attribute = *as<Attribute>(statement.target);
            const SugaredPtr object = emit_sugared(*attribute.object);
            ir::Value* before =
                object->attribute(builder_, attribute.name, attribute.range)->as_value(builder_, attribute.range);
            ir::Value* result = augmented_value(statement, before);
            return object->set_attribute(builder_, attribute.name, result, statement.range);
        }
        case ExprKind::Subscript:
            return augment_subscript(statement, *as<Subscript>(statement.target));
        default:
            fail("unexpected expression on left-hand side of augmented assignment", statement.target->range);
    }
}

ir::Value* Emitter::augmented_value(const AugAssign& statement, ir::Value* value) {
    ir::Value* operand = emit_value(*statement.value);
    const auto* type = value->type()->as<ClassType>();
    if (type == nullptr) {
        return call_builtin(builder_, augmented_symbol(statement.op, *value->type()), {value, operand},
                            statement.range);
    }
    const std::string_view method = augmented_operator(statement.op).method;
    const std::string in_place = concat("__i", method);
    const std::string plain = concat("__", method);
    const bool has_in_place = type->find_method(in_place) != nullptr;
    if (!has_in_place && type->find_method(plain) == nullptr) {
        fail(concat("Cannot emit inplace op on ", type->annotation_str(), " since it does not define an ", in_place,
                    " or ", plain, " method"),
             statement.range);
    }
    const NamedValue argument{statement.value->range, {}, operand};
    return MethodValue(value, has_in_place ? in_place : plain)
        .call(builder_, {&argument, 1}, {}, statement.range)
        ->as_value(builder_, statement.range);
}

void Emitter::augment_subscript(const AugAssign& statement, const Subscript& target) {
    ir::Value* container = emit_value(*target.value);
    if (!is_tensor(container->type())) return augment_item(statement, target, container);
    const auto [place, tensors] = emit_basic_indexing(container, target.indices, target.range);
    ir::Value* operand = emit_value(*statement.value);
    const ir::Symbol op = augmented_symbol(statement.op, *container->type());
    if (tensors.empty()) {
        call_builtin(builder_, op, {place, operand}, statement.range);
        return;
    }
    ir::Value* indices = builder_.list(types::optional(types::tensor()), tensors);
    ir::Value* indexed = call_builtin(builder_, "aten::index", {place, indices}, statement.range);
    ir::Value* result = call_builtin(builder_, op, {indexed, operand}, statement.range);
    call_builtin(builder_, "aten::index_put_", {place, indices, result}, statement.range);
}

// container[i] += value of a list or dict.
void Emitter::augment_item(const AugAssign& statement, const Subscript& target, ir::Value* container) {
    const TypePtr& type = container->type();
    if (type->kind() != TypeKind::List && type->kind() != TypeKind::Dict) {
        fail(type->annotation_str() + " does not support augmented assignment.", target.range);
    }
    if (target.indices.size() != 1 || target.indices.front()->kind == ExprKind::Slice) {
        fail(concat("Sliced expression not yet supported for ", type->annotation_str(),
                    " augmented assignment. File a bug if you want this"),
             target.range);
    }
    ir::Value* index = emit_value(*target.indices.front());
    ir::Value* operand = emit_value(*statement.value);
    ir::Value* before = call_builtin(builder_, "aten::__getitem__", {container, index}, statement.range);
    ir::Value* after = call_builtin(builder_, augmented_symbol(statement.op, *type->contained().back()),
                                    {before, operand}, statement.range);
    call_builtin(builder_, "aten::_set_item", {container, index, after}, statement.range);
}

}  // namespace loupe::script
