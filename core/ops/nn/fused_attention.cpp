// SPDX-License-Identifier: Apache-2.0
// loupe::attention: scores, mask, softmax and weighted values as one operator, a head at a time, so that intermediates
// stay in the cache and heads need no transposed copy. The pass FuseAttention creates it.
#include <cmath>
#include <vector>

#include "core/base/parallel.h"
#include "core/ops/nn/attention_heads.h"
#include "core/ops/nn/common.h"
#include "core/ops/nn/composed_gradient.h"
#include "core/ops/nn/family.h"
#include "core/ops/nn/simd.h"

namespace loupe {
namespace {

using namespace nn_ops;

const OperatorHandle<fn::ThreeTensors> attention_backward{"loupe::attention_backward"};

Heads check_attention(const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& mask) {
    for (const Tensor& t : {query, key, value}) {
        require(t.dim() == 4, "attention: expected a 4-D tensor, got ", t.dim(), "-D");
        require(t.dtype() == query.dtype(), "expected scalar type ", dtype_graph_name(query.dtype()), " but found ",
                dtype_graph_name(t.dtype()));
    }
    require(query.dtype() == ScalarType::Float32 || query.dtype() == ScalarType::Float64,
            "\"attention\" not implemented for '", dtype_graph_name(query.dtype()), "'");
    const Heads h{query.size(0), query.size(1), query.size(2), key.size(2), query.size(3), value.size(3)};
    const bool key_fits = key.size(0) == h.batch && key.size(1) == h.heads && key.size(3) == h.width;
    const bool value_fits = value.size(0) == h.batch && value.size(1) == h.heads && value.size(2) == h.columns;
    require(key_fits && value_fits, "attention: query ", shape_list_text(query.sizes()), ", key ",
            shape_list_text(key.sizes()), " and value ", shape_list_text(value.sizes()), " do not fit");
    if (mask.defined()) {
        require(mask.dtype() == ScalarType::Bool, "attention: expected a mask of bools, got ",
                dtype_graph_name(mask.dtype()));
        expanded(mask, span_of(Dims{h.batch, h.heads, h.rows, h.columns}));
    }
    return h;
}

// Strides of a dense [batch, heads, rows, width] whose heads lie side by side in a row.
Dims joined_strides(std::int64_t heads, std::int64_t rows, std::int64_t width) {
    return {rows * heads * width, width, heads * width, 1};
}

// The gradient has its tensor's layout: heads interleaved, or separate.
TensorMeta meta_like(const Tensor& t) {
    TensorMeta meta{to_dims(t.sizes()), t.dtype(), t.device(), {}};
    if (t.strides()[1] < t.strides()[2]) meta.strides = joined_strides(t.size(1), t.size(2), t.size(3));
    return meta;
}

void infer_attention(Arguments a, MetaList& outputs) {
    const Tensor query = a[0].to_tensor();
    const Heads h = check_attention(query, a[1].to_tensor(), a[2].to_tensor(), a[3].to_tensor());
    TensorMeta out{{h.batch, h.heads, h.rows, h.out}, query.dtype(), query.device(), {}};
    if (a[6].to_bool()) out.strides = joined_strides(h.heads, h.rows, h.out);
    outputs.push_back(out);
    outputs.push_back({{h.batch, h.heads, h.rows, h.columns}, query.dtype(), query.device(), {}});
}

// The matrix of one head.
template <typename T>
MatrixRef<T> head(const Tensor& t, std::int64_t batch, std::int64_t index) {
    const auto sizes = t.sizes();
    const auto strides = t.strides();
    return {t.data<std::remove_const_t<T>>() + batch * strides[0] + index * strides[1], sizes[2], sizes[3], strides[2],
            strides[3]};
}

template <typename F>
void for_heads(const Heads& h, F&& f) {
    parallel_for(0, h.batch * h.heads, 1, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) f(i / h.heads, i % h.heads);
    });
}

void run_attention(Arguments a, IValue* results) {
    const Tensor query = a[0].to_tensor(), key = a[1].to_tensor(), value = a[2].to_tensor();
    const Tensor out = results[0].to_tensor(), weights = results[1].to_tensor();
    const Heads h = check_attention(query, key, value, a[3].to_tensor());
    if (out.numel() == 0 && weights.numel() == 0) return;
    visit_floating(query.dtype(), "attention", [&]<typename T>(std::type_identity<T>) {
        const T scale = a[4].to_scalar().to<T>(), fill = a[5].to_scalar().to<T>();
        const Hidden<T> hidden(a[3].to_tensor(), h, std::isinf(fill) && fill < 0);
        for_heads(h, [&](std::int64_t b, std::int64_t i) {
            attend<T>(h, b, i,
                      {head<const T>(query, b, i), head<const T>(key, b, i), head<const T>(value, b, i),
                       head<T>(weights, b, i), head<T>(out, b, i)},
                      hidden, scale, fill);
        });
    });
}

