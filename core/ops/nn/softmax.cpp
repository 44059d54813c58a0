// SPDX-License-Identifier: Apache-2.0
// softmax and log_softmax.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/parallel.h"
#include "core/dispatch/out_refusals.h"
#include "core/kernels/row_loop.h"
#include "core/ops/nn/common.h"
#include "core/ops/nn/family.h"
#include "core/ops/nn/simd.h"
#include "core/ops/not_finite.h"

namespace loupe {
namespace {

using namespace nn_ops;

// The dimension, and how many elements lie before and after it.
struct Lines {
    std::int64_t outer = 1;
    std::int64_t length = 1;
    std::int64_t inner = 1;
};

Lines lines_of(const Tensor& t, std::int64_t dim) {
    Lines lines;
    if (t.dim() == 0) return lines;
    const auto d = static_cast<std::size_t>(wrap_dim(dim, t.dim()));
    for (std::size_t i = 0; i < t.sizes().size(); ++i) {
        if (i < d)
            lines.outer *= t.sizes()[i];
        else if (i == d)
            lines.length = t.sizes()[i];
        else
            lines.inner *= t.sizes()[i];
    }
    return lines;
}

// y may be x. Log: the logarithm of the softmax.
template <bool Log, typename T>
LOUPE_INLINE inline void softmax_row(const T* x, T* y, std::int64_t n) {
    T largest = -std::numeric_limits<T>::infinity();
#pragma omp simd reduction(max : largest)
    for (std::int64_t i = 0; i < n; ++i) largest = x[i] > largest ? x[i] : largest;
    T sum = 0;
    if constexpr (Log) {
#pragma omp simd reduction(+ : sum)
        for (std::int64_t i = 0; i < n; ++i) sum += fast_exp_below_one(x[i] - largest);
        const T log_sum = std::log(sum);  // not added to the largest, beside which it might vanish
#pragma omp simd
        for (std::int64_t i = 0; i < n; ++i) y[i] = x[i] - largest - log_sum;
    } else {
#pragma omp simd reduction(+ : sum)
        for (std::int64_t i = 0; i < n; ++i) {
            const T e = fast_exp_below_one(x[i] - largest);
            y[i] = e;
            sum += e;
        }
        const T scale = T(1) / sum;
#pragma omp simd
        for (std::int64_t i = 0; i < n; ++i) y[i] *= scale;
    }
}

// Four rows at once: short rows are bound by latency. x, y: the first elements; strides in
// elements.
constexpr std::int64_t kShortRow = 512;
template <bool Log, typename T>
LOUPE_INLINE inline void softmax_four_rows(const T* x, std::int64_t x_stride, T* y, std::int64_t y_stride,
                                           std::int64_t n) {
    const T *x0 = x, *x1 = x + x_stride, *x2 = x1 + x_stride, *x3 = x2 + x_stride;
    T *y0 = y, *y1 = y + y_stride, *y2 = y1 + y_stride, *y3 = y2 + y_stride;
    T m0 = -std::numeric_limits<T>::infinity(), m1 = m0, m2 = m0, m3 = m0;
#pragma omp simd reduction(max : m0, m1, m2, m3)
    for (std::int64_t i = 0; i < n; ++i) {
        m0 = x0[i] > m0 ? x0[i] : m0;
        m1 = x1[i] > m1 ? x1[i] : m1;
        m2 = x2[i] > m2 ? x2[i] : m2;
        m3 = x3[i] > m3 ? x3[i] : m3;
    }
    T s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    if constexpr (Log) {
#pragma omp simd reduction(+ : s0, s1, s2, s3)
        for (std::int64_t i = 0; i < n; ++i) {
            s0 += fast_exp_below_one(x0[i] - m0);
            s1 += fast_exp_below_one(x1[i] - m1);
            s2 += fast_exp_below_one(x2[i] - m2);
            s3 += fast_exp_below_one(x3[i] - m3);
        }
        const T l0 = std::log(s0), l1 = std::log(s1), l2 = std::log(s2), l3 = std::log(s3);
#pragma omp simd
        for (std::int64_t i = 0; i < n; ++i) {
            y0[i] = x0[i] - m0 - l0;
            y1[i] = x1[i] - m1 - l1;
            y2[i] = x2[i] - m2 - l2;
            y3[i] = x3[i] - m3 - l3;
        }
    } else {
#pragma omp simd reduction(+ : s0, s1, s2, s3)
        for (std::int64_t i = 0; i < n; ++i) {
            const T e0 = fast_exp_below_one(x0[i] - m0), e1 = fast_exp_below_one(x1[i] - m1),
                    e2 = fast_exp_below_one(x2[i] - m2), e3 = fast_exp_below_one(x3[i] - m3);
            y0[i] = e0;
            y1[i] = e1;
            y2[i] = e2;
            y3[i] = e3;
            s0 += e0;
            s1 += e1;
            s2 += e2;
            s3 += e3;
        }
        const T k0 = T(1) / s0, k1 = T(1) / s1, k2 = T(1) / s2, k3 = T(1) / s3;
#pragma omp simd
        for (std::int64_t i = 0; i < n; ++i) {
            y0[i] *= k0;
            y1[i] *= k1;
            y2[i] *= k2;
            y3[i] *= k3;
        }
    }
}

// Rows of y from rows of x; strides in elements.
template <bool Log, typename T>
void softmax_all_rows(const T* x, std::int64_t x_stride, T* y, std::int64_t y_stride, std::int64_t rows,
                      std::int64_t n) {
    with_best_instructions([&]() LOUPE_INLINE {
        std::int64_t r = 0;
        for (; n <= kShortRow && r + 4 <= rows; r += 4)
            softmax_four_rows<Log>(x + r * x_stride, x_stride, y + r * y_stride, y_stride, n);
        for (; r < rows; ++r) softmax_row<Log>(x + r * x_stride, y + r * y_stride, n);
    });
}

// Softmax over a dimension that is not the last: a block of neighbouring columns at once.
constexpr std::int64_t kColumns = 64;
template <bool Log, typename T>
LOUPE_INLINE inline void softmax_columns(const T* x, T* y, std::int64_t n, std::int64_t stride, std::int64_t width) {
    T largest[kColumns];
    T sum[kColumns];
    std::fill(largest, largest + width, -std::numeric_limits<T>::infinity());
    std::fill(sum, sum + width, T(0));
    for (std::int64_t i = 0; i < n; ++i) {
#pragma omp simd
        for (std::int64_t j = 0; j < width; ++j)
            largest[j] = x[i * stride + j] > largest[j] ? x[i * stride + j] : largest[j];
    }
    for (std::int64_t i = 0; i < n; ++i) {
#pragma omp simd
        for (std::int64_t j = 0; j < width; ++j) {
            const T e = fast_exp_below_one(x[i * stride + j] - largest[j]);
            if constexpr (!Log) y[i * stride + j] = e;
            sum[j] += e;
        }
    }
    for (std::int64_t j = 0; j < width; ++j) sum[j] = Log ? std::log(sum[j]) : T(1) / sum[j];
    for (std::int64_t i = 0; i < n; ++i) {
#pragma omp simd
        for (std::int64_t j = 0; j < width; ++j) {
            if constexpr (Log)
                y[i * stride + j] = x[i * stride + j] - largest[j] - sum[j];
            else
                y[i * stride + j] *= sum[j];
        }
    }
}

template <bool Log, typename T>
void softmax_lines(const Lines& lines, const T* x, T* y) {
    if (lines.inner == 1) {
        parallel_for(0, lines.outer, std::max<std::int64_t>(1, 8192 / lines.length),
                     [&](std::int64_t begin, std::int64_t end) {
                         softmax_all_rows<Log>(x + begin * lines.length, lines.length, y + begin * lines.length,
                                               lines.length, end - begin, lines.length);
                     });
        return;
    }
    const std::int64_t blocks = (lines.inner + kColumns - 1) / kColumns;
    parallel_for(0, lines.outer * blocks, 1, [&](std::int64_t begin, std::int64_t end) {
        with_best_instructions([&]() LOUPE_INLINE {
            for (std::int64_t i = begin; i < end; ++i) {
                const std::int64_t column = i % blocks * kColumns;
                const std::int64_t at = i / blocks * lines.length * lines.inner + column;
                const std::int64_t width = lines.inner - column < kColumns ? lines.inner - column : kColumns;
                softmax_columns<Log>(x + at, y + at, lines.length, lines.inner, width);
            }
        });
    });
}

template <bool Log>
TensorMeta infer_softmax(const Tensor& self, std::int64_t dim, bool half_to_float) {
    const bool is_last = wrap_dim(dim, self.dim()) + 1 >= self.dim();
    require(!half_to_float, "softmax with half to float conversion is not supported on CPU");
    require(is_floating(self.dtype()), "\"", Log ? "log_softmax" : "softmax", is_last ? "_lastdim" : "",
            "_kernel_impl\" not implemented for '", dtype_graph_name(self.dtype()), "'");
    return follow_layout(to_dims(self.sizes()), self);
}

// Rows of y from rows of x, for fused kernels.
template <bool Log, typename T>
void softmax_rows(const RowParams&, void* const* arrays, const std::int64_t* strides, std::int64_t rows,
                  std::int64_t n) {
    constexpr auto kElement = static_cast<std::int64_t>(sizeof(T));
    softmax_all_rows<Log>(static_cast<const T*>(arrays[1]), strides[1] / kElement, static_cast<T*>(arrays[0]),
                          strides[0] / kElement, rows, n);
}
// How many of the last dimensions form a row; 0 when rows are not contiguous.
std::int64_t row_dims(const Tensor& t, std::int64_t dim) {
    return t.dim() > 0 && wrap_dim(dim, t.dim()) == t.dim() - 1 ? 1 : 0;
}

template <bool Log>
void softmax_kernel(const Tensor& out, const Tensor& self, std::int64_t dim, bool) {
    if (out.numel() == 0) return;
    const Lines lines = lines_of(self, dim);
    visit_floating(self.dtype(), "softmax", [&]<typename T>(std::type_identity<T>) {
        const RowLoop loop{Log ? "LogSoftmax" : "Softmax", &softmax_rows<Log, T>, row_dims(self, dim), {}, nullptr, 0};
        const RowLoopScope recorded(
            loop, std::array{LoopOperand(out, scalar_type_of<T>), LoopOperand(self, scalar_type_of<T>)}, 1);
        if (recorded.is_dry()) return;
        const Tensor x = packed_as(self, scalar_type_of<T>);
        const Tensor y = out.dtype() == x.dtype() ? buffer_for(out) : empty(out.sizes(), x.dtype());
        softmax_lines<Log>(lines, x.data<T>(), y.data<T>());
        if (!y.is_same(out)) convert_into(out, y);
    });
}

// ---- backward: softmax: y (g - sum(g y)); log_softmax: g - exp(y) sum(g)

template <bool Log, typename T>
LOUPE_INLINE inline void backward_row(const T* g, const T* y, T* out, std::int64_t n) {
    T sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::int64_t i = 0; i < n; ++i) sum += Log ? g[i] : g[i] * y[i];
#pragma omp simd
    for (std::int64_t i = 0; i < n; ++i) {
        if constexpr (Log)
            out[i] = g[i] - fast_exp(y[i]) * sum;
        else
            out[i] = y[i] * (g[i] - sum);
    }
}

template <bool Log, typename T>
LOUPE_INLINE inline void backward_columns(const T* g, const T* y, T* out, std::int64_t n, std::int64_t stride,
                                          std::int64_t width) {
    T sum[kColumns];
    std::fill(sum, sum + width, T(0));
    for (std::int64_t i = 0; i < n; ++i) {
#pragma omp simd
        for (std::int64_t j = 0; j < width; ++j)
            sum[j] += Log ? g[i * stride + j] : g[i * stride + j] * y[i * stride + j];
    }
    for (std::int64_t i = 0; i < n; ++i) {
#pragma omp simd
        for (std::int64_t j = 0; j < width; ++j) {
            const std::int64_t at = i * stride + j;
            if constexpr (Log)
                out[at] = g[at] - fast_exp(y[at]) * sum[j];
            else
                out[at] = y[at] * (g[at] - sum[j]);
        }
    }
}

template <bool Log, typename T>
void softmax_backward_rows(const RowParams&, void* const* arrays, const std::int64_t* strides, std::int64_t rows,
                           std::int64_t n) {
    with_best_instructions([&]() LOUPE_INLINE {
        for (std::int64_t r = 0; r < rows; ++r) {
            backward_row<Log>(reinterpret_cast<const T*>(static_cast<const std::byte*>(arrays[1]) + r * strides[1]),
                              reinterpret_cast<const T*>(static_cast<const std::byte*>(arrays[2]) + r * strides[2]),
                              reinterpret_cast<T*>(static_cast<std::byte*>(arrays[0]) + r * strides[0]), n);
        }
    });
}

TensorMeta infer_softmax_backward(const Tensor& grad_output, const Tensor& output, std::int64_t dim,
                                  ScalarType input_dtype) {
    wrap_dim(dim, grad_output.dim());
    require_sizes(grad_output, output.sizes(), "grad_output");
    TensorMeta meta = follow_layout(to_dims(grad_output.sizes()), grad_output);
    meta.dtype = input_dtype;
    return meta;
}

template <bool Log>
void softmax_backward_kernel(const Tensor& out, const Tensor& grad_output, const Tensor& output, std::int64_t dim,
                             ScalarType) {
    if (out.numel() == 0) return;
    const Lines lines = lines_of(output, dim);
    visit_floating(grad_output.dtype(), "softmax_backward", [&]<typename T>(std::type_identity<T>) {
        constexpr ScalarType kType = scalar_type_of<T>;
        const RowLoop loop{Log ? "LogSoftmaxBackward" : "SoftmaxBackward",
                           &softmax_backward_rows<Log, T>,
                           row_dims(output, dim),
                           {},
                           nullptr,
                           0};
        const RowLoopScope recorded(
            loop, std::array{LoopOperand(out, kType), LoopOperand(grad_output, kType), LoopOperand(output, kType)}, 1);
        if (recorded.is_dry()) return;
        const Tensor g = packed_as(grad_output, kType);
        const Tensor y = packed_as(output, kType);
        const Tensor to = out.dtype() == g.dtype() ? buffer_for(out) : empty(out.sizes(), g.dtype());
        const T* gp = g.data<T>();
        const T* yp = y.data<T>();
        T* op = to.data<T>();
        const std::int64_t blocks = lines.inner == 1 ? 1 : (lines.inner + kColumns - 1) / kColumns;
        const std::int64_t grain = lines.inner == 1 ? std::max<std::int64_t>(1, 8192 / lines.length) : 1;
        parallel_for(0, lines.outer * blocks, grain, [&](std::int64_t begin, std::int64_t end) {
            with_best_instructions([&]() LOUPE_INLINE {
                for (std::int64_t i = begin; i < end; ++i) {
                    const std::int64_t column = i % blocks * kColumns;
                    const std::int64_t at = i / blocks * lines.length * lines.inner + column;
                    if (lines.inner == 1) {
                        backward_row<Log>(gp + at, yp + at, op + at, lines.length);
                    } else {
                        const std::int64_t width = lines.inner - column < kColumns ? lines.inner - column : kColumns;
                        backward_columns<Log>(gp + at, yp + at, op + at, lines.length, lines.inner, width);
                    }
                }
            });
        });
        if (!to.is_same(out)) convert_into(out, to);
    });
}

void softmax_gradient(GradientContext& c) {
    c.grad("self", [&] {
        return fn::_softmax_backward_data(c.grad_output(), c.result(), c.value("dim"),
                                          static_cast<std::int64_t>(c.dtype("self")));
    });
}
void log_softmax_gradient(GradientContext& c) {
    c.grad("self", [&] {
        return fn::_log_softmax_backward_data(c.grad_output(), c.result(), c.value("dim"),
                                              static_cast<std::int64_t>(c.dtype("self")));
    });
}

void softmax_double_gradient(GradientContext& c) {
    const Tensor& gg = c.grad_output();
    const Dims dim{c.value("dim").to_int()};
    c.grad("grad_output", [&] {
        return fn::_softmax_backward_data(gg, c.argument("output"), c.value("dim"),
                                          static_cast<std::int64_t>(c.dtype("grad_output")));
    });
    c.grad("output", [&] {
        const Tensor g = c.argument("grad_output");
        const Tensor y = c.argument("output");
        const Tensor total = fn::sum_dim(fn::mul(g, y), dim, true);
        const Tensor other = fn::sum_dim(fn::mul(gg, y), dim, true);
        return fn::sub(fn::sub(fn::mul(gg, g), fn::mul(gg, total)), fn::mul(g, other));
    });
}
void log_softmax_double_gradient(GradientContext& c) {
    const Tensor& gg = c.grad_output();
    const Dims dim{c.value("dim").to_int()};
    c.grad("grad_output",
           [&] { return fn::sub(gg, fn::sum_dim(fn::mul(gg, fn::exp(c.argument("output"))), dim, true)); });
    c.grad("output", [&] {
        const Tensor total = fn::sum_dim(c.argument("grad_output"), dim, true);
        return fn::neg(fn::mul(fn::mul(gg, fn::exp(c.argument("output"))), total));
    });
}

Tensor converted(const Tensor& self, const std::optional<ScalarType>& dtype) {
    return dtype && *dtype != self.dtype() ? fn::to_dtype(self, static_cast<std::int64_t>(*dtype)) : self;
}
Tensor softmax(const Tensor& self, std::int64_t dim, const std::optional<ScalarType>& dtype) {
    return fn::_softmax(converted(self, dtype), dim, false);
}
Tensor log_softmax(const Tensor& self, std::int64_t dim, const std::optional<ScalarType>& dtype) {
    return fn::_log_softmax(converted(self, dtype), dim, false);
}

std::vector<Sample> kernel_samples(Random& random, ScalarType dtype) {
    return {{{random_tensor(random, {3, 4}, dtype), -1, false}, "rows"},
            {{random_tensor(random, {2, 5, 70}, dtype), 1, false}, "columns"},
            {{random_tensor(random, {}, dtype), 0, false}, "scalar"}};
}
std::vector<Sample> samples(Random& random, ScalarType dtype) {
    return {{{random_tensor(random, {3, 4}, dtype), 1, IValue()}},
            {{random_tensor(random, {2, 5, 3}, dtype), 1, IValue()}, "columns"}};
}
std::vector<Sample> backward_samples(Random& random, ScalarType dtype) {
    Tensor output = random_tensor(random, {3, 4}, dtype);
    return {{{random_tensor(random, {3, 4}, dtype), output, 1, static_cast<std::int64_t>(dtype)}}};
}

Cost softmax_cost(Arguments arguments, std::span<const IValue> results) {
    const Tensor self = arguments[0].to_tensor();
    const double n = static_cast<double>(self.numel());
    return {5 * n, static_cast<double>(self.bytes() + results[0].to_tensor().bytes())};
}

using In = NotFiniteNote::In;
using When = NotFiniteNote::When;
constexpr NotFiniteNote kSoftmaxNotFinite[] = {
    {In::Either, When::Infinite, 0, "softmax of a row that is all -Inf (fully masked), or holds +Inf", advice::kMask},
};
constexpr NotFiniteNote kLogSoftmaxNotFinite[] = {
    {In::Either, When::Infinite, 0, "log_softmax of a row that is all -Inf (fully masked), or holds +Inf",
     advice::kMask},
};

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::_softmax(Tensor self, int dim, bool half_to_float) -> Tensor",
     .summary = "Exponentials along a dimension, scaled to sum to one.",
     .formula = "out[i] = exp(self[i]) / sum_j exp(self[j])",
     .infer = inferring<infer_softmax<false>>,
     .kernel = filling<softmax_kernel<false>>,
     .derivative = {softmax_gradient, {save_result()}, "SoftmaxBackward0"},
     .gradient = "self: out (grad - sum_j grad[j] out[j])",
     .cost = softmax_cost,
     .samples = kernel_samples,
     .variants = kOut,
     .out = {.refusal = out_refusal::kStructured},
     .not_finite = kSoftmaxNotFinite,
     .dtypes = {.kernel = "softmax_lastdim_kernel_impl"}},
    {.schema = "aten::_log_softmax(Tensor self, int dim, bool half_to_float) -> Tensor",
     .summary = "The logarithm of softmax along a dimension.",
     .formula = "out[i] = self[i] - log sum_j exp(self[j])",
     .infer = inferring<infer_softmax<true>>,
     .kernel = filling<softmax_kernel<true>>,
     .derivative = {log_softmax_gradient, {save_result()}, "LogSoftmaxBackward0"},
     .gradient = "self: grad - exp(out) sum_j grad[j]",
     .cost = softmax_cost,
     .samples = kernel_samples,
     .variants = kOut,
     .out = {.refusal = out_refusal::kStructured},
     .not_finite = kLogSoftmaxNotFinite,
     .dtypes = {.kernel = "log_softmax_kernel_impl"}},
    {.schema = "aten::_softmax_backward_data(Tensor grad_output, Tensor output, int dim, ScalarType input_dtype) -> "
               "Tensor",
     .summary = "Gradient of softmax from its result.",
     .formula = "out[i] = output[i] (grad[i] - sum_j grad[j] output[j])",
     .infer = inferring<infer_softmax_backward>,
     .kernel = filling<softmax_backward_kernel<false>>,
     .derivative = {softmax_double_gradient,
                    {save_argument("grad_output", "output"), save_argument("output")},
                    "SoftmaxBackwardDataBackward0"},
     .gradient = "grad_output: output (grad - sum_j grad[j] output[j])\n"
                 "output: grad (grad_output - sum_j grad_output[j] output[j]) - grad_output sum_j grad[j] output[j]",
     .samples = backward_samples,
     .variants = kOut,
     .out = {.names = "grad_input", .refusal = out_refusal::kStructured},
     .dtypes = {.kernel = "softmax_backward_lastdim_kernel_impl"}},
    {
        .schema =
            "aten::_log_softmax_backward_data(Tensor grad_output, Tensor output, int dim, ScalarType input_dtype) -> "
            "Tensor",
        .summary = "Gradient of log_softmax from its result.",
        .formula = "out[i] = grad[i] - exp(output[i]) sum_j grad[j]",
        .infer = inferring<infer_softmax_backward>,
        .kernel = filling<softmax_backward_kernel<true>>,
        .derivative = {log_softmax_double_gradient,
                       {save_argument("grad_output", "output"), save_argument("output")},
                       "LogSoftmaxBackwardDataBackward0"},
        .gradient = "grad_output: grad - sum_j grad[j] exp(output[j])\noutput: -grad exp(output) sum_j grad_output[j]",
        .samples = backward_samples,
        .variants = kOut,
        .out = {.refusal = out_refusal::kStructured},
    },
    {
        .schema = "aten::softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor",
        .summary = "Exponentials along a dimension, scaled to sum to one.",
        .formula = "out[i] = exp(self[i]) / sum_j exp(self[j])",
        .composite = boxed<softmax>,
        .gradient = "self: out (grad - sum_j grad[j] out[j])",
        .samples = samples,
        .variants = kOut,
        .out = {.overload = "int_out", .refusal = out_refusal::kStructured},
        .autocast = {.cuda = Autocast::Float32Result},
        .not_finite = kSoftmaxNotFinite,
    },
    {
        .schema = "aten::log_softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor",
        .summary = "The logarithm of softmax along a dimension.",
        .formula = "out[i] = self[i] - log sum_j exp(self[j])",
        .composite = boxed<log_softmax>,
        .gradient = "self: grad - exp(out) sum_j grad[j]",
        .samples = samples,
        .variants = kOut,
        .out = {.overload = "int_out", .refusal = out_refusal::kStructured},
        .autocast = {.cuda = Autocast::Float32Result},
        .not_finite = kLogSoftmaxNotFinite,
    },
    {
        .schema = "aten::special_softmax(Tensor self, int dim, ScalarType? dtype=None) -> Tensor",
        .summary = "The same as softmax.",
        .composite = boxed<softmax>,
        .samples = samples,
    },
    {
        .schema = "aten::special_log_softmax(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor",
        .summary = "The same as log_softmax.",
        .composite = boxed<log_softmax>,
        .samples = samples,
    },
};

}  // namespace

std::span<const OperatorRecord> nn_ops::softmax_records() { return kRecords; }

}  // namespace loupe
