// SPDX-License-Identifier: Apache-2.0
#include "core/nn/init/init.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <numbers>

#include "core/autograd/grad_mode.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/base/torch_release.h"
#include "core/base/typed_error.h"
#include "core/dispatch/functions.h"
#include "core/ops/random/mersenne_twister.h"

namespace loupe::nn::init {
namespace {

const OperatorHandle<> op_erfinv_("aten::erfinv_");
const OperatorHandle<> op_mul_scalar_("aten::mul_.Scalar");
const OperatorHandle<> op_add_scalar_("aten::add_.Scalar");
const OperatorHandle<> op_clamp_("aten::clamp_");
const OperatorHandle<std::tuple<Tensor, Tensor>> op_qr("aten::linalg_qr");
const OperatorHandle<> op_diag("aten::diag");
const OperatorHandle<> op_randperm("aten::randperm");
const OperatorHandle<> op_eye("aten::eye.m");

[[noreturn]] void run_error(std::string message) { throw Error(ErrorKind::Run, std::move(message)); }

double normal_cdf(double x) { return (1 + std::erf(x / std::numbers::sqrt2)) / 2; }

Tensor uniform(const Tensor& t, double a, double b) { return uniform_(t, a, b); }
Tensor normal(const Tensor& t, double mean, double std) { return normal_(t, mean, std); }

// By the inverse of the distribution function, cut to [a, b]. PyTorch 1.13's draws.
Tensor trunc_normal_by_inverse(const Tensor& t, double mean, double std, double a, double b) {
    const double low = normal_cdf((a - mean) / std);
    const double high = normal_cdf((b - mean) / std);
    fn::uniform_(t, 2 * low - 1, 2 * high - 1, IValue());
    op_erfinv_(t);
    op_mul_scalar_(t, Scalar(std * std::numbers::sqrt2));
    op_add_scalar_(t, Scalar(mean), Scalar(1));
    return op_clamp_(t, Scalar(a), Scalar(b));
}

// Normal numbers, drawn again until they lie in [a, b]; where fewer than three in ten would, even numbers of [a, b],
// kept as often as the density says. PyTorch 2.15's draws.
Tensor trunc_normal(const Tensor& t, double mean, double std, double a, double b) {
    const GradModeScope no_grad(false);
    if (is_older_torch()) return trunc_normal_by_inverse(t, mean, std, a, b);
    const double inside = normal_cdf((b - mean) / std) - normal_cdf((a - mean) / std);
    const auto is_any = [](const Tensor& mask) { return item(fn::any(mask)).to_bool(); };
    if (inside > 0.3) {
        fn::normal_(t, mean, std, IValue());
        for (;;) {
            const Tensor outside = fn::logical_or(fn::lt_scalar(t, Scalar(a)), fn::gt_scalar(t, Scalar(b)));
            if (!is_any(outside)) return t;
            const Tensor again = fn::normal_(fn::empty_like(t), mean, std, IValue());
            fn::copy_(t, fn::where(outside, again, t), false);
        }
    }
    const double peak = -0.5 * std::pow((std::max(a, std::min(mean, b)) - mean) / std, 2);
    // Which candidates lie above the density, relative to its greatest in [a, b]?
    const auto refused = [&](const Tensor& candidates) {
        const Tensor distance =
            fn::square(fn::div_scalar(fn::sub_scalar(candidates, Scalar(mean), Scalar(1)), Scalar(std)));
        const Tensor density = fn::sub_scalar(fn::mul_scalar(distance, Scalar(-0.5)), Scalar(peak), Scalar(1));
        return fn::gt(fn::log(fn::uniform_(fn::empty_like(t), 0.0, 1.0, IValue())), density);
    };
    fn::uniform_(t, a, b, IValue());
    Tensor pending = refused(t);
    while (is_any(pending)) {
        const Tensor candidates = fn::uniform_(fn::empty_like(t), a, b, IValue());
        fn::copy_(t, fn::where(pending, candidates, t), false);
        pending = fn::logical_and(pending, refused(candidates));
    }
    return t;
}

Tensor ones(const Tensor& t) { return constant_(t, Scalar(1.0)); }
Tensor zeros(const Tensor& t) { return constant_(t, Scalar(0.0)); }

Tensor eye(const Tensor& t) {
    if (t.dim() != 2) fail_with_value("Only tensors with 2 dimensions are supported");
    const GradModeScope no_grad(false);
    return fn::copy_(
        t, op_eye(t.size(0), t.size(1), static_cast<std::int64_t>(t.dtype()), IValue(), t.device(), IValue()), false);
}

// The identity of convolutions for the first channels.
Tensor dirac(const Tensor& t, std::int64_t groups) {
    const std::int64_t dim = t.dim();
    if (dim != 3 && dim != 4 && dim != 5) fail_with_value("Only tensors with 3, 4, or 5 dimensions are supported");
    if (t.size(0) % groups != 0) fail_with_value("dim 0 must be divisible by groups");
    const GradModeScope no_grad(false);
    fn::zero_(t);
    const std::int64_t per_group = t.size(0) / groups;
    const std::int64_t count = std::min(per_group, t.size(1));
    for (std::int64_t group = 0; group < groups; ++group) {
        for (std::int64_t d = 0; d < count; ++d) {
            Tensor at = fn::select(fn::select(t, 0, group * per_group + d), 0, d);
            while (at.dim() > 0) at = fn::select(at, 0, at.size(0) / 2);
            fn::fill_(at, Scalar(1));
        }
    }
    return t;
}

std::int64_t correct_fan(const Tensor& t, std::string_view given_mode) {
    std::string mode(given_mode);
    std::transform(mode.begin(), mode.end(), mode.begin(), [](char c) { return static_cast<char>(std::tolower(c)); });
    if (mode != "fan_in" && mode != "fan_out") {
        fail_with_value(concat("Mode ", mode, " not supported, please use one of ['fan_in', 'fan_out']"));
    }
    const Fans fans = calculate_fans(t);
    return mode == "fan_in" ? fans.in : fans.out;
}

double kaiming_std(const Tensor& t, double a, std::string_view mode, std::string_view nonlinearity) {
    const auto fan = static_cast<double>(correct_fan(t, mode));
    return calculate_gain(nonlinearity, a) / std::sqrt(fan);
}

// He et al. 2015.
Tensor kaiming_uniform(const Tensor& t, double a, std::string_view mode, std::string_view nonlinearity) {
    return kaiming_uniform_(t, a, mode, nonlinearity);
}
Tensor kaiming_normal(const Tensor& t, double a, std::string_view mode, std::string_view nonlinearity) {
    return t.numel() == 0 ? t : normal_(t, 0, kaiming_std(t, a, mode, nonlinearity));
}

// Glorot and Bengio 2010.
Tensor xavier_uniform(const Tensor& t, double gain) { return xavier_uniform_(t, gain); }
Tensor xavier_normal(const Tensor& t, double gain) { return xavier_normal_(t, gain); }

// Saxe et al. 2013.
Tensor orthogonal(const Tensor& t, double gain) {
    if (t.dim() < 2) fail_with_value("Only tensors with 2 or more dimensions are supported");
    if (t.numel() == 0) return t;
    const GradModeScope no_grad(false);
    const std::int64_t rows = t.size(0);
    const std::int64_t columns = t.numel() / rows;
    Tensor flat = normal_(empty(std::array<std::int64_t, 2>{rows, columns}, t.dtype(), t.device()));
    if (rows < columns) flat = fn::t(flat);
    auto [q, r] = op_qr(flat, std::string("reduced"));
    // Uniform: the diagonal of r positive.
    q = fn::mul(q, fn::sign(op_diag(r, 0)));
    if (rows < columns) q = fn::t(q);
    fn::copy_(t, fn::view(fn::contiguous(q, 0), to_dims(t.sizes())), false);
    return op_mul_scalar_(t, Scalar(gain));
}

Tensor sparse(const Tensor& t, double sparsity, double std) {
    if (t.dim() != 2) fail_with_value("Only tensors with 2 dimensions are supported");
    const GradModeScope no_grad(false);
    const std::int64_t rows = t.size(0);
    const auto zeros_count = static_cast<std::int64_t>(std::ceil(sparsity * static_cast<double>(rows)));
    normal_(t, 0, std);
    for (std::int64_t column = 0; column < t.size(1); ++column) {
        const Tensor order =
            op_randperm(rows, static_cast<std::int64_t>(ScalarType::Int64), IValue(), IValue(), IValue());
        const Tensor values = fn::select(t, 1, column);
        for (std::int64_t i = 0; i < zeros_count; ++i)
            fn::zero_(fn::select(values, 0, item(fn::select(order, 0, i)).to_int()));
    }
    return t;
}

double gain(std::string_view nonlinearity, const IValue& param) { return calculate_gain(nonlinearity, param); }
IValue fans(const Tensor& t) {
    const Fans both = calculate_fans(t);
    return make_ptr<TupleObject>(std::vector<IValue>{both.in, both.out});
}
std::int64_t fan(const Tensor& t, std::string_view mode) { return correct_fan(t, mode); }
Tensor constant(const Tensor& t, const Scalar& value) { return constant_(t, value); }

// The last argument is the generator that numbers are drawn from; None: the default one.
template <auto kFunction>
void drawn(Arguments arguments, IValue* results) {
    const IValue& generator = arguments.back();
    std::optional<DefaultGeneratorScope> scope;
    if (!generator.is_none()) scope.emplace(Ptr<MersenneTwister>(&generator_of(generator)));
    boxed<kFunction>(arguments.first(arguments.size() - 1), results);
}

constexpr NativeFunction kRecords[] = {
    {"calculate_gain(str nonlinearity, Any param=None) -> float", "What a nonlinearity scales the variance by.",
     boxed<gain>},
    {"_calculate_fan_in_and_fan_out(Tensor tensor) -> Any", "How many inputs and outputs a weight connects.",
     boxed<fans>},
    {"_calculate_correct_fan(Tensor tensor, str mode) -> int", "One of the two.", boxed<fan>},
    {"uniform_(Tensor tensor, float a=0.0, float b=1.0, Any generator=None) -> Tensor", "Uniform in [a, b).",
     drawn<uniform>},
    {"normal_(Tensor tensor, float mean=0.0, float std=1.0, Any generator=None) -> Tensor", "Normally distributed.",
     drawn<normal>},
    {"trunc_normal_(Tensor tensor, float mean=0.0, float std=1.0, float a=-2.0, float b=2.0, Any generator=None) -> "
     "Tensor",
     "Normally distributed, without what lies outside [a, b].", drawn<trunc_normal>},
    {"constant_(Tensor tensor, Scalar val) -> Tensor", "One value.", boxed<constant>},
    {"ones_(Tensor tensor) -> Tensor", "Ones.", boxed<ones>},
    {"zeros_(Tensor tensor) -> Tensor", "Zeros.", boxed<zeros>},
    {"eye_(Tensor tensor) -> Tensor", "The identity.", boxed<eye>},
    {"dirac_(Tensor tensor, int groups=1) -> Tensor", "The identity of convolutions.", boxed<dirac>},
    {"xavier_uniform_(Tensor tensor, float gain=1.0, Any generator=None) -> Tensor",
     "Uniform, with the variance kept both ways.", drawn<xavier_uniform>},
    {"xavier_normal_(Tensor tensor, float gain=1.0, Any generator=None) -> Tensor",
     "Normal, with the variance kept both ways.", drawn<xavier_normal>},
    {"kaiming_uniform_(Tensor tensor, float a=0, str mode=\"fan_in\", str nonlinearity=\"leaky_relu\", Any "
     "generator=None) -> Tensor",
     "Uniform, with the variance kept through a rectifier.", drawn<kaiming_uniform>},
    {"kaiming_normal_(Tensor tensor, float a=0, str mode=\"fan_in\", str nonlinearity=\"leaky_relu\", Any "
     "generator=None) -> Tensor",
     "Normal, with the variance kept through a rectifier.", drawn<kaiming_normal>},
    {"orthogonal_(Tensor tensor, float gain=1, Any generator=None) -> Tensor", "An orthogonal matrix.",
     drawn<orthogonal>},
    {"sparse_(Tensor tensor, float sparsity, float std=0.01, Any generator=None) -> Tensor",
     "Normal, with a part of each column zero.", drawn<sparse>},
};

}  // namespace

double calculate_gain(std::string_view nonlinearity, const IValue& param) {
    for (const char* linear : {"linear", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d",
                               "conv_transpose3d", "sigmoid"}) {
        if (nonlinearity == linear) return 1;
    }
    if (nonlinearity == "tanh") return 5.0 / 3;
    if (nonlinearity == "relu") return std::numbers::sqrt2;
    if (nonlinearity == "selu") return 3.0 / 4;
    if (nonlinearity != "leaky_relu") run_error(concat("Unsupported nonlinearity ", nonlinearity));
    if (param.is_none()) return std::sqrt(2.0 / (1 + 0.01 * 0.01));
    if (!param.is_int() && !param.is_double())
        run_error(concat("negative_slope ", python_str(param), " not a valid number"));
    const double slope = param.to_double();
    return std::sqrt(2.0 / (1 + slope * slope));
}

Fans calculate_fans(const Tensor& t) {
    if (t.dim() < 2) run_error("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions");
    std::int64_t field = 1;
    for (std::int64_t d = 2; d < t.dim(); ++d) field *= t.size(d);
    return {t.size(1) * field, t.size(0) * field};
}

Tensor uniform_(const Tensor& t, double a, double b) {
    const GradModeScope no_grad(false);
    return fn::uniform_(t, a, b, IValue());
}
Tensor normal_(const Tensor& t, double mean, double std) {
    const GradModeScope no_grad(false);
    return fn::normal_(t, mean, std, IValue());
}
Tensor constant_(const Tensor& t, const Scalar& value) {
    const GradModeScope no_grad(false);
    return fn::fill_(t, value);
}
Tensor xavier_uniform_(const Tensor& t, double gain) {
    const Fans both = calculate_fans(t);
    const double std = gain * std::sqrt(2.0 / static_cast<double>(both.in + both.out));
    const double bound = std::sqrt(3.0) * std;
    return uniform_(t, -bound, bound);
}
Tensor xavier_normal_(const Tensor& t, double gain) {
    const Fans both = calculate_fans(t);
    return normal_(t, 0, gain * std::sqrt(2.0 / static_cast<double>(both.in + both.out)));
}
Tensor kaiming_uniform_(const Tensor& t, double a, std::string_view mode, std::string_view nonlinearity) {
    if (t.numel() == 0) return t;
    const double bound = std::sqrt(3.0) * kaiming_std(t, a, mode, nonlinearity);
    return uniform_(t, -bound, bound);
}

std::span<const NativeFunction> records() { return kRecords; }

}  // namespace loupe::nn::init
