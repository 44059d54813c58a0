// SPDX-License-Identifier: Apache-2.0
#pragma once
// torch::special: the functions special_* of at.

#include <utility>

#include <loupe_torch/functions.h>

namespace torch::special {

#define LOUPE_TORCH_SPECIAL(name)                                         \
    template <typename... Arguments>                                      \
    at::Tensor name(Arguments&&... arguments) {                           \
        return at::special_##name(std::forward<Arguments>(arguments)...); \
    }
LOUPE_TORCH_SPECIAL(airy_ai)
LOUPE_TORCH_SPECIAL(bessel_j0)
LOUPE_TORCH_SPECIAL(bessel_j1)
LOUPE_TORCH_SPECIAL(bessel_y0)
LOUPE_TORCH_SPECIAL(bessel_y1)
LOUPE_TORCH_SPECIAL(chebyshev_polynomial_t)
LOUPE_TORCH_SPECIAL(chebyshev_polynomial_u)
LOUPE_TORCH_SPECIAL(chebyshev_polynomial_v)
LOUPE_TORCH_SPECIAL(chebyshev_polynomial_w)
LOUPE_TORCH_SPECIAL(digamma)
LOUPE_TORCH_SPECIAL(entr)
LOUPE_TORCH_SPECIAL(erf)
LOUPE_TORCH_SPECIAL(erfc)
LOUPE_TORCH_SPECIAL(erfcx)
LOUPE_TORCH_SPECIAL(erfinv)
LOUPE_TORCH_SPECIAL(exp2)
LOUPE_TORCH_SPECIAL(expit)
LOUPE_TORCH_SPECIAL(expm1)
LOUPE_TORCH_SPECIAL(gammainc)
LOUPE_TORCH_SPECIAL(gammaincc)
LOUPE_TORCH_SPECIAL(gammaln)
LOUPE_TORCH_SPECIAL(hermite_polynomial_h)
LOUPE_TORCH_SPECIAL(hermite_polynomial_he)
LOUPE_TORCH_SPECIAL(i0)
LOUPE_TORCH_SPECIAL(i0e)
LOUPE_TORCH_SPECIAL(i1)
LOUPE_TORCH_SPECIAL(i1e)
LOUPE_TORCH_SPECIAL(laguerre_polynomial_l)
LOUPE_TORCH_SPECIAL(legendre_polynomial_p)
LOUPE_TORCH_SPECIAL(log1p)
LOUPE_TORCH_SPECIAL(log_ndtr)
LOUPE_TORCH_SPECIAL(log_softmax)
LOUPE_TORCH_SPECIAL(logit)
LOUPE_TORCH_SPECIAL(logsumexp)
LOUPE_TORCH_SPECIAL(modified_bessel_i0)
LOUPE_TORCH_SPECIAL(modified_bessel_i1)
LOUPE_TORCH_SPECIAL(modified_bessel_k0)
LOUPE_TORCH_SPECIAL(modified_bessel_k1)
LOUPE_TORCH_SPECIAL(multigammaln)
LOUPE_TORCH_SPECIAL(ndtr)
LOUPE_TORCH_SPECIAL(ndtri)
LOUPE_TORCH_SPECIAL(polygamma)
LOUPE_TORCH_SPECIAL(psi)
LOUPE_TORCH_SPECIAL(round)
LOUPE_TORCH_SPECIAL(scaled_modified_bessel_k0)
LOUPE_TORCH_SPECIAL(scaled_modified_bessel_k1)
LOUPE_TORCH_SPECIAL(shifted_chebyshev_polynomial_t)
LOUPE_TORCH_SPECIAL(shifted_chebyshev_polynomial_u)
LOUPE_TORCH_SPECIAL(shifted_chebyshev_polynomial_v)
LOUPE_TORCH_SPECIAL(shifted_chebyshev_polynomial_w)
LOUPE_TORCH_SPECIAL(sinc)
LOUPE_TORCH_SPECIAL(softmax)
LOUPE_TORCH_SPECIAL(spherical_bessel_j0)
LOUPE_TORCH_SPECIAL(xlog1py)
LOUPE_TORCH_SPECIAL(xlogy)
LOUPE_TORCH_SPECIAL(zeta)
#undef LOUPE_TORCH_SPECIAL

}  // namespace torch::special
