// SPDX-License-Identifier: Apache-2.0
// Products, normalisation and attention of nested tensors of the strided layout.

#include <algorithm>

#include "core/dispatch/functions.h"
#include "core/ops/nested/strided.h"

namespace loupe::nested_ops {
namespace {

const OperatorHandle<> kMatmul{"aten::matmul"}, kReshape{"aten::reshape"}, kLinear{"aten::linear"},
    kUnsqueeze{"aten::unsqueeze"}, kSelect{"aten::select.int"}, kPad{"aten::constant_pad_nd"}, kStack{"aten::stack"};

// As C++ prints a tensor of integers.
std::string numbers_text(const std::vector<std::int64_t>& numbers, std::string_view sizes) {
    std::string out;
    for (const std::int64_t each : numbers) out += concat(" ", each, "\n");
    return concat(out, "[ torch.LongTensor{", sizes, "} ]");
}
std::string each_size(const NestedParts& parts, std::int64_t from_end) {
    std::vector<std::int64_t> all;
    for (const Dims& sizes : parts.sizes) all.push_back(sizes[sizes.size() - static_cast<std::size_t>(from_end)]);
    return numbers_text(all, std::to_string(all.size()));
}

void require_both(const Call& call, std::size_t a, std::size_t b) {
    if (call.has_strided(a) && call.has_strided(b)) return;
    const auto which = [&](std::size_t i) { return call.has_strided(i) ? "nested" : "non-nested"; };
    fail(concat("Expected both to be nested, but got a ", which(a), " self and ", which(b), " other"));
}

Tensor paired(const Tensor& a, const Tensor& b, const OperatorHandle<>& product) {
    const TensorList left = constituents(a), right = constituents(b);
    TensorList out;
    for (std::size_t i = 0; i < left.size(); ++i) out.push_back(product(left[i], right[i]));
    return nested_of(out, a.dtype());
}

void matmul(const Call& call, IValue* results) {
    require_both(call, 0, 1);
    const Tensor a = call.tensor(0), b = call.tensor(1);
    const NestedParts& left = nested_parts(a);
    const NestedParts& right = nested_parts(b);
    if (a.dim() < 3 || b.dim() < 3) {
        fail(concat("matmul: For nested tensors, only inputs with >= 3 dims are currently supported. ",
                    a.dim() < 3 ? "1st" : "2nd", " input has rank: ", a.dim() < 3 ? a.dim() : b.dim()));
    }
    if (left.batch() != right.batch()) {
        fail(concat("matmul: Expected size for the 1st dimension of 2nd input tensor to be: ", left.batch(),
                    " but got: ", right.batch(), "."));
    }
    if (a.dim() != b.dim()) fail("matmul: both inputs must have the same rank");
    const auto batch_text = [](const NestedParts& parts) {
        std::vector<std::int64_t> all;
        for (const Dims& sizes : parts.sizes) all.insert(all.end(), sizes.begin(), sizes.end() - 2);
        return numbers_text(all, concat(parts.batch(), ",", parts.rank - 2));
    };
    for (std::size_t i = 0; i < left.sizes.size(); ++i) {
        if (!std::equal(left.sizes[i].begin(), left.sizes[i].end() - 2, right.sizes[i].begin())) {
            fail(concat(
                "matmul: For nested tensors, batch dimensions must have the same sizes, no broadcasting is currently "
                "performed. Got batch shapes for self ",
                batch_text(left), " and batch shapes for mat2 ", batch_text(right)));
        }
    }
    for (std::size_t i = 0; i < left.sizes.size(); ++i) {
        if (left.sizes[i].back() != right.sizes[i][right.sizes[i].size() - 2]) {
            fail(concat("matmul: Nested tensors cannot be matrix multiplied, last dimension of self has sizes",
                        each_size(left, 1), "second last dimension of mat2 has sizes", each_size(right, 2)));
        }
    }
    results[0] = paired(a, b, kMatmul);
}

void bmm(const Call& call, IValue* results) {
    const Tensor a = call.tensor(0), b = call.tensor(1);
    if (a.dim() != 3) fail("batch1 must be a 3D tensor");
    if (b.dim() != 3) fail("batch2 must be a 3D tensor");
    if (a.sizes()[0] != b.sizes()[0]) {
        fail(concat("Expected size for the 1st dimension of batch2 tensor to be: ", a.sizes()[0],
                    " but got: ", b.sizes()[0], "."));
    }
    const auto parts = [](const Tensor& t) { return t.is_sparse() ? constituents(t) : fn::unbind(t, std::int64_t{0}); };
    const TensorList left = parts(a), right = parts(b);
    TensorList out;
    for (std::size_t i = 0; i < left.size(); ++i) {
        if (left[i].size(1) != right[i].size(0)) {
            fail(concat(i, "-th nested matrices in batch cannot be multiplied (", left[i].size(0), "x", left[i].size(1),
                        " and ", right[i].size(0), "x", right[i].size(1), ")"));
        }
        out.push_back(kMatmul(left[i], right[i]));
    }
    results[0] = nested_of(out, a.dtype());
}

// The buffer as rows of `width`.
Tensor rows_of(const Tensor& t, std::int64_t width) { return kReshape(nested_values(t), Dims{-1, width}); }

void linear(const Call& call, IValue* results) {
    if (!call.has_strided(0)) fail("linear takes nested tensors as its input alone");
    const Tensor t = call.tensor(0), weight = call.tensor(1);
    const NestedParts& parts = nested_parts(t);
    if (!parts.is_contiguous) fail("for now linear only supports contiguous nested tensor");
    if (t.dim() != 3 || weight.dim() != 2) {
        fail(concat("Linear requires nested_tensor.dim == 3 and dense_matrix.dim == 2. Nested tensor dim: ", t.dim(),
                    ". Dense tensor dim: ", weight.dim()));
    }
    if (is_ragged_size(t.sizes()[2])) {
        fail(
            concat("Expected all tensors in nested tensor to have the same trailing dimension, instead last dimension "
                   "equals: ",
                   each_size(parts, 1)));
    }
    const std::int64_t width = t.sizes()[2];
    if (width != weight.size(1)) {
        fail(
            concat("Shape mismatch for NestedTensor Linear: Expected input's (a nested tensor) 'last_dim' to equal "
                   "'weight.size(1), but got: last_dim = ",
                   width, ", and weight.size(1) = ", weight.size(1)));
    }
    std::vector<Dims> sizes = parts.sizes;
    for (Dims& each : sizes) each.back() = weight.size(0);
    const IValue bias = call.arguments.size() > 2 ? call.arguments[2] : IValue();
    results[0] = make_nested(kReshape(kLinear(rows_of(t, width), weight, bias), Dims{-1}), std::move(sizes));
}

// (input, normalized_shape, weight, bias, eps, ...)
void layer_norm(const Call& call, IValue* results) {
    const Tensor t = call.tensor(0);
    const NestedParts& parts = nested_parts(t);
    if (!call.is_tensor(2) || !call.is_tensor(3)) fail_with_value("NestedTensor layer_norm requires weight and bias");
    const Dims shape = call.integers(1);
    if (static_cast<std::int64_t>(shape.size()) >= t.dim() || shape.empty())
        fail("normalized_shape extends into irregular dimensions for the nested tensor");
    for (std::size_t d = 0; d < shape.size(); ++d) {
        const std::int64_t size = t.sizes()[static_cast<std::size_t>(t.dim()) - shape.size() + d];
        if (is_ragged_size(size)) fail("normalized_shape extends into irregular dimensions for the nested tensor");
        if (size != shape[d]) fail(concat("The shape at dimension ", d, "of normalized_shape doesn't match the input"));
    }
    if (!parts.is_contiguous) fail("layer_norm takes contiguous nested tensors; call contiguous() first");
    Dims flat{-1};
    flat.insert(flat.end(), shape.begin(), shape.end());
    std::vector<IValue> changed = call.copied();
    changed[0] = kReshape(parts.buffer, flat);
    std::vector<IValue> made = call.run(changed);
    results[0] = with_nested_values(t, kReshape(made[0].to_tensor(), Dims{-1}));
    for (std::size_t i = 1; i < made.size(); ++i) results[i] = std::move(made[i]);
}

// (query, key, value, attn_mask, dropout_p, is_causal, scale, enable_gqa); each [B, ..., length, width].
void attention(const Call& call, IValue* results) {
    if (call.is_tensor(3)) {
        fail(
            "Scaled_dot_product_attention: Nested tensors for query / key are not supported when an explicit attn_mask "
            "is set");
    }
    for (std::size_t i = 0; i < 3; ++i) {
        if (call.has_strided(i) && !nested_parts(call.tensor(i)).is_contiguous)
            fail("scaled_dot_product_attention: If inputs are nested tensors they must be contiguous");
    }
    if (call.arguments[5].to_bool()) {
        fail("_scaled_dot_product_attention: Nested tensors for query / key are not supported when is_causal=True");
    }
    require_both(call, 0, 1);
    require_both(call, 0, 2);
    TensorList given[3];
    for (std::size_t i = 0; i < 3; ++i) given[i] = constituents(call.tensor(i));
    if (given[1].size() != given[0].size() || given[2].size() != given[0].size()) {
        fail(concat("matmul: Expected size for the 1st dimension of 2nd input tensor to be: ", given[0].size(),
                    " but got: ", given[1].size() != given[0].size() ? given[1].size() : given[2].size(), "."));
    }
    std::vector<IValue> changed = call.copied();
    TensorList out;
    for (std::size_t i = 0; i < given[0].size(); ++i) {
        for (std::size_t k = 0; k < 3; ++k) changed[k] = given[k][i];
        out.push_back(call.run(changed)[0].to_tensor());
    }
    results[0] = nested_of(out, call.tensor(0).dtype());
}

// Weights of constituents of different lengths, as one array: zeros where there is nothing.
Tensor padded_weights(const TensorList& weights) {
    std::int64_t most = 0;
    for (const Tensor& each : weights) most = std::max(most, each.size(-1));
    TensorList out;
    for (const Tensor& each : weights) {
        const std::int64_t more = most - each.size(-1);
        out.push_back(kPad(each, Dims{0, more, 0, more}, Scalar(0)));
    }
    return kStack(out, std::int64_t{0});
}
// (query, key, value, ..., mask=9, need_weights=10, ...): each sequence by itself. The weights are padded.
void multi_head_attention(const Call& call, IValue* results) {
    require_both(call, 0, 1);
    require_both(call, 0, 2);
    if (call.is_tensor(9)) fail("NestedTensor with mask is not supported yet");
    const Tensor q = call.tensor(0);
    if (q.dim() != 3) fail(concat("expected 3-D `query`, got ", q.dim(), "-D tensor"));
    const bool is_self = q.is_same(call.tensor(1)) && q.is_same(call.tensor(2));
    TensorList given[3] = {constituents(q)};
    for (std::size_t k = 1; k < 3; ++k) given[k] = is_self ? given[0] : constituents(call.tensor(k));
    if (given[1].size() != given[0].size() || given[2].size() != given[0].size())
        fail("query, key and value have different batch sizes");
    std::vector<IValue> changed = call.copied();
    TensorList out, weights;
    for (std::size_t i = 0; i < given[0].size(); ++i) {
        const Tensor one = kUnsqueeze(given[0][i], std::int64_t{0});
        for (std::size_t k = 0; k < 3; ++k) changed[k] = is_self ? one : kUnsqueeze(given[k][i], std::int64_t{0});
        const std::vector<IValue> made = call.run(changed);
        out.push_back(kSelect(made[0].to_tensor(), std::int64_t{0}, std::int64_t{0}));
        if (made[1].is_tensor()) weights.push_back(kSelect(made[1].to_tensor(), std::int64_t{0}, std::int64_t{0}));
    }
    results[0] = nested_of(out, q.dtype());
    results[1] = weights.empty() ? IValue() : IValue(padded_weights(weights));
}

}  // namespace

void add_strided_product_rules(RuleTable& table) {
    table["matmul"] = matmul;
    table["bmm"] = bmm;
    table["linear"] = linear;
    table["layer_norm"] = layer_norm;
    table["native_layer_norm"] = layer_norm;
    table["scaled_dot_product_attention"] = attention;
    table["_native_multi_head_attention"] = multi_head_attention;
}

}  // namespace loupe::nested_ops
