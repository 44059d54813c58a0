// SPDX-License-Identifier: Apache-2.0
// linalg_vector_norm and the norms composed of it, logsumexp, dist.

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "core/dispatch/forward.h"
#include "core/dispatch/out_refusals.h"
#include "core/kernels/arithmetic.h"
#include "core/kernels/elementwise.h"
#include "core/ops/not_finite.h"
#include "core/ops/reduction/family.h"
#include "core/ops/reduction/reduction.h"
#include "core/ops/sparse/sparse.h"

namespace loupe {
namespace {

using namespace arithmetic;
using namespace reduction;
using G = GradientContext;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

NormOrder order_of(double p) {
    if (p == 0) return NormOrder::Zero;
    if (p == 1) return NormOrder::One;
    if (p == 2) return NormOrder::Two;
    if (std::isinf(p)) return p > 0 ? NormOrder::Infinity : NormOrder::MinusInfinity;
    return NormOrder::Other;
}

// (self, ord, dim, keepdim, dtype)
TensorMeta infer_norm(const Tensor& self, const Scalar& order, const IValue& dim, bool keepdim, const IValue& dtype) {
    const ScalarType chosen = dtype_or(dtype, self.dtype());
    require(is_differentiable(self.dtype()),
            "linalg.vector_norm: Expected a floating point or complex tensor as input. Got ",
            dtype_graph_name(self.dtype()));
    require(is_differentiable(chosen), "linalg.vector_norm: dtype should be floating point or complex, but got ",
            dtype_graph_name(chosen));
    const double p = order.to_double();
    require(self.numel() > 0 || (p >= 0 && p != kInfinity), "linalg.vector_norm cannot compute the ", p,
            " norm on an empty tensor because the operation does not have an identity");
    return reduced_meta(self, dim, keepdim, to_real_type(chosen));
}

// 16-bit types accumulate in their own type, element by element, up to the grain that PyTorch gives to one thread;
// adjacent squares of bfloat16 in float32.
constexpr std::int64_t kSteppedElements = 32768;
template <typename T>
T stepped_norm(const T* x, std::int64_t n, double p) {
    const auto exponent = static_cast<float>(p);
    T sum(0.0F);
    for (std::int64_t i = 0; i < n; ++i) {
        const float magnitude = std::abs(static_cast<float>(x[i]));
        const float term = p == 0   ? (magnitude == 0 ? 0.0F : 1.0F)
                           : p == 1 ? magnitude
                           : p == 2 ? magnitude * magnitude
                                    : std::pow(magnitude, exponent);
        sum = T(static_cast<float>(sum) + static_cast<float>(T(term)));
    }
    if (p == 0 || p == 1) return sum;
    return T(p == 2 ? std::sqrt(static_cast<float>(sum))
                    : std::pow(static_cast<float>(sum), static_cast<float>(T(1 / exponent))));
}
// Kept dimensions first, then the reduced ones as they lie in memory; false when they are not to be added in steps.
bool norm_in_steps(const Tensor& out, const Tensor& self, double p, const IValue& dim) {
    const bool is_half = self.dtype() == ScalarType::Float16;
    if (self.dtype() != out.dtype() || (!is_half && self.dtype() != ScalarType::BFloat16)) return false;
    if (std::isinf(p) || self.numel() == 0 || self.numel() > kSteppedElements) return false;
    const Reduced reduced(self.dim(), dim);
    Dims order, inner;
    for (std::int64_t d = 0; d < self.dim(); ++d)
        (reduced.mask()[static_cast<std::size_t>(d)] ? inner : order).push_back(d);
    std::ranges::stable_sort(inner, [&](std::int64_t a, std::int64_t b) { return self.stride(a) > self.stride(b); });
    const std::int64_t length = reduced.count(self.sizes());
    if (!is_half && p == 2 && (length == 1 || (!inner.empty() && self.stride(inner.back()) == 1))) return false;
    order.insert(order.end(), inner.begin(), inner.end());
    const Tensor rows = fn::contiguous(fn::permute(self, order), 0);
    const Tensor norms = empty(out.sizes(), out.dtype());
    const auto fill = [&]<typename T>(std::type_identity<T>) {
        for (std::int64_t i = 0; i < norms.numel(); ++i)
            norms.data<T>()[i] = stepped_norm(rows.data<T>() + i * length, length, p);
    };
    if (is_half)
        fill(std::type_identity<Half>{});
    else
        fill(std::type_identity<BFloat16>{});
    copy_into(out, norms);
    return true;
}
void norm(const Tensor& out, const Tensor& self, const Scalar& order, const IValue& dim, bool, const IValue&) {
    const double params[] = {order.to_double()};
    if (norm_in_steps(out, self, params[0], dim)) return;
    const ScalarType as = is_complex(self.dtype()) ? to_complex_type(out.dtype()) : compute_type(out.dtype());
    run(norm_kernel(order_of(params[0]), as), self, dim, std::span(&out, 1), params);
}

Tensor zero_where_zero(const Tensor& t, const Tensor& divisor) {
    return fn::masked_fill(t, fn::eq_scalar(divisor, Scalar(0)), Scalar(0.0));
}

Tensor norm_slope(const Tensor& x, const Tensor& g, const Tensor& norm, double p, const IValue& dim) {
    switch (order_of(p)) {
        case NormOrder::Zero:
            return {};
        case NormOrder::One:
            return fn::sgn(x) * g;
        case NormOrder::Two:
            return g * zero_where_zero(x / norm, norm);
        case NormOrder::Infinity:
        case NormOrder::MinusInfinity: {
            const Tensor magnitude = fn::abs(x);
            const Tensor equal =
                fn::logical_or(fn::eq(magnitude, norm), fn::logical_and(fn::isnan(magnitude), fn::isnan(norm)));
            const Tensor mask = fn::to_dtype(equal, static_cast<std::int64_t>(g.dtype()));
            return fn::sgn(x) * (mask / fn::sum_dim(mask, dim, true, IValue()) * g);
        }
        case NormOrder::Other:
            break;
    }
    const Tensor magnitude = fn::abs(x);
    if (p < 2) {
        const Tensor power = p < 1 ? zero_where_zero(fn::pow_scalar(magnitude, Scalar(p - 1)), x)
                                   : fn::pow_scalar(magnitude, Scalar(p - 1));
        return fn::sgn(x) * power * zero_where_zero(g * fn::pow_scalar(norm, Scalar(1 - p)), norm);
    }
    return x * fn::pow_scalar(magnitude, Scalar(p - 2)) *
           zero_where_zero(g / fn::pow_scalar(norm, Scalar(p - 1)), norm);
}
void norm_backward(G& c) {
    const Tensor x = c.argument("self");
    const IValue& dim = c.value("dim");
    const bool keepdim = c.value("keepdim").to_bool();
    const Tensor g = unsqueezed(c.grad_output(), x.dim(), dim, keepdim);
    const Tensor wide_norm = unsqueezed(c.result(), x.dim(), dim, keepdim);
    c.set_grad("self", norm_slope(x, g, wide_norm, c.value("ord").to_scalar().to_double(), dim));
}

Scalar order_or_two(const IValue& p) { return p.is_none() ? Scalar(2) : p.to_scalar(); }
Tensor norm_whole(const Tensor& self, const Scalar& p) { return fn::vector_norm(self, p, IValue(), false, IValue()); }
Tensor norm_dtype(const Tensor& self, const IValue& p, const IValue& dtype) {
    return fn::vector_norm(self, order_or_two(p), IValue(), false, dtype);
}
Tensor norm_dim(const Tensor& self, const IValue& p, const IValue& dim, bool keepdim) {
    return fn::vector_norm(self, order_or_two(p), dim, keepdim, IValue());
}
Tensor norm_dim_dtype(const Tensor& self, const IValue& p, const IValue& dim, bool keepdim, const IValue& dtype) {
    return fn::vector_norm(self, order_or_two(p), dim, keepdim, dtype);
}
Tensor frobenius_norm(const Tensor& self) { return fn::vector_norm(self, Scalar(2), IValue(), false, IValue()); }
Tensor frobenius_norm_dim(const Tensor& self, const IValue& dim, bool keepdim) {
    return fn::vector_norm(self, Scalar(2), dim, keepdim, IValue());
}
Tensor dist(const Tensor& self, const Tensor& other, const Scalar& p) { return norm_whole(self - other, p); }
// The norm of each slice along a dimension, for weight normalisation.
Tensor norm_except_dim(const Tensor& v, std::int64_t power, std::int64_t dim) {
    if (dim == -1) return norm_whole(v, Scalar(power));
    Dims dims;
    for (std::int64_t d = 0; d < v.dim(); ++d) {
        if (d != dim) dims.push_back(d);
    }
    return fn::vector_norm(v, Scalar(power), dims, true, IValue());
}

// (self, dim, keepdim)
TensorMeta infer_logsumexp(const Tensor& self, const IValue& dim, bool keepdim) {
    return reduced_meta(self, dim, keepdim, floating_type(self.dtype()));
}
void logsumexp(const Tensor& out, const Tensor& self, const IValue& dim, bool keepdim) {
    const Tensor x = fn::to_dtype(self, static_cast<std::int64_t>(out.dtype()));
    if (x.numel() == 0) {
        copy_into(out, fn::log(fn::sum_dim(fn::exp(x), dim, keepdim, IValue())));
        return;
    }
    const Tensor largest = fn::amax(is_complex(x.dtype()) ? fn::real(x) : x, dim, true);
    const Tensor shift = fn::masked_fill(largest, fn::isinf(largest), Scalar(0));
    const Tensor total = fn::sum_dim(fn::exp(x - shift), dim, true, IValue());
    const Tensor result = fn::log(total) + shift;
    copy_into(out,
              result.view_as_strided(out.sizes(), span_of(contiguous_strides(out.sizes())), result.storage_offset()));
}
void logsumexp_backward(G& c) {
    const Tensor x = c.argument("self");
    const bool keepdim = c.value("keepdim").to_bool();
    const Tensor g = unsqueezed(c.grad_output(), x.dim(), c.value("dim"), keepdim);
    c.set_grad("self", g * conj(fn::exp(x - unsqueezed(c.result(), x.dim(), c.value("dim"), keepdim))));
}

std::vector<Sample> norm_samples(Random& random, ScalarType dtype) {
    std::vector<Sample> samples;
    if (!is_differentiable(dtype)) return samples;
    for (const double p : {2.0, 1.0, 3.0, 0.5, kInfinity, 0.0}) {
        for (const Sample& s : dim_list_samples(random, dtype)) {
            samples.push_back({{s.arguments[0], p, s.arguments[1], s.arguments[2], IValue()}, s.name});
        }
    }
    return samples;
}
std::vector<Sample> logsumexp_samples(Random& random, ScalarType dtype) {
    if (!is_floating(dtype)) return {};
    std::vector<Sample> samples = dim_list_samples(random, dtype);
    for (Sample& s : samples) {
        if (s.arguments[1].is_none()) s.arguments[1] = Dims{0};
    }
    return samples;
}

constexpr OperatorRecord composite(std::string_view schema, std::string_view summary, KernelFunction function) {
    return {.schema = schema, .summary = summary, .composite = function};
}

using In = NotFiniteNote::In;
using When = NotFiniteNote::When;
constexpr NotFiniteNote kLogsumexpNotFinite[] = {
    {In::Either, When::Infinite, 0, "logsumexp over Inf", advice::kMask},
};
constexpr NotFiniteNote kLinalgVectorNormNotFinite[] = {
    {In::Backward, When::Zero, -1, "the norm of a zero vector, where it has no derivative",
     "add an eps: (x.square().sum(dim) + 1e-12).sqrt()"},
    {In::Forward, When::Always, 0, "a norm that leaves the range of its dtype", advice::kShrink},
};

constexpr OperatorRecord kRecords[] = {
    {.schema =
         "aten::linalg_vector_norm(Tensor self, Scalar ord=2, int[1]? dim=None, bool keepdim=False, *, ScalarType? "
         "dtype=None) -> Tensor",
     .summary = "Norm of vectors along dimensions.",
     .formula = "sum(|x|^ord)^(1/ord)",
     .infer = inferring<infer_norm>,
     .kernel = filling<norm>,
     .derivative = {norm_backward, {save_argument("self"), save_result()}},
     .gradient = "self: grad x |x|^(ord - 2) / out^(ord - 1)",
     .samples = norm_samples,
     .variants = kOut,
     .out = {.refusal = out_refusal::kStructured},
     .sparse = {.run = on_sparse::norm},
     .autocast = {.cuda = Autocast::Float32Result},
     .not_finite = kLinalgVectorNormNotFinite,
     .dtypes = {.kernel = "norm_cpu"}},
    composite("aten::norm.Scalar(Tensor self, Scalar p=2) -> Tensor", "Norm of all elements.", boxed<norm_whole>)
        .with_sparse({.run = on_sparse::norm})
        .with_autocast({.cuda = Autocast::Float32}),
    composite("aten::norm.ScalarOpt_dtype(Tensor self, Scalar? p, *, ScalarType dtype) -> Tensor",
              "Norm of all elements.", boxed<norm_dtype>)
        .with_sparse({.run = on_sparse::norm})
        .with_autocast({.cuda = Autocast::Float32}),
    composite("aten::norm.ScalarOpt_dim(Tensor self, Scalar? p, int[1] dim, bool keepdim=False) -> Tensor",
              "Norm along dimensions.", boxed<norm_dim>)
        .with_sparse({.run = on_sparse::norm})
        .with_autocast({.cuda = Autocast::Float32}),
    composite("aten::norm.ScalarOpt_dim_dtype(Tensor self, Scalar? p, int[1] dim, bool keepdim, *, ScalarType dtype) "
              "-> Tensor",
              "Norm along dimensions.", boxed<norm_dim_dtype>)
        .with_sparse({.run = on_sparse::norm})
        .with_autocast({.cuda = Autocast::Float32}),
    composite("aten::frobenius_norm(Tensor self) -> Tensor", "Norm of order 2 of all elements.", boxed<frobenius_norm>)
        .with_autocast({.cuda = Autocast::Float32}),
    composite("aten::frobenius_norm.dim(Tensor self, int[1] dim, bool keepdim=False) -> Tensor",
              "Norm of order 2 along dimensions.", boxed<frobenius_norm_dim>)
        .with_autocast({.cuda = Autocast::Float32}),
    composite("aten::dist(Tensor self, Tensor other, Scalar p=2) -> Tensor", "Norm of the difference.", boxed<dist>)
        .with_autocast({.cuda = Autocast::Float32}),
    composite("aten::norm_except_dim(Tensor v, int pow=2, int dim=0) -> Tensor", "Norm over all dimensions but one.",
              boxed<norm_except_dim>)
        .with_formula("sum(|v|^pow)^(1 / pow) over all dimensions but dim")
        .with_gradient("v: grad v |v|^(pow - 2) / out^(pow - 1)"),
    {.schema = "aten::logsumexp(Tensor self, int[1] dim, bool keepdim=False) -> Tensor",
     .summary = "Logarithm of the sum of exponentials along dimensions.",
     .formula = "ln(sum(exp(x)))",
     .infer = inferring<infer_logsumexp>,
     .kernel = filling<logsumexp>,
     .derivative = {logsumexp_backward, {save_argument("self"), save_result()}},
     .gradient = "self: grad exp(x - out)",
     .samples = logsumexp_samples,
     .variants = kOut,
     .autocast = {.cuda = Autocast::Float32},
     .not_finite = kLogsumexpNotFinite,
     .dtypes = {kWithUnsigned, "max_values_cpu"}},
    composite("aten::special_logsumexp(Tensor self, int[1] dim, bool keepdim=False) -> Tensor",
              "The same as logsumexp.", forward<"aten::logsumexp">),
};

}  // namespace

std::span<const OperatorRecord> reduction::norm_records() { return kRecords; }

}  // namespace loupe
