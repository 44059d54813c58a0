// SPDX-License-Identifier: Apache-2.0
// torch.nn.modules.activation, but for attention.
#include "core/dispatch/functions.h"
#include "core/nn/init/init.h"
#include "core/nn/layers/families.h"
#include "core/nn/layers/support.h"

namespace loupe::nn::layers {
namespace {

constexpr std::string_view kPython = "torch.nn.modules.activation";
constexpr std::string_view kInplace = "(bool inplace=False)";
constexpr std::string_view kDim = "(int? dim=None)";
constexpr std::string_view kInplaceRepr = "[inplace?inplace=True]";

void init_hardtanh(Module& self, const IValue& min_val, const IValue& max_val, bool inplace, const IValue& min_value,
                   const IValue& max_value) {
    // The last two are older names of the first two.
    self.set_attribute("min_val", min_value.is_none() ? min_val : min_value);
    self.set_attribute("max_val", max_value.is_none() ? max_val : max_value);
    self.set_attribute("inplace", inplace);
    if (self.attribute("max_val").to_double() <= self.attribute("min_val").to_double()) {
        throw Error(ErrorKind::Run, "Hardtanh: max_val must be greater than min_val");
    }
}
void init_relu6(Module& self, bool inplace) { init_hardtanh(self, 0.0, 6.0, inplace, IValue(), IValue()); }

void reset_prelu(Module& self) { init::constant_(tensor(self, "weight"), self.attribute("init").to_scalar()); }
void init_prelu(Module& self, std::int64_t num_parameters, const IValue& value, std::optional<Device> device,
                std::optional<ScalarType> dtype) {
    self.set_attribute("num_parameters", num_parameters);
    self.set_attribute("init", value);
    Factory(device, dtype).parameter(self, "weight", {num_parameters});
    reset_prelu(self);
}

Tensor softmax2d(Module&, const Tensor& input) {
    if (input.dim() != 4 && input.dim() != 3)
        throw Error(ErrorKind::Run, "Softmax2d requires a 3D or 4D tensor as input");
    return fn::softmax(input, -3, IValue());
}

constexpr LayerRecord kRecords[] = {
    {.name = "Threshold",
     .base = "Module",
     .module = kPython,
     .summary = "A value where the input is at most the threshold.",
     .constructor = "(Scalar threshold, Scalar value, bool inplace=False)",
     .calls = "threshold(input, threshold, value, inplace)",
     .repr = "threshold={threshold}, value={value}[inplace?, inplace=True]"},
    {.name = "ReLU",
     .base = "Module",
     .module = kPython,
     .summary = "Zero where the input is negative.",
     .constructor = kInplace,
     .calls = "relu(input, inplace)",
     .repr = kInplaceRepr},
    {.name = "RReLU",
     .base = "Module",
     .module = kPython,
     .summary = "LeakyReLU with a random slope while training.",
     .constructor = "(Scalar lower=0.125, Scalar upper=0.3333333333333333, bool inplace=False)",
     .calls = "rrelu(input, lower, upper, training, inplace)",
     .repr = "lower={lower}, upper={upper}[inplace?, inplace=True]"},
    {.name = "Hardtanh",
     .base = "Module",
     .module = kPython,
     .summary = "The input between two bounds.",
     .constructor = "(Scalar min_val=-1.0, Scalar max_val=1.0, bool inplace=False, Scalar? min_value=None, Scalar? "
                    "max_value=None)",
     .init = builds<init_hardtanh>,
     .calls = "hardtanh(input, min_val, max_val, inplace)",
     .repr = "min_val={min_val}, max_val={max_val}[inplace?, inplace=True]"},
    {.name = "ReLU6",
     .base = "Hardtanh",
     .module = kPython,
     .summary = "ReLU that ends at 6.",
     .constructor = kInplace,
     .init = builds<init_relu6>,
     .repr = kInplaceRepr},
    {.name = "Sigmoid",
     .base = "Module",
     .module = kPython,
     .summary = "1 / (1 + exp(-x)).",
     .calls = "sigmoid(input)"},
    {.name = "Hardsigmoid",
     .base = "Module",
     .module = kPython,
     .summary = "The sigmoid in three straight lines.",
     .constructor = kInplace,
     .calls = "hardsigmoid(input, inplace)"},
    {.name = "Tanh", .base = "Module", .module = kPython, .summary = "The hyperbolic tangent.", .calls = "tanh(input)"},
    {.name = "SiLU",
     .base = "Module",
     .module = kPython,
     .summary = "The input times its sigmoid.",
     .constructor = kInplace,
     .calls = "silu(input, inplace)",
     .repr = kInplaceRepr},
    {.name = "Mish",
     .base = "Module",
     .module = kPython,
     .summary = "The input times the tanh of its softplus.",
     .constructor = kInplace,
     .calls = "mish(input, inplace)",
     .repr = kInplaceRepr},
    {.name = "Hardswish",
     .base = "Module",
     .module = kPython,
     .summary = "The input times its hardsigmoid.",
     .constructor = kInplace,
     .calls = "hardswish(input, inplace)"},
    {.name = "ELU",
     .base = "Module",
     .module = kPython,
     .summary = "alpha * (exp(x) - 1) where the input is negative.",
     .constructor = "(Scalar alpha=1.0, bool inplace=False)",
     .calls = "elu(input, alpha, inplace)",
     .repr = "alpha={alpha}[inplace?, inplace=True]"},
    {.name = "CELU",
     .base = "Module",
     .module = kPython,
     .summary = "The continuously differentiable ELU.",
     .constructor = "(Scalar alpha=1.0, bool inplace=False)",
     .calls = "celu(input, alpha, inplace)",
     .repr = "alpha={alpha}[inplace?, inplace=True]"},
    {.name = "SELU",
     .base = "Module",
     .module = kPython,
     .summary = "The self-normalising ELU.",
     .constructor = kInplace,
     .calls = "selu(input, inplace)",
     .repr = kInplaceRepr},
    {.name = "GLU",
     .base = "Module",
     .module = kPython,
     .summary = "The first half times the sigmoid of the second.",
     .constructor = "(int dim=-1)",
     .calls = "glu(input, dim)",
     .repr = "dim={dim}"},
    {.name = "GELU",
     .base = "Module",
     .module = kPython,
     .summary = "The input times the normal distribution function.",
     .constructor = "(str approximate=\"none\")",
     .calls = "gelu(input, approximate=approximate)",
     .repr = "approximate={approximate!r}"},
    {.name = "Hardshrink",
     .base = "Module",
     .module = kPython,
     .summary = "Zero between -lambd and lambd.",
     .constructor = "(Scalar lambd=0.5)",
     .calls = "hardshrink(input, lambd)",
     .repr = "{lambd}"},
    {.name = "LeakyReLU",
     .base = "Module",
     .module = kPython,
     .summary = "A small slope where the input is negative.",
     .constructor = "(Scalar negative_slope=0.01, bool inplace=False)",
     .calls = "leaky_relu(input, negative_slope, inplace)",
     .repr = "negative_slope={negative_slope}[inplace?, inplace=True]"},
    {.name = "LogSigmoid",
     .base = "Module",
     .module = kPython,
     .summary = "The logarithm of the sigmoid.",
     .calls = "logsigmoid(input)"},
    {.name = "Softplus",
     .base = "Module",
     .module = kPython,
     .summary = "log(1 + exp(beta * x)) / beta.",
     .constructor = "(Scalar beta=1, Scalar threshold=20)",
     .calls = "softplus(input, beta, threshold)",
     .repr = "beta={beta}, threshold={threshold}"},
    {.name = "Softshrink",
     .base = "Module",
     .module = kPython,
     .summary = "The input moved by lambd towards zero.",
     .constructor = "(Scalar lambd=0.5)",
     .calls = "softshrink(input, lambd)",
     .repr = "{lambd}"},
    {.name = "PReLU",
     .base = "Module",
     .module = kPython,
     .summary = "LeakyReLU with a learned slope.",
     .constructor = "(int num_parameters=1, Scalar init=0.25, Device? device=None, ScalarType? dtype=None)",
     .init = builds<init_prelu>,
     .calls = "prelu(input, weight)",
     .repr = "num_parameters={num_parameters}",
     .reset_parameters = reset_prelu},
    {.name = "Softsign", .base = "Module", .module = kPython, .summary = "x / (1 + |x|).", .calls = "softsign(input)"},
    {.name = "Tanhshrink",
     .base = "Module",
     .module = kPython,
     .summary = "The input less its tanh.",
     .calls = "tanhshrink(input)"},
    {.name = "Softmin",
     .base = "Module",
     .module = kPython,
     .summary = "Softmax of the negative input.",
     .constructor = kDim,
     .calls = "softmin(input, dim)",
     .repr = "dim={dim}"},
    {.name = "Softmax",
     .base = "Module",
     .module = kPython,
     .summary = "Exponentials that sum to one along a dimension.",
     .constructor = kDim,
     .calls = "softmax(input, dim)",
     .repr = "dim={dim}"},
    {.name = "Softmax2d",
     .base = "Module",
     .module = kPython,
     .summary = "Softmax over the channels.",
     .forward = computes<softmax2d>},
    {.name = "LogSoftmax",
     .base = "Module",
     .module = kPython,
     .summary = "The logarithm of Softmax.",
     .constructor = kDim,
     .calls = "log_softmax(input, dim)",
     .repr = "dim={dim}"},
};

}  // namespace

LayerFamily activation_layers() { return kRecords; }

}  // namespace loupe::nn::layers