void infer_backward(Arguments a, MetaList& outputs) {
    const Tensor grad = a[0].to_tensor(), query = a[1].to_tensor();
    const Heads h = check_attention(query, a[2].to_tensor(), a[3].to_tensor(), a[4].to_tensor());
    for (const Tensor& t : {grad, a[6].to_tensor()})
        require(t.dtype() == query.dtype(), "expected scalar type ", dtype_graph_name(query.dtype()), " but found ",
                dtype_graph_name(t.dtype()));
    require_sizes(grad, span_of(Dims{h.batch, h.heads, h.rows, h.out}), "grad_output");
    require_sizes(a[6].to_tensor(), span_of(Dims{h.batch, h.heads, h.rows, h.columns}), "weights");
    for (std::size_t i = 1; i <= 3; ++i) outputs.push_back(meta_like(a[i].to_tensor()));
}

void run_attention_backward(Arguments a, IValue* results) {
    const Tensor grad = a[0].to_tensor(), query = a[1].to_tensor(), key = a[2].to_tensor(), value = a[3].to_tensor();
    const Tensor weights = packed(a[6].to_tensor());
    const Heads h = check_attention(query, key, value, a[4].to_tensor());
    if (query.numel() + key.numel() + value.numel() == 0) return;
    visit_floating(query.dtype(), "attention_backward", [&]<typename T>(std::type_identity<T>) {
        const Hidden<T> hidden(a[4].to_tensor(), h, true);
        const T scale = a[5].to_scalar().to<T>();
        for_heads(h, [&](std::int64_t b, std::int64_t i) {
            attend_backward<T>(
                h, b, i,
                {head<const T>(grad, b, i), head<const T>(query, b, i), head<const T>(key, b, i),
                 head<const T>(value, b, i), head<const T>(weights, b, i), head<T>(results[0].to_tensor(), b, i),
                 head<T>(results[1].to_tensor(), b, i), head<T>(results[2].to_tensor(), b, i)},
                hidden, scale);
        });
    });
}

// The forward pass written with operators: {output, weights}.
TensorList plain_attention(const TensorList& in, const Tensor& mask, const Scalar& scale, const Scalar& fill) {
    Tensor scores = fn::mul_scalar(fn::matmul(in[0], fn::transpose(in[1], -2, -1)), scale);
    if (mask.defined()) scores = fn::masked_fill(scores, mask, fill);
    const Tensor weights = fn::softmax(scores, -1, IValue());
    return {fn::matmul(weights, in[2]), weights};
}

void attention_gradient(GradientContext& c) {
    // The weights are differentiated too.
    if (c.grad_output(1).defined()) {
        const Tensor mask = c.is_argument_defined("mask") ? c.argument("mask") : Tensor();
        const auto forward = [&](const TensorList& in) {
            return plain_attention(in, mask, c.value("scale").to_scalar(), c.value("fill").to_scalar());
        };
        return set_composed_gradients(c, forward, {"query", "key", "value"}, {c.grad_output(0), c.grad_output(1)});
    }
    const auto grads = attention_backward(c.grad_output_or_zeros(0), c.argument("query"), c.argument("key"),
                                          c.argument("value"), c.argument("mask"), c.value("scale"), c.result(1));
    if (c.needs("query")) c.set_grad("query", std::get<0>(grads));
    if (c.needs("key")) c.set_grad("key", std::get<1>(grads));
    if (c.needs("value")) c.set_grad("value", std::get<2>(grads));
}

// The differentiable backward pass, composed of operators. The weights are recomputed from the arguments.
void attention_double_gradient(GradientContext& c) {
    const Tensor mask = c.is_argument_defined("mask") ? c.argument("mask") : Tensor();
    const Scalar scale = c.value("scale").to_scalar();
    const auto backward = [&](const TensorList& in) {
        const Tensor &g = in[0], &q = in[1], &k = in[2], &v = in[3], &w = in[4];
        const Tensor along = fn::matmul(g, fn::transpose(v, -2, -1));
        const Tensor total = fn::sum_dim(fn::mul(along, w), Dims{-1}, true);
        Tensor scores = fn::mul_scalar(fn::mul(w, fn::sub(along, total)), scale);
        if (mask.defined()) scores = fn::masked_fill(scores, mask, Scalar(0));
        return TensorList{fn::matmul(scores, k), fn::matmul(fn::transpose(scores, -2, -1), q),
                          fn::matmul(fn::transpose(w, -2, -1), g)};
    };
    set_composed_gradients(c, backward, {"grad_output", "query", "key", "value", "weights"},
                           {c.grad_output(0), c.grad_output(1), c.grad_output(2)});
}

