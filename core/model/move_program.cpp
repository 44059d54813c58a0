// SPDX-License-Identifier: Apache-2.0
#include "core/model/move_program.h"

#include <functional>

#include "core/base/error.h"
#include "core/tensor/device_copy.h"
#include "core/value/map_tensors.h"

namespace loupe::session {
namespace {

using Moved = std::unordered_map<const TensorImpl*, std::pair<Tensor, Tensor>>;  // keeps both alive

// One tensor in two places stays one.
Tensor moved(const Tensor& t, Device to, Moved& known) {
    if (!t.defined() || t.is_sparse() || t.device() == to) return t;
    auto& [before, after] = known[t.impl()];
    if (!after.defined()) {
        before = t;
        after = on_device(t, to);
        if (after.device() == to) after.storage()->set_category(t.storage()->category());
    }
    return after;
}

template <typename Visit>
void each_node(const ir::Block& block, const Visit& visit) {
    for (ir::Node* node : block.nodes()) {
        visit(node);
        for (std::size_t i = 0; i < node->block_count(); ++i) each_node(*node->block_at(i), visit);
    }
}

// Only a trace has numbers of tensors' sizes as tensors and tensors as literals, and says of each tensor that it makes
// that it is not pinned.
bool is_of_trace(const ir::Node& node) {
    if (node.kind() == ir::prim::NumToTensor) return true;
    if (node.kind() == ir::prim::Constant) {
        const auto value = ir::constant_of(&node);
        return value && value->is_tensor();
    }
    const ir::Value* const pinned = node.named_input("pin_memory");
    const auto value = pinned != nullptr ? ir::constant_of(pinned) : std::nullopt;
    return value && value->is_bool();
}

bool is_traced(const ir::Graph& graph) {
    bool found = false;
    each_node(*graph.block(), [&](const ir::Node* node) { found = found || is_of_trace(*node); });
    return found;
}

void set_constant(ir::Node& node, IValue value) {
    ir::Node* const other = node.graph()->create_constant(value);
    const TypePtr& type = node.output()->type();
    // Shape facts name the device.
    if (type->kind() == TypeKind::Tensor && static_cast<const TensorType&>(*type).device)
        node.output()->set_type(other->output()->type());
    other->destroy();
    node.set_ival(ir::attr::value, std::move(value));
}

bool move_graph(ir::Graph& graph, Device from, Device to, Moved& known) {
    const bool traced = is_traced(graph);
    bool changed = false;
    each_node(*graph.block(), [&](ir::Node* node) {
        const auto value = ir::constant_of(node);
        if (!value) return;
        if (value->is_device()) {
            if (!traced || !(value->to_device() == from)) return;
            set_constant(*node, IValue(to));
            changed = true;
            return;
        }
        bool any = false;
        visit_tensors(*value, [&](const Tensor& t) { any = any || (t.defined() && !(t.device() == to)); });
        if (!any) return;
        set_constant(*node, map_tensors(*value, [&](const Tensor& t) { return moved(t, to, known); }));
        changed = true;
    });
    return changed;
}

// Lists and dicts that two attributes share stay shared.
IValue move_value(const IValue& value, Device to, Moved& known) {
    if (value.is_tensor()) return moved(value.to_tensor(), to, known);
    if (value.is_list()) {
        for (IValue& element : value.to_list().elements) element = move_value(element, to, known);
    } else if (value.is_dict()) {
        std::vector<std::pair<IValue, IValue>> entries;
        for (const auto& [key, element] : value.to_dict().entries()) entries.emplace_back(key, element);
        for (const auto& [key, element] : entries) value.to_dict().set(key, move_value(element, to, known));
    } else if (value.is_tuple()) {
        return map_tensors(value, [&](const Tensor& t) { return moved(t, to, known); });
    }
    return value;
}

}  // namespace

void move_attributes(nn::Module& module, Device to) {
    Moved known;
    for (const auto& [path, part] : module.named_modules()) {
        for (std::size_t i = 0; i < part->slot_count(); ++i) {
            const IValue& value = part->slot(i);
            bool any = false;
            visit_tensors(value, [&](const Tensor& t) { any = any || (t.defined() && !(t.device() == to)); });
            if (any) part->set_slot(i, move_value(value, to, known));
        }
    }
}

void move_constants(const ir::CompilationUnit& unit, Device from, Device to) {
    Moved known;
    // Compiling one may add others.
    for (std::size_t i = 0; i < unit.functions().size(); ++i) {
        const Ptr<ir::ScriptFunction> function = unit.functions()[i];
        try {
            const Ptr<ir::Graph> graph = function->graph();
            if (move_graph(*graph, from, to, known)) function->set_graph(graph);
        } catch (const Error& error) {
            if (error.kind() == ErrorKind::Cancelled) throw;  // another is said when it is called
        }
    }
}

}  // namespace loupe::session
