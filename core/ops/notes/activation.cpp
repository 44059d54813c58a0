// SPDX-License-Identifier: Apache-2.0
// Activations and their backward operators. x is the element of self.

#include "core/ops/notes/tables.h"

namespace loupe::notes {
namespace {

constexpr OperatorNote kNotes[] = {
    {"aten::relu", "", "self: grad where out > 0, else 0"},
    {"aten::relu6", "min(max(x, 0), 6)", "self: grad where 0 < x < 6, else 0"},
    {"aten::relu6_", "min(max(x, 0), 6)", "self: grad where 0 < x < 6, else 0"},
    {"aten::hardtanh", "", "self: grad where min_val < x < max_val, else 0"},
    {"aten::leaky_relu", "", "self: grad where x > 0, else negative_slope grad"},
    {"aten::elu", "", "self: scale grad where x > 0, else scale input_scale alpha exp(input_scale x) grad"},
    {"aten::elu_", "", "self: scale grad where out > 0, else input_scale (out + scale alpha) grad"},
    {"aten::selu", "scale (x if x > 0 else alpha (exp(x) - 1)), scale = 1.0507, alpha = 1.6733",
     "self: scale grad where x > 0, else scale alpha exp(x) grad"},
    {"aten::selu_", "scale (x if x > 0 else alpha (exp(x) - 1)), scale = 1.0507, alpha = 1.6733",
     "self: scale grad where x > 0, else scale alpha exp(x) grad"},
    {"aten::celu", "max(0, x) + min(0, alpha (exp(x / alpha) - 1))", "self: grad where x > 0, else exp(x / alpha) grad"},
    {"aten::celu_", "max(0, x) + min(0, alpha (exp(x / alpha) - 1))", "self: grad where x > 0, else exp(x / alpha) grad"},
    {"aten::gelu", "", "self: grad (Phi(x) + x phi(x)), phi(x) = exp(-x^2 / 2) / sqrt(2 pi)"},
    {"aten::silu", "", "self: grad s (1 + x (1 - s)), s = sigmoid(x)"},
    {"aten::mish", "", "self: grad (t + x sigmoid(x) (1 - t^2)), t = tanh(softplus(x))"},
    {"aten::hardsigmoid", "", "self: grad / 6 where -3 < x < 3, else 0"},
    {"aten::hardswish", "", "self: 0 where x < -3, grad where x > 3, else grad (x / 3 + 1 / 2)"},
    {"aten::softplus", "", "self: grad sigmoid(beta x), grad where beta x > threshold"},
    {"aten::softshrink", "", "self: grad where |x| > lambd, else 0"},
    {"aten::hardshrink", "", "self: grad where |x| > lambd, else 0"},
    {"aten::tanhshrink", "x - tanh(x)", "self: grad tanh(x)^2"},
    {"aten::threshold", "", "self: grad where x > threshold, else 0"},
    {"aten::log_sigmoid", "", "self: grad sigmoid(-x)"},
    {"aten::prelu", "", "self: grad where x > 0, else weight grad\nweight: sum of grad x where x <= 0"},
    {"aten::glu", "", "self: [grad sigmoid(b), grad a sigmoid(b) (1 - sigmoid(b))]"},
    {"aten::rrelu", "x if x >= 0 else a x, a drawn from [lower, upper); their mean in evaluation",
     "self: grad where x >= 0, else a grad"},
    {"aten::rrelu_", "x if x >= 0 else a x, a drawn from [lower, upper); their mean in evaluation",
     "self: grad where x >= 0, else a grad"},

    {"aten::rrelu_with_noise", "x if x > 0 else noise x, noise drawn from [lower, upper); their mean in evaluation",
     "self: grad noise in training, else grad where x > 0 and their mean times grad"},
    {"aten::rrelu_with_noise_", "x if x > 0 else noise x, noise drawn from [lower, upper); their mean in evaluation",
     "self: grad noise in training, else grad where x > 0 and their mean times grad"},
    {"aten::rrelu_with_noise_backward", "grad_output noise in training, else grad_output where x > 0 and their mean times grad_output", ""},

    {"aten::threshold_backward", "grad_output if x > threshold else 0", "grad_output: grad where x > threshold, else 0\nself: 0"},
    {"aten::hardtanh_backward", "grad_output if min_val < x < max_val else 0",
     "grad_output: grad where min_val < x < max_val, else 0\nself: 0"},
    {"aten::leaky_relu_backward", "grad_output if x > 0 else negative_slope grad_output",
     "grad_output: grad where x > 0, else negative_slope grad\nself: 0"},
    {"aten::elu_backward", "scale grad_output if x > 0 else scale input_scale alpha exp(input_scale x) grad_output",
     "grad_output: grad elu'(x)\nself_or_result: grad grad_output elu''(x)"},
    {"loupe::gelu_with_slope", "", "self: grad_output slope; grad_slope times the second derivative, (2 - x^2) phi(x)"},
    {"aten::gelu_backward", "grad_output (Phi(x) + x phi(x))",
     "grad_output: grad (Phi(x) + x phi(x))\nself: grad grad_output phi(x) (2 - x^2)"},
    {"aten::silu_backward", "grad_output s (1 + x (1 - s)), s = sigmoid(x)",
     "grad_output: grad s (1 + x (1 - s))\nself: grad grad_output s (1 - s) (2 + x (1 - 2 s))"},
    {"aten::mish_backward", "grad_output (t + x sigmoid(x) (1 - t^2)), t = tanh(softplus(x))",
     "grad_output: grad mish'(x)\nself: grad grad_output mish''(x)"},
    {"aten::hardsigmoid_backward", "grad_output / 6 if -3 < x < 3 else 0", "grad_output: grad / 6 where -3 < x < 3, else 0\nself: 0"},
    {"aten::hardswish_backward", "grad_output hardswish'(x)",
     "grad_output: grad hardswish'(x)\nself: grad grad_output / 3 where -3 < x < 3, else 0"},
    {"aten::softplus_backward", "grad_output sigmoid(beta x)",
     "grad_output: grad sigmoid(beta x)\nself: grad grad_output beta s (1 - s), s = sigmoid(beta x)"},
    {"aten::softshrink_backward", "grad_output if |x| > lambd else 0", "grad_output: grad where |x| > lambd, else 0\nself: 0"},
    {"aten::hardshrink_backward", "grad_out if |x| > lambd else 0", "grad_out: grad where |x| > lambd, else 0\nself: 0"},
    {"aten::log_sigmoid_backward", "grad_output sigmoid(-x)",
     "grad_output: grad sigmoid(-x)\nself: -grad grad_output s (1 - s), s = sigmoid(x)"},
    {"aten::sigmoid_backward", "grad_output output (1 - output)",
     "grad_output: grad output (1 - output)\noutput: grad grad_output (1 - 2 output)"},
    {"aten::tanh_backward", "grad_output (1 - output^2)",
     "grad_output: grad (1 - output^2)\noutput: -2 grad grad_output output"},
};

}  // namespace

std::span<const OperatorNote> activation_notes() { return kNotes; }

}  // namespace loupe::notes
