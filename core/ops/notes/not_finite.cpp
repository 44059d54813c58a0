// SPDX-License-Identifier: Apache-2.0
// Causes of non-finite numbers, operator by operator, and remedies. See NotFiniteNote.

#include "core/ops/notes.h"

namespace loupe {
namespace {

using In = NotFiniteNote::In;
using When = NotFiniteNote::When;

constexpr std::string_view kLogits = "clamp it before (x.clamp(min=1e-8)), or compute with log_softmax or logsumexp";
constexpr std::string_view kDivide = "add an eps to the divisor, or replace its zeros with torch.where before dividing";
constexpr std::string_view kRoot = "add an eps under the root: torch.sqrt(x + 1e-12)";
constexpr std::string_view kShrink = "bring the numbers down before it: normalise or clip them, or lower the learning rate";
constexpr std::string_view kExponent = "subtract the maximum before (softmax and logsumexp do), or clamp what goes in";
constexpr std::string_view kMask = "leave every row one position that is not masked, or set such rows to 0 with nan_to_num or torch.where behind it";
constexpr std::string_view kProduct = "choose with torch.where or masked_fill instead of multiplying with 0, and keep Inf out of what is multiplied";
constexpr std::string_view kDifference = "keep the infinite terms apart: mask with a large finite number instead of Inf, or subtract before they become infinite";
constexpr std::string_view kSpread = "take it over more than one element, or with correction=0 (unbiased=False)";
constexpr std::string_view kNone = "give it at least one element, or skip empty batches";
constexpr std::string_view kClampOne = "clamp it inside (-1, 1) before: x.clamp(-1 + 1e-7, 1 - 1e-7)";

constexpr NotFiniteNote kNotes[] = {
    // Roots and powers.
    {"aten::sqrt", In::Forward, When::Negative, 0, "sqrt of a negative number", "clamp it before: x.clamp(min=0).sqrt()"},
    {"aten::sqrt", In::Backward, When::Zero, -1, "sqrt at 0", kRoot},
    {"aten::rsqrt", In::Forward, When::Negative, 0, "rsqrt of a negative number", "clamp it before: x.clamp(min=1e-12).rsqrt()"},
    {"aten::rsqrt", In::Either, When::Zero, 0, "rsqrt at 0", "add an eps under the root: torch.rsqrt(x + 1e-12)"},
    {"aten::reciprocal", In::Either, When::Zero, 0, "1 / 0", kDivide},
    {"aten::pow", In::Either, When::Zero, 0, "a power at 0", "add an eps to the base, or clamp it away from 0"},
    {"aten::pow", In::Forward, When::Negative, 0, "a fractional power of a negative number", "clamp the base at 0, or take x.abs() and its sign apart"},
    {"aten::pow", In::Backward, When::Negative, 0, "a power of a negative number, whose logarithm the gradient takes", "clamp the base, or give the exponent as a number"},
    {"aten::pow", In::Forward, When::Always, 0, "a power that leaves the range of its dtype", kShrink},
    {"aten::float_power", In::Either, When::Zero, 0, "a power at 0", "add an eps to the base, or clamp it away from 0"},
    {"aten::square", In::Forward, When::Always, 0, "a square that leaves the range of its dtype", kShrink},

    // Logarithms.
    {"aten::log", In::Forward, When::Negative, 0, "log of a negative number", kLogits},
    {"aten::log", In::Either, When::Zero, 0, "log at 0", kLogits},
    {"aten::log2", In::Forward, When::Negative, 0, "log2 of a negative number", kLogits},
    {"aten::log2", In::Either, When::Zero, 0, "log2 at 0", kLogits},
    {"aten::log10", In::Forward, When::Negative, 0, "log10 of a negative number", kLogits},
    {"aten::log10", In::Either, When::Zero, 0, "log10 at 0", kLogits},
    {"aten::log1p", In::Either, When::AtMinusOne, 0, "log1p at -1 or below", "clamp it above -1 before"},
    {"aten::logit", In::Either, When::AtOne, 0, "logit at 1", "give logit its eps: torch.logit(x, eps=1e-6)"},
    {"aten::logit", In::Either, When::Zero, 0, "logit at 0", "give logit its eps: torch.logit(x, eps=1e-6)"},
    {"aten::logit", In::Forward, When::Negative, 0, "logit of a number outside (0, 1)", "give logit its eps: torch.logit(x, eps=1e-6)"},
    {"aten::logcumsumexp", In::Either, When::Infinite, 0, "logcumsumexp over Inf", kDifference},
    {"aten::logsumexp", In::Either, When::Infinite, 0, "logsumexp over Inf", kMask},
    {"aten::xlogy", In::Either, When::Zero, 1, "xlogy at y = 0", "clamp y before: y.clamp(min=1e-8)"},
    {"aten::kl_div", In::Either, When::Infinite, 0, "kl_div of an input that is -Inf", "give it log_softmax of finite logits"},
    {"aten::binary_cross_entropy", In::Either, When::Always, 0, "binary_cross_entropy of a number outside [0, 1]", "give logits to binary_cross_entropy_with_logits"},

    // Exponentials.
    {"aten::exp", In::Forward, When::Always, 0, "exp of a number whose exponential leaves the range of its dtype", kExponent},
    {"aten::exp2", In::Forward, When::Always, 0, "exp2 of a number whose power leaves the range of its dtype", kExponent},
    {"aten::expm1", In::Forward, When::Always, 0, "expm1 of a number whose exponential leaves the range of its dtype", kExponent},
    {"aten::sinh", In::Forward, When::Great, 0, "sinh of a great number", "clamp what goes in"},
    {"aten::cosh", In::Forward, When::Great, 0, "cosh of a great number", "clamp what goes in"},
    {"aten::softmax", In::Either, When::Infinite, 0, "softmax of a row that is all -Inf (fully masked), or holds +Inf", kMask},
    {"aten::_softmax", In::Either, When::Infinite, 0, "softmax of a row that is all -Inf (fully masked), or holds +Inf", kMask},
    {"aten::log_softmax", In::Either, When::Infinite, 0, "log_softmax of a row that is all -Inf (fully masked), or holds +Inf", kMask},
    {"aten::_log_softmax", In::Either, When::Infinite, 0, "log_softmax of a row that is all -Inf (fully masked), or holds +Inf", kMask},
    {"aten::scaled_dot_product_attention", In::Either, When::Infinite, 0, "attention over a row that is fully masked", kMask},
    {"aten::scaled_dot_product_attention", In::Either, When::Always, 0, "attention over a row that is fully masked", kMask},
    {"aten::cross_entropy_loss", In::Either, When::Infinite, 0, "cross_entropy of logits that are infinite", "mask logits with a large finite number, and keep the target's class unmasked"},
    {"aten::cross_entropy_loss", In::Forward, When::Always, 0, "the mean over no targets (each is ignore_index or has weight 0)", "skip batches without a target, or use reduction='sum' and divide by the count"},
    {"aten::nll_loss", In::Forward, When::Always, 0, "the mean over no targets (each is ignore_index or has weight 0)", "skip batches without a target, or use reduction='sum' and divide by the count"},
    {"aten::nll_loss_nd", In::Forward, When::Always, 0, "the mean over no targets (each is ignore_index or has weight 0)", "skip batches without a target, or use reduction='sum' and divide by the count"},
    {"aten::nll_loss_forward", In::Forward, When::Always, 0, "the mean over no targets (each is ignore_index or has weight 0)", "skip batches without a target, or use reduction='sum' and divide by the count"},

    // Quotients, products, sums.
    {"aten::div", In::Either, When::Zero, 1, "division by 0", kDivide},
    {"aten::div", In::Either, When::Infinite, 0, "Inf / Inf", kDifference},
    {"aten::div", In::Forward, When::Always, 0, "a quotient that leaves the range of its dtype", kDivide},
    {"aten::floor_divide", In::Forward, When::Zero, 1, "division by 0", kDivide},
    {"aten::remainder", In::Forward, When::Zero, 1, "the remainder of a division by 0", kDivide},
    {"aten::fmod", In::Forward, When::Zero, 1, "the remainder of a division by 0", kDivide},
    {"aten::addcdiv", In::Either, When::Zero, 2, "division by 0", kDivide},
    {"aten::mul", In::Either, When::Infinite, 0, "0 \u00b7 Inf", kProduct},
    {"aten::mul", In::Forward, When::Always, 0, "a product that leaves the range of its dtype", kShrink},
    {"aten::add", In::Either, When::Infinite, 0, "Inf \u2212 Inf", kDifference},
    {"aten::add", In::Forward, When::Always, 0, "a sum that leaves the range of its dtype", kShrink},
    {"aten::sub", In::Either, When::Infinite, 0, "Inf \u2212 Inf", kDifference},
    {"aten::sub", In::Forward, When::Always, 0, "a difference that leaves the range of its dtype", kShrink},
    {"aten::rsub", In::Either, When::Infinite, 0, "Inf \u2212 Inf", kDifference},
    {"aten::where", In::Backward, When::Always, 0, "0 \u00b7 Inf in the branch that where does not take", "make the input of that branch harmless before the function, not its result behind it"},
    {"aten::matmul", In::Either, When::Infinite, 0, "0 \u00b7 Inf or Inf \u2212 Inf in a matrix product", kProduct},
    {"aten::mm", In::Either, When::Infinite, 0, "0 \u00b7 Inf or Inf \u2212 Inf in a matrix product", kProduct},
    {"aten::bmm", In::Either, When::Infinite, 0, "0 \u00b7 Inf or Inf \u2212 Inf in a matrix product", kProduct},
    {"aten::matmul", In::Either, When::Always, 0, "a matrix product that leaves the range of its dtype", kShrink},
    {"aten::mm", In::Either, When::Always, 0, "a matrix product that leaves the range of its dtype", kShrink},
    {"aten::bmm", In::Either, When::Always, 0, "a matrix product that leaves the range of its dtype", kShrink},
    {"aten::addmm", In::Either, When::Always, 0, "a matrix product that leaves the range of its dtype", kShrink},
    {"aten::linear", In::Either, When::Always, 0, "a matrix product that leaves the range of its dtype", kShrink},
    {"aten::conv1d", In::Either, When::Always, 0, "a convolution that leaves the range of its dtype", kShrink},
    {"aten::conv2d", In::Either, When::Always, 0, "a convolution that leaves the range of its dtype", kShrink},
    {"aten::conv3d", In::Either, When::Always, 0, "a convolution that leaves the range of its dtype", kShrink},
    {"aten::convolution", In::Either, When::Always, 0, "a convolution that leaves the range of its dtype", kShrink},
    {"aten::_convolution", In::Either, When::Always, 0, "a convolution that leaves the range of its dtype", kShrink},

    // Reductions.
    {"aten::mean", In::Forward, When::Nothing, 0, "the mean of no elements", kNone},
    {"aten::mean", In::Either, When::Infinite, 0, "Inf \u2212 Inf in a mean", kDifference},
    {"aten::mean", In::Forward, When::Always, 0, "a mean whose sum leaves the range of its dtype", kShrink},
    {"aten::sum", In::Either, When::Infinite, 0, "Inf \u2212 Inf in a sum", kDifference},
    {"aten::sum", In::Forward, When::Always, 0, "a sum that leaves the range of its dtype", kShrink},
    {"aten::cumsum", In::Either, When::Infinite, 0, "Inf \u2212 Inf in a running sum", kDifference},
    {"aten::cumsum", In::Forward, When::Always, 0, "a running sum that leaves the range of its dtype", kShrink},
    {"aten::prod", In::Either, When::Infinite, 0, "0 \u00b7 Inf in a product", kProduct},
    {"aten::prod", In::Forward, When::Always, 0, "a product that leaves the range of its dtype", "sum logarithms instead"},
    {"aten::cumprod", In::Either, When::Always, 0, "a running product that leaves the range of its dtype", "sum logarithms instead"},
    {"aten::var", In::Forward, When::Alone, 0, "the variance of one element", kSpread},
    {"aten::std", In::Forward, When::Alone, 0, "the standard deviation of one element", kSpread},
    {"aten::var", In::Either, When::Always, 0, "a variance that leaves the range of its dtype", kShrink},
    {"aten::std", In::Backward, When::Zero, -1, "std of equal elements: a root at 0", "add an eps to the variance before its root"},
    {"aten::var_mean", In::Forward, When::Alone, 0, "the variance of one element", kSpread},
    {"aten::std_mean", In::Forward, When::Alone, 0, "the standard deviation of one element", kSpread},
    {"aten::norm", In::Backward, When::Zero, -1, "the norm of a zero vector, where it has no derivative", "add an eps: (x.square().sum(dim) + 1e-12).sqrt()"},
    {"aten::linalg_vector_norm", In::Backward, When::Zero, -1, "the norm of a zero vector, where it has no derivative", "add an eps: (x.square().sum(dim) + 1e-12).sqrt()"},
    {"aten::norm", In::Forward, When::Always, 0, "a norm that leaves the range of its dtype", kShrink},
    {"aten::linalg_vector_norm", In::Forward, When::Always, 0, "a norm that leaves the range of its dtype", kShrink},
    {"aten::cdist", In::Backward, When::Zero, -1, "the distance of equal points, where it has no derivative", "add an eps under the root of a distance of your own"},
    {"aten::dist", In::Backward, When::Zero, -1, "the distance of equal points, where it has no derivative", "add an eps under the root of a distance of your own"},

    // Trigonometric functions.
    {"aten::asin", In::Forward, When::BeyondOne, 0, "asin of a number outside [-1, 1]", kClampOne},
    {"aten::acos", In::Forward, When::BeyondOne, 0, "acos of a number outside [-1, 1]", kClampOne},
    {"aten::asin", In::Backward, When::AtOne, 0, "asin at 1 or -1, where its derivative is infinite", kClampOne},
    {"aten::acos", In::Backward, When::AtOne, 0, "acos at 1 or -1, where its derivative is infinite", kClampOne},
    {"aten::atanh", In::Either, When::AtOne, 0, "atanh at or beyond 1", kClampOne},
    {"aten::erfinv", In::Either, When::AtOne, 0, "erfinv at or beyond 1", kClampOne},
    {"aten::acosh", In::Either, When::BelowOne, 0, "acosh below 1", "clamp it before: x.clamp(min=1 + 1e-7)"},
    {"aten::acosh", In::Backward, When::Always, 0, "acosh at 1, where its derivative is infinite", "clamp it before: x.clamp(min=1 + 1e-7)"},
    {"aten::atan2", In::Backward, When::Zero, 0, "atan2 at (0, 0)", "add an eps to one of its arguments"},
    {"aten::lgamma", In::Either, When::Negative, 0, "lgamma at 0 or a negative whole number", "clamp it above 0 before"},
    {"aten::lgamma", In::Either, When::Zero, 0, "lgamma at 0", "clamp it above 0 before"},
    {"aten::digamma", In::Either, When::Zero, 0, "digamma at 0", "clamp it above 0 before"},

    // Normalisations and casts.
    {"aten::layer_norm", In::Either, When::Always, 0, "a layer_norm whose sums leave the range, or of equal elements with eps 0", "give it an eps above 0, in float32"},
    {"aten::native_layer_norm", In::Either, When::Always, 0, "a layer_norm whose sums leave the range, or of equal elements with eps 0", "give it an eps above 0, in float32"},
    {"aten::batch_norm", In::Either, When::Always, 0, "a batch_norm whose sums leave the range, or of equal elements with eps 0", "give it an eps above 0, in float32"},
    {"aten::native_batch_norm", In::Either, When::Always, 0, "a batch_norm whose sums leave the range, or of equal elements with eps 0", "give it an eps above 0, in float32"},
    {"aten::group_norm", In::Either, When::Always, 0, "a group_norm whose sums leave the range, or of equal elements with eps 0", "give it an eps above 0, in float32"},
    {"aten::to", In::Forward, When::Always, 0, "a number that its new dtype does not hold", "cast to bfloat16 or float32, or scale it down before"},
    {"aten::_to_copy", In::Forward, When::Always, 0, "a number that its new dtype does not hold", "cast to bfloat16 or float32, or scale it down before"},

    // Memory as it was.
    {"aten::empty", In::Forward, When::Unwritten, 0, "memory that nothing has written yet", "write all of it before it is read, or use torch.zeros"},
    {"aten::empty_like", In::Forward, When::Unwritten, 0, "memory that nothing has written yet", "write all of it before it is read, or use torch.zeros_like"},
    {"aten::empty_strided", In::Forward, When::Unwritten, 0, "memory that nothing has written yet", "write all of it before it is read, or use torch.zeros"},
    {"aten::new_empty", In::Forward, When::Unwritten, 0, "memory that nothing has written yet", "write all of it before it is read, or use new_zeros"},
};

}  // namespace

std::span<const NotFiniteNote> not_finite_notes() { return kNotes; }

}  // namespace loupe
