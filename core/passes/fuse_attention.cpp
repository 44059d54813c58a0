// SPDX-License-Identifier: Apache-2.0
// Attention, written out, becomes one operator: softmax(masked_fill(matmul(q, k^T) * scale)) v, where the shapes are
// known and intermediates have no other uses.
#include <algorithm>

#include "core/passes/alias_analysis.h"
#include "core/passes/graph_tools.h"
#include "core/passes/pass_list.h"

namespace loupe::passes {
namespace {

using ir::Graph;
using ir::Node;
using ir::Symbol;
using ir::Value;

// Sizes of a dense tensor of four dimensions on the CPU; empty for others and unknown ones.
Dims sizes_of(const Value* value) {
    const auto* type = value->type()->as<TensorType>();
    const bool is_known = type != nullptr && type->sizes && type->sizes->size() == 4 && type->dtype && type->device &&
                          type->device->type == DeviceType::Cpu;
    if (!is_known || (*type->dtype != ScalarType::Float32 && *type->dtype != ScalarType::Float64)) return {};
    Dims sizes;
    for (const auto& size : *type->sizes) {
        if (!size || *size < 0) return {};
        sizes.push_back(*size);
    }
    return sizes;
}

bool has_one_reader(const Value* value) { return value->uses().size() == 1; }

// A constant dimension, counted from the end; 0 when it is not constant.
std::int64_t from_end(const Value* dim) {
    const auto constant = constant_int(dim);
    return !constant ? 0 : (*constant >= 0 ? *constant - 4 : *constant);
}

// A number, or a constant tensor without dimensions.
std::optional<double> number_of(const Value* value) {
    if (const auto number = constant_number(value)) return number;
    const auto tensor = constant_tensor(value);
    if (!tensor || tensor->dim() != 0 || !is_floating(tensor->dtype())) return std::nullopt;
    return item(*tensor).to_double();
}

struct Attention {
    Value *query, *key, *value;
    Value* mask = nullptr;
    double scale = 1;
    double fill = 0;
};

class Fusion {
  public:
    explicit Fusion(Graph& graph) : graph_(graph), aliases_(graph) {}

    bool changed() const { return changed_; }
    void visit(Node* node) {
        Attention found{};
        if (node->is("aten::matmul") && match(node, found)) replace(node, found);
    }

  private:
    // The node that produces the value, when it is such an operator, does not write and has no other use.
    Node* inner(const Value* value, std::string_view name) const {
        Node* node = value->node();
        return node->is(name) && has_one_reader(value) && !aliases_.has_writers(node) ? node : nullptr;
    }

    bool match(Node* mix, Attention& found) const {
        const Node* softmax = inner(mix->input(0), "aten::softmax.int");
        if (softmax == nullptr || aliases_.has_writers(mix) || from_end(softmax->input(1)) != -1 ||
            !ir::is_none_constant(softmax->input(2)))
            return false;
        const Value* scores = softmax->input(0);
        if (const Node* masked = inner(scores, "aten::masked_fill.Scalar")) {
            const auto fill = constant_number(masked->input(2));
            if (!fill) return false;
            found.fill = *fill;
            found.mask = masked->input(1);
            scores = masked->input(0);
        }
        if (!take_scale(scores, found)) return false;
        const Node* product = inner(scores, "aten::matmul");
        if (product == nullptr) return false;
        found.query = product->input(0);
        found.key = product->input(1);
        found.value = mix->input(1);
        return fits(found);
    }

    bool take_scale(const Value*& scores, Attention& found) const {
        for (const char* name : {"aten::mul.Tensor", "aten::mul.Scalar", "aten::div.Tensor", "aten::div.Scalar"}) {
            const Node* scaling = inner(scores, name);
            if (scaling == nullptr) continue;
            const auto factor = number_of(scaling->input(1));
            if (!factor || *factor == 0) return false;
            found.scale = std::string_view(name).starts_with("aten::div") ? 1 / *factor : *factor;
            scores = scaling->input(0);
            break;
        }
        return true;
    }

