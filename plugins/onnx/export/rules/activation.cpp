// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cmath>
#include <numbers>

#include "core/base/error.h"
#include "plugins/onnx/export/rules.h"

namespace loupe::onnx_export {
namespace {

OnnxValue number_like(Call& c, double value, const OnnxValue& x) { return c.b.number(value, x.dtype); }

RuleResults gelu(Call& c) {
    Builder& b = c.b;
    const OnnxValue x = c.tensor("self");
    const std::string approximate = c.has("approximate") ? c.text("approximate") : "none";
    if (b.opset() >= 20) return b.map("Gelu", {x}, {{"approximate", approximate}});
    const OnnxValue half = b.binary("Mul", x, number_like(c, 0.5, x));
    OnnxValue inner;
    if (approximate == "tanh") {
        const OnnxValue cubed = b.map("Mul", {b.map("Mul", {x, x}), x});
        const OnnxValue sum = b.binary("Add", x, b.binary("Mul", cubed, number_like(c, 0.044715, x)));
        inner = b.map("Tanh", {b.binary("Mul", sum, number_like(c, std::sqrt(2 / std::numbers::pi), x))});
    } else {
        inner = b.map("Erf", {b.binary("Mul", x, number_like(c, 1 / std::numbers::sqrt2, x))});
    }
    return b.binary("Mul", half, b.binary("Add", inner, number_like(c, 1, x)));
}

RuleResults silu(Call& c) {
    const OnnxValue x = c.tensor("self");
    return c.b.map("Mul", {x, c.b.map("Sigmoid", {x})});
}

RuleResults mish(Call& c) {
    const OnnxValue x = c.tensor("self");
    if (c.b.opset() >= 18) return c.b.map("Mish", {x});
    return c.b.map("Mul", {x, c.b.map("Tanh", {c.b.map("Softplus", {x})})});
}

OnnxValue hard_sigmoid(Call& c, const OnnxValue& x) {
    return c.b.map("HardSigmoid", {x}, {{"alpha", 1.0 / 6}, {"beta", 0.5}});
}
RuleResults hardsigmoid(Call& c) { return hard_sigmoid(c, c.tensor("self")); }

RuleResults hardswish(Call& c) {
    const OnnxValue x = c.tensor("self");
    if (c.b.opset() >= 14) return c.b.map("HardSwish", {x});
    return c.b.map("Mul", {x, hard_sigmoid(c, x)});
}

OnnxValue clipped(Call& c, const OnnxValue& x, double low, double high) {
    if (c.b.opset() < 12 && !is_floating(x.dtype)) {
        const OnnxValue bound = c.b.number(static_cast<std::int64_t>(low), x.dtype);
        return c.b.binary("Min", c.b.binary("Max", x, bound), c.b.number(static_cast<std::int64_t>(high), x.dtype));
    }
    return c.b.map("Clip", {x, number_like(c, low, x), number_like(c, high, x)});
}
RuleResults hardtanh(Call& c) { return clipped(c, c.tensor("self"), c.real("min_val"), c.real("max_val")); }
RuleResults relu6(Call& c) { return clipped(c, c.tensor("self"), 0, 6); }

RuleResults elu(Call& c) {
    Builder& b = c.b;
    const OnnxValue x = c.tensor("self");
    const double alpha = c.real("alpha");
    if (c.real("scale") == 1 && c.real("input_scale") == 1) return b.map("Elu", {x}, {{"alpha", alpha}});
    const OnnxValue grown = b.map("Exp", {b.binary("Mul", x, number_like(c, c.real("input_scale"), x))});
    const OnnxValue low = b.binary("Mul", b.binary("Sub", grown, number_like(c, 1, x)), number_like(c, alpha, x));
    const OnnxValue out = b.where(b.compare("Greater", x, number_like(c, 0, x)), x, low);
    return b.binary("Mul", out, number_like(c, c.real("scale"), x));
}

RuleResults selu(Call& c) { return c.b.map("Selu", {c.tensor("self")}); }
RuleResults celu(Call& c) {
    const OnnxValue x = c.tensor("self");
    const double alpha = c.real("alpha");
    if (c.b.opset() >= 12 && x.dtype == ScalarType::Float32) return c.b.map("Celu", {x}, {{"alpha", alpha}});
    const OnnxValue scaled = c.b.binary("Div", x, number_like(c, alpha, x));
    const OnnxValue low = c.b.binary("Mul", c.b.map("Elu", {scaled}, {{"alpha", 1.0}}), number_like(c, alpha, x));
    return c.b.where(c.b.compare("Greater", x, number_like(c, 0, x)), x, low);
}
RuleResults leaky_relu(Call& c) {
    return c.b.map("LeakyRelu", {c.tensor("self")}, {{"alpha", c.real("negative_slope")}});
}

RuleResults prelu(Call& c) {
    const OnnxValue x = c.tensor("self");
    OnnxValue weight = c.tensor("weight");
    const std::int64_t dims = c.b.rank(x);
    // One number a channel, which is the second dimension.
    if (dims > 2 && c.b.rank(weight) == 1) {
        std::vector<std::int64_t> sizes(static_cast<std::size_t>(dims - 1), 1);
        sizes[0] = -1;
        weight = c.b.reshape(weight, sizes);
    }
    return c.b.map("PRelu", {x, weight});
}

RuleResults softplus(Call& c) {
    Builder& b = c.b;
    const OnnxValue x = c.tensor("self");
    const double beta = c.real("beta");
    const OnnxValue scaled = beta == 1 ? x : b.binary("Mul", x, number_like(c, beta, x));
    OnnxValue soft = b.map("Softplus", {scaled});
    if (beta != 1) soft = b.binary("Div", soft, number_like(c, beta, x));
    return b.where(b.compare("Greater", scaled, number_like(c, c.real("threshold"), x)), x, soft);
}

RuleResults softshrink(Call& c) {
    const double lambda = c.real("lambd");
    return c.b.map("Shrink", {c.tensor("self")}, {{"lambd", lambda}, {"bias", lambda}});
}
RuleResults hardshrink(Call& c) {
    const OnnxValue x = c.tensor("self");
    const OnnxValue size = c.b.map("Abs", {x});
    return c.b.where(c.b.compare("Greater", size, c.value("lambd", x.dtype)), x, number_like(c, 0, x));
}

RuleResults threshold(Call& c) {
    const OnnxValue x = c.tensor("self");
    return c.b.where(c.b.compare("Greater", x, c.value("threshold", x.dtype)), x, c.value("value", x.dtype));
}

RuleResults glu(Call& c) {
    const OnnxValue x = c.tensor("self");
    const std::int64_t axis = c.b.axis(x, c.integer("dim"));
    const std::int64_t size = (*x.sizes)[static_cast<std::size_t>(axis)];
    if (size < 0) c.unsupported_argument("self", "whose size differs between runs");
    const OnnxValue first = c.b.slice(x, axis, 0, size / 2);
    return c.b.map("Mul", {first, c.b.map("Sigmoid", {c.b.slice(x, axis, size / 2, size)})});
}

RuleResults log_sigmoid(Call& c) {
    // -softplus(-x), which does not overflow.
    return c.b.map("Neg", {c.b.map("Softplus", {c.b.map("Neg", {c.tensor("self")})})});
}

// Below opset 13 the operators take all dimensions from the axis on as one.
RuleResults softmax_like(Call& c, std::string_view op) {
    Builder& b = c.b;
    OnnxValue x = c.tensor("self");
    if (const auto dtype = c.dtype("dtype")) x = b.cast(x, *dtype);
    if (c.has("half_to_float") && c.flag("half_to_float")) x = b.cast(x, ScalarType::Float32);
    if (!is_floating(x.dtype)) x = b.cast(x, ScalarType::Float32);
    const std::int64_t dims = b.rank(x);
    if (dims == 0) {
        const OnnxValue one = b.unsqueeze(x, {0});
        return b.squeeze(b.map(op, {one}, {{"axis", std::int64_t{0}}}), std::array<std::int64_t, 1>{0});
    }
    const std::int64_t axis = b.axis(x, c.integer("dim"));
    if (b.opset() >= 13 || axis == dims - 1) return b.map(op, {x}, {{"axis", axis}});
    return b.swap(b.map(op, {b.swap(x, axis, -1)}, {{"axis", dims - 1}}), axis, -1);
}
RuleResults softmax(Call& c) { return softmax_like(c, "Softmax"); }
RuleResults log_softmax(Call& c) { return softmax_like(c, "LogSoftmax"); }

RuleResults softmin(Call& c) {
    const OnnxValue x = c.b.map("Neg", {c.tensor("self")});
    return c.b.map("Softmax", {x}, {{"axis", c.b.axis(x, c.integer("dim"))}});
}

RuleResults rrelu(Call& c) {
    if (c.has("training") && c.flag("training")) unsupported("rrelu in training mode, which draws its slopes");
    const double slope = (c.real("lower") + c.real("upper")) / 2;
    return c.b.map("LeakyRelu", {c.tensor("self")}, {{"alpha", slope}});
}

RuleResults safe_softmax(Call& c) {
    const RuleResults plain = softmax_like(c, "Softmax");
    const OnnxValue& y = plain.values[0][0];
    const OnnxValue is_nan = c.b.emit("IsNaN", {y}, {}, ScalarType::Bool, y.sizes);
    return c.b.where(is_nan, number_like(c, 0, y), y);
}

const Rule kRules[] = {
    {"aten::gelu", gelu},
    {"aten::silu", silu},
    {"aten::mish", mish},
    {"aten::hardsigmoid", hardsigmoid},
    {"aten::hardswish", hardswish},
    {"aten::hardtanh", hardtanh},
    {"aten::relu6", relu6},
    {"aten::elu", elu},
    {"aten::selu", selu},
    {"aten::celu", celu},
    {"aten::leaky_relu", leaky_relu},
    {"aten::prelu", prelu},
    {"aten::_prelu_kernel", prelu},
    {"aten::softplus", softplus},
    {"aten::softshrink", softshrink},
    {"aten::hardshrink", hardshrink},
    {"aten::threshold", threshold},
    {"aten::glu", glu},
    {"aten::log_sigmoid", log_sigmoid},
    {"aten::log_sigmoid_forward", log_sigmoid},
    {"aten::softmax", softmax},
    {"aten::_softmax", softmax},
    {"aten::special_softmax", softmax},
    {"aten::_safe_softmax", safe_softmax},
    {"aten::log_softmax", log_softmax},
    {"aten::_log_softmax", log_softmax},
    {"aten::special_log_softmax", log_softmax},
    {"aten::softmin", softmin, 13},
    {"aten::rrelu", rrelu},
};

}  // namespace

std::span<const Rule> activation_rules() { return kRules; }

}  // namespace loupe::onnx_export
