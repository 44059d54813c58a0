// SPDX-License-Identifier: Apache-2.0
#include "core/kernels/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/ops/pointwise/unary_kernels.cpp"
#include "hwy/foreach_target.h"
// clang-format off
#include "core/kernels/math_inl.h"
// clang-format on

#include "core/ops/pointwise/kernels.h"

HWY_BEFORE_NAMESPACE();
namespace loupe::HWY_NAMESPACE {
namespace {

struct Plain {
    explicit Plain(const Scalar*) {}
};

// 0 for NaN.
template <class D, class V>
V sign_vector(D d, V x) {
    const V zero = hn::Zero(d), one = hn::Set(d, hn::TFromD<D>(1));
    return hn::Sub(hn::IfThenElseZero(hn::Gt(x, zero), one), hn::IfThenElseZero(hn::Lt(x, zero), one));
}

#define LOUPE_VECTOR_OP(name, vector_expression)    \
    template <class T>                              \
    struct name##Op : Plain {                       \
        using Plain::Plain;                         \
        template <class D, class V>                 \
        V vector([[maybe_unused]] D d, V x) const { \
            return vector_expression;               \
        }                                           \
    };
LOUPE_VECTOR_OP(Abs, hn::Abs(x))
LOUPE_VECTOR_OP(Neg, hn::Neg(x))
LOUPE_VECTOR_OP(Sign, sign_vector(d, x))
LOUPE_VECTOR_OP(Reciprocal, hn::Div(hn::Set(d, T(1)), x))
LOUPE_VECTOR_OP(Sqrt, hn::Sqrt(x))
LOUPE_VECTOR_OP(Rsqrt, hn::Div(hn::Set(d, T(1)), hn::Sqrt(x)))
LOUPE_VECTOR_OP(Square, hn::Mul(x, x))
LOUPE_VECTOR_OP(Cube, hn::Mul(hn::Mul(x, x), x))
LOUPE_VECTOR_OP(Floor, hn::Floor(x))
LOUPE_VECTOR_OP(Ceil, hn::Ceil(x))
LOUPE_VECTOR_OP(Round, hn::Round(x))
LOUPE_VECTOR_OP(Trunc, hn::Trunc(x))
LOUPE_VECTOR_OP(Frac, hn::Sub(x, hn::Trunc(x)))
LOUPE_VECTOR_OP(Exp, exp_vector(d, x))
LOUPE_VECTOR_OP(Expm1, expm1_vector(d, x))
LOUPE_VECTOR_OP(Log, log_vector(d, x))
LOUPE_VECTOR_OP(Log1p, log1p_vector(d, x))
LOUPE_VECTOR_OP(Sin, sin_vector(d, x))
LOUPE_VECTOR_OP(Cos, cos_vector(d, x))
LOUPE_VECTOR_OP(Tanh, tanh_vector(d, x))
LOUPE_VECTOR_OP(Sigmoid, sigmoid_vector(d, x))
LOUPE_VECTOR_OP(Erf, erf_vector(d, x))
#if HWY_TARGET != HWY_SCALAR
LOUPE_VECTOR_OP(Exp2, exp2_vector(d, x))
LOUPE_VECTOR_OP(Log2, log2_vector(d, x))
LOUPE_VECTOR_OP(Log10, log10_vector(d, x))
LOUPE_VECTOR_OP(Tan, tan_vector(d, x))
LOUPE_VECTOR_OP(Asin, asin_vector(d, x))
LOUPE_VECTOR_OP(Acos, acos_vector(d, x))
LOUPE_VECTOR_OP(Atan, atan_vector(d, x))
LOUPE_VECTOR_OP(Sinh, sinh_vector(d, x))
LOUPE_VECTOR_OP(Cosh, cosh_vector(d, x))
#endif
#undef LOUPE_VECTOR_OP

// The formulas that are exact enough for float32.
ElementwiseKernel find_single(UnaryOp op) {
    switch (op) {
        case UnaryOp::Erf:
            return &kernel<ErfOp, 1, float>;
#if HWY_TARGET != HWY_SCALAR
        case UnaryOp::Exp2:
            return &kernel<Exp2Op, 1, float>;
        case UnaryOp::Log2:
            return &kernel<Log2Op, 1, float>;
        case UnaryOp::Log10:
            return &kernel<Log10Op, 1, float>;
        case UnaryOp::Tan:
            return &kernel<TanOp, 1, float>;
        case UnaryOp::Asin:
            return &kernel<AsinOp, 1, float>;
        case UnaryOp::Acos:
            return &kernel<AcosOp, 1, float>;
        case UnaryOp::Atan:
            return &kernel<AtanOp, 1, float>;
        case UnaryOp::Sinh:
            return &kernel<SinhOp, 1, float>;
        case UnaryOp::Cosh:
            return &kernel<CoshOp, 1, float>;
#endif
        default:
            return nullptr;
    }
}

ElementwiseKernel find_unary(UnaryOp op, ScalarType as) {
    switch (op) {
        case UnaryOp::Abs:
            return real_kernel<AbsOp, 1>(as);
        case UnaryOp::Neg:
            return real_kernel<NegOp, 1>(as);
        case UnaryOp::Sign:
            return real_kernel<SignOp, 1>(as);
        case UnaryOp::Reciprocal:
            return real_kernel<ReciprocalOp, 1>(as);
        case UnaryOp::Sqrt:
            return real_kernel<SqrtOp, 1>(as);
        case UnaryOp::Rsqrt:
            return real_kernel<RsqrtOp, 1>(as);
        case UnaryOp::Square:
            return real_kernel<SquareOp, 1>(as);
        case UnaryOp::Cube:
            return real_kernel<CubeOp, 1>(as);
        case UnaryOp::Floor:
            return real_kernel<FloorOp, 1>(as);
        case UnaryOp::Ceil:
            return real_kernel<CeilOp, 1>(as);
        case UnaryOp::Round:
            return real_kernel<RoundOp, 1>(as);
        case UnaryOp::Trunc:
            return real_kernel<TruncOp, 1>(as);
        case UnaryOp::Frac:
            return real_kernel<FracOp, 1>(as);
        case UnaryOp::Exp:
            return real_kernel<ExpOp, 1>(as);
        case UnaryOp::Expm1:
            return real_kernel<Expm1Op, 1>(as);
        case UnaryOp::Log:
            return real_kernel<LogOp, 1>(as);
        case UnaryOp::Log1p:
            return real_kernel<Log1pOp, 1>(as);
        case UnaryOp::Sin:
            return real_kernel<SinOp, 1>(as);
        case UnaryOp::Cos:
            return real_kernel<CosOp, 1>(as);
        case UnaryOp::Tanh:
            return real_kernel<TanhOp, 1>(as);
        case UnaryOp::Sigmoid:
            return real_kernel<SigmoidOp, 1>(as);
        default:
            return as == ScalarType::Float32 ? find_single(op) : nullptr;
    }
}

}  // namespace
}  // namespace loupe::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace loupe {
namespace {
HWY_EXPORT(find_unary);
}
ElementwiseKernel unary_kernel(UnaryOp op, ScalarType as) {
    const ElementwiseKernel vectors = HWY_DYNAMIC_DISPATCH(find_unary)(op, as);
    return vectors != nullptr ? vectors : scalar_unary_kernel(op, as);
}
}  // namespace loupe
#endif
