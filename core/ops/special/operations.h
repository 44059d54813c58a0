// SPDX-License-Identifier: Apache-2.0
#pragma once
// The special functions that have an inner loop, by name. Includes nothing of the engine: kernels of devices name them
// too.

#include <cstdint>

// FUNCTION(name, formula): of one number, in double precision.
#define LOUPE_SPECIAL_FUNCTIONS(FUNCTION)            \
    FUNCTION(AiryAi, airy_ai)                        \
    FUNCTION(BesselJ0, bessel_j0)                    \
    FUNCTION(BesselJ1, bessel_j1)                    \
    FUNCTION(BesselY0, bessel_y0)                    \
    FUNCTION(BesselY1, bessel_y1)                    \
    FUNCTION(ModifiedBesselI0, modified_bessel_i0)   \
    FUNCTION(ModifiedBesselI1, modified_bessel_i1)   \
    FUNCTION(ModifiedBesselK0, modified_bessel_k0)   \
    FUNCTION(ModifiedBesselK1, modified_bessel_k1)   \
    FUNCTION(ScaledBesselI0, scaled_bessel_i0)       \
    FUNCTION(ScaledBesselI1, scaled_bessel_i1)       \
    FUNCTION(ScaledBesselK0, scaled_bessel_k0)       \
    FUNCTION(ScaledBesselK1, scaled_bessel_k1)       \
    FUNCTION(SphericalBesselJ0, spherical_bessel_j0) \
    FUNCTION(ScaledErfc, scaled_erfc)                \
    FUNCTION(LogNormalCdf, log_normal_cdf)           \
    FUNCTION(InverseNormalCdf, inverse_normal_cdf)   \
    FUNCTION(Entropy, entropy)

// PAIR(name, formula): of two numbers, in double precision.
#define LOUPE_SPECIAL_PAIRS(PAIR) \
    PAIR(XLog1pY, x_log1p_y)      \
    PAIR(GammaP, gamma_p)         \
    PAIR(GammaQ, gamma_q)         \
    PAIR(GammaSlope, gamma_slope)

// POLYNOMIAL(name, function of Polynomials<T>): of a number and a degree.
#define LOUPE_POLYNOMIALS(POLYNOMIAL)        \
    POLYNOMIAL(ChebyshevT, t)                \
    POLYNOMIAL(ChebyshevU, u)                \
    POLYNOMIAL(ChebyshevV, v)                \
    POLYNOMIAL(ChebyshevW, w)                \
    POLYNOMIAL(ShiftedChebyshevT, shifted_t) \
    POLYNOMIAL(ShiftedChebyshevU, shifted_u) \
    POLYNOMIAL(ShiftedChebyshevV, shifted_v) \
    POLYNOMIAL(ShiftedChebyshevW, shifted_w) \
    POLYNOMIAL(HermiteH, hermite_h)          \
    POLYNOMIAL(HermiteHe, hermite_he)        \
    POLYNOMIAL(LaguerreL, laguerre)          \
    POLYNOMIAL(LegendreP, legendre)

namespace loupe {

#define LOUPE_NAME(name, formula) name,
enum class SpecialOp : std::uint8_t { LOUPE_SPECIAL_FUNCTIONS(LOUPE_NAME) };
enum class SpecialPairOp : std::uint8_t { LOUPE_SPECIAL_PAIRS(LOUPE_NAME) Zeta };
enum class SpecialTripleOp : std::uint8_t { BetaSlope };
enum class PolynomialOp : std::uint8_t { LOUPE_POLYNOMIALS(LOUPE_NAME) };
#undef LOUPE_NAME

}  // namespace loupe
