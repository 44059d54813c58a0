// SPDX-License-Identifier: Apache-2.0
// cumsum, cumprod, cummax, cummin, logcumsumexp: running results along a dimension.

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/parallel.h"
#include "core/dispatch/out_refusals.h"
#include "core/kernels/arithmetic.h"
#include "core/kernels/complex_math.h"
#include "core/kernels/elementwise.h"
#include "core/ops/nn/simd.h"
#include "core/ops/not_finite.h"
#include "core/ops/reduction/family.h"
#include "core/ops/reduction/reduction.h"

namespace loupe {
namespace {

using namespace arithmetic;
using namespace reduction;
using G = GradientContext;

// A contiguous copy of self as another type.
Tensor packed(const Tensor& self, ScalarType dtype) {
    if (self.is_contiguous() && self.dtype() == dtype) return self;
    const Tensor out = empty(self.sizes(), dtype);
    copy_into(out, self);
    return out;
}

constexpr std::int64_t kLinesAtOnce = 64;

// Calls scan(index of the first element, lines, stride, length) for the lines along dim of a contiguous tensor, up to
// kLinesAtOnce that begin beside each other at once.
template <typename Scan>
void each_block(const Tensor& t, std::int64_t dim, Scan&& scan) {
    const std::int64_t length = t.dim() == 0 ? 1 : t.size(dim);
    if (t.numel() == 0) return;
    std::int64_t stride = 1;
    for (std::int64_t d = wrap_dim(dim, t.dim()) + 1; d < t.dim(); ++d) stride *= t.size(d);
    parallel_for(0, t.numel() / length, std::max<std::int64_t>(kElementwiseGrain / length, 1),
                 [&](std::int64_t begin, std::int64_t end) {
                     for (std::int64_t line = begin; line < end;) {
                         const std::int64_t beside = line % stride;
                         const std::int64_t lines = std::min({kLinesAtOnce, end - line, stride - beside});
                         scan(line / stride * stride * length + beside, lines, stride, length);
                         line += lines;
                     }
                 });
}
// The same line by line.
template <typename Scan>
void each_line(const Tensor& t, std::int64_t dim, Scan&& scan) {
    each_block(t, dim, [&](std::int64_t at, std::int64_t lines, std::int64_t stride, std::int64_t length) {
        for (std::int64_t i = 0; i < lines; ++i) scan(at + i, stride, length);
    });
}

template <typename F>
void visit_compute_type(ScalarType as, F&& f) {
    switch (as) {
        case ScalarType::Int64:
            return f(std::type_identity<std::int64_t>{});
        case ScalarType::Float32:
            return f(std::type_identity<float>{});
        case ScalarType::Float64:
            return f(std::type_identity<double>{});
        case ScalarType::Complex64:
            return f(std::type_identity<std::complex<float>>{});
        default:
            return f(std::type_identity<std::complex<double>>{});
    }
}
// Running results are held in double precision.
template <typename T>
using Held = std::conditional_t<std::is_integral_v<T>, std::int64_t,
                                std::conditional_t<kIsComplexElement<T>, std::complex<double>, double>>;

template <typename T, typename Step>
void scan_line(const T* from, T* to, std::int64_t stride, std::int64_t length, Held<T> held, const Step& step) {
    for (std::int64_t i = 0; i < length; ++i) {
        held = step(held, static_cast<Held<T>>(from[i * stride]));
        to[i * stride] = static_cast<T>(held);
    }
}
template <typename T, typename Step>
void scan_lines(const T* from, T* to, std::int64_t lines, std::int64_t stride, std::int64_t length, Held<T> first,
                const Step& step) {
    std::array<Held<T>, kLinesAtOnce> held;
    held.fill(first);
    with_best_instructions([&]() LOUPE_INLINE {
        for (std::int64_t i = 0; i < length; ++i) {
            const T* x = from + i * stride;
            T* y = to + i * stride;
#pragma omp simd
            for (std::int64_t k = 0; k < lines; ++k) {
                Held<T>& h = held[static_cast<std::size_t>(k)];
                h = step(h, static_cast<Held<T>>(x[k]));
                y[k] = static_cast<T>(h);
            }
        }
    });
}

template <typename Step>
void scan_into(const Tensor& out, const Tensor& self, std::int64_t dim, double first, Step&& step) {
    const ScalarType as = compute_type(out.dtype());
    const Tensor x = packed(self, as);
    const Tensor y = out.is_contiguous() && out.dtype() == as ? out : empty(out.sizes(), as);
    visit_compute_type(as, [&]<typename T>(std::type_identity<T>) {
        const T* from = x.data<T>();
        T* to = y.data<T>();
        each_block(y, dim, [&](std::int64_t at, std::int64_t lines, std::int64_t stride, std::int64_t length) {
            if (lines == 1) return scan_line(from + at, to + at, stride, length, Scalar(first).to<Held<T>>(), step);
            scan_lines(from + at, to + at, lines, stride, length, Scalar(first).to<Held<T>>(), step);
        });
    });
    if (!y.is_same(out)) copy_into(out, y);
}

// (self, dim, dtype)
TensorMeta infer_scan(const Tensor& self, std::int64_t dim, const IValue& dtype) {
    wrap_dim(dim, self.dim());
    return {to_dims(self.sizes()), dtype_or(dtype, is_integral(self.dtype()) ? ScalarType::Int64 : self.dtype()),
            self.device()};
}
void cumsum(const Tensor& out, const Tensor& self, std::int64_t dim, const IValue&) {
    scan_into(out, self, dim, 0, []<typename H>(H held, H x) LOUPE_INLINE {
        if constexpr (std::is_integral_v<H>)
            return static_cast<H>(static_cast<std::uint64_t>(held) + static_cast<std::uint64_t>(x));
        else
            return held + x;
    });
}
void cumprod(const Tensor& out, const Tensor& self, std::int64_t dim, const IValue&) {
    scan_into(out, self, dim, 1, []<typename H>(H held, H x) LOUPE_INLINE {
        if constexpr (std::is_integral_v<H>)
            return static_cast<H>(static_cast<std::uint64_t>(held) * static_cast<std::uint64_t>(x));
        else
            return multiply(held, x);
    });
}

Tensor reversed_cumsum(const Tensor& g, std::int64_t dim) {
    if (g.dim() == 0) return g;
    const Dims dims{dim};
    return fn::flip(fn::cumsum(fn::flip(g, dims), dim, IValue()), dims);
}
void cumsum_backward(G& c) { c.set_grad("self", reversed_cumsum(c.grad_output(), c.value("dim").to_int())); }

// With zeros among the factors: for each k, the products of all factors but the k-th.
Tensor cumprod_slope_with_zeros(const Tensor& g, const Tensor& x, const Tensor& y, std::int64_t dim) {
    const std::int64_t n = x.size(dim);
    TensorList parts;
    for (std::int64_t k = 0; k < n; ++k) {
        const Tensor one = fn::ones_like(fn::narrow(x, dim, k, 1));
        const Tensor before = k == 0 ? one : fn::narrow(y, dim, k - 1, 1);
        const Tensor after =
            fn::cumprod(fn::cat(TensorList{one, fn::narrow(x, dim, k + 1, n - k - 1)}, dim), dim, IValue());
        parts.push_back(fn::sum_dim(fn::narrow(g, dim, k, n - k) * conj(before * after), Dims{dim}, true, IValue()));
    }
    return fn::cat(parts, dim);
}
void cumprod_backward(G& c) {
    const Tensor x = c.argument("self"), y = c.result(), g = c.grad_output();
    if (x.dim() == 0 || x.numel() == 0) return c.set_grad("self", g);
    const std::int64_t dim = wrap_dim(c.value("dim").to_int(), x.dim());
    const bool zeros = item(fn::any(fn::eq_scalar(x, Scalar(0)))).to_bool();
    c.set_grad("self", zeros ? cumprod_slope_with_zeros(g, x, y, dim) : reversed_cumsum(g * conj(y), dim) / conj(x));
}

template <bool kMax>
MetaList infer_running(const Tensor& self, std::int64_t dim) {
    wrap_dim(dim, self.dim());
    require(!is_complex(self.dtype()), "not implemented for '", dtype_graph_name(self.dtype()), "'");
    return {{to_dims(self.sizes()), self.dtype(), self.device()},
            {to_dims(self.sizes()), ScalarType::Int64, self.device()}};
}
// Of equals the last; once there is a NaN it stays.
template <bool kMax, typename T>
bool replaces(T next, T best) {
    if (best != best) return next != next;
    return !(kMax ? next < best : next > best);
}
template <bool kMax, typename T>
void run_lines(const T* from, T* to, std::int64_t* places, std::int64_t lines, std::int64_t stride,
               std::int64_t length) {
    std::array<T, kLinesAtOnce> best;
    std::array<std::int64_t, kLinesAtOnce> place{};
    std::copy_n(from, lines, best.begin());
    for (std::int64_t i = 0; i < length; ++i) {
        for (std::int64_t k = 0; k < lines; ++k) {
            const auto line = static_cast<std::size_t>(k);
            const std::int64_t at = i * stride + k;
            if (replaces<kMax>(from[at], best[line])) {
                best[line] = from[at];
                place[line] = i;
            }
            to[at] = best[line];
            places[at] = place[line];
        }
    }
}
// The results themselves where they are of the type and in order, else room for them.
Tensor room_for(const Tensor& out, ScalarType as) {
    return out.is_contiguous() && out.dtype() == as ? out : empty(out.sizes(), as);
}

template <bool kMax>
void running(const Tensor& values, const Tensor& indices, const Tensor& self, std::int64_t dim) {
    const ScalarType as = compute_type(self.dtype());
    const Tensor x = packed(self, as);
    const Tensor y = room_for(values, as);
    const Tensor places = room_for(indices, ScalarType::Int64);
    visit_compute_type(as, [&]<typename T>(std::type_identity<T>) {
        if constexpr (!kIsComplexElement<T>) {
            each_block(x, dim, [&](std::int64_t at, std::int64_t lines, std::int64_t stride, std::int64_t length) {
                run_lines<kMax>(x.data<T>() + at, y.data<T>() + at, places.data<std::int64_t>() + at, lines, stride,
                                length);
            });
        }
    });
    if (!y.is_same(values)) copy_into(values, y);
    if (!places.is_same(indices)) copy_into(indices, places);
}
void running_backward(G& c) {
    const Tensor g = c.grad_output(0);
    if (!g.defined()) return;
    if (g.dim() == 0) return c.set_grad("self", g);
    c.set_grad("self", fn::scatter_add(fn::zeros_like(g), c.value("dim"), c.result(1), g));
}

const OperatorHandle<> kLogcumsumexp("aten::logcumsumexp");

TensorMeta infer_logcumsumexp(const Tensor& self, std::int64_t dim) {
    wrap_dim(dim, self.dim());
    require(is_floating(self.dtype()) || is_complex(self.dtype()), "\"logcumsumexp_out_cpu\" not implemented for '",
            dtype_graph_name(self.dtype()), "'");
    return {to_dims(self.sizes()), self.dtype(), self.device()};
}
void logcumsumexp(const Tensor& out, const Tensor& self, std::int64_t dim) {
    scan_into(out, self, dim, -std::numeric_limits<double>::infinity(), []<typename H>(H held, H x) {
        if constexpr (std::is_same_v<H, double>) {
            const double high = std::isnan(held) ? held : std::max(held, x);
            const double low = std::min(held, x);
            if (std::isnan(x) || std::isnan(held)) return held + x;
            return low != high || std::isfinite(low) ? high + std::log1p(std::exp(low - high)) : x;
        } else if constexpr (kIsComplexElement<H>) {
            return log_add_exp(held, x);
        } else {
            return held;
        }
    });
}
// As PyTorch: logarithms of the positive and of the negative gradients apart.
void logcumsumexp_backward(G& c) {
    const Tensor x = c.argument("self"), y = c.result(), g = c.grad_output();
    if (x.dim() == 0 || x.numel() == 0) return c.set_grad("self", g);
    const std::int64_t dim = wrap_dim(c.value("dim").to_int(), x.dim());
    const auto reversed = [&](const Tensor& t) {
        return fn::flip(kLogcumsumexp(fn::flip(t, Dims{dim}), dim), Dims{dim});
    };
    if (is_complex(x.dtype())) return c.set_grad("self", conj(fn::exp(reversed(fn::log(conj(g)) - y) + x)));
    const double lowest = g.dtype() == ScalarType::Float64    ? std::numeric_limits<double>::lowest()
                          : g.dtype() == ScalarType::BFloat16 ? -3.3895313892515355e38
                                                              : std::numeric_limits<float>::lowest();
    const auto share = [&](const Tensor& positive) {
        const Tensor logs =
            fn::where_scalar_other(fn::gt_scalar(positive, Scalar(0)), fn::log(positive), Scalar(lowest));
        return fn::exp(reversed(logs - y) + x);
    };
    c.set_grad("self", share(g) - share(-g));
}

std::vector<Sample> scan_samples(Random& random, ScalarType dtype) {
    std::vector<Sample> samples = one_dim_samples(random, dtype);
    for (Sample& s : samples) s.arguments[2] = IValue();
    return samples;
}
std::vector<Sample> running_samples(Random& random, ScalarType dtype) {
    std::vector<Sample> samples = one_dim_samples(random, dtype);
    for (Sample& s : samples) s.arguments.pop_back();
    return samples;
}
std::vector<Sample> log_samples(Random& random, ScalarType dtype) {
    return is_floating(dtype) ? running_samples(random, dtype) : std::vector<Sample>();
}

using In = NotFiniteNote::In;
using When = NotFiniteNote::When;
constexpr NotFiniteNote kLogcumsumexpNotFinite[] = {
    {In::Either, When::Infinite, 0, "logcumsumexp over Inf", advice::kDifference},
};
constexpr NotFiniteNote kCumsumNotFinite[] = {
    {In::Either, When::Infinite, 0, "Inf \u2212 Inf in a running sum", advice::kDifference},
    {In::Forward, When::Always, 0, "a running sum that leaves the range of its dtype", advice::kShrink},
};
constexpr NotFiniteNote kCumprodNotFinite[] = {
    {In::Either, When::Always, 0, "a running product that leaves the range of its dtype", "sum logarithms instead"},
};

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::cumsum(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor",
     .summary = "Running sum along a dimension.",
     .formula = "out[i] = sum_{j <= i} x[j]",
     .infer = inferring<infer_scan>,
     .kernel = filling<cumsum>,
     .derivative = {cumsum_backward},
     .gradient = "self: sum_{j >= i} grad[j]",
     .samples = scan_samples,
     .variants = kInPlace | kOut,
     .autocast = {.cuda = Autocast::Float32Result},
     .not_finite = kCumsumNotFinite,
     .dtypes = {kWithUnsigned, "cumsum_out_cpu"}},
    {.schema = "aten::cumprod(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor",
     .summary = "Running product along a dimension.",
     .formula = "out[i] = prod_{j <= i} x[j]",
     .infer = inferring<infer_scan>,
     .kernel = filling<cumprod>,
     .derivative = {cumprod_backward, {save_argument("self"), save_result()}},
     .gradient = "self: sum_{j >= i} grad[j] out[j] / x[i]",
     .samples = scan_samples,
     .variants = kInPlace | kOut,
     .autocast = {.cuda = Autocast::Float32Result},
     .not_finite = kCumprodNotFinite,
     .dtypes = {kAnyDtype}},
    {.schema = "aten::cummax(Tensor self, int dim) -> (Tensor values, Tensor indices)",
     .summary = "Greatest element so far along a dimension, and where it is.",
     .formula = "out[i] = max_{j <= i} x[j]",
     .infer = inferring<infer_running<true>>,
     .kernel = filling<running<true>, 2>,
     .derivative = {running_backward, {save_result(1)}},
     .gradient = "self: sum of grad[j] over the j whose maximum stands here",
     .samples = running_samples,
     .variants = kOut,
     .out = {.names = "values indices", .refusal = out_refusal::kScalarTypeWord}},
    {.schema = "aten::cummin(Tensor self, int dim) -> (Tensor values, Tensor indices)",
     .summary = "Smallest element so far along a dimension, and where it is.",
     .formula = "out[i] = min_{j <= i} x[j]",
     .infer = inferring<infer_running<false>>,
     .kernel = filling<running<false>, 2>,
     .derivative = {running_backward, {save_result(1)}},
     .gradient = "self: sum of grad[j] over the j whose minimum stands here",
     .samples = running_samples,
     .variants = kOut,
     .out = {.names = "values indices", .refusal = out_refusal::kScalarTypeWord}},
    {.schema = "aten::logcumsumexp(Tensor self, int dim) -> Tensor",
     .summary = "Running logarithm of the sum of exponentials.",
     .formula = "out[i] = ln(sum_{j <= i} exp(x[j]))",
     .infer = inferring<infer_logcumsumexp>,
     .kernel = filling<logcumsumexp>,
     .derivative = {logcumsumexp_backward, {save_argument("self"), save_result()}},
     .gradient = "self: sum_{j >= i} grad[j] exp(x[i] - out[j])",
     .samples = log_samples,
     .variants = kOut,
     .out = {.refusal = out_refusal::kScalarTypeWord},
     .not_finite = kLogcumsumexpNotFinite,
     .dtypes = {.kernel = "logcumsumexp_out_cpu"}},
};

}  // namespace

std::span<const OperatorRecord> reduction::scan_records() { return kRecords; }

}  // namespace loupe
