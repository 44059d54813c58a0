// SPDX-License-Identifier: Apache-2.0
// torch.special's aliases of other operators, and forms that these lack.

#include "core/dispatch/boxing.h"
#include "core/dispatch/forward.h"
#include "core/dispatch/functions.h"
#include "core/dispatch/out_form.h"
#include "core/ops/special/family.h"

namespace loupe::special {
namespace {

const OperatorHandle<> kMvlgamma("aten::mvlgamma");
const OperatorHandle<> kRoundDecimals("aten::round.decimals");

Tensor mvlgamma_in_place(const Tensor& self, std::int64_t p) { return fn::copy_(self, kMvlgamma(self, p)); }
Tensor polygamma_in_place(const Tensor& self, std::int64_t n) { return fn::copy_(self, fn::polygamma(n, self)); }
Tensor round_decimals(const Tensor& self, std::int64_t decimals) {
    return decimals == 0 ? fn::round(self) : kRoundDecimals(self, decimals);
}

constexpr OperatorRecord composite(std::string_view schema, std::string_view summary, KernelFunction function) {
    return {.schema = schema, .summary = summary, .composite = function};
}

#define LOUPE_OUT_NAME(name, target)                                                                                 \
    composite("aten::special_" name ".out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)", "The same as " target ".", \
              forward<"aten::" target ".out">)
#define LOUPE_NAME(name, target)                                                                                     \
    composite("aten::special_" name "(Tensor self) -> Tensor", "The same as " target ".", forward<"aten::" target>), \
        LOUPE_OUT_NAME(name, target)

constexpr OperatorRecord kRecords[] = {
    LOUPE_NAME("psi", "digamma"),
    LOUPE_NAME("erfc", "erfc"),
    LOUPE_NAME("erfinv", "erfinv"),
    LOUPE_NAME("gammaln", "lgamma"),
    LOUPE_NAME("i0", "i0"),
    LOUPE_NAME("sinc", "sinc"),
    LOUPE_OUT_NAME("expit", "sigmoid"),
    LOUPE_OUT_NAME("erf", "erf"),
    LOUPE_OUT_NAME("exp2", "exp2"),
    LOUPE_OUT_NAME("expm1", "expm1"),
    LOUPE_OUT_NAME("log1p", "log1p"),
    LOUPE_OUT_NAME("digamma", "digamma"),
    composite("aten::special_ndtr.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)", "The same as special_ndtr.",
              into_out<forward<"aten::special_ndtr">>),
    composite("aten::special_logit(Tensor self, float? eps=None) -> Tensor", "The same as logit.",
              forward<"aten::logit">),
    composite("aten::special_logit.out(Tensor self, float? eps=None, *, Tensor(a!) out) -> Tensor(a!)",
              "The same as logit.", forward<"aten::logit.out">),
    composite(
        "aten::special_logsumexp.out(Tensor self, int[1] dim, bool keepdim=False, *, Tensor(a!) out) -> Tensor(a!)",
        "The same as logsumexp.", forward<"aten::logsumexp.out">),
    composite("aten::special_polygamma(int n, Tensor self) -> Tensor", "The same as polygamma.",
              forward<"aten::polygamma">),
    composite("aten::special_polygamma.out(int n, Tensor self, *, Tensor(a!) out) -> Tensor(a!)",
              "The same as polygamma.", forward<"aten::polygamma.out">),
    composite("aten::polygamma_(Tensor(a!) self, int n) -> Tensor(a!)", "The same as polygamma, in place.",
              boxed<polygamma_in_place>)
        .with_formula("psi_n(x) = d^n psi(x) / dx^n")
        .with_gradient("self: grad psi_{n + 1}(x)"),
    composite("aten::special_multigammaln(Tensor self, int p) -> Tensor", "The same as mvlgamma.",
              forward<"aten::mvlgamma">),
    composite("aten::special_multigammaln.out(Tensor self, int p, *, Tensor(a!) out) -> Tensor(a!)",
              "The same as mvlgamma.", into_out<forward<"aten::mvlgamma">>),
    composite("aten::mvlgamma.out(Tensor self, int p, *, Tensor(a!) out) -> Tensor(a!)",
              "Logarithm of the multivariate gamma function.", into_out<forward<"aten::mvlgamma">>),
    composite("aten::mvlgamma_(Tensor(a!) self, int p) -> Tensor(a!)", "The same as mvlgamma, in place.",
              boxed<mvlgamma_in_place>)
        .with_formula("p (p - 1) ln(pi) / 4 + sum_{i = 1}^p ln|Gamma(x + (1 - i) / 2)|")
        .with_gradient("self: grad sum_{i = 1}^p psi(x + (1 - i) / 2)"),
    composite("aten::special_round(Tensor self, *, int decimals=0) -> Tensor", "Nearest multiple of a power of ten.",
              boxed<round_decimals>),
    composite("aten::special_round.out(Tensor self, *, int decimals=0, Tensor(a!) out) -> Tensor(a!)",
              "Nearest multiple of a power of ten.", into_out<boxed<round_decimals>>),
};
#undef LOUPE_NAME
#undef LOUPE_OUT_NAME

}  // namespace

std::span<const OperatorRecord> alias_records() { return kRecords; }

}  // namespace loupe::special
