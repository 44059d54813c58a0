// SPDX-License-Identifier: Apache-2.0
// Losses. Reduction 'mean' divides by the number of terms (or their weight), in the gradients too.

#include "core/ops/notes/tables.h"

namespace loupe::notes {
namespace {

constexpr std::string_view kNegative = "self: -grad weight[target] at the target, else 0";
constexpr std::string_view kSpelling = "-ln(sum over alignments of prod_t p_t), p_t = exp(log_probs[t, label])";
constexpr std::string_view kSpellingGradient = "log_probs: grad (exp(log_probs) - (chance of passing the label at t, given the targets))";

constexpr OperatorNote kNotes[] = {
    {"aten::nll_loss", "", kNegative},
    {"aten::nll_loss2d", "", kNegative},
    {"aten::nll_loss_nd", "", kNegative},
    {"aten::nll_loss_forward", "", kNegative},
    {"aten::nll_loss2d_forward", "", kNegative},
    {"aten::nll_loss_backward", "-grad_output weight[target] at the target, else 0", "grad_output: -grad[target] weight[target]"},
    {"aten::nll_loss2d_backward", "-grad_output weight[target] at the target, else 0", "grad_output: -grad[target] weight[target]"},
    {"aten::cross_entropy_loss", "", "self: grad weight[target] (softmax(self) - onehot(target))"},
    {"aten::mse_loss", "loss = (self - target)^2", "self: 2 grad (self - target)\ntarget: -2 grad (self - target)"},
    {"aten::mse_loss_backward", "2 grad_output (self - target)",
     "grad_output: 2 grad (self - target)\nself: 2 grad grad_output\ntarget: -2 grad grad_output"},
    {"aten::l1_loss", "loss = |self - target|", "self: grad sign(self - target)\ntarget: -grad sign(self - target)"},
    {"aten::smooth_l1_loss", "loss = d^2 / (2 beta) if |d| < beta else |d| - beta / 2, d = self - target",
     "self: grad d / beta where |d| < beta, else grad sign(d)\ntarget: the same, negated"},
    {"aten::smooth_l1_loss_backward", "grad_output d / beta if |d| < beta else grad_output sign(d), d = self - target",
     "grad_output: grad d / beta where |d| < beta, else grad sign(d)\nself: grad grad_output / beta where |d| < beta, else 0\n"
     "target: the same, negated"},
    {"aten::huber_loss", "loss = d^2 / 2 if |d| < delta else delta (|d| - delta / 2), d = self - target",
     "self: grad d where |d| < delta, else grad delta sign(d)\ntarget: the same, negated"},
    {"aten::huber_loss_backward", "grad_output d if |d| < delta else grad_output delta sign(d), d = self - target",
     "grad_output: grad d where |d| < delta, else grad delta sign(d)\nself: grad grad_output where |d| < delta, else 0\n"
     "target: the same, negated"},
    {"aten::soft_margin_loss", "loss = ln(1 + exp(-target self))", "self: -grad target sigmoid(-target self)"},
    {"aten::soft_margin_loss_backward", "-grad_output target sigmoid(-target self)",
     "grad_output: -grad target sigmoid(-target self)\nself: grad grad_output target^2 s (1 - s), s = sigmoid(target self)"},
    {"aten::binary_cross_entropy", "",
     "self: grad weight (self - target) / (self (1 - self))\ntarget: grad weight (ln(1 - self) - ln(self))"},
    {"aten::binary_cross_entropy_backward", "grad_output weight (self - target) / (self (1 - self))",
     "grad_output: grad weight (self - target) / (self (1 - self))\n"
     "self: grad grad_output weight ((1 - target) / (1 - self)^2 + target / self^2)\n"
     "target: -grad grad_output weight / (self (1 - self))"},
    {"aten::binary_cross_entropy_with_logits", "",
     "self: grad weight (sigmoid(self) (1 + (pos_weight - 1) target) - pos_weight target)\n"
     "target: -grad weight (pos_weight ln(sigmoid(self)) - ln(1 - sigmoid(self)))"},
    {"aten::kl_div", "", "self: -grad target, -grad exp(target) with log_target\ntarget: grad (ln(target) + 1 - self)"},
    {"aten::hinge_embedding_loss", "loss = self if target = 1 else max(0, margin - self)", "self: grad where target = 1, -grad where self < margin"},
    {"aten::margin_ranking_loss", "loss = max(0, -target (input1 - input2) + margin)",
     "input1: -grad target where the loss is above 0\ninput2: grad target where the loss is above 0"},
    {"aten::poisson_nll_loss", "loss = exp(input) - target input; without log_input input - target ln(input + eps)",
     "input: grad (exp(input) - target)"},
    {"aten::cosine_similarity", "sum_i x1[i] x2[i] / max(|x1| |x2|, eps)",
     "x1: grad (x2 / (|x1| |x2|) - out x1 / |x1|^2)\nx2: grad (x1 / (|x1| |x2|) - out x2 / |x2|^2)"},
    {"aten::pairwise_distance", "sum(|x1 - x2 + eps|^p)^(1 / p)",
     "x1: grad d |d|^(p - 2) / out^(p - 1), d = x1 - x2 + eps\nx2: -grad d |d|^(p - 2) / out^(p - 1), d = x1 - x2 + eps"},
    {"aten::cosine_embedding_loss", "loss = 1 - cos(input1, input2) if target = 1 else max(0, cos(input1, input2) - margin)", ""},
    {"aten::triplet_margin_loss", "loss = max(0, |anchor - positive| - |anchor - negative| + margin)", ""},
    {"aten::multi_margin_loss", "", "self: grad p weight[t] max(0, margin - self[t] + self[c])^(p - 1) / C at c, the sum negated at t"},
    {"aten::multi_margin_loss_backward", "grad_output p weight[t] max(0, margin - self[t] + self[c])^(p - 1) / C at c, the sum negated at t", ""},
    {"aten::multilabel_margin_loss_forward", "out[n] = sum_{t in target[n], c not in target[n]} max(0, 1 - self[n, t] + self[n, c]) / C",
     "self: grad / C at c, -grad / C at t for each pair with self[t] < 1 + self[c]"},
    {"aten::multilabel_margin_loss", "", "self: grad / C at c, -grad / C at t for each pair with self[t] < 1 + self[c]"},
    {"aten::multilabel_margin_loss_backward", "grad_output / C at c, -grad_output / C at t for each pair with self[t] < 1 + self[c]", ""},
    {"aten::_ctc_loss", kSpelling, kSpellingGradient},
    {"aten::ctc_loss", kSpelling, kSpellingGradient},
};

}  // namespace

std::span<const OperatorNote> loss_notes() { return kNotes; }

}  // namespace loupe::notes
