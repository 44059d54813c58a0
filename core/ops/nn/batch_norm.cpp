// SPDX-License-Identifier: Apache-2.0
// batch_norm and instance_norm.
#include <algorithm>
#include <cmath>

#include "core/base/parallel.h"
#include "core/ops/nn/common.h"
#include "core/ops/nn/composed_gradient.h"
#include "core/ops/nn/family.h"
#include "core/ops/nn/simd.h"

namespace loupe {
namespace {

using namespace nn_ops;

struct Channels {
    std::int64_t batch;
    std::int64_t channels;
    std::int64_t pixels;

    explicit Channels(const Tensor& x)
        : batch(x.sizes()[0]),
          channels(x.sizes()[1]),
          pixels(x.numel() / std::max<std::int64_t>(1, batch * channels)) {}
    std::int64_t count() const { return batch * pixels; }
};

void check_features(const Tensor& t, std::int64_t channels, const char* name) {
    require(!t.defined() || t.numel() == channels, name, " should contain ", channels, " elements not ",
            t.defined() ? t.numel() : 0);
}

// The dtype of mean and 1/std: a bfloat16 batch keeps them in bfloat16 unless its parameters are of another type.
ScalarType statistics_type(const Tensor& input, std::initializer_list<Tensor> parameters) {
    const auto first = std::find_if(parameters.begin(), parameters.end(), [](const Tensor& t) { return t.defined(); });
    const bool is_mixed = first != parameters.end() && first->dtype() != input.dtype();
    return input.dtype() == ScalarType::BFloat16 && !is_mixed ? ScalarType::BFloat16 : compute_dtype(input.dtype());
}

MetaList infer_native_batch_norm(const Tensor& input, const Tensor& weight, const Tensor& bias,
                                 const Tensor& running_mean, const Tensor& running_var, bool training, double, double) {
    const std::int64_t channels = input.size(1);
    check_features(running_mean, channels, "running_mean");
    require(running_mean.defined() || training, "running_mean must be defined in evaluation mode");
    check_features(running_var, channels, "running_var");
    require(running_var.defined() || training, "running_var must be defined in evaluation mode");
    check_features(weight, channels, "weight");
    check_features(bias, channels, "bias");
    require(is_floating(input.dtype()), "\"batch_norm\" not implemented for '", dtype_graph_name(input.dtype()), "'");
    const TensorMeta stats{
        {training ? channels : 0}, statistics_type(input, {weight, bias, running_mean, running_var}), input.device()};
    return {follow_layout(to_dims(input.sizes()), input), stats, stats};
}

template <typename T>
LOUPE_INLINE inline T sum_of(const T* x, std::int64_t n) {
    T sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::int64_t i = 0; i < n; ++i) sum += x[i];
    return sum;
}
template <typename T>
LOUPE_INLINE inline T squares_around(const T* x, T mean, std::int64_t n) {
    T sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::int64_t i = 0; i < n; ++i) sum += (x[i] - mean) * (x[i] - mean);
    return sum;
}

// Biased variance and mean of channel c, rows summed in the type itself and their sums in double.
template <typename T>
LOUPE_INLINE inline std::pair<double, double> channel_moments(const Channels& s, const T* x, std::int64_t c) {
    double sum = 0;
    for (std::int64_t n = 0; n < s.batch; ++n)
        sum += static_cast<double>(sum_of(x + (n * s.channels + c) * s.pixels, s.pixels));
    const double mean = sum / static_cast<double>(s.count());
    double squares = 0;
    for (std::int64_t n = 0; n < s.batch; ++n) {
        squares +=
            static_cast<double>(squares_around(x + (n * s.channels + c) * s.pixels, static_cast<T>(mean), s.pixels));
    }
    return {mean, squares / static_cast<double>(s.count())};
}

// A running statistic moves towards the batch's. Its version stays: the node that saves it does not read it in
// training.
void update_running(const Tensor& running, const std::vector<double>& batch, double momentum) {
    if (!running.defined()) return;
    visit_floating(running.dtype(), "batch_norm", [&]<typename T>(std::type_identity<T>) {
        const Tensor values = packed_as(running, scalar_type_of<T>);
        T* p = values.data<T>();
        for (std::size_t c = 0; c < batch.size(); ++c) {
            p[c] = static_cast<T>(momentum * batch[c] + (1 - momentum) * static_cast<double>(p[c]));
        }
        if (!values.is_same(running)) convert_into(running, values);
    });
}

