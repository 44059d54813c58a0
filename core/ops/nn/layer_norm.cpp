// SPDX-License-Identifier: Apache-2.0
// layer_norm: per sample, over its last dimensions.
#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/parallel.h"
#include "core/kernels/row_loop.h"
#include "core/ops/nn/common.h"
#include "core/ops/nn/composed_gradient.h"
#include "core/ops/nn/family.h"
#include "core/ops/nn/simd.h"

namespace loupe {
namespace {

using namespace nn_ops;

struct Rows {
    std::int64_t count = 1;
    std::int64_t length = 1;
    std::int64_t dims = 1;  // dimensions of a row
};

Rows check_layer_norm(const Tensor& input, const Dims& normalized_shape, const Tensor& weight, const Tensor& bias) {
    const std::size_t normalized = normalized_shape.size();
    const std::string shape = shape_list_text(span_of(normalized_shape));
    require(normalized >= 1,
            "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element, but got "
            "normalized_shape = ",
            shape);
    const auto check_parameter = [&](const Tensor& t, const char* name) {
        if (!t.defined()) return;
        require(std::equal(t.sizes().begin(), t.sizes().end(), normalized_shape.begin(), normalized_shape.end()),
                "Expected ", name, " to be of same shape as normalized_shape, but got ", name, " of shape ",
                shape_list_text(t.sizes()), " and normalized_shape = ", shape);
    };
    check_parameter(weight, "weight");
    check_parameter(bias, "bias");
    const IntSpan sizes = input.sizes();
    const bool fits = sizes.size() >= normalized && std::equal(normalized_shape.begin(), normalized_shape.end(),
                                                               sizes.end() - static_cast<std::ptrdiff_t>(normalized));
    require(fits, "Given normalized_shape=", shape, ", expected input with shape [*, ", join(normalized_shape, ", "),
            "], but got input of size", shape_list_text(sizes));
    Rows rows;
    rows.dims = static_cast<std::int64_t>(normalized);
    for (std::size_t d = 0; d < sizes.size(); ++d)
        (d + normalized < sizes.size() ? rows.count : rows.length) *= sizes[d];
    return rows;
}

// All in bfloat16: then the moments are given in it too.
bool has_narrow_moments(const Tensor& input, const Tensor& weight, const Tensor& bias) {
    const auto fits = [](const Tensor& t) { return !t.defined() || t.dtype() == ScalarType::BFloat16; };
    return input.dtype() == ScalarType::BFloat16 && fits(weight) && fits(bias);
}

MetaList infer_native_layer_norm(const Tensor& input, const Dims& normalized_shape, const Tensor& weight,
                                 const Tensor& bias, double) {
    check_layer_norm(input, normalized_shape, weight, bias);
    require(is_floating(input.dtype()), "\"LayerNormKernelImpl\" not implemented for '",
            dtype_graph_name(input.dtype()), "'");
    const ScalarType kept = has_narrow_moments(input, weight, bias) ? input.dtype() : compute_dtype(input.dtype());
    TensorMeta stats{to_dims(input.sizes()), kept, input.device()};
    std::fill(stats.sizes.end() - static_cast<std::ptrdiff_t>(normalized_shape.size()), stats.sizes.end(), 1);
    return {TensorMeta{to_dims(input.sizes()), input.dtype(), input.device()}, stats, stats};
}

template <typename T>
LOUPE_INLINE inline void scale_row(const T* x, const T* w, const T* b, T* y, std::int64_t n, T scale, T shift) {
    if (w != nullptr && b != nullptr) {
#pragma omp simd
        for (std::int64_t i = 0; i < n; ++i) y[i] = (x[i] * scale + shift) * w[i] + b[i];
    } else if (w == nullptr && b == nullptr) {
#pragma omp simd
        for (std::int64_t i = 0; i < n; ++i) y[i] = x[i] * scale + shift;
    } else if (w != nullptr) {
#pragma omp simd
        for (std::int64_t i = 0; i < n; ++i) y[i] = (x[i] * scale + shift) * w[i];
    } else {
#pragma omp simd
        for (std::int64_t i = 0; i < n; ++i) y[i] = (x[i] * scale + shift) + b[i];
    }
}

template <typename T>
LOUPE_INLINE inline void normalize_row(const T* x, const T* w, const T* b, T* y, std::int64_t n, double eps,
                                       T& mean_out, T& rstd_out) {
    T sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::int64_t i = 0; i < n; ++i) sum += x[i];
    const T mean = sum / static_cast<T>(n);
    T squares = 0;
#pragma omp simd reduction(+ : squares)
    for (std::int64_t i = 0; i < n; ++i) squares += (x[i] - mean) * (x[i] - mean);
    const T rstd = T(1) / std::sqrt(squares / static_cast<T>(n) + static_cast<T>(eps));
    mean_out = mean;
    rstd_out = rstd;
    scale_row(x, w, b, y, n, rstd, -rstd * mean);
}

// Sums of four rows at once: short rows are bound by latency. Strides in elements.
constexpr std::int64_t kShortRow = 512;
template <typename T>
LOUPE_INLINE inline void moments_of_four_rows(const T* x, std::int64_t stride, std::int64_t n, double eps, T* means,
                                              T* scales) {
    const T *x0 = x, *x1 = x + stride, *x2 = x1 + stride, *x3 = x2 + stride;
    T s0 = 0, s1 = 0, s2 = 0, s3 = 0;
#pragma omp simd reduction(+ : s0, s1, s2, s3)
    for (std::int64_t i = 0; i < n; ++i) {
        s0 += x0[i];
        s1 += x1[i];
        s2 += x2[i];
        s3 += x3[i];
    }
    const auto count = static_cast<T>(n);
    const T m0 = s0 / count, m1 = s1 / count, m2 = s2 / count, m3 = s3 / count;
    T q0 = 0, q1 = 0, q2 = 0, q3 = 0;
#pragma omp simd reduction(+ : q0, q1, q2, q3)
    for (std::int64_t i = 0; i < n; ++i) {
        q0 += (x0[i] - m0) * (x0[i] - m0);
        q1 += (x1[i] - m1) * (x1[i] - m1);
        q2 += (x2[i] - m2) * (x2[i] - m2);
        q3 += (x3[i] - m3) * (x3[i] - m3);
    }
    const std::array<T, 4> mean{m0, m1, m2, m3}, squares{q0, q1, q2, q3};
    for (std::size_t k = 0; k < 4; ++k) {
        means[k] = mean[k];
        scales[k] = T(1) / std::sqrt(squares[k] / count + static_cast<T>(eps));
    }
}

// Rows of elements and, for each, mean and 1 / std; strides in elements.
template <typename T>
struct NormalizedRows {
    const T* x;
    T *y, *mean, *rstd;
    std::int64_t x_stride, y_stride, mean_stride, rstd_stride;
};
template <typename T>
void normalize_rows(const NormalizedRows<T>& a, const T* w, const T* b, std::int64_t rows, std::int64_t n, double eps) {
    with_best_instructions([&]() LOUPE_INLINE {
        std::int64_t r = 0;
        for (; n <= kShortRow && r + 4 <= rows; r += 4) {
            T means[4], scales[4];
            moments_of_four_rows(a.x + r * a.x_stride, a.x_stride, n, eps, means, scales);
            for (std::int64_t k = 0; k < 4; ++k) {
                a.mean[(r + k) * a.mean_stride] = means[k];
                a.rstd[(r + k) * a.rstd_stride] = scales[k];
                scale_row(a.x + (r + k) * a.x_stride, w, b, a.y + (r + k) * a.y_stride, n, scales[k],
                          -scales[k] * means[k]);
            }
        }
        for (; r < rows; ++r) {
            normalize_row(a.x + r * a.x_stride, w, b, a.y + r * a.y_stride, n, eps, a.mean[r * a.mean_stride],
                          a.rstd[r * a.rstd_stride]);
        }
    });
}

// Rows of y, mean and rstd from rows of x and, as the numbers say, weight and bias. numbers: eps, has weight, has bias.
template <typename T>
void layer_norm_rows(const RowParams& params, void* const* arrays, const std::int64_t* strides, std::int64_t rows,
                     std::int64_t n) {
    const auto array = [&](std::size_t i) { return static_cast<T*>(arrays[i]); };
    const auto stride = [&](std::size_t i) { return strides[i] / static_cast<std::int64_t>(sizeof(T)); };
    const bool has_weight = params.numbers[1] != 0, has_bias = params.numbers[2] != 0;
    normalize_rows<T>({array(3), array(0), array(1), array(2), stride(3), stride(0), stride(1), stride(2)},
                      has_weight ? array(4) : nullptr, has_bias ? array(has_weight ? 5 : 4) : nullptr, rows, n,
                      params.numbers[0]);
}

void native_layer_norm(const Tensor& out, const Tensor& mean, const Tensor& rstd, const Tensor& input,
                       const Dims& normalized_shape, const Tensor& weight, const Tensor& bias, double eps) {
    const Rows rows = check_layer_norm(input, normalized_shape, weight, bias);
    visit_floating(input.dtype(), "layer_norm", [&]<typename T>(std::type_identity<T>) {
        constexpr ScalarType kType = scalar_type_of<T>;
        const RowLoop loop{"LayerNorm", &layer_norm_rows<T>,
                           rows.dims,   {eps, weight.defined() ? 1.0 : 0.0, bias.defined() ? 1.0 : 0.0},
                           nullptr,     0};
        boost::container::small_vector<LoopOperand, 6> operands;
        for (const Tensor& t : {out, mean, rstd, input, weight, bias}) {
            if (t.defined()) operands.emplace_back(t, kType);
        }
        const RowLoopScope recorded(loop, {operands.data(), operands.size()}, 3);
        if (recorded.is_dry()) return;
        const Tensor x = packed_as(input, kType);
        const Tensor weights = packed_as(weight, kType);
        const Tensor biases = packed_as(bias, kType);
        const T* w = weights.defined() ? weights.data<T>() : nullptr;
        const T* b = biases.defined() ? biases.data<T>() : nullptr;
        const auto in_type = [&](const Tensor& t) { return t.dtype() == kType ? t : empty(t.sizes(), kType); };
        const Tensor y = out.dtype() == kType ? buffer_for(out) : empty(out.sizes(), kType);
        const Tensor means = in_type(mean), scales = in_type(rstd);
        const std::int64_t n = rows.length;
        parallel_for(0, rows.count, std::max<std::int64_t>(1, 16384 / std::max<std::int64_t>(1, n)),
                     [&](std::int64_t begin, std::int64_t end) {
                         normalize_rows<T>({x.data<T>() + begin * n, y.data<T>() + begin * n, means.data<T>() + begin,
                                            scales.data<T>() + begin, n, n, 1, 1},
                                           w, b, end - begin, n, eps);
                     });
        if (!means.is_same(mean)) convert_into(mean, means);
        if (!scales.is_same(rstd)) convert_into(rstd, scales);
        if (!y.is_same(out)) convert_into(out, y);
    });
}

// ---- backward

template <typename T>
LOUPE_INLINE inline void gradient_row(const T* g, const T* x, const T* w, T mean, T rstd, T* out, std::int64_t n) {
    T sum = 0;
    T dot = 0;
    if (w != nullptr) {
#pragma omp simd reduction(+ : sum, dot)
        for (std::int64_t i = 0; i < n; ++i) {
            const T gw = g[i] * w[i];
            sum += gw;
            dot += gw * (x[i] - mean);
        }
    } else {
#pragma omp simd reduction(+ : sum, dot)
        for (std::int64_t i = 0; i < n; ++i) {
            sum += g[i];
            dot += g[i] * (x[i] - mean);
        }
    }
    const T shift = sum / static_cast<T>(n);
    const T slope = dot * rstd * rstd / static_cast<T>(n);
    if (w != nullptr) {
#pragma omp simd
        for (std::int64_t i = 0; i < n; ++i) out[i] = (g[i] * w[i] - shift - (x[i] - mean) * slope) * rstd;
    } else {
#pragma omp simd
        for (std::int64_t i = 0; i < n; ++i) out[i] = (g[i] - shift - (x[i] - mean) * slope) * rstd;
    }
}

// With statistics and sums rounded to bfloat16, terms do not cancel exactly: the steps are PyTorch's, in its order.
void gradient_row_in_steps(const float* g, const float* x, const float* w, float mean, float rstd, float* out,
                           std::int64_t n) {
    float ds = 0, db = 0;
    for (std::int64_t i = 0; i < n; ++i) {
        const float weight = w == nullptr ? 1 : w[i];
        ds += g[i] * x[i] * weight;
        db += g[i] * weight;
    }
    const auto rounded = [](float value) { return static_cast<float>(BFloat16(value)); };
    ds = rounded(ds);
    db = rounded(db);
    const float scale = 1 / static_cast<float>(n);
    const float slope = (db * mean - ds) * rstd * rstd * rstd * scale;
    const float shift = -slope * mean - db * rstd * scale;
    for (std::int64_t i = 0; i < n; ++i) out[i] = rstd * g[i] * (w == nullptr ? 1 : w[i]) + slope * x[i] + shift;
}

// The requested gradients: the last outputs accumulate, row by row.
struct Wanted {
    bool input = false;
    bool weight = false;
    bool bias = false;

