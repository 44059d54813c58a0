// SPDX-License-Identifier: Apache-2.0
// What exporters take apart, joined again: layers with transposed weights, gelu, silu, layer_norm and attention.
#include <cmath>

#include "core/passes/graph_tools.h"
#include "plugins/onnx/passes/rewriter.h"

namespace loupe::onnx {
namespace {

using ir::Node;
using ir::Value;

// The node of a value that nothing else reads, if it is this operator.
Node* made_by(const Value* value, std::string_view name, std::size_t uses = 1) {
    Node* node = value->node();
    return node->is(name) && value->uses().size() == uses ? node : nullptr;
}

// --- layers ---

bool is_weight(const Rewriter& r, const Value* value) {
    const auto tensor = r.tensor_of(value);
    return tensor && tensor->defined() && tensor->dim() == 2 && is_floating(tensor->dtype());
}
bool is_bias(const Rewriter& r, const Value* value, const Value* weight) {
    const auto tensor = r.tensor_of(value);
    const auto matrix = r.tensor_of(weight);
    return tensor && tensor->defined() && tensor->dim() == 1 && matrix && tensor->size(0) == matrix->size(1);
}
Value* biased(const Rewriter& r, Value* product, Value* bias) {
    const Node* node = made_by(product, "aten::matmul");
    if (node == nullptr || !is_weight(r, node->input(1)) || !is_bias(r, bias, node->input(1))) return nullptr;
    return r.call("aten::linear", {node->input(0), r.call("aten::t", {node->input(1)}), bias});
}
Value* linear_of_sum(const Rewriter& r, Node* node) {
    if (passes::constant_number(node->input(2)) != 1.0) return nullptr;
    if (Value* out = biased(r, node->input(0), node->input(1))) return out;
    return biased(r, node->input(1), node->input(0));
}
Value* linear_of_product(const Rewriter& r, Node* node) {
    if (!is_weight(r, node->input(1))) return nullptr;
    // With its bias, if it has one.
    const auto& uses = node->output()->uses();
    if (uses.size() == 1 && uses[0].user->is("aten::add.Tensor")) {
        const Node* sum = uses[0].user;
        const Value* other = sum->input(0) == node->output() ? sum->input(1) : sum->input(0);
        if (is_bias(r, other, node->input(1))) return nullptr;
    }
    return r.call("aten::linear", {node->input(0), r.call("aten::t", {node->input(1)})});
}

// --- activations ---

// The factors of a product of products, numbers multiplied.
struct Factors {
    std::vector<Value*> tensors;
    double number = 1;
};
void collect(Value* value, Factors& out, int depth) {
    Node* node = value->node();
    const bool is_inner = depth == 0 || value->uses().size() == 1;
    if (depth < 4 && is_inner && node->is("aten::mul.Tensor")) {
        collect(node->input(0), out, depth + 1);
        collect(node->input(1), out, depth + 1);
        return;
    }
    const auto number = node->is("aten::mul.Scalar") ? passes::constant_number(node->input(1)) : std::nullopt;
    if (depth < 4 && is_inner && number) {
        out.number *= *number;
        collect(node->input(0), out, depth + 1);
        return;
    }
    out.tensors.push_back(value);
}

bool near(std::optional<double> number, double expected) {
    return number && std::abs(*number - expected) < 1e-5 * std::abs(expected);
}

// x of 1 + erf(x / sqrt(2)).
Value* argument_of_erf(const Value* value) {
    const Node* sum = made_by(value, "aten::add.Scalar");
    if (sum == nullptr || passes::constant_number(sum->input(1)) != 1.0) return nullptr;
    const Node* erf = made_by(sum->input(0), "aten::erf");
    if (erf == nullptr) return nullptr;
    const Node* scaled = erf->input(0)->node();
    if (scaled->is("aten::div.Scalar") && near(passes::constant_number(scaled->input(1)), std::sqrt(2.0)))
        return scaled->input(0);
    if (scaled->is("aten::mul.Scalar") && near(passes::constant_number(scaled->input(1)), std::sqrt(0.5)))
        return scaled->input(0);
    return nullptr;
}

Value* activation_of_product(const Rewriter& r, Node* node) {
    Factors factors;
    collect(node->output(), factors, 0);
    if (factors.tensors.size() != 2) return nullptr;
    for (const auto& [x, other] :
         {std::pair(factors.tensors[0], factors.tensors[1]), std::pair(factors.tensors[1], factors.tensors[0])}) {
        if (factors.number == 0.5 && argument_of_erf(other) == x) return r.call("aten::gelu", {x});
        const Node* sigmoid = made_by(other, "aten::sigmoid");
        if (factors.number == 1 && sigmoid != nullptr && sigmoid->input(0) == x) return r.call("aten::silu", {x});
    }
    return nullptr;
}

// --- normalisation ---

// The number that a mean over the last dimensions is over, -1 or a list that ends so; 0 for another node.
std::size_t last_dims(const Rewriter& r, const Node* node) {
    if (!node->is("aten::mean.dim") || passes::constant_bool(node->input(2)) != true) return 0;
    const auto axes = r.whole_numbers(node->input(1));
    const auto rank = r.rank_of(node->input(0));
    if (!axes || axes->empty()) return 0;
    for (std::size_t i = 0; i < axes->size(); ++i) {
        const auto from_end = static_cast<std::int64_t>(i) - static_cast<std::int64_t>(axes->size());
        if ((*axes)[i] != from_end && !(rank && (*axes)[i] == *rank + from_end)) return 0;
    }
    return axes->size();
}

// (x - mean(x)) / sqrt(mean((x - mean(x))^2) + eps) w + b
Value* normalised(const Rewriter& r, Value* product, Value* bias) {
    const Node* scaled = made_by(product, "aten::mul.Tensor");
    if (scaled == nullptr) return nullptr;
    for (const std::size_t side : {0U, 1U}) {
        Value* weight = scaled->input(1 - side);
        const Node* quotient = made_by(scaled->input(side), "aten::div.Tensor");
        if (quotient == nullptr || !r.tensor_of(weight)) continue;
        const Node* centred = quotient->input(0)->node();
        const Node* root = made_by(quotient->input(1), "aten::sqrt");
        const Node* sum = root != nullptr ? made_by(root->input(0), "aten::add.Scalar") : nullptr;
        const Node* variance = sum != nullptr ? made_by(sum->input(0), "aten::mean.dim") : nullptr;
        if (variance == nullptr || !centred->is("aten::sub.Tensor")) continue;
        const Node* square = variance->input(0)->node();
        const bool is_square = (square->is("aten::pow.Tensor_Scalar") && square->input(0) == centred->output() &&
                                passes::constant_number(square->input(1)) == 2.0) ||
                               (square->is("aten::mul.Tensor") && square->input(0) == centred->output() &&
                                square->input(1) == centred->output());
        const Node* mean = centred->input(1)->node();
        const std::size_t dims = last_dims(r, mean);
        if (!is_square || dims == 0 || mean->input(0) != centred->input(0) || last_dims(r, variance) != dims) continue;
        const Tensor scale = *r.tensor_of(weight);
        if (scale.dim() != static_cast<std::int64_t>(dims) || r.rank_of(bias) != scale.dim()) continue;
        return r.call("aten::layer_norm", {centred->input(0), r.numbers(to_dims(scale.sizes())), weight, bias,
                                           r.constant(IValue(*passes::constant_number(sum->input(1))))});
    }
    return nullptr;
}
Value* layer_norm_of_sum(const Rewriter& r, Node* node) {
    if (Value* out = normalised(r, node->input(0), node->input(1))) return out;
    return normalised(r, node->input(1), node->input(0));
}

Value* joined_sum(const Rewriter& r, Node* node) {
    if (Value* out = linear_of_sum(r, node)) return out;
    return layer_norm_of_sum(r, node);
}

// --- attention ---

// A factor in front of a value, and the value.
std::pair<Value*, double> without_factor(const Rewriter& r, Value* value) {
    const Node* node = value->node();
    if (value->uses().size() != 1) return {value, 1};
    if (node->is("aten::mul.Scalar")) {
        if (const auto number = passes::constant_number(node->input(1))) return {node->input(0), *number};
    }
    if (node->is("aten::div.Scalar")) {
        if (const auto number = passes::constant_number(node->input(1))) return {node->input(0), 1 / *number};
    }
    if (node->is("aten::mul.Tensor")) {
        for (const std::size_t i : {1U, 0U}) {
            const auto tensor = r.tensor_of(node->input(i));
            const bool is_factor = tensor && tensor->dim() <= r.rank_of(node->input(1 - i)).value_or(0);
            const auto number = is_factor ? r.number_of(node->input(i)) : std::nullopt;
            if (number) return {node->input(1 - i), *number};
        }
    }
    return {value, 1};
}

// Rows that look nowhere are 0: where(isnan(x), 0, x) of a softmax, which PyTorch's attention does by itself.
Value* without_guard(const Rewriter& r, Value* value) {
    const Node* choice = made_by(value, "aten::where.self");
    if (choice == nullptr) return value;
    const Node* test = made_by(choice->input(0), "onnx::IsNaN");
    const bool is_guard = test != nullptr && test->input(0) == choice->input(2) && r.number_of(choice->input(1)) == 0.0;
    return is_guard ? choice->input(2) : value;
}

// The value whose last two dimensions the given one has turned. Exporters turn those of four dimensions as three, with
// the first two joined.
Value* turned_from(const Rewriter& r, Value* value) {
    const auto is_turn = [](const Node* node) {
        return node != nullptr && passes::constant_int(node->input(1)) == -2 &&
               passes::constant_int(node->input(2)) == -1;
    };
    if (const Node* transpose = made_by(value, "aten::transpose.int"); is_turn(transpose)) return transpose->input(0);
    const Node* outer = made_by(value, "aten::reshape");
    const Node* transpose = outer != nullptr ? made_by(outer->input(0), "aten::transpose.int") : nullptr;
    const Node* inner = is_turn(transpose) ? made_by(transpose->input(0), "aten::reshape") : nullptr;
    if (inner == nullptr) return nullptr;
    Value* from = inner->input(0);
    const auto rank = r.rank_of(from).value_or(0);
    const auto joined = r.whole_numbers(inner->input(1));
    const auto sizes = r.whole_numbers(outer->input(1));
    if (rank < 3 || !joined || joined->size() != 3 || !sizes || static_cast<std::int64_t>(sizes->size()) != rank)
        return nullptr;
    const auto size = [&](std::int64_t dim) { return r.size_of(from, dim).value_or(-1); };
    if ((*joined)[1] != size(rank - 2) || (*joined)[2] != size(rank - 1)) return nullptr;
    for (std::int64_t d = 0; d < rank; ++d) {
        const std::int64_t source = d < rank - 2 ? d : d == rank - 2 ? rank - 1 : rank - 2;
        const std::int64_t wanted = size(source);
        if (wanted < 0 || (*sizes)[static_cast<std::size_t>(d)] != wanted) return nullptr;
    }
    return from;
}

// softmax(scale q k^T + mask) v
Value* attention(const Rewriter& r, Node* node) {
    Value* weights = without_guard(r, node->input(0));
    const bool is_guarded = weights != node->input(0);
    const Node* softmax = is_guarded && weights->node()->is("aten::softmax.int")
                              ? weights->node()
                              : made_by(node->input(0), "aten::softmax.int");
    if (softmax == nullptr) return nullptr;
    const auto dim = passes::constant_int(softmax->input(1));
    const auto rank = r.rank_of(softmax->input(0));
    if (dim != -1 && !(rank && dim == *rank - 1)) return nullptr;
    Value* scores = softmax->input(0);
    Value* mask = nullptr;
    if (const Node* sum = made_by(scores, "aten::add.Tensor"); sum != nullptr) {
        if (passes::constant_number(sum->input(2)) != 1.0) return nullptr;
        const bool is_left = without_factor(r, sum->input(0)).first->node()->is("aten::matmul");
        scores = sum->input(is_left ? 0 : 1);
        mask = sum->input(is_left ? 1 : 0);
    }
    const auto [product, factor] = without_factor(r, scores);
    const Node* matmul = made_by(product, "aten::matmul");
    if (matmul == nullptr) return nullptr;
    const auto [query, query_factor] = without_factor(r, matmul->input(0));
    auto [turned, key_factor] = without_factor(r, matmul->input(1));
    Value* upright = turned_from(r, turned);
    if (upright == nullptr) return nullptr;
    const auto [key, inner_factor] = without_factor(r, upright);
    // PyTorch's operator takes one dtype, and at least three dimensions.
    if (r.rank_of(query).value_or(0) < 3) return nullptr;
    const double scale = factor * query_factor * key_factor * inner_factor;
    return r.call("aten::scaled_dot_product_attention",
                  {query, key, node->input(1), mask != nullptr ? mask : r.none(), r.constant(IValue(0.0)),
                   r.constant(IValue(false)), r.constant(IValue(scale))});
}

Value* joined_product(const Rewriter& r, Node* node) {
    if (Value* out = attention(r, node)) return out;
    return linear_of_product(r, node);
}

constexpr NamedRule kRules[] = {
    {"aten::add.Tensor", joined_sum},
    {"aten::matmul", joined_product},
    {"aten::mul.Tensor", activation_of_product},
    {"aten::mul.Scalar", activation_of_product},
};

}  // namespace

std::span<const NamedRule> joining_rules() { return kRules; }

}  // namespace loupe::onnx
