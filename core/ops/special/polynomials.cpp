// SPDX-License-Identifier: Apache-2.0
// Orthogonal polynomials by their recurrences; Chebyshev's inside the interval by angles, as PyTorch.

#include <cmath>
#include <limits>

#include "core/ops/samples.h"
#include "core/ops/special/family.h"
#include "core/ops/special/loops.h"

namespace loupe::special {
namespace {

// An element as a degree; numbers that are no 64-bit integers count as negative.
template <typename T>
std::int64_t degree_of(T n) {
    return std::abs(n) < T(9.2e18) ? static_cast<std::int64_t>(n) : std::numeric_limits<std::int64_t>::min();
}
template <typename T>
T sign_of_even(std::int64_t n) {
    return n % 2 == 0 ? T(1) : T(-1);
}

constexpr std::int64_t kMostSteps = 1'000'000;  // rounding leaves no digit long before; a file must not ask for 2^63

// P[n] from P[0] = 1, P[1] = first and next(k, P[k], P[k - 1]) = P[k + 1].
template <typename T, typename Next>
T recur(std::int64_t n, T first, Next&& next) {
    if (n < 0) return 0;
    if (n == 0) return 1;
    if (n > kMostSteps) return std::numeric_limits<T>::quiet_NaN();
    T before = 1, now = first;
    for (std::int64_t k = 1; k < n && !std::isnan(now); ++k) {
        const T after = next(static_cast<T>(k), now, before);
        before = now;
        now = after;
    }
    return now;
}
// P[k + 1] = 2 x P[k] - P[k - 1]
template <typename T>
T chebyshev_recurrence(std::int64_t n, T x, T first) {
    return recur(n, first, [x](T, T now, T before) { return (x + x) * now - before; });
}

// The four kinds at an end of [-1, 1], inside by angles from degree `from` on, by recurrence elsewhere.
template <typename T>
T chebyshev_t(T x, std::int64_t n, T at_end, std::int64_t from) {
    if (n < 0) return 0;
    if (std::abs(at_end) == 1) return at_end > 0 ? T(1) : sign_of_even<T>(n);
    if (n >= from && std::abs(x) < 1) return std::cos(static_cast<T>(n) * std::acos(x));
    return chebyshev_recurrence(n, x, x);
}
template <typename T>
T chebyshev_u(T x, std::int64_t n, T at_end, std::int64_t from) {
    if (n < 0) return 0;
    const T degree = static_cast<T>(n) + T(1);
    if (std::abs(at_end) == 1) return at_end > 0 ? degree : sign_of_even<T>(n) * degree;
    if (n >= from && std::abs(x) < 1) {
        const T angle = std::acos(x);
        return std::sin(angle) != 0 ? std::sin(degree * angle) / std::sin(angle)
                                    : degree * std::cos(degree * angle) / x;
    }
    return chebyshev_recurrence(n, x, x + x);
}
template <typename T>
T chebyshev_v(T x, std::int64_t n, T at_end, std::int64_t from) {
    if (n < 0) return 0;
    const T odd = T(2) * static_cast<T>(n) + T(1);
    if (std::abs(at_end) == 1) return at_end > 0 ? T(1) : sign_of_even<T>(n) * odd;
    if (n >= from && std::abs(x) < 1) {
        const T angle = std::acos(x);
        if (std::sin(angle / T(2)) == 1) return sign_of_even<T>(n) * odd;
        return std::cos((static_cast<T>(n) + T(0.5)) * angle) / std::cos(angle / T(2));
    }
    return chebyshev_recurrence(n, x, x + x - 1);
}
template <typename T>
T chebyshev_w(T x, std::int64_t n, T at_end, std::int64_t from) {
    if (n < 0) return 0;
    const T odd = T(2) * static_cast<T>(n) + T(1);
    if (std::abs(at_end) == 1) return at_end > 0 ? odd : sign_of_even<T>(n);
    if (n >= from && std::abs(x) < 1) {
        const T angle = std::acos(x);
        if (std::cos(angle / T(2)) == 1) return x > 0 ? odd : sign_of_even<T>(n);
        return std::sin((static_cast<T>(n) + T(0.5)) * angle) / std::sin(angle / T(2));
    }
    return chebyshev_recurrence(n, x, x + x + 1);
}

// Of [0, 1] instead of [-1, 1].
template <typename T>
T shifted_end(T x) {
    return x == 1 ? T(1) : x == 0 ? T(-1) : T(0);
}

template <typename T>
struct Polynomials {
    using Function = T (*)(T x, std::int64_t n);
    static T t(T x, std::int64_t n) { return chebyshev_t(x, n, x, 7); }
    static T u(T x, std::int64_t n) { return chebyshev_u(x, n, x, 9); }
    static T v(T x, std::int64_t n) { return chebyshev_v(x, n, x, 9); }
    static T w(T x, std::int64_t n) { return chebyshev_w(x, n, x, 9); }
    static T shifted_t(T x, std::int64_t n) { return chebyshev_t(x + x - 1, n, shifted_end(x), 7); }
    static T shifted_u(T x, std::int64_t n) { return chebyshev_u(x + x - 1, n, shifted_end(x), 7); }
    static T shifted_v(T x, std::int64_t n) { return chebyshev_v(x + x - 1, n, shifted_end(x), 7); }
    static T shifted_w(T x, std::int64_t n) { return chebyshev_w(x + x - 1, n, shifted_end(x), 5); }
    static T hermite_h(T x, std::int64_t n) {
        return recur(n, x + x, [x](T k, T now, T before) { return (x + x) * now - (k + k) * before; });
    }
    static T hermite_he(T x, std::int64_t n) {
        return recur(n, x, [x](T k, T now, T before) { return x * now - k * before; });
    }
    static T laguerre(T x, std::int64_t n) {
        if (n >= 0 && x == 0) return 1;
        return recur(n, 1 - x, [x](T k, T now, T before) { return ((k + k + (1 - x)) * now - k * before) / (k + 1); });
    }
    static T legendre(T x, std::int64_t n) {
        if (n >= 0 && std::abs(x) == 1) return x > 0 ? T(1) : sign_of_even<T>(n);
        return recur(n, x, [x](T k, T now, T before) { return ((k + k + 1) * x * now - k * before) / (k + 1); });
    }
};

template <typename T, typename Polynomials<T>::Function kFunction>
void loop(const void*, void* const* arrays, std::int64_t count) {
    auto* out = static_cast<T*>(arrays[0]);
    const auto* x = static_cast<const T*>(arrays[1]);
    const auto* n = static_cast<const T*>(arrays[2]);
    for (std::int64_t i = 0; i < count; ++i) out[i] = kFunction(x[i], degree_of(n[i]));
}
template <Polynomials<float>::Function kFloat, Polynomials<double>::Function kDouble>
void polynomial(Arguments arguments, IValue* results) {
    run_loops(loop<float, kFloat>, loop<double, kDouble>, 2, arguments, results);
}

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

#define LOUPE_POLYNOMIAL(name, function, summary, formula)                                                 \
    record("aten::special_" name "(Tensor x, Tensor n) -> Tensor", summary,                                \
           FillingKernel{&polynomial<Polynomials<float>::function, Polynomials<double>::function>}, "out", \
           polynomial_samples)                                                                             \
        .with_formula(formula),                                                                            \
        record("aten::special_" name ".x_scalar(Scalar x, Tensor n) -> Tensor", summary,                   \
               FillingKernel{&polynomial<Polynomials<float>::function, Polynomials<double>::function>},    \
               "x_scalar_out", nullptr),                                                                   \
        record("aten::special_" name ".n_scalar(Tensor x, Scalar n) -> Tensor", summary,                   \
               FillingKernel{&polynomial<Polynomials<float>::function, Polynomials<double>::function>},    \
               "n_scalar_out", degree_samples)

constexpr OperatorRecord kRecords[] = {
    LOUPE_POLYNOMIAL("chebyshev_polynomial_t", t, "Chebyshev polynomial of the first kind, of degree n.",
                     "T_n(x) = 2 x T_{n - 1}(x) - T_{n - 2}(x), T_0 = 1, T_1 = x"),
    LOUPE_POLYNOMIAL("chebyshev_polynomial_u", u, "Chebyshev polynomial of the second kind, of degree n.",
                     "U_n(x) = 2 x U_{n - 1}(x) - U_{n - 2}(x), U_0 = 1, U_1 = 2 x"),
    LOUPE_POLYNOMIAL("chebyshev_polynomial_v", v, "Chebyshev polynomial of the third kind, of degree n.",
                     "V_n(x) = 2 x V_{n - 1}(x) - V_{n - 2}(x), V_0 = 1, V_1 = 2 x - 1"),
    LOUPE_POLYNOMIAL("chebyshev_polynomial_w", w, "Chebyshev polynomial of the fourth kind, of degree n.",
                     "W_n(x) = 2 x W_{n - 1}(x) - W_{n - 2}(x), W_0 = 1, W_1 = 2 x + 1"),
    LOUPE_POLYNOMIAL("shifted_chebyshev_polynomial_t", shifted_t, "Chebyshev polynomial of the first kind at 2x - 1.",
                     "T_n(2 x - 1)"),
    LOUPE_POLYNOMIAL("shifted_chebyshev_polynomial_u", shifted_u, "Chebyshev polynomial of the second kind at 2x - 1.",
                     "U_n(2 x - 1)"),
    LOUPE_POLYNOMIAL("shifted_chebyshev_polynomial_v", shifted_v, "Chebyshev polynomial of the third kind at 2x - 1.",
                     "V_n(2 x - 1)"),
    LOUPE_POLYNOMIAL("shifted_chebyshev_polynomial_w", shifted_w, "Chebyshev polynomial of the fourth kind at 2x - 1.",
                     "W_n(2 x - 1)"),
    LOUPE_POLYNOMIAL("hermite_polynomial_h", hermite_h, "Hermite polynomial of physicists, of degree n.",
                     "H_n(x) = 2 x H_{n - 1}(x) - 2 (n - 1) H_{n - 2}(x), H_0 = 1, H_1 = 2 x"),
    LOUPE_POLYNOMIAL("hermite_polynomial_he", hermite_he, "Hermite polynomial of probability theory, of degree n.",
                     "He_n(x) = x He_{n - 1}(x) - (n - 1) He_{n - 2}(x), He_0 = 1, He_1 = x"),
    LOUPE_POLYNOMIAL("laguerre_polynomial_l", laguerre, "Laguerre polynomial of degree n.",
                     "n L_n(x) = (2 n - 1 - x) L_{n - 1}(x) - (n - 1) L_{n - 2}(x), L_0 = 1, L_1 = 1 - x"),
    LOUPE_POLYNOMIAL("legendre_polynomial_p", legendre, "Legendre polynomial of degree n.",
                     "n P_n(x) = (2 n - 1) x P_{n - 1}(x) - (n - 1) P_{n - 2}(x), P_0 = 1, P_1 = x"),
};
#undef LOUPE_POLYNOMIAL

}  // namespace

std::span<const OperatorRecord> polynomial_records() { return kRecords; }

}  // namespace loupe::special
