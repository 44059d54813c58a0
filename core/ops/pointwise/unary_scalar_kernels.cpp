// SPDX-License-Identifier: Apache-2.0
// Unary functions that have no vector form, and the complex and integer types of those that have.

#include <cmath>

#include "core/kernels/complex_math.h"
#include "core/kernels/scalar_kernels.h"
#include "core/ops/pointwise/kernels.h"
#include "core/ops/special/bessel_formulas.h"
#include "core/ops/special/gamma_formulas.h"
#include "core/ops/special/normal_formulas.h"

namespace loupe {
namespace {

using scalar::complex_kernel;
using scalar::real_kernel;
using scalar::real_or_complex_kernel;

struct Plain {
    explicit Plain(const Scalar*) {}
};

template <class T>
T sign_of(T x) {
    if constexpr (kIsComplexElement<T>) {
        const auto size = std::abs(x);
        return size == 0 ? T(0) : T(x.real() / size, x.imag() / size);
    } else {
        return static_cast<T>((x > T(0)) - (x < T(0)));
    }
}
template <class T>
T negative(T x) {
    if constexpr (std::is_integral_v<T>)
        return static_cast<T>(-static_cast<std::make_unsigned_t<T>>(x));
    else
        return -x;
}
template <class T>
auto magnitude(T x) {
    if constexpr (std::is_integral_v<T>)
        return x < 0 ? negative(x) : x;
    else
        return std::abs(x);
}
template <class T>
T exp2_of(T x) {
    if constexpr (kIsComplexElement<T>)
        return std::exp(x * static_cast<typename T::value_type>(0.693147180559945309417));
    else
        return std::exp2(x);
}
template <class T>
T log2_of(T x) {
    if constexpr (kIsComplexElement<T>)
        return std::log(x) / static_cast<typename T::value_type>(0.693147180559945309417);
    else
        return std::log2(x);
}
template <class T>
T constant(double value) {
    if constexpr (kIsComplexElement<T>)
        return T(static_cast<typename T::value_type>(value));
    else
        return static_cast<T>(value);
}
template <class T>
T sinc_of(T x) {
    if (x == T(0)) return T(1);
    const T scaled = multiply(x, constant<T>(3.14159265358979323846));
    return divide(T(std::sin(scaled)), scaled);
}
template <class T>
T sigmoid_of(T x) {
    return divide(T(1), T(1) + T(std::exp(-x)));
}

#define LOUPE_SCALAR_OP(name, expression)                          \
    template <class T>                                             \
    struct name##Op : Plain {                                      \
        using Plain::Plain;                                        \
        T scalar(T x) const { return static_cast<T>(expression); } \
    };
LOUPE_SCALAR_OP(Abs, magnitude(x))
LOUPE_SCALAR_OP(Neg, negative(x))
LOUPE_SCALAR_OP(Sign, sign_of(x))
LOUPE_SCALAR_OP(Reciprocal, divide(T(1), x))
LOUPE_SCALAR_OP(Sqrt, std::sqrt(x))
LOUPE_SCALAR_OP(Rsqrt, divide(T(1), T(std::sqrt(x))))
LOUPE_SCALAR_OP(Square, multiply(x, x))
LOUPE_SCALAR_OP(Cube, multiply(multiply(x, x), x))
LOUPE_SCALAR_OP(BitwiseNot, ~x)
LOUPE_SCALAR_OP(Conj, std::conj(x))
LOUPE_SCALAR_OP(Exp, std::exp(x))
LOUPE_SCALAR_OP(Exp2, exp2_of(x))
LOUPE_SCALAR_OP(Expm1, expm1_of(x))
LOUPE_SCALAR_OP(Log1p, log1p_of(x))
LOUPE_SCALAR_OP(Log, std::log(x))
LOUPE_SCALAR_OP(Log2, log2_of(x))
LOUPE_SCALAR_OP(Log10, std::log10(x))
LOUPE_SCALAR_OP(Sin, std::sin(x))
LOUPE_SCALAR_OP(Cos, std::cos(x))
LOUPE_SCALAR_OP(Tan, std::tan(x))
LOUPE_SCALAR_OP(Asin, std::asin(x))
LOUPE_SCALAR_OP(Acos, std::acos(x))
LOUPE_SCALAR_OP(Atan, std::atan(x))
LOUPE_SCALAR_OP(Sinh, std::sinh(x))
LOUPE_SCALAR_OP(Cosh, std::cosh(x))
LOUPE_SCALAR_OP(Tanh, std::tanh(x))
LOUPE_SCALAR_OP(Asinh, std::asinh(x))
LOUPE_SCALAR_OP(Acosh, std::acosh(x))
LOUPE_SCALAR_OP(Atanh, std::atanh(x))
LOUPE_SCALAR_OP(Sigmoid, sigmoid_of(x))
LOUPE_SCALAR_OP(Erfc, std::erfc(x))
LOUPE_SCALAR_OP(Erfinv, special::inverse_erf(static_cast<double>(x)))
LOUPE_SCALAR_OP(Lgamma, std::lgamma(x))
LOUPE_SCALAR_OP(Digamma, special::digamma(x))
LOUPE_SCALAR_OP(I0, special::modified_bessel_i0(static_cast<double>(x)))
LOUPE_SCALAR_OP(Erf, std::erf(x))
#undef LOUPE_SCALAR_OP

// p: replacements of NaN, of inf and of -inf.
template <class T>
struct NanToNumOp {
    explicit NanToNumOp(const Scalar* p) : nan(p[0].to<T>()), positive(p[1].to<T>()), negative_(p[2].to<T>()) {}
    T scalar(T x) const {
        if (std::isnan(x)) return nan;
        if (std::isinf(x)) return x > 0 ? positive : negative_;
        return x;
    }
    T nan, positive, negative_;
};
// p: the order of the derivative.
template <class T>
struct PolygammaOp {
    explicit PolygammaOp(const Scalar* p)
        : order(static_cast<int>(std::min<std::int64_t>(p[0].to_int(), std::numeric_limits<int>::max() - 1))) {}
    T scalar(T x) const { return special::polygamma(order, x); }
    int order;
};
// p: epsilon, or a negative number for none; whether each step is rounded to bfloat16, as PyTorch does for that type.
template <class T>
struct LogitOp {
    explicit LogitOp(const Scalar* p) : narrow(p[1].to_bool()), epsilon(rounded(p[0].to<T>())) {}
    T scalar(T x) const {
        const T high = rounded(T(1) - epsilon);
        if (epsilon >= 0) x = x < epsilon ? epsilon : (x > high ? high : x);
        return std::log(rounded(x / rounded(T(1) - x)));
    }
    T rounded(T value) const {
        return narrow ? static_cast<T>(static_cast<float>(BFloat16(static_cast<float>(value)))) : value;
    }
    bool narrow;
    T epsilon;
};
// p: whether each step is rounded to bfloat16.
template <class T>
struct SincOp {
    explicit SincOp(const Scalar* p) : narrow(p != nullptr && p[0].to_bool()) {}
    T scalar(T x) const {
        if constexpr (std::is_same_v<T, float>) {
            if (narrow && x != 0) {
                const float scaled = rounded(rounded(3.14159265358979323846F) * x);
                return rounded(std::sin(scaled)) / scaled;
            }
        }
        return sinc_of(x);
    }
    static float rounded(float value) { return static_cast<float>(BFloat16(value)); }
    bool narrow;
};

template <template <class> class Op>
ElementwiseKernel integer_kernel(ScalarType as) {
    return as == ScalarType::Int64 ? &scalar::Loop<Op, 1, std::int64_t>::run : nullptr;
}
template <template <class> class Op>
ElementwiseKernel complex_or_integer_kernel(ScalarType as) {
    return is_complex(as) ? complex_kernel<Op, 1>(as) : integer_kernel<Op>(as);
}

ElementwiseKernel find_function(UnaryOp op, ScalarType as) {
    switch (op) {
        case UnaryOp::Exp2:
            return real_or_complex_kernel<Exp2Op, 1>(as);
        case UnaryOp::Log2:
            return real_or_complex_kernel<Log2Op, 1>(as);
        case UnaryOp::Log10:
            return real_or_complex_kernel<Log10Op, 1>(as);
        case UnaryOp::Tan:
            return real_or_complex_kernel<TanOp, 1>(as);
        case UnaryOp::Asin:
            return real_or_complex_kernel<AsinOp, 1>(as);
        case UnaryOp::Acos:
            return real_or_complex_kernel<AcosOp, 1>(as);
        case UnaryOp::Atan:
            return real_or_complex_kernel<AtanOp, 1>(as);
        case UnaryOp::Sinh:
            return real_or_complex_kernel<SinhOp, 1>(as);
        case UnaryOp::Cosh:
            return real_or_complex_kernel<CoshOp, 1>(as);
        case UnaryOp::Asinh:
            return real_or_complex_kernel<AsinhOp, 1>(as);
        case UnaryOp::Acosh:
            return real_or_complex_kernel<AcoshOp, 1>(as);
        case UnaryOp::Atanh:
            return real_or_complex_kernel<AtanhOp, 1>(as);
        case UnaryOp::Sinc:
            return real_or_complex_kernel<SincOp, 1>(as);
        case UnaryOp::Exp:
            return complex_kernel<ExpOp, 1>(as);
        case UnaryOp::Expm1:
            return complex_kernel<Expm1Op, 1>(as);
        case UnaryOp::Log1p:
            return complex_kernel<Log1pOp, 1>(as);
        case UnaryOp::Log:
            return complex_kernel<LogOp, 1>(as);
        case UnaryOp::Sin:
            return complex_kernel<SinOp, 1>(as);
        case UnaryOp::Cos:
            return complex_kernel<CosOp, 1>(as);
        case UnaryOp::Tanh:
            return complex_kernel<TanhOp, 1>(as);
        case UnaryOp::Sigmoid:
            return complex_kernel<SigmoidOp, 1>(as);
        case UnaryOp::Reciprocal:
            return complex_kernel<ReciprocalOp, 1>(as);
        case UnaryOp::Sqrt:
            return complex_kernel<SqrtOp, 1>(as);
        case UnaryOp::Rsqrt:
            return complex_kernel<RsqrtOp, 1>(as);
        case UnaryOp::Erfc:
            return real_kernel<ErfcOp, 1>(as);
        case UnaryOp::Erfinv:
            return real_kernel<ErfinvOp, 1>(as);
        case UnaryOp::Lgamma:
            return real_kernel<LgammaOp, 1>(as);
        case UnaryOp::Digamma:
            return real_kernel<DigammaOp, 1>(as);
        case UnaryOp::Polygamma:
            return real_kernel<PolygammaOp, 1>(as);
        case UnaryOp::Logit:
            return real_kernel<LogitOp, 1>(as);
        case UnaryOp::I0:
            return real_kernel<I0Op, 1>(as);
        case UnaryOp::NanToNum:
            return real_kernel<NanToNumOp, 1>(as);
        case UnaryOp::Erf:
            return as == ScalarType::Float64 ? real_kernel<ErfOp, 1>(as) : nullptr;
        default:
            return nullptr;
    }
}

}  // namespace