// y = x scale[c] + shift[c].
template <typename T>
void scale_channels(const Channels& s, const T* x, const std::vector<T>& scale, const std::vector<T>& shift, T* y) {
    const std::int64_t grain = std::max<std::int64_t>(1, 16384 / std::max<std::int64_t>(1, s.pixels));
    parallel_for(0, s.batch * s.channels, grain, [&](std::int64_t begin, std::int64_t end) {
        with_best_instructions([&]() LOUPE_INLINE {
            for (std::int64_t i = begin; i < end; ++i) {
                const auto c = static_cast<std::size_t>(i % s.channels);
                const T a = scale[c];
                const T b = shift[c];
                const T* from = x + i * s.pixels;
                T* to = y + i * s.pixels;
#pragma omp simd
                for (std::int64_t p = 0; p < s.pixels; ++p) to[p] = from[p] * a + b;
            }
        });
    });
}

template <typename T>
T value_or(const Tensor& t, std::int64_t i, T otherwise) {
    return t.defined() ? t.data<T>()[i] : otherwise;
}

// PyTorch keeps the sum of squares, and then the variance, of a bfloat16 batch in bfloat16.
double rounded_variance(double variance, double count) {
    const auto squares = static_cast<double>(static_cast<float>(BFloat16(static_cast<float>(variance * count))));
    return static_cast<double>(static_cast<float>(BFloat16(static_cast<float>(squares / count))));
}

template <typename T>
void train_moments(const Channels& s, const T* x, double eps, T* mean, T* invstd, const Tensor& running_mean,
                   const Tensor& running_var, double momentum, bool in_bfloat16) {
    std::vector<double> means(static_cast<std::size_t>(s.channels));
    std::vector<double> variances(static_cast<std::size_t>(s.channels));
    const double count = static_cast<double>(s.count());
    parallel_for(0, s.channels, std::max<std::int64_t>(1, 8192 / std::max<std::int64_t>(1, s.count())),
                 [&](std::int64_t begin, std::int64_t end) {
                     with_best_instructions([&]() LOUPE_INLINE {
                         for (std::int64_t c = begin; c < end; ++c) {
                             const auto moments = channel_moments(s, x, c);
                             mean[c] = static_cast<T>(moments.first);
                             const double variance =
                                 in_bfloat16 ? rounded_variance(moments.second, count) : moments.second;
                             invstd[c] = static_cast<T>(1 / std::sqrt(variance + eps));
                             means[static_cast<std::size_t>(c)] = moments.first;
                             variances[static_cast<std::size_t>(c)] = moments.second * count / (count - 1);
                         }
                     });
                 });
    update_running(running_mean, means, momentum);
    update_running(running_var, variances, momentum);
}

// y = x scale[c] + shift[c] is the layer; in training the statistics are kept and the running ones move.
template <typename T>
void find_scales(const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& running_mean,
                 const Tensor& running_var, bool training, double momentum, double eps, const Tensor& save_mean,
                 const Tensor& save_invstd, T* scale, T* shift) {
    constexpr ScalarType kType = scalar_type_of<T>;
    const Channels s(x);
    const Tensor w = packed_as(weight, kType);
    const Tensor b = packed_as(bias, kType);
    const auto set_channel = [&](std::int64_t c, T mean, T invstd) {
        scale[c] = invstd * value_or(w, c, T(1));
        shift[c] = value_or(b, c, T(0)) - mean * scale[c];
    };
    if (training) {
        const bool same = save_mean.dtype() == kType;
        Tensor mean = same ? save_mean : empty(save_mean.sizes(), kType);
        Tensor invstd = same ? save_invstd : empty(save_invstd.sizes(), kType);
        train_moments(s, x.data<T>(), eps, mean.data<T>(), invstd.data<T>(), running_mean, running_var, momentum,
                      save_mean.dtype() == ScalarType::BFloat16);
        if (!same) {
            convert_into(save_mean, mean);
            convert_into(save_invstd, invstd);
            // Scales the batch with the saved statistics.
            mean = packed_as(save_mean, kType);
            invstd = packed_as(save_invstd, kType);
        }
        for (std::int64_t c = 0; c < s.channels; ++c) set_channel(c, mean.data<T>()[c], invstd.data<T>()[c]);
        return;
    }
    const Tensor mean = packed_as(running_mean, kType);
    const Tensor var = packed_as(running_var, kType);
    for (std::int64_t c = 0; c < s.channels; ++c) {
        set_channel(c, mean.data<T>()[c], static_cast<T>(1 / std::sqrt(var.data<T>()[c] + static_cast<T>(eps))));
    }
}

