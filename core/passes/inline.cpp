// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <unordered_map>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/ir/function.h"
#include "core/passes/pass_list.h"
#include "core/passes/peephole.h"

namespace loupe::passes {
namespace {

using ir::Block;
using ir::Graph;
using ir::InlinedCall;
using ir::Node;
using ir::ScriptFunction;
using ir::Value;
namespace prim = ir::prim;

class Inliner {
  public:
    using Bodies = std::unordered_map<const ScriptFunction*, Ptr<Graph>>;

    // bodies: cache of prepared callees.
    Inliner(Graph& graph, Bodies& bodies) : graph_(graph), bodies_(bodies) {}

    void inline_block(Block* block, int depth) {
        for (Node* node : block->nodes()) {
            for (std::size_t i = 0; i < node->block_count(); ++i) inline_block(node->block_at(i), depth);
            if (const ScriptFunction* callee = callee_of(node)) inline_call(node, *callee, depth);
        }
    }

  private:
    static constexpr int kDeepest = 200;

    static const ScriptFunction* callee_of(const Node* node) {
        if (node->kind() == prim::CallFunction)
            return dynamic_cast<const ScriptFunction*>(ir::function_of(node->input(0)));
        if (node->kind() != prim::CallMethod) return nullptr;
        const ClassType* type = node->input(0)->type()->as<ClassType>();  // interfaces stay calls
        if (type == nullptr) return nullptr;
        return dynamic_cast<const ScriptFunction*>(type->find_method(node->s(ir::attr::name)));
    }

    // The path of the method's module from the graph's self.
    static std::string scope_of_call(const Node* call) {
        if (call->kind() != prim::CallMethod) return call->scope();
        std::string path;
        for (const Node* node = call->input(0)->node(); node->kind() == prim::GetAttr; node = node->input(0)->node()) {
            const std::string& name = node->s(ir::attr::name);
            path = path.empty() ? name : concat(name, ".", path);
        }
        return path;
    }

    // A callee that does not compile stays a call, which fails when it is reached.
    static bool is_compiled(const ScriptFunction& callee) {
        try {
            callee.graph();
            return true;
        } catch (const Error& error) {
            if (error.kind() != ErrorKind::Compile && error.kind() != ErrorKind::Unsupported) throw;
            return false;
        }
    }

    void inline_call(Node* call, const ScriptFunction& callee, int depth) {
        if (!is_compiled(callee)) return;
        const Ptr<Graph> body = prepared_body(callee, depth);
        auto stack = std::make_shared<InlinedCall>();
        stack->function = callee.qualified_name();
        stack->scope = scope_of_call(call);
        stack->range = call->range();
        stack->caller = call->inlined_from();
        const ir::OriginScope origin(graph_, {call}, "Inline", callee.qualified_name());
        ValueMap map = bind_inputs(call, callee, *body);
        std::vector<Node*> made;
        copy_nodes(*body->block(), call, map, made);
        for (Node* node : made) set_place(node, stack);
        replace_outputs(call, *body, map);
        Value* function = call->kind() == prim::CallFunction ? call->input(0) : nullptr;
        call->destroy();
        if (function != nullptr && !function->has_uses()) function->node()->destroy();
    }

    // The callee's graph as PyTorch inlines it: its calls inlined, None checks and constant branches folded.
    Ptr<Graph> prepared_body(const ScriptFunction& callee, int depth) {
        Ptr<Graph>& body = bodies_[&callee];
        if (body) return body;
        if (depth > kDeepest)
            throw Error(ErrorKind::Unsupported,
                        concat("calls of '", callee.qualified_name(), "' nest too deep to inline"));
        Ptr<Graph> made = callee.graph()->copy();
        Inliner inner(*made, bodies_);
        inner.inline_block(made->block(), depth + 1);
        peephole_without_shapes(*made);
        for (const Pass* pass : {&kConstantPropagationImmutableTypes, &kConstantPooling}) pass->run(*made, {});
        bodies_[&callee] = made;
        return made;
    }

