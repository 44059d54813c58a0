// SPDX-License-Identifier: Apache-2.0
// aten::convolution and its gradients; conv1d and its like are in convolution_calls.cpp.
#include "core/ops/nn/convolution.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "core/base/parallel.h"
#include "core/base/torch_release.h"
#include "core/dispatch/cpp_type_name.h"
#include "core/ops/nn/common.h"
#include "core/ops/nn/family.h"
#include "core/ops/not_finite.h"

namespace loupe {
namespace nn_ops {

ConvolutionParameters convolution_parameters(Arguments arguments, std::size_t first, std::size_t spatial) {
    return {expand_parameter(arguments[first].to_ints(), spatial, "stride"),
            expand_parameter(arguments[first + 1].to_ints(), spatial, "padding"),
            expand_parameter(arguments[first + 2].to_ints(), spatial, "dilation"),
            arguments[first + 3].to_bool(),
            expand_parameter(arguments[first + 4].to_ints(), spatial, "output_padding"),
            arguments[first + 5].to_int()};
}

namespace {

std::string by_sizes(const std::vector<std::int64_t>& sizes) { return concat("(", join(sizes, " x "), ")"); }

void check_parameters(const ConvolutionParameters& p) {
    const auto any = [](const Dims& values, auto&& test) { return std::any_of(values.begin(), values.end(), test); };
    require(!any(p.padding, [](auto v) { return v < 0; }), "negative padding is not supported");
    require(!any(p.output_padding, [](auto v) { return v < 0; }), "negative output_padding is not supported");
    require(!any(p.stride, [](auto v) { return v <= 0; }), "non-positive stride is not supported");
    require(!any(p.dilation, [](auto v) { return v <= 0; }), "dilation should be greater than zero, but got ",
            shape_list_text(span_of(p.dilation)));
    require(p.groups > 0, "non-positive groups is not supported");
    for (const Dims* values : {&p.stride, &p.padding, &p.dilation, &p.output_padding}) {
        require(!any(*values, [](auto v) { return v > std::numeric_limits<std::int32_t>::max(); }),
                "integer out of range");
    }
}

void check_channels(const Tensor& input, const Tensor& weight, const Tensor& bias, const ConvolutionParameters& p) {
    const std::string weight_text = shape_list_text(weight.sizes());
    const IntSpan w = weight.sizes();
    require(w[0] >= p.groups, "Given groups=", p.groups, ", expected weight to be at least ", p.groups,
            " at dimension 0, but got weight of size ", weight_text, " instead");
    require(w[0] % p.groups == 0, "Given groups=", p.groups, ", expected weight to be divisible by ", p.groups,
            " at dimension 0, but got weight of size [", weight_text, "] instead");
    const std::int64_t expected = p.transposed ? w[0] : w[1] * p.groups;
    require(input.size(1) == expected, "Given ", p.transposed ? "transposed=1" : concat("groups=", p.groups),
            ", weight of size ", weight_text, ", expected input", shape_list_text(input.sizes()), " to have ", expected,
            " channels, but got ", input.size(1), " channels instead");
    const std::int64_t out_channels = p.transposed ? w[1] * p.groups : w[0];
    require(!bias.defined() || (bias.dim() == 1 && bias.size(0) == out_channels), "Given ",
            p.transposed ? "transposed=1, " : "", "weight of size ", weight_text,
            ", expected bias to be 1-dimensional with ", out_channels, " elements, but got bias of size ",
            bias.defined() ? shape_list_text(bias.sizes()) : "", " instead");
}

}  // namespace

namespace {

// Of one dimension PyTorch 2 makes two, the first of size 1.
std::string output_padding_text(const ConvolutionParameters& p) {
    if (is_older_torch()) {
        return concat("output_padding: ", shape_list_text(span_of(p.output_padding)),
                      " stride: ", shape_list_text(span_of(p.stride)),
                      " dilation: ", shape_list_text(span_of(p.dilation)));
    }
    constexpr std::array<std::string_view, 3> kAxes{"depth", "height", "width"};
    std::vector<std::string> parts;
    const auto say = [&](std::string_view what, const Dims& values, std::int64_t of_added) {
        const std::size_t shown = std::max<std::size_t>(values.size(), 2);
        for (std::size_t i = 0; i < shown; ++i) {
            const std::int64_t value = i + values.size() < shown ? of_added : values[i + values.size() - shown];
            parts.push_back(concat(what, "_", kAxes[3 - shown + i], ": ", value));
        }
    };
    say("output_padding", p.output_padding, 0);
    say("stride", p.stride, 1);
    say("dilation", p.dilation, 1);
    return join(parts, " ");
}

}  // namespace

Dims check_convolution(const Tensor& input, const Tensor& weight, const Tensor& bias, const ConvolutionParameters& p) {
    const auto rank = static_cast<std::size_t>(weight.dim());
    check_parameters(p);
    require(input.dim() == weight.dim() && rank >= 3, "Expected ", rank, "-dimensional input for ", rank,
            "-dimensional weight ", shape_list_text(weight.sizes()), ", but got ", input.dim(),
            "-dimensional input of size ", shape_list_text(input.sizes()), " instead");
    check_channels(input, weight, bias, p);
    require(!bias.defined() || bias.dtype() == input.dtype(), "Input type (", cpp_type_name(input.dtype()),
            ") and bias type (", bias.defined() ? cpp_type_name(bias.dtype()) : "", ") should be the same");
    require(input.dtype() == weight.dtype(), "expected scalar type ", dtype_graph_name(input.dtype()), " but found ",
            dtype_graph_name(weight.dtype()));
    const ScalarType dtype = input.dtype();
    require(dtype != ScalarType::Bool && (!p.transposed || !is_integral(dtype) || dtype == ScalarType::Int64), "\"",
            p.transposed ? "slow_conv_transpose2d_out_cpu" : "slow_conv2d_cpu", "\" not implemented for '",
            dtype_graph_name(dtype), "'");
    Dims out{input.size(0), p.transposed ? weight.size(1) * p.groups : weight.size(0)};
    std::vector<std::int64_t> padded;
    std::vector<std::int64_t> reach;
    for (std::size_t i = 0; i < rank - 2; ++i) {
        const std::int64_t extent = p.dilation[i] * (weight.sizes()[i + 2] - 1) + 1;
        const std::int64_t in = input.sizes()[i + 2];
        padded.push_back(in + 2 * p.padding[i]);
        reach.push_back(extent);
        if (p.transposed)
            out.push_back((in - 1) * p.stride[i] - 2 * p.padding[i] + extent + p.output_padding[i]);
        else
            out.push_back((padded[i] - extent) / p.stride[i] + 1);
    }
    for (std::size_t i = 0; i < rank - 2; ++i) {
        if (p.transposed) {
            if (p.output_padding[i] >= p.stride[i] && p.output_padding[i] >= p.dilation[i]) {
                require(false, "output padding must be smaller than either stride or dilation, but got ",
                        output_padding_text(p));
            }
            require(out[i + 2] > 0, "Given input size per channel: ", shape_list_text(input.sizes().subspan(2)),
                    ". Calculated output size per channel: ", shape_list_text(span_of(out).subspan(2)),
                    ". Output size is too small");
        } else {
            require(padded[i] >= reach[i], "Calculated padded input size per channel: ", by_sizes(padded),
                    ". Kernel size: ", by_sizes(reach), ". Kernel size can't be greater than actual input size");
        }
    }
    return out;
}

ConvolutionShape convolution_shape(IntSpan input, IntSpan weight, IntSpan output, const ConvolutionParameters& p) {
    if (p.transposed) std::swap(input, output);
    ConvolutionShape s{};
    s.batch = input[0];
    s.in_channels = input[1];
    s.out_channels = output[1];
    s.groups = p.groups;
    s.input = s.kernel = s.output = s.stride = s.dilation = {1, 1, 1};
    s.padding = {0, 0, 0};
    const std::size_t spatial = weight.size() - 2;
    for (std::size_t i = 0; i < spatial; ++i) {
        const std::size_t to = 3 - spatial + i;
        s.input[to] = input[i + 2];
        s.kernel[to] = weight[i + 2];
        s.output[to] = output[i + 2];
        s.stride[to] = p.stride[i];
        s.padding[to] = p.padding[i];
        s.dilation[to] = p.dilation[i];
    }
    return s;
}

namespace {

template <typename T>
void add_bias(const Tensor& out, const Tensor& bias) {
    const std::int64_t channels = out.sizes()[1];
    const std::int64_t pixels = out.numel() / std::max<std::int64_t>(1, out.sizes()[0] * channels);
    T* data = out.data<T>();
    const T* values = bias.data<T>();
    parallel_for(0, out.sizes()[0] * channels, std::max<std::int64_t>(1, 16384 / std::max<std::int64_t>(1, pixels)),
                 [&](std::int64_t begin, std::int64_t end) {
                     for (std::int64_t i = begin; i < end; ++i) {
                         const T value = values[i % channels];
                         for (T* p = data + i * pixels; p != data + (i + 1) * pixels; ++p)
                             *p = static_cast<T>(*p + value);
                     }
                 });
}

}  // namespace

void add_channel_bias(const Tensor& out, const Tensor& bias) {
    visit_dtype(out.dtype(), [&]<typename T>(std::type_identity<T>) {
        if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double> || std::is_same_v<T, std::int64_t>)
            add_bias<T>(out, bias);
        else
            fail_run("add_channel_bias: unexpected dtype");
    });
}

}  // namespace nn_ops
namespace {

using namespace nn_ops;

void infer_convolution(Arguments arguments, MetaList& outputs) {
    const Tensor input = arguments[0].to_tensor();
    const Tensor weight = arguments[1].to_tensor();
    require(weight.dim() >= 3, "weight should have at least three dimensions");
    const auto p = convolution_parameters(arguments, 3, static_cast<std::size_t>(weight.dim()) - 2);
    TensorMeta meta{check_convolution(input, weight, arguments[2].to_tensor(), p), input.dtype(), input.device()};
    const bool channels_last =
        meta.sizes.size() >= 4 && (prefers_channels_last(input) || prefers_channels_last(weight));
    if (channels_last) meta.strides = channels_last_strides(span_of(meta.sizes));
    outputs.push_back(std::move(meta));
}

// Calls f(std::type_identity<T>{}) with float, double or int64.
template <typename F>
void visit_convolution_dtype(ScalarType dtype, F&& f) {
    if (dtype == ScalarType::Float32)
        f(std::type_identity<float>{});
    else if (dtype == ScalarType::Float64)
        f(std::type_identity<double>{});
    else if (dtype == ScalarType::Int64)
        f(std::type_identity<std::int64_t>{});
    else
        fail_run(concat("\"slow_conv2d_cpu\" not implemented for '", dtype_graph_name(dtype), "'"));
}

void run_convolution(Arguments arguments, IValue* results) {
    const Tensor out = results[0].to_tensor();
    if (out.numel() == 0) return;
    const ScalarType dtype = compute_dtype(out.dtype());
    const Tensor input = packed_as(arguments[0].to_tensor(), dtype);
    const Tensor weight = packed_as(arguments[1].to_tensor(), dtype);
    const Tensor bias = packed_as(arguments[2].to_tensor(), dtype);
    const auto p = convolution_parameters(arguments, 3, static_cast<std::size_t>(weight.dim()) - 2);
    const ConvolutionShape shape = convolution_shape(input.sizes(), weight.sizes(), out.sizes(), p);
    const Tensor target = out.dtype() == dtype ? buffer_for(out) : empty(out.sizes(), dtype);
    visit_convolution_dtype(dtype, [&]<typename T>(std::type_identity<T>) {
        if (p.transposed)
            convolve_data_gradient<T>(shape, input.data<T>(), weight.data<T>(), target.data<T>());
        else
            convolve<T>(shape, input.data<T>(), weight.data<T>(), target.data<T>());
    });
    if (bias.defined()) add_channel_bias(target, bias);
    if (!target.is_same(out)) convert_into(out, target);
}

void convolution_backward_of(GradientContext& context) {
    const auto [grad_input, grad_weight, grad_bias] =
        fn::convolution_backward(context.grad_output(), context.argument("input"), context.argument("weight"),
                                 context.is_argument_defined("bias") ? IValue(context.sizes("bias")) : IValue(),
                                 context.value("stride"), context.value("padding"), context.value("dilation"),
                                 context.value("transposed"), context.value("output_padding"), context.value("groups"),
                                 bool_list({context.needs("input"), context.needs("weight"), context.needs("bias")}));
    if (context.needs("input")) context.set_grad("input", grad_input);
    if (context.needs("weight")) context.set_grad("weight", grad_weight);
    if (context.needs("bias")) context.set_grad("bias", grad_bias);
}

Cost convolution_cost(Arguments arguments, std::span<const IValue> results) {
    Cost cost;
    for (const IValue& value : arguments.first(3)) {
        if (value.is_tensor()) cost.bytes += static_cast<double>(value.to_tensor().bytes());
    }
    const Tensor weight = arguments[1].to_tensor();
    const Tensor out = results[0].to_tensor();
    cost.bytes += static_cast<double>(out.bytes());
    const bool transposed = arguments[6].to_bool();
    const Tensor side = transposed ? arguments[0].to_tensor() : out;
    cost.flops = 2.0 * static_cast<double>(side.numel()) * static_cast<double>(weight.numel()) /
                 static_cast<double>(std::max<std::int64_t>(1, weight.size(0)));
    return cost;
}

std::vector<Sample> convolution_samples(Random& random, ScalarType dtype) {
    const auto t = [&](std::initializer_list<std::int64_t> sizes) { return random_tensor(random, sizes, dtype); };
    const auto call = [](Tensor x, Tensor w, IValue b, Dims stride, Dims padding, Dims dilation, bool transposed,
                         Dims extra, std::int64_t groups, const char* name) {
        return Sample{{std::move(x), std::move(w), std::move(b), stride, padding, dilation, transposed, extra, groups},
                      name};
    };
    return {
        call(t({2, 3, 5, 6}), t({4, 3, 3, 3}), t({4}), {1, 1}, {1, 1}, {1, 1}, false, {0, 0}, 1, "3x3"),
        call(t({1, 4, 7, 5}), t({6, 2, 3, 2}), IValue(), {2, 1}, {0, 2}, {1, 2}, false, {0, 0}, 2,
             "groups, stride, dilation"),
        call(t({2, 4, 3, 3}), t({5, 4, 1, 1}), t({5}), {1, 1}, {0, 0}, {1, 1}, false, {0, 0}, 1, "pointwise"),
        call(t({2, 4, 5, 5}), t({4, 1, 3, 3}), t({4}), {1, 1}, {1, 1}, {1, 1}, false, {0, 0}, 4, "depthwise"),
        call(t({2, 3, 8}), t({4, 3, 3}), t({4}), {2}, {1}, {1}, false, {0}, 1, "1-d"),
        call(t({1, 2, 3, 4, 4}), t({3, 2, 2, 2, 2}), t({3}), {1, 1, 1}, {1, 0, 0}, {1, 1, 1}, false, {0, 0, 0}, 1,
             "3-d"),
        call(t({2, 3, 4, 4}), t({3, 2, 3, 3}), t({2}), {2, 2}, {1, 1}, {1, 1}, true, {1, 1}, 1, "transposed"),
        call(t({1, 4, 3, 3}), t({4, 2, 2, 2}), t({4}), {2, 2}, {0, 0}, {1, 1}, true, {0, 0}, 2, "transposed, groups")};
}

// ---- convolution_backward

Tensor sum_over_pixels(const Tensor& grad) {
    const Tensor source = packed_as(grad, compute_dtype(grad.dtype()));
    const std::int64_t channels = source.sizes()[1];
    const std::int64_t pixels = source.numel() / std::max<std::int64_t>(1, source.sizes()[0] * channels);
    Tensor sums = zeros(IntSpan(&channels, 1), source.dtype());
    visit_convolution_dtype(source.dtype(), [&]<typename T>(std::type_identity<T>) {
        const T* data = source.data<T>();
        parallel_for(0, channels, 1, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t c = begin; c < end; ++c) {
                T total = 0;
                for (std::int64_t n = 0; n < source.sizes()[0]; ++n) {
                    const T* row = data + (n * channels + c) * pixels;
                    T part = 0;
#pragma omp simd reduction(+ : part)
                    for (std::int64_t i = 0; i < pixels; ++i) part += row[i];
                    total += part;
                }
                sums.data<T>()[c] = total;
            }
        });
    });
    if (sums.dtype() == grad.dtype()) return sums;
    Tensor out = empty(sums.sizes(), grad.dtype());
    convert_into(out, sums);
    return out;
}