void native_batch_norm(const Tensor& out, const Tensor& save_mean, const Tensor& save_invstd, const Tensor& input,
                       const Tensor& weight, const Tensor& bias, const Tensor& running_mean, const Tensor& running_var,
                       bool training, double momentum, double eps) {
    const Channels s(input);
    visit_floating(input.dtype(), "batch_norm", [&]<typename T>(std::type_identity<T>) {
        constexpr ScalarType kType = scalar_type_of<T>;
        const Tensor x = packed_as(input, kType);
        std::vector<T> scale(static_cast<std::size_t>(s.channels));
        std::vector<T> shift(static_cast<std::size_t>(s.channels));
        find_scales<T>(x, weight, bias, running_mean, running_var, training, momentum, eps, save_mean, save_invstd,
                       scale.data(), shift.data());
        const Tensor y = out.dtype() == kType ? buffer_for(out) : empty(out.sizes(), kType);
        scale_channels<T>(s, x.data<T>(), scale, shift, y.data<T>());
        if (!y.is_same(out)) convert_into(out, y);
    });
}

// ---- the layer in parts: scale and shift per channel, for callers that apply and differentiate them

// One number a channel, beside the input's dimensions: [1, C, 1, ...].
Dims channel_shape(IntSpan sizes) {
    Dims shape(sizes.size(), 1);
    shape[1] = sizes[1];
    return shape;
}

MetaList infer_batch_norm_scale(const Tensor& input, const Tensor& weight, const Tensor& bias,
                                const Tensor& running_mean, const Tensor& running_var, bool training, double momentum,
                                double eps) {
    const MetaList whole =
        infer_native_batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps);
    const TensorMeta channels{channel_shape(input.sizes()), compute_dtype(input.dtype()), input.device()};
    return {channels, channels, whole[1], whole[2]};
}

void batch_norm_scale(const Tensor& scale, const Tensor& shift, const Tensor& save_mean, const Tensor& save_invstd,
                      const Tensor& input, const Tensor& weight, const Tensor& bias, const Tensor& running_mean,
                      const Tensor& running_var, bool training, double momentum, double eps) {
    visit_floating(input.dtype(), "batch_norm", [&]<typename T>(std::type_identity<T>) {
        find_scales<T>(packed_as(input, scalar_type_of<T>), weight, bias, running_mean, running_var, training, momentum,
                       eps, save_mean, save_invstd, scale.data<T>(), shift.data<T>());
    });
}

// sums, dots: of the gradient, and of its products with input - mean, over the pixels of each image: [N, C, 1, ...].
MetaList infer_batch_norm_gradient_scale(const Tensor& sums, const Tensor& dots, const Tensor& weight,
                                         const Tensor& mean, const Tensor& invstd, std::int64_t) {
    require_sizes(dots, sums.sizes(), "dots");
    require(sums.dim() >= 2, "Expected sums of at least 2 dimensions, but got ", shape_list_text(sums.sizes()));
    check_features(weight, sums.size(1), "weight");
    check_features(mean, sums.size(1), "mean");
    check_features(invstd, sums.size(1), "invstd");
    const TensorMeta channels{channel_shape(sums.sizes()), sums.dtype(), sums.device()};
    const TensorMeta parameter{{sums.size(1)}, weight.defined() ? weight.dtype() : sums.dtype(), sums.device()};
    return {channels, channels, channels, parameter, parameter};
}

