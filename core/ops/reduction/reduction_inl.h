// SPDX-License-Identifier: Apache-2.0
// Shared by the reductions: accumulator types, and an operator's loops over elements and over rows. Compiled once per
// instruction set; hence the toggled guard.
#if defined(LOUPE_REDUCTION_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef LOUPE_REDUCTION_INL_H
#undef LOUPE_REDUCTION_INL_H
#else
#define LOUPE_REDUCTION_INL_H
#endif

#include <cmath>
#include <limits>

#include "core/kernels/complex_math.h"
#include "core/kernels/simd_inl.h"
#include "core/ops/reduction/kernels.h"

HWY_BEFORE_NAMESPACE();
namespace loupe::HWY_NAMESPACE {
namespace {

// Accumulator types: wide enough that the order hardly affects the sum.
template <class T>
struct Wide {
    using type = double;
};
template <>
struct Wide<std::int64_t> {
    using type = std::int64_t;
};
template <class R>
struct Wide<std::complex<R>> {
    using type = std::complex<double>;
};
template <class T>
using WideOf = typename Wide<T>::type;

template <class T>
T wrapping_add(T a, T b) {
    if constexpr (std::is_integral_v<T>)
        return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
    else
        return a + b;
}
template <class T>
T wrapping_multiply(T a, T b) {
    if constexpr (std::is_integral_v<T>)
        return static_cast<T>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
    else
        return multiply(a, b);
}

// Numbers as float64, a vector of them from memory.
template <class D, class T>
HWY_INLINE hn::Vec<D> load_wide(D d, const T* x) {
    if constexpr (std::is_same_v<T, float>)
        return hn::PromoteTo(d, hn::LoadU(hn::Rebind<float, D>(), x));
    else
        return hn::LoadU(d, x);
}
// The lanes of a vector joined, by an operation of two vectors.
template <class V, class Join>
HWY_INLINE hn::TFromV<V> join_lanes(V v, Join&& join) {
    const hn::DFromV<V> d;
    constexpr std::size_t kLanes = hn::MaxLanes(hn::DFromV<V>());
    static_assert(kLanes <= 16);
    if constexpr (kLanes >= 16) v = join(v, hn::Reverse(d, v));
    if constexpr (kLanes >= 8) v = join(v, hn::Reverse8(d, v));
    if constexpr (kLanes >= 4) v = join(v, hn::Reverse4(d, v));
    if constexpr (kLanes >= 2) v = join(v, hn::Reverse2(d, v));
    return hn::GetLane(v);
}

template <class T>
bool is_nan(T x) {
    if constexpr (std::is_integral_v<T>)
        return false;
    else
        return x != x;
}

// Each operator: State, identity, add (one element), join (another state), result.
template <class T>
struct SumOf {
    using State = WideOf<T>;
    using Result = T;
    static State identity() { return State(0); }
    static State add(State s, T x, double) { return wrapping_add(s, State(x)); }
    static State join(State s, State other) { return wrapping_add(s, other); }
    template <class V>
    static V join_vectors(V a, V b) {
        return hn::Add(a, b);
    }
    static constexpr bool kIsSum = true;
    static Result result(State s, std::int64_t, double) { return static_cast<Result>(s); }
};
template <class T>
constexpr T lowest() {
    if constexpr (std::is_integral_v<T>)
        return std::numeric_limits<T>::min();
    else
        return -std::numeric_limits<T>::infinity();
}
template <class T>
constexpr T highest() {
    if constexpr (std::is_integral_v<T>)
        return std::numeric_limits<T>::max();
    else
        return std::numeric_limits<T>::infinity();
}
template <class T>
struct MaxOf {
    using State = T;
    using Result = T;
    static State identity() { return lowest<T>(); }
    static State add(State s, T x, double) { return ((x > s) | is_nan(x)) ? x : s; }
    // For numbers, in one instruction.
    static State add_number(State s, T x) { return x > s ? x : s; }
    template <class V>
    static V add_number_vectors(V s, V x) {
        return hn::Max(x, s);
    }
    static State join(State s, State other) { return add(s, other, 0); }
    static Result result(State s, std::int64_t, double) { return s; }
};
template <class T>
struct MinOf : MaxOf<T> {
    using State = T;
    static State identity() { return highest<T>(); }
    static State add(State s, T x, double) { return ((x < s) | is_nan(x)) ? x : s; }
    static State add_number(State s, T x) { return x < s ? x : s; }
    template <class V>
    static V add_number_vectors(V s, V x) {
        return hn::Min(x, s);
    }
    static State join(State s, State other) { return add(s, other, 0); }
};

double parameter(const void* params) { return params == nullptr ? 0 : *static_cast<const double*>(params); }

// Columns that are reduced side by side.
constexpr std::int64_t kColumns = 512;

template <class Op, class T>
struct Simple {
    using State = typename Op::State;