    using ValueMap = ir::ValueMap;

    static ValueMap bind_inputs(const Node* call, const ScriptFunction& callee, const Graph& body) {
        const std::size_t skipped = call->kind() == prim::CallFunction ? 1 : 0;
        const auto& parameters = body.inputs();
        if (call->inputs().size() - skipped != parameters.size()) {
            throw Error(ErrorKind::Internal,
                        concat("a call gives '", callee.qualified_name(), "' ", call->inputs().size() - skipped,
                               " inputs, it takes ", parameters.size()));
        }
        ValueMap map;
        for (std::size_t i = 0; i < parameters.size(); ++i) map[parameters[i]] = call->input(i + skipped);
        return map;
    }

    void copy_nodes(const Block& body, Node* before, ValueMap& map, std::vector<Node*>& made) {
        const auto mapped = [&map](Value* value) { return map.at(value); };
        for (const Node* node : body.nodes()) {
            Node* copied = graph_.create_copy(*node, mapped, false)->insert_before(before);
            for (std::size_t i = 0; i < node->outputs().size(); ++i) map[node->output(i)] = copied->output(i);
            for (std::size_t i = 0; i < node->block_count(); ++i)
                copied->add_block()->copy_from(*node->block_at(i), map);
            made.push_back(copied);
        }
    }

    // The call stack and module path of a node of the body, which may have some from passes on the callee.
    void set_place(Node* node, const std::shared_ptr<InlinedCall>& stack) {
        if (node->inlined_from() == nullptr) {
            node->set_inlined_from(stack);
            node->set_scope(stack->scope);
        } else {
            node->set_inlined_from(below(node->inlined_from(), stack));
            if (!stack->scope.empty())
                node->set_scope(node->scope().empty() ? stack->scope : concat(stack->scope, ".", node->scope()));
        }
        for (std::size_t i = 0; i < node->block_count(); ++i) {
            for (Node* inner : node->block_at(i)->nodes()) set_place(inner, stack);
        }
    }

    // The same calls, with `outer` around the outermost.
    std::shared_ptr<const InlinedCall> below(const std::shared_ptr<const InlinedCall>& call,
                                             const std::shared_ptr<InlinedCall>& outer) {
        auto& made = below_[{call.get(), outer.get()}];
        if (!made) {
            auto copied = std::make_shared<InlinedCall>(*call);
            copied->caller = call->caller ? below(call->caller, outer) : outer;
            if (!outer->scope.empty())
                copied->scope = copied->scope.empty() ? outer->scope : concat(outer->scope, ".", copied->scope);
            made = copied;
        }
        return made;
    }

    static void replace_outputs(Node* call, const Graph& body, const ValueMap& map) {
        const auto& results = body.outputs();
        for (std::size_t i = 0; i < call->outputs().size(); ++i) {
            Value* old = call->output(i);
            Value* value = map.at(results.at(i));
            old->replace_all_uses_with(value);
            // The caller's name for the result stays, as in PyTorch.
            const bool is_argument =
                std::find(call->inputs().begin(), call->inputs().end(), value) != call->inputs().end();
            if (old->has_name() && !is_argument) {
                const std::string name = old->debug_name();
                old->set_name("");
                value->set_name(name);
            }
        }
    }

    struct PairHash {
        std::size_t operator()(const std::pair<const InlinedCall*, const InlinedCall*>& pair) const {
            return std::hash<const void*>()(pair.first) * 31 + std::hash<const void*>()(pair.second);
        }
    };

    Graph& graph_;
    Bodies& bodies_;
    std::unordered_map<std::pair<const InlinedCall*, const InlinedCall*>, std::shared_ptr<const InlinedCall>, PairHash>
        below_;
};

void run(Graph& graph, const PassContext&) {
    Inliner::Bodies bodies;
    Inliner(graph, bodies).inline_block(graph.block(), 0);
}

}  // namespace

const Pass kInline{"Inline", "Replaces calls of functions and methods by their bodies.", run};

}  // namespace loupe::passes