// grad_input = grad of_grad + input of_input + constant
void batch_norm_gradient_scale(const Tensor& of_grad, const Tensor& of_input, const Tensor& constant,
                               const Tensor& grad_weight, const Tensor& grad_bias, const Tensor& sums,
                               const Tensor& dots, const Tensor& weight, const Tensor& mean, const Tensor& invstd,
                               std::int64_t count) {
    visit_floating(sums.dtype(), "batch_norm", [&]<typename T>(std::type_identity<T>) {
        const auto all = [](const Tensor& t) { return packed_as(t, scalar_type_of<T>); };
        const Tensor s = all(sums), d = all(dots), w = all(weight), m = all(mean), inverse = all(invstd);
        const std::int64_t channels = sums.size(1);
        std::vector<T> a, b, k, of_weight, of_bias;
        for (std::int64_t c = 0; c < channels; ++c) {
            double sum = 0, dot = 0;
            for (std::int64_t n = 0; n < sums.size(0); ++n) {
                sum += static_cast<double>(s.data<T>()[n * channels + c]);
                dot += static_cast<double>(d.data<T>()[n * channels + c]);
            }
            const auto inv = static_cast<double>(inverse.data<T>()[c]);
            const double scale = inv * static_cast<double>(value_or(w, c, T(1)));
            const double slope = dot * inv * inv / static_cast<double>(count);
            a.push_back(static_cast<T>(scale));
            b.push_back(static_cast<T>(-slope * scale));
            k.push_back(static_cast<T>(
                (slope * static_cast<double>(m.data<T>()[c]) - sum / static_cast<double>(count)) * scale));
            of_weight.push_back(static_cast<T>(dot * inv));
            of_bias.push_back(static_cast<T>(sum));
        }
        const auto give = [&](const Tensor& out, const std::vector<T>& values) {
            convert_into(out, tensor_of(std::span<const T>(values), out.sizes()));
        };
        give(of_grad, a);
        give(of_input, b);
        give(constant, k);
        give(grad_weight, of_weight);
        give(grad_bias, of_bias);
    });
}

// ---- backward

// grad_input = g a[c] + x b[c] + d[c]
template <typename T>
struct ChannelGradients {
    std::vector<T> of_grad;
    std::vector<T> of_input;
    std::vector<T> constant;
    std::vector<T> weight;
    std::vector<T> bias;

    explicit ChannelGradients(std::int64_t channels) {
        for (auto* v : {&of_grad, &of_input, &constant, &weight, &bias}) v->resize(static_cast<std::size_t>(channels));
    }
};

template <typename T>
LOUPE_INLINE inline std::pair<double, double> channel_dots(const Channels& s, const T* g, const T* x, T mean,
                                                           std::int64_t c) {
    double sum = 0;
    double dot = 0;
    for (std::int64_t n = 0; n < s.batch; ++n) {
        const T* gp = g + (n * s.channels + c) * s.pixels;
        const T* xp = x + (n * s.channels + c) * s.pixels;
        T row_sum = 0;
        T row_dot = 0;
#pragma omp simd reduction(+ : row_sum, row_dot)
        for (std::int64_t p = 0; p < s.pixels; ++p) {
            row_sum += gp[p];
            row_dot += gp[p] * (xp[p] - mean);
        }
        sum += static_cast<double>(row_sum);
        dot += static_cast<double>(row_dot);
    }
    return {sum, dot};
}

template <typename T>
ChannelGradients<T> channel_gradients(const Channels& s, const T* g, const T* x, const T* mean, const T* invstd,
                                      const T* weight, bool train) {
    ChannelGradients<T> out(s.channels);
    const double count = static_cast<double>(s.count());
    parallel_for(0, s.channels, std::max<std::int64_t>(1, 8192 / std::max<std::int64_t>(1, s.count())),
                 [&](std::int64_t begin, std::int64_t end) {
                     with_best_instructions([&]() LOUPE_INLINE {
                         for (std::int64_t c = begin; c < end; ++c) {
                             const auto at = static_cast<std::size_t>(c);
                             const auto dots = channel_dots(s, g, x, mean[c], c);
                             const double inv = static_cast<double>(invstd[c]);
                             const double scale = inv * (weight == nullptr ? 1.0 : static_cast<double>(weight[c]));
                             const double k = train ? dots.second * inv * inv / count : 0.0;
                             out.of_grad[at] = static_cast<T>(scale);
                             out.of_input[at] = static_cast<T>(-k * scale);
                             out.constant[at] =
                                 train ? static_cast<T>((k * static_cast<double>(mean[c]) - dots.first / count) * scale)
                                       : T(0);
                             out.weight[at] = static_cast<T>(dots.second * inv);
                             out.bias[at] = static_cast<T>(dots.first);
                         }
                     });
                 });
    return out;
}