ElementwiseKernel scalar_unary_kernel(UnaryOp op, ScalarType as) {
    switch (op) {
        case UnaryOp::Abs:
            return integer_kernel<AbsOp>(as);
        case UnaryOp::Neg:
            return complex_or_integer_kernel<NegOp>(as);
        case UnaryOp::Square:
            return complex_or_integer_kernel<SquareOp>(as);
        case UnaryOp::Cube:
            return complex_or_integer_kernel<CubeOp>(as);
        case UnaryOp::Sign:
            return complex_or_integer_kernel<SignOp>(as);
        case UnaryOp::BitwiseNot:
            return integer_kernel<BitwiseNotOp>(as);
        case UnaryOp::Conj:
            return complex_kernel<ConjOp, 1>(as);
        default:
            return find_function(op, as);
    }
}

namespace {

template <class Real, class F>
void complex_part(void* const* arrays, std::int64_t n, F part) {
    auto* out = static_cast<Real*>(arrays[0]);
    const auto* x = static_cast<const std::complex<Real>*>(arrays[1]);
    for (std::int64_t i = 0; i < n; ++i) out[i] = part(x[i]);
}
template <class Real>
ElementwiseKernel find_part(ComplexPartOp op) {
    using Complex = std::complex<Real>;
    switch (op) {
        case ComplexPartOp::Abs:
            return [](const void*, void* const* a, std::int64_t n) {
                complex_part<Real>(a, n, [](Complex x) { return std::abs(x); });
            };
        case ComplexPartOp::Angle:
            return [](const void*, void* const* a, std::int64_t n) {
                complex_part<Real>(a, n, [](Complex x) { return std::arg(x); });
            };
    }
    return nullptr;
}
}  // namespace

ElementwiseKernel complex_part_kernel(ComplexPartOp op, ScalarType as) {
    return as == ScalarType::Complex64 ? find_part<float>(op) : find_part<double>(op);
}

}  // namespace loupe
