// SPDX-License-Identifier: Apache-2.0
// Operators of two numbers: + - * / // % ** & | ^ << >> and their kin.

#include <algorithm>
#include <numeric>

#include "core/kernels/integer_math.h"
#include "core/ops/numbers/family.h"
#include "core/ops/numbers/typed.h"

namespace loupe::numbers {

void no_complex_numbers() { throw Error(ErrorKind::Run, "expected a real number, got a complex one"); }

namespace {

// Python's ints have no end, TorchScript's wrap around.
Int wrap(std::uint64_t bits) { return static_cast<Int>(bits); }
std::uint64_t bits(Int value) { return static_cast<std::uint64_t>(value); }

struct Add {
    static Int apply(Int a, Int b) { return wrap(bits(a) + bits(b)); }
    static Float apply(Float a, Float b) { return a + b; }
    static Complex apply(Complex a, Complex b) { return a + b; }
};
struct Subtract {
    static Int apply(Int a, Int b) { return wrap(bits(a) - bits(b)); }
    static Float apply(Float a, Float b) { return a - b; }
    static Complex apply(Complex a, Complex b) { return a - b; }
};
struct Multiply {
    static Int apply(Int a, Int b) { return wrap(bits(a) * bits(b)); }
    static Float apply(Float a, Float b) { return a * b; }
    static Complex apply(Complex a, Complex b) { return a * b; }
};
struct Divide {
    static Float apply(Float a, Float b) { return a / b; }
    static Complex apply(Complex a, Complex b) { return a / b; }
};

[[noreturn]] void division_by_zero(const char* message) { throw Error(ErrorKind::Run, message); }

Int divide_to_zero(Int a, Int b) {
    if (b == 0) division_by_zero("division by 0");
    return b == -1 ? wrap(-bits(a)) : a / b;
}
Int floor_divide(Int a, Int b) {
    const Int quotient = divide_to_zero(a, b);
    return b != -1 && a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}
Int floor_remainder(Int a, Int b) {
    if (b == 0) division_by_zero("ZeroDivisionError: integer division or modulo by zero");
    if (b == -1) return 0;
    const Int rest = a % b;
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

struct FloorDivide {
    static Int apply(Int a, Int b) { return floor_divide(a, b); }
    static Float apply(Float a, Float b) { return std::floor(a / b); }
};
struct Remainder {
    static Int apply(Int a, Int b) { return floor_remainder(a, b); }
    static Float apply(Float a, Float b) { return std::fmod(b + std::fmod(a, b), b); }
};
struct Fmod {
    static Float apply(Float a, Float b) { return std::fmod(a, b); }
};
struct IeeeRemainder {
    static Float apply(Float a, Float b) { return std::remainder(a, b); }
};
struct Power {
    static Float apply(Float a, Float b) { return std::pow(a, b); }
    static Complex apply(Complex a, Complex b) { return std::pow(a, b); }
};
struct Minimum {
    static Int apply(Int a, Int b) { return std::min(a, b); }
    static Float apply(Float a, Float b) { return a < b ? a : b; }
};
struct Maximum {
    static Int apply(Int a, Int b) { return std::max(a, b); }
    static Float apply(Float a, Float b) { return a > b ? a : b; }
};
struct Negate {
    static Int apply(Int a) { return wrap(-bits(a)); }
    static Float apply(Float a) { return -a; }
    static Complex apply(Complex a) { return -a; }
};
struct Absolute {
    static Int apply(Int a) { return a < 0 ? wrap(-bits(a)) : a; }
    static Float apply(Float a) { return std::fabs(a); }
    static Float apply(Complex a) { return std::abs(a); }
};

Int integer_power(Int base, Int exponent) {
    if (exponent < 0) return static_cast<Int>(std::pow(static_cast<double>(base), static_cast<double>(exponent)));
    std::uint64_t result = 1;
    for (std::uint64_t square = bits(base); exponent != 0; exponent >>= 1, square *= square) {
        if (exponent & 1) result *= square;
    }
    return wrap(result);
}

Int shift_left(Int a, Int b) {
    if (b < 0) throw Error(ErrorKind::Run, "negative shift count");
    return b > 63 ? 0 : wrap(bits(a) << b);
}
Int shift_right(Int a, Int b) {
    if (b < 0) throw Error(ErrorKind::Run, "negative shift count");
    return a >> std::min<Int>(b, 63);
}

void divmod_int(Arguments arguments, IValue* results) {
    const Int a = arguments[0].to_int();
    const Int b = arguments[1].to_int();
    if (b == 0) division_by_zero("ZeroDivisionError: integer division or modulo by zero");
    results[0] = IValue(floor_divide(a, b));
    results[1] = IValue(floor_remainder(a, b));
}
template <typename A, typename B>
void divmod_float(Arguments arguments, IValue* results) {
    const Float a = widen<Float>(as<A>(arguments[0]));
    const Float b = widen<Float>(as<B>(arguments[1]));
    if (b == 0) division_by_zero("ZeroDivisionError: float divmod()");
    Float rest = std::fmod(a, b);
    if (rest != 0 && (rest < 0) != (b < 0)) rest += b;
    results[0] = IValue((a - rest) / b);
    results[1] = IValue(rest);
}

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::add(Scalar a, Scalar b) -> Scalar", .summary = "a + b.", .kernel = binary_scalar<Add>},
    {.schema = "aten::add.complex(complex a, complex b) -> complex",
     .summary = "a + b.",
     .kernel = binary<Add, Complex, Complex>},
    {.schema = "aten::add.complex_float(complex a, float b) -> complex",
     .summary = "a + b.",
     .kernel = binary<Add, Complex, Float>},
    {.schema = "aten::add.complex_int(complex a, int b) -> complex",
     .summary = "a + b.",
     .kernel = binary<Add, Complex, Int>},
    {.schema = "aten::add.float(float a, float b) -> float", .summary = "a + b.", .kernel = binary<Add, Float, Float>},
    {.schema = "aten::add.float_complex(float a, complex b) -> complex",
     .summary = "a + b.",
     .kernel = binary<Add, Float, Complex>},
    {.schema = "aten::add.float_int(float a, int b) -> float", .summary = "a + b.", .kernel = binary<Add, Float, Int>},
    {.schema = "aten::add.int(int a, int b) -> int", .summary = "a + b.", .kernel = binary<Add, Int, Int>},
    {.schema = "aten::add.int_complex(int a, complex b) -> complex",
     .summary = "a + b.",
     .kernel = binary<Add, Int, Complex>},
    {.schema = "aten::add.int_float(int a, float b) -> float", .summary = "a + b.", .kernel = binary<Add, Int, Float>},
    {.schema = "aten::sub(Scalar a, Scalar b) -> Scalar", .summary = "a - b.", .kernel = binary_scalar<Subtract>},
    {.schema = "aten::sub.complex(complex a, complex b) -> complex",
     .summary = "a - b.",
     .kernel = binary<Subtract, Complex, Complex>},
    {.schema = "aten::sub.complex_float(complex a, float b) -> complex",
     .summary = "a - b.",
     .kernel = binary<Subtract, Complex, Float>},
    {.schema = "aten::sub.complex_int(complex a, int b) -> complex",
     .summary = "a - b.",
     .kernel = binary<Subtract, Complex, Int>},
    {.schema = "aten::sub.float(float a, float b) -> float",
     .summary = "a - b.",
     .kernel = binary<Subtract, Float, Float>},
    {.schema = "aten::sub.float_complex(float a, complex b) -> complex",
     .summary = "a - b.",
     .kernel = binary<Subtract, Float, Complex>},
    {.schema = "aten::sub.float_int(float a, int b) -> float",
     .summary = "a - b.",
     .kernel = binary<Subtract, Float, Int>},
    {.schema = "aten::sub.int(int a, int b) -> int", .summary = "a - b.", .kernel = binary<Subtract, Int, Int>},
    {.schema = "aten::sub.int_complex(int a, complex b) -> complex",
     .summary = "a - b.",
     .kernel = binary<Subtract, Int, Complex>},
    {.schema = "aten::sub.int_float(int a, float b) -> float",
     .summary = "a - b.",
     .kernel = binary<Subtract, Int, Float>},
    {.schema = "aten::mul(Scalar a, Scalar b) -> Scalar", .summary = "a * b.", .kernel = binary_scalar<Multiply>},
    {.schema = "aten::mul.complex(complex a, complex b) -> complex",
     .summary = "a * b.",
     .kernel = binary<Multiply, Complex, Complex>},
    {.schema = "aten::mul.complex_float(complex a, float b) -> complex",
     .summary = "a * b.",
     .kernel = binary<Multiply, Complex, Float>},
    {.schema = "aten::mul.complex_int(complex a, int b) -> complex",
     .summary = "a * b.",
     .kernel = binary<Multiply, Complex, Int>},
    {.schema = "aten::mul.float(float a, float b) -> float",
     .summary = "a * b.",
     .kernel = binary<Multiply, Float, Float>},
    {.schema = "aten::mul.float_complex(float a, complex b) -> complex",
     .summary = "a * b.",
     .kernel = binary<Multiply, Float, Complex>},
    {.schema = "aten::mul.float_int(float a, int b) -> float",
     .summary = "a * b.",
     .kernel = binary<Multiply, Float, Int>},
    {.schema = "aten::mul.int(int a, int b) -> int", .summary = "a * b.", .kernel = binary<Multiply, Int, Int>},
    {.schema = "aten::mul.int_complex(int a, complex b) -> complex",
     .summary = "a * b.",
     .kernel = binary<Multiply, Int, Complex>},
    {.schema = "aten::mul.int_float(int a, float b) -> float",
     .summary = "a * b.",
     .kernel = binary<Multiply, Int, Float>},
    {.schema = "aten::div(Scalar a, Scalar b) -> float",
     .summary = "a / b, a float even for ints.",
     .kernel = binary_scalar_float<Divide>},
    {.schema = "aten::div.complex(complex a, complex b) -> complex",
     .summary = "a / b, a float even for ints.",
     .kernel = binary<Divide, Complex, Complex>},
    {.schema = "aten::div.float(float a, float b) -> float",
     .summary = "a / b, a float even for ints.",
     .kernel = binary_float<Divide, Float, Float>},
    {.schema = "aten::div.int(int a, int b) -> float",
     .summary = "a / b, a float even for ints.",
     .kernel = binary_float<Divide, Int, Int>},
    {.schema = "aten::floordiv(Scalar a, Scalar b) -> Scalar",
     .summary = "a // b, rounded towards minus infinity.",
     .kernel = binary_scalar<FloorDivide>},
    {.schema = "aten::floordiv.float(float a, float b) -> float",
     .summary = "a // b, rounded towards minus infinity.",
     .kernel = binary<FloorDivide, Float, Float>},
    {.schema = "aten::floordiv.float_int(float a, int b) -> float",
     .summary = "a // b, rounded towards minus infinity.",
     .kernel = binary<FloorDivide, Float, Int>},
    {.schema = "aten::floordiv.int(int a, int b) -> int",
     .summary = "a // b, rounded towards minus infinity.",
     .kernel = binary<FloorDivide, Int, Int>},
    {.schema = "aten::floordiv.int_float(int a, float b) -> float",
     .summary = "a // b, rounded towards minus infinity.",
     .kernel = binary<FloorDivide, Int, Float>},
    {.schema = "aten::remainder(Scalar a, Scalar b) -> Scalar",
     .summary = "a % b, with the sign of b.",
     .kernel = binary_scalar<Remainder>},
    {.schema = "aten::remainder.float(float a, float b) -> float",
     .summary = "a % b, with the sign of b.",
     .kernel = binary<Remainder, Float, Float>},
    {.schema = "aten::remainder.float_int(float a, int b) -> float",
     .summary = "a % b, with the sign of b.",
     .kernel = binary<Remainder, Float, Int>},
    {.schema = "aten::remainder.int(int a, int b) -> int",
     .summary = "a % b, with the sign of b.",
     .kernel = binary<Remainder, Int, Int>},
    {.schema = "aten::remainder.int_float(int a, float b) -> float",
     .summary = "a % b, with the sign of b.",
     .kernel = binary<Remainder, Int, Float>},
    {.schema = "aten::fmod(Scalar a, Scalar b) -> float",
     .summary = "math.fmod(a, b), with the sign of a.",
     .kernel = binary_scalar_float<Fmod>},
    {.schema = "aten::fmod.float(float a, float b) -> float",
     .summary = "math.fmod(a, b), with the sign of a.",
     .kernel = binary_float<Fmod, Float, Float>},
    {.schema = "aten::fmod.float_int(float a, int b) -> float",
     .summary = "math.fmod(a, b), with the sign of a.",
     .kernel = binary_float<Fmod, Float, Int>},
    {.schema = "aten::fmod.int(int a, int b) -> float",
     .summary = "math.fmod(a, b), with the sign of a.",
     .kernel = binary_float<Fmod, Int, Int>},
    {.schema = "aten::fmod.int_float(int a, float b) -> float",
     .summary = "math.fmod(a, b), with the sign of a.",
     .kernel = binary_float<Fmod, Int, Float>},
    {.schema = "aten::mathremainder(Scalar a, Scalar b) -> float",
     .summary = "math.remainder(a, b): what is left after the nearest multiple.",
     .kernel = binary_scalar_float<IeeeRemainder>},
    {.schema = "aten::mathremainder.float(float a, float b) -> float",
     .summary = "math.remainder(a, b): what is left after the nearest multiple.",
     .kernel = binary_float<IeeeRemainder, Float, Float>},
    {.schema = "aten::mathremainder.float_int(float a, int b) -> float",
     .summary = "math.remainder(a, b): what is left after the nearest multiple.",
     .kernel = binary_float<IeeeRemainder, Float, Int>},
    {.schema = "aten::mathremainder.int(int a, int b) -> float",
     .summary = "math.remainder(a, b): what is left after the nearest multiple.",
     .kernel = binary_float<IeeeRemainder, Int, Int>},
    {.schema = "aten::mathremainder.int_float(int a, float b) -> float",
     .summary = "math.remainder(a, b): what is left after the nearest multiple.",
     .kernel = binary_float<IeeeRemainder, Int, Float>},
    {.schema = "aten::pow.Scalar_Scalar(Scalar a, Scalar b) -> float",
     .summary = "a ** b as a float.",
     .kernel = binary_scalar_float<Power>},
    {.schema = "aten::pow.complex(complex a, complex b) -> complex",
     .summary = "a ** b.",
     .kernel = binary<Power, Complex, Complex>},
    {.schema = "aten::pow.complex_float(complex a, float b) -> complex",
     .summary = "a ** b.",
     .kernel = binary<Power, Complex, Float>},
    {.schema = "aten::pow.float(float a, float b) -> float",
     .summary = "a ** b as a float.",
     .kernel = binary_float<Power, Float, Float>},
    {.schema = "aten::pow.float_complex(float a, complex b) -> complex",
     .summary = "a ** b.",
     .kernel = binary<Power, Float, Complex>},
    {.schema = "aten::pow.float_int(float a, int b) -> float",
     .summary = "a ** b as a float.",
     .kernel = binary_float<Power, Float, Int>},
    {.schema = "aten::pow.int(int a, int b) -> float",
     .summary = "a ** b as a float.",
     .kernel = binary_float<Power, Int, Int>},
    {.schema = "aten::pow.int_float(int a, float b) -> float",
     .summary = "a ** b as a float.",
     .kernel = binary_float<Power, Int, Float>},
    {.schema = "aten::pow.int_to_int(int a, int b) -> int",
     .summary = "a ** b as an int.",
     .kernel = boxed<integer_power>},
    {.schema = "prim::min(Scalar a, Scalar b) -> Scalar",
     .summary = "The smaller of a and b.",
     .kernel = binary_scalar<Minimum>},
    {.schema = "prim::min.float(float a, float b) -> float",
     .summary = "The smaller of a and b.",
     .kernel = binary<Minimum, Float, Float>},
    {.schema = "prim::min.float_int(float a, int b) -> float",
     .summary = "The smaller of a and b.",
     .kernel = binary<Minimum, Float, Int>},
    {.schema = "prim::min.int(int a, int b) -> int",
     .summary = "The smaller of a and b.",
     .kernel = binary<Minimum, Int, Int>},
    {.schema = "prim::min.int_float(int a, float b) -> float",
     .summary = "The smaller of a and b.",
     .kernel = binary<Minimum, Int, Float>},
    {.schema = "prim::max(Scalar a, Scalar b) -> Scalar",
     .summary = "The greater of a and b.",
     .kernel = binary_scalar<Maximum>},
    {.schema = "prim::max.float(float a, float b) -> float",
     .summary = "The greater of a and b.",
     .kernel = binary<Maximum, Float, Float>},
    {.schema = "prim::max.float_int(float a, int b) -> float",
     .summary = "The greater of a and b.",
     .kernel = binary<Maximum, Float, Int>},
    {.schema = "prim::max.int(int a, int b) -> int",
     .summary = "The greater of a and b.",
     .kernel = binary<Maximum, Int, Int>},
    {.schema = "prim::max.int_float(int a, float b) -> float",
     .summary = "The greater of a and b.",
     .kernel = binary<Maximum, Int, Float>},
    {.schema = "aten::neg.Scalar(Scalar a) -> Scalar", .summary = "-a.", .kernel = unary_scalar<Negate>},
    {.schema = "aten::neg.complex(complex a) -> complex", .summary = "-a.", .kernel = unary<Negate, Complex>},
    {.schema = "aten::neg.float(float a) -> float", .summary = "-a.", .kernel = unary<Negate, Float>},
    {.schema = "aten::neg.int(int a) -> int", .summary = "-a.", .kernel = unary<Negate, Int>},
    {.schema = "prim::abs.Scalar(Scalar a) -> Scalar", .summary = "abs(a).", .kernel = unary_scalar<Absolute>},
    {.schema = "prim::abs.complex(complex a) -> float", .summary = "abs(a).", .kernel = unary<Absolute, Complex>},
    {.schema = "prim::abs.float(float a) -> float", .summary = "abs(a).", .kernel = unary<Absolute, Float>},
    {.schema = "prim::abs.int(int a) -> int", .summary = "abs(a).", .kernel = unary<Absolute, Int>},
    {.schema = "aten::__and__.int(int a, int b) -> int",
     .summary = "a & b, bit by bit.",
     .kernel = boxed<[](Int a, Int b) { return a & b; }>},
    {.schema = "aten::__and__.bool(bool a, bool b) -> bool",
     .summary = "a and b.",
     .kernel = boxed<[](bool a, bool b) { return a && b; }>},
    {.schema = "aten::__or__.int(int a, int b) -> int",
     .summary = "a | b, bit by bit.",
     .kernel = boxed<[](Int a, Int b) { return a | b; }>},
    {.schema = "aten::__or__.bool(bool a, bool b) -> bool",
     .summary = "a or b.",
     .kernel = boxed<[](bool a, bool b) { return a || b; }>},
    {.schema = "aten::__xor__.int(int a, int b) -> int",
     .summary = "a ^ b, bit by bit.",
     .kernel = boxed<[](Int a, Int b) { return a ^ b; }>},
    {.schema = "aten::__xor__.bool(bool a, bool b) -> bool",
     .summary = "a != b.",
     .kernel = boxed<[](bool a, bool b) { return a != b; }>},
    {.schema = "aten::__lshift__.int(int a, int b) -> int", .summary = "a << b.", .kernel = boxed<shift_left>},
    {.schema = "aten::__rshift__.int(int a, int b) -> int", .summary = "a >> b.", .kernel = boxed<shift_right>},
    {.schema = "aten::__round_to_zero_floordiv.int(int a, int b) -> int",
     .summary = "a / b, rounded towards zero.",
     .kernel = boxed<divide_to_zero>},
    {.schema = "aten::gcd.int(int a, int b) -> int",
     .summary = "The greatest common divisor.",
     .kernel = boxed<[](Int a, Int b) { return wrapping_gcd(a, b); }>},
    {.schema = "aten::divmod.float(float x, float y) -> (float, float)",
     .summary = "(a // b, a % b).",
     .kernel = divmod_float<Float, Float>},
    {.schema = "aten::divmod.float_int(float x, int y) -> (float, float)",
     .summary = "(a // b, a % b).",
     .kernel = divmod_float<Float, Int>},
    {.schema = "aten::divmod.int_float(int x, float y) -> (float, float)",
     .summary = "(a // b, a % b).",
     .kernel = divmod_float<Int, Float>},
    {.schema = "aten::divmod.int(int x, int y) -> (int, int)", .summary = "(a // b, a % b).", .kernel = divmod_int},
};

}  // namespace

std::span<const OperatorRecord> arithmetic_records() { return kRecords; }

}  // namespace loupe::numbers
