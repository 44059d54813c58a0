// SPDX-License-Identifier: Apache-2.0
#include "core/script/emitter.h"

#include "core/base/strings.h"

namespace loupe::script {

FunctionSchema Emitter::emit(const Def& def, const TypePtr& self_type) {
    if (self_type != nullptr && def.params.empty()) fail("methods must have a self argument", def.params_range);
    graph_.set_insert_point(graph_.block());
    definitions_.emplace_back();
    push_frame(graph_.block());
    FunctionSchema schema = emit_def(def, self_type, graph_.block());
    pop_frame();
    definitions_.pop_back();
    return schema;
}

FunctionSchema Emitter::emit_def(const Def& def, const TypePtr& self_type, ir::Block* block) {
    FunctionSchema schema = types_.parse_schema(def, self_type != nullptr);
    if (schema.returns.size() == 1) definitions_.back().declared = schema.returns.front().type;
    schema.arguments = emit_parameters(def, schema, self_type, block);
    emit_function_body(def.body);
    finish_returns(def, block);
    // Holds the place and the type of the result until returns are lowered.
    const TypePtr result = definitions_.back().merged;
    block->add_output(builder_.uninitialized(result));
    Argument returned;
    returned.type = result;
    schema.returns = {returned};
    return schema;
}

std::vector<Argument> Emitter::emit_parameters(const Def& def, const FunctionSchema& declared, const TypePtr& self_type,
                                               ir::Block* block) {
    std::vector<Argument> arguments;
    std::span<const Param> params = def.params;
    if (self_type != nullptr) {
        const std::string name(params.front().name);
        ir::Value* self = block->add_input(name)->set_type(self_type);
        environment().set(builder_, params.front().name, resolver_.self_value(self), params.front().range);
        Argument argument;
        argument.name = name;
        argument.type = self_type;
        arguments.push_back(std::move(argument));
        params = params.subspan(1);
    }
    for (std::size_t i = 0; i < params.size(); ++i) {
        ir::Value* value = block->add_input(is_meaningful_name(params[i].name) ? std::string(params[i].name) : "");
        arguments.push_back(declared.arguments[i]);
        value->set_type(arguments.back().type);
        environment().set(builder_, params[i].name, simple(value), params[i].range);
    }
    return arguments;
}

// A function that may reach its end returns None there.
void Emitter::finish_returns(const Def& def, ir::Block* block) {
    Definition& definition = definitions_.back();
    if (exited_.contains(block)) {
        // Without any return it always raises: whatever type was declared is right.
        if (definition.merged == nullptr) {
            definition.merged = definition.declared != nullptr ? definition.declared : types::none();
        }
        return;
    }
    if (definition.declared != nullptr && definition.declared->kind() != TypeKind::None) {
        fail("Function was not annotated as having type None, but does not return along all paths",
             {def.full_range.begin < def.range.begin ? def.full_range.begin : def.range.begin, full_range(def).end});
    }
    Expr none{};
    none.kind = ExprKind::None;
    none.range = def.range;
    emit_return(none, def.range);
}

ir::Value* Emitter::emit_closure(const std::function<void(ir::Block*)>& emit_body) {
    ir::Node* node = builder_.insert(ir::prim::Closure, {});
    node->output()->set_type(types::none());
    ir::Block* block = node->add_block();
    const LoopKind outer = std::exchange(loop_, LoopKind::None);
    const ir::InsertPointScope scope(graph_, block);
    definitions_.emplace_back();
    push_frame(block);
    emit_body(block);
    pop_frame();
    definitions_.pop_back();
    loop_ = outer;
    return node->output();
}

void Emitter::push_frame(ir::Block* block) {
    Environment* parent = frames_.empty() ? nullptr : frames_.back().get();
    frames_.push_back(std::make_unique<Environment>(block, parent));
}

std::unique_ptr<Environment> Emitter::pop_frame() {
    auto frame = std::move(frames_.back());
    frames_.pop_back();
    return frame;
}

SugaredPtr Emitter::lookup(std::string_view name, Range range) {
    if (SugaredPtr found = environment().get(builder_, name)) return found;
    if (SugaredPtr found = python_builtin(name)) return found;
    if (SugaredPtr found = resolver_.resolve_value(builder_, name, range)) return found;
    if (const std::string* reason = environment().reason(name)) fail(*reason + "and was used here", range);
    fail(concat("undefined value ", name), range);
}

std::string_view Emitter::temporary_name(std::string_view prefix) {
    temporary_names_.push_back(concat("$", prefix, temporary_names_.size()));
    return temporary_names_.back();
}

}  // namespace loupe::script
