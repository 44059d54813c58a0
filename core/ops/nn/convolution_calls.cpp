// SPDX-License-Identifier: Apache-2.0
// Overloads of convolution: by number of dimensions, transposed, with padding by name; unbatched inputs.
#include <limits>

#include "core/kernels/integer_math.h"
#include "core/ops/nn/common.h"
#include "core/ops/nn/convolution.h"
#include "core/ops/nn/family.h"
#include "core/ops/not_finite.h"

namespace loupe {
namespace {

using namespace nn_ops;

// Adds a batch of one to an unbatched input. Throws when the input has neither number of dimensions.
Tensor batched(const Tensor& input, std::int64_t spatial, std::string_view name, bool& was_batched) {
    was_batched = input.dim() == spatial + 2;
    require(was_batched || input.dim() == spatial + 1, "Expected ", spatial + 1, "D (unbatched) or ", spatial + 2,
            "D (batched) input to ", name, ", but got input of size: ", shape_list_text(input.sizes()));
    return was_batched ? input : fn::unsqueeze(input, 0);
}

// A convolution of complex numbers is made of three of real ones (Gauss).
Tensor convolve(const Tensor& input, const Tensor& weight, const Tensor& bias, const Dims& stride, const Dims& padding,
                const Dims& dilation, bool transposed, const Dims& output_padding, std::int64_t groups) {
    const auto of_parts = [&](const Tensor& x, const Tensor& w, const Tensor& b) {
        return fn::convolution(x, w, b, stride, padding, dilation, transposed, output_padding, groups);
    };
    if (!is_complex(input.dtype()) || !is_complex(weight.dtype())) return of_parts(input, weight, bias);
    const Tensor xr = fn::real(input), xi = fn::imag(input);
    const Tensor wr = fn::real(weight), wi = fn::imag(weight);
    const bool has_bias = bias.defined();
    const Tensor both = of_parts(fn::add(xr, xi, Scalar(1)), fn::add(wr, wi, Scalar(1)),
                                 has_bias ? fn::add(fn::real(bias), fn::imag(bias), Scalar(1)) : Tensor());
    const Tensor reals = of_parts(xr, wr, has_bias ? fn::real(bias) : Tensor());
    const Tensor imaginaries = of_parts(xi, wi, Tensor());
    return fn::complex(fn::sub(reals, imaginaries, Scalar(1)),
                       fn::sub(fn::sub(both, reals, Scalar(1)), imaginaries, Scalar(1)));
}

template <std::int64_t Spatial>
Tensor conv(const Tensor& input, const Tensor& weight, const Tensor& bias, const Dims& stride, const Dims& padding,
            const Dims& dilation, std::int64_t groups) {
    bool was_batched = true;
    const Tensor x = batched(input, Spatial, concat("conv", Spatial, "d"), was_batched);
    const Tensor out = convolve(x, weight, bias, stride, padding, dilation, false, Dims(Spatial, 0), groups);
    return was_batched ? out : fn::squeeze(out, 0);
}

template <std::int64_t Spatial>
Tensor conv_transpose(const Tensor& input, const Tensor& weight, const Tensor& bias, const Dims& stride,
                      const Dims& padding, const Dims& output_padding, std::int64_t groups, const Dims& dilation) {
    bool was_batched = true;
    const Tensor x = batched(input, Spatial, concat("conv_transpose", Spatial, "d"), was_batched);
    const Tensor out = convolve(x, weight, bias, stride, padding, dilation, true, output_padding, groups);
    return was_batched ? out : fn::squeeze(out, 0);
}

// padding="same": half on each side, the odd one at the end.
Tensor convolve_same(const Tensor& input, const Tensor& weight, const Tensor& bias, const Dims& stride,
                     const Dims& dilation, std::int64_t groups) {
    require(weight.dim() >= 3, "weight should have at least three dimensions");
    const auto spatial = static_cast<std::size_t>(weight.dim()) - 2;
    for (const std::int64_t step : stride)
        require(step == 1, "padding='same' is not supported for strided convolutions");
    const Dims steps = expand_parameter(dilation, spatial, "dilation");
    for (const std::int64_t d : steps)
        require(d > 0 && d <= std::numeric_limits<std::int32_t>::max(), "dilation ", d, " is out of range");
    Dims padding;
    Dims uneven;  // last dimension first, as constant_pad_nd takes it
    bool is_uneven = false;
    for (std::size_t i = 0; i < spatial; ++i) require(weight.sizes()[i + 2] > 0, "negative padding is not supported");
    for (std::size_t i = 0; i < spatial; ++i) padding.push_back(steps[i] * (weight.sizes()[i + 2] - 1) / 2);
    for (std::size_t i = spatial; i-- > 0;) {
        const std::int64_t rest = steps[i] * (weight.sizes()[i + 2] - 1) % 2;
        uneven.push_back(0);
        uneven.push_back(rest);
        is_uneven = is_uneven || rest != 0;
    }
    const Tensor x = is_uneven ? fn::constant_pad_nd(input, uneven, Scalar(0)) : input;
    return convolve(x, weight, bias, stride, padding, dilation, false, Dims(spatial, 0), groups);
}

Tensor convolution_mode(const Tensor& input, const Tensor& weight, const Tensor& bias, const Dims& stride,
                        std::string_view padding, const Dims& dilation, std::int64_t groups) {
    if (padding == "same") return convolve_same(input, weight, bias, stride, dilation, groups);
    require(padding == "valid", "Invalid padding string: '", padding, "'");
    return convolve(input, weight, bias, stride, Dims{0}, dilation, false, Dims{0}, groups);
}

template <std::int64_t Spatial>
Tensor conv_padded(const Tensor& input, const Tensor& weight, const Tensor& bias, const Dims& stride,
                   std::string_view padding, const Dims& dilation, std::int64_t groups) {
    bool was_batched = true;
    const Tensor x = batched(input, Spatial, concat("conv", Spatial, "d"), was_batched);
    const Tensor out = convolution_mode(x, weight, bias, stride, padding, dilation, groups);
    return was_batched ? out : fn::squeeze(out, 0);
}

Tensor convolution_full(const Tensor& input, const Tensor& weight, const Tensor& bias, const Dims& stride,
                        const Dims& padding, const Dims& dilation, bool transposed, const Dims& output_padding,
                        std::int64_t groups, bool, bool, bool, bool) {
    return convolve(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups);
}

std::int64_t tbc_steps(const Tensor& self, const Tensor& weight, std::int64_t pad) {
    return checked_sum(checked_product(2, pad), self.size(0) - weight.size(0) + 1);
}

// Of floats of eight bits: a product for each tap, each sum rounded. Of input [T, B, I] and weight [K, I, O].
Tensor conv_tbc_by_taps(const Tensor& self, const Tensor& weight, const Tensor& bias, std::int64_t pad) {
    const std::int64_t steps = tbc_steps(self, weight, pad), batch = self.size(1);
    require(steps >= 0 && self.size(2) == weight.size(1),
            "Calculated padded input size is smaller than the kernel, or ",
            "the input has other channels than the weight");
    const Tensor out =
        fn::clone(fn::expand(bias, Dims{steps, batch, weight.size(2)}, false), static_cast<std::int64_t>(0));
    static const OperatorHandle<> add_product("aten::addmm"), copy("aten::copy_");
    for (std::int64_t tap = 0; tap < weight.size(0); ++tap) {
        const std::int64_t from = std::max<std::int64_t>(tap - pad, 0), to = std::max<std::int64_t>(pad - tap, 0);
        const std::int64_t count = std::min(self.size(0) - from, steps - to);
        if (count <= 0) continue;
        const Tensor part = fn::narrow(out, 0, to, count);
        const Tensor seen = fn::reshape(fn::narrow(self, 0, from, count), Dims{count * batch, self.size(2)});
        const Tensor sum = add_product(fn::reshape(part, Dims{count * batch, weight.size(2)}), seen,
                                       fn::select(weight, 0, tap), Scalar(1), Scalar(1));
        copy(part, fn::reshape(sum, to_dims(part.sizes())));
    }
    return out;
}

// input [T, B, I], weight [K, I, O].
Tensor conv_tbc(const Tensor& self, const Tensor& weight, const Tensor& bias, std::int64_t pad) {
    require(self.dim() == 3, "Input must have 3 dims: time, batch, in_channel");
    require(weight.dim() == 3, "Weight tensor must have 3 dims: kernel_width, in_channels, out_channels.");
    const std::int64_t steps = tbc_steps(self, weight, pad);
    if ((self.numel() == 0 || weight.numel() == 0) && self.size(2) == weight.size(1) && bias.dim() == 1 &&
        bias.size(0) == weight.size(2) && steps >= 0) {
        return fn::clone(fn::expand(bias, Dims{steps, self.size(1), weight.size(2)}, false), 0);
    }
    if (is_floating(self.dtype()) && element_size(self.dtype()) == 1) return conv_tbc_by_taps(self, weight, bias, pad);
    const Tensor x = fn::permute(self, Dims{1, 2, 0});
    const Tensor w = fn::permute(weight, Dims{2, 1, 0});
    const Tensor out = convolve(x, w, bias, Dims{1}, Dims{pad}, Dims{1}, false, Dims{0}, std::int64_t{1});
    return fn::permute(out, Dims{2, 0, 1});
}

// Of any call whose first arguments are input and weight and that is not transposed.
Cost call_cost(Arguments arguments, std::span<const IValue> results) {
    const Tensor weight = arguments[1].to_tensor();
    const Tensor out = results[0].to_tensor();
    Cost cost;
    cost.bytes = static_cast<double>(arguments[0].to_tensor().bytes() + weight.bytes() + out.bytes());
    cost.flops = 2.0 * static_cast<double>(out.numel()) * static_cast<double>(weight.numel()) /
                 static_cast<double>(std::max<std::int64_t>(1, weight.size(0)));
    return cost;
}
Cost transposed_cost(Arguments arguments, std::span<const IValue> results) {
    const std::array<IValue, 1> input{arguments[0]};
    Cost cost = call_cost(arguments, input);
    cost.bytes +=
        static_cast<double>(results[0].to_tensor().bytes()) - static_cast<double>(arguments[0].to_tensor().bytes());
    return cost;
}

template <std::size_t Spatial>
std::vector<Sample> conv_samples(Random& random, ScalarType dtype) {
    Dims x{2, 3};
    Dims w{4, 3};
    for (std::size_t i = 0; i < Spatial; ++i) {
        x.push_back(5);
        w.push_back(3);
    }
    const auto t = [&](const Dims& sizes) { return random_tensor(random, span_of(sizes), dtype); };
    return {{{t(x), t(w), t({4}), Dims(Spatial, 1), Dims(Spatial, 1), Dims(Spatial, 1), 1}},
            {{t(Dims(x.begin() + 1, x.end())), t(w), IValue(), Dims(Spatial, 2), Dims(Spatial, 0), Dims(Spatial, 1), 1},
             "unbatched"}};
}

template <std::size_t Spatial>
std::vector<Sample> padded_samples(Random& random, ScalarType dtype) {
    Dims x{2, 3};
    Dims w{4, 3};
    for (std::size_t i = 0; i < Spatial; ++i) {
        x.push_back(5);
        w.push_back(i == 0 ? 2 : 3);
    }
    const auto t = [&](const Dims& sizes) { return random_tensor(random, span_of(sizes), dtype); };
    return {{{t(x), t(w), t({4}), Dims(Spatial, 1), "same", Dims(Spatial, 1), 1}, "same"},
            {{t(x), t(w), t({4}), Dims(Spatial, 2), "valid", Dims(Spatial, 1), 1}, "valid"}};
}

template <std::size_t Spatial>
std::vector<Sample> transpose_samples(Random& random, ScalarType dtype) {
    Dims x{2, 3};
    Dims w{3, 4};
    for (std::size_t i = 0; i < Spatial; ++i) {
        x.push_back(4);
        w.push_back(3);
    }
    const auto t = [&](const Dims& sizes) { return random_tensor(random, span_of(sizes), dtype); };
    return {{{t(x), t(w), t({4}), Dims(Spatial, 2), Dims(Spatial, 1), Dims(Spatial, 1), 1, Dims(Spatial, 1)}}};
}

std::vector<Sample> full_samples(Random& random, ScalarType dtype) {
    return {{{random_tensor(random, {2, 3, 5, 5}, dtype), random_tensor(random, {4, 3, 3, 3}, dtype),
              random_tensor(random, {4}, dtype), Dims{1, 1}, Dims{1, 1}, Dims{1, 1}, false, Dims{0, 0}, 1, false, false,
              true, true}}};
}

std::vector<Sample> tbc_samples(Random& random, ScalarType dtype) {
    return {{{random_tensor(random, {5, 2, 3}, dtype), random_tensor(random, {3, 3, 4}, dtype),
              random_tensor(random, {4}, dtype), 1}}};
}

constexpr std::string_view kFormula =
    "out[n, o, p] = bias[o] + sum_{c, k} input[n, c, stride p + dilation k - padding] weight[o, c, k]";
constexpr std::string_view kTransposedFormula =
    "out[n, o, stride p + dilation k - padding] += input[n, c, p] weight[c, o, k]";

constexpr std::string_view kConvolutionGradient =
    "input: sum_{o, k} grad[n, o, p] weight[o, c, k] at stride p + dilation k - padding\n"
    "weight: sum_{n, p} grad[n, o, p] input[n, c, stride p + dilation k - padding]\n"
    "bias: sum_{n, p} grad[n, o, p]";
constexpr std::string_view kTransposed =
    "input: sum_{o, k} grad[n, o, stride p + dilation k - padding] weight[c, o, k]\n"
    "weight: sum_{n, p} input[n, c, p] grad[n, o, stride p + dilation k - padding]\n"
    "bias: sum_{n, p} grad[n, o, p]";

using In = NotFiniteNote::In;
using When = NotFiniteNote::When;
constexpr NotFiniteNote kConv1dNotFinite[] = {
    {In::Either, When::Always, 0, "a convolution that leaves the range of its dtype", advice::kShrink},
};

// The arguments of _convolution for a call of a convolution by number of dimensions. None for an unbatched input, which
// PyTorch's tracer shows as it is.
template <bool transposed>
std::vector<IValue> as_convolution(Arguments a) {
    const Tensor& weight = a[1].to_tensor();
    if (a[0].to_tensor().dim() != weight.dim()) return {};
    const auto dims = static_cast<std::size_t>(weight.dim() - 2);
    const auto for_all = [dims](const IValue& value) {
        Dims all = value.to_ints();
        if (all.size() == 1) all.resize(dims, all[0]);
        return IValue(all);
    };
    const auto of = [&](IValue dilation, IValue output_padding, const IValue& groups) -> std::vector<IValue> {
        return {a[0],           a[1],   a[2],  for_all(a[3]), for_all(a[4]), dilation, transposed,
                output_padding, groups, false, false,         true,          true};
    };
    if constexpr (transposed)
        return of(for_all(a[7]), for_all(a[5]), a[6]);
    else
        return of(for_all(a[5]), IValue(Dims(dims, 0)), a[6]);
}
constexpr TracedForm kTraced = {"aten::_convolution", as_convolution<false>};
constexpr TracedForm kTracedTransposed = {"aten::_convolution", as_convolution<true>};

constexpr OperatorRecord kRecords[] = {
    {
        .schema = "aten::conv1d(Tensor input, Tensor weight, Tensor? bias=None, int[1] stride=[1], int[1] padding=[0], "
                  "int[1] "
                  "dilation=[1], int groups=1) -> Tensor",
        .summary = "Convolution over one dimension; input [N, C, L] or [C, L].",
        .formula = kFormula,
        .composite = boxed<conv<1>>,
        .gradient = kConvolutionGradient,
        .cost = call_cost,
        .samples = conv_samples<1>,
        .autocast = {.cpu = Autocast::Lower, .cuda = Autocast::Lower},
        .not_finite = kConv1dNotFinite,
        .traced = kTraced,
    },
    {
        .schema =
            "aten::conv2d(Tensor input, Tensor weight, Tensor? bias=None, int[2] stride=1, int[2] padding=0, int[2] "
            "dilation=1, "
            "int groups=1) -> Tensor",
        .summary = "Convolution over two dimensions; input [N, C, H, W] or [C, H, W].",
        .formula = kFormula,
        .composite = boxed<conv<2>>,
        .gradient = kConvolutionGradient,
        .cost = call_cost,
        .samples = conv_samples<2>,
        .autocast = {.cpu = Autocast::Lower, .cuda = Autocast::Lower},
        .not_finite = kConv1dNotFinite,
        .traced = kTraced,
    },
    {
        .schema =
            "aten::conv3d(Tensor input, Tensor weight, Tensor? bias=None, int[3] stride=1, int[3] padding=0, int[3] "
            "dilation=1, "
            "int groups=1) -> Tensor",
        .summary = "Convolution over three dimensions; input [N, C, D, H, W] or [C, D, H, W].",
        .formula = kFormula,
        .composite = boxed<conv<3>>,
        .gradient = kConvolutionGradient,
        .cost = call_cost,
        .samples = conv_samples<3>,
        .autocast = {.cpu = Autocast::Lower, .cuda = Autocast::Lower},
        .not_finite = kConv1dNotFinite,
        .traced = kTraced,
    },
    {
        .schema = "aten::conv1d.padding(Tensor input, Tensor weight, Tensor? bias=None, int[1] stride=[1], str "
                  "padding=\"valid\", "
                  "int[1] dilation=[1], int groups=1) -> Tensor",
        .summary = "Convolution over one dimension with padding \"same\" or \"valid\".",
        .formula = kFormula,
        .composite = boxed<conv_padded<1>>,
        .cost = call_cost,
        .samples = padded_samples<1>,
        .autocast = {.cpu = Autocast::Lower, .cuda = Autocast::Lower},
    },
    {
        .schema = "aten::conv2d.padding(Tensor input, Tensor weight, Tensor? bias=None, int[2] stride=1, str "
                  "padding=\"valid\", "
                  "int[2] "
                  "dilation=1, int groups=1) -> Tensor",
        .summary = "Convolution over two dimensions with padding \"same\" or \"valid\".",
        .formula = kFormula,
        .composite = boxed<conv_padded<2>>,
        .cost = call_cost,
        .samples = padded_samples<2>,
        .autocast = {.cpu = Autocast::Lower, .cuda = Autocast::Lower},
    },
    {
        .schema = "aten::conv3d.padding(Tensor input, Tensor weight, Tensor? bias=None, int[3] stride=1, str "
                  "padding=\"valid\", "
                  "int[3] "
                  "dilation=1, int groups=1) -> Tensor",
        .summary = "Convolution over three dimensions with padding \"same\" or \"valid\".",
        .formula = kFormula,
        .composite = boxed<conv_padded<3>>,
        .cost = call_cost,
        .samples = padded_samples<3>,
        .autocast = {.cpu = Autocast::Lower, .cuda = Autocast::Lower},
    },
    {
        .schema = "aten::_convolution_mode(Tensor input, Tensor weight, Tensor? bias, int[] stride, str padding, int[] "
                  "dilation, "
                  "int "
                  "groups) -> Tensor",
        .summary = "Convolution with padding \"same\" or \"valid\".",
        .formula = kFormula,
        .composite = boxed<convolution_mode>,
        .gradient = kConvolutionGradient,
        .cost = call_cost,
        .samples = padded_samples<2>,
    },
    {
        .schema = "aten::_convolution(Tensor input, Tensor weight, Tensor? bias, int[] stride, int[] padding, int[] "
                  "dilation, "
                  "bool "
                  "transposed, int[] output_padding, int groups, bool benchmark, bool deterministic, bool "
                  "cudnn_enabled, bool "
                  "allow_tf32) -> Tensor",
        .summary = "Convolution as traced graphs call it; the last four arguments change nothing here.",
        .formula = kFormula,
        .composite = boxed<convolution_full>,
        .gradient = kConvolutionGradient,
        .cost = call_cost,
        .samples = full_samples,
        .variants = kOut,
        .autocast = {.cuda = Autocast::Lower},
        .not_finite = kConv1dNotFinite,
    },
    {
        .schema = "aten::conv_transpose1d(Tensor input, Tensor weight, Tensor? bias=None, int[1] stride=[1], int[1] "
                  "padding=[0], "
                  "int[1] "
                  "output_padding=[0], int groups=1, int[1] dilation=[1]) -> Tensor",
        .summary = "Transposed convolution over one dimension.",
        .formula = kTransposedFormula,
        .composite = boxed<conv_transpose<1>>,
        .gradient = kTransposed,
        .cost = transposed_cost,
        .samples = transpose_samples<1>,
        .autocast = {.cpu = Autocast::Lower, .cuda = Autocast::Lower},
        .traced = kTracedTransposed,
    },
    {
        .schema =
            "aten::conv_transpose2d.input(Tensor input, Tensor weight, Tensor? bias=None, int[2] stride=1, int[2] "
            "padding=0, "
            "int[2] output_padding=0, int groups=1, int[2] dilation=1) -> Tensor",
        .summary = "Transposed convolution over two dimensions.",
        .formula = kTransposedFormula,
        .composite = boxed<conv_transpose<2>>,
        .gradient = kTransposed,
        .cost = transposed_cost,
        .samples = transpose_samples<2>,
        .autocast = {.cpu = Autocast::Lower, .cuda = Autocast::Lower},
        .traced = kTracedTransposed,
    },
    {
        .schema =
            "aten::conv_transpose3d.input(Tensor input, Tensor weight, Tensor? bias=None, int[3] stride=1, int[3] "
            "padding=0, "
            "int[3] output_padding=0, int groups=1, int[3] dilation=1) -> Tensor",
        .summary = "Transposed convolution over three dimensions.",
        .formula = kTransposedFormula,
        .composite = boxed<conv_transpose<3>>,
        .gradient = kTransposed,
        .cost = transposed_cost,
        .samples = transpose_samples<3>,
        .autocast = {.cpu = Autocast::Lower, .cuda = Autocast::Lower},
        .traced = kTracedTransposed,
    },
    {
        .schema = "aten::conv_tbc(Tensor self, Tensor weight, Tensor bias, int pad=0) -> Tensor",
        .summary = "Convolution over time; input [T, B, C].",
        .formula = "out[t, n, o] = bias[o] + sum_{c, k} self[t + k - pad, n, c] weight[k, c, o]",
        .composite = boxed<conv_tbc>,
        .samples = tbc_samples,
        .variants = kOut,
        .autocast = {.cpu = Autocast::Lower, .cuda = Autocast::Lower},
    },
};

}  // namespace

std::span<const OperatorRecord> nn_ops::convolution_call_records() { return kRecords; }

}  // namespace loupe