template <typename T>
void apply_gradients(const Channels& s, const ChannelGradients<T>& k, const T* g, const T* x, T* out) {
    const std::int64_t grain = std::max<std::int64_t>(1, 16384 / std::max<std::int64_t>(1, s.pixels));
    parallel_for(0, s.batch * s.channels, grain, [&](std::int64_t begin, std::int64_t end) {
        with_best_instructions([&]() LOUPE_INLINE {
            for (std::int64_t i = begin; i < end; ++i) {
                const auto c = static_cast<std::size_t>(i % s.channels);
                const T a = k.of_grad[c];
                const T b = k.of_input[c];
                const T d = k.constant[c];
                const T* gp = g + i * s.pixels;
                const T* xp = x + i * s.pixels;
                T* to = out + i * s.pixels;
#pragma omp simd
                for (std::int64_t p = 0; p < s.pixels; ++p) to[p] = gp[p] * a + xp[p] * b + d;
            }
        });
    });
}

template <typename T>
Tensor vector_tensor(const std::vector<T>& values, ScalarType dtype) {
    const Tensor t = tensor_of(std::span<const T>(values), std::array{static_cast<std::int64_t>(values.size())});
    return dtype == t.dtype() ? t : packed_as(t, dtype);
}

void run_native_batch_norm_backward(Arguments arguments, IValue* results) {
    const Tensor grad = arguments[0].to_tensor();
    const Tensor input = arguments[1].to_tensor();
    const Tensor weight = arguments[2].to_tensor();
    const bool train = arguments[7].to_bool();
    const double eps = arguments[8].to_double();
    const std::vector<bool> mask = arguments[9].to_bools();
    require(mask.size() == 3, "output_mask must have 3 elements, but got ", mask.size());
    require(input.dim() >= 2, "Expected an input of at least 2 dimensions, but got ", shape_list_text(input.sizes()));
    require_sizes(grad, input.sizes(), "grad_out");
    check_features(weight, input.size(1), "weight");
    for (const std::size_t i : train ? std::array<std::size_t, 2>{5, 6} : std::array<std::size_t, 2>{3, 4}) {
        require(!arguments[i].is_none(), train ? "save_mean and save_invstd" : "running_mean and running_var",
                " must be defined");
        check_features(arguments[i].to_tensor(), input.size(1), i % 2 == 1 ? "mean" : "variance");
    }
    const Channels s(input);
    visit_floating(input.dtype(), "batch_norm_backward", [&]<typename T>(std::type_identity<T>) {
        constexpr ScalarType kType = scalar_type_of<T>;
        const Tensor g = packed_as(grad, kType);
        const Tensor x = packed_as(input, kType);
        const Tensor w = packed_as(weight, kType);
        const Tensor mean = packed_as(arguments[train ? 5 : 3].to_tensor(), kType);
        Tensor invstd = packed_as(arguments[train ? 6 : 4].to_tensor(), kType);
        if (!train) {
            const Tensor var = invstd;
            invstd = empty(var.sizes(), kType);
            std::transform(var.data<T>(), var.data<T>() + var.numel(), invstd.data<T>(),
                           [eps](T v) { return static_cast<T>(1 / std::sqrt(v + static_cast<T>(eps))); });
        }
        const auto k = channel_gradients<T>(s, g.data<T>(), x.data<T>(), mean.data<T>(), invstd.data<T>(),
                                            w.defined() ? w.data<T>() : nullptr, train);
        if (mask[0]) {
            const TensorMeta meta = follow_layout(to_dims(input.sizes()), input);
            const Tensor out = meta.strides.empty()
                                   ? empty(input.sizes(), input.dtype())
                                   : empty_strided(input.sizes(), span_of(meta.strides), input.dtype());
            const Tensor buffer = out.dtype() == kType ? buffer_for(out) : empty(out.sizes(), kType);
            apply_gradients<T>(s, k, g.data<T>(), x.data<T>(), buffer.data<T>());
            if (!buffer.is_same(out)) convert_into(out, buffer);
            results[0] = out;
        }
        const ScalarType parameter = weight.defined() ? weight.dtype() : input.dtype();
        if (mask[1]) results[1] = vector_tensor(k.weight, parameter);
        if (mask[2]) results[2] = vector_tensor(k.bias, parameter);
    });
}