Cost attention_cost(Arguments a, std::span<const IValue> results) {
    Cost cost;
    for (const Tensor& t :
         {a[0].to_tensor(), a[1].to_tensor(), a[2].to_tensor(), results[0].to_tensor(), results[1].to_tensor()}) {
        cost.bytes += static_cast<double>(t.bytes());
    }
    const auto scores = static_cast<double>(results[1].to_tensor().numel());
    cost.flops = scores * (2 * static_cast<double>(a[0].to_tensor().size(3) + a[2].to_tensor().size(3)) + 6);
    return cost;
}

struct Drawn {
    Tensor query, key, value, mask;
};
Drawn draw(Random& random, ScalarType dtype) {
    const auto t = [&](std::initializer_list<std::int64_t> sizes) { return random_tensor(random, sizes, dtype); };
    const auto turned = [&](std::initializer_list<std::int64_t> sizes) { return fn::transpose(t(sizes), 1, 2); };
    return {turned({2, 3, 2, 4}), turned({2, 5, 2, 4}), turned({2, 5, 2, 3}),
            fn::gt_scalar(random_tensor(random, {3, 5}, ScalarType::Float32), Scalar(0.5))};
}
bool is_taken(ScalarType dtype) { return dtype == ScalarType::Float32 || dtype == ScalarType::Float64; }

std::vector<Sample> samples(Random& random, ScalarType dtype) {
    if (!is_taken(dtype)) return {};
    const Drawn d = draw(random, dtype);
    return {{{d.query, d.key, d.value, IValue(), 0.5, 0.0, false}},
            {{d.query, d.key, d.value, d.mask, 0.5, -3.0, true}, "hidden"}};
}
std::vector<Sample> backward_samples(Random& random, ScalarType dtype) {
    if (!is_taken(dtype)) return {};
    const Drawn d = draw(random, dtype);
    const auto t = [&](std::initializer_list<std::int64_t> sizes) { return random_tensor(random, sizes, dtype); };
    return {{{t({2, 2, 3, 3}), d.query, d.key, d.value, IValue(), 0.5, t({2, 2, 3, 5})}},
            {{t({2, 2, 3, 3}), d.query, d.key, d.value, d.mask, 0.5, t({2, 2, 3, 5})}, "hidden"}};
}

constexpr OperatorRecord kRecords[] = {
    {
        .schema =
            "loupe::attention(Tensor query, Tensor key, Tensor value, Tensor? mask, Scalar scale, Scalar fill, bool "
            "joined=False) -> "
            "(Tensor output, Tensor weights)",
        .summary =
            "Attention by heads: values mixed by the softmax of scaled scores, those that the mask hides replaced by a "
            "number.",
        .formula = "softmax(where(mask, fill, scale q k^T)) v",
        .infer = infer_attention,
        .kernel = FillingKernel{run_attention},
        .derivative = {attention_gradient,
                       {save_argument("query"), save_argument("key"), save_argument("value"), save_argument("mask"),
                        save_result(1)},
                       "AttentionBackward0"},
        .gradient = "query: s k; s = scale w (g v^T - sum(w g v^T)), 0 where hidden, w the weights\n"
                    "key: s^T q\n"
                    "value: w^T g",
        .cost = attention_cost,
        .samples = samples,
    },
    {
        .schema = "loupe::attention_backward(Tensor grad_output, Tensor query, Tensor key, Tensor value, Tensor? mask, "
                  "Scalar "
                  "scale, Tensor "
                  "weights) -> (Tensor grad_query, Tensor grad_key, Tensor grad_value)",
        .summary = "Gradients of loupe::attention.",
        .formula = "s k, s^T q, w^T g; s = scale w (g v^T - sum(w g v^T)), 0 where hidden",
        .infer = infer_backward,
        .kernel = FillingKernel{run_attention_backward},
        .derivative = {attention_double_gradient,
                       {save_argument("grad_output"), save_argument("query"), save_argument("key"),
                        save_argument("value"), save_argument("mask"), save_argument("weights")},
                       "AttentionBackwardBackward0"},
        .gradient = "grad_output: derivative of the three products above\n"
                    "query: as grad_output\n"
                    "key: as grad_output\n"
                    "value: as grad_output\n"
                    "weights: as grad_output",
        .samples = backward_samples,
    },
};

}  // namespace

std::span<const OperatorRecord> nn_ops::fused_attention_records() { return kRecords; }

}  // namespace loupe
