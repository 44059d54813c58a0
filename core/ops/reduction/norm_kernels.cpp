// SPDX-License-Identifier: Apache-2.0
// Norms of vectors.
#include "core/kernels/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/ops/reduction/norm_kernels.cpp"
#include "hwy/foreach_target.h"
// clang-format off
#include "core/ops/reduction/reduction_inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace loupe::HWY_NAMESPACE {
namespace {

template <class T>
double size_of(T x) {
    if constexpr (kIsComplexElement<T>)
        return std::abs(std::complex<double>(x));
    else
        return std::abs(static_cast<double>(x));
}
template <class T>
struct RealOf {
    using type = T;
};
template <class R>
struct RealOf<std::complex<R>> {
    using type = R;
};
template <class T>
struct NormBase {
    using State = double;
    using Result = typename RealOf<T>::type;
    static State identity() { return 0; }
    static State join(State s, State other) { return s + other; }
    static Result result(State s, std::int64_t, double) { return static_cast<Result>(s); }
};
template <class T>
struct Norm0Of : NormBase<T> {
    static double add(double s, T x, double) { return s + (x != T(0) ? 1.0 : 0.0); }
};
template <class T>
struct Norm1Of : NormBase<T> {
    static double add(double s, T x, double) { return s + size_of(x); }
};
template <class T>
struct Norm2Of : NormBase<T> {
    using Result = typename RealOf<T>::type;
    static double add(double s, T x, double) {
        if constexpr (kIsComplexElement<T>)
            return s + static_cast<double>(x.real()) * x.real() + static_cast<double>(x.imag()) * x.imag();
        else
            return s + static_cast<double>(x) * static_cast<double>(x);
    }
    static Result result(double s, std::int64_t, double) { return static_cast<Result>(std::sqrt(s)); }
};
template <class T>
struct NormInfOf : NormBase<T> {
    static double add(double s, T x, double) { return MaxOf<double>::add(s, size_of(x), 0); }
    static double join(double s, double other) { return MaxOf<double>::add(s, other, 0); }
};
template <class T>
struct NormMinusInfOf : NormBase<T> {
    static double identity() { return highest<double>(); }
    static double add(double s, T x, double) { return MinOf<double>::add(s, size_of(x), 0); }
    static double join(double s, double other) { return MinOf<double>::add(s, other, 0); }
};
template <class T>
struct NormPOf : NormBase<T> {
    using Result = typename RealOf<T>::type;
    static double add(double s, T x, double p) { return s + std::pow(size_of(x), p); }
    static Result result(double s, std::int64_t, double p) { return static_cast<Result>(std::pow(s, 1 / p)); }
};

// Rarely used kernels are built once, for the baseline.
const Reduction* find_norm(NormOrder order, ScalarType as) {
    switch (order) {
        case NormOrder::One:
            return for_differentiable<Norm1Of>(as);
        case NormOrder::Two:
            return for_differentiable<Norm2Of>(as);
#if HWY_TARGET == HWY_STATIC_TARGET
        case NormOrder::Zero:
            return for_differentiable<Norm0Of>(as);
        case NormOrder::Infinity:
            return for_differentiable<NormInfOf>(as);
        case NormOrder::MinusInfinity:
            return for_differentiable<NormMinusInfOf>(as);
        case NormOrder::Other:
            return for_differentiable<NormPOf>(as);
#endif
        default:
            return nullptr;
    }
}

}  // namespace
}  // namespace loupe::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace loupe {
namespace {
HWY_EXPORT(find_norm);
}  // namespace
const Reduction* norm_kernel(NormOrder order, ScalarType as) {
    const Reduction* vectors = HWY_DYNAMIC_DISPATCH(find_norm)(order, as);
    return vectors != nullptr ? vectors : HWY_STATIC_DISPATCH(find_norm)(order, as);
}
}  // namespace loupe
#endif