void native_batch_norm_gradient(GradientContext& c) {
    const auto [grad_input, grad_weight, grad_bias] = fn::native_batch_norm_backward(
        c.grad_output(), c.argument("input"), c.argument("weight"), c.argument("running_mean"),
        c.argument("running_var"), c.result(1), c.result(2), c.value("training"), c.value("eps"),
        bool_list({c.needs("input"), c.needs("weight"), c.needs("bias")}));
    if (c.needs("input")) c.set_grad("input", grad_input);
    if (c.needs("weight")) c.set_grad("weight", grad_weight);
    if (c.needs("bias")) c.set_grad("bias", grad_bias);
}

// The backward formula with operators, of (grad_out, input, weight).
TensorList composed_backward(const TensorList& in, const Tensor& running_mean, const Tensor& running_var, bool train,
                             double eps) {
    const Tensor& g = in[0];
    const Tensor& x = in[1];
    Dims others{0};
    Dims shape(static_cast<std::size_t>(x.dim()), 1);
    shape[1] = x.size(1);
    for (std::int64_t d = 2; d < x.dim(); ++d) others.push_back(d);
    const double count = static_cast<double>(x.numel()) / static_cast<double>(x.size(1));
    const Tensor mean = train ? fn::mean_dim(x, others, true) : fn::view(running_mean, shape);
    const Tensor centered = fn::sub(x, mean);
    const Tensor variance =
        train ? fn::mean_dim(fn::mul(centered, centered), others, true) : fn::view(running_var, shape);
    const Tensor invstd = fn::rsqrt(fn::add_scalar(variance, Scalar(eps)));
    const Tensor normal = fn::mul(centered, invstd);
    const Tensor scale = in[2].defined() ? fn::mul(invstd, fn::view(in[2], shape)) : invstd;
    const Tensor sum = fn::sum_dim(g, others, true);
    const Tensor dot = fn::sum_dim(fn::mul(g, normal), others, true);
    Tensor inner = g;
    if (train) {
        inner = fn::sub(inner, fn::div_scalar(sum, Scalar(count)));
        inner = fn::sub(inner, fn::mul(normal, fn::div_scalar(dot, Scalar(count))));
    }
    const Dims flat{x.size(1)};
    return {fn::mul(inner, scale), fn::reshape(dot, flat), fn::reshape(sum, flat)};
}

void native_batch_norm_double_gradient(GradientContext& c) {
    const Tensor running_mean = c.argument("running_mean");
    const Tensor running_var = c.argument("running_var");
    const bool train = c.value("train").to_bool();
    const double eps = c.value("eps").to_double();
    set_composed_gradients(
        c, [&](const TensorList& in) { return composed_backward(in, running_mean, running_var, train, eps); },
        {"grad_out", "input", "weight"}, {c.grad_output(0), c.grad_output(1), c.grad_output(2)});
}

// ---- calls

Tensor batch_norm(const Tensor& input, const Tensor& weight, const Tensor& bias, const Tensor& running_mean,
                  const Tensor& running_var, bool training, double momentum, double eps, bool) {
    if (input.numel() == 0) {
        // Empty; parameters stay in the graph.
        Tensor out = fn::clone(input);
        if (weight.defined()) out = fn::mul(out, fn::select(weight, 0, 0));
        return bias.defined() ? fn::add(out, fn::select(bias, 0, 0)) : out;
    }
    return std::get<0>(fn::native_batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps));
}

Tensor repeated(const Tensor& t, std::int64_t times) { return t.defined() ? fn::repeat(t, Dims{times}) : t; }

// Every image is its own batch: [N, C, *] becomes [1, N C, *].
Tensor instance_norm(const Tensor& input, const Tensor& weight, const Tensor& bias, const Tensor& running_mean,
                     const Tensor& running_var, bool use_input_stats, double momentum, double eps, bool cudnn_enabled) {
    require(use_input_stats || (running_mean.defined() && running_var.defined()),
            "Expected running_mean and running_var to be defined when use_input_stats is false");
    Dims shape = to_dims(input.sizes());
    const std::int64_t batch = input.size(0);
    const std::int64_t channels = input.size(1);
    shape[1] = batch * channels;
    shape[0] = 1;
    const Tensor mean = repeated(running_mean, batch);
    const Tensor var = repeated(running_var, batch);
    const Tensor out = batch_norm(fn::view(fn::contiguous(input), shape), repeated(weight, batch),
                                  repeated(bias, batch), mean, var, use_input_stats, momentum, eps, cudnn_enabled);
    const auto average_back = [&](const Tensor& running, const Tensor& all) {
        if (running.defined()) fn::copy_(running, fn::mean_dim(fn::view(all, Dims{batch, channels}), Dims{0}, false));
    };
    average_back(running_mean, mean);
    average_back(running_var, var);
    return fn::view(out, to_dims(input.sizes()));
}