Tensor result_like(const Tensor& like, const Tensor& computed) {
    if (like.dtype() == computed.dtype() && !(like.dim() >= 4 && prefers_channels_last(like))) return computed;
    TensorMeta meta = follow_layout(to_dims(like.sizes()), like);
    Tensor out = meta.strides.empty() ? empty(like.sizes(), like.dtype())
                                      : empty_strided(like.sizes(), span_of(meta.strides), like.dtype());
    convert_into(out, computed);
    return out;
}

void run_convolution_backward(Arguments arguments, IValue* results) {
    const Tensor grad_output = arguments[0].to_tensor();
    const Tensor input = arguments[1].to_tensor();
    const Tensor weight = arguments[2].to_tensor();
    const std::vector<bool> mask = arguments[10].to_bools();
    require(mask.size() == 3, "output_mask must have 3 elements, but got ", mask.size());
    require(weight.dim() >= 3, "Expected a weight of at least 3 dimensions, but got ", shape_list_text(weight.sizes()));
    const auto p = convolution_parameters(arguments, 4, static_cast<std::size_t>(weight.dim()) - 2);
    require_sizes(grad_output, span_of(check_convolution(input, weight, Tensor(), p)), "grad_output");
    const ConvolutionShape shape = convolution_shape(input.sizes(), weight.sizes(), grad_output.sizes(), p);
    const ScalarType dtype = compute_dtype(grad_output.dtype());
    const Tensor g = packed_as(grad_output, dtype);
    if (mask[2]) results[2] = sum_over_pixels(grad_output);
    visit_convolution_dtype(dtype, [&]<typename T>(std::type_identity<T>) {
        if (mask[0]) {
            const Tensor w = packed_as(weight, dtype);
            Tensor grad = empty(input.sizes(), dtype);
            if (p.transposed)
                convolve<T>(shape, g.data<T>(), w.data<T>(), grad.data<T>());
            else
                convolve_data_gradient<T>(shape, g.data<T>(), w.data<T>(), grad.data<T>());
            results[0] = result_like(input, grad);
        }
        if (mask[1]) {
            const Tensor x = packed_as(input, dtype);
            Tensor grad = empty(weight.sizes(), dtype);
            if (p.transposed)
                convolve_weight_gradient<T>(shape, g.data<T>(), x.data<T>(), grad.data<T>());
            else
                convolve_weight_gradient<T>(shape, x.data<T>(), g.data<T>(), grad.data<T>());
            results[1] = result_like(weight, grad);
        }
    });
}

