// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "core/base/strings.h"
#include "core/script/emitter.h"
#include "core/script/symbols.h"

namespace loupe::script {
namespace {

enum class NoneStatus : std::uint8_t { Always, Maybe, Never };

NoneStatus none_status(const ir::Value* value) {
    if (value->type()->kind() == TypeKind::None || ir::is_none_constant(value)) return NoneStatus::Always;
    const auto& type = *value->type();
    const bool is_union_with_none = type.kind() == TypeKind::Union && types::none()->is_subtype_of(type);
    if (type.kind() == TypeKind::Optional || is_union_with_none) return NoneStatus::Maybe;
    return type.kind() == TypeKind::Any ? NoneStatus::Maybe : NoneStatus::Never;
}

// The alternatives of a type: of a Union or Optional each, of others itself.
std::vector<TypePtr> alternatives(const TypePtr& type) {
    if (type->kind() == TypeKind::Union) return type->contained();
    if (type->kind() == TypeKind::Optional) {
        std::vector<TypePtr> all = alternatives(type->element());
        all.push_back(types::none());
        return all;
    }
    return {type};
}

// The type without None, for `x is not None`; null when nothing is left or it had none.
TypePtr without_none(const TypePtr& type) {
    if (type->kind() == TypeKind::Optional) return type->element();
    if (type->kind() != TypeKind::Union) return nullptr;
    std::vector<TypePtr> rest;
    for (const TypePtr& each : type->contained()) {
        if (each->kind() != TypeKind::None) rest.push_back(each);
    }
    return rest.empty() ? nullptr : types::union_of(std::move(rest));
}

struct InstanceSplit {
    std::vector<TypePtr> matching;
    std::vector<TypePtr> others;
    bool always = true;
};

// How isinstance(x, wanted) splits the types that x may have.
InstanceSplit split_types(const std::vector<TypePtr>& actual, const std::vector<TypePtr>& wanted) {
    InstanceSplit split;
    for (const TypePtr& type : actual) {
        if (type->kind() == TypeKind::Any) {
            split.matching.insert(split.matching.end(), wanted.begin(), wanted.end());
            split.others.push_back(type);
            split.always = wanted.size() == 1 && wanted.front()->kind() == TypeKind::Any;
            return split;
        }
        TypePtr refined;
        for (const TypePtr& each : wanted) {
            if (type->is_subtype_of(*each)) {
                refined = type;  // List[str] for list
            } else if (each->is_subtype_of(*type)) {
                refined = refined != nullptr ? unify_or_union(refined, each) : each;
            }
        }
        if (refined == nullptr) {
            split.others.push_back(type);
            split.always = false;
        } else {
            split.matching.push_back(refined);
            if (!refined->equals(*type)) split.always = false;
        }
    }
    return split;
}

}  // namespace

Condition Emitter::emit_condition(const Expr& expression) {
    if (const auto* unary = as<Unary>(&expression); unary != nullptr && unary->op == OperatorKind::Not) {
        Condition inner = emit_condition(*unary->operand);
        ir::Value* value = call_builtin(builder_, "aten::__not__", {inner.value}, unary->range);
        const std::optional<bool> known = inner.known ? std::optional<bool>(!*inner.known) : std::nullopt;
        return {value, inner.refinements.negated(), known};
    }
    if (const auto* binary = as<Binary>(&expression)) {
        switch (binary->op) {
            case OperatorKind::And:
            case OperatorKind::Or:
                return emit_logical(*binary);
            case OperatorKind::Is:
            case OperatorKind::IsNot:
                return emit_is_none(*binary);
            default:
                break;
        }
    }
    return emit_default_condition(expression);
}

Condition Emitter::emit_default_condition(const Expr& expression) {
    if (const auto* call = as<Call>(&expression)) {
        const auto name = dotted_name(*call->callee);
        if (name == "isinstance" || name == "torch.jit.isinstance") {
            check_argument_count(*call, 2);
            return emit_isinstance(*call->arguments[0], *call->arguments[1]);
        }
        if (name == "hasattr") {
            check_argument_count(*call, 2);
            return emit_hasattr(*call->arguments[0], *call->arguments[1]);
        }
    }
    ir::Value* value = emit_to_bool(emit_value(expression), expression.range);
    Condition condition{value};
    if (value->node()->kind() == symbols().is_scripting) condition.known = true;
    if (value->node()->kind() == symbols().has_torch_function) condition.known = false;
    if (const auto constant = ir::constant_of(value); constant && constant->is_bool()) {
        condition.known = constant->to_bool();
    }
    return condition;
}

Condition Emitter::emit_is_none(const Binary& expression) {
    ir::Value* left = emit_value(*expression.left);
    ir::Value* right = emit_value(*expression.right);
    const NoneStatus left_none = none_status(left);
    const NoneStatus right_none = none_status(right);
    const bool is_is = expression.op == OperatorKind::Is;
    const auto known = [&](bool value) {
        return Condition{builder_.constant(IValue(value), expression.range), {}, value};
    };
    if (left_none == NoneStatus::Always && right_none == NoneStatus::Always) return known(is_is);
    if ((left_none == NoneStatus::Always && right_none == NoneStatus::Never) ||
        (left_none == NoneStatus::Never && right_none == NoneStatus::Always)) {
        return known(!is_is);
    }
    Condition condition{
        call_builtin(builder_, is_is ? "aten::__is__" : "aten::__isnot__", {left, right}, expression.range)};
    const bool none_is_right = expression.right->kind == ExprKind::None;
    const bool none_is_left = expression.left->kind == ExprKind::None;
    const auto* name = as<Name>(none_is_right ? expression.left : expression.right);
    if ((none_is_right || none_is_left) && name != nullptr) {
        if (const TypePtr present = without_none((none_is_right ? left : right)->type())) {
            (is_is ? condition.refinements.if_false : condition.refinements.if_true) = {{name->id, present}};
        }
    }
    return condition;
}

Condition Emitter::emit_isinstance(const Expr& object, const Expr& classes) {
    ir::Value* value = emit_value(object);
    std::vector<TypePtr> wanted;
    const std::function<void(const Expr&)> gather = [&](const Expr& expression) {
        if (const auto* tuple = as<Tuple>(&expression)) {
            for (const Expr* element : tuple->elements) gather(*element);
        } else {
            for (TypePtr& type : alternatives(types_.parse(expression))) wanted.push_back(std::move(type));
        }
    };
    gather(classes);
    const InstanceSplit split = split_types(alternatives(value->type()), wanted);
    Condition condition;
    if (const auto* name = as<Name>(&object)) {
        if (!split.matching.empty()) condition.refinements.if_true = {{name->id, unify_or_union(split.matching)}};
        if (!split.others.empty()) condition.refinements.if_false = {{name->id, unify_or_union(split.others)}};
    }
    if (split.always || split.matching.empty()) {
        condition.known = split.always;
        condition.value = builder_.constant(IValue(split.always), object.range);
        return condition;
    }
    ir::Node* node = builder_.insert(ir::prim::isinstance, {value});
    node->set_attribute(ir::attr::types, wanted);
    condition.value = node->output()->set_type(types::boolean());
    return condition;
}

Condition Emitter::emit_hasattr(const Expr& object, const Expr& name) {
    const SugaredPtr sugared = emit_sugared(object);
    const auto* text = as<String>(&name);
    if (text == nullptr) fail("hasattr's second argument must be a string literal", name.range);
    const bool has = sugared->has_attribute(builder_, text->value, object.range);
    return {builder_.constant(IValue(has), object.range), {}, has};
}

ir::Value* Emitter::emit_to_bool(ir::Value* value, Range range) {
    ir::Value* result = nullptr;
    try {
        const NamedValue argument{range, {}, value};
        result = python_builtin("bool")->call(builder_, {&argument, 1}, {}, range)->as_value(builder_, range);
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::Compile) throw;
        fail(concat("Could not cast value of type ", value->type()->annotation_str(), " to bool"), range);
    }
    if (result->type()->kind() != TypeKind::Bool) {
        fail("expected a bool expression for condition but found " + result->type()->annotation_str(), range);
    }
    return result;
}

