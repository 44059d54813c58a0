// SPDX-License-Identifier: Apache-2.0
#pragma once
// The inner loops of the pointwise operators, by operator and compute type, for the best instruction set that the
// machine has. Null when an operator does not take the type.

#include "core/kernels/elementwise.h"

namespace loupe {

enum class UnaryOp : std::uint8_t {
    Abs,
    Neg,
    Sign,
    Reciprocal,
    Sqrt,
    Rsqrt,
    Square,
    Cube,
    Floor,
    Ceil,
    Round,
    Trunc,
    Frac,
    BitwiseNot,
    Conj,
    Exp,
    Exp2,
    Expm1,
    Log,
    Log2,
    Log10,
    Log1p,
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Sinh,
    Cosh,
    Tanh,
    Asinh,
    Acosh,
    Atanh,
    Sigmoid,
    Erf,
    Erfc,
    Erfinv,
    Lgamma,
    Digamma,
    NanToNum,
    Sinc,
    Logit,
    I0,
    Polygamma,
};
// Complex magnitude and angle, the real type's result.
enum class ComplexPartOp : std::uint8_t { Abs, Angle };
// Results of type bool.
enum class TestOp : std::uint8_t { IsNan, IsInf, IsFinite, IsPosInf, IsNegInf, SignBit, LogicalNot };
enum class ActivationOp : std::uint8_t {
    Relu,
    Hardtanh,
    LeakyRelu,
    Elu,
    Gelu,
    GeluTanh,
    Silu,
    Mish,
    Hardsigmoid,
    Hardswish,
    Softplus,
    Softshrink,
    Hardshrink,
    LogSigmoid,
    Threshold,
    // Gradients: of the output's gradient and the input.
    HardtanhBackward,
    LeakyReluBackward,
    EluBackward,
    EluBackwardOfResult,
    GeluBackward,
    GeluTanhBackward,
    SiluBackward,
    MishBackward,
    HardsigmoidBackward,
    HardswishBackward,
    SoftplusBackward,
    SoftshrinkBackward,
    HardshrinkBackward,
    LogSigmoidBackward,
    ThresholdBackward,
    SigmoidBackward,
    TanhBackward,
};
enum class BinaryOp : std::uint8_t {
    Add,
    Sub,
    AddScaled,
    SubScaled,
    Mul,
    Div,
    DivFloor,
    DivTrunc,
    Fmod,
    Remainder,
    Pow,
    Atan2,
    Maximum,
    Minimum,
    Fmax,
    Fmin,
    Hypot,
    Copysign,
    Xlogy,
    Logaddexp,
    Logaddexp2,
    Nextafter,
    BitwiseAnd,
    BitwiseOr,
    BitwiseXor,
    ShiftLeft,
    ShiftRight,
    Gcd,
    Lcm,
    Heaviside,
};
enum class CompareOp : std::uint8_t { Eq, Ne, Lt, Le, Gt, Ge, LogicalAnd, LogicalOr, LogicalXor };
enum class TernaryOp : std::uint8_t { Addcmul, Addcdiv, Lerp, Clamp };

// params of each: an array of Scalar.
ElementwiseKernel unary_kernel(UnaryOp op, ScalarType as);
// Kernels without vector forms; unary_kernel looks them up too.
ElementwiseKernel scalar_unary_kernel(UnaryOp op, ScalarType as);
// Input of the complex type `as`, output of its real type.
ElementwiseKernel complex_part_kernel(ComplexPartOp op, ScalarType as);
ElementwiseKernel test_kernel(TestOp op, ScalarType as);
ElementwiseKernel activation_kernel(ActivationOp op, ScalarType as);
ElementwiseKernel binary_kernel(BinaryOp op, ScalarType as);
ElementwiseKernel compare_kernel(CompareOp op, ScalarType as);
ElementwiseKernel ternary_kernel(TernaryOp op, ScalarType as);
// out = condition ? a : b; condition of type bool, the others of any one dtype.
ElementwiseKernel where_kernel(ScalarType dtype);

}  // namespace loupe
