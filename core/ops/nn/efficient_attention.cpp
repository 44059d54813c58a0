// SPDX-License-Identifier: Apache-2.0
// Attention that keeps no weights: of each query the logarithm of its sum of exponentials is enough to compute them
// again (Rabe and Staats 2021, Dao et al. 2022). What scaled_dot_product_attention is on a device that has a kernel of
// it; the CPU's is written with operators.
#include <cmath>
#include <limits>

#include "core/kernels/elementwise.h"
#include "core/ops/nn/common.h"
#include "core/ops/nn/composed_gradient.h"
#include "core/ops/nn/family.h"
#include "core/ops/not_finite.h"

namespace loupe {
namespace {

using namespace nn_ops;

const OperatorHandle<> op_logsumexp("aten::logsumexp");
const OperatorHandle<> op_sum_to_size("aten::sum_to_size");
const OperatorHandle<std::tuple<Tensor, Tensor, Tensor, Tensor>> attention_backward{
    "aten::_scaled_dot_product_efficient_attention_backward"};

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Shape4 {
    std::int64_t batch, heads, rows, columns, width, out;
};
Shape4 check_shapes(const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& bias, double dropout_p) {
    constexpr const char* kName = "_scaled_dot_product_efficient_attention: ";
    for (const Tensor& t : {query, key, value}) {
        require(t.dim() == 4, kName, "expected a 4-D tensor, got ", t.dim(), "-D");
        require(t.dtype() == query.dtype(), "expected scalar type ", dtype_graph_name(query.dtype()), " but found ",
                dtype_graph_name(t.dtype()));
    }
    require(is_floating(query.dtype()), "\"attention\" not implemented for '", dtype_graph_name(query.dtype()), "'");
    require(dropout_p == 0, kName, "dropout is drawn by operators of its own here");
    const Shape4 s{query.size(0), query.size(1), query.size(2), key.size(2), query.size(3), value.size(3)};
    require(key.size(0) == s.batch && key.size(1) == s.heads && key.size(3) == s.width && value.size(0) == s.batch &&
                value.size(1) == s.heads && value.size(2) == s.columns,
            kName, "query ", shape_list_text(query.sizes()), ", key ", shape_list_text(key.sizes()), " and value ",
            shape_list_text(value.sizes()), " do not fit");
    if (bias.defined()) expanded(bias, span_of(Dims{s.batch, s.heads, s.rows, s.columns}));
    return s;
}

// Rows of the logarithms, as PyTorch's kernel pads them.
std::int64_t padded(std::int64_t rows) { return (rows + 31) / 32 * 32; }
ScalarType sums_dtype(ScalarType dtype) {
    return dtype == ScalarType::Float64 ? ScalarType::Float64 : ScalarType::Float32;
}
// Heads lie side by side in a row, so that a view joins them.
Dims joined_strides(std::int64_t heads, std::int64_t rows, std::int64_t width) {
    return {rows * heads * width, width, heads * width, 1};
}

double scale_of(const IValue& scale, const Tensor& query) {
    return scale.is_none() ? 1 / std::sqrt(static_cast<double>(query.size(-1))) : scale.to_double();
}
Tensor wide(const Tensor& t) {
    return t.defined() ? fn::to_dtype(t, static_cast<std::int64_t>(sums_dtype(t.dtype()))) : t;
}

struct Plain {
    Tensor scores, out, sums;
};
// Of wide numbers. Causal: a query sees the keys up to its own place. One that sees nothing gets zeros.
Plain plain_attention(const TensorList& in, const Tensor& bias, bool is_causal, double scale) {
    Plain plain;
    plain.scores = fn::mul_scalar(fn::matmul(in[0], fn::transpose(in[1], -2, -1)), Scalar(scale));
    if (bias.defined()) plain.scores = fn::add(plain.scores, bias);
    if (is_causal) {
        const Tensor ones = fn::ones(Dims{in[0].size(-2), in[1].size(-2)}, static_cast<std::int64_t>(ScalarType::Bool),
                                     IValue(), in[0].device());
        plain.scores = fn::masked_fill(plain.scores, fn::logical_not(fn::tril(ones)), Scalar(-kInfinity));
    }
    plain.sums = op_logsumexp(plain.scores, Dims{-1}, false);
    plain.sums = fn::masked_fill(plain.sums, fn::eq_scalar(plain.sums, Scalar(-kInfinity)), Scalar(0));
    plain.out = fn::matmul(fn::exp(fn::sub(plain.scores, fn::unsqueeze(plain.sums, -1))), in[2]);
    return plain;
}

// (query, key, value, attn_bias, compute_log_sumexp, dropout_p, is_causal, scale)
void infer_attention(Arguments a, MetaList& outputs) {
    const Tensor query = a[0].to_tensor();
    const Shape4 s = check_shapes(query, a[1].to_tensor(), a[2].to_tensor(), a[3].to_tensor(), a[5].to_double());
    TensorMeta out{{s.batch, s.heads, s.rows, s.out}, query.dtype(), query.device(), {}};
    out.strides = joined_strides(s.heads, s.rows, s.out);
    outputs.push_back(out);
    outputs.push_back(
        {{s.batch, s.heads, a[4].to_bool() ? padded(s.rows) : 0}, sums_dtype(query.dtype()), query.device(), {}});
    for (int i = 0; i < 2; ++i) outputs.push_back({{}, ScalarType::Int64, query.device(), {}});
}

void run_attention(Arguments a, IValue* results) {
    const Tensor query = a[0].to_tensor();
    const Plain plain = plain_attention({wide(query), wide(a[1].to_tensor()), wide(a[2].to_tensor())},
                                        wide(a[3].to_tensor()), a[6].to_bool(), scale_of(a[7], query));
    copy_into(results[0].to_tensor(), plain.out);
    const Tensor sums = results[1].to_tensor();
    fill_with(sums, 0);
    if (sums.size(-1) > 0) copy_into(fn::narrow(sums, std::int64_t{-1}, std::int64_t{0}, query.size(2)), plain.sums);
    fill_with(results[2].to_tensor(), 0);
    fill_with(results[3].to_tensor(), 0);
}

void attention_gradient(GradientContext& c) {
    const bool has_bias = c.is_argument_defined("attn_bias");
    const IValue wanted =
        bool_list({c.needs("query"), c.needs("key"), c.needs("value"), has_bias && c.needs("attn_bias")});
    const auto grads =
        attention_backward(c.grad_output_or_zeros(0), c.argument("query"), c.argument("key"), c.argument("value"),
                           has_bias ? c.argument("attn_bias") : Tensor(), c.result(0), c.result(1), c.result(2),
                           c.result(3), c.value("dropout_p"), wanted, c.value("is_causal"), c.value("scale"));
    if (c.needs("query")) c.set_grad("query", std::get<0>(grads));
    if (c.needs("key")) c.set_grad("key", std::get<1>(grads));
    if (c.needs("value")) c.set_grad("value", std::get<2>(grads));
    if (has_bias && c.needs("attn_bias")) c.set_grad("attn_bias", std::get<3>(grads));
}

// (grad_out_, query, key, value, attn_bias, out, logsumexp, philox_seed, philox_offset, dropout_p, grad_input_mask,
// is_causal, scale)
constexpr std::size_t kWanted = 10;

void infer_backward(Arguments a, MetaList& outputs) {
    const Tensor query = a[1].to_tensor(), bias = a[4].to_tensor();
    const Shape4 s = check_shapes(query, a[2].to_tensor(), a[3].to_tensor(), bias, a[9].to_double());
    require_sizes(a[0].to_tensor(), span_of(Dims{s.batch, s.heads, s.rows, s.out}), "grad_out_");
    require(a[6].to_tensor().size(-1) >= s.rows, "_scaled_dot_product_efficient_attention_backward: logsumexp of ",
            a[6].to_tensor().size(-1), " rows for ", s.rows, " queries");
    const std::vector<bool> wanted = a[kWanted].to_bools();
    require(wanted.size() == 4, "grad_input_mask must have 4 elements, but got ", wanted.size());
    const auto joined = [&](std::int64_t rows, std::int64_t width, bool is_wanted) {
        TensorMeta meta{{s.batch, s.heads, rows, width}, query.dtype(), query.device(), {}};
        if (!is_wanted) meta.sizes = {0};
        if (is_wanted) meta.strides = joined_strides(s.heads, rows, width);
        outputs.push_back(meta);
    };
    joined(s.rows, s.width, wanted[0]);
    joined(s.columns, s.width, wanted[1]);
    joined(s.columns, s.out, wanted[2]);
    outputs.push_back({wanted[3] && bias.defined() ? to_dims(bias.sizes()) : Dims{0},
                       bias.defined() ? bias.dtype() : query.dtype(),
                       query.device(),
                       {}});
}

TensorList plain_backward(const TensorList& in, const Tensor& bias, const Tensor& sums, bool is_causal, double scale) {
    const Tensor &grad = in[0], &query = in[1], &key = in[2], &value = in[3];
    const Plain plain = plain_attention({query, key, value}, bias, is_causal, scale);
    const Tensor weights = fn::exp(fn::sub(plain.scores, fn::unsqueeze(sums.defined() ? sums : plain.sums, -1)));
    const Tensor along = fn::matmul(grad, fn::transpose(value, -2, -1));
    const Tensor total = fn::sum_dim(fn::mul(along, weights), Dims{-1}, true);
    const Tensor of_scores = fn::mul(weights, fn::sub(along, total));
    const Tensor scaled = fn::mul_scalar(of_scores, Scalar(scale));
    return {fn::matmul(scaled, key), fn::matmul(fn::transpose(scaled, -2, -1), query),
            fn::matmul(fn::transpose(weights, -2, -1), grad), of_scores};
}

void run_backward(Arguments a, IValue* results) {
    const Tensor query = a[1].to_tensor(), bias = a[4].to_tensor();
    const Tensor sums = fn::narrow(a[6].to_tensor(), std::int64_t{-1}, std::int64_t{0}, query.size(2));
    const TensorList grads =
        plain_backward({wide(a[0].to_tensor()), wide(query), wide(a[2].to_tensor()), wide(a[3].to_tensor())},
                       wide(bias), sums, a[11].to_bool(), scale_of(a[12], query));
    const std::vector<bool> wanted = a[kWanted].to_bools();
    for (std::size_t i = 0; i < 3; ++i) {
        if (wanted[i]) copy_into(results[i].to_tensor(), grads[i]);
    }
    if (wanted[3] && bias.defined()) copy_into(results[3].to_tensor(), op_sum_to_size(grads[3], bias.sizes()));
}

void backward_gradient(GradientContext& c) {
    const bool has_bias = c.is_argument_defined("attn_bias");
    const double scale = scale_of(c.value("scale"), c.argument("query"));
    const bool is_causal = c.value("is_causal").to_bool();
    const auto backward = [&](const TensorList& in) {
        const Tensor bias = has_bias ? in[4] : Tensor();
        TensorList grads = plain_backward(in, bias, Tensor(), is_causal, scale);
        if (has_bias)
            grads[3] = op_sum_to_size(grads[3], bias.sizes());
        else
            grads.pop_back();
        return grads;
    };
    TensorList cotangents{c.grad_output(0), c.grad_output(1), c.grad_output(2)};
    if (!has_bias) return set_composed_gradients(c, backward, {"grad_out_", "query", "key", "value"}, cotangents);
    cotangents.push_back(c.grad_output(3));
    set_composed_gradients(c, backward, {"grad_out_", "query", "key", "value", "attn_bias"}, cotangents);
}

Cost attention_cost(Arguments a, std::span<const IValue> results) {
    Cost cost;
    for (std::size_t i = 0; i < 4; ++i) {
        if (a[i].is_tensor()) cost.bytes += static_cast<double>(a[i].to_tensor().bytes());
    }
    cost.bytes += static_cast<double>(results[0].to_tensor().bytes() + results[1].to_tensor().bytes());
    const Tensor query = a[0].to_tensor(), value = a[2].to_tensor();
    const double scores = static_cast<double>(query.numel()) / static_cast<double>(query.size(3)) *
                          static_cast<double>(value.size(2)) * (a[6].to_bool() ? 0.5 : 1.0);
    cost.flops = scores * (2 * static_cast<double>(query.size(3) + value.size(3)) + 6);
    return cost;
}

std::vector<Sample> samples(Random& random, ScalarType dtype) {
    if (!is_floating(dtype)) return {};
    const auto t = [&](std::initializer_list<std::int64_t> sizes) { return random_tensor(random, sizes, dtype); };
    const auto turned = [&](std::initializer_list<std::int64_t> sizes) { return fn::transpose(t(sizes), 1, 2); };
    return {{{turned({2, 3, 2, 8}), turned({2, 5, 2, 8}), turned({2, 5, 2, 8}), IValue(), true, 0.0, false, IValue()}},
            {{t({1, 2, 70, 8}), t({1, 2, 70, 8}), t({1, 2, 70, 8}), IValue(), true, 0.0, true, 0.5}, "causal"},
            {{t({1, 2, 3, 8}), t({1, 2, 5, 8}), t({1, 2, 5, 8}), t({3, 5}), true, 0.0, false, 0.3}, "bias"}};
}

using In = NotFiniteNote::In;
using When = NotFiniteNote::When;
constexpr NotFiniteNote kNotFinite[] = {
    {In::Either, When::Infinite, 0, "attention over Inf", advice::kMask},
    {In::Either, When::Always, 0, "attention that leaves the range of its dtype", advice::kShrink},
};

constexpr std::string_view kGradient =
    "query: (dS key) scale, dS = P (dP - sum_j P dP), P = exp(scale query key^T + attn_bias - log_sumexp), dP = grad "
    "value^T\n"
    "key: (dS^T query) scale\n"
    "value: P^T grad\n"
    "attn_bias: dS";

constexpr OperatorRecord kRecords[] = {
    {
        .schema = "aten::_scaled_dot_product_efficient_attention(Tensor query, Tensor key, Tensor value, Tensor? "
                  "attn_bias, bool compute_log_sumexp, float dropout_p=0., bool is_causal=False, *, float? scale=None) "
                  "-> (Tensor output, Tensor log_sumexp, Tensor philox_seed, Tensor philox_offset)",
        .summary = "Attention of queries over keys and values without keeping the weights, and the logarithm of each "
                   "query's sum of exponentials.",
        .formula = "output = softmax(scale q k^T + bias) v; log_sumexp = ln(sum_j exp(scale q k^T + bias))",
        .infer = infer_attention,
        .kernel = FillingKernel{run_attention},
        .derivative = {attention_gradient,
                       {save_argument("query"), save_argument("key"), save_argument("value"),
                        save_argument("attn_bias"), save_result(0), save_result(1), save_result(2), save_result(3)}},
        .gradient = kGradient,
        .cost = attention_cost,
        .samples = samples,
        .constant_results = 0b1110,
        .not_finite = kNotFinite,
    },
    {
        .schema = "aten::_scaled_dot_product_efficient_attention_backward(Tensor grad_out_, Tensor query, Tensor key, "
                  "Tensor value, Tensor? attn_bias, Tensor out, Tensor logsumexp, Tensor philox_seed, Tensor "
                  "philox_offset, float dropout_p, bool[4] grad_input_mask, bool is_causal=False, *, float? "
                  "scale=None) -> (Tensor, Tensor, Tensor, Tensor)",
        .summary = "Gradients of _scaled_dot_product_efficient_attention.",
        .formula = "dS k scale, dS^T q scale, P^T grad, dS",
        .infer = infer_backward,
        .kernel = FillingKernel{run_backward},
        .derivative = {backward_gradient,
                       {save_argument("grad_out_"), save_argument("query"), save_argument("key"),
                        save_argument("value"), save_argument("attn_bias")}},
        .gradient = "grad_out_: derivative of the products above\n"
                    "query: as grad_out_\n"
                    "key: as grad_out_\n"
                    "value: as grad_out_\n"
                    "attn_bias: as grad_out_",
    },
};

}  // namespace

std::span<const OperatorRecord> nn_ops::efficient_attention_records() { return kRecords; }

}  // namespace loupe
