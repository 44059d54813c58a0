// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "plugins/onnx/ops/common.h"

namespace loupe::onnx {
namespace {

IValue or_none(const Tensor& t) { return t.defined() ? IValue(t) : IValue(); }

Tensor by_statistics(const Tensor& x, const Tensor& scale, const Tensor& bias, const Tensor& mean, const Tensor& var,
                     double epsilon) {
    return call_one("aten::batch_norm", {x, scale, bias, mean, var, false, 0.0, epsilon, false});
}

Dims all_but_channels(const Tensor& x) {
    Dims axes = all_axes(x.dim());
    if (axes.size() > 1) axes.erase(axes.begin() + 1);
    return axes;
}

// With the batch's own statistics, and what becomes of the running ones.
fn::ThreeTensors by_batch(const Tensor& x, const Tensor& scale, const Tensor& bias, const Tensor& mean,
                          const Tensor& var, double epsilon, double momentum) {
    const auto [batch_var, batch_mean] = fn::var_mean(x, all_but_channels(x), 0);
    const Tensor out = call_one("aten::batch_norm", {x, scale, bias, IValue(), IValue(), true, 0.0, epsilon, false});
    const auto running = [&](const Tensor& before, const Tensor& now) {
        return fn::add(fn::mul_scalar(before, Scalar(momentum)),
                       cast(fn::mul_scalar(fn::detach(now), Scalar(1 - momentum)), before.dtype()));
    };
    return {out, running(mean, batch_mean), running(var, batch_var)};
}

// The five outputs of opset 9, of which four are of training.
void batch_norm_v7(Arguments a, IValue* results) {
    const Tensor x = a[0].to_tensor();
    require(a[7].is_none() || a[7].to_int() != 0, "batch normalisation of each element (spatial = 0)");
    results[0] =
        by_statistics(x, a[1].to_tensor(), a[2].to_tensor(), a[3].to_tensor(), a[4].to_tensor(), a[5].to_double());
    for (std::size_t i = 1; i < 5; ++i) results[i] = fn::alias(a[i < 3 ? i + 2 : i].to_tensor());
}
Tensor batch_norm_v7_one(const Tensor& x, const Tensor& scale, const Tensor& bias, const Tensor& mean,
                         const Tensor& var, double epsilon, double, std::int64_t spatial) {
    if (spatial == 0) {
        // One scale and one mean for each element of a sample.
        const Tensor centred = fn::sub(x, mean);
        const Tensor root = fn::sqrt(fn::add_scalar(var, Scalar(epsilon)));
        return fn::add(fn::mul(fn::div(centred, root), scale), bias);
    }
    return by_statistics(x, scale, bias, mean, var, epsilon);
}
// The five outputs of opset 6, where training is the default.
void batch_norm_v1(Arguments a, IValue* results) {
    const Tensor x = a[0].to_tensor(), mean = a[3].to_tensor(), var = a[4].to_tensor();
    require(a[7].to_int() != 0, "batch normalisation of each element (spatial = 0)");
    if (a[8].to_int() != 0) {
        results[0] = by_statistics(x, a[1].to_tensor(), a[2].to_tensor(), mean, var, a[5].to_double());
        for (std::size_t i = 1; i < 5; ++i) results[i] = fn::alias(i % 2 == 1 ? mean : var);
        return;
    }
    const auto [out, running_mean, running_var] =
        by_batch(x, a[1].to_tensor(), a[2].to_tensor(), mean, var, a[5].to_double(), a[6].to_double());
    const auto [batch_var, batch_mean] = fn::var_mean(x, all_but_channels(x), 0);
    const Tensor given[] = {out, running_mean, running_var, batch_mean, batch_var};
    std::copy(std::begin(given), std::end(given), results);
}
Tensor batch_norm_v1_one(const Tensor& x, const Tensor& scale, const Tensor& bias, const Tensor& mean,
                         const Tensor& var, double epsilon, double momentum, std::int64_t spatial,
                         std::int64_t is_test) {
    if (is_test != 0) return batch_norm_v7_one(x, scale, bias, mean, var, epsilon, momentum, spatial);
    require(spatial != 0, "batch normalisation of each element (spatial = 0) in training");
    return std::get<0>(by_batch(x, scale, bias, mean, var, epsilon, momentum));
}
fn::ThreeTensors batch_norm(const Tensor& x, const Tensor& scale, const Tensor& bias, const Tensor& mean,
                            const Tensor& var, double epsilon, double momentum, std::int64_t training_mode) {
    if (training_mode != 0) return by_batch(x, scale, bias, mean, var, epsilon, momentum);
    return {by_statistics(x, scale, bias, mean, var, epsilon), fn::alias(mean), fn::alias(var)};
}
Tensor batch_norm_one(const Tensor& x, const Tensor& scale, const Tensor& bias, const Tensor& mean, const Tensor& var,
                      double epsilon, double momentum, std::int64_t training_mode) {
    if (training_mode != 0) return std::get<0>(by_batch(x, scale, bias, mean, var, epsilon, momentum));
    return by_statistics(x, scale, bias, mean, var, epsilon);
}

Tensor instance_norm(const Tensor& x, const Tensor& scale, const Tensor& bias, double epsilon) {
    return call_one("aten::instance_norm", {x, scale, bias, IValue(), IValue(), true, 0.0, epsilon, false});
}

bool same_sizes(const Tensor& t, IntSpan sizes) { return std::ranges::equal(t.sizes(), sizes); }

// Sums are made with at least 32 bits.
Tensor widened(const Tensor& x, std::int64_t stash_type) {
    const bool is_narrow = x.dtype() == ScalarType::Float16 || x.dtype() == ScalarType::BFloat16;
    return is_narrow && stash_type == 1 ? cast(x, ScalarType::Float32) : x;
}

fn::ThreeTensors layer_norm(const Tensor& x, const Tensor& scale, const Tensor& bias, std::int64_t axis, double epsilon,
                            std::int64_t stash_type) {
    const std::int64_t from = wrap_dim(axis, x.dim());
    const Dims normalized = to_dims(x.sizes().subspan(static_cast<std::size_t>(from)));
    const auto fits = [&](const Tensor& t) { return !t.defined() || same_sizes(t, span_of(normalized)); };
    const Tensor in = widened(x, stash_type);
    if (in.is_same(x) && fits(scale) && fits(bias))
        return fn::native_layer_norm(x, normalized, or_none(scale), or_none(bias), epsilon);
    const auto [plain, mean, root] = fn::native_layer_norm(in, normalized, IValue(), IValue(), epsilon);
    Tensor out = cast(plain, x.dtype());
    if (scale.defined()) out = fn::mul(out, scale);
    if (bias.defined()) out = fn::add(out, bias);
    return {out, mean, root};
}
Tensor layer_norm_one(const Tensor& x, const Tensor& scale, const Tensor& bias, std::int64_t axis, double epsilon,
                      std::int64_t stash_type) {
    const std::int64_t from = wrap_dim(axis, x.dim());
    const Dims normalized = to_dims(x.sizes().subspan(static_cast<std::size_t>(from)));
    const auto fits = [&](const Tensor& t) { return !t.defined() || same_sizes(t, span_of(normalized)); };
    if (widened(x, stash_type).is_same(x) && fits(scale) && fits(bias))
        return fn::layer_norm(x, normalized, or_none(scale), or_none(bias), epsilon);
    return std::get<0>(layer_norm(x, scale, bias, axis, epsilon, stash_type));
}

Tensor rms_norm(const Tensor& x, const Tensor& scale, std::int64_t axis, double epsilon, std::int64_t stash_type) {
    const std::int64_t from = wrap_dim(axis, x.dim());
    const Tensor in = widened(x, stash_type);
    Dims axes;
    for (std::int64_t d = from; d < x.dim(); ++d) axes.push_back(d);
    const Tensor mean = fn::mean_dim(fn::mul(in, in), axes, true);
    const Tensor plain = fn::mul(in, fn::rsqrt(fn::add_scalar(mean, Scalar(epsilon))));
    return fn::mul(cast(plain, x.dtype()), scale);
}

// Opset 18 had one scale a group.
Tensor group_norm_by_group(const Tensor& x, const Tensor& scale, const Tensor& bias, double epsilon,
                           std::int64_t num_groups) {
    require(num_groups > 0 && x.dim() >= 2 && x.size(1) % num_groups == 0, "channels do not divide into ", num_groups,
            " groups");
    const Tensor each = scalar_tensor(Scalar(x.size(1) / num_groups), ScalarType::Int64);
    const Tensor repeats = fn::expand(each, Dims{num_groups});
    return call_one("aten::group_norm", {x, num_groups, fn::repeat_interleave(scale, repeats, 0),
                                         fn::repeat_interleave(bias, repeats, 0), epsilon, false});
}
Tensor group_norm(const Tensor& x, const Tensor& scale, const Tensor& bias, double epsilon, std::int64_t num_groups,
                  std::int64_t) {
    return call_one("aten::group_norm", {x, num_groups, scale, bias, epsilon, false});
}

// x / (bias + alpha / size sum of squares of neighbours)^beta, across channels.
Tensor lrn(const Tensor& x, double alpha, double beta, double bias, std::int64_t size) {
    require(size > 0 && size <= 1 << 20 && x.dim() >= 2, "a window of ", size, " channels");
    const std::int64_t before = (size - 1) / 2;
    Dims pads(static_cast<std::size_t>(2 * (x.dim() - 1)), 0);
    pads[pads.size() - 2] = before;
    pads[pads.size() - 1] = size - 1 - before;
    const Tensor squares = fn::constant_pad_nd(fn::mul(x, x), pads, Scalar(0.0));
    const Tensor sums = fn::sum_dim(fn::unfold(squares, 1, size, 1), Dims{-1}, false);
    const Tensor scaled = fn::add_scalar(fn::mul_scalar(sums, Scalar(alpha / static_cast<double>(size))), Scalar(bias));
    return fn::div(x, fn::pow_scalar(scaled, Scalar(beta)));
}

Tensor lp_normalization(const Tensor& x, std::int64_t axis, std::int64_t p) {
    const Tensor norm = fn::vector_norm(x, Scalar(static_cast<double>(p)), Dims{wrap_dim(axis, x.dim())}, true);
    // Where all elements are 0 they stay 0.
    const Tensor divisor = fn::where(fn::eq_scalar(norm, Scalar(0.0)), like_number(x, 1), norm);
    return fn::div(x, divisor);
}

Tensor mean_variance(const Tensor& x, const std::optional<Dims>& axes) {
    const Dims over = wrapped_axes(axes.value_or(Dims{0, 2, 3}), x.dim());
    const Tensor centred = fn::sub(x, fn::mean_dim(x, over, true));
    const Tensor deviation = fn::sqrt(fn::mean_dim(fn::mul(centred, centred), over, true));
    return fn::div(centred, fn::add_scalar(deviation, Scalar(1e-9)));
}

#define LOUPE_BATCH_1                                                                            \
    "(Tensor X, Tensor scale, Tensor B, Tensor mean, Tensor var, *, float epsilon=1e-05, float " \
    "momentum=0.9, int spatial=1, int is_test=0) -> "
#define LOUPE_BATCH_7                                                                            \
    "(Tensor X, Tensor scale, Tensor B, Tensor mean, Tensor var, *, float epsilon=1e-05, float " \
    "momentum=0.9, int spatial=1) -> "
#define LOUPE_BATCH                                                                                          \
    "(Tensor X, Tensor scale, Tensor B, Tensor input_mean, Tensor input_var, *, float epsilon=1e-05, float " \
    "momentum=0.9, int training_mode=0) -> "
#define LOUPE_LAYER \
    "(Tensor X, Tensor Scale, Tensor? B=None, *, int axis=-1, float epsilon=1e-05, int stash_type=1) -> "

constexpr OperatorRecord kRecords[] = {
    made_of("onnx::BatchNormalization" LOUPE_BATCH_1 "(Tensor, Tensor, Tensor, Tensor, Tensor)",
            "Each channel scaled by its mean and variance, of the batch in training; and these.", batch_norm_v1),
    made_of("onnx::BatchNormalization.one" LOUPE_BATCH_1 "Tensor",
            "Each channel scaled by its mean and variance, of the batch in training.", boxed<batch_norm_v1_one>),
    made_of("onnx::BatchNormalization.v7" LOUPE_BATCH_7 "(Tensor, Tensor, Tensor, Tensor, Tensor)",
            "Each channel scaled by its mean and variance, and these.", batch_norm_v7),
    made_of("onnx::BatchNormalization.v7_one" LOUPE_BATCH_7 "Tensor", "Each channel scaled by its mean and variance.",
            boxed<batch_norm_v7_one>),
    made_of("onnx::BatchNormalization.v14" LOUPE_BATCH "(Tensor, Tensor, Tensor)",
            "Each channel scaled by its mean and variance, of the batch in training; and the running ones.",
            boxed<batch_norm>),
    made_of("onnx::BatchNormalization.v14_one" LOUPE_BATCH "Tensor",
            "Each channel scaled by its mean and variance, of the batch in training.", boxed<batch_norm_one>),
    made_of("onnx::InstanceNormalization(Tensor input, Tensor scale, Tensor B, *, float epsilon=1e-05) -> Tensor",
            "Each channel of each sample scaled by its mean and variance.", boxed<instance_norm>),
    made_of("onnx::LayerNormalization" LOUPE_LAYER "(Tensor, Tensor, Tensor)",
            "Each row scaled by its mean and variance, its mean, and 1 / its deviation.", boxed<layer_norm>),
    made_of("onnx::LayerNormalization.one" LOUPE_LAYER "Tensor", "Each row scaled by its mean and variance.",
            boxed<layer_norm_one>),
    made_of("onnx::RMSNormalization(Tensor X, Tensor scale, *, int axis=-1, float epsilon=1e-05, int stash_type=1) -> "
            "Tensor",
            "Each row divided by the root of its mean square.", boxed<rms_norm>),
    made_of("onnx::GroupNormalization(Tensor X, Tensor scale, Tensor bias, *, float epsilon=1e-05, int num_groups) -> "
            "Tensor",
            "Groups of channels scaled by their mean and variance; one scale a group.", boxed<group_norm_by_group>),
    made_of("onnx::GroupNormalization.v21(Tensor X, Tensor scale, Tensor bias, *, float epsilon=1e-05, int num_groups, "
            "int stash_type=1) -> Tensor",
            "Groups of channels scaled by their mean and variance.", boxed<group_norm>),
    made_of("onnx::LRN(Tensor X, *, float alpha=0.0001, float beta=0.75, float bias=1., int size) -> Tensor",
            "Each element divided by the size of its neighbours in other channels.", boxed<lrn>),
    made_of("onnx::LpNormalization(Tensor input, *, int axis=-1, int p=2) -> Tensor",
            "Each row along an axis divided by its p-norm.", boxed<lp_normalization>),
    made_of("onnx::MeanVarianceNormalization(Tensor X, *, int[]? axes=None) -> Tensor",
            "(x - mean) / deviation over axes.", boxed<mean_variance>),
};

#undef LOUPE_BATCH_OLD
#undef LOUPE_BATCH
#undef LOUPE_LAYER

}  // namespace

std::span<const OperatorRecord> normalization_records() { return kRecords; }

}  // namespace loupe::onnx
