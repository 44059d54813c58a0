// SPDX-License-Identifier: Apache-2.0
#include "core/kernels/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/ops/pointwise/ternary_kernels.cpp"
#include "hwy/foreach_target.h"
// clang-format off
#include "core/kernels/simd_inl.h"
// clang-format on

#include <cmath>

#include "core/kernels/complex_math.h"
#include "core/ops/pointwise/kernels.h"

HWY_BEFORE_NAMESPACE();
namespace loupe::HWY_NAMESPACE {
namespace {

struct Plain {
    explicit Plain(const Scalar*) {}
};

// a + value * b * c
template <class T>
struct AddcmulOp {
    explicit AddcmulOp(const Scalar* p) : value(p[0].to<T>()) {}
    T scalar(T a, T b, T c) const { return plus(a, multiply(multiply(value, b), c)); }
    template <class D, class V>
    V vector(D d, V a, V b, V c) const {
        return hn::MulAdd(hn::Mul(hn::Set(d, value), b), c, a);
    }
    T value;
};
// a + value * b / c
template <class T>
struct AddcdivOp {
    explicit AddcdivOp(const Scalar* p) : value(p[0].to<T>()) {}
    T scalar(T a, T b, T c) const { return plus(a, divide(multiply(value, b), c)); }
    template <class D, class V>
    V vector(D d, V a, V b, V c) const {
        return hn::Add(a, hn::Div(hn::Mul(hn::Set(d, value), b), c));
    }
    T value;
};
// From the nearer end, so that weight 1 gives b exactly.
template <class T>
struct LerpOp : Plain {
    using Plain::Plain;
    T scalar(T a, T b, T w) const {
        if (std::abs(w) < 0.5) return a + multiply(w, b - a);
        return b - multiply(b - a, T(1) - w);
    }
    template <class D, class V>
    V vector(D d, V a, V b, V w) const {
        const V difference = hn::Sub(b, a);
        const V from_a = hn::MulAdd(w, difference, a);
        const V from_b = hn::NegMulAdd(difference, hn::Sub(hn::Set(d, T(1)), w), b);
        return hn::IfThenElse(hn::Lt(hn::Abs(w), hn::Set(d, T(0.5))), from_a, from_b);
    }
};
// NaN in any of the three gives NaN; the upper bound wins where the bounds cross.
template <class T>
struct ClampOp : Plain {
    using Plain::Plain;
    T scalar(T x, T low, T high) const {
        if (x != x) return x;
        if (low != low) return low;
        if (high != high) return high;
        return std::min(std::max(x, low), high);
    }
    template <class D, class V>
    V vector(D, V x, V low, V high) const {
        const V raised = hn::IfThenElse(hn::Lt(x, low), low, x);
        const V bounded = hn::IfThenElse(hn::Gt(raised, high), high, raised);
        const V with_high = hn::IfThenElse(hn::IsNaN(high), high, bounded);
        return hn::IfThenElse(hn::IsNaN(x), x, hn::IfThenElse(hn::IsNaN(low), low, with_high));
    }
};

// Bits only: one kernel an element size.
template <class T>
void choose(const void*, void* const* arrays, std::int64_t n) {
    auto* out = static_cast<T*>(arrays[0]);
    const auto* condition = static_cast<const std::uint8_t*>(arrays[1]);
    const auto* a = static_cast<const T*>(arrays[2]);
    const auto* b = static_cast<const T*>(arrays[3]);
    LOUPE_INDEPENDENT_ITERATIONS
    for (std::int64_t i = 0; i < n; ++i) {
        const T yes = a[i];
        const T no = b[i];
        out[i] = condition[i] != 0 ? yes : no;
    }
}

ElementwiseKernel find_where(ScalarType dtype) {
    switch (element_size(dtype)) {
        case 1:
            return &choose<std::uint8_t>;
        case 2:
            return &choose<std::uint16_t>;
        case 4:
            return &choose<std::uint32_t>;
        case 8:
            return &choose<std::uint64_t>;
        default:
            return &choose<std::complex<double>>;
    }
}

ElementwiseKernel find_ternary(TernaryOp op, ScalarType as) {
    switch (op) {
        case TernaryOp::Addcmul:
            return number_kernel<AddcmulOp, 3>(as);
        case TernaryOp::Addcdiv:
            return real_or_complex_kernel<AddcdivOp, 3>(as);
        case TernaryOp::Lerp:
            return real_or_complex_kernel<LerpOp, 3>(as);
        case TernaryOp::Clamp:
            return ordered_kernel<ClampOp, 3>(as);
    }
    return nullptr;
}

}  // namespace
}  // namespace loupe::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace loupe {
namespace {
HWY_EXPORT(find_ternary);
HWY_EXPORT(find_where);
}  // namespace
ElementwiseKernel ternary_kernel(TernaryOp op, ScalarType as) { return HWY_DYNAMIC_DISPATCH(find_ternary)(op, as); }
ElementwiseKernel where_kernel(ScalarType dtype) { return HWY_DYNAMIC_DISPATCH(find_where)(dtype); }
}  // namespace loupe
#endif
