// SPDX-License-Identifier: Apache-2.0
// Activations: torch.nn.functional.relu and others.
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/kernels/arithmetic.h"
#include "core/nn/functional/families.h"
#include "core/nn/functional/operator_call.h"
#include "core/ops/numbers/warnings.h"

namespace loupe::nn::functional {
namespace {

using namespace arithmetic;

const OperatorHandle<> op_rrelu("aten::rrelu");
const OperatorHandle<> op_rrelu_("aten::rrelu_");
const OperatorHandle<> op_exponential_("aten::exponential_");

Tensor rrelu(const Tensor& input, const Scalar& lower, const Scalar& upper, bool training, bool inplace) {
    return inplace ? op_rrelu_(input, lower, upper, training, IValue())
                   : op_rrelu(input, lower, upper, training, IValue());
}

// PyTorch's legacy default dimension.
std::int64_t softmax_dim(const char* name, const Tensor& input, std::optional<std::int64_t> dim) {
    if (!dim) {
        warn(concat("Implicit dimension choice for ", name,
                    " has been deprecated. Change the call to include dim=X as an argument."));
    }
    return dim.value_or(input.dim() == 0 || input.dim() == 1 || input.dim() == 3 ? 0 : 1);
}

Tensor softmax(const Tensor& input, std::optional<std::int64_t> dim, std::int64_t, const IValue& dtype) {
    return fn::softmax(input, softmax_dim("softmax", input, dim), dtype);
}
Tensor softmin(const Tensor& input, std::optional<std::int64_t> dim, std::int64_t, const IValue& dtype) {
    return fn::softmax(-input, softmax_dim("softmin", input, dim), dtype);
}
Tensor log_softmax(const Tensor& input, std::optional<std::int64_t> dim, std::int64_t, const IValue& dtype) {
    return fn::log_softmax(input, softmax_dim("log_softmax", input, dim), dtype);
}

// Jang et al. 2017, Maddison et al. 2017.
Tensor gumbel_softmax(const Tensor& logits, double tau, bool hard, double eps, std::int64_t dim) {
    if (eps != 1e-10) warn("`eps` parameter is deprecated and has no effect.");
    const Tensor noise = -fn::log(op_exponential_(fn::empty_like(logits), 1.0, IValue()));
    const Tensor soft = fn::softmax((logits + noise) / Scalar(tau), dim, IValue());
    if (!hard) return soft;
    const Tensor index = std::get<1>(fn::max_dim(soft, dim, true));
    const Tensor picked = fn::scatter_value(fn::zeros_like(logits), dim, index, Scalar(1.0));
    return picked - fn::detach(soft) + soft;
}

Tensor softsign(const Tensor& input) { return input / (fn::abs(input) + Scalar(1)); }
Tensor tanhshrink(const Tensor& input) { return input - fn::tanh(input); }

constexpr NativeFunction kRecords[] = {
    {"relu(Tensor input, bool inplace=False) -> Tensor", "Zero where the input is negative.",
     calls_either<"aten::relu", "aten::relu_">},
    {"relu_(Tensor input) -> Tensor", "relu in place.", calls<"aten::relu_">},
    {"relu6(Tensor input, bool inplace=False) -> Tensor", "relu that ends at 6.",
     calls_either<"aten::relu6", "aten::relu6_">},
    {"threshold(Tensor input, Scalar threshold, Scalar value, bool inplace=False) -> Tensor",
     "value where the input is at most the threshold.", calls_either<"aten::threshold", "aten::threshold_">},
    {"threshold_(Tensor input, Scalar threshold, Scalar value) -> Tensor", "threshold in place.",
     calls<"aten::threshold_">},
    {"glu(Tensor input, int dim=-1) -> Tensor", "The first half times the sigmoid of the second.", calls<"aten::glu">},
    {"hardtanh(Tensor input, Scalar min_val=-1.0, Scalar max_val=1.0, bool inplace=False) -> Tensor",
     "The input between two bounds.", calls_either<"aten::hardtanh", "aten::hardtanh_">},
    {"hardtanh_(Tensor input, Scalar min_val=-1.0, Scalar max_val=1.0) -> Tensor", "hardtanh in place.",
     calls<"aten::hardtanh_">},
    {"elu(Tensor input, Scalar alpha=1.0, bool inplace=False) -> Tensor",
     "alpha * (exp(x) - 1) where the input is negative.", calls_either<"aten::elu", "aten::elu_">},
    {"elu_(Tensor input, Scalar alpha=1.0) -> Tensor", "elu in place.", calls<"aten::elu_">},
    {"selu(Tensor input, bool inplace=False) -> Tensor", "The self-normalising elu.",
     calls_either<"aten::selu", "aten::selu_">},
    {"selu_(Tensor input) -> Tensor", "selu in place.", calls<"aten::selu_">},
    {"celu(Tensor input, Scalar alpha=1.0, bool inplace=False) -> Tensor", "The continuously differentiable elu.",
     calls_either<"aten::celu", "aten::celu_">},
    {"celu_(Tensor input, Scalar alpha=1.0) -> Tensor", "celu in place.", calls<"aten::celu_">},
    {"leaky_relu(Tensor input, Scalar negative_slope=0.01, bool inplace=False) -> Tensor",
     "A small slope where the input is negative.", calls_either<"aten::leaky_relu", "aten::leaky_relu_">},
    {"leaky_relu_(Tensor input, Scalar negative_slope=0.01) -> Tensor", "leaky_relu in place.",
     calls<"aten::leaky_relu_">},
    {"prelu(Tensor input, Tensor weight) -> Tensor", "leaky_relu with a learned slope.", calls<"aten::prelu">},
    {"rrelu(Tensor input, Scalar lower=0.125, Scalar upper=0.3333333333333333, bool training=False, bool "
     "inplace=False) -> Tensor",
     "leaky_relu with a random slope while training.", boxed<rrelu>},
    {"rrelu_(Tensor input, Scalar lower=0.125, Scalar upper=0.3333333333333333, bool training=False) -> Tensor",
     "rrelu in place.", calls<"aten::rrelu_">},
    {"logsigmoid(Tensor input) -> Tensor", "The logarithm of the sigmoid.", calls<"aten::log_sigmoid">},
    {"gelu(Tensor input, *, str approximate=\"none\") -> Tensor", "The input times the normal distribution function.",
     calls<"aten::gelu">},
    {"hardshrink(Tensor input, Scalar lambd=0.5) -> Tensor", "Zero between -lambd and lambd.",
     calls<"aten::hardshrink">},
    {"softshrink(Tensor input, Scalar lambd=0.5) -> Tensor", "The input moved by lambd towards zero.",
     calls<"aten::softshrink">},
    {"tanhshrink(Tensor input) -> Tensor", "The input less its tanh.", boxed<tanhshrink>},
    {"softsign(Tensor input) -> Tensor", "x / (1 + |x|).", boxed<softsign>},
    {"softplus(Tensor input, Scalar beta=1, Scalar threshold=20) -> Tensor", "log(1 + exp(beta * x)) / beta.",
     calls<"aten::softplus">},
    {"softmin(Tensor input, int? dim=None, int _stacklevel=3, ScalarType? dtype=None) -> Tensor",
     "softmax of the negative input.", boxed<softmin>},
    {"softmax(Tensor input, int? dim=None, int _stacklevel=3, ScalarType? dtype=None) -> Tensor",
     "Exponentials that sum to one along a dimension.", boxed<softmax>},
    {"log_softmax(Tensor input, int? dim=None, int _stacklevel=3, ScalarType? dtype=None) -> Tensor",
     "The logarithm of softmax.", boxed<log_softmax>},
    {"gumbel_softmax(Tensor logits, float tau=1, bool hard=False, float eps=1e-10, int dim=-1) -> Tensor",
     "A sample of the Gumbel-softmax distribution.", boxed<gumbel_softmax>},
    {"tanh(Tensor input) -> Tensor", "The hyperbolic tangent.", calls<"aten::tanh">},
    {"sigmoid(Tensor input) -> Tensor", "1 / (1 + exp(-x)).", calls<"aten::sigmoid">},
    {"hardsigmoid(Tensor input, bool inplace=False) -> Tensor", "The sigmoid in three straight lines.",
     calls_either<"aten::hardsigmoid", "aten::hardsigmoid_">},
    {"silu(Tensor input, bool inplace=False) -> Tensor", "The input times its sigmoid.",
     calls_either<"aten::silu", "aten::silu_">},
    {"mish(Tensor input, bool inplace=False) -> Tensor", "The input times the tanh of its softplus.",
     calls_either<"aten::mish", "aten::mish_">},
    {"hardswish(Tensor input, bool inplace=False) -> Tensor", "The input times its hardsigmoid.",
     calls_either<"aten::hardswish", "aten::hardswish_">},
};

}  // namespace

FunctionFamily activation_records() { return kRecords; }

}  // namespace loupe::nn::functional
