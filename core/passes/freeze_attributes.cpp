// SPDX-License-Identifier: Apache-2.0
#include <set>
#include <unordered_map>

#include "core/autograd/variable.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/nn/module.h"
#include "core/passes/alias_analysis.h"
#include "core/passes/graph_tools.h"
#include "core/passes/pass_list.h"

namespace loupe::passes {
namespace {

using ir::Block;
using ir::Graph;
using ir::Node;
using ir::Value;
namespace prim = ir::prim;

// Copies of tensors without history, in the same structure.
IValue without_history(const IValue& value) {
    if (value.is_tensor()) {
        const Tensor t = value.to_tensor();
        return requires_grad(t) ? IValue(detach(t)) : value;
    }
    if (value.is_tuple()) {
        std::vector<IValue> elements;
        for (const IValue& element : value.to_tuple().elements) elements.push_back(without_history(element));
        return IValue(make_ptr<TupleObject>(std::move(elements), value.to_tuple().type));
    }
    if (value.is_list()) {
        std::vector<IValue> elements;
        for (const IValue& element : value.to_list().elements) elements.push_back(without_history(element));
        return IValue(make_ptr<ListObject>(value.to_list().element_type, std::move(elements)));
    }
    return value;
}

class AttributeFreezer {
  public:
    AttributeFreezer(Graph& graph, const Ptr<Object>& module)
        : graph_(graph), module_(module), aliases_(graph, [this](const Node* node) { return memory_of(node); }) {
        find_written(graph.block());
        freeze_block(graph.block());
    }

  private:
    // The value of self, or of an attribute that is reached from it.
    std::optional<IValue> resolve(const Value* value) const {
        if (value == graph_.inputs()[0]) return IValue(module_);
        const Node* node = value->node();
        if (node->kind() != prim::GetAttr) return std::nullopt;
        const auto object = resolve(node->input(0));
        if (!object || !object->is_object()) return std::nullopt;
        const auto slot = object->to_object()->type()->find_attribute(node->s(ir::attr::name));
        return slot ? std::optional(object->to_object()->slot(*slot)) : std::nullopt;
    }

    const void* memory_of(const Node* node) const {
        const auto value = resolve(node->output());
        if (!value) return nullptr;
        if (value->is_tensor()) return value->to_tensor().storage().get();
        const bool is_container = value->is_list() || value->is_dict() || value->is_tuple();
        return is_container ? value->object_pointer() : nullptr;
    }

    std::string path_of(const Value* value) const {
        const Node* node = value->node();
        if (node->kind() != prim::GetAttr) return "self";
        return concat(path_of(node->input(0)), ".", node->s(ir::attr::name));
    }

    void find_written(const Block* block) {
        for (const Node* node : block->nodes()) {
            for (std::size_t i = 0; i < node->block_count(); ++i) find_written(node->block_at(i));
            if (node->kind() != prim::SetAttr) continue;
            const auto object = resolve(node->input(0));
            written_.emplace(object ? object->to_object().get() : nullptr, node->s(ir::attr::name));
        }
    }

    bool is_written(const Node* get) const {
        const std::string& name = get->s(ir::attr::name);
        const auto object = resolve(get->input(0));
        return written_.contains({nullptr, name}) || written_.contains({object->to_object().get(), name});
    }

    void freeze_block(Block* block) {
        for (Node* node : block->nodes()) {
            for (std::size_t i = 0; i < node->block_count(); ++i) freeze_block(node->block_at(i));
            if (node->kind() == prim::GetAttr) freeze(node);
        }
    }

    void freeze(Node* node) {
        auto value = resolve(node->output());
        if (!value || value->is_object() || is_written(node) || aliases_.has_writers(node->output())) return;
        *value = without_history(*value);
        if (!can_be_constant(*value)) return;
        const std::string path = path_of(node->output());
        Value*& constant = constants_[path];
        if (constant == nullptr) {
            const ir::OriginScope origin(graph_, {node}, "FreezeAttributes", path);
            const bool keeps_type = !value->is_tensor() && !value->is_none();
            Node* made = graph_.create_constant(*value, keeps_type ? node->output()->type() : nullptr);
            constant = made->insert_before(*graph_.nodes().begin())->output();
            if (value->is_tensor()) constant->set_name(path);
        }
        node->output()->replace_all_uses_with(constant);
    }

    Graph& graph_;
    Ptr<Object> module_;
    AliasAnalysis aliases_;
    std::set<std::pair<const Object*, std::string>> written_;  // a null object: of some object
    std::unordered_map<std::string, Value*> constants_;
};

void run(Graph& graph, const PassContext& context) {
    if (!context.module || graph.inputs().empty()) {
        throw Error(ErrorKind::Usage, "freezing needs a module and a graph of one of its methods");
    }
    AttributeFreezer(graph, context.module);
    remove_dead_code(graph);
}

}  // namespace

const Pass kFreezeAttributes{"FreezeAttributes", "Makes constants of the attributes that the method never writes.",
                             run};

}  // namespace loupe::passes
