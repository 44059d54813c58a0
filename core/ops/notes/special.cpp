// SPDX-License-Identifier: Apache-2.0
// Special functions. x is the element of self.

#include "core/ops/notes/tables.h"

namespace loupe::notes {
namespace {

constexpr OperatorNote kNotes[] = {
    {"aten::special_i0e", "", "self: grad (exp(-|x|) I1(x) - sgn(x) out)"},
    {"aten::special_i1", "", "self: grad (I0(x) - out / x)"},
    {"aten::special_i1e", "", "self: grad (exp(-|x|) I0(x) - out (sgn(x) + 1 / x))"},
    {"aten::special_entr", "", "self: -grad (ln(x) + 1)"},
    {"aten::special_erfcx", "", "self: grad (2 x out - 2 / sqrt(pi))"},
    {"aten::special_log_ndtr", "", "self: grad exp(-x^2 / 2) / (sqrt(2 pi) exp(out))"},
    {"aten::special_ndtri", "", "self: grad sqrt(2 pi) exp(out^2 / 2)"},
    {"aten::special_ndtr", "", "self: grad exp(-x^2 / 2) / sqrt(2 pi)"},
    {"aten::special_zeta", "", "other: -grad self zeta(self + 1, other)"},
    {"aten::special_xlog1py", "", "self: grad ln(1 + other), 0 where self is 0\nother: grad self / (1 + other)"},
    {"aten::igamma", "", "other: grad exp(-other) other^(self - 1) / Gamma(self)"},
    {"aten::igammac", "", "other: -grad exp(-other) other^(self - 1) / Gamma(self)"},
    {"aten::special_chebyshev_polynomial_t", "T_n(x) = 2 x T_{n - 1}(x) - T_{n - 2}(x), T_0 = 1, T_1 = x", ""},
    {"aten::special_chebyshev_polynomial_u", "U_n(x) = 2 x U_{n - 1}(x) - U_{n - 2}(x), U_0 = 1, U_1 = 2 x", ""},
    {"aten::special_chebyshev_polynomial_v", "V_n(x) = 2 x V_{n - 1}(x) - V_{n - 2}(x), V_0 = 1, V_1 = 2 x - 1", ""},
    {"aten::special_chebyshev_polynomial_w", "W_n(x) = 2 x W_{n - 1}(x) - W_{n - 2}(x), W_0 = 1, W_1 = 2 x + 1", ""},
    {"aten::special_shifted_chebyshev_polynomial_t", "T_n(2 x - 1)", ""},
    {"aten::special_shifted_chebyshev_polynomial_u", "U_n(2 x - 1)", ""},
    {"aten::special_shifted_chebyshev_polynomial_v", "V_n(2 x - 1)", ""},
    {"aten::special_shifted_chebyshev_polynomial_w", "W_n(2 x - 1)", ""},
    {"aten::special_hermite_polynomial_h", "H_n(x) = 2 x H_{n - 1}(x) - 2 (n - 1) H_{n - 2}(x), H_0 = 1, H_1 = 2 x", ""},
    {"aten::special_hermite_polynomial_he", "He_n(x) = x He_{n - 1}(x) - (n - 1) He_{n - 2}(x), He_0 = 1, He_1 = x", ""},
    {"aten::special_laguerre_polynomial_l", "n L_n(x) = (2 n - 1 - x) L_{n - 1}(x) - (n - 1) L_{n - 2}(x), L_0 = 1, L_1 = 1 - x", ""},
    {"aten::special_legendre_polynomial_p", "n P_n(x) = (2 n - 1) x P_{n - 1}(x) - (n - 1) P_{n - 2}(x), P_0 = 1, P_1 = x", ""},
};

}  // namespace

std::span<const OperatorNote> special_notes() { return kNotes; }

}  // namespace loupe::notes