std::vector<IValue> draw_arguments(Random& random, ScalarType dtype, bool training, bool affine,
                                   std::int64_t channels = 3) {
    const Tensor var = random_tensor(random, {channels}, dtype);
    visit_floating(dtype, "", [&]<typename T>(std::type_identity<T>) {
        if (var.dtype() != scalar_type_of<T>) return;
        for (std::int64_t i = 0; i < channels; ++i) var.data<T>()[i] = std::abs(var.data<T>()[i]) + T(0.5);
    });
    const IValue weight = affine ? IValue(random_tensor(random, {channels}, dtype)) : IValue();
    const IValue bias = affine ? IValue(random_tensor(random, {channels}, dtype)) : IValue();
    return {random_tensor(random, {4, channels, 2, 2}, dtype),
            weight,
            bias,
            random_tensor(random, {channels}, dtype),
            var,
            training,
            0.1,
            1e-5};
}
std::vector<Sample> native_samples(Random& random, ScalarType dtype) {
    return {{draw_arguments(random, dtype, true, true), "train"},
            {draw_arguments(random, dtype, false, true), "eval"},
            {draw_arguments(random, dtype, true, false), "no weight"},
            {draw_arguments(random, dtype, true, true, 16), "many channels"}};
}
std::vector<Sample> samples(Random& random, ScalarType dtype) {
    auto all = native_samples(random, dtype);
    for (Sample& sample : all) sample.arguments.emplace_back(true);
    return all;
}
std::vector<Sample> instance_samples(Random& random, ScalarType dtype) {
    auto all = samples(random, dtype);
    all.erase(all.begin() + 1);
    return all;
}

Cost batch_norm_cost(Arguments arguments, std::span<const IValue>) {
    const Tensor x = arguments[0].to_tensor();
    const double n = static_cast<double>(x.numel());
    const bool training = arguments[5].to_bool();
    return {(training ? 5 : 2) * n, (training ? 3 : 2) * static_cast<double>(x.bytes())};
}

constexpr std::string_view kFormula = "out[n, c] = (input[n, c] - mean[c]) / sqrt(var[c] + eps) weight[c] + bias[c]";

constexpr std::string_view kBatchNormalised =
    "input: (g - mean(g) - y mean(g y)) / std in training, g / std in evaluation; g = grad weight, y = (input - "
    "mean) / std\n"
    "weight: sum_n grad[n, c] (input[n, c] - mean[c]) / std[c]\n"
    "bias: sum_n grad[n, c]";

using In = NotFiniteNote::In;
using When = NotFiniteNote::When;
constexpr NotFiniteNote kBatchNormNotFinite[] = {
    {In::Either, When::Always, 0, "a batch_norm whose sums leave the range, or of equal elements with eps 0",
     "give it an eps above 0, in float32"},
};

using BatchNormResult = std::tuple<Tensor, Tensor, Tensor, Tensor, std::int64_t>;
BatchNormResult batch_norm_impl_index(const Tensor& input, const Tensor& weight, const Tensor& bias,
                                      const Tensor& running_mean, const Tensor& running_var, bool training,
                                      double momentum, double eps, bool) {
    const auto [out, mean, invstd] =
        fn::native_batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps);
    return {out, mean, invstd, empty(std::array<std::int64_t, 1>{0}, ScalarType::UInt8), 0};
}

