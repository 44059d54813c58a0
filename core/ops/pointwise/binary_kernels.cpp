// SPDX-License-Identifier: Apache-2.0
#include "core/kernels/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/ops/pointwise/binary_kernels.cpp"
#include "hwy/foreach_target.h"
// clang-format off
#include "core/kernels/math_inl.h"
#include "core/kernels/simd_inl.h"
// clang-format on

#include <cmath>
#include <limits>

#include "core/base/error.h"
#include "core/kernels/complex_math.h"
#include "core/kernels/integer_math.h"
#include "core/ops/pointwise/kernels.h"

HWY_BEFORE_NAMESPACE();
namespace loupe::HWY_NAMESPACE {
namespace {

struct Plain {
    explicit Plain(const Scalar*) {}
};

template <class T>
T nonzero_divisor(T b) {
    if constexpr (std::is_integral_v<T>) {
        if (b == 0) throw Error(ErrorKind::Run, "ZeroDivisionError");
    }
    return b;
}

template <class T>
struct AddOp : Plain {
    using Plain::Plain;
    T scalar(T a, T b) const { return a + b; }
    template <class D, class V>
    V vector(D, V a, V b) const {
        return hn::Add(a, b);
    }
};
template <>
struct AddOp<std::int64_t> : Plain {
    using Plain::Plain;
    std::int64_t scalar(std::int64_t a, std::int64_t b) const {
        return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
    }
};
template <class T>
struct SubOp : Plain {
    using Plain::Plain;
    T scalar(T a, T b) const { return a - b; }
    template <class D, class V>
    V vector(D, V a, V b) const {
        return hn::Sub(a, b);
    }
};
template <>
struct SubOp<std::int64_t> : Plain {
    using Plain::Plain;
    std::int64_t scalar(std::int64_t a, std::int64_t b) const {
        return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
    }
};
template <class T>
struct MulOp : Plain {
    using Plain::Plain;
    T scalar(T a, T b) const {
        if constexpr (std::is_same_v<T, std::int64_t>) {
            return static_cast<T>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
        } else {
            return multiply(a, b);
        }
    }
    template <class D, class V>
    V vector(D, V a, V b) const {
        return hn::Mul(a, b);
    }
};
// a + alpha * b
template <class T>
struct AddScaledOp {
    explicit AddScaledOp(const Scalar* p) : alpha(p[0].to<T>()) {}
    T scalar(T a, T b) const { return AddOp<T>(nullptr).scalar(a, MulOp<T>(nullptr).scalar(alpha, b)); }
    template <class D, class V>
    V vector(D d, V a, V b) const {
        return hn::MulAdd(hn::Set(d, alpha), b, a);
    }
    T alpha;
};
template <class T>
struct SubScaledOp {
    explicit SubScaledOp(const Scalar* p) : alpha(p[0].to<T>()) {}
    T scalar(T a, T b) const { return SubOp<T>(nullptr).scalar(a, MulOp<T>(nullptr).scalar(alpha, b)); }
    template <class D, class V>
    V vector(D d, V a, V b) const {
        return hn::NegMulAdd(hn::Set(d, alpha), b, a);
    }
    T alpha;
};
template <class T>
struct DivOp : Plain {
    using Plain::Plain;
    T scalar(T a, T b) const { return divide(a, b); }
    template <class D, class V>
    V vector(D, V a, V b) const {
        return hn::Div(a, b);
    }
};
template <class T>
struct DivTruncOp : Plain {
    using Plain::Plain;
    T scalar(T a, T b) const {
        if constexpr (std::is_integral_v<T>) {
            if (b == -1) return SubOp<T>(nullptr).scalar(0, a);
            return a / nonzero_divisor(b);
        } else {
            return std::trunc(a / b);
        }
    }
    template <class D, class V>
    V vector(D, V a, V b) const {
        return hn::Trunc(hn::Div(a, b));
    }
};
// Python's //: for floating types through the remainder, so that it agrees with it.
template <class T>
struct DivFloorOp : Plain {
    using Plain::Plain;
    T scalar(T a, T b) const {
        if constexpr (std::is_integral_v<T>) {
            if (b == -1) return SubOp<T>(nullptr).scalar(0, a);
            const T quotient = a / nonzero_divisor(b);
            return (a % b != 0 && (a < 0) != (b < 0)) ? quotient - 1 : quotient;
        } else {
            if (b == 0) return a / b;
            const T remainder = std::fmod(a, b);
            T quotient = (a - remainder) / b;
            if (remainder != 0 && (b < 0) != (remainder < 0)) quotient -= T(1);
            if (quotient == 0) return std::copysign(T(0), a / b);
            const T floor = std::floor(quotient);
            return quotient - floor > T(0.5) ? floor + T(1) : floor;
        }
    }
#if HWY_TARGET != HWY_SCALAR
    template <class D, class V>
    requires std::is_same_v<T, float> V vector(D d, V a, V b)
    const { return floor_divide_vector(d, a, b); }
#endif
};
template <class T>
struct FmodOp : Plain {
    using Plain::Plain;
    T scalar(T a, T b) const {
        if constexpr (std::is_integral_v<T>)
            return b == -1 ? 0 : a % nonzero_divisor(b);
        else
            return std::fmod(a, b);
    }
#if HWY_TARGET != HWY_SCALAR
    template <class D, class V>
    requires std::is_same_v<T, float> V vector(D d, V a, V b)
    const { return fmod_vector(d, a, b); }
#endif
};
// The sign of the divisor, as Python's %.
template <class T>
struct RemainderOp : Plain {
    using Plain::Plain;
    T scalar(T a, T b) const {
        T remainder = FmodOp<T>(nullptr).scalar(a, b);
        if (remainder != 0 && (b < 0) != (remainder < 0)) remainder += b;
        return remainder;
    }
#if HWY_TARGET != HWY_SCALAR
    template <class D, class V>
    requires std::is_same_v<T, float> V vector(D d, V a, V b)
    const { return remainder_vector(d, a, b); }
#endif
};
template <class T>
struct PowOp : Plain {
    using Plain::Plain;
    T scalar(T a, T b) const {
        if constexpr (std::is_integral_v<T>) {
            if (b < 0) {
                if (a == 1) return 1;
                if (a == -1) return b % 2 == 0 ? 1 : -1;
                return 0;
            }
            std::uint64_t result = 1;
            auto base = static_cast<std::uint64_t>(a);
            for (; b != 0; b >>= 1, base *= base) {
                if ((b & 1) != 0) result *= base;
            }
            return static_cast<T>(result);
        } else {
            return std::pow(a, b);
        }
    }
#if HWY_TARGET != HWY_SCALAR
    template <class D, class V>
    requires std::is_same_v<T, float> HWY_INLINE V vector(D d, V a, V b)
    const { return pow_vector(d, a, b); }
#endif
};
template <class T>
struct Atan2Op : Plain {
    using Plain::Plain;
    T scalar(T a, T b) const { return std::atan2(a, b); }
#if HWY_TARGET != HWY_SCALAR
    template <class D, class V>
    requires std::is_same_v<T, float> V vector(D d, V a, V b)
    const { return atan2_vector(d, a, b); }
#endif
};
// NaN wins.
template <class T>
struct MaximumOp : Plain {
    using Plain::Plain;
    T scalar(T a, T b) const { return a != a || a > b ? a : b; }
    template <class D, class V>
    V vector(D, V a, V b) const {
        return hn::IfThenElse(hn::Or(hn::IsNaN(a), hn::Gt(a, b)), a, b);
    }
};
template <class T>
struct MinimumOp : Plain {
    using Plain::Plain;
    T scalar(T a, T b) const { return a != a || a < b ? a : b; }
    template <class D, class V>
    V vector(D, V a, V b) const {
        return hn::IfThenElse(hn::Or(hn::IsNaN(a), hn::Lt(a, b)), a, b);
    }
};
// NaN loses.
template <class T>
struct FmaxOp : Plain {
    using Plain::Plain;
    T scalar(T a, T b) const { return b != b || a > b ? a : b; }
    template <class D, class V>
    V vector(D, V a, V b) const {
        return hn::IfThenElse(hn::Or(hn::IsNaN(b), hn::Gt(a, b)), a, b);
    }
};
template <class T>
struct FminOp : Plain {
    using Plain::Plain;
    T scalar(T a, T b) const { return b != b || a < b ? a : b; }
    template <class D, class V>
    V vector(D, V a, V b) const {
        return hn::IfThenElse(hn::Or(hn::IsNaN(b), hn::Lt(a, b)), a, b);
    }
};
template <class T>
struct HypotOp : Plain {
    using Plain::Plain;
    T scalar(T a, T b) const { return std::hypot(a, b); }
};
template <class T>
struct CopysignOp : Plain {
    using Plain::Plain;
    T scalar(T a, T b) const { return std::copysign(a, b); }
};
template <class T>
struct NextafterOp : Plain {
    using Plain::Plain;
    T scalar(T a, T b) const { return std::nextafter(a, b); }
};
template <class T>
struct XlogyOp : Plain {
    using Plain::Plain;
    T scalar(T a, T b) const {
        if (std::isnan(b)) return b;
        return a == 0 ? T(0) : a * std::log(b);
    }
};
template <class T>
struct LogaddexpOp : Plain {
    using Plain::Plain;
    T scalar(T a, T b) const {
        if constexpr (kIsComplexElement<T>) {
            return log_add_exp(a, b);
        } else {
            if (std::isinf(a) && a == b) return a;
            return std::max(a, b) + std::log1p(std::exp(-std::abs(a - b)));
        }
    }
};
template <class T>
struct Logaddexp2Op : Plain {
    using Plain::Plain;
    T scalar(T a, T b) const {
        if (std::isinf(a) && a == b) return a;
        return std::max(a, b) + std::log2(T(1) + std::exp2(-std::abs(a - b)));
    }
};
template <class T>
struct HeavisideOp : Plain {
    using Plain::Plain;
    T scalar(T a, T b) const { return a == 0 ? b : static_cast<T>(a > 0); }
};

template <class T>
struct AndOp : Plain {
    using Plain::Plain;
    T scalar(T a, T b) const { return a & b; }
};
template <class T>
struct OrOp : Plain {
    using Plain::Plain;
    T scalar(T a, T b) const { return a | b; }
};
template <class T>
struct XorOp : Plain {
    using Plain::Plain;
    T scalar(T a, T b) const { return a ^ b; }
};
template <class T>
struct ShiftLeftOp : Plain {
    using Plain::Plain;
    T scalar(T a, T b) const { return b < 0 || b > 63 ? 0 : static_cast<T>(static_cast<std::uint64_t>(a) << b); }
};
template <class T>
struct ShiftRightOp : Plain {
    using Plain::Plain;
    T scalar(T a, T b) const { return b < 0 || b > 63 ? (a < 0 ? -1 : 0) : a >> b; }
};
template <class T>
struct GcdOp : Plain {
    using Plain::Plain;
    T scalar(T a, T b) const { return wrapping_gcd(a, b); }
};
template <class T>
struct LcmOp : Plain {
    using Plain::Plain;
    T scalar(T a, T b) const { return wrapping_lcm(a, b); }
};

template <template <class> class Op>
ElementwiseKernel integer_kernel(ScalarType as) {
    return as == ScalarType::Int64 ? &kernel<Op, 2, std::int64_t> : nullptr;
}

ElementwiseKernel find_binary(BinaryOp op, ScalarType as) {
    switch (op) {
        case BinaryOp::Add:
            return number_kernel<AddOp, 2>(as);
        case BinaryOp::Sub:
            return number_kernel<SubOp, 2>(as);
        case BinaryOp::AddScaled:
            return number_kernel<AddScaledOp, 2>(as);
        case BinaryOp::SubScaled:
            return number_kernel<SubScaledOp, 2>(as);
        case BinaryOp::Mul:
            return number_kernel<MulOp, 2>(as);
        case BinaryOp::Div:
            return real_or_complex_kernel<DivOp, 2>(as);
        case BinaryOp::DivFloor:
            return real_or_integer_kernel<DivFloorOp, 2>(as);
        case BinaryOp::DivTrunc:
            return real_or_integer_kernel<DivTruncOp, 2>(as);
        case BinaryOp::Fmod:
            return real_or_integer_kernel<FmodOp, 2>(as);
        case BinaryOp::Remainder:
            return real_or_integer_kernel<RemainderOp, 2>(as);
        case BinaryOp::Pow:
            return number_kernel<PowOp, 2>(as);
        case BinaryOp::Atan2:
            return real_kernel<Atan2Op, 2>(as);
        case BinaryOp::Maximum:
            return ordered_kernel<MaximumOp, 2>(as);
        case BinaryOp::Minimum:
            return ordered_kernel<MinimumOp, 2>(as);
        case BinaryOp::Fmax:
            return ordered_kernel<FmaxOp, 2>(as);
        case BinaryOp::Fmin:
            return ordered_kernel<FminOp, 2>(as);
        case BinaryOp::Hypot:
            return real_kernel<HypotOp, 2>(as);
        case BinaryOp::Copysign:
            return real_kernel<CopysignOp, 2>(as);
        case BinaryOp::Xlogy:
            return real_kernel<XlogyOp, 2>(as);
        case BinaryOp::Logaddexp:
            return real_or_complex_kernel<LogaddexpOp, 2>(as);
        case BinaryOp::Logaddexp2:
            return real_kernel<Logaddexp2Op, 2>(as);
        case BinaryOp::Nextafter:
            return real_kernel<NextafterOp, 2>(as);
        case BinaryOp::BitwiseAnd:
            return integer_kernel<AndOp>(as);
        case BinaryOp::BitwiseOr:
            return integer_kernel<OrOp>(as);
        case BinaryOp::BitwiseXor:
            return integer_kernel<XorOp>(as);
        case BinaryOp::ShiftLeft:
            return integer_kernel<ShiftLeftOp>(as);
        case BinaryOp::ShiftRight:
            return integer_kernel<ShiftRightOp>(as);
        case BinaryOp::Gcd:
            return integer_kernel<GcdOp>(as);
        case BinaryOp::Lcm:
            return integer_kernel<LcmOp>(as);
        case BinaryOp::Heaviside:
            return real_or_integer_kernel<HeavisideOp, 2>(as);
    }
    return nullptr;
}

}  // namespace
}  // namespace loupe::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace loupe {
namespace {
HWY_EXPORT(find_binary);
}
ElementwiseKernel binary_kernel(BinaryOp op, ScalarType as) { return HWY_DYNAMIC_DISPATCH(find_binary)(op, as); }
}  // namespace loupe
#endif