// Convolution is linear in input and in weight, so its gradients' gradients are convolutions again.
void convolution_double_backward(GradientContext& context) {
    const Tensor& gg_input = context.grad_output(0);
    const Tensor& gg_weight = context.grad_output(1);
    const Tensor& gg_bias = context.grad_output(2);
    const auto convolve_with = [&](const Tensor& x, const Tensor& w) {
        return fn::convolution(x, w, Tensor(), context.value("stride"), context.value("padding"),
                               context.value("dilation"), context.value("transposed"), context.value("output_padding"),
                               context.value("groups"));
    };
    const auto gradients = [&](const Tensor& x, const Tensor& w, std::initializer_list<bool> mask) {
        return fn::convolution_backward(context.argument("grad_output"), x, w, IValue(), context.value("stride"),
                                        context.value("padding"), context.value("dilation"),
                                        context.value("transposed"), context.value("output_padding"),
                                        context.value("groups"), bool_list(mask));
    };
    if (context.needs("grad_output")) {
        Tensor sum;
        const auto add = [&sum](const Tensor& term) { sum = sum.defined() ? fn::add(sum, term) : term; };
        if (gg_input.defined()) add(convolve_with(gg_input, context.argument("weight")));
        if (gg_weight.defined()) add(convolve_with(context.argument("input"), gg_weight));
        if (gg_bias.defined()) {
            Dims sizes(static_cast<std::size_t>(context.argument("grad_output").dim()), 1);
            sizes[1] = gg_bias.numel();
            add(fn::expand(fn::view(gg_bias, sizes), to_dims(context.argument("grad_output").sizes())));
        }
        if (sum.defined()) context.set_grad("grad_output", sum);
    }
    if (context.needs("input") && gg_weight.defined()) {
        context.set_grad("input", std::get<0>(gradients(context.argument("input"), gg_weight, {true, false, false})));
    }
    if (context.needs("weight") && gg_input.defined()) {
        context.set_grad("weight", std::get<1>(gradients(gg_input, context.argument("weight"), {false, true, false})));
    }
}

