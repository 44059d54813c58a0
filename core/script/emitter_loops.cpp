// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "core/base/strings.h"
#include "core/script/emitter.h"
#include "core/script/symbols.h"

namespace loupe::script {
namespace {

constexpr std::int64_t kEndless = std::numeric_limits<std::int64_t>::max();

}  // namespace

void Emitter::emit_while(const While& statement) {
    emit_loop(
        nullptr, {}, statement.condition, [&] { emit_body(statement.body); }, full_range(statement));
}

void Emitter::emit_for(Exprs targets, Exprs iterables, const std::function<void()>& body, Range range) {
    if (iterables.size() != 1) fail("List of iterables is not supported currently", range);
    const SugaredPtr iterable = emit_sugared(*iterables.front())->iterate(builder_, range);
    if (iterable->static_length()) {
        emit_unrolled(iterable, targets, body, range);
    } else {
        emit_loop(iterable, targets, nullptr, body, range);
    }
}

// A Loop node with two blocks: its body, and its condition, which convert_to_ssa moves to where it is evaluated.
void Emitter::emit_loop(const SugaredPtr& iterable, Exprs targets, const Expr* condition,
                        const std::function<void()>& body, Range range) {
    ir::Value* trips =
        iterable != nullptr ? iterable->length(builder_, range) : shared_constant(IValue(kEndless), range);
    ir::Node* node = builder_.insert(ir::prim::Loop, {}, 0);
    node->set_range(builder_.place(range));
    ir::Block* body_block = node->add_block();
    ir::Block* condition_block = node->add_block();
    push_frame(condition_block);
    if (condition != nullptr) {
        const ir::InsertPointScope scope(graph_, condition_block);
        condition_block->add_output(emit_to_bool(emit_value(*condition), condition->range));
    } else {
        const ir::InsertPointScope scope(graph_, node);
        condition_block->add_output(builder_.constant(IValue(true), range));
    }
    pop_frame();
    node->add_input(trips);
    const LoopKind outer = std::exchange(loop_, LoopKind::Loop);
    ir::Value* index = body_block->add_input()->set_type(types::integer());
    push_frame(body_block);
    const ir::InsertPointScope scope(graph_, body_block);
    if (iterable != nullptr) {
        ir::Value* element = iterable->item(builder_, index, range)->as_value(builder_, range);
        check_targets(targets, range);
        if (targets.size() == 1) {
            assign_sugared(*targets.front(), simple(element), range);
        } else {
            assign_tuple(Tuple{{ExprKind::Tuple, 1, range}, targets}, simple(element), range);
        }
    }
    body();
    pop_frame();
    loop_ = outer;
}

// Unrolled: the elements may differ in type, and so may the results.
void Emitter::emit_unrolled(const SugaredPtr& iterable, Exprs targets, const std::function<void()>& body, Range range) {
    const LoopKind outer = std::exchange(loop_, LoopKind::Unrolled);
    for (std::int64_t i = 0; i < *iterable->static_length(); ++i) {
        const SugaredPtr element = iterable->item(builder_, shared_constant(IValue(i), range), range);
        if (targets.size() == 1) {
            assign_sugared(*targets.front(), element, range);
        } else {
            assign_tuple(Tuple{{ExprKind::Tuple, 1, range}, targets}, element, range);
        }
        body();
    }
    loop_ = outer;
}

ir::Value* Emitter::emit_list_comprehension(const Expr& element, const Expr& target, const Expr& iterable,
                                            const TypePtr& hint, Range range) {
    ir::Value* list = builder_.list(types::tensor(), {});
    TypePtr type = hint;
    if (type != nullptr) {
        type = container_hint(TypeKind::List, hint, nullptr, range);
        list->set_type(type);
    }
    bool has_type = type != nullptr;
    // It has its own scope.
    ir::Node* scope_node = builder_.insert(symbols().comprehension_scope, {}, 0);
    ir::Block* block = scope_node->add_block();
    push_frame(block);
    {
        const ir::InsertPointScope scope(graph_, block);
        const Expr* targets[] = {&target};
        const Expr* iterables[] = {&iterable};
        const auto body = [&] {
            ir::Value* value = emit_value(element);
            if (!has_type) {
                list->set_type(types::list(value->type()));
                has_type = true;
            }
            value = convert_to_type(builder_, list->type()->element(), value, false, range);
            call_builtin(builder_, "aten::append", {list, value}, range);
        };
        emit_for(targets, iterables, body, range);
    }
    pop_frame();
    return list;
}

ir::Value* Emitter::emit_dict_comprehension(const Expr& key, const Expr& value, const Expr& target,
                                            const Expr& iterable, const TypePtr& hint, Range range) {
    ir::Value* dict = builder_.insert(ir::prim::DictConstruct, {})->output();
    dict->set_type(types::dict(types::string(), types::tensor()));
    bool has_type = hint != nullptr;
    if (has_type) dict->set_type(container_hint(TypeKind::Dict, hint, nullptr, range));
    ir::Node* scope_node = builder_.insert(symbols().comprehension_scope, {}, 0);
    ir::Block* block = scope_node->add_block();
    push_frame(block);
    {
        const ir::InsertPointScope scope(graph_, block);
        const Expr* targets[] = {&target};
        const Expr* iterables[] = {&iterable};
        const auto body = [&] {
            ir::Value* made_key = emit_value(key);
            ir::Value* made_value = emit_value(value);
            if (!has_type) {
                dict->set_type(types::dict(made_key->type(), made_value->type()));
                has_type = true;
            }
            call_builtin(builder_, "aten::_set_item", {dict, made_key, made_value}, range);
        };
        emit_for(targets, iterables, body, range);
    }
    pop_frame();
    return dict;
}

}  // namespace loupe::script
