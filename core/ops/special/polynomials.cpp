// SPDX-License-Identifier: Apache-2.0
// Orthogonal polynomials.

#include "core/ops/samples.h"
#include "core/ops/special/family.h"
#include "core/ops/special/loops.h"

namespace loupe::special {
namespace {

std::vector<Sample> polynomial_samples(Random& random, ScalarType dtype) {
    if (!is_wide_real(dtype)) return {};
    std::vector<Sample> samples;
    for (const Sample& s : pointwise::real_samples(random, dtype)) {
        const Tensor x = s.arguments[0].to_tensor();
        samples.push_back({{x, random_tensor(random, x.sizes(), ScalarType::Int64)}, s.name});
    }
    return samples;
}
std::vector<Sample> degree_samples(Random& random, ScalarType dtype) {
    return pointwise::with_arguments(
        is_wide_real(dtype) ? pointwise::real_samples(random, dtype) : std::vector<Sample>(), {IValue(3)});
}

constexpr OperatorRecord record(std::string_view schema, std::string_view summary, Kernel kernel,
                                std::string_view out_overload, SamplesFunction samples) {
    return {.schema = schema,
            .summary = summary,
            .infer = infer_wide_pair,
            .kernel = kernel,
            .samples = samples,
            .variants = kOut,
            .out = {.overload = out_overload},
            .is_gradient_stop = true,
            .dtypes = {kWithUnsigned}};
}

#define LOUPE_POLYNOMIAL(name, op, summary, formula)                                        \
    record("aten::special_" name "(Tensor x, Tensor n) -> Tensor", summary,                 \
           FillingKernel{&call_polynomial<PolynomialOp::op>}, "out", polynomial_samples)    \
        .with_formula(formula),                                                             \
        record("aten::special_" name ".x_scalar(Scalar x, Tensor n) -> Tensor", summary,    \
               FillingKernel{&call_polynomial<PolynomialOp::op>}, "x_scalar_out", nullptr), \
        record("aten::special_" name ".n_scalar(Tensor x, Scalar n) -> Tensor", summary,    \
               FillingKernel{&call_polynomial<PolynomialOp::op>}, "n_scalar_out", degree_samples)

constexpr OperatorRecord kRecords[] = {
    LOUPE_POLYNOMIAL("chebyshev_polynomial_t", ChebyshevT, "Chebyshev polynomial of the first kind, of degree n.",
                     "T_n(x) = 2 x T_{n - 1}(x) - T_{n - 2}(x), T_0 = 1, T_1 = x"),
    LOUPE_POLYNOMIAL("chebyshev_polynomial_u", ChebyshevU, "Chebyshev polynomial of the second kind, of degree n.",
                     "U_n(x) = 2 x U_{n - 1}(x) - U_{n - 2}(x), U_0 = 1, U_1 = 2 x"),
    LOUPE_POLYNOMIAL("chebyshev_polynomial_v", ChebyshevV, "Chebyshev polynomial of the third kind, of degree n.",
                     "V_n(x) = 2 x V_{n - 1}(x) - V_{n - 2}(x), V_0 = 1, V_1 = 2 x - 1"),
    LOUPE_POLYNOMIAL("chebyshev_polynomial_w", ChebyshevW, "Chebyshev polynomial of the fourth kind, of degree n.",
                     "W_n(x) = 2 x W_{n - 1}(x) - W_{n - 2}(x), W_0 = 1, W_1 = 2 x + 1"),
    LOUPE_POLYNOMIAL("shifted_chebyshev_polynomial_t", ShiftedChebyshevT,
                     "Chebyshev polynomial of the first kind at 2x - 1.", "T_n(2 x - 1)"),
    LOUPE_POLYNOMIAL("shifted_chebyshev_polynomial_u", ShiftedChebyshevU,
                     "Chebyshev polynomial of the second kind at 2x - 1.", "U_n(2 x - 1)"),
    LOUPE_POLYNOMIAL("shifted_chebyshev_polynomial_v", ShiftedChebyshevV,
                     "Chebyshev polynomial of the third kind at 2x - 1.", "V_n(2 x - 1)"),
    LOUPE_POLYNOMIAL("shifted_chebyshev_polynomial_w", ShiftedChebyshevW,
                     "Chebyshev polynomial of the fourth kind at 2x - 1.", "W_n(2 x - 1)"),
    LOUPE_POLYNOMIAL("hermite_polynomial_h", HermiteH, "Hermite polynomial of physicists, of degree n.",
                     "H_n(x) = 2 x H_{n - 1}(x) - 2 (n - 1) H_{n - 2}(x), H_0 = 1, H_1 = 2 x"),
    LOUPE_POLYNOMIAL("hermite_polynomial_he", HermiteHe, "Hermite polynomial of probability theory, of degree n.",
                     "He_n(x) = x He_{n - 1}(x) - (n - 1) He_{n - 2}(x), He_0 = 1, He_1 = x"),
    LOUPE_POLYNOMIAL("laguerre_polynomial_l", LaguerreL, "Laguerre polynomial of degree n.",
                     "n L_n(x) = (2 n - 1 - x) L_{n - 1}(x) - (n - 1) L_{n - 2}(x), L_0 = 1, L_1 = 1 - x"),
    LOUPE_POLYNOMIAL("legendre_polynomial_p", LegendreP, "Legendre polynomial of degree n.",
                     "n P_n(x) = (2 n - 1) x P_{n - 1}(x) - (n - 1) P_{n - 2}(x), P_0 = 1, P_1 = x"),
};
#undef LOUPE_POLYNOMIAL

}  // namespace

std::span<const OperatorRecord> polynomial_records() { return kRecords; }

}  // namespace loupe::special
