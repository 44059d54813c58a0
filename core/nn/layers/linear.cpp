// SPDX-License-Identifier: Apache-2.0
// torch.nn.modules.linear.
#include <cmath>

#include "core/base/strings.h"
#include "core/nn/init/init.h"
#include "core/nn/layers/families.h"
#include "core/nn/layers/support.h"

namespace loupe::nn::layers {
namespace {

constexpr std::string_view kPython = "torch.nn.modules.linear";

void reset_linear(Module& self) {
    const Tensor weight = tensor(self, "weight");
    init::kaiming_uniform_(weight, std::sqrt(5.0));
    if (const Tensor bias = tensor(self, "bias"); bias.defined()) {
        const std::int64_t fan_in = init::calculate_fans(weight).in;
        const double bound = fan_in > 0 ? 1 / std::sqrt(static_cast<double>(fan_in)) : 0;
        init::uniform_(bias, -bound, bound);
    }
}

void init_linear(Module& self, std::int64_t in_features, std::int64_t out_features, bool bias,
                 std::optional<Device> device, std::optional<ScalarType> dtype) {
    const Factory factory(device, dtype);
    self.set_attribute("in_features", in_features);
    self.set_attribute("out_features", out_features);
    factory.parameter(self, "weight", {out_features, in_features});
    bias ? factory.parameter(self, "bias", {out_features}) : no_parameter(self, "bias");
    reset_linear(self);
}

std::string linear_repr(const Module& self) {
    return concat("in_features=", integer(self, "in_features"), ", out_features=", integer(self, "out_features"),
                  ", bias=", tensor(self, "bias").defined() ? "True" : "False");
}

void reset_bilinear(Module& self) {
    const Tensor weight = tensor(self, "weight");
    const double bound = 1 / std::sqrt(static_cast<double>(weight.size(1)));
    init::uniform_(weight, -bound, bound);
    if (const Tensor bias = tensor(self, "bias"); bias.defined()) init::uniform_(bias, -bound, bound);
}

void init_bilinear(Module& self, std::int64_t in1, std::int64_t in2, std::int64_t out_features, bool bias,
                   std::optional<Device> device, std::optional<ScalarType> dtype) {
    const Factory factory(device, dtype);
    self.set_attribute("in1_features", in1);
    self.set_attribute("in2_features", in2);
    self.set_attribute("out_features", out_features);
    factory.parameter(self, "weight", {out_features, in1, in2});
    bias ? factory.parameter(self, "bias", {out_features}) : no_parameter(self, "bias");
    reset_bilinear(self);
}

std::string bilinear_repr(const Module& self) {
    return concat("in1_features=", integer(self, "in1_features"), ", in2_features=", integer(self, "in2_features"),
                  ", out_features=", integer(self, "out_features"),
                  ", bias=", tensor(self, "bias").defined() ? "True" : "False");
}

void init_nothing(Module&, Arguments) {}
IValue first_argument(Module&, Arguments arguments) { return arguments[0]; }

constexpr LayerRecord kRecords[] = {
    {.name = "Identity",
     .base = "Module",
     .module = kPython,
     .summary = "The input as it is, whatever it is built with.",
     .constructor = "(...)",
     .init = init_nothing,
     .forward_schema = "(Any input) -> Any",
     .forward = first_argument},
    {.name = "Linear",
     .base = "Module",
     .module = kPython,
     .summary = "input @ weight.T + bias.",
     .constructor = "(int in_features, int out_features, bool bias=True, Device? device=None, ScalarType? dtype=None)",
     .init = builds<init_linear>,
     .calls = "linear(input, weight, bias)",
     .constants = "in_features out_features",
     .extra_repr = linear_repr,
     .reset_parameters = reset_linear},
    {.name = "NonDynamicallyQuantizableLinear",
     .base = "Linear",
     .module = kPython,
     .summary = "The Linear inside an attention.",
     .constructor = "(int in_features, int out_features, bool bias=True, Device? device=None, ScalarType? dtype=None)",
     .init = builds<init_linear>},
    {.name = "Bilinear",
     .base = "Module",
     .module = kPython,
     .summary = "input1 @ weight @ input2 + bias.",
     .constructor = "(int in1_features, int in2_features, int out_features, bool bias=True, Device? device=None, "
                    "ScalarType? dtype=None)",
     .init = builds<init_bilinear>,
     .forward_schema = "(Tensor input1, Tensor input2) -> Tensor",
     .calls = "bilinear(input1, input2, weight, bias)",
     .constants = "in1_features in2_features out_features",
     .extra_repr = bilinear_repr,
     .reset_parameters = reset_bilinear},
};

}  // namespace

LayerFamily linear_layers() { return kRecords; }

}  // namespace loupe::nn::layers
