// SPDX-License-Identifier: Apache-2.0
// group_norm: per sample, over groups of channels.
#include <algorithm>
#include <cmath>

#include "core/base/parallel.h"
#include "core/kernels/arithmetic.h"
#include "core/ops/nn/common.h"
#include "core/ops/nn/composed_gradient.h"
#include "core/ops/nn/family.h"
#include "core/ops/nn/simd.h"

namespace loupe {
namespace {

using namespace nn_ops;

struct Shape {
    std::int64_t batch;
    std::int64_t channels;
    std::int64_t pixels;
    std::int64_t groups;

    std::int64_t group_channels() const { return channels / groups; }
    std::int64_t group_elements() const { return group_channels() * pixels; }
};

void check_group_norm(const Tensor& input, std::int64_t groups, const Tensor& weight, const Tensor& bias) {
    require(input.dim() >= 2, "Expected at least 2 dimensions for input tensor but received ", input.dim());
    const std::int64_t channels = input.size(1);
    const std::string shape = shape_list_text(input.sizes());
    require(groups > 0, "Expected num groups to be greater than 0, got ", groups);
    require(channels % groups == 0,
            "Expected number of channels in input to be divisible by num_groups, but got input of shape ", shape,
            " and num_groups=", groups);
    const auto check = [&](const Tensor& t, const char* name) {
        require(!t.defined() || (t.dim() == 1 && t.numel() == channels), "Expected ", name,
                " to be a vector of size equal to the number of channels in input, but got ", name, " of shape ",
                t.defined() ? shape_list_text(t.sizes()) : "", " and input of shape ", shape);
    };
    check(weight, "weight");
    check(bias, "bias");
}

// All in bfloat16: then the moments are too.
bool has_narrow_moments(const Tensor& input, const Tensor& weight, const Tensor& bias) {
    const auto fits = [](const Tensor& t) { return !t.defined() || t.dtype() == ScalarType::BFloat16; };
    return input.dtype() == ScalarType::BFloat16 && fits(weight) && fits(bias);
}

// Sizes passed beside the input must match it.
void check_extents(const Tensor& input, const Shape& s) {
    const std::int64_t batch = input.size(0);
    const std::int64_t channels = input.size(1);
    require(s.batch == batch && s.channels == channels &&
                s.pixels == input.numel() / std::max<std::int64_t>(1, batch * channels),
            "Expected N, C and HxW of an input of shape ", shape_list_text(input.sizes()), ", but got ", s.batch, ", ",
            s.channels, " and ", s.pixels);
}

MetaList infer_native_group_norm(const Tensor& input, const Tensor& weight, const Tensor& bias, std::int64_t batch,
                                 std::int64_t channels, std::int64_t pixels, std::int64_t groups, double) {
    check_group_norm(input, groups, weight, bias);
    check_extents(input, {batch, channels, pixels, groups});
    require(is_floating(input.dtype()), "\"GroupNormKernelImpl\" not implemented for '",
            dtype_graph_name(input.dtype()), "'");
    const ScalarType kept = has_narrow_moments(input, weight, bias) ? input.dtype() : compute_dtype(input.dtype());
    const TensorMeta stats{{batch, groups}, kept, input.device()};
    return {follow_layout(to_dims(input.sizes()), input), stats, stats};
}

template <typename T>
LOUPE_INLINE inline void moments(const T* x, std::int64_t n, double eps, T& mean_out, T& rstd_out) {
    T sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::int64_t i = 0; i < n; ++i) sum += x[i];
    const T mean = sum / static_cast<T>(n);
    T squares = 0;
#pragma omp simd reduction(+ : squares)
    for (std::int64_t i = 0; i < n; ++i) squares += (x[i] - mean) * (x[i] - mean);
    mean_out = mean;
    rstd_out = T(1) / std::sqrt(squares / static_cast<T>(n) + static_cast<T>(eps));
}

// sums[c]: of term(x, c) over all pixels, four of them at a time.
template <typename T, typename Term>
LOUPE_INLINE inline void sum_over_pixels(const Shape& s, const T* x, std::vector<double>& sums, const Term& term) {
    double* sum = sums.data();
    std::fill(sums.begin(), sums.end(), 0.0);
    const std::int64_t channels = s.channels;
    std::int64_t p = 0;
    for (; p + 4 <= s.pixels; p += 4, x += 4 * channels) {
#pragma omp simd
        for (std::int64_t c = 0; c < channels; ++c) {
            sum[c] += (term(x[c], c) + term(x[channels + c], c)) +
                      (term(x[2 * channels + c], c) + term(x[3 * channels + c], c));
        }
    }
    for (; p < s.pixels; ++p, x += channels) {
        for (std::int64_t c = 0; c < channels; ++c) sum[c] += term(x[c], c);
    }
}

// One sample, pixel by pixel with the channels beside each other. sums: room for a number a channel.
template <typename T>
LOUPE_INLINE inline void pixel_moments(const Shape& s, const T* x, std::vector<double>& sums, double eps, T* mean,
                                       T* rstd) {
    const auto total_of = [&](std::int64_t group) LOUPE_INLINE {
        double total = 0;
        for (std::int64_t c = group * s.group_channels(); c < (group + 1) * s.group_channels(); ++c)
            total += sums[static_cast<std::size_t>(c)];
        return total / static_cast<double>(s.group_elements());
    };
    sum_over_pixels(s, x, sums, [](T value, std::int64_t) LOUPE_INLINE { return static_cast<double>(value); });
    std::vector<double> centre(sums.size());
    for (std::int64_t group = 0; group < s.groups; ++group) {
        const double m = total_of(group);
        mean[group] = static_cast<T>(m);
        std::fill_n(centre.begin() + group * s.group_channels(), s.group_channels(), m);
    }
    sum_over_pixels(s, x, sums, [middle = centre.data()](T value, std::int64_t c) LOUPE_INLINE {
        const double d = static_cast<double>(value) - middle[c];
        return d * d;
    });
    for (std::int64_t group = 0; group < s.groups; ++group)
        rstd[group] = static_cast<T>(1 / std::sqrt(total_of(group) + eps));
}

// Input and result with the channels beside each other.
template <typename T>
void group_norm_of_pixels(const Shape& s, const T* x, T* y, T* mean, T* rstd, const T* w, const T* b, double eps) {
    const std::int64_t elements = s.channels * s.pixels;
    parallel_for(0, s.batch, std::max<std::int64_t>(1, 16384 / std::max<std::int64_t>(1, elements)),
                 [&](std::int64_t begin, std::int64_t end) {
                     std::vector<double> sums(static_cast<std::size_t>(s.channels));
                     std::vector<T> scales(sums.size()), shifts(sums.size());
                     with_best_instructions([&]() LOUPE_INLINE {
                         for (std::int64_t n = begin; n < end; ++n) {
                             const T* from = x + n * elements;
                             T* to = y + n * elements;
                             pixel_moments(s, from, sums, eps, mean + n * s.groups, rstd + n * s.groups);
                             T *scale = scales.data(), *shift = shifts.data();
                             for (std::int64_t c = 0; c < s.channels; ++c) {
                                 const std::int64_t group = n * s.groups + c / s.group_channels();
                                 scale[c] = rstd[group] * (w == nullptr ? T(1) : w[c]);
                                 shift[c] = (b == nullptr ? T(0) : b[c]) - mean[group] * scale[c];
                             }
                             for (std::int64_t p = 0; p < s.pixels; ++p) {
#pragma omp simd
                                 for (std::int64_t c = 0; c < s.channels; ++c)
                                     to[p * s.channels + c] = from[p * s.channels + c] * scale[c] + shift[c];
                             }
                         }
                     });
                 });
}

void native_group_norm(const Tensor& out, const Tensor& mean, const Tensor& rstd, const Tensor& input,
                       const Tensor& weight, const Tensor& bias, std::int64_t batch, std::int64_t channels,
                       std::int64_t pixels, std::int64_t groups, double eps) {
    const Shape s{batch, channels, pixels, groups};
    if (has_narrow_moments(input, weight, bias)) {
        const Tensor wide_mean = empty(mean.sizes(), ScalarType::Float32),
                     wide_rstd = empty(rstd.sizes(), ScalarType::Float32);
        native_group_norm(out, wide_mean, wide_rstd, packed_as(input, ScalarType::Float32), weight, bias, batch,
                          channels, pixels, groups, eps);
        convert_into(mean, wide_mean);
        return convert_into(rstd, wide_rstd);
    }
    visit_floating(input.dtype(), "group_norm", [&]<typename T>(std::type_identity<T>) {
        constexpr ScalarType kType = scalar_type_of<T>;
        const Tensor w = packed_as(weight, kType);
        const Tensor b = packed_as(bias, kType);
        if (input.dtype() == kType && prefers_channels_last(input) && prefers_channels_last(out)) {
            return group_norm_of_pixels(s, input.data<T>(), out.data<T>(), mean.data<T>(), rstd.data<T>(),
                                        w.defined() ? w.data<T>() : nullptr, b.defined() ? b.data<T>() : nullptr, eps);
        }
        const Tensor x = packed_as(input, kType);
        const Tensor y = out.dtype() == kType ? buffer_for(out) : empty(out.sizes(), kType);
        const std::int64_t grain = std::max<std::int64_t>(1, 16384 / std::max<std::int64_t>(1, s.group_elements()));
        parallel_for(0, s.batch * s.groups, grain, [&](std::int64_t begin, std::int64_t end) {
            with_best_instructions([&]() LOUPE_INLINE {
                for (std::int64_t i = begin; i < end; ++i) {
                    const T* from = x.data<T>() + i * s.group_elements();
                    T* to = y.data<T>() + i * s.group_elements();
                    moments(from, s.group_elements(), eps, mean.data<T>()[i], rstd.data<T>()[i]);
                    for (std::int64_t d = 0; d < s.group_channels(); ++d) {
                        const std::int64_t c = i % s.groups * s.group_channels() + d;
                        const T scale = rstd.data<T>()[i] * (w.defined() ? w.data<T>()[c] : T(1));
                        const T shift = (b.defined() ? b.data<T>()[c] : T(0)) - mean.data<T>()[i] * scale;
#pragma omp simd
                        for (std::int64_t p = 0; p < s.pixels; ++p)
                            to[d * s.pixels + p] = from[d * s.pixels + p] * scale + shift;
                    }
                }
            });
        });
        if (!y.is_same(out)) convert_into(out, y);
    });
}

// ---- the layer in parts: scale and shift per channel of a sample, for callers that apply and differentiate them

MetaList infer_group_norm_scale(const Tensor& input, const Tensor& weight, const Tensor& bias, std::int64_t groups,
                                double) {
    check_group_norm(input, groups, weight, bias);
    require(is_floating(input.dtype()), "\"GroupNormKernelImpl\" not implemented for '",
            dtype_graph_name(input.dtype()), "'");
    const ScalarType type = compute_dtype(input.dtype());
    TensorMeta channels{to_dims(input.sizes()), type, input.device()};
    std::fill(channels.sizes.begin() + 2, channels.sizes.end(), 1);
    const TensorMeta stats{{input.size(0), groups}, type, input.device()};
    return {channels, channels, stats, stats};
}

void group_norm_scale(const Tensor& scale, const Tensor& shift, const Tensor& mean, const Tensor& rstd,
                      const Tensor& input, const Tensor& weight, const Tensor& bias, std::int64_t groups, double eps) {
    const Shape s{input.size(0), input.size(1),
                  input.numel() / std::max<std::int64_t>(1, input.size(0) * input.size(1)), groups};
    visit_floating(input.dtype(), "group_norm", [&]<typename T>(std::type_identity<T>) {
        const auto all = [](const Tensor& t) { return packed_as(t, scalar_type_of<T>); };
        const Tensor x = all(input), w = all(weight), b = all(bias);
        const std::int64_t grain = std::max<std::int64_t>(1, 16384 / std::max<std::int64_t>(1, s.group_elements()));
        parallel_for(0, s.batch * s.groups, grain, [&](std::int64_t begin, std::int64_t end) {
            with_best_instructions([&]() LOUPE_INLINE {
                for (std::int64_t i = begin; i < end; ++i) {
                    T &m = mean.data<T>()[i], &r = rstd.data<T>()[i];
                    moments(x.data<T>() + i * s.group_elements(), s.group_elements(), eps, m, r);
                    for (std::int64_t d = 0; d < s.group_channels(); ++d) {
                        const std::int64_t c = i % s.groups * s.group_channels() + d, at = i * s.group_channels() + d;
                        scale.data<T>()[at] = r * (w.defined() ? w.data<T>()[c] : T(1));
                        shift.data<T>()[at] = (b.defined() ? b.data<T>()[c] : T(0)) - m * scale.data<T>()[at];
                    }
                }
            });
        });
    });
}

// sums, dots: of the gradient, and of its products with the input, over the pixels of each channel: [N, C, 1, ...].
// count: elements of a group.
MetaList infer_group_norm_gradient_scale(const Tensor& sums, const Tensor& dots, const Tensor& weight,
                                         const Tensor& mean, const Tensor& rstd, std::int64_t) {
    require_sizes(dots, sums.sizes(), "dots");
    require(sums.dim() >= 2 && mean.dim() == 2, "Expected sums of at least 2 dimensions, but got ",
            shape_list_text(sums.sizes()));
    check_group_norm(sums, mean.size(1), weight, Tensor());
    require_sizes(rstd, mean.sizes(), "rstd");
    const TensorMeta channels{to_dims(sums.sizes()), sums.dtype(), sums.device()};
    const TensorMeta parameter{{sums.size(1)}, weight.defined() ? weight.dtype() : sums.dtype(), sums.device()};
    return {channels, channels, channels, parameter, parameter};
}

// grad_input = grad of_grad + input of_input + constant
void group_norm_gradient_scale(const Tensor& of_grad, const Tensor& of_input, const Tensor& constant,
                               const Tensor& grad_weight, const Tensor& grad_bias, const Tensor& sums,
                               const Tensor& dots, const Tensor& weight, const Tensor& mean, const Tensor& rstd,
                               std::int64_t count) {
    visit_floating(sums.dtype(), "group_norm", [&]<typename T>(std::type_identity<T>) {
        constexpr ScalarType kType = scalar_type_of<T>;
        const auto all = [](const Tensor& t) { return packed_as(t, kType); };
        const Tensor s = all(sums), d = all(dots), w = all(weight), m = all(mean), r = all(rstd);
        const std::int64_t channels = sums.size(1), groups = mean.size(1), width = channels / groups;
        const Tensor of_weight = zeros(IntSpan(&channels, 1), kType), of_bias = zeros(IntSpan(&channels, 1), kType);
        const Tensor a = empty(sums.sizes(), kType), b = empty(sums.sizes(), kType), k = empty(sums.sizes(), kType);
        for (std::int64_t i = 0; i < sums.size(0) * groups; ++i) {
            const T middle = m.data<T>()[i], scale = r.data<T>()[i];
            T sum = 0, dot = 0;
            for (std::int64_t j = i * width; j < (i + 1) * width; ++j) {
                const T factor = w.defined() ? w.data<T>()[j % channels] : T(1);
                sum += s.data<T>()[j] * factor;
                dot += d.data<T>()[j] * factor;
                of_weight.data<T>()[j % channels] += (d.data<T>()[j] - s.data<T>()[j] * middle) * scale;
                of_bias.data<T>()[j % channels] += s.data<T>()[j];
            }
            const T of_x = (sum * middle - dot) * scale * scale * scale / static_cast<T>(count);
            for (std::int64_t j = i * width; j < (i + 1) * width; ++j) {
                a.data<T>()[j] = scale * (w.defined() ? w.data<T>()[j % channels] : T(1));
                b.data<T>()[j] = of_x;
                k.data<T>()[j] = -of_x * middle - sum * scale / static_cast<T>(count);
            }
        }
        convert_into(of_grad, a);
        convert_into(of_input, b);
        convert_into(constant, k);
        convert_into(grad_weight, of_weight);
        convert_into(grad_bias, of_bias);
    });
}

// ---- backward

// Sums of g and of g x over the pixels of each channel of each sample.
template <typename T>
void channel_sums(const Shape& s, const T* g, const T* x, T* sums, T* dots) {
    parallel_for(0, s.batch * s.channels, std::max<std::int64_t>(1, 16384 / std::max<std::int64_t>(1, s.pixels)),
                 [&](std::int64_t begin, std::int64_t end) {
                     with_best_instructions([&]() LOUPE_INLINE {
                         for (std::int64_t i = begin; i < end; ++i) {
                             T sum = 0;
                             T dot = 0;
                             const T* gp = g + i * s.pixels;
                             const T* xp = x + i * s.pixels;
#pragma omp simd reduction(+ : sum, dot)
                             for (std::int64_t p = 0; p < s.pixels; ++p) {
                                 sum += gp[p];
                                 dot += gp[p] * xp[p];
                             }
                             sums[i] = sum;
                             dots[i] = dot;
                         }
                     });
                 });
}

template <typename T>
void input_gradient(const Shape& s, const T* g, const T* x, const T* sums, const T* dots, const T* mean, const T* rstd,
                    const T* w, T* out) {
    parallel_for(0, s.batch * s.groups,
                 std::max<std::int64_t>(1, 16384 / std::max<std::int64_t>(1, s.group_elements())),
                 [&](std::int64_t begin, std::int64_t end) {
                     with_best_instructions([&]() LOUPE_INLINE {
                         for (std::int64_t i = begin; i < end; ++i) {
                             T sum = 0;
                             T dot = 0;
                             for (std::int64_t d = 0; d < s.group_channels(); ++d) {
                                 const T scale = w == nullptr ? T(1) : w[i % s.groups * s.group_channels() + d];
                                 sum += sums[i * s.group_channels() + d] * scale;
                                 dot += dots[i * s.group_channels() + d] * scale;
                             }
                             const T m = mean[i];
                             const T r = rstd[i];
                             const T of_input = (sum * m - dot) * r * r * r / static_cast<T>(s.group_elements());
                             const T constant = -of_input * m - sum * r / static_cast<T>(s.group_elements());
                             for (std::int64_t d = 0; d < s.group_channels(); ++d) {
                                 const T of_grad = r * (w == nullptr ? T(1) : w[i % s.groups * s.group_channels() + d]);
                                 const std::int64_t at = (i * s.group_channels() + d) * s.pixels;
#pragma omp simd
                                 for (std::int64_t p = 0; p < s.pixels; ++p)
                                     out[at + p] = g[at + p] * of_grad + x[at + p] * of_input + constant;
                             }
                         }
                     });
                 });
}

void run_native_group_norm_backward(Arguments arguments, IValue* results) {
    const Tensor input = arguments[1].to_tensor();
    const Tensor weight = arguments[4].to_tensor();
    const Shape s{arguments[5].to_int(), arguments[6].to_int(), arguments[7].to_int(), arguments[8].to_int()};
    const std::vector<bool> mask = arguments[9].to_bools();
    require(mask.size() == 3, "output_mask must have 3 elements, but got ", mask.size());
    check_group_norm(input, s.groups, weight, Tensor());
    check_extents(input, s);
    require_sizes(arguments[0].to_tensor(), input.sizes(), "grad_out");
    for (const std::size_t i : std::array<std::size_t, 2>{2, 3}) {
        require(arguments[i].to_tensor().numel() == s.batch * s.groups, "Expected ", i == 2 ? "mean" : "rstd", " of ",
                s.batch * s.groups, " elements, but got ", shape_list_text(arguments[i].to_tensor().sizes()));
    }
    visit_floating(input.dtype(), "group_norm_backward", [&]<typename T>(std::type_identity<T>) {
        constexpr ScalarType kType = scalar_type_of<T>;
        const Tensor g = packed_as(arguments[0].to_tensor(), kType);
        const Tensor x = packed_as(input, kType);
        const Tensor mean = packed_as(arguments[2].to_tensor(), kType);
        const Tensor rstd = packed_as(arguments[3].to_tensor(), kType);
        const Tensor w = packed_as(weight, kType);
        std::vector<T> sums(static_cast<std::size_t>(s.batch * s.channels));
        std::vector<T> dots(sums.size());
        channel_sums<T>(s, g.data<T>(), x.data<T>(), sums.data(), dots.data());
        if (mask[0]) {
            const Tensor out = empty(input.sizes(), kType);
            input_gradient<T>(s, g.data<T>(), x.data<T>(), sums.data(), dots.data(), mean.data<T>(), rstd.data<T>(),
                              w.defined() ? w.data<T>() : nullptr, out.data<T>());
            results[0] = packed_as(out, input.dtype());
        }
        if (!mask[1] && !mask[2]) return;
        const Tensor grad_weight = zeros(IntSpan(&s.channels, 1), kType);
        const Tensor grad_bias = zeros(IntSpan(&s.channels, 1), kType);
        for (std::int64_t i = 0; i < s.batch * s.channels; ++i) {
            const auto at = static_cast<std::size_t>(i);
            const std::int64_t group = i / s.group_channels();
            grad_weight.data<T>()[i % s.channels] +=
                (dots[at] - sums[at] * mean.data<T>()[group]) * rstd.data<T>()[group];
            grad_bias.data<T>()[i % s.channels] += sums[at];
        }
        const ScalarType parameter = weight.defined() ? weight.dtype() : input.dtype();
        if (mask[1]) results[1] = packed_as(grad_weight, parameter);
        if (mask[2]) results[2] = packed_as(grad_bias, parameter);
    });
}

// What the gradients of mean and 1 / std give the input: dmean/dx = 1 / n, drstd/dx = -rstd^3 (x - mean) / n.
Tensor through_moments(GradientContext& c) {
    using namespace arithmetic;
    const Shape s{c.value("N").to_int(), c.value("C").to_int(), c.value("HxW").to_int(), c.value("group").to_int()};
    const Tensor input = c.argument("input");
    const Tensor x = fn::reshape(input, Dims{s.batch, s.groups, s.group_elements()});
    Tensor sum = fn::zeros_like(x);
    if (const Tensor& of_mean = c.grad_output(1); of_mean.defined()) sum = sum + fn::unsqueeze(of_mean, 2);
    if (const Tensor& of_rstd = c.grad_output(2); of_rstd.defined()) {
        const Tensor slope = of_rstd * fn::pow_scalar(c.result(2), Scalar(3));
        sum = sum - fn::unsqueeze(slope, 2) * (x - fn::unsqueeze(c.result(1), 2));
    }
    const auto count = static_cast<double>(s.group_elements());
    return fn::to_dtype(fn::reshape(sum / Scalar(count), to_dims(input.sizes())),
                        static_cast<std::int64_t>(input.dtype()));
}

void native_group_norm_gradient(GradientContext& c) {
    using namespace arithmetic;
    Tensor of_input;
    if (const Tensor& g = c.grad_output(0); g.defined()) {
        const auto [grad_input, grad_weight, grad_bias] = fn::native_group_norm_backward(
            g, c.argument("input"), c.result(1), c.result(2), c.argument("weight"), c.value("N"), c.value("C"),
            c.value("HxW"), c.value("group"), bool_list({c.needs("input"), c.needs("weight"), c.needs("bias")}));
        of_input = grad_input;
        if (c.needs("weight")) c.set_grad("weight", grad_weight);
        if (c.needs("bias")) c.set_grad("bias", grad_bias);
    }
    if (!c.needs("input")) return;
    if (c.grad_output(1).defined() || c.grad_output(2).defined()) {
        const Tensor more = through_moments(c);
        of_input = of_input.defined() ? of_input + more : more;
    }
    if (of_input.defined()) c.set_grad("input", of_input);
}

// The backward formula with operators, of (grad_out, input, weight); eps from the saved 1 / std.
TensorList composed_backward(const TensorList& in, const Shape& s, const Tensor& mean_value, const Tensor& rstd_value) {
    const Dims grouped{s.batch, s.groups, s.group_elements()};
    const Dims by_channel{s.batch, s.channels, s.pixels};
    const Dims inner{2};
    const Tensor x = fn::reshape(in[1], grouped);
    const Tensor centered = fn::sub(x, fn::mean_dim(x, inner, true));
    const Tensor variance = fn::mean_dim(fn::mul(centered, centered), inner, true);
    const Tensor fixed = fn::sub(fn::detach(x), fn::unsqueeze(mean_value, 2));
    const Tensor total = fn::pow_scalar(fn::unsqueeze(rstd_value, 2), Scalar(-2.0));
    const Tensor eps = fn::detach(fn::sub(total, fn::mean_dim(fn::mul(fixed, fixed), inner, true)));
    const Tensor rstd = fn::rsqrt(fn::add(variance, eps));
    const Tensor normal = fn::mul(centered, rstd);
    const Tensor g = fn::reshape(in[0], by_channel);
    const Tensor scaled = in[2].defined() ? fn::mul(g, fn::view(in[2], Dims{1, s.channels, 1})) : g;
    const Tensor gw = fn::reshape(scaled, grouped);
    const Tensor shift = fn::mean_dim(gw, inner, true);
    const Tensor slope = fn::mean_dim(fn::mul(gw, normal), inner, true);
    const Tensor grad_input = fn::mul(fn::sub(fn::sub(gw, shift), fn::mul(normal, slope)), rstd);
    const Tensor products = fn::mul(g, fn::reshape(normal, by_channel));
    return {fn::reshape(grad_input, to_dims(in[1].sizes())), fn::sum_dim(products, Dims{0, 2}, false),
            fn::sum_dim(g, Dims{0, 2}, false)};
}

void native_group_norm_double_gradient(GradientContext& c) {
    const Shape s{c.value("N").to_int(), c.value("C").to_int(), c.value("HxW").to_int(), c.value("group").to_int()};
    const Tensor mean = c.argument("mean");
    const Tensor rstd = c.argument("rstd");
    set_composed_gradients(c, [&](const TensorList& in) { return composed_backward(in, s, mean, rstd); },
                           {"grad_out", "input", "weight"}, {c.grad_output(0), c.grad_output(1), c.grad_output(2)});
}

Tensor group_norm(const Tensor& input, std::int64_t groups, const Tensor& weight, const Tensor& bias, double eps,
                  bool) {
    check_group_norm(input, groups, weight, bias);
    const std::int64_t batch = input.size(0);
    const std::int64_t channels = input.size(1);
    const std::int64_t pixels = input.numel() / std::max<std::int64_t>(1, batch * channels);
    return std::get<0>(fn::native_group_norm(input, weight, bias, batch, channels, pixels, groups, eps));
}

std::vector<Sample> native_samples(Random& random, ScalarType dtype) {
    const auto t = [&](std::initializer_list<std::int64_t> sizes) { return random_tensor(random, sizes, dtype); };
    return {{{t({2, 6, 2, 2}), t({6}), t({6}), 2, 6, 4, 3, 1e-5}},
            {{t({2, 4, 3}), IValue(), IValue(), 2, 4, 3, 1, 1e-3}, "one group, no weight"}};
}
std::vector<Sample> samples(Random& random, ScalarType dtype) {
    const auto t = [&](std::initializer_list<std::int64_t> sizes) { return random_tensor(random, sizes, dtype); };
    return {{{t({2, 6, 2, 2}), 3, t({6}), t({6}), 1e-5, true}}};
}

constexpr std::string_view kFormula =
    "out = (input - mean) / sqrt(var + eps) weight + bias, mean and var over each group of channels";

constexpr std::string_view kNormalised =
    "input: (g - mean(g) - y mean(g y)) / std, g = grad weight, y = (input - mean) / std\n"
    "weight: sum of grad (input - mean) / std\n"
    "bias: sum of grad";

using In = NotFiniteNote::In;
using When = NotFiniteNote::When;
constexpr NotFiniteNote kGroupNormNotFinite[] = {
    {In::Either, When::Always, 0, "a group_norm whose sums leave the range, or of equal elements with eps 0",
     "give it an eps above 0, in float32"},
};

constexpr OperatorRecord kRecords[] = {
    {
        .schema = "loupe::group_norm_scale(Tensor input, Tensor? weight, Tensor? bias, int groups, float eps) -> "
                  "(Tensor scale, "
                  "Tensor shift, "
                  "Tensor mean, Tensor rstd)",
        .summary = "What group_norm multiplies each channel of each sample with and adds to it.",
        .formula = "group_norm(input) = input scale + shift",
        .infer = inferring<infer_group_norm_scale>,
        .kernel = filling<group_norm_scale, 4>,
    },
    {
        .schema =
            "loupe::group_norm_gradient_scale(Tensor sums, Tensor dots, Tensor? weight, Tensor mean, Tensor rstd, int "
            "count) -> (Tensor "
            "of_grad, Tensor of_input, Tensor constant, Tensor grad_weight, Tensor grad_bias)",
        .summary = "What the gradient of group_norm is made of, from sums over pixels of grad and of grad input.",
        .formula = "grad_input = grad of_grad + input of_input + constant",
        .infer = inferring<infer_group_norm_gradient_scale>,
        .kernel = filling<group_norm_gradient_scale, 5>,
    },
    {.schema =
         "aten::native_group_norm(Tensor input, Tensor? weight, Tensor? bias, SymInt N, SymInt C, SymInt HxW, int "
         "group, float eps) -> "
         "(Tensor, Tensor, Tensor)",
     .summary = "Scales groups of channels of each sample to zero mean and unit variance; gives mean and 1/std too.",
     .formula = kFormula,
     .infer = inferring<infer_native_group_norm>,
     .kernel = filling<native_group_norm, 3>,
     .derivative = {native_group_norm_gradient,
                    {save_argument("input"), save_argument("weight"), save_result(1), save_result(2)}},
     .gradient = kNormalised,
     .samples = native_samples,
     .variants = kOut,
     .dtypes = {.kernel = "GroupNormKernelImpl"}},
    {
        .schema =
            "aten::native_group_norm_backward(Tensor grad_out, Tensor input, Tensor mean, Tensor rstd, Tensor? weight, "
            "SymInt N, SymInt C, "
            "SymInt HxW, int group, bool[3] output_mask) -> (Tensor, Tensor, Tensor)",
        .summary = "Gradients of group_norm for input, weight and bias.",
        .formula = "out0 = (g - mean(g) - y mean(g y)) / std, g = grad_out weight; out1 = sum grad_out y; out2 = sum "
                   "grad_out",
        .results_from = ResultsFrom::Metadata,
        .kernel = run_native_group_norm_backward,
        .derivative = {native_group_norm_double_gradient,
                       {save_argument("grad_out"), save_argument("input"), save_argument("mean"), save_argument("rstd"),
                        save_argument("weight")}},
        .gradient = "grad_out: weight times the same map of grad0, plus y grad1 + grad2\n"
                    "input: derivative of the three sums above\n"
                    "weight: sum of grad_out times the same map of grad0",
        .variants = kOut,
    },
    {
        .schema = "aten::group_norm(Tensor input, int num_groups, Tensor? weight=None, Tensor? bias=None, float "
                  "eps=1.0000000000000001e-05, bool "
                  "cudnn_enabled=True) -> Tensor",
        .summary = "Scales groups of channels of each sample to zero mean and unit variance.",
        .formula = kFormula,
        .composite = boxed<group_norm>,
        .gradient = kNormalised,
        .samples = samples,
        .autocast = {.cuda = Autocast::Float32},
        .not_finite = kGroupNormNotFinite,
    },
};

}  // namespace

std::span<const OperatorRecord> nn_ops::group_norm_records() { return kRecords; }

}  // namespace loupe
