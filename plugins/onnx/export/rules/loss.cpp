// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "core/base/error.h"
#include "plugins/onnx/export/rules.h"

namespace loupe::onnx_export {
namespace {

// at::Reduction: 0 none, 1 mean, 2 sum.
OnnxValue reduced(Call& c, const OnnxValue& each) {
    const std::int64_t how = c.integer("reduction");
    if (how == 0 || (each.sizes && each.sizes->empty())) return each;
    return c.b.reduce(how == 1 ? "ReduceMean" : "ReduceSum", each, {}, false);
}

OnnxValue difference(Call& c) {
    const ScalarType dtype = c.common({"self", "target"});
    return c.b.binary("Sub", c.value("self", dtype), c.value("target", dtype));
}

RuleResults mse(Call& c) {
    const OnnxValue d = difference(c);
    return reduced(c, c.b.map("Mul", {d, d}));
}
RuleResults l1(Call& c) { return reduced(c, c.b.map("Abs", {difference(c)})); }

// Quadratic up to a bound, then linear; `scale` is what the linear part is multiplied with.
OnnxValue bent(Call& c, const OnnxValue& size, double bound, bool is_huber) {
    Builder& b = c.b;
    const OnnxValue square =
        b.binary("Mul", b.map("Mul", {size, size}), b.number(is_huber ? 0.5 : 0.5 / bound, size.dtype));
    OnnxValue line = b.binary("Sub", size, b.number(0.5 * bound, size.dtype));
    if (is_huber) line = b.binary("Mul", line, b.number(bound, size.dtype));
    return b.where(b.compare("Less", size, b.number(bound, size.dtype)), square, line);
}

RuleResults smooth_l1(Call& c) {
    const OnnxValue size = c.b.map("Abs", {difference(c)});
    return reduced(c, c.real("beta") == 0 ? size : bent(c, size, c.real("beta"), false));
}
RuleResults huber(Call& c) { return reduced(c, bent(c, c.b.map("Abs", {difference(c)}), c.real("delta"), true)); }

// log, not below -100 as in PyTorch.
OnnxValue bounded_log(Call& c, const OnnxValue& x) {
    return c.b.binary("Max", c.b.map("Log", {x}), c.b.number(-100.0, x.dtype));
}

RuleResults binary_cross_entropy(Call& c) {
    Builder& b = c.b;
    const OnnxValue x = c.tensor("self");
    const OnnxValue target = c.value("target", x.dtype);
    const OnnxValue one = b.number(1.0, x.dtype);
    const OnnxValue hit = b.binary("Mul", target, bounded_log(c, x));
    const OnnxValue miss = b.binary("Mul", b.binary("Sub", one, target), bounded_log(c, b.binary("Sub", one, x)));
    OnnxValue each = b.map("Neg", {b.binary("Add", hit, miss)});
    if (c.has("weight")) each = b.binary("Mul", each, c.value("weight", x.dtype));
    return reduced(c, each);
}

RuleResults negative_log_likelihood(Call& c) {
    static constexpr std::array<const char*, 3> kReductions = {"none", "mean", "sum"};
    const auto how = static_cast<std::size_t>(c.integer("reduction"));
    OnnxValue x = c.tensor("self");
    OnnxValue target = c.tensor("target");
    const bool has_batch = c.b.rank(x) > 1;
    if (!has_batch) {
        x = c.b.unsqueeze(x, {0});
        target = c.b.reshape(target, std::array<std::int64_t, 1>{1});
    }
    OnnxValue loss =
        c.b.emit("NegativeLogLikelihoodLoss", {x, target, c.tensor("weight")},
                 {{"ignore_index", c.integer("ignore_index")}, {"reduction", std::string(kReductions.at(how))}},
                 x.dtype, how == 0 ? target.sizes : std::optional<Dims>(Dims()));
    if (!has_batch && how == 0) loss = c.b.reshape(loss, IntSpan());
    return loss;
}

RuleResults kl_div(Call& c) {
    Builder& b = c.b;
    const ScalarType dtype = c.common({"self", "target"});
    const OnnxValue x = c.value("self", dtype);
    const OnnxValue target = c.value("target", dtype);
    if (c.flag("log_target")) return reduced(c, b.binary("Mul", b.map("Exp", {target}), b.binary("Sub", target, x)));
    const OnnxValue zero = b.number(0.0, dtype);
    const OnnxValue each = b.binary("Mul", target, b.binary("Sub", b.map("Log", {target}), x));
    return reduced(c, b.where(b.compare("Greater", target, zero), each, zero));
}

// max(x, 0) - x t + log(1 + e^-|x|), the last two terms weighted where positives are.
RuleResults cross_entropy_with_logits(Call& c) {
    Builder& b = c.b;
    const OnnxValue x = c.tensor("self");
    const OnnxValue target = c.value("target", x.dtype);
    const OnnxValue one = b.number(1.0, x.dtype);
    // log(1 + e^-x) without overflow.
    const OnnxValue soft = b.map("Softplus", {b.map("Neg", {x})});
    OnnxValue weight = one;
    if (c.has("pos_weight"))
        weight = b.binary("Add", b.binary("Mul", b.binary("Sub", c.value("pos_weight", x.dtype), one), target), one);
    const OnnxValue missed = b.binary("Mul", b.binary("Sub", one, target), x);
    OnnxValue each = b.binary("Add", missed, b.binary("Mul", weight, soft));
    if (c.has("weight")) each = b.binary("Mul", each, c.value("weight", x.dtype));
    return reduced(c, each);
}

RuleResults soft_margin(Call& c) {
    Builder& b = c.b;
    const OnnxValue x = c.tensor("self");
    return reduced(c, b.map("Softplus", {b.map("Neg", {b.binary("Mul", x, c.value("target", x.dtype))})}));
}

const Rule kRules[] = {
    {"aten::binary_cross_entropy_with_logits", cross_entropy_with_logits},
    {"aten::soft_margin_loss", soft_margin},
    {"aten::mse_loss", mse},
    {"aten::l1_loss", l1},
    {"aten::smooth_l1_loss", smooth_l1},
    {"aten::huber_loss", huber},
    {"aten::binary_cross_entropy", binary_cross_entropy},
    {"aten::nll_loss", negative_log_likelihood, 12},
    {"aten::nll_loss_nd", negative_log_likelihood, 12},
    {"aten::nll_loss2d", negative_log_likelihood, 12},
    {"aten::nll_loss_forward", negative_log_likelihood, 12},
    {"aten::nll_loss2d_forward", negative_log_likelihood, 12},
    {"aten::kl_div", kl_div},
};

}  // namespace

std::span<const Rule> loss_rules() { return kRules; }

}  // namespace loupe::onnx_export