void Emitter::insert_refinements(const Refinements& refinements, Range range) {
    for (const Refinement& refinement : refinements) {
        ir::Value* value = lookup(refinement.variable, range)->as_value(builder_, range);
        environment().set(builder_, refinement.variable, simple(builder_.unchecked_cast(value, refinement.type)),
                          range);
    }
}

Condition Emitter::emit_logical(const Binary& expression) {
    const bool is_or = expression.op == OperatorKind::Or;
    const Condition left = emit_condition(*expression.left);
    Condition right;
    const auto decided = [&] { return builder_.constant(IValue(is_or), expression.range); };
    const auto undecided = [&] {
        right = emit_condition(*expression.right);
        return right.value;
    };
    ir::Value* value = is_or ? emit_if_expression(left, decided, undecided, expression.range)
                             : emit_if_expression(left, undecided, decided, expression.range);
    Condition condition{value};
    condition.refinements = is_or ? RefinementSet::either(left.refinements, right.refinements)
                                  : RefinementSet::both(left.refinements, right.refinements);
    if (left.known == is_or || right.known == is_or) {
        condition.known = is_or;
    } else if (left.known && right.known) {
        condition.known = !is_or;
    }
    return condition;
}

ir::Value* Emitter::emit_ternary(const Ternary& expression, const TypePtr& hint) {
    const Condition condition = emit_condition(*expression.condition);
    if (condition.known) return emit_value(*condition.known ? *expression.if_true : *expression.if_false, hint);
    return emit_if_expression(
        condition, [&] { return emit_value(*expression.if_true, hint); },
        [&] { return emit_value(*expression.if_false, hint); }, expression.range);
}

