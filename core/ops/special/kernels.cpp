// SPDX-License-Identifier: Apache-2.0
#include "core/ops/special/kernels.h"

#include "core/ops/special/bessel_formulas.h"
#include "core/ops/special/beta_formulas.h"
#include "core/ops/special/gamma_formulas.h"
#include "core/ops/special/normal_formulas.h"
#include "core/ops/special/polynomial_formulas.h"

namespace loupe {
namespace {

// Elements of float32 are computed in double and rounded.
template <auto kFunction, typename T>
void loop_of_one(const void*, void* const* arrays, std::int64_t n) {
    auto* out = static_cast<T*>(arrays[0]);
    const auto* x = static_cast<const T*>(arrays[1]);
    for (std::int64_t i = 0; i < n; ++i) out[i] = static_cast<T>(kFunction(static_cast<double>(x[i])));
}
template <auto kFunction, typename T>
void loop_of_two(const void*, void* const* arrays, std::int64_t n) {
    auto* out = static_cast<T*>(arrays[0]);
    const auto* x = static_cast<const T*>(arrays[1]);
    const auto* y = static_cast<const T*>(arrays[2]);
    for (std::int64_t i = 0; i < n; ++i)
        out[i] = static_cast<T>(kFunction(static_cast<double>(x[i]), static_cast<double>(y[i])));
}

template <auto kFunction, typename T>
void loop_of_three(const void*, void* const* arrays, std::int64_t n) {
    auto* out = static_cast<T*>(arrays[0]);
    const auto *x = static_cast<const T*>(arrays[1]), *y = static_cast<const T*>(arrays[2]),
               *z = static_cast<const T*>(arrays[3]);
    for (std::int64_t i = 0; i < n; ++i)
        out[i] =
            static_cast<T>(kFunction(static_cast<double>(x[i]), static_cast<double>(y[i]), static_cast<double>(z[i])));
}

template <typename T>
void zeta_loop(const void*, void* const* arrays, std::int64_t n) {
    auto* out = static_cast<T*>(arrays[0]);
    const auto* x = static_cast<const T*>(arrays[1]);
    const auto* q = static_cast<const T*>(arrays[2]);
    for (std::int64_t i = 0; i < n; ++i) out[i] = special::hurwitz_zeta(x[i], q[i]);
}

template <typename T, T (*kFunction)(T, std::int64_t)>
void polynomial_loop(const void*, void* const* arrays, std::int64_t count) {
    auto* out = static_cast<T*>(arrays[0]);
    const auto* x = static_cast<const T*>(arrays[1]);
    const auto* n = static_cast<const T*>(arrays[2]);
    for (std::int64_t i = 0; i < count; ++i) out[i] = kFunction(x[i], special::degree_of(n[i]));
}

ElementwiseKernel of_type(ScalarType as, ElementwiseKernel for_float, ElementwiseKernel for_double) {
    if (as == ScalarType::Float32) return for_float;
    return as == ScalarType::Float64 ? for_double : nullptr;
}

}  // namespace

ElementwiseKernel special_kernel(SpecialOp op, ScalarType as) {
    switch (op) {
#define LOUPE_CASE(name, formula) \
    case SpecialOp::name:         \
        return of_type(as, loop_of_one<special::formula, float>, loop_of_one<special::formula, double>);
        LOUPE_SPECIAL_FUNCTIONS(LOUPE_CASE)
#undef LOUPE_CASE
    }
    return nullptr;
}

ElementwiseKernel special_pair_kernel(SpecialPairOp op, ScalarType as) {
    switch (op) {
#define LOUPE_CASE(name, formula) \
    case SpecialPairOp::name:     \
        return of_type(as, loop_of_two<special::formula, float>, loop_of_two<special::formula, double>);
        LOUPE_SPECIAL_PAIRS(LOUPE_CASE)
#undef LOUPE_CASE
        case SpecialPairOp::Zeta:
            return of_type(as, zeta_loop<float>, zeta_loop<double>);
    }
    return nullptr;
}

ElementwiseKernel special_triple_kernel(SpecialTripleOp op, ScalarType as) {
    switch (op) {
        case SpecialTripleOp::BetaSlope:
            return of_type(as, loop_of_three<special::beta_slope, float>, loop_of_three<special::beta_slope, double>);
    }
    return nullptr;
}

ElementwiseKernel polynomial_kernel(PolynomialOp op, ScalarType as) {
    switch (op) {
#define LOUPE_CASE(name, function)                                                        \
    case PolynomialOp::name:                                                              \
        return of_type(as, polynomial_loop<float, special::Polynomials<float>::function>, \
                       polynomial_loop<double, special::Polynomials<double>::function>);
        LOUPE_POLYNOMIALS(LOUPE_CASE)
#undef LOUPE_CASE
    }
    return nullptr;
}

}  // namespace loupe