    static void begin(void* states, std::int64_t n) { std::fill_n(static_cast<State*>(states), n, Op::identity()); }
    // Joins kCount states: whole vectors first, then one by one in pairs.
    template <std::int64_t kCount>
    static HWY_INLINE State joined(State* lanes) {
        constexpr std::int64_t kVector = std::max<std::int64_t>(64 / sizeof(State), 1), kHalf = kCount / 2;
        if constexpr (kCount == 1) {
            return lanes[0];
        } else if constexpr (kCount <= kVector) {
            return Op::join(joined<kHalf>(lanes), joined<kHalf>(lanes + kHalf));
        } else {
            for (std::int64_t k = 0; k < kHalf; ++k) lanes[k] = Op::join(lanes[k], lanes[k + kHalf]);
            return joined<kHalf>(lanes);
        }
    }
    // Early exit when some element decides the result, checked per block.
    static void fold_truth(State& s, const T* x, std::int64_t n) {
        constexpr std::int64_t kTogether = 1024;
        for (std::int64_t at = 0; at < n && s == Op::identity(); at += kTogether) {
            const std::int64_t length = std::min(kTogether, n - at);
            std::int32_t found = 0;
            for (std::int64_t i = 0; i < length; ++i)
                found |= static_cast<std::int32_t>((x[at + i] != T(0)) == Op::kDecides);
            if (found != 0) s = Op::kDecides ? 1 : 0;
        }
    }
    // Many states side by side, so that additions do not wait for each other and vectors fit.
    static void fold(void* state, const void* elements, std::int64_t n, std::int64_t, const void* params) {
        if constexpr (requires { Op::kDecides; }) {
            fold_truth(*static_cast<State*>(state), static_cast<const T*>(elements), n);
        } else if constexpr (kHasVectors) {
            fold_vectors(*static_cast<State*>(state), static_cast<const T*>(elements), n);
        } else if constexpr (kIsExtreme) {
            fold_extreme(*static_cast<State*>(state), static_cast<const T*>(elements), n);
        } else {
            fold_numbers(state, elements, n, params);
        }
    }
    // Sums and products of real numbers. Two float32 are added before they are widened: half as many conversions, and
    // one rounding that does not add up.
    static constexpr bool kHasVectors = std::is_floating_point_v<T> && requires { Op::kIsSum; }
    &&!requires { Op::kSkips; };
    static void fold_vectors(State& s, const T* x, std::int64_t n) {
        const hn::ScalableTag<double> d;
        using V = hn::Vec<decltype(d)>;
        const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
        constexpr bool kInPairs = Op::kIsSum && std::is_same_v<T, float>;
        const auto join = [](V a, V b) HWY_ATTR { return Op::join_vectors(a, b); };
        const auto load = [&](const T* from) HWY_ATTR {
            if constexpr (kInPairs) {
                const hn::Rebind<float, decltype(d)> narrow;
                return hn::PromoteTo(d, hn::Add(hn::LoadU(narrow, from), hn::LoadU(narrow, from + 4 * lanes)));
            } else {
                return load_wide(d, from);
            }
        };
        V a = hn::Set(d, Op::identity()), b = a, c = a, e = a;
        const std::int64_t step = (kInPairs ? 8 : 4) * lanes;
        std::int64_t i = 0;
        for (; i + step <= n; i += step) {
            a = join(a, load(x + i));
            b = join(b, load(x + i + lanes));
            c = join(c, load(x + i + 2 * lanes));
            e = join(e, load(x + i + 3 * lanes));
        }
        for (; i + lanes <= n; i += lanes) a = join(a, load_wide(d, x + i));
        s = Op::join(s, join_lanes(join(join(a, b), join(c, e)), join));
        for (; i < n; ++i) s = Op::add(s, x[i], 0);
    }
    // The extremes of floating types: NaN is looked for beside.
    static constexpr bool kIsExtreme = std::is_floating_point_v<T> && requires(State s, T x) { Op::add_number(s, x); };
    static void fold_extreme(State& s, const T* x, std::int64_t n) {
        const hn::ScalableTag<T> d;
        const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
        std::array<hn::Vec<decltype(d)>, 4> best;
        for (auto& b : best) b = hn::Set(d, Op::identity());
        auto nan = hn::Ne(best[0], best[0]);
        std::int64_t i = 0;
        for (; i + 4 * lanes <= n; i += 4 * lanes) {
            for (std::size_t k = 0; k < 4; ++k) {
                const auto v = hn::LoadU(d, x + i + static_cast<std::int64_t>(k) * lanes);
                best[k] = Op::add_number_vectors(best[k], v);
                nan = hn::Or(nan, hn::IsNaN(v));
            }
        }
        for (; i + lanes <= n; i += lanes) {
            const auto v = hn::LoadU(d, x + i);
            best[0] = Op::add_number_vectors(best[0], v);
            nan = hn::Or(nan, hn::IsNaN(v));
        }
        if (!hn::AllFalse(d, nan)) {
            s = std::numeric_limits<T>::quiet_NaN();
            return;
        }
        const auto better = [](auto v, auto w) HWY_ATTR { return Op::add_number_vectors(v, w); };
        s = Op::add(s, join_lanes(better(better(best[0], best[1]), better(best[2], best[3])), better), 0);
        for (; i < n; ++i) s = Op::add(s, x[i], 0);
    }
    static void fold_numbers(void* state, const void* elements, std::int64_t n, const void* params) {
        constexpr std::int64_t kMany = std::max<std::int64_t>(256 / sizeof(State), 32), kFew = 16;
        const double p = parameter(params);
        const T* x = static_cast<const T*>(elements);
        State& s = *static_cast<State*>(state);
        std::int64_t done = n >= kMany ? fold_lanes<kMany>(s, x, n, p) : 0;
        if (n - done >= kFew) done += fold_lanes<kFew>(s, x + done, n - done, p);
        for (; done < n; ++done) s = Op::add(s, x[done], p);
    }
    // Takes in whole groups of kLanes; how many elements that were.
    template <std::int64_t kLanes>
    static std::int64_t fold_lanes(State& s, const T* x, std::int64_t n, double p) {
        State lanes[kLanes];
        std::fill_n(lanes, kLanes, Op::identity());
        std::int64_t i = 0;
        if constexpr (requires { Op::add_number(s, *x); }) {
            T nan[kLanes] = {};
            for (; i + kLanes <= n; i += kLanes) {
                for (std::int64_t k = 0; k < kLanes; ++k) {
                    lanes[k] = Op::add_number(lanes[k], x[i + k]);
                    nan[k] = is_nan(x[i + k]) ? x[i + k] : nan[k];
                }
            }
            for (std::int64_t k = 0; k < kLanes; ++k) lanes[k] = is_nan(nan[k]) ? nan[k] : lanes[k];
        } else {
            for (; i + kLanes <= n; i += kLanes) {
                for (std::int64_t k = 0; k < kLanes; ++k) lanes[k] = Op::add(lanes[k], x[i + k], p);
            }
        }
        s = Op::join(s, joined<kLanes>(lanes));
        return i;
    }
    // Eight rows at a time, so that states are read and written less often than elements.
    static constexpr std::int64_t kRowsAtOnce = 8;
    static void fold_rows(void* states, const Rows& rows, std::int64_t n, std::int64_t, const void* params) {
        auto* s = static_cast<State*>(states);
        std::int64_t r = 0;
        for (; r + kRowsAtOnce <= rows.count; r += kRowsAtOnce) fold_row_group<kRowsAtOnce>(s, rows, r, n, params);
        for (; r < rows.count; ++r) fold_row_group<1>(s, rows, r, n, params);
    }
    template <std::int64_t kCount>
    static HWY_INLINE void fold_row_group(State* s, const Rows& rows, std::int64_t r, std::int64_t n,
                                          const void* params) {
        std::array<const T*, static_cast<std::size_t>(kCount)> x;
        for (std::int64_t k = 0; k < kCount; ++k) x[static_cast<std::size_t>(k)] = rows.row<T>(r + k);
        std::int64_t i = 0;
        if constexpr (kHasVectors)
            i = join_row_vectors(s, x, n);
        else if constexpr (kIsExtreme)
            i = best_of_row_vectors(s, x, n);
        const double p = parameter(params);
        LOUPE_INDEPENDENT_ITERATIONS
        for (std::int64_t column = i; column < n; ++column) {
            State state = s[column];
            for (const T* row : x) state = Op::add(state, row[column], p);
            s[column] = state;
        }
    }
    // Whole vectors of columns; how many columns that were.
    template <std::size_t kCount>
    static HWY_INLINE std::int64_t join_row_vectors(State* s, const std::array<const T*, kCount>& x, std::int64_t n) {
        const hn::ScalableTag<double> d;
        const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
        std::int64_t i = 0;
        for (; i + lanes <= n; i += lanes) {
            auto state = hn::LoadU(d, s + i);
            if constexpr (Op::kIsSum && std::is_same_v<T, float> && kCount % 2 == 0) {
                const hn::Rebind<float, decltype(d)> narrow;
                for (std::size_t k = 0; k < kCount; k += 2) {
                    const auto pair = hn::Add(hn::LoadU(narrow, x[k] + i), hn::LoadU(narrow, x[k + 1] + i));
                    state = hn::Add(state, hn::PromoteTo(d, pair));
                }
            } else {
                for (std::size_t k = 0; k < kCount; ++k) state = Op::join_vectors(state, load_wide(d, x[k] + i));
            }
            hn::StoreU(state, d, s + i);
        }
        return i;
    }
    template <std::size_t kCount>
    static HWY_INLINE std::int64_t best_of_row_vectors(State* s, const std::array<const T*, kCount>& x,
                                                       std::int64_t n) {
        const hn::ScalableTag<T> d;
        const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
        const auto no_number = hn::Set(d, std::numeric_limits<T>::quiet_NaN());
        std::int64_t i = 0;
        for (; i + lanes <= n; i += lanes) {
            auto best = hn::LoadU(d, s + i);
            auto nan = hn::IsNaN(best);
            for (std::size_t k = 0; k < kCount; ++k) {
                const auto v = hn::LoadU(d, x[k] + i);
                best = Op::add_number_vectors(best, v);
                nan = hn::Or(nan, hn::IsNaN(v));
            }
            hn::StoreU(hn::IfThenElse(nan, no_number, best), d, s + i);
        }
        return i;
    }
    static void merge(void* states, const void* others, std::int64_t n) {
        auto* s = static_cast<State*>(states);
        for (std::int64_t i = 0; i < n; ++i) s[i] = Op::join(s[i], static_cast<const State*>(others)[i]);
    }
    static void finish(const void* states, std::int64_t n, std::int64_t count, const void* params,
                       void* const* outputs) {
        const double p = parameter(params);
        auto* out = static_cast<typename Op::Result*>(outputs[0]);
        for (std::int64_t i = 0; i < n; ++i) out[i] = Op::result(static_cast<const State*>(states)[i], count, p);
    }
    static const Reduction* get() {
        static const Reduction reduction{scalar_type_of<T>,
                                         1,
                                         {scalar_type_of<typename Op::Result>},
                                         sizeof(State),
                                         &begin,
                                         &fold,
                                         &fold_rows,
                                         &merge,
                                         &finish,
                                         false};
        return &reduction;
    }
};

template <template <class> class Op>
const Reduction* for_real(ScalarType as) {
    if (as == ScalarType::Float32) return Simple<Op<float>, float>::get();
    if (as == ScalarType::Float64) return Simple<Op<double>, double>::get();
    return nullptr;
}
template <template <class> class Op>
const Reduction* for_differentiable(ScalarType as) {
#if HWY_TARGET == HWY_STATIC_TARGET  // complex numbers gain little from vectors: built once
    if (as == ScalarType::Complex64) return Simple<Op<std::complex<float>>, std::complex<float>>::get();
    if (as == ScalarType::Complex128) return Simple<Op<std::complex<double>>, std::complex<double>>::get();
#endif
    return for_real<Op>(as);
}
template <template <class> class Op>
const Reduction* for_ordered(ScalarType as) {
    return as == ScalarType::Int64 ? Simple<Op<std::int64_t>, std::int64_t>::get() : for_real<Op>(as);
}
template <template <class> class Op>
const Reduction* for_all(ScalarType as) {
    return as == ScalarType::Int64 ? Simple<Op<std::int64_t>, std::int64_t>::get() : for_differentiable<Op>(as);
}
// Bytes are read as they are, those of a bool too, which may be neither 0 nor 1.
template <template <class> class Op>
const Reduction* for_truth(ScalarType as) {
    static const Reduction bools = [] {
        Reduction reduction = *Simple<Op<std::uint8_t>, std::uint8_t>::get();
        reduction.as = ScalarType::Bool;
        return reduction;
    }();
    if (as == ScalarType::Bool) return &bools;
    return as == ScalarType::UInt8 ? Simple<Op<std::uint8_t>, std::uint8_t>::get() : for_all<Op>(as);
}

}  // namespace
}  // namespace loupe::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
