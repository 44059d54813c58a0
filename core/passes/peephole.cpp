// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "core/passes/alias_analysis.h"
#include "core/passes/graph_tools.h"
#include "core/passes/pass_list.h"
#include "core/passes/peephole.h"

namespace loupe::passes {
namespace {

using ir::Block;
using ir::Graph;
using ir::Node;
using ir::Symbol;
using ir::Value;
namespace prim = ir::prim;

struct Site {
    Graph& graph;
    Node* node;
    const AliasAnalysis& aliases;
};

// The replacement of a node's only output by a rule: an existing value, or a constant.
struct Replacement {
    Value* value = nullptr;
    std::optional<IValue> constant = std::nullopt;
    explicit operator bool() const { return value != nullptr || constant.has_value(); }
};

struct Rule {
    const char* name;
    Replacement (*apply)(const Site& site);
};

bool is_kind(const Node* node, const char* name) { return node->kind().str() == name; }

const TensorType* tensor_type(const Value* value) { return value->type()->as<TensorType>(); }

// float(tensor(x)) is x.
Replacement number_of_tensor_of_number(const Site& site) {
    const Node* node = site.node;
    const bool reads = is_kind(node, "aten::Float") || is_kind(node, "aten::Int") ||
                       is_kind(node, "aten::FloatImplicit") || is_kind(node, "aten::IntImplicit") ||
                       is_kind(node, "aten::ScalarImplicit") || is_kind(node, "aten::Bool");
    if (!reads || node->inputs().size() != 1) return {};
    const Node* source = node->input(0)->node();
    if (source->kind() != prim::NumToTensor || !source->input(0)->type()->is_subtype_of(*node->output()->type()))
        return {};
    return {source->input(0)};
}

Replacement number_of_same_type(const Site& site) {
    const Node* node = site.node;
    const bool converts = is_kind(node, "aten::Float") || is_kind(node, "aten::Int") || is_kind(node, "aten::Bool");
    if (!converts || node->inputs().size() != 1 || !node->input(0)->type()->equals(*node->output()->type())) return {};
    return {node->input(0)};
}

Replacement known_sizes(const Site& site) {
    const Node* node = site.node;
    if (!is_kind(node, "aten::size") || site.aliases.has_writers(node->input(0))) return {};
    const TensorType* type = tensor_type(node->input(0));
    if (type == nullptr || !type->sizes) return {};
    if (node->inputs().size() == 2) {
        const auto dim = constant_int(node->input(1));
        const auto count = static_cast<std::int64_t>(type->sizes->size());
        if (!dim || *dim < -count || *dim >= count) return {};
        const auto& size = (*type->sizes)[static_cast<std::size_t>(*dim < 0 ? *dim + count : *dim)];
        return size && *size >= 0 ? Replacement{nullptr, IValue(*size)} : Replacement{};
    }
    std::vector<std::int64_t> sizes;
    for (const auto& size : *type->sizes) {
        if (!size || *size < 0) return {};
        sizes.push_back(*size);
    }
    if (site.aliases.has_writers(node->output()) || site.aliases.escapes(node->output())) return {};
    return {nullptr, IValue(sizes)};
}

Replacement known_tensor_facts(const Site& site) {
    const Node* node = site.node;
    if (node->inputs().size() != 1) return {};
    const TensorType* type = tensor_type(node->input(0));
    if (type == nullptr) return {};
    if (type->dtype) {
        if (node->kind() == prim::dtype) return {nullptr, IValue(static_cast<std::int64_t>(*type->dtype))};
        if (is_kind(node, "aten::is_floating_point")) return {nullptr, IValue(is_floating(*type->dtype))};
        if (is_kind(node, "aten::is_complex")) return {nullptr, IValue(is_complex(*type->dtype))};
    }
    if (type->device) {
        if (node->kind() == prim::device) return {nullptr, IValue(*type->device)};
        if (node->kind() == prim::is_cuda) return {nullptr, IValue(type->device->type == DeviceType::Cuda)};
    }
    if (type->sizes && (is_kind(node, "aten::dim")))
        return {nullptr, IValue(static_cast<std::int64_t>(type->sizes->size()))};
    return {};
}

// As in PyTorch: assumes a batch of images.
Replacement dimensions_of_convolution(const Site& site) {
    if (!is_kind(site.node, "aten::dim")) return {};
    const Node* source = site.node->input(0)->node();
    if (is_kind(source, "aten::conv1d")) return {nullptr, IValue(3)};
    if (is_kind(source, "aten::conv2d")) return {nullptr, IValue(4)};
    if (is_kind(source, "aten::conv3d")) return {nullptr, IValue(5)};
    return {};
}

bool can_be_none(const Type& type) {
    if (type.kind() == TypeKind::Any || type.kind() == TypeKind::Var || type.kind() == TypeKind::None) return true;
    if (type.kind() == TypeKind::Optional) return true;
    return type.kind() == TypeKind::Union && std::any_of(type.contained().begin(), type.contained().end(),
                                                         [](const TypePtr& part) { return can_be_none(*part); });
}

// x is None, x is not None, for types that leave no doubt.
Replacement known_none(const Site& site) {
    const Node* node = site.node;
    const bool is = is_kind(node, "aten::__is__");
    if (!is && !is_kind(node, "aten::__isnot__")) return {};
    const auto none = [](const Value* v) { return v->type()->kind() == TypeKind::None; };
    const Value* a = node->input(0);
    const Value* b = node->input(1);
    if ((none(a) && !can_be_none(*b->type())) || (none(b) && !can_be_none(*a->type()))) return {nullptr, IValue(!is)};
    return {};
}

Replacement unwrap_of_what_is_there(const Site& site) {
    const Node* node = site.node;
    if (node->kind() != prim::unchecked_unwrap_optional && !is_kind(node, "aten::_unwrap_optional")) return {};
    if (can_be_none(*node->input(0)->type())) return {};
    return {node->input(0)};
}

Replacement cast_to_own_type(const Site& site) {
    const Node* node = site.node;
    if (node->kind() != prim::unchecked_cast || !node->input(0)->type()->is_subtype_of(*node->output()->type()))
        return {};
    return {node->input(0)};
}

Replacement length_of_made_list(const Site& site) {
    const Node* node = site.node;
    if (!is_kind(node, "aten::len") || node->input(0)->node()->kind() != prim::ListConstruct) return {};
    if (site.aliases.has_writers(node->input(0))) return {};
    return {nullptr, IValue(static_cast<std::int64_t>(node->input(0)->node()->inputs().size()))};
}

Replacement element_of_made_list(const Site& site) {
    const Node* node = site.node;
    if (!is_kind(node, "aten::__getitem__") || node->input(0)->node()->kind() != prim::ListConstruct) return {};
    const Node* list = node->input(0)->node();
    const auto index = constant_int(node->input(1));
    const auto size = static_cast<std::int64_t>(list->inputs().size());
    if (!index || *index < -size || *index >= size || site.aliases.has_writers(node->input(0))) return {};
    return {list->input(static_cast<std::size_t>(*index < 0 ? *index + size : *index))};
}

Replacement transpose_of_transpose(const Site& site) {
    const Node* node = site.node;
    if (!is_kind(node, "aten::t") || !is_kind(node->input(0)->node(), "aten::t")) return {};
    const Node* inner = node->input(0)->node();
    if (site.aliases.has_writers(node->output()) || site.aliases.has_writers(inner->input(0))) return {};
    return {inner->input(0)};
}

// x + 0, x - 0, x * 1, x // 1 of ints.
Replacement neutral_number(const Site& site) {
    const Node* node = site.node;
    if (node->inputs().size() != 2 || node->outputs().size() != 1 || node->output()->type()->kind() != TypeKind::Int)
        return {};
    const bool adds = is_kind(node, "aten::add");
    const bool multiplies = is_kind(node, "aten::mul");
    const bool one_sided = is_kind(node, "aten::sub") || is_kind(node, "aten::floordiv");
    if (!adds && !multiplies && !one_sided) return {};
    const std::int64_t neutral = adds || is_kind(node, "aten::sub") ? 0 : 1;
    if (constant_int(node->input(1)) == neutral) return {node->input(0)};
    if (!one_sided && constant_int(node->input(0)) == neutral) return {node->input(1)};
    return {};
}

// A value of NoneType is None.
Replacement nothing_but_none(const Site& site) {
    const Value* output = site.node->output();
    if (site.node->kind() == prim::Constant || output->type()->kind() != TypeKind::None) return {};
    return {nullptr, IValue()};
}

constexpr Rule kRules[] = {
    {"nothing but None", nothing_but_none},
    {"number of tensor of number", number_of_tensor_of_number},
    {"number of same type", number_of_same_type},
    {"known sizes", known_sizes},
    {"known tensor facts", known_tensor_facts},
    {"dimensions of convolution", dimensions_of_convolution},
    {"known None", known_none},
    {"unwrap of what is there", unwrap_of_what_is_there},
    {"cast to own type", cast_to_own_type},
    {"length of made list", length_of_made_list},
    {"element of made list", element_of_made_list},
    {"transpose of transpose", transpose_of_transpose},
    {"neutral number", neutral_number},
};

class Peephole {
  public:
    Peephole(Graph& graph, bool uses_shapes) : graph_(graph), aliases_(graph), uses_shapes_(uses_shapes) {
        visit_block(graph.block());
    }
    bool changed() const { return changed_; }
    bool refined() const { return refined_; }

