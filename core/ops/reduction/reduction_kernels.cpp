// SPDX-License-Identifier: Apache-2.0
// Sums, products, counts, any and all.
#include "core/kernels/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/ops/reduction/reduction_kernels.cpp"
#include "hwy/foreach_target.h"
// clang-format off
#include "core/ops/reduction/reduction_inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace loupe::HWY_NAMESPACE {
namespace {

template <class T>
struct MeanOf : SumOf<T> {
    using State = WideOf<T>;
    static T result(State s, std::int64_t count, double) { return static_cast<T>(s / static_cast<double>(count)); }
};
template <class T>
struct NanSumOf : SumOf<T> {
    using State = WideOf<T>;
    static constexpr bool kSkips = true;
    static State add(State s, T x, double) { return wrapping_add(s, is_nan(x) ? State(0) : State(x)); }
};
template <class T>
struct ProdOf {
    using State = WideOf<T>;
    using Result = T;
    static State identity() { return State(1); }
    static State add(State s, T x, double) { return wrapping_multiply(s, State(x)); }
    static State join(State s, State other) { return wrapping_multiply(s, other); }
    template <class V>
    static V join_vectors(V a, V b) {
        return hn::Mul(a, b);
    }
    static constexpr bool kIsSum = false;
    static Result result(State s, std::int64_t, double) { return static_cast<Result>(s); }
};
template <class T>
struct AnyOf {
    using State = std::uint8_t;
    using Result = bool;
    static constexpr bool kDecides = true;  // an element that is not zero settles it
    static State identity() { return 0; }
    static State add(State s, T x, double) { return static_cast<State>(s | static_cast<State>(x != T(0))); }
    static State join(State s, State other) { return s | other; }
    static Result result(State s, std::int64_t, double) { return s != 0; }
};
template <class T>
struct AllOf : AnyOf<T> {
    using State = std::uint8_t;
    static constexpr bool kDecides = false;
    static State identity() { return 1; }
    static State add(State s, T x, double) { return static_cast<State>(s & static_cast<State>(x != T(0))); }
    static State join(State s, State other) { return s & other; }
};
template <class T>
struct CountOf {
    using State = std::int64_t;
    using Result = std::int64_t;
    static State identity() { return 0; }
    static State add(State s, T x, double) { return s + (x != T(0)); }
    static State join(State s, State other) { return s + other; }
    static Result result(State s, std::int64_t, double) { return s; }
};

const Reduction* find_sum(ReduceOp op, ScalarType as) {
    switch (op) {
        case ReduceOp::Sum:
            return for_all<SumOf>(as);
        case ReduceOp::Mean:
            return for_differentiable<MeanOf>(as);
        case ReduceOp::Any:
            return for_truth<AnyOf>(as);
        case ReduceOp::All:
            return for_truth<AllOf>(as);
#if HWY_TARGET == HWY_STATIC_TARGET
        case ReduceOp::Prod:
            return for_all<ProdOf>(as);
        case ReduceOp::NanSum:
            return for_ordered<NanSumOf>(as);
        case ReduceOp::CountNonzero:
            return for_all<CountOf>(as);
#else
        case ReduceOp::Prod:
            return for_real<ProdOf>(as);
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
HWY_EXPORT(find_sum);
}  // namespace
const Reduction* reduction_kernel(ReduceOp op, ScalarType as) {
    switch (op) {
        case ReduceOp::Max:
        case ReduceOp::Min:
        case ReduceOp::ArgMax:
        case ReduceOp::ArgMin:
            return extremum_kernel(op, as);
        case ReduceOp::Var:
        case ReduceOp::Std:
            return moments_kernel(op, as);
        default:
            break;
    }
    const Reduction* vectors = HWY_DYNAMIC_DISPATCH(find_sum)(op, as);
    return vectors != nullptr ? vectors : HWY_STATIC_DISPATCH(find_sum)(op, as);
}
}  // namespace loupe
#endif