    explicit Wanted(const std::vector<bool>& mask) : input(mask[0]), weight(mask[1]), bias(mask[2]) {}
    std::size_t sums() const { return (weight ? 1U : 0U) + (bias ? 1U : 0U); }
    std::size_t outputs() const { return (input ? 1U : 0U) + sums(); }
};

template <typename T>
LOUPE_INLINE inline void add_parameter_sums(const T* g, const T* x, T mean, T rstd, T* weight, T* bias,
                                            std::int64_t n) {
    if (weight != nullptr && bias != nullptr) {
#pragma omp simd
        for (std::int64_t i = 0; i < n; ++i) {
            weight[i] += g[i] * (x[i] - mean) * rstd;
            bias[i] += g[i];
        }
        return;
    }
    if (weight != nullptr) {
#pragma omp simd
        for (std::int64_t i = 0; i < n; ++i) weight[i] += g[i] * (x[i] - mean) * rstd;
    }
    if (bias != nullptr) {
#pragma omp simd
        for (std::int64_t i = 0; i < n; ++i) bias[i] += g[i];
    }
}

// A row of the input's gradient while the row is in the cache for the sums of weight and bias. Pointers may be null;
// out may be g.
template <typename T>
LOUPE_INLINE inline void backward_row(const T* g, const T* x, const T* w, T mean, T rstd, T* out, T* weight, T* bias,
                                      std::int64_t n, bool in_steps) {
    add_parameter_sums(g, x, mean, rstd, weight, bias, n);
    if (out != nullptr) {
        if constexpr (std::is_same_v<T, float>) {
            if (in_steps)
                gradient_row_in_steps(g, x, w, mean, rstd, out, n);
            else
                gradient_row(g, x, w, mean, rstd, out, n);
        } else {
            gradient_row(g, x, w, mean, rstd, out, n);
        }
    }
}

// numbers: whether gradients of input, weight and bias are needed, has weight, in steps. Inputs: g, x, mean, rstd,
// weight, and a bias that is not read.
template <typename T>
void layer_norm_backward_rows(const RowParams& params, void* const* arrays, const std::int64_t* strides,
                              std::int64_t rows, std::int64_t n) {
    const Wanted wanted({params.numbers[0] != 0, params.numbers[1] != 0, params.numbers[2] != 0});
    const std::size_t first = wanted.outputs();
    const auto at = [&](std::size_t i, std::int64_t row) {
        return reinterpret_cast<T*>(static_cast<std::byte*>(arrays[i]) + row * strides[i]);
    };
    T* const weight = wanted.weight ? at(wanted.input ? 1 : 0, 0) : nullptr;
    T* const bias = wanted.bias ? at(first - 1, 0) : nullptr;
    with_best_instructions([&]() LOUPE_INLINE {
        for (std::int64_t r = 0; r < rows; ++r) {
            backward_row<T>(at(first, r), at(first + 1, r), params.numbers[3] != 0 ? at(first + 4, r) : nullptr,
                            *at(first + 2, r), *at(first + 3, r), wanted.input ? at(0, r) : nullptr, weight, bias, n,
                            params.numbers[4] != 0);
        }
    });
}

Rows check_backward(Arguments arguments, const std::vector<bool>& mask) {
    require(mask.size() == 3, "output_mask must have 3 elements, but got ", mask.size());
    const Tensor input = arguments[1].to_tensor();
    const Rows rows = check_layer_norm(input, arguments[2].to_ints(), arguments[5].to_tensor(), Tensor());
    require_sizes(arguments[0].to_tensor(), input.sizes(), "grad_out");
    for (const std::size_t i : std::array<std::size_t, 2>{3, 4}) {
        require(arguments[i].to_tensor().numel() == rows.count, "Expected ", i == 3 ? "mean" : "rstd", " of ",
                rows.count, " elements, but got ", shape_list_text(arguments[i].to_tensor().sizes()));
    }
    return rows;
}

// Gradients that are not requested have no elements.
void infer_native_layer_norm_backward(Arguments arguments, MetaList& outputs) {
    const std::vector<bool> mask = arguments[7].to_bools();
    check_backward(arguments, mask);
    const Tensor input = arguments[1].to_tensor();
    const Tensor weight = arguments[5].to_tensor();
    const ScalarType parameter = weight.defined() ? weight.dtype() : input.dtype();
    const Dims none{0};
    outputs.push_back({mask[0] ? to_dims(input.sizes()) : none, input.dtype(), input.device()});
    outputs.push_back({mask[1] ? arguments[2].to_ints() : none, parameter, input.device()});
    outputs.push_back({mask[2] ? arguments[2].to_ints() : none, parameter, input.device()});
}

// The results there are; each part sums its rows, and the parts are added in order.
template <typename T>
void compute_backward(Arguments arguments, const Wanted& wanted, const Rows& rows, bool in_steps,
                      const TensorList& outputs) {
    constexpr ScalarType kType = scalar_type_of<T>;
    const auto input = [&](std::size_t i) { return packed_as(arguments[i].to_tensor(), kType); };
    const Tensor g = input(0), x = input(1), mean = input(3), rstd = input(4), w = input(5);
    const std::int64_t n = rows.length;
    const Tensor out =
        !wanted.input ? Tensor() : (outputs[0].dtype() == kType ? outputs[0] : empty(outputs[0].sizes(), kType));
    const std::int64_t parts = row_parts(rows.count, n);
    const auto sums = static_cast<std::int64_t>(wanted.sums());
    const Tensor partial = zeros(span_of(Dims{parts, std::max<std::int64_t>(sums, 1), n}), kType);
    parallel_for(0, parts, 1, [&](std::int64_t begin, std::int64_t end) {
        with_best_instructions([&]() LOUPE_INLINE {
            for (std::int64_t part = begin; part < end; ++part) {
                T* const to = partial.data<T>() + part * sums * n;
                for (std::int64_t r = part * rows.count / parts; r < (part + 1) * rows.count / parts; ++r) {
                    backward_row<T>(g.data<T>() + r * n, x.data<T>() + r * n, w.defined() ? w.data<T>() : nullptr,
                                    mean.data<T>()[r], rstd.data<T>()[r],
                                    out.defined() ? out.data<T>() + r * n : nullptr, wanted.weight ? to : nullptr,
                                    wanted.bias ? to + (sums - 1) * n : nullptr, n, in_steps);
                }
            }
        });
    });
    if (out.defined() && !out.is_same(outputs[0])) convert_into(outputs[0], out);
    T* const total = partial.data<T>();
    for (std::int64_t part = 1; part < parts; ++part) {
        for (std::int64_t i = 0; i < sums * n; ++i) total[i] += total[part * sums * n + i];
    }
    for (std::int64_t s = 0; s < sums; ++s) {
        const Tensor sum = empty(outputs.back().sizes(), kType);
        std::copy_n(total + s * n, n, sum.data<T>());
        convert_into(outputs[outputs.size() - static_cast<std::size_t>(sums - s)], sum);
    }
}

void run_native_layer_norm_backward(Arguments arguments, IValue* results) {
    const std::vector<bool> mask = arguments[7].to_bools();
    const Rows rows = check_backward(arguments, mask);
    const Tensor input = arguments[1].to_tensor();
    const Wanted wanted(mask);
    MetaList metas;
    infer_native_layer_norm_backward(arguments, metas);
    TensorList outputs;
    for (std::size_t i = 0; i < metas.size(); ++i) {
        if (!mask[i]) continue;
        outputs.push_back(empty(span_of(metas[i].sizes), metas[i].dtype));
        results[i] = outputs.back();
    }
    if (outputs.empty()) return;
    visit_floating(input.dtype(), "layer_norm_backward", [&]<typename T>(std::type_identity<T>) {
        constexpr ScalarType kType = scalar_type_of<T>;
        const bool in_steps =
            input.dtype() == ScalarType::BFloat16 && arguments[3].to_tensor().dtype() == ScalarType::BFloat16;
        const auto number = [](bool is_set) { return is_set ? 1.0 : 0.0; };
        const RowLoop loop{in_steps ? "LayerNormBackwardInSteps" : "LayerNormBackward",
                           &layer_norm_backward_rows<T>,
                           rows.dims,
                           {number(wanted.input), number(wanted.weight), number(wanted.bias),
                            number(arguments[5].to_tensor().defined()), number(in_steps)},
                           nullptr,
                           wanted.sums()};
        std::vector<LoopOperand> operands;
        for (const Tensor& output : outputs) operands.emplace_back(output, kType);
        for (const std::size_t i : std::array<std::size_t, 6>{0, 1, 3, 4, 5, 6}) {
            if (arguments[i].to_tensor().defined()) operands.emplace_back(*arguments[i].tensor_impl(), kType);
        }
        const RowLoopScope recorded(loop, operands, outputs.size());
        if (recorded.is_dry()) return;
        compute_backward<T>(arguments, wanted, rows, in_steps, outputs);
    });
}

void native_layer_norm_gradient(GradientContext& c) {
    const auto [grad_input, grad_weight, grad_bias] = fn::native_layer_norm_backward(
        c.grad_output(), c.argument("input"), c.value("normalized_shape"), c.result(1), c.result(2),
        c.argument("weight"), c.argument("bias"), bool_list({c.needs("input"), c.needs("weight"), c.needs("bias")}));
    if (c.needs("input")) c.set_grad("input", grad_input);
    if (c.needs("weight")) c.set_grad("weight", grad_weight);
    if (c.needs("bias")) c.set_grad("bias", grad_bias);
}

// The backward formula with operators, of (grad_out, input, weight); 1 / rstd^2 is var + eps.
TensorList composed_backward(const TensorList& in, std::int64_t normalized, const Tensor& mean_value,
                             const Tensor& rstd_value) {
    const Tensor& g = in[0];
    const Tensor& x = in[1];
    Dims inner;
    Dims outer;
    for (std::int64_t d = 0; d < x.dim(); ++d) (d < x.dim() - normalized ? outer : inner).push_back(d);
    const Tensor centered = fn::sub(x, fn::mean_dim(x, inner, true));
    const Tensor variance = fn::mean_dim(fn::mul(centered, centered), inner, true);
    // eps as a constant, from the saved 1 / std.
    const Tensor fixed = fn::sub(x, mean_value);
    const Tensor eps =
        fn::detach(fn::sub(fn::pow_scalar(rstd_value, Scalar(-2.0)), fn::mean_dim(fn::mul(fixed, fixed), inner, true)));
    const Tensor rstd = fn::rsqrt(fn::add(variance, eps));
    const Tensor normal = fn::mul(centered, rstd);
    const Tensor gw = in[2].defined() ? fn::mul(g, in[2]) : g;
    const Tensor shift = fn::mean_dim(gw, inner, true);
    const Tensor slope = fn::mean_dim(fn::mul(gw, normal), inner, true);
    const Tensor grad_input = fn::mul(fn::sub(fn::sub(gw, shift), fn::mul(normal, slope)), rstd);
    const auto over_rows = [&](const Tensor& t) { return outer.empty() ? t : fn::sum_dim(t, outer, false); };
    return {grad_input, over_rows(fn::mul(g, normal)), over_rows(g)};
}

void native_layer_norm_double_gradient(GradientContext& c) {
    const auto normalized = static_cast<std::int64_t>(c.value("normalized_shape").to_ints().size());
    const Tensor mean = c.argument("mean");
    const Tensor rstd = c.argument("rstd");
    set_composed_gradients(c, [&](const TensorList& in) { return composed_backward(in, normalized, mean, rstd); },
                           {"grad_out", "input", "weight"}, {c.grad_output(0), c.grad_output(1), c.grad_output(2)});
}

Tensor layer_norm(const Tensor& input, const Dims& normalized_shape, const Tensor& weight, const Tensor& bias,
                  double eps, bool) {
    return std::get<0>(fn::native_layer_norm(input, normalized_shape, weight, bias, eps));
}

std::vector<Sample> native_samples(Random& random, ScalarType dtype) {
    const auto t = [&](std::initializer_list<std::int64_t> sizes) { return random_tensor(random, sizes, dtype); };
    return {{{t({2, 3, 4}), Dims{4}, t({4}), t({4}), 1e-5}},
            {{t({2, 3, 4}), Dims{3, 4}, IValue(), IValue(), 1e-3}, "two dimensions, no weight"}};
}
std::vector<Sample> samples(Random& random, ScalarType dtype) {
    auto all = native_samples(random, dtype);
    for (Sample& sample : all) sample.arguments.emplace_back(true);
    return all;
}

Cost layer_norm_cost(Arguments arguments, std::span<const IValue>) {
    const Tensor x = arguments[0].to_tensor();
    return {8 * static_cast<double>(x.numel()), 2 * static_cast<double>(x.bytes())};
}

constexpr std::string_view kFormula =
    "out = (input - mean) / sqrt(var + eps) weight + bias, mean and var over the last dimensions";

constexpr std::string_view kNormalised =
    "input: (g - mean(g) - y mean(g y)) / std, g = grad weight, y = (input - mean) / std\n"
    "weight: sum of grad (input - mean) / std\n"
    "bias: sum of grad";

using In = NotFiniteNote::In;
using When = NotFiniteNote::When;
constexpr NotFiniteNote kLayerNormNotFinite[] = {
    {In::Either, When::Always, 0, "a layer_norm whose sums leave the range, or of equal elements with eps 0",
     "give it an eps above 0, in float32"},
};

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::native_layer_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight, Tensor? bias, "
               "float eps) -> "
               "(Tensor, "
               "Tensor, Tensor)",
     .summary = "Scales the last dimensions of each sample to zero mean and unit variance; gives mean and 1/std too.",
     .formula = kFormula,
     .infer = inferring<infer_native_layer_norm>,
     .kernel = filling<native_layer_norm, 3>,
     .derivative = {native_layer_norm_gradient,
                    {save_argument("input"), save_argument("weight"), save_argument("bias"), save_result(1),
                     save_result(2)}},
     .gradient = kNormalised,
     .cost = layer_norm_cost,
     .samples = native_samples,
     .variants = kOut,
     .constant_results = 0b110,
     .autocast = {.cuda = Autocast::Float32},
     .not_finite = kLayerNormNotFinite,
     .dtypes = {.kernel = "LayerNormKernelImpl"}},
    {
        .schema =
            "aten::native_layer_norm_backward(Tensor grad_out, Tensor input, SymInt[] normalized_shape, Tensor mean, "
            "Tensor rstd, "
            "Tensor? weight, Tensor? bias, bool[3] output_mask) -> (Tensor, Tensor, Tensor)",
        .summary = "Gradients of layer_norm for input, weight and bias.",
        .formula = "out0 = (g - mean(g) - y mean(g y)) / std, g = grad_out weight; out1 = sum grad_out y; out2 = sum "
                   "grad_out",
        .results_from = ResultsFrom::Metadata,
        .infer = infer_native_layer_norm_backward,
        .kernel = run_native_layer_norm_backward,
        .derivative = {native_layer_norm_double_gradient,
                       {save_argument("grad_out"), save_argument("input"), save_argument("mean"), save_argument("rstd"),
                        save_argument("weight")}},
        .gradient = "grad_out: weight times the same map of grad0, plus y grad1 + grad2\n"
                    "input: derivative of the three sums above\n"
                    "weight: sum of grad_out times the same map of grad0",
        .variants = kOut,
    },
    {
        .schema =
            "aten::layer_norm(Tensor input, int[] normalized_shape, Tensor? weight=None, Tensor? bias=None, float "
            "eps=1.0000000000000001e-05, bool cudnn_enable=True) -> Tensor",
        .summary = "Scales the last dimensions of each sample to zero mean and unit variance.",
        .formula = kFormula,
        .composite = boxed<layer_norm>,
        .gradient = kNormalised,
        .cost = layer_norm_cost,
        .samples = samples,
        .autocast = {.cuda = Autocast::Float32},
        .not_finite = kLayerNormNotFinite,
    },
};

}  // namespace

std::span<const OperatorRecord> nn_ops::layer_norm_records() { return kRecords; }

}  // namespace loupe
