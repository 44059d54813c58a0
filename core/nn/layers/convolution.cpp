// SPDX-License-Identifier: Apache-2.0
// torch.nn.modules.conv.
#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/base/typed_error.h"
#include "core/dispatch/call.h"
#include "core/nn/init/init.h"
#include "core/nn/layers/families.h"
#include "core/nn/layers/support.h"
#include "core/nn/native_function.h"

namespace loupe::nn::layers {
namespace {

constexpr std::string_view kPython = "torch.nn.modules.conv";

[[noreturn]] void run_error(std::string message) { throw Error(ErrorKind::Run, std::move(message)); }

struct ConvolutionArguments {
    std::int64_t in_channels = 0;
    std::int64_t out_channels = 0;
    Dims kernel_size, stride;
    IValue padding;  // numbers, or "same" or "valid"
    Dims dilation;
    bool transposed = false;
    Dims output_padding;
    std::int64_t groups = 1;
    bool bias = true;
    std::string_view padding_mode;
};

void reset_convolution(Module& self) {
    const Tensor weight = tensor(self, "weight");
    init::kaiming_uniform_(weight, std::sqrt(5.0));
    const Tensor bias = tensor(self, "bias");
    if (!bias.defined()) return;
    if (const std::int64_t fan_in = init::calculate_fans(weight).in; fan_in != 0) {
        const double bound = 1 / std::sqrt(static_cast<double>(fan_in));
        init::uniform_(bias, -bound, bound);
    }
}

void check(const ConvolutionArguments& a) {
    if (a.groups <= 0) run_error("groups must be a positive integer");
    if (a.in_channels % a.groups != 0) run_error("in_channels must be divisible by groups");
    if (a.out_channels % a.groups != 0) run_error("out_channels must be divisible by groups");
    if (a.padding.is_string()) {
        const std::string& padding = a.padding.to_string();
        if (padding != "same" && padding != "valid") {
            run_error(concat("Invalid padding string '", padding, "', should be one of {'valid', 'same'}"));
        }
        if (padding == "same" && std::ranges::any_of(a.stride, [](std::int64_t s) { return s != 1; })) {
            fail_with_value("padding='same' is not supported for strided convolutions");
        }
    }
    for (const char* mode : {"zeros", "reflect", "replicate", "circular"}) {
        if (a.padding_mode == mode) return;
    }
    fail_with_value(
        concat("padding_mode must be one of {'zeros', 'reflect', 'replicate', 'circular'}, but got padding_mode='",
               a.padding_mode, "'"));
}

// Padding widths of other padding modes: last dimension first, before and after.
Dims reversed_padding(const ConvolutionArguments& a, const Dims& padding) {
    Dims out;
    for (std::size_t i = a.kernel_size.size(); i-- > 0;) {
        std::int64_t before = 0;
        std::int64_t after = 0;
        if (!a.padding.is_string()) {
            before = after = padding[i];
        } else if (a.padding.to_string() == "same") {
            const std::int64_t total = a.dilation[i] * (a.kernel_size[i] - 1);
            before = total / 2;
            after = total - before;
        }
        out.push_back(before);
        out.push_back(after);
    }
    return out;
}

void build(Module& self, const ConvolutionArguments& a, const Factory& factory) {
    check(a);
    Dims padding;
    if (!a.padding.is_string()) {
        padding = a.padding.to_ints();
        if (padding.size() == 1) padding.assign(a.kernel_size.size(), padding[0]);
    }
    self.set_attribute("in_channels", a.in_channels);
    self.set_attribute("out_channels", a.out_channels);
    self.set_attribute("kernel_size", tuple(span_of(a.kernel_size)));
    self.set_attribute("stride", tuple(span_of(a.stride)));
    self.set_attribute("padding", a.padding.is_string() ? a.padding : tuple(span_of(padding)));
    self.set_attribute("dilation", tuple(span_of(a.dilation)));
    self.set_attribute("transposed", a.transposed);
    self.set_attribute("output_padding", tuple(span_of(a.output_padding)));
    self.set_attribute("groups", a.groups);
    self.set_attribute("padding_mode", std::string(a.padding_mode));
    self.set_attribute("_reversed_padding_repeated_twice", IValue(reversed_padding(a, padding)));
    Dims sizes =
        a.transposed ? Dims{a.in_channels, a.out_channels / a.groups} : Dims{a.out_channels, a.in_channels / a.groups};
    sizes.insert(sizes.end(), a.kernel_size.begin(), a.kernel_size.end());
    factory.parameter(self, "weight", span_of(sizes));
    a.bias ? factory.parameter(self, "bias", {a.out_channels}) : no_parameter(self, "bias");
    reset_convolution(self);
}

void init_convolution(Module& self, std::int64_t in_channels, std::int64_t out_channels, const Dims& kernel_size,
                      const Dims& stride, const IValue& padding, const Dims& dilation, std::int64_t groups, bool bias,
                      std::string_view padding_mode, std::optional<Device> device, std::optional<ScalarType> dtype) {
    const Dims none(kernel_size.size(), 0);
    build(self,
          {in_channels, out_channels, kernel_size, stride, padding, dilation, false, none, groups, bias, padding_mode},
          Factory(device, dtype));
}

void init_transposed(Module& self, std::int64_t in_channels, std::int64_t out_channels, const Dims& kernel_size,
                     const Dims& stride, const IValue& padding, const Dims& output_padding, std::int64_t groups,
                     bool bias, const Dims& dilation, std::string_view padding_mode, std::optional<Device> device,
                     std::optional<ScalarType> dtype) {
    if (padding_mode != "zeros") run_error(concat("Only \"zeros\" padding mode is supported for ", self.class_name()));
    build(self,
          {in_channels, out_channels, kernel_size, stride, padding, dilation, true, output_padding, groups, bias,
           padding_mode},
          Factory(device, dtype));
}

std::string dims_suffix(const Module& self) {
    return concat(self.attribute("kernel_size").to_tuple().elements.size(), "d");
}

Tensor forward_convolution(Module& self, const Tensor& input) {
    static const OperatorHandle<> op_pad("aten::pad");
    Tensor padded = input;
    IValue padding = self.attribute("padding");
    const std::string& mode = self.attribute("padding_mode").to_string();
    if (mode != "zeros") {
        padded = op_pad(input, self.attribute("_reversed_padding_repeated_twice").to_ints(), mode, IValue());
        padding = 0;
    }
    const NativeFunction& function = *find_functional(concat("conv", dims_suffix(self)));
    return call_function(function, {{padded, self.attribute("weight"), self.attribute("bias"), self.attribute("stride"),
                                     padding, self.attribute("dilation"), self.attribute("groups")},
                                    {}})
        .to_tensor();
}

// The output_padding for the requested size.
IValue output_padding_for(const Module& self, const Tensor& input, const IValue& output_size) {
    if (output_size.is_none()) return self.attribute("output_padding");
    const Dims kernel = self.attribute("kernel_size").to_ints();
    const Dims stride = self.attribute("stride").to_ints();
    const Dims padding = self.attribute("padding").to_ints();
    const Dims dilation = self.attribute("dilation").to_ints();
    const auto dims = static_cast<std::int64_t>(kernel.size());
    const std::int64_t skipped = input.dim() == dims + 2 ? 2 : 1;
    Dims wanted = output_size.to_ints();
    if (static_cast<std::int64_t>(wanted.size()) == skipped + dims)
        wanted.erase(wanted.begin(), wanted.begin() + skipped);
    if (static_cast<std::int64_t>(wanted.size()) != dims) {
        fail_with_value(concat("ConvTranspose", dims, "D: for ", input.dim(), "D input, output_size must have ", dims,
                               " or ", skipped + dims, " elements (got ", wanted.size(), ")"));
    }
    Dims smallest;
    Dims largest;
    for (std::size_t d = 0; d < kernel.size(); ++d) {
        const std::int64_t size = (input.size(static_cast<std::int64_t>(d) + skipped) - 1) * stride[d] -
                                  2 * padding[d] + dilation[d] * (kernel[d] - 1) + 1;
        smallest.push_back(size);
        largest.push_back(size + stride[d] - 1);
    }
    Dims out;
    for (std::size_t d = 0; d < kernel.size(); ++d) {
        if (wanted[d] < smallest[d] || wanted[d] > largest[d]) {
            fail_with_value(concat("requested an output size of ", python_repr(output_size),
                                   ", but valid sizes range from ", shape_list_text(span_of(smallest)), " to ",
                                   shape_list_text(span_of(largest)), " (for an input of torch.Size(",
                                   shape_list_text(input.sizes().subspan(2)), "))"));
        }
        out.push_back(wanted[d] - smallest[d]);
    }
    return out;
}

Tensor forward_transposed(Module& self, const Tensor& input, const IValue& output_size) {
    const NativeFunction& function = *find_functional(concat("conv_transpose", dims_suffix(self)));
    return call_function(function, {{input, self.attribute("weight"), self.attribute("bias"), self.attribute("stride"),
                                     self.attribute("padding"), output_padding_for(self, input, output_size),
                                     self.attribute("groups"), self.attribute("dilation")},
                                    {}})
        .to_tensor();
}

bool all_are(const IValue& numbers, std::int64_t value) {
    return std::ranges::all_of(numbers.to_ints(), [value](std::int64_t n) { return n == value; });
}

std::string convolution_repr(const Module& self) {
    const auto text = [&](const char* name) { return python_str(self.attribute(name)); };
    std::string out = concat(text("in_channels"), ", ", text("out_channels"), ", kernel_size=", text("kernel_size"),
                             ", stride=", text("stride"));
    if (self.attribute("padding").is_string() || !all_are(self.attribute("padding"), 0))
        out += ", padding=" + text("padding");
    if (!all_are(self.attribute("dilation"), 1)) out += ", dilation=" + text("dilation");
    if (!all_are(self.attribute("output_padding"), 0)) out += ", output_padding=" + text("output_padding");
    if (integer(self, "groups") != 1) out += ", groups=" + text("groups");
    if (self.attribute("bias").is_none()) out += ", bias=False";
    if (text("padding_mode") != "zeros") out += ", padding_mode=" + text("padding_mode");
    return out;
}

#define LOUPE_CONV(N, WHAT)                                                                                          \
    LayerRecord {                                                                                                    \
        .name = "Conv" N "d", .base = "_ConvNd", .module = kPython, .summary = "Convolution of " WHAT ".",           \
        .constructor =                                                                                               \
            "(int in_channels, int out_channels, int[" N "] kernel_size, int[" N "] stride=1, Any padding=0, int[" N \
            "] dilation=1, int groups=1, bool bias=True, str padding_mode=\"zeros\", Device? device=None, "          \
            "ScalarType? dtype=None)",                                                                               \
        .init = builds<init_convolution>, .forward = computes<forward_convolution>                                   \
    }
#define LOUPE_TRANSPOSED(N, WHAT)                                                                                \
    LayerRecord {                                                                                                \
        .name = "ConvTranspose" N "d", .base = "_ConvTransposeNd", .module = kPython,                            \
        .summary = "The gradient of the convolution of " WHAT " for its input, as a layer.",                     \
        .constructor = "(int in_channels, int out_channels, int[" N "] kernel_size, int[" N "] stride=1, int[" N \
                       "] padding=0, int[" N "] output_padding=0, int groups=1, bool bias=True, int[" N          \
                       "] dilation=1, str padding_mode=\"zeros\", Device? device=None, ScalarType? dtype=None)", \
        .init = builds<init_transposed>, .forward_schema = "(Tensor input, Any output_size=None) -> Tensor",     \
        .forward = computes<forward_transposed>                                                                  \
    }

constexpr LayerRecord kRecords[] = {
    {.name = "_ConvNd",
     .base = "Module",
     .module = kPython,
     .summary = "The base of convolutions.",
     .constants = "stride padding dilation groups padding_mode output_padding in_channels out_channels kernel_size",
     .annotations = "bias: Optional[Tensor]",
     .extra_repr = convolution_repr,
     .reset_parameters = reset_convolution},
    {.name = "_ConvTransposeNd",
     .base = "_ConvNd",
     .module = kPython,
     .summary = "The base of transposed convolutions."},
    LOUPE_CONV("1", "sequences"),
    LOUPE_CONV("2", "planes"),
    LOUPE_CONV("3", "volumes"),
    LOUPE_TRANSPOSED("1", "sequences"),
    LOUPE_TRANSPOSED("2", "planes"),
    LOUPE_TRANSPOSED("3", "volumes"),
};
#undef LOUPE_CONV
#undef LOUPE_TRANSPOSED

}  // namespace

LayerFamily convolution_layers() { return kRecords; }

}  // namespace loupe::nn::layers
