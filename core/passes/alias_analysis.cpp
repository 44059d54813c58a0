// SPDX-License-Identifier: Apache-2.0
#include "core/passes/alias_analysis.h"

#include <algorithm>

#include "core/passes/bailout_graph.h"

namespace loupe::passes {

using ir::Block;
using ir::Graph;
using ir::Node;
using ir::Symbol;
using ir::Value;
namespace prim = ir::prim;

bool is_mutable_type(const Type& type) {
    switch (type.kind()) {
        case TypeKind::Int:
        case TypeKind::Float:
        case TypeKind::Complex:
        case TypeKind::Bool:
        case TypeKind::Number:
        case TypeKind::String:
        case TypeKind::None:
        case TypeKind::Device:
        case TypeKind::Enum:
        case TypeKind::AnyEnum:
        case TypeKind::Function:
            return false;
        case TypeKind::Optional:
        case TypeKind::Tuple:
        case TypeKind::Union:
            return std::any_of(type.contained().begin(), type.contained().end(),
                               [](const TypePtr& part) { return is_mutable_type(*part); });
        default:
            return true;
    }
}

namespace {

// External values are in these sets by type: a tensor does not alias a list.
constexpr std::size_t kOutsideSets = 4;

std::size_t outside_set(TypeKind kind) {
    switch (kind) {
        case TypeKind::Tensor:
            return 0;
        case TypeKind::List:
        case TypeKind::AnyList:
            return 1;
        case TypeKind::Dict:
            return 2;
        default:
            return 3;
    }
}

void collect_outside_sets(const Type& type, std::vector<std::size_t>& sets) {
    if (!is_mutable_type(type)) return;
    const bool is_wrapper = type.kind() == TypeKind::Optional || type.kind() == TypeKind::Tuple ||
                            type.kind() == TypeKind::Union || type.kind() == TypeKind::Future;
    if (type.kind() == TypeKind::Any || type.kind() == TypeKind::Var) {
        for (std::size_t i = 0; i < kOutsideSets; ++i) sets.push_back(i);
    } else if (!is_wrapper) {
        sets.push_back(outside_set(type.kind()));
    }
    for (const TypePtr& part : type.contained()) collect_outside_sets(*part, sets);
}

bool passes_its_input_on(Symbol kind) {
    static const Symbol kWait = Symbol::intern("aten::wait");
    static const Symbol kUnwrap = Symbol::intern("aten::_unwrap_optional");
    static const std::unordered_set<Symbol> kKinds = {prim::TupleConstruct,
                                                      prim::TupleUnpack,
                                                      prim::TupleIndex,
                                                      prim::TupleSlice,
                                                      prim::ListConstruct,
                                                      prim::ListUnpack,
                                                      prim::DictConstruct,
                                                      prim::unchecked_cast,
                                                      prim::annotate,
                                                      prim::unchecked_unwrap_optional,
                                                      kWait,
                                                      kUnwrap,
                                                      prim::ModuleContainerIndex,
                                                      prim::ConstantChunk,
                                                      prim::profile,
                                                      prim::Guard,
                                                      Symbol::intern("prim::TypeCheck"),
                                                      Symbol::intern("prim::RequiresGradCheck"),
                                                      Symbol::intern("prim::FallbackGraph"),
                                                      Symbol::intern("prim::AutogradAdd"),
                                                      Symbol::intern("prim::MMBatchSide"),
                                                      prim::DifferentiableGraph};
    return kKinds.contains(kind);
}

bool touches_nothing(Symbol kind) {
    static const std::unordered_set<Symbol> kKinds = {prim::Constant,
                                                      prim::isinstance,
                                                      prim::CreateObject,
                                                      prim::Uninitialized,
                                                      prim::Print,
                                                      prim::RaiseException,
                                                      prim::EnumName,
                                                      prim::EnumValue,
                                                      prim::HasAttr,
                                                      prim::tolist,
                                                      Symbol::intern("prim::MMTreeReduce"),
                                                      Symbol::intern("prim::AutogradZero"),
                                                      Symbol::intern("prim::AutogradAnyNonZero"),
                                                      Symbol::intern("prim::AutogradAllNonZero"),
                                                      Symbol::intern("prim::AutogradAllZero"),
                                                      Symbol::intern("prim::TensorExprGroup"),
                                                      bailout_template_kind()};
    return kKinds.contains(kind);
}

}  // namespace

AliasAnalysis::AliasAnalysis(const Graph& graph, AttributeIdentity identity) : identity_(std::move(identity)) {
    for (std::size_t i = 0; i < kOutsideSets; ++i) parents_.push_back(i);
    for (const Value* input : graph.inputs()) join_outside(input);
    visit_block(*graph.block());
    for (const auto& [node, written] : writes_) {
        for (const std::size_t element : written) written_roots_.insert(root_of(element));
    }
    for (std::size_t i = 0; i < kOutsideSets; ++i) outside_roots_.insert(root_of(i));
    escaping_roots_ = outside_roots_;
    for (const Value* output : graph.outputs()) {
        if (is_mutable_type(*output->type())) escaping_roots_.insert(root_of(output));
    }
}

std::size_t AliasAnalysis::element_of(const Value* value) {
    const auto [place, is_new] = elements_.try_emplace(value, Element{parents_.size(), value->id()});
    if (is_new) parents_.push_back(parents_.size());
    return place->second.index;
}

bool AliasAnalysis::knows(const Value* value) const {
    const auto found = elements_.find(value);
    return found != elements_.end() && found->second.id == value->id();
}

std::size_t AliasAnalysis::root_of(std::size_t element) const {
    while (parents_[element] != element) element = parents_[element] = parents_[parents_[element]];
    return element;
}

std::size_t AliasAnalysis::root_of(const Value* value) const {
    return root_of(knows(value) ? elements_.at(value).index : outside_set(value->type()->kind()));
}

void AliasAnalysis::join(std::size_t a, std::size_t b) { parents_[root_of(a)] = root_of(b); }

void AliasAnalysis::join(const Value* a, const Value* b) {
    if (is_mutable_type(*a->type()) && is_mutable_type(*b->type())) join(element_of(a), element_of(b));
}

void AliasAnalysis::join_outside(const Value* value) {
    std::vector<std::size_t> sets;
    collect_outside_sets(*value->type(), sets);
    for (const std::size_t set : sets) join(element_of(value), set);
}

void AliasAnalysis::write(const Node* node, const Value* value) {
    if (!is_mutable_type(*value->type())) return;
    // The blocks that the node is in write too.
    for (const Node* n = node; n != nullptr; n = n->owning_node()) writes_[n].push_back(element_of(value));
}

void AliasAnalysis::visit_block(const Block& block) {
    for (const Node* node : block.nodes()) visit(*node);
}

void AliasAnalysis::visit(const Node& node) {
    const Symbol kind = node.kind();
    for (const Value* output : node.outputs()) {
        if (is_mutable_type(*output->type())) element_of(output);
    }
    for (std::size_t i = 0; i < node.block_count(); ++i) visit_block(*node.block_at(i));
    if (kind == prim::If) {
        for (const std::size_t b : {0U, 1U}) {
            for (std::size_t i = 0; i < node.outputs().size(); ++i)
                join(node.output(i), node.block_at(b)->outputs()[i]);
        }
    } else if (kind == prim::Loop) {
        const Block& body = *node.block_at(0);
        for (std::size_t i = 0; i < node.outputs().size(); ++i) {
            join(node.output(i), body.outputs()[i + 1]);
            join(node.output(i), body.inputs()[i + 1]);
            join(node.output(i), node.input(i + 2));
        }
    } else if (kind == prim::GetAttr) {
        visit_get_attribute(node);
    } else if (kind == prim::SetAttr) {
        join_outside(node.input(1));
        write(&node, node.input(0));
    } else if (kind == bailout_kind()) {
        join(node.output(), checked_value(&node));
    } else if (passes_its_input_on(kind)) {
        for (const Value* input : node.inputs()) {
            for (const Value* output : node.outputs()) join(input, output);
        }
    } else if (touches_nothing(kind)) {
        return;
    } else if (const FunctionSchema* schema = node.schema()) {
        visit_schema(node, *schema);
    } else {
        visit_unknown(node);
    }
}

void AliasAnalysis::visit_get_attribute(const Node& node) {
    const void* memory = identity_ ? identity_(&node) : nullptr;
    if (memory == nullptr) {
        join_outside(node.output());
        return;
    }
    const auto [place, is_new] = first_read_.try_emplace(memory, node.output());
    if (!is_new) join(place->second, node.output());
}

void AliasAnalysis::visit_schema(const Node& node, const FunctionSchema& schema) {
    const std::size_t count = std::min(schema.arguments.size(), node.inputs().size());
    for (std::size_t i = 0; i < count; ++i) {
        const auto& alias = schema.arguments[i].alias;
        if (!alias) continue;
        if (alias->is_write) write(&node, node.input(i));
        if (alias->set_after == "*" || alias->set == "*") join_outside(node.input(i));
    }
    for (std::size_t r = 0; r < std::min(schema.returns.size(), node.outputs().size()); ++r) {
        const auto& alias = schema.returns[r].alias;
        if (!alias) continue;
        if (alias->set == "*" || alias->set_after == "*") join_outside(node.output(r));
        for (std::size_t i = 0; i < count; ++i) {
            const auto& source = schema.arguments[i].alias;
            if (source && source->set == alias->set) join(node.input(i), node.output(r));
        }
    }
}

// A call: it may store, return and change its arguments.
void AliasAnalysis::visit_unknown(const Node& node) {
    for (const Value* input : node.inputs()) {
        if (!is_mutable_type(*input->type())) continue;
        join_outside(input);
        write(&node, input);
    }
    for (const Value* output : node.outputs()) join_outside(output);
    for (const Node* n = &node; n != nullptr; n = n->owning_node()) {
        for (std::size_t i = 0; i < kOutsideSets; ++i) writes_[n].push_back(i);
    }
}

bool AliasAnalysis::may_alias(const Value* a, const Value* b) const {
    if (!is_mutable_type(*a->type()) || !is_mutable_type(*b->type())) return false;
    return !knows(a) || !knows(b) || root_of(a) == root_of(b);
}

bool AliasAnalysis::has_writers(const Value* value) const {
    return is_mutable_type(*value->type()) && written_roots_.contains(root_of(value));
}

bool AliasAnalysis::has_writers(const Node* node) const {
    const auto written = [this](const Value* value) { return has_writers(value); };
    return std::any_of(node->inputs().begin(), node->inputs().end(), written) ||
           std::any_of(node->outputs().begin(), node->outputs().end(), written);
}

bool AliasAnalysis::writes_to_alias(const Node* node, const std::unordered_set<const Value*>& values) const {
    const auto found = writes_.find(node);
    if (found == writes_.end()) return false;
    std::unordered_set<std::size_t> roots;
    for (const std::size_t element : found->second) roots.insert(root_of(element));
    return std::any_of(values.begin(), values.end(), [&](const Value* value) {
        return is_mutable_type(*value->type()) && roots.contains(root_of(value));
    });
}

bool AliasAnalysis::writes_to_outside(const Node* node) const {
    const auto found = writes_.find(node);
    return found != writes_.end() &&
           std::any_of(found->second.begin(), found->second.end(),
                       [this](std::size_t element) { return outside_roots_.contains(root_of(element)); });
}

bool AliasAnalysis::escapes(const Value* value) const {
    return is_mutable_type(*value->type()) && escaping_roots_.contains(root_of(value));
}

bool AliasAnalysis::may_merge(const Node* a, const Node* b) const {
    const auto written = [this](const Value* value) { return has_writers(value); };
    const auto visible = [this](const Value* value) { return escapes(value); };
    for (const Node* node : {a, b}) {
        if (std::any_of(node->outputs().begin(), node->outputs().end(), written)) return false;
    }
    return !(std::any_of(a->outputs().begin(), a->outputs().end(), visible) &&
             std::any_of(b->outputs().begin(), b->outputs().end(), visible));
}

}  // namespace loupe::passes