    // found.key is transposed: [batch, heads, width, columns].
    static bool fits(const Attention& found) {
        const Dims q = sizes_of(found.query), k = sizes_of(found.key), v = sizes_of(found.value);
        if (q.empty() || k.empty() || v.empty()) return false;
        const auto dtype = [](const Value* value) { return *value->type()->as<TensorType>()->dtype; };
        if (dtype(found.query) != dtype(found.key) || dtype(found.query) != dtype(found.value)) return false;
        const bool are_same_heads = k[0] == q[0] && k[1] == q[1] && v[0] == q[0] && v[1] == q[1];
        return are_same_heads && k[2] == q[3] && v[2] == k[3] &&
               (found.mask == nullptr || mask_fits(found.mask, {q[0], q[1], q[2], k[3]}));
    }

    static bool mask_fits(const Value* mask, const Dims& scores) {
        const auto* type = mask->type()->as<TensorType>();
        if (type == nullptr || type->dtype != ScalarType::Bool || !type->sizes || type->sizes->size() > scores.size())
            return false;
        for (std::size_t i = 1; i <= type->sizes->size(); ++i) {
            const auto& size = (*type->sizes)[type->sizes->size() - i];
            if (!size || (*size != 1 && *size != scores[scores.size() - i])) return false;
        }
        return true;
    }

    void replace(Node* mix, const Attention& found) {
        const ir::OriginScope origin(graph_, {mix}, "FuseAttention", "attention");
        const ir::InsertPointScope place(graph_, mix);
        Value* mask =
            found.mask != nullptr ? found.mask : graph_.insert_constant(IValue(), types::optional(types::tensor()));
        Node* node = graph_.create(
            Symbol::intern("loupe::attention"),
            {found.query, unturned(found.key), found.value, mask, graph_.insert_constant(IValue(found.scale)),
             graph_.insert_constant(IValue(found.fill)), graph_.insert_constant(IValue(is_joined_later(mix)))},
            2);
        graph_.insert(node)->set_op(find_operator("loupe::attention", ""));
        for (const std::size_t i : {0U, 1U}) {
            const auto* like = (i == 0 ? mix->output() : mix->input(0))->type()->as<TensorType>();
            auto type = make_ptr<TensorType>();
            type->dtype = like->dtype;
            type->device = like->device;
            type->sizes = like->sizes;
            node->output(i)->set_type(std::move(type));
        }
        mix->output()->replace_all_uses_with(node->output(0));
        mix->destroy();
        changed_ = true;
    }

    Value* unturned(Value* key) {
        const Node* node = key->node();
        if (node->is("aten::transpose.int")) {
            const std::int64_t a = from_end(node->input(1)), b = from_end(node->input(2));
            if (std::min(a, b) == -2 && std::max(a, b) == -1) return node->input(0);
        }
        Value* last = graph_.insert_constant(IValue(std::int64_t{-1}));
        Value* before = graph_.insert_constant(IValue(std::int64_t{-2}));
        return graph_.insert_op(Symbol::intern("aten::transpose"), {key, before, last});
    }

    // The result is used with heads interleaved: computed in this layout.
    static bool is_joined_later(const Node* mix) {
        if (!has_one_reader(mix->output())) return false;
        const Node* user = mix->output()->uses()[0].user;
        if (!user->is("aten::transpose.int")) return false;
        const std::int64_t a = from_end(user->input(1)), b = from_end(user->input(2));
        return std::min(a, b) == -3 && std::max(a, b) == -2;
    }

    Graph& graph_;
    AliasAnalysis aliases_;
    bool changed_ = false;
};

}  // namespace

const Pass kFuseAttention{
    "FuseAttention",
    "Attention written out (products, scale, mask, softmax) becomes one operator where shapes are known.",
    [](Graph& graph, const PassContext&) {
        Fusion fusion(graph);
        for_each_node(graph.block(), [&](Node* node) { fusion.visit(node); });
        if (fusion.changed()) remove_dead_code(graph);
    }};

}  // namespace loupe::passes