  private:
    void visit_block(Block* block) {
        for (Node* node : block->nodes()) {
            for (std::size_t i = 0; i < node->block_count(); ++i) visit_block(node->block_at(i));
            if (node->kind() == prim::If)
                simplify_branches(node);
            else if (is_kind(node, "aten::cat"))
                join_joined(node);
            else if (node->kind() == prim::ListUnpack)
                unpack_made_list(node);
            else if (node->outputs().size() == 1)
                apply_rules(node);
        }
    }

    static bool is_int_sum(const Node* node) {
        return (is_kind(node, "aten::add") || is_kind(node, "aten::sub")) && node->inputs().size() == 2 &&
               node->output()->type()->kind() == TypeKind::Int;
    }

    // Canonical order: the constant of a sum or product of ints is the second operand.
    static void order_numbers(Node* node) {
        const bool commutes = is_kind(node, "aten::add") || is_kind(node, "aten::mul");
        if (!commutes || node->inputs().size() != 2 || node->output()->type()->kind() != TypeKind::Int) return;
        if (!constant_int(node->input(0)) || constant_int(node->input(1))) return;
        Value* constant = node->input(0);
        node->replace_input(0, node->input(1));
        node->replace_input(1, constant);
    }

    // (x + 2) - 5 is x - 3, with the wrapping of machine integers.
    void merge_sums(Node* node) {
        if (!is_int_sum(node) || !is_int_sum(node->input(0)->node())) return;
        const Node* inner = node->input(0)->node();
        const auto outer_number = constant_int(node->input(1));
        const auto inner_number = constant_int(inner->input(1));
        if (!outer_number || !inner_number) return;
        const auto a = static_cast<std::uint64_t>(*inner_number);
        const auto b = static_cast<std::uint64_t>(*outer_number);
        const auto sum = static_cast<std::int64_t>(inner->kind() == node->kind() ? b + a : b - a);
        const ir::OriginScope origin(graph_, {node}, "PeepholeOptimize", "sum of sum");
        Value* constant = graph_.create_constant(IValue(sum))->insert_before(node)->output();
        node->replace_input(0, inner->input(0));
        node->replace_input(1, constant);
        changed_ = true;
    }

