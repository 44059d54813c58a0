// SPDX-License-Identifier: Apache-2.0
// Distances between rows: cdist of two sets, pdist of one.

#include <algorithm>
#include <cmath>

#include "core/base/parallel.h"
#include "core/dispatch/gradient_context.h"
#include "core/kernels/arithmetic.h"
#include "core/kernels/elementwise.h"
#include "core/ops/linalg/batch.h"
#include "core/ops/linalg/family.h"
#include "core/ops/samples.h"

namespace loupe::linalg {
namespace {

using namespace arithmetic;

const OperatorHandle<> cdist_forward{"aten::_cdist_forward"};
const OperatorHandle<> cdist_backward{"aten::_cdist_backward"};
const OperatorHandle<> euclidean_dist{"aten::_euclidean_dist"};
const OperatorHandle<> pdist_forward{"aten::_pdist_forward"};
const OperatorHandle<> pdist_backward{"aten::_pdist_backward"};

// ---- one distance

template <typename T>
T distance(const T* a, const T* b, std::int64_t n, double p) {
    T sum(0);
    const T power = static_cast<T>(p);
    for (std::int64_t i = 0; i < n; ++i) {
        const T d = std::abs(a[i] - b[i]);
        if (p == 0)
            sum += d != T(0) ? T(1) : T(0);
        else if (p == 1)
            sum += d;
        else if (p == 2)
            sum += d * d;
        else if (std::isinf(p))
            sum = d > sum || std::isnan(d) ? d : sum;
        else
            sum += std::pow(d, power);
    }
    if (p == 2) return std::sqrt(sum);
    if (p == 0 || p == 1 || std::isinf(p)) return sum;
    return std::pow(sum, T(1) / power);
}

// The derivative by an element that differs by d, where the whole distance is `dist`.
template <typename T>
T slope(T d, T g, T dist, double p) {
    const T sign = d > T(0) ? T(1) : d < T(0) ? T(-1) : T(0);
    const T power = static_cast<T>(p);
    if (p == 0) return T(0);
    if (p == 1) return g * sign;
    if (std::isinf(p)) return std::abs(d) == dist ? g * sign : T(0);
    if (dist == T(0)) return T(0);
    if (p == 2) return g * d / dist;
    if (p < 2) {
        if (d == T(0) && p < 1) return T(0);
        return sign * std::pow(std::abs(d), power - 1) * g / std::pow(dist, power - 1);
    }
    return d * std::pow(std::abs(d), power - 2) * g / std::pow(dist, power - 1);
}

template <typename F>
void visit_floats(ScalarType dtype, const char* kernel, F&& f) {
    if (dtype == ScalarType::Float32) return f(std::type_identity<float>{});
    if (dtype == ScalarType::Float64) return f(std::type_identity<double>{});
    fail_run(concat("\"", kernel, "\" not implemented for '", dtype_graph_name(dtype), "'"));
}

// ---- cdist

Dims cdist_sizes(const Tensor& x1, const Tensor& x2) {
    require(x1.dim() >= 2, "cdist only supports at least 2D tensors, X1 got: ", x1.dim(), "D");
    require(x2.dim() >= 2, "cdist only supports at least 2D tensors, X2 got: ", x2.dim(), "D");
    const Dims batch = broadcast_batches(x1, x2);
    return with_batch(span_of(batch), {x1.size(-2), x2.size(-2)});
}
TensorMeta infer_cdist(const Tensor& x1, const Tensor& x2, double p, const IValue& mode) {
    const Dims sizes = cdist_sizes(x1, x2);
    require(x1.size(-1) == x2.size(-1), "X1 and X2 must have the same number of columns. X1: ", x1.size(-1),
            " X2: ", x2.size(-1));
    require(is_floating(x1.dtype()),
            "cdist only supports floating-point dtypes, X1 got: ", dtype_graph_name(x1.dtype()));
    require(is_floating(x2.dtype()),
            "cdist only supports floating-point dtypes, X2 got: ", dtype_graph_name(x2.dtype()));
    require(x1.dtype() == x2.dtype(), "expected scalar type ", dtype_graph_name(x1.dtype()), " but found ",
            dtype_graph_name(x2.dtype()));
    require(p >= 0, "cdist only supports non-negative p values");
    if (!mode.is_none())
        require(mode.to_int() >= 0 && mode.to_int() <= 2, "possible modes: 0, 1, 2, but was: ", mode.to_int());
    return plain_meta(sizes, x1.dtype());
}

// Use the matrix product (PyTorch's choice)?
bool by_product(const Tensor& x1, const Tensor& x2, double p, const IValue& mode) {
    const std::int64_t chosen = mode.is_none() ? 0 : mode.to_int();
    return p == 2 && (chosen == 1 || (chosen == 0 && (x1.size(-2) > 25 || x2.size(-2) > 25)));
}

void cdist_kernel(const Tensor& out, const Tensor& x1, const Tensor& x2, double p, const IValue& mode) {
    if (out.numel() == 0) return;
    if (x1.size(-1) == 0) return fill_with(out, Scalar(0));
    if (by_product(x1, x2, p, mode)) return copy_into(out, euclidean_dist(x1, x2));
    const Dims batch = batch_sizes(out);
    const Tensor a = packed(in_batch(x1, span_of(batch)));
    const Tensor b = packed(in_batch(x2, span_of(batch)));
    const Tensor buffer = buffer_for(out);
    const std::int64_t rows = x1.size(-2);
    const std::int64_t others = x2.size(-2);
    const std::int64_t n = x1.size(-1);
    visit_floats(out.dtype(), "cdist", [&]<typename T>(std::type_identity<T>) {
        parallel_for(0, batch_count(out) * rows, std::max<std::int64_t>(1, 16384 / (others * n)),
                     [&](std::int64_t begin, std::int64_t end) {
                         for (std::int64_t row = begin; row < end; ++row) {
                             const T* to = b.data<T>() + row / rows * others * n;
                             for (std::int64_t j = 0; j < others; ++j) {
                                 buffer.data<T>()[row * others + j] = distance(a.data<T>() + row * n, to + j * n, n, p);
                             }
                         }
                     });
    });
    put_back(out, buffer);
}
void cdist_gradient(GradientContext& context) {
    const Tensor x1 = context.argument("x1");
    const Tensor x2 = context.argument("x2");
    const double p = context.value("p").to_double();
    const Tensor& g = context.grad_output();
    context.grad("x1", [&] { return cdist_backward(g, x1, x2, p, context.result()); });
    context.grad("x2", [&] { return cdist_backward(mT(g), x2, x1, p, mT(context.result())); });
}

// (grad, x1, x2, p, cdist)
TensorMeta infer_cdist_backward(const Tensor& grad, const Tensor& x1, const Tensor& x2, double p, const Tensor& cdist) {
    const TensorMeta distances = infer_cdist(x1, x2, p, IValue());
    for (const Tensor* t : {&grad, &cdist}) {
        require(t->dtype() == distances.dtype && std::ranges::equal(t->sizes(), distances.sizes),
                "_cdist_backward: expected ", dtype_graph_name(distances.dtype),
                shape_list_text(span_of(distances.sizes)), " but found ", dtype_graph_name(t->dtype()),
                shape_list_text(t->sizes()));
    }
    const Dims batch = broadcast_batches(x1, x2);
    return plain_meta(with_batch(span_of(batch), {x1.size(-2), x1.size(-1)}), x1.dtype());
}
void cdist_backward_kernel(const Tensor& out, const Tensor& grad, const Tensor& x1, const Tensor& x2, double p,
                           const Tensor& cdist) {
    const Dims batch = batch_sizes(out);
    const Tensor a = packed(in_batch(x1, span_of(batch)));
    const Tensor b = packed(in_batch(x2, span_of(batch)));
    const Tensor g = packed(grad);
    const Tensor dist = packed(cdist);
    const Tensor buffer = buffer_for(out);
    fill_zero(buffer);
    const std::int64_t rows = x1.size(-2);
    const std::int64_t others = x2.size(-2);
    const std::int64_t n = x1.size(-1);
    visit_floats(out.dtype(), "_cdist_backward", [&]<typename T>(std::type_identity<T>) {
        for (std::int64_t row = 0; row < batch_count(out) * rows; ++row) {
            const T* from = a.data<T>() + row * n;
            T* to = buffer.data<T>() + row * n;
            for (std::int64_t j = 0; j < others; ++j) {
                const T* other = b.data<T>() + (row / rows * others + j) * n;
                const T each = g.data<T>()[row * others + j];
                const T whole = dist.data<T>()[row * others + j];
                for (std::int64_t i = 0; i < n; ++i) to[i] += slope(from[i] - other[i], each, whole, p);
            }
        }
    });
    put_back(out, buffer);
}

Tensor cdist(const Tensor& x1, const Tensor& x2, double p, const IValue& mode) {
    infer_cdist(x1, x2, p, mode);
    if (x1.numel() != 0 && x2.numel() != 0 && by_product(x1, x2, p, mode)) return euclidean_dist(x1, x2);
    return cdist_forward(x1, x2, p, mode);
}

// |x - y|^2 = |x|^2 - 2 x y + |y|^2, as one product.
TensorMeta infer_euclidean(const Tensor& x1, const Tensor& x2) { return plain_meta(cdist_sizes(x1, x2), x1.dtype()); }
void euclidean(const Tensor& out, const Tensor& x1, const Tensor& x2) {
    const Tensor norms1 = fn::sum_dim(x1 * x1, Dims{-1}, true, IValue());
    const Tensor norms2 = fn::sum_dim(x2 * x2, Dims{-1}, true, IValue());
    const Tensor left = fn::cat(TensorList{x1 * Scalar(-2), norms1, fn::ones_like(norms1)}, -1);
    const Tensor right = fn::cat(TensorList{x2, fn::ones_like(norms2), norms2}, -1);
    copy_into(out, fn::sqrt(fn::clamp(fn::matmul(left, mT(right)), Scalar(0), IValue())));
}
void euclidean_backward(GradientContext& context) {
    const Tensor x1 = context.argument("x1");
    const Tensor x2 = context.argument("x2");
    const Tensor dist = context.result();
    const Tensor ratio = fn::masked_fill(context.grad_output() / dist, fn::eq_scalar(dist, Scalar(0)), Scalar(0));
    context.grad("x1", [&] { return x1 * fn::sum_dim(ratio, Dims{-1}, true, IValue()) - fn::matmul(ratio, x2); });
    context.grad("x2", [&] {
        return x2 * fn::unsqueeze(fn::sum_dim(ratio, Dims{-2}, false, IValue()), -1) - fn::matmul(mT(ratio), x1);
    });
}

// ---- pdist: the pairs i < j in order

TensorMeta infer_pdist(const Tensor& self, double p) {
    require(self.dim() == 2, "pdist only supports 2D tensors, got: ", self.dim(), "D");
    require(is_floating(self.dtype()), "pdist only supports floating-point dtypes");
    require(p >= 0, "pdist only supports non-negative p values");
    const std::int64_t n = self.size(0);
    return plain_meta({n <= 1 ? 0 : n * (n - 1) / 2}, self.dtype());
}
void pdist_kernel(const Tensor& out, const Tensor& self, double p) {
    if (out.numel() == 0) return;
    const Tensor rows = packed(self);
    const Tensor buffer = buffer_for(out);
    const std::int64_t n = self.size(1);
    visit_floats(out.dtype(), "pdist", [&]<typename T>(std::type_identity<T>) {
        T* to = buffer.data<T>();
        for (std::int64_t i = 0; i < self.size(0); ++i) {
            for (std::int64_t j = i + 1; j < self.size(0); ++j)
                *to++ = distance(rows.data<T>() + i * n, rows.data<T>() + j * n, n, p);
        }
    });
    put_back(out, buffer);
}
void pdist_gradient(GradientContext& context) {
    context.set_grad("self", pdist_backward(context.grad_output(), context.argument("self"),
                                            context.value("p").to_double(), context.result()));
}
// (grad, self, p, pdist)
TensorMeta infer_pdist_backward(const Tensor& grad, const Tensor& self, double p, const Tensor& pdist) {
    const TensorMeta distances = infer_pdist(self, p);
    for (const Tensor* t : {&grad, &pdist}) {
        require(t->dtype() == distances.dtype && std::ranges::equal(t->sizes(), distances.sizes),
                "_pdist_backward: expected ", dtype_graph_name(distances.dtype),
                shape_list_text(span_of(distances.sizes)), " but found ", dtype_graph_name(t->dtype()),
                shape_list_text(t->sizes()));
    }
    return plain_meta(to_dims(self.sizes()), self.dtype());
}
void pdist_backward_kernel(const Tensor& out, const Tensor& grad, const Tensor& self, double p, const Tensor& pdist) {
    const Tensor rows = packed(self);
    const Tensor g = packed(grad);
    const Tensor dist = packed(pdist);
    const Tensor buffer = buffer_for(out);
    fill_zero(buffer);
    const std::int64_t n = self.size(1);
    visit_floats(out.dtype(), "pdist_backward", [&]<typename T>(std::type_identity<T>) {
        std::int64_t pair = 0;
        for (std::int64_t i = 0; i < self.size(0); ++i) {
            for (std::int64_t j = i + 1; j < self.size(0); ++j, ++pair) {
                for (std::int64_t k = 0; k < n; ++k) {
                    const T d = rows.data<T>()[i * n + k] - rows.data<T>()[j * n + k];
                    const T s = slope(d, g.data<T>()[pair], dist.data<T>()[pair], p);
                    buffer.data<T>()[i * n + k] += s;
                    buffer.data<T>()[j * n + k] -= s;
                }
            }
        }
    });
    put_back(out, buffer);
}
Tensor pdist(const Tensor& self, double p) {
    infer_pdist(self, p);
    return pdist_forward(fn::contiguous(self, 0), p);
}

std::vector<Sample> cdist_samples(Random& random, ScalarType dtype) {
    std::vector<Sample> samples;
    if (dtype != ScalarType::Float32 && dtype != ScalarType::Float64) return samples;
    for (const double p : {2.0, 1.0, 3.0, 1.5, HUGE_VAL}) {
        samples.push_back(
            {{random_tensor(random, {2, 3, 4}, dtype), random_tensor(random, {5, 4}, dtype), p, IValue()}});
    }
    return samples;
}
std::vector<Sample> euclidean_samples(Random& random, ScalarType dtype) {
    if (dtype != ScalarType::Float64) return {};
    return {{{random_tensor(random, {2, 3, 4}, dtype), random_tensor(random, {5, 4}, dtype)}}};
}
std::vector<Sample> pdist_samples(Random& random, ScalarType dtype) {
    if (dtype != ScalarType::Float32 && dtype != ScalarType::Float64) return {};
    return {{{random_tensor(random, {4, 3}, dtype), 2.0}}, {{random_tensor(random, {4, 3}, dtype), 3.0}, "p = 3"}};
}

constexpr std::string_view kCdist = "The p-norm of the difference of each row of x1 and each of x2.";
constexpr std::string_view kPdist = "The p-norm of the difference of each pair of rows.";

using In = NotFiniteNote::In;
using When = NotFiniteNote::When;
constexpr NotFiniteNote kCdistNotFinite[] = {
    {In::Backward, When::Zero, -1, "the distance of equal points, where it has no derivative",
     "add an eps under the root of a distance of your own"},
};

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::cdist(Tensor x1, Tensor x2, float p=2., int? compute_mode=None) -> Tensor",
     .summary = kCdist,
     .formula = "out[i, j] = sum_k(|x1[i, k] - x2[j, k]|^p)^(1 / p)",
     .composite = boxed<cdist>,
     .autocast = {.cpu = Autocast::Float32, .cuda = Autocast::Float32},
     .not_finite = kCdistNotFinite},
    {.schema = "aten::_cdist_forward(Tensor x1, Tensor x2, float p, int? compute_mode) -> Tensor",
     .summary = kCdist,
     .formula = "out[i, j] = sum_k(|x1[i, k] - x2[j, k]|^p)^(1 / p)",
     .infer = inferring<infer_cdist>,
     .kernel = filling<cdist_kernel>,
     .derivative = {cdist_gradient, {save_argument("x1"), save_argument("x2"), save_result()}, "CdistBackward0"},
     .gradient = "x1: sum_j grad[i, j] d |d|^(p - 2) / out[i, j]^(p - 1), d = x1[i] - x2[j]\n"
                 "x2: -sum_i grad[i, j] d |d|^(p - 2) / out[i, j]^(p - 1), d = x1[i] - x2[j]",
     .samples = cdist_samples,
     .variants = kOut,
     .dtypes = {.kernel = "cdist"}},
    {.schema = "aten::_cdist_backward(Tensor grad, Tensor x1, Tensor x2, float p, Tensor cdist) -> Tensor",
     .summary = "The gradient of cdist by its first argument.",
     .infer = inferring<infer_cdist_backward>,
     .kernel = filling<cdist_backward_kernel>,
     .variants = kOut},
    {.schema = "aten::_euclidean_dist(Tensor x1, Tensor x2) -> Tensor",
     .summary = "cdist for p = 2, by a product of matrices.",
     .formula = "out[i, j] = sqrt(sum_k (x1[i, k] - x2[j, k])^2)",
     .infer = inferring<infer_euclidean>,
     .kernel = filling<euclidean>,
     .derivative = {euclidean_backward, {save_argument("x1"), save_argument("x2"), save_result()}},
     .gradient = "x1: sum_j grad[i, j] (x1[i] - x2[j]) / out[i, j]\nx2: sum_i grad[i, j] (x2[j] - x1[i]) / out[i, j]",
     .samples = euclidean_samples,
     .variants = kOut},
    {.schema = "aten::pdist(Tensor self, float p=2.) -> Tensor",
     .summary = kPdist,
     .composite = boxed<pdist>,
     .autocast = {.cuda = Autocast::Float32}},
    {.schema = "aten::_pdist_forward(Tensor self, float p=2.) -> Tensor",
     .summary = kPdist,
     .formula = "out[i, j] = sum_k(|self[i, k] - self[j, k]|^p)^(1 / p) for i < j",
     .infer = inferring<infer_pdist>,
     .kernel = filling<pdist_kernel>,
     .derivative = {pdist_gradient, {save_argument("self"), save_result()}, "PdistBackward0"},
     .gradient = "self: sum_j grad[i, j] d |d|^(p - 2) / out[i, j]^(p - 1), d = self[i] - self[j]",
     .samples = pdist_samples,
     .variants = kOut,
     .dtypes = {.kernel = "pdist"}},
    {.schema = "aten::_pdist_backward(Tensor grad, Tensor self, float p, Tensor pdist) -> Tensor",
     .summary = "The gradient of pdist.",
     .infer = inferring<infer_pdist_backward>,
     .kernel = filling<pdist_backward_kernel>,
     .variants = kOut},
};

}  // namespace

std::span<const OperatorRecord> distance_records() { return kRecords; }

}  // namespace loupe::linalg