ir::Value* Emitter::emit_if_expression(const Condition& condition, const std::function<ir::Value*()>& if_true,
                                       const std::function<ir::Value*()>& if_false, Range range) {
    ir::Node* node = builder_.insert(ir::prim::If, {condition.value}, 0);
    node->set_range(builder_.place(range));
    ir::Block* blocks[] = {node->add_block(), node->add_block()};
    const auto emit = [&](ir::Block* block, const Refinements& refinements, const std::function<ir::Value*()>& body) {
        push_frame(block);
        const ir::InsertPointScope scope(graph_, block);
        insert_refinements(refinements, range);
        block->add_output(body());
        pop_frame();
        return block->outputs().front()->type();
    };
    const TypePtr true_type = emit(blocks[0], condition.refinements.if_true, if_true);
    const TypePtr false_type = emit(blocks[1], condition.refinements.if_false, if_false);
    const auto unified = unify_types(true_type, false_type);
    if (!unified) {
        fail(concat("if-expression's true branch has type ", true_type->annotation_str(), " but false branch has type ",
                    false_type->annotation_str()),
             range);
    }
    return node->add_output()->set_type(*unified);
}

void Emitter::emit_if(const If& statement) {
    const Condition condition = emit_condition(*statement.condition);
    emit_branches(
        condition, [&] { emit_body(statement.if_true); }, [&] { emit_body(statement.if_false); },
        full_range(statement));
}

void Emitter::emit_branches(const Condition& condition, const std::function<void()>& if_true,
                            const std::function<void()>& if_false, Range range) {
    if (condition.known) {
        insert_refinements(*condition.known ? condition.refinements.if_true : condition.refinements.if_false, range);
        (*condition.known ? if_true : if_false)();
        return;
    }
    ir::Node* node = builder_.insert(ir::prim::If, {condition.value}, 0);
    node->set_range(builder_.place(range));
    ir::Block* true_block = node->add_block();
    ir::Block* false_block = node->add_block();
    const auto true_frame = emit_branch(true_block, condition.refinements.if_true, if_true, range);
    const auto false_frame = emit_branch(false_block, condition.refinements.if_false, if_false, range);
    if (exited_.contains(true_block) && exited_.contains(false_block)) exited_.insert(node->block());
    merge_branches(node, *true_frame, *false_frame, range);
}