    void apply_rules(Node* node) {
        if (!node->has_uses()) return;
        order_numbers(node);
        merge_sums(node);
        for (const Rule& rule : kRules) {
            if (!uses_shapes_ && (rule.apply == known_sizes || rule.apply == known_tensor_facts)) continue;
            const Replacement found = rule.apply({graph_, node, aliases_});
            if (!found) continue;
            Value* value = found.value;
            if (value == nullptr) {
                const ir::OriginScope origin(graph_, {node}, "PeepholeOptimize", rule.name);
                value = graph_.create_constant(*found.constant)->insert_before(node)->output();
            }
            node->output()->replace_all_uses_with(value);
            changed_ = true;
            return;
        }
    }

    void simplify_branches(Node* node) {
        for (std::size_t i = 0; i < node->outputs().size(); ++i) {
            refine_optional(node, i);
            replace_none(node, i);
            simplify_condition(node, i);
        }
    }

    // When both branches are known to be None or not None, so is the result.
    void refine_optional(Node* node, std::size_t i) {
        if (node->output(i)->type()->kind() != TypeKind::Optional) return;
        const TypePtr& then = node->block_at(0)->outputs()[i]->type();
        const TypePtr& otherwise = node->block_at(1)->outputs()[i]->type();
        if (then->kind() == TypeKind::Optional || otherwise->kind() == TypeKind::Optional) return;
        const auto unified = unify_types(then, otherwise);
        if (!unified) return;
        node->output(i)->set_type(*unified);
        refined_ = true;
    }

