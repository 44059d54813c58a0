// SPDX-License-Identifier: Apache-2.0
// The functions of Python's math and cmath modules.

#include <algorithm>
#include <numbers>

#include "core/base/strings.h"
#include "core/ops/numbers/family.h"
#include "core/ops/numbers/typed.h"

namespace loupe::numbers {
namespace {

// A function that the standard library has for floats and complex numbers.
#define LOUPE_REAL_AND_COMPLEX(Name, function)                       \
    struct Name {                                                    \
        static Float apply(Float a) { return std::function(a); }     \
        static Complex apply(Complex a) { return std::function(a); } \
    };
LOUPE_REAL_AND_COMPLEX(Sqrt, sqrt)
LOUPE_REAL_AND_COMPLEX(Exp, exp)
LOUPE_REAL_AND_COMPLEX(Log, log)
LOUPE_REAL_AND_COMPLEX(Log10, log10)
LOUPE_REAL_AND_COMPLEX(Sin, sin)
LOUPE_REAL_AND_COMPLEX(Cos, cos)
LOUPE_REAL_AND_COMPLEX(Tan, tan)
LOUPE_REAL_AND_COMPLEX(Asin, asin)
LOUPE_REAL_AND_COMPLEX(Acos, acos)
LOUPE_REAL_AND_COMPLEX(Atan, atan)
LOUPE_REAL_AND_COMPLEX(Sinh, sinh)
LOUPE_REAL_AND_COMPLEX(Cosh, cosh)
LOUPE_REAL_AND_COMPLEX(Tanh, tanh)
LOUPE_REAL_AND_COMPLEX(Asinh, asinh)
LOUPE_REAL_AND_COMPLEX(Acosh, acosh)
LOUPE_REAL_AND_COMPLEX(Atanh, atanh)
#undef LOUPE_REAL_AND_COMPLEX

#define LOUPE_REAL_ONLY(Name, function)                          \
    struct Name {                                                \
        static Float apply(Float a) { return std::function(a); } \
    };
LOUPE_REAL_ONLY(Expm1, expm1)
LOUPE_REAL_ONLY(Log1p, log1p)
LOUPE_REAL_ONLY(Erf, erf)
LOUPE_REAL_ONLY(Erfc, erfc)
LOUPE_REAL_ONLY(Gamma, tgamma)
LOUPE_REAL_ONLY(Lgamma, lgamma)
LOUPE_REAL_ONLY(Fabs, fabs)
LOUPE_REAL_ONLY(Round, nearbyint)
#undef LOUPE_REAL_ONLY

struct Degrees {
    static Float apply(Float a) { return a * 180 / std::numbers::pi; }
};
struct Radians {
    static Float apply(Float a) { return a * std::numbers::pi / 180; }
};
struct Angle {
    static Float apply(Float a) { return std::isnan(a) ? a : (a < 0 ? std::numbers::pi : 0.0); }
    static Float apply(Complex a) { return std::arg(a); }
};

Int whole(Float value) {
    if (value >= -0x1p63 && value < 0x1p63) return static_cast<Int>(value);
    throw Error(ErrorKind::Run, concat("Cannot convert float ", value, " to integer"));
}
struct Ceil {
    static Int apply(Int a) { return a; }
    static Int apply(Float a) { return whole(std::ceil(a)); }
};
struct Floor {
    static Int apply(Int a) { return a; }
    static Int apply(Float a) { return whole(std::floor(a)); }
};
struct Atan2 {
    static Float apply(Float a, Float b) { return std::atan2(a, b); }
};
struct Copysign {
    static Float apply(Float a, Float b) { return std::copysign(a, b); }
};
struct LogBase {
    static Float apply(Float a, Float b) { return std::log(a) / std::log(b); }
    static Complex apply(Complex a, Complex b) { return std::log(a) / std::log(b); }
};
struct Polar {
    static Complex apply(Float length, Float angle) { return {length * std::cos(angle), length * std::sin(angle)}; }
};

Int factorial(Int n) {
    if (n < 0) throw Error(ErrorKind::Run, "factorial() not defined for negative values");
    std::uint64_t product = 1;  // wraps around
    for (std::uint64_t i = 2; i <= static_cast<std::uint64_t>(n) && product != 0; ++i) product *= i;
    return static_cast<Int>(product);
}
void frexp(Arguments arguments, IValue* results) {
    int exponent = 0;
    results[0] = IValue(std::frexp(arguments[0].to_double(), &exponent));
    results[1] = IValue(exponent);
}
void modf(Arguments arguments, IValue* results) {
    double whole_part = 0;
    results[0] = IValue(std::modf(arguments[0].to_double(), &whole_part));
    results[1] = IValue(whole_part);
}
Float ldexp(Float x, Int i) { return std::ldexp(x, static_cast<int>(std::clamp<Int>(i, -5000, 5000))); }
template <bool (*Test)(double)>
bool any_part(Complex z) {
    return Test(z.real()) || Test(z.imag());
}
bool is_nan(double x) { return std::isnan(x); }
bool is_infinite(double x) { return std::isinf(x); }
bool is_finite(double x) { return std::isfinite(x); }
bool is_finite_complex(Complex z) { return is_finite(z.real()) && is_finite(z.imag()); }

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::sqrt.Scalar(Scalar a) -> Scalar", .summary = "Square root.", .kernel = unary_scalar_float<Sqrt>},
    {.schema = "aten::sqrt.complex(complex a) -> complex", .summary = "Square root.", .kernel = unary<Sqrt, Complex>},
    {.schema = "aten::sqrt.float(float a) -> float", .summary = "Square root.", .kernel = unary_float<Sqrt, Float>},
    {.schema = "aten::sqrt.int(int a) -> float", .summary = "Square root.", .kernel = unary_float<Sqrt, Int>},
    {.schema = "aten::exp.Scalar(Scalar a) -> Scalar",
     .summary = "e to the power a.",
     .kernel = unary_scalar_float<Exp>},
    {.schema = "aten::exp.complex(complex a) -> complex",
     .summary = "e to the power a.",
     .kernel = unary<Exp, Complex>},
    {.schema = "aten::exp.float(float a) -> float", .summary = "e to the power a.", .kernel = unary_float<Exp, Float>},
    {.schema = "aten::exp.int(int a) -> float", .summary = "e to the power a.", .kernel = unary_float<Exp, Int>},
    {.schema = "aten::expm1.Scalar(Scalar a) -> Scalar", .summary = "exp(a) - 1.", .kernel = unary_scalar_float<Expm1>},
    {.schema = "aten::expm1.float(float a) -> float", .summary = "exp(a) - 1.", .kernel = unary_float<Expm1, Float>},
    {.schema = "aten::expm1.int(int a) -> float", .summary = "exp(a) - 1.", .kernel = unary_float<Expm1, Int>},
    {.schema = "aten::log.Scalar(Scalar a) -> Scalar",
     .summary = "Natural logarithm.",
     .kernel = unary_scalar_float<Log>},
    {.schema = "aten::log.complex(complex a) -> complex",
     .summary = "Natural logarithm.",
     .kernel = unary<Log, Complex>},
    {.schema = "aten::log.float(float a) -> float", .summary = "Natural logarithm.", .kernel = unary_float<Log, Float>},
    {.schema = "aten::log.int(int a) -> float", .summary = "Natural logarithm.", .kernel = unary_float<Log, Int>},
    {.schema = "aten::log10.Scalar(Scalar a) -> Scalar",
     .summary = "Logarithm to base 10.",
     .kernel = unary_scalar_float<Log10>},
    {.schema = "aten::log10.complex(complex a) -> complex",
     .summary = "Logarithm to base 10.",
     .kernel = unary<Log10, Complex>},
    {.schema = "aten::log10.float(float a) -> float",
     .summary = "Logarithm to base 10.",
     .kernel = unary_float<Log10, Float>},
    {.schema = "aten::log10.int(int a) -> float",
     .summary = "Logarithm to base 10.",
     .kernel = unary_float<Log10, Int>},
    {.schema = "aten::log1p.Scalar(Scalar a) -> Scalar", .summary = "log(1 + a).", .kernel = unary_scalar_float<Log1p>},
    {.schema = "aten::log1p.float(float a) -> float", .summary = "log(1 + a).", .kernel = unary_float<Log1p, Float>},
    {.schema = "aten::log1p.int(int a) -> float", .summary = "log(1 + a).", .kernel = unary_float<Log1p, Int>},
    {.schema = "aten::sin.Scalar(Scalar a) -> Scalar", .summary = "Sine.", .kernel = unary_scalar_float<Sin>},
    {.schema = "aten::sin.complex(complex a) -> complex", .summary = "Sine.", .kernel = unary<Sin, Complex>},
    {.schema = "aten::sin.float(float a) -> float", .summary = "Sine.", .kernel = unary_float<Sin, Float>},
    {.schema = "aten::sin.int(int a) -> float", .summary = "Sine.", .kernel = unary_float<Sin, Int>},
    {.schema = "aten::cos.Scalar(Scalar a) -> Scalar", .summary = "Cosine.", .kernel = unary_scalar_float<Cos>},
    {.schema = "aten::cos.complex(complex a) -> complex", .summary = "Cosine.", .kernel = unary<Cos, Complex>},
    {.schema = "aten::cos.float(float a) -> float", .summary = "Cosine.", .kernel = unary_float<Cos, Float>},
    {.schema = "aten::cos.int(int a) -> float", .summary = "Cosine.", .kernel = unary_float<Cos, Int>},
    {.schema = "aten::tan.Scalar(Scalar a) -> Scalar", .summary = "Tangent.", .kernel = unary_scalar_float<Tan>},
    {.schema = "aten::tan.complex(complex a) -> complex", .summary = "Tangent.", .kernel = unary<Tan, Complex>},
    {.schema = "aten::tan.float(float a) -> float", .summary = "Tangent.", .kernel = unary_float<Tan, Float>},
    {.schema = "aten::tan.int(int a) -> float", .summary = "Tangent.", .kernel = unary_float<Tan, Int>},
    {.schema = "aten::asin.Scalar(Scalar a) -> Scalar", .summary = "Arc sine.", .kernel = unary_scalar_float<Asin>},
    {.schema = "aten::asin.complex(complex a) -> complex", .summary = "Arc sine.", .kernel = unary<Asin, Complex>},
    {.schema = "aten::asin.float(float a) -> float", .summary = "Arc sine.", .kernel = unary_float<Asin, Float>},
    {.schema = "aten::asin.int(int a) -> float", .summary = "Arc sine.", .kernel = unary_float<Asin, Int>},
    {.schema = "aten::acos.Scalar(Scalar a) -> Scalar", .summary = "Arc cosine.", .kernel = unary_scalar_float<Acos>},
    {.schema = "aten::acos.complex(complex a) -> complex", .summary = "Arc cosine.", .kernel = unary<Acos, Complex>},
    {.schema = "aten::acos.float(float a) -> float", .summary = "Arc cosine.", .kernel = unary_float<Acos, Float>},
    {.schema = "aten::acos.int(int a) -> float", .summary = "Arc cosine.", .kernel = unary_float<Acos, Int>},
    {.schema = "aten::atan.Scalar(Scalar a) -> Scalar", .summary = "Arc tangent.", .kernel = unary_scalar_float<Atan>},
    {.schema = "aten::atan.complex(complex a) -> complex", .summary = "Arc tangent.", .kernel = unary<Atan, Complex>},
    {.schema = "aten::atan.float(float a) -> float", .summary = "Arc tangent.", .kernel = unary_float<Atan, Float>},
    {.schema = "aten::atan.int(int a) -> float", .summary = "Arc tangent.", .kernel = unary_float<Atan, Int>},
    {.schema = "aten::sinh.Scalar(Scalar a) -> Scalar",
     .summary = "Hyperbolic sine.",
     .kernel = unary_scalar_float<Sinh>},
    {.schema = "aten::sinh.complex(complex a) -> complex",
     .summary = "Hyperbolic sine.",
     .kernel = unary<Sinh, Complex>},
    {.schema = "aten::sinh.float(float a) -> float", .summary = "Hyperbolic sine.", .kernel = unary_float<Sinh, Float>},
    {.schema = "aten::sinh.int(int a) -> float", .summary = "Hyperbolic sine.", .kernel = unary_float<Sinh, Int>},
    {.schema = "aten::cosh.Scalar(Scalar a) -> Scalar",
     .summary = "Hyperbolic cosine.",
     .kernel = unary_scalar_float<Cosh>},
    {.schema = "aten::cosh.complex(complex a) -> complex",
     .summary = "Hyperbolic cosine.",
     .kernel = unary<Cosh, Complex>},
    {.schema = "aten::cosh.float(float a) -> float",
     .summary = "Hyperbolic cosine.",
     .kernel = unary_float<Cosh, Float>},
    {.schema = "aten::cosh.int(int a) -> float", .summary = "Hyperbolic cosine.", .kernel = unary_float<Cosh, Int>},
    {.schema = "aten::tanh.Scalar(Scalar a) -> Scalar",
     .summary = "Hyperbolic tangent.",
     .kernel = unary_scalar_float<Tanh>},
    {.schema = "aten::tanh.complex(complex a) -> complex",
     .summary = "Hyperbolic tangent.",
     .kernel = unary<Tanh, Complex>},
    {.schema = "aten::tanh.float(float a) -> float",
     .summary = "Hyperbolic tangent.",
     .kernel = unary_float<Tanh, Float>},
    {.schema = "aten::tanh.int(int a) -> float", .summary = "Hyperbolic tangent.", .kernel = unary_float<Tanh, Int>},
    {.schema = "aten::asinh.Scalar(Scalar a) -> Scalar",
     .summary = "Inverse hyperbolic sine.",
     .kernel = unary_scalar_float<Asinh>},
    {.schema = "aten::asinh.complex(complex a) -> complex",
     .summary = "Inverse hyperbolic sine.",
     .kernel = unary<Asinh, Complex>},
    {.schema = "aten::asinh.float(float a) -> float",
     .summary = "Inverse hyperbolic sine.",
     .kernel = unary_float<Asinh, Float>},
    {.schema = "aten::asinh.int(int a) -> float",
     .summary = "Inverse hyperbolic sine.",
     .kernel = unary_float<Asinh, Int>},
    {.schema = "aten::acosh.Scalar(Scalar a) -> Scalar",
     .summary = "Inverse hyperbolic cosine.",
     .kernel = unary_scalar_float<Acosh>},
    {.schema = "aten::acosh.complex(complex a) -> complex",
     .summary = "Inverse hyperbolic cosine.",
     .kernel = unary<Acosh, Complex>},
    {.schema = "aten::acosh.float(float a) -> float",
     .summary = "Inverse hyperbolic cosine.",
     .kernel = unary_float<Acosh, Float>},
    {.schema = "aten::acosh.int(int a) -> float",
     .summary = "Inverse hyperbolic cosine.",
     .kernel = unary_float<Acosh, Int>},
    {.schema = "aten::atanh.Scalar(Scalar a) -> Scalar",
     .summary = "Inverse hyperbolic tangent.",
     .kernel = unary_scalar_float<Atanh>},
    {.schema = "aten::atanh.complex(complex a) -> complex",
     .summary = "Inverse hyperbolic tangent.",
     .kernel = unary<Atanh, Complex>},
    {.schema = "aten::atanh.float(float a) -> float",
     .summary = "Inverse hyperbolic tangent.",
     .kernel = unary_float<Atanh, Float>},
    {.schema = "aten::atanh.int(int a) -> float",
     .summary = "Inverse hyperbolic tangent.",
     .kernel = unary_float<Atanh, Int>},
    {.schema = "aten::erf.Scalar(Scalar a) -> Scalar", .summary = "Error function.", .kernel = unary_scalar_float<Erf>},
    {.schema = "aten::erf.float(float a) -> float", .summary = "Error function.", .kernel = unary_float<Erf, Float>},
    {.schema = "aten::erf.int(int a) -> float", .summary = "Error function.", .kernel = unary_float<Erf, Int>},
    {.schema = "aten::erfc.Scalar(Scalar a) -> Scalar", .summary = "1 - erf(a).", .kernel = unary_scalar_float<Erfc>},
    {.schema = "aten::erfc.float(float a) -> float", .summary = "1 - erf(a).", .kernel = unary_float<Erfc, Float>},
    {.schema = "aten::erfc.int(int a) -> float", .summary = "1 - erf(a).", .kernel = unary_float<Erfc, Int>},
    {.schema = "aten::gamma.Scalar(Scalar a) -> Scalar",
     .summary = "Gamma function.",
     .kernel = unary_scalar_float<Gamma>},
    {.schema = "aten::gamma.float(float a) -> float",
     .summary = "Gamma function.",
     .kernel = unary_float<Gamma, Float>},
    {.schema = "aten::gamma.int(int a) -> float", .summary = "Gamma function.", .kernel = unary_float<Gamma, Int>},
    {.schema = "aten::lgamma.Scalar(Scalar a) -> Scalar",
     .summary = "Logarithm of the gamma function.",
     .kernel = unary_scalar_float<Lgamma>},
    {.schema = "aten::lgamma.float(float a) -> float",
     .summary = "Logarithm of the gamma function.",
     .kernel = unary_float<Lgamma, Float>},
    {.schema = "aten::lgamma.int(int a) -> float",
     .summary = "Logarithm of the gamma function.",
     .kernel = unary_float<Lgamma, Int>},
    {.schema = "aten::degrees.Scalar(Scalar a) -> Scalar",
     .summary = "Radians to degrees.",
     .kernel = unary_scalar_float<Degrees>},
    {.schema = "aten::degrees.float(float a) -> float",
     .summary = "Radians to degrees.",
     .kernel = unary_float<Degrees, Float>},
    {.schema = "aten::degrees.int(int a) -> float",
     .summary = "Radians to degrees.",
     .kernel = unary_float<Degrees, Int>},
    {.schema = "aten::radians.Scalar(Scalar a) -> Scalar",
     .summary = "Degrees to radians.",
     .kernel = unary_scalar_float<Radians>},
    {.schema = "aten::radians.float(float a) -> float",
     .summary = "Degrees to radians.",
     .kernel = unary_float<Radians, Float>},
    {.schema = "aten::radians.int(int a) -> float",
     .summary = "Degrees to radians.",
     .kernel = unary_float<Radians, Int>},
    {.schema = "aten::fabs.Scalar(Scalar a) -> Scalar",
     .summary = "Absolute value as a float.",
     .kernel = unary_scalar_float<Fabs>},
    {.schema = "aten::fabs.float(float a) -> float",
     .summary = "Absolute value as a float.",
     .kernel = unary_float<Fabs, Float>},
    {.schema = "aten::fabs.int(int a) -> float",
     .summary = "Absolute value as a float.",
     .kernel = unary_float<Fabs, Int>},
    {.schema = "aten::angle.Scalar(Scalar a) -> Scalar",
     .summary = "The phase of the number.",
     .kernel = unary_scalar_float<Angle>},
    {.schema = "aten::angle.complex(complex a) -> float",
     .summary = "The phase of the number.",
     .kernel = unary<Angle, Complex>},
    {.schema = "aten::angle.float(float a) -> float",
     .summary = "The phase of the number.",
     .kernel = unary_float<Angle, Float>},
    {.schema = "aten::angle.int(int a) -> float",
     .summary = "The phase of the number.",
     .kernel = unary_float<Angle, Int>},
    {.schema = "aten::round.Scalar(Scalar a) -> Scalar",
     .summary = "The nearest whole number, to even at the middle, as a float.",
     .kernel = unary_scalar_float<Round>},
    {.schema = "aten::round.float(float a) -> float",
     .summary = "The nearest whole number, to even at the middle, as a float.",
     .kernel = unary_float<Round, Float>},
    {.schema = "aten::round.int(int a) -> float",
     .summary = "The nearest whole number, to even at the middle, as a float.",
     .kernel = unary_float<Round, Int>},
    {.schema = "aten::ceil.Scalar(Scalar a) -> Scalar",
     .summary = "The least int that is not below a.",
     .kernel = unary_scalar<Ceil>},
    {.schema = "aten::ceil.float(float a) -> int",
     .summary = "The least int that is not below a.",
     .kernel = unary<Ceil, Float>},
    {.schema = "aten::ceil.int(int a) -> int",
     .summary = "The least int that is not below a.",
     .kernel = unary<Ceil, Int>},
    {.schema = "aten::floor.Scalar(Scalar a) -> Scalar",
     .summary = "The greatest int that is not above a.",
     .kernel = unary_scalar<Floor>},
    {.schema = "aten::floor.float(float a) -> int",
     .summary = "The greatest int that is not above a.",
     .kernel = unary<Floor, Float>},
    {.schema = "aten::floor.int(int a) -> int",
     .summary = "The greatest int that is not above a.",
     .kernel = unary<Floor, Int>},
    {.schema = "aten::atan2.Scalar_Scalar(Scalar a, Scalar b) -> float",
     .summary = "The angle of the point (b, a).",
     .kernel = binary_scalar_float<Atan2>},
    {.schema = "aten::atan2.float(float a, float b) -> float",
     .summary = "The angle of the point (b, a).",
     .kernel = binary_float<Atan2, Float, Float>},
    {.schema = "aten::atan2.float_int(float a, int b) -> float",
     .summary = "The angle of the point (b, a).",
     .kernel = binary_float<Atan2, Float, Int>},
    {.schema = "aten::atan2.int(int a, int b) -> float",
     .summary = "The angle of the point (b, a).",
     .kernel = binary_float<Atan2, Int, Int>},
    {.schema = "aten::atan2.int_float(int a, float b) -> float",
     .summary = "The angle of the point (b, a).",
     .kernel = binary_float<Atan2, Int, Float>},
    {.schema = "aten::copysign(Scalar a, Scalar b) -> float",
     .summary = "The size of a with the sign of b.",
     .kernel = binary_scalar_float<Copysign>},
    {.schema = "aten::copysign.float(float a, float b) -> float",
     .summary = "The size of a with the sign of b.",
     .kernel = binary_float<Copysign, Float, Float>},
    {.schema = "aten::copysign.float_int(float a, int b) -> float",
     .summary = "The size of a with the sign of b.",
     .kernel = binary_float<Copysign, Float, Int>},
    {.schema = "aten::copysign.int(int a, int b) -> float",
     .summary = "The size of a with the sign of b.",
     .kernel = binary_float<Copysign, Int, Int>},
    {.schema = "aten::copysign.int_float(int a, float b) -> float",
     .summary = "The size of a with the sign of b.",
     .kernel = binary_float<Copysign, Int, Float>},
    {.schema = "aten::log.Scalar_Scalar(Scalar a, Scalar b) -> float",
     .summary = "The logarithm of a to base b.",
     .kernel = binary_scalar_float<LogBase>},
    {.schema = "aten::log.complex_complex(complex a, complex b) -> complex",
     .summary = "The logarithm of a to base b.",
     .kernel = binary<LogBase, Complex, Complex>},
    {.schema = "aten::log.complex_float(complex a, float b) -> complex",
     .summary = "The logarithm of a to base b.",
     .kernel = binary<LogBase, Complex, Float>},
    {.schema = "aten::log.complex_int(complex a, int b) -> complex",
     .summary = "The logarithm of a to base b.",
     .kernel = binary<LogBase, Complex, Int>},
    {.schema = "aten::log.float_complex(float a, complex b) -> complex",
     .summary = "The logarithm of a to base b.",
     .kernel = binary<LogBase, Float, Complex>},
    {.schema = "aten::log.float_float(float a, float b) -> float",
     .summary = "The logarithm of a to base b.",
     .kernel = binary_float<LogBase, Float, Float>},
    {.schema = "aten::log.float_int(float a, int b) -> float",
     .summary = "The logarithm of a to base b.",
     .kernel = binary_float<LogBase, Float, Int>},
    {.schema = "aten::log.int_complex(int a, complex b) -> complex",
     .summary = "The logarithm of a to base b.",
     .kernel = binary<LogBase, Int, Complex>},
    {.schema = "aten::log.int_float(int a, float b) -> float",
     .summary = "The logarithm of a to base b.",
     .kernel = binary_float<LogBase, Int, Float>},
    {.schema = "aten::log.int_int(int a, int b) -> float",
     .summary = "The logarithm of a to base b.",
     .kernel = binary_float<LogBase, Int, Int>},
    {.schema = "aten::polar.Scalar_Scalar(Scalar a, Scalar b) -> Scalar",
     .summary = "The complex number of length a and angle b.",
     .kernel = binary_scalar_float<Polar>},
    {.schema = "aten::polar.float(float a, float b) -> complex",
     .summary = "The complex number of length a and angle b.",
     .kernel = binary_float<Polar, Float, Float>},
    {.schema = "aten::polar.float_int(float a, int b) -> complex",
     .summary = "The complex number of length a and angle b.",
     .kernel = binary_float<Polar, Float, Int>},
    {.schema = "aten::polar.int(int a, int b) -> complex",
     .summary = "The complex number of length a and angle b.",
     .kernel = binary_float<Polar, Int, Int>},
    {.schema = "aten::polar.int_float(int a, float b) -> complex",
     .summary = "The complex number of length a and angle b.",
     .kernel = binary_float<Polar, Int, Float>},
    {.schema = "aten::factorial.int(int a) -> int", .summary = "a!.", .kernel = boxed<factorial>},
    {.schema = "aten::frexp(float a) -> (float, int)",
     .summary = "Mantissa in [0.5, 1) and exponent of two.",
     .kernel = frexp},
    {.schema = "aten::modf(float a) -> (float, float)", .summary = "The fraction and the whole part.", .kernel = modf},
    {.schema = "aten::ldexp(float x, int i) -> float", .summary = "x * 2 ** i.", .kernel = boxed<ldexp>},
    {.schema = "aten::isnan.float(float a) -> bool", .summary = "Is it NaN?", .kernel = boxed<is_nan>},
    {.schema = "aten::isnan.complex(complex a) -> bool",
     .summary = "Is a part NaN?",
     .kernel = boxed<any_part<is_nan>>},
    {.schema = "aten::isinf.float(float a) -> bool", .summary = "Is it infinite?", .kernel = boxed<is_infinite>},
    {.schema = "aten::isinf.complex(complex a) -> bool",
     .summary = "Is a part infinite?",
     .kernel = boxed<any_part<is_infinite>>},
    {.schema = "aten::isfinite.float(float a) -> bool",
     .summary = "Is it neither NaN nor infinite?",
     .kernel = boxed<is_finite>},
    {.schema = "aten::isfinite.complex(complex a) -> bool",
     .summary = "Are both parts finite?",
     .kernel = boxed<is_finite_complex>},
};

}  // namespace

std::span<const OperatorRecord> math_records() { return kRecords; }

}  // namespace loupe::numbers