constexpr OperatorRecord kRecords[] = {
    {
        .schema = "loupe::batch_norm_scale(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? "
                  "running_var, bool training, "
                  "float momentum, float eps) -> (Tensor scale, Tensor shift, Tensor mean, Tensor invstd)",
        .summary =
            "What batch_norm multiplies each channel with and adds to it; in training it moves the running statistics.",
        .formula = "batch_norm(input) = input scale + shift",
        .infer = inferring<infer_batch_norm_scale>,
        .kernel = filling<batch_norm_scale, 4>,
        .writes = "running_mean running_var",
    },
    {
        .schema = "loupe::batch_norm_gradient_scale(Tensor sums, Tensor dots, Tensor? weight, Tensor mean, Tensor "
                  "invstd, int "
                  "count) -> (Tensor "
                  "of_grad, Tensor of_input, Tensor constant, Tensor grad_weight, Tensor grad_bias)",
        .summary = "What the gradient of batch_norm in training is made of, from sums over pixels of grad and of grad "
                   "(input - "
                   "mean).",
        .formula = "grad_input = grad of_grad + input of_input + constant",
        .infer = inferring<infer_batch_norm_gradient_scale>,
        .kernel = filling<batch_norm_gradient_scale, 5>,
    },
    {.schema = "aten::native_batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? "
               "running_var, bool "
               "training, float momentum, float eps) -> (Tensor, Tensor, Tensor)",
     .summary = "Scales each channel to zero mean and unit variance, over the batch (training, which also moves the "
                "running "
                "statistics) or with the running statistics; gives the batch's mean and 1/std too.",
     .formula = kFormula,
     .infer = inferring<infer_native_batch_norm>,
     .kernel = filling<native_batch_norm, 3>,
     .derivative = {native_batch_norm_gradient,
                    {save_argument("input"), save_argument("weight"), save_argument("running_mean"),
                     save_argument("running_var"), save_result(1), save_result(2)}},
     .gradient = kBatchNormalised,
     .cost = batch_norm_cost,
     .samples = native_samples,
     .variants = kOut,
     .out = {.names = "out save_mean save_invstd"},
     .constant_results = 0b110,
     .writes = "running_mean running_var",
     .not_finite = kBatchNormNotFinite,
     .dtypes = {.kernel = "batch_norm"}},
    {
        .schema = "aten::native_batch_norm_backward(Tensor grad_out, Tensor input, Tensor? weight, Tensor? "
                  "running_mean, Tensor? "
                  "running_var, Tensor? save_mean, Tensor? save_invstd, bool train, float eps, bool[3] output_mask) -> "
                  "(Tensor, "
                  "Tensor, "
                  "Tensor)",
        .summary = "Gradients of batch_norm for input, weight and bias.",
        .formula =
            "out0 = (g - mean(g) - y mean(g y)) / std, g = grad_out weight; out1 = sum_n grad_out y; out2 = sum_n "
            "grad_out",
        .results_from = ResultsFrom::Metadata,
        .kernel = run_native_batch_norm_backward,
        .derivative = {native_batch_norm_double_gradient,
                       {save_argument("grad_out"), save_argument("input"), save_argument("weight"),
                        save_argument("running_mean"), save_argument("running_var")}},
        .gradient = "grad_out: weight times the same map of grad0, plus y grad1 + grad2\n"
                    "input: derivative of the three sums above\n"
                    "weight: sum of grad_out times the same map of grad0",
        .variants = kOut,
    },
    {
        .schema = "aten::batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? "
                  "running_var, bool "
                  "training, "
                  "float momentum, float eps, bool cudnn_enabled) -> Tensor",
        .summary = "Scales each channel to zero mean and unit variance, over the batch or with the running statistics.",
        .formula = kFormula,
        .composite = boxed<batch_norm>,
        .gradient = kBatchNormalised,
        .cost = batch_norm_cost,
        .samples = samples,
        .writes = "running_mean running_var",
        .not_finite = kBatchNormNotFinite,
    },
    {
        .schema = "aten::instance_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? "
                  "running_var, "
                  "bool "
                  "use_input_stats, float momentum, float eps, bool cudnn_enabled) -> Tensor",
        .summary = "Scales each channel of each image to zero mean and unit variance.",
        .formula = "out[n, c] = (input[n, c] - mean[n, c]) / sqrt(var[n, c] + eps) weight[c] + bias[c]",
        .composite = boxed<instance_norm>,
        .gradient = kBatchNormalised,
        .samples = instance_samples,
        .writes = "running_mean running_var",
    },
    {.schema = "aten::_batch_norm_impl_index(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? "
               "running_var, bool training, "
               "float momentum, float eps, bool cudnn_enabled) -> (Tensor, Tensor, Tensor, Tensor, int)",
     .summary = "batch_norm with what its gradient needs.",
     .formula = kFormula,
     .composite = boxed<batch_norm_impl_index>,
     .writes = "running_mean running_var"},
};

}  // namespace

std::span<const OperatorRecord> nn_ops::batch_norm_records() { return kRecords; }

}  // namespace loupe
