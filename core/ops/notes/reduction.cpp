// SPDX-License-Identifier: Apache-2.0
// Sums, means, extrema, moments, norms, running sums. n is the number of reduced elements.

#include "core/ops/notes/tables.h"

namespace loupe::notes {
namespace {

constexpr std::string_view kVariance = "sum((x - mean)^2) / (n - correction)";
constexpr std::string_view kDeviation = "sqrt(sum((x - mean)^2) / (n - correction))";
constexpr std::string_view kNorm = "sum(|x|^p)^(1 / p)";
constexpr std::string_view kNormGradient = "self: grad x |x|^(p - 2) / out^(p - 1)";
constexpr std::string_view kVarianceGradient = "self: 2 grad (x - mean) / (n - correction)";
constexpr std::string_view kDeviationGradient = "self: grad (x - mean) / (out (n - correction))";

constexpr OperatorNote kNotes[] = {
    {"aten::sum", "sum_i x_i", "self: grad, repeated over what was summed"},
    {"aten::sum_to_size", "sum_i x_i over the dimensions that size lacks or has as 1", "self: grad, repeated over what was summed"},
    {"aten::mean", "sum_i x_i / n", "self: grad / n, repeated"},
    {"aten::nansum", "sum_i x_i over x_i that are not NaN", "self: grad where x is not NaN, else 0"},
    {"aten::nanmean", "nansum(x) / number of x that are not NaN", "self: grad / number of x that are not NaN, 0 where x is NaN"},
    {"aten::prod", "prod_i x_i", "self: grad out / x; where x is 0, grad times the product of the others"},
    {"aten::any", "x_1 != 0 or .. or x_n != 0", ""},
    {"aten::all", "x_1 != 0 and .. and x_n != 0", ""},
    {"aten::count_nonzero", "number of x_i != 0", ""},
    {"aten::max", "max_i x_i", "self: grad / m at the m elements that are the greatest, else 0"},
    {"aten::min", "min_i x_i", "self: grad / m at the m elements that are the smallest, else 0"},
    {"aten::max.dim", "max_i x_i, argmax_i x_i", "self: grad at the place of the greatest, else 0"},
    {"aten::min.dim", "min_i x_i, argmin_i x_i", "self: grad at the place of the smallest, else 0"},
    {"aten::max.other", "max(self, other)",
     "self: grad where self > other, grad / 2 where equal\nother: grad where other > self, grad / 2 where equal"},
    {"aten::min.other", "min(self, other)",
     "self: grad where self < other, grad / 2 where equal\nother: grad where other < self, grad / 2 where equal"},
    {"aten::amax", "max_i x_i", "self: grad / m at the m elements that are the greatest, else 0"},
    {"aten::amin", "min_i x_i", "self: grad / m at the m elements that are the smallest, else 0"},
    {"aten::aminmax", "min_i x_i, max_i x_i", "self: grad0 shared by the smallest elements, grad1 by the greatest"},
    {"aten::argmax", "argmax_i x_i", ""},
    {"aten::argmin", "argmin_i x_i", ""},
    {"aten::var", kVariance, kVarianceGradient},
    {"aten::std", kDeviation, kDeviationGradient},
    {"aten::var_mean", "sum((x - mean)^2) / (n - correction), mean = sum_i x_i / n",
     "self: 2 grad0 (x - mean) / (n - correction) + grad1 / n"},
    {"aten::std_mean", "sqrt(sum((x - mean)^2) / (n - correction)), mean = sum_i x_i / n",
     "self: grad0 (x - mean) / (out0 (n - correction)) + grad1 / n"},
    {"aten::linalg_vector_norm", "", "self: grad x |x|^(ord - 2) / out^(ord - 1)"},
    {"aten::norm", kNorm, kNormGradient},
    {"aten::frobenius_norm", "sqrt(sum(|x|^2))", "self: grad x / out"},
    {"aten::dist", "sum(|self - other|^p)^(1 / p)",
     "self: grad d |d|^(p - 2) / out^(p - 1), d = self - other\nother: -grad d |d|^(p - 2) / out^(p - 1), d = self - other"},
    {"aten::norm_except_dim", "sum(|v|^pow)^(1 / pow) over all dimensions but dim", "v: grad v |v|^(pow - 2) / out^(pow - 1)"},
    {"aten::logsumexp", "", "self: grad exp(x - out)"},
    {"aten::cumsum", "out[i] = sum_{j <= i} x[j]", "self: sum_{j >= i} grad[j]"},
    {"aten::cumprod", "out[i] = prod_{j <= i} x[j]", "self: sum_{j >= i} grad[j] out[j] / x[i]"},
    {"aten::cummax", "out[i] = max_{j <= i} x[j]", "self: sum of grad[j] over the j whose maximum stands here"},
    {"aten::cummin", "out[i] = min_{j <= i} x[j]", "self: sum of grad[j] over the j whose minimum stands here"},
    {"aten::logcumsumexp", "out[i] = ln(sum_{j <= i} exp(x[j]))", "self: sum_{j >= i} grad[j] exp(x[i] - out[j])"},
};

}  // namespace

std::span<const OperatorNote> reduction_notes() { return kNotes; }

}  // namespace loupe::notes