Cost convolution_backward_cost(Arguments arguments, std::span<const IValue> results) {
    Cost cost;
    for (const IValue& value : arguments.first(3)) cost.bytes += static_cast<double>(value.to_tensor().bytes());
    const Tensor weight = arguments[2].to_tensor();
    const Tensor side = arguments[arguments[7].to_bool() ? 1 : 0].to_tensor();
    const double one = 2.0 * static_cast<double>(side.numel()) * static_cast<double>(weight.numel()) /
                       static_cast<double>(std::max<std::int64_t>(1, weight.size(0)));
    for (std::size_t i = 0; i < results.size(); ++i) {
        if (!results[i].is_tensor()) continue;
        cost.bytes += static_cast<double>(results[i].to_tensor().bytes());
        cost.flops += i < 2 ? one : static_cast<double>(side.numel());
    }
    return cost;
}

std::vector<Sample> convolution_backward_samples(Random& random, ScalarType dtype) {
    std::vector<Sample> samples;
    for (Sample& forward : convolution_samples(random, dtype)) {
        MetaList metas;
        infer_convolution(forward.arguments, metas);
        Sample sample{{random_tensor(random, span_of(metas[0].sizes), dtype), forward.arguments[0],
                       forward.arguments[1], Dims{metas[0].sizes[1]}},
                      forward.name};
        sample.arguments.insert(sample.arguments.end(), forward.arguments.begin() + 3, forward.arguments.end());
        sample.arguments.push_back(bool_list({true, true, true}));
        samples.push_back(std::move(sample));
    }
    return samples;
}