    void replace_none(Node* node, std::size_t i) {
        if (node->output(i)->type()->kind() != TypeKind::None || !node->output(i)->has_uses()) return;
        const ir::OriginScope origin(graph_, {node}, "PeepholeOptimize", "nothing but None");
        node->output(i)->replace_all_uses_with(graph_.create_constant(IValue())->insert_before(node)->output());
        changed_ = true;
    }

    // The result of "if c: True else: False" is c.
    void simplify_condition(Node* node, std::size_t i) {
        if (node->output(i)->type()->kind() != TypeKind::Bool || !node->output(i)->has_uses()) return;
        const auto then = constant_bool(node->block_at(0)->outputs()[i]);
        const auto otherwise = constant_bool(node->block_at(1)->outputs()[i]);
        if (!then.value_or(false) || otherwise.value_or(true)) return;
        node->output(i)->replace_all_uses_with(node->input(0));
        changed_ = true;
    }

    // The inner of two joins along one dimension, where only the outer one reads it.
    const Node* inner_join(const Node* join, const Value* element) const {
        const Node* inner = element->node();
        if (!is_kind(inner, "aten::cat") || element->uses().size() != 1) return nullptr;
        const Node* list = inner->input(0)->node();
        const auto dim = constant_int(join->input(1));
        if (!dim || dim != constant_int(inner->input(1)) || list->kind() != prim::ListConstruct) return nullptr;
        if (aliases_.has_writers(inner->input(0)) || aliases_.has_writers(element)) return nullptr;
        // Elements that are written in between would be read too late.
        const auto& parts = list->inputs();
        const bool is_written =
            std::any_of(parts.begin(), parts.end(), [&](const Value* part) { return aliases_.has_writers(part); });
        return is_written ? nullptr : list;
    }

    void join_joined(Node* join) {
        const Node* list = join->input(0)->node();
        if (list->kind() != prim::ListConstruct || join->input(0)->uses().size() != 1) return;
        std::vector<Value*> parts;
        bool found = false;
        for (Value* element : list->inputs()) {
            if (const Node* inner = inner_join(join, element)) {
                parts.insert(parts.end(), inner->inputs().begin(), inner->inputs().end());
                found = true;
            } else {
                parts.push_back(element);
            }
        }
        if (!found) return;
        const ir::OriginScope origin(graph_, {join}, "PeepholeOptimize", "join of joined");
        Node* whole = graph_.create(prim::ListConstruct, parts)->insert_before(join);
        whole->output()->set_type(join->input(0)->type());
        join->replace_input(0, whole->output());
        changed_ = true;
    }

    void unpack_made_list(Node* node) {
        const Node* list = node->input(0)->node();
        if (list->kind() != prim::ListConstruct || list->inputs().size() != node->outputs().size() || !node->has_uses())
            return;
        if (aliases_.has_writers(node->input(0))) return;
        for (std::size_t i = 0; i < node->outputs().size(); ++i) node->output(i)->replace_all_uses_with(list->input(i));
        changed_ = true;
    }

    Graph& graph_;
    AliasAnalysis aliases_;
    bool uses_shapes_;
    bool changed_ = false;
    bool refined_ = false;
};

void optimize(Graph& graph, bool uses_shapes) {
    kPeepholeDictIdioms.run(graph, {});
    constexpr int kMostRounds = 100;  // each rewrites towards fewer or simpler nodes; a bound against mistakes
    bool removes = true;
    for (int rounds = 0; rounds < kMostRounds && removes; ++rounds) {
        bool found = false;
        for (bool changes = true; changes && rounds < kMostRounds; ++rounds) {
            const Peephole round(graph, uses_shapes);
            changes = round.changed();
            found |= changes || round.refined();
        }
        // As in PyTorch, also where only the type of a branch's result was used. Dead code elimination may remove
        // writers, so that more rules apply.
        removes = found && remove_dead_code(graph);
    }
}

void run(Graph& graph, const PassContext&) { optimize(graph, true); }

}  // namespace

void peephole_without_shapes(Graph& graph) { optimize(graph, false); }

const Pass kPeephole{"PeepholeOptimize", "Replaces small patterns by what is known to equal them.", run};

}  // namespace loupe::passes