std::unique_ptr<Environment> Emitter::emit_branch(ir::Block* block, const Refinements& refinements,
                                                  const std::function<void()>& body, Range range) {
    push_frame(block);
    const ir::InsertPointScope scope(graph_, block);
    insert_refinements(refinements, range);
    body();
    return pop_frame();
}

// Looking a variable up loads it, as in PyTorch, although the load may not be used: names of values count on it.
bool Emitter::is_defined_in(Environment& frame, std::string_view name) {
    const ir::InsertPointScope scope(graph_, frame.block());
    return frame.get(builder_, name) != nullptr;
}

// Null when the variable holds no value.
TypePtr Emitter::load_type(Environment& frame, std::string_view name, Range range) {
    if (frame.type_of(name) == nullptr) return nullptr;
    const ir::InsertPointScope scope(graph_, frame.block());
    return frame.get(builder_, name)->as_value(builder_, range)->type();
}

// A variable outlives the branches when it is defined at the end of both that do not exit.
void Emitter::merge_branches(ir::Node* node, Environment& if_true, Environment& if_false, Range range) {
    const bool true_exits = exited_.contains(node->block_at(0));
    const bool false_exits = exited_.contains(node->block_at(1));
    const auto explained = [&](const std::string& why) {
        return concat(why, ":\n", builder_.place(range).original().highlight());
    };
    std::set<std::string_view> merged;
    for (const std::string_view name : if_true.defined()) {
        if (is_defined_in(if_false, name) || false_exits)
            merged.insert(name);
        else
            environment().set_reason(name, explained(concat(name, " is not defined in the false branch")));
    }
    for (const std::string_view name : if_false.defined()) {
        if (is_defined_in(if_true, name) || true_exits)
            merged.insert(name);
        else
            environment().set_reason(name, explained(concat(name, " is not defined in the true branch")));
    }
    if (true_exits && false_exits) return;
    for (const std::string_view name : merged) merge_variable(name, node, if_true, if_false, range);
}

void Emitter::merge_variable(std::string_view name, ir::Node* node, Environment& if_true, Environment& if_false,
                             Range range) {
    const bool true_exits = exited_.contains(node->block_at(0));
    const bool false_exits = exited_.contains(node->block_at(1));
    TypePtr true_type = true_exits ? nullptr : load_type(if_true, name, range);
    TypePtr false_type = false_exits ? nullptr : load_type(if_false, name, range);
    if ((true_type == nullptr && !true_exits) || (false_type == nullptr && !false_exits)) return;  // not a value
    // Not used from the branch that exits: any value will do.
    const auto define = [&](ir::Block* block, const TypePtr& type) {
        const ir::InsertPointScope scope(graph_, block);
        graph_.insert(create_store(graph_, name, builder_.uninitialized(type)));
    };
    if (true_exits) define(node->block_at(0), true_type = false_type);
    if (false_exits) define(node->block_at(1), false_type = true_type);
    auto unified = unify_types(true_type, false_type);
    const TypePtr outer = load_type(environment(), name, range);
    if (!unified && outer != nullptr) {
        const TypeKind kind = outer->kind();
        if (kind == TypeKind::Union || kind == TypeKind::Optional || kind == TypeKind::Number) {
            unified = unify_or_union(true_type, false_type);
        }
    }
    if (unified) return environment().set_type(name, *unified);
    const std::string reason =
        concat("Type mismatch: ", name, " is set to type ", true_type->annotation_str(),
               " in the true branch and type ", false_type->annotation_str(), " in the false branch");
    if (environment().has(name)) fail(reason, range);
    environment().set_reason(name, concat(reason, ":\n", builder_.place(range).original().highlight()));
}

}  // namespace loupe::script