using In = NotFiniteNote::In;
using When = NotFiniteNote::When;
constexpr NotFiniteNote kConvolutionNotFinite[] = {
    {In::Either, When::Always, 0, "a convolution that leaves the range of its dtype", advice::kShrink},
};

constexpr OperatorRecord kRecords[] = {
    {.schema =
         "aten::convolution(Tensor input, Tensor weight, Tensor? bias, int[] stride, int[] padding, int[] dilation, "
         "bool "
         "transposed, int[] output_padding, int groups) -> Tensor",
     .summary = "Convolution (strictly, cross-correlation) over one, two or three dimensions, or its transpose.",
     .formula = "out[n, o, p] = bias[o] + sum_{c, k} input[n, c, stride p + dilation k - padding] weight[o, c, k]",
     .infer = infer_convolution,
     .kernel = FillingKernel{run_convolution},
     .derivative = {convolution_backward_of, {save_argument("input"), save_argument("weight")}},
     .gradient = "input: sum_{o, k} grad[n, o, p] weight[o, c, k] at stride p + dilation k - padding\n"
                 "weight: sum_{n, p} grad[n, o, p] input[n, c, stride p + dilation k - padding]\n"
                 "bias: sum_{n, p} grad[n, o, p]",
     .cost = convolution_cost,
     .samples = convolution_samples,
     .variants = kOut,
     .autocast = {.cuda = Autocast::Lower},
     .not_finite = kConvolutionNotFinite,
     .dtypes = {.kernel = "slow_conv_transpose2d_out_cpu"}},
    {
        .schema =
            "aten::convolution_backward(Tensor grad_output, Tensor input, Tensor weight, SymInt[]? bias_sizes, int[] "
            "stride, "
            "int[] padding, int[] dilation, bool transposed, int[] output_padding, int groups, bool[3] output_mask) -> "
            "(Tensor, Tensor, Tensor)",
        .summary = "Gradients of a convolution for its input, weight and bias; those not in output_mask are left out.",
        .formula = "out0 = conv_transpose(grad_output, weight), out1 = conv(input, grad_output), out2 = sum_{n, p} "
                   "grad_output",
        .results_from = ResultsFrom::Metadata,
        .kernel = run_convolution_backward,
        .derivative = {convolution_double_backward,
                       {save_argument("grad_output"), save_argument("input"), save_argument("weight")}},
        .gradient = "grad_output: conv(grad0, weight) + conv(input, grad1) + grad2\n"
                    "input: conv_transpose(grad_output, grad1)\n"
                    "weight: conv(grad0, grad_output)",
        .cost = convolution_backward_cost,
        .samples = convolution_backward_samples,
        .variants = kOut,
    },
};

}  // namespace

std::span<const OperatorRecord> nn_ops::convolution_records() { return kRecords; }

}  // namespace loupe
