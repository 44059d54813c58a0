// SPDX-License-Identifier: Apache-2.0
#include "core/ops/loops/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/ops/reduction/reduction_kernels.cpp"
#include "hwy/foreach_target.h"
// clang-format off
#include "core/ops/loops/simd_inl.h"
// clang-format on

#include <cmath>
#include <limits>

#include "core/ops/loops/complex_math.h"
#include "core/ops/reduction/kernels.h"

HWY_BEFORE_NAMESPACE();
namespace loupe::HWY_NAMESPACE {
namespace {

// What sums are held in: wide enough that the order does not matter much.
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
    if constexpr (std::is_integral_v<T>) return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
    else return a + b;
}
template <class T>
T wrapping_multiply(T a, T b) {
    if constexpr (std::is_integral_v<T>) return static_cast<T>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
    else return multiply(a, b);
}

// Numbers as float64, a vector of them from memory.
template <class D, class T>
HWY_INLINE hn::Vec<D> load_wide(D d, const T* x) {
    if constexpr (std::is_same_v<T, float>) return hn::PromoteTo(d, hn::LoadU(hn::Rebind<float, D>(), x));
    else return hn::LoadU(d, x);
}
// The lanes of a vector joined, by an operation of two vectors.
template <class V, class Join>
HWY_INLINE double join_lanes(V v, Join&& join) {
    const hn::DFromV<V> d;
    constexpr std::size_t kLanes = hn::MaxLanes(hn::DFromV<V>());
    if constexpr (kLanes >= 8) v = join(v, hn::Reverse(d, v));
    if constexpr (kLanes >= 4) v = join(v, hn::Reverse4(d, v));
    if constexpr (kLanes >= 2) v = join(v, hn::Reverse2(d, v));
    return hn::GetLane(v);
}

template <class T>
bool is_nan(T x) {
    if constexpr (std::is_integral_v<T>) return false;
    else return x != x;
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
    static V join_vectors(V a, V b) { return hn::Add(a, b); }
    static constexpr bool kIsSum = true;
    static Result result(State s, std::int64_t, double) { return static_cast<Result>(s); }
};
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
    static V join_vectors(V a, V b) { return hn::Mul(a, b); }
    static constexpr bool kIsSum = false;
    static Result result(State s, std::int64_t, double) { return static_cast<Result>(s); }
};
template <class T>
constexpr T lowest() {
    if constexpr (std::is_integral_v<T>) return std::numeric_limits<T>::min();
    else return -std::numeric_limits<T>::infinity();
}
template <class T>
constexpr T highest() {
    if constexpr (std::is_integral_v<T>) return std::numeric_limits<T>::max();
    else return std::numeric_limits<T>::infinity();
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
    static V add_number_vectors(V s, V x) { return hn::Max(x, s); }
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
    static V add_number_vectors(V s, V x) { return hn::Min(x, s); }
    static State join(State s, State other) { return add(s, other, 0); }
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

template <class T>
double size_of(T x) {
    if constexpr (kIsComplexElement<T>) return std::abs(std::complex<double>(x));
    else return std::abs(static_cast<double>(x));
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
        if constexpr (kIsComplexElement<T>) return s + static_cast<double>(x.real()) * x.real() + static_cast<double>(x.imag()) * x.imag();
        else return s + static_cast<double>(x) * static_cast<double>(x);
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

double parameter(const void* params) { return params == nullptr ? 0 : *static_cast<const double*>(params); }

// Columns that are reduced side by side.
constexpr std::int64_t kColumns = 512;

template <class Op, class T>
struct Simple {
    using State = typename Op::State;

    static void begin(void* states, std::int64_t n) { std::fill_n(static_cast<State*>(states), n, Op::identity()); }
    // Of kCount states one: whole vectors first, then one by one in pairs.
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
    // Whether some element settles the answer, asked of a block at a time.
    static void fold_truth(State& s, const T* x, std::int64_t n) {
        constexpr std::int64_t kTogether = 1024;
        for (std::int64_t at = 0; at < n && s == Op::identity(); at += kTogether) {
            const std::int64_t length = std::min(kTogether, n - at);
            std::int32_t found = 0;
            for (std::int64_t i = 0; i < length; ++i) found |= static_cast<std::int32_t>((x[at + i] != T(0)) == Op::kDecides);
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
    // Sums and products of real numbers. Two float32 are added before they are widened: half as many conversions, and one
    // rounding that does not add up.
    static constexpr bool kHasVectors = std::is_floating_point_v<T> && requires { Op::kIsSum; } && !requires { Op::kSkips; };
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
        HWY_ALIGN T left[hn::MaxLanes(hn::ScalableTag<T>())];
        hn::Store(Op::add_number_vectors(Op::add_number_vectors(best[0], best[1]), Op::add_number_vectors(best[2], best[3])), d, left);
        for (std::int64_t k = 0; k < lanes; ++k) s = Op::add(s, left[k], 0);
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
    static void fold_rows(void* states, const Rows& rows, std::int64_t n, std::int64_t, const void* params) {
        const double p = parameter(params);
        auto* s = static_cast<State*>(states);
        std::int64_t r = 0;
        for (; r + 8 <= rows.count; r += 8) {
            std::array<const T*, 8> x;
            for (std::size_t k = 0; k < 8; ++k) x[k] = rows.row<T>(r + static_cast<std::int64_t>(k));
            LOUPE_INDEPENDENT_ITERATIONS
            for (std::int64_t i = 0; i < n; ++i) {
                const State first = Op::add(Op::add(Op::add(Op::add(s[i], x[0][i], p), x[1][i], p), x[2][i], p), x[3][i], p);
                s[i] = Op::add(Op::add(Op::add(Op::add(first, x[4][i], p), x[5][i], p), x[6][i], p), x[7][i], p);
            }
        }
        for (; r < rows.count; ++r) {
            const T* x = rows.row<T>(r);
            LOUPE_INDEPENDENT_ITERATIONS
            for (std::int64_t i = 0; i < n; ++i) s[i] = Op::add(s[i], x[i], p);
        }
    }
    static void merge(void* states, const void* others, std::int64_t n) {
        auto* s = static_cast<State*>(states);
        for (std::int64_t i = 0; i < n; ++i) s[i] = Op::join(s[i], static_cast<const State*>(others)[i]);
    }
    static void finish(const void* states, std::int64_t n, std::int64_t count, const void* params, void* const* outputs) {
        const double p = parameter(params);
        auto* out = static_cast<typename Op::Result*>(outputs[0]);
        for (std::int64_t i = 0; i < n; ++i) out[i] = Op::result(static_cast<const State*>(states)[i], count, p);
    }
    static const Reduction* get() {
        static const Reduction reduction{scalar_type_of<T>, 1, {scalar_type_of<typename Op::Result>}, sizeof(State), &begin, &fold,
                                         &fold_rows, &merge, &finish, false};
        return &reduction;
    }
};

// Value and index; the first of equals.
template <class T, bool kMax>
struct Arg {
    using Op = std::conditional_t<kMax, MaxOf<T>, MinOf<T>>;
    struct State {
        T value;
        std::int64_t index;  // -1: nothing yet
    };
    static bool wins(T x, const State& s) {
        if (s.index < 0) return true;
        if (is_nan(s.value)) return false;
        return is_nan(x) || (kMax ? x > s.value : x < s.value);
    }
    static void begin(void* states, std::int64_t n) { std::fill_n(static_cast<State*>(states), n, State{Op::identity(), -1}); }
    // In pieces that stay in cache: the largest of each first, then, when it wins, where it is.
    static void fold(void* state, const void* elements, std::int64_t n, std::int64_t index, const void*) {
        constexpr std::int64_t kPiece = 2048;
        const T* x = static_cast<const T*>(elements);
        auto& s = *static_cast<State*>(state);
        for (std::int64_t at = 0; at < n; at += kPiece) {
            const std::int64_t length = std::min(kPiece, n - at);
            T best = Op::identity();
            Simple<Op, T>::fold(&best, x + at, length, 0, nullptr);
            if (wins(best, s)) s = {best, index + at + place_of(best, x + at, length)};
        }
    }
    // Of the first that is equal, or NaN like it.
    static std::int64_t place_of(T value, const T* x, std::int64_t n) {
        const hn::ScalableTag<T> d;
        const auto wanted = hn::Set(d, value);
        if constexpr (std::is_floating_point_v<T>) {
            if (is_nan(value)) return place_where(x, n, [](auto v) HWY_ATTR { return hn::IsNaN(v); }, [](T v) { return is_nan(v); });
        }
        return place_where(x, n, [&](auto v) HWY_ATTR { return hn::Eq(v, wanted); }, [value](T v) { return v == value; });
    }
    template <class InVector, class Is>
    static HWY_INLINE std::int64_t place_where(const T* x, std::int64_t n, InVector&& in_vector, Is&& is_it) {
        const hn::ScalableTag<T> d;
        const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
        std::int64_t at = 0;
        while (at + lanes <= n && hn::AllFalse(d, in_vector(hn::LoadU(d, x + at)))) at += lanes;
        while (at < n && !is_it(x[at])) ++at;
        return at;
    }
    static void fold_rows(void* states, const Rows& rows, std::int64_t n, std::int64_t index, const void*) {
        for (std::int64_t at = 0; at < n; at += kColumns) {
            fold_columns(static_cast<State*>(states) + at, rows, at, std::min(kColumns, n - at), index);
        }
    }
    // Values and rows apart, so that vectors fit. The last columns, fewer than a vector, go one by one.
    static void fold_columns(State* s, const Rows& rows, std::int64_t at, std::int64_t n, std::int64_t index) {
        const std::int64_t whole = n - n % static_cast<std::int64_t>(hn::Lanes(hn::ScalableTag<T>()));
        fold_whole_columns(s, rows, at, whole, index);
        for (std::int64_t r = 0; r < rows.count; ++r) {
            const T* x = rows.row<T>(r) + at;
            for (std::int64_t i = whole; i < n; ++i) {
                if (wins(x[i], s[i])) s[i] = {x[i], index + r};
            }
        }
    }
    static void fold_whole_columns(State* s, const Rows& rows, std::int64_t at, std::int64_t n, std::int64_t index) {
        if (n == 0) return;
        HWY_ALIGN T best[kColumns];
        HWY_ALIGN Place place[kColumns];  // -1: of an earlier row
        const bool is_first = s[0].index < 0;
        for (std::int64_t i = 0; i < n; ++i) best[i] = is_first ? rows.row<T>(0)[at + i] : s[i].value;
        std::fill_n(place, n, is_first ? Place(0) : Place(-1));
        std::int64_t r = is_first ? 1 : 0;
        for (; r + kRowsAtOnce <= rows.count; r += kRowsAtOnce) compare_rows<kRowsAtOnce>(rows, r, at, n, best, place);
        for (; r < rows.count; ++r) compare_rows<1>(rows, r, at, n, best, place);
        for (std::int64_t i = 0; i < n; ++i) {
            if (place[i] >= 0) s[i] = {best[i], index + place[i]};
        }
    }
    using Place = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
    static constexpr std::int64_t kRowsAtOnce = 8;
    // Rows from r on against the best so far, which is read and written once for all of them.
    template <std::int64_t kCount>
    static HWY_INLINE void compare_rows(const Rows& rows, std::int64_t r, std::int64_t at, std::int64_t n, T* best, Place* place) {
        std::array<const T*, kCount> x;
        for (std::int64_t k = 0; k < kCount; ++k) x[static_cast<std::size_t>(k)] = rows.row<T>(r + k) + at;
        const hn::ScalableTag<T> d;
        const hn::ScalableTag<Place> dp;
        const std::int64_t ahead = kCount * rows.stride / static_cast<std::int64_t>(sizeof(T));
        const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
        for (std::int64_t i = 0; i < n; i += lanes) {
            auto top = hn::Load(d, best + i);
            auto from = hn::Load(dp, place + i);
            for (std::size_t k = 0; k < static_cast<std::size_t>(kCount); ++k) {
                const auto value = hn::LoadU(d, x[k] + i);
                __builtin_prefetch(x[k] + i + ahead);
                const auto wins = beats(value, top);
                top = hn::IfThenElse(wins, value, top);
                from = hn::IfThenElse(hn::RebindMask(dp, wins), hn::Set(dp, static_cast<Place>(r) + static_cast<Place>(k)), from);
            }
            hn::Store(top, d, best + i);
            hn::Store(from, dp, place + i);
        }
    }
    // Is it larger, or NaN, than what is not NaN?
    template <class V>
    static HWY_INLINE auto beats(V value, V top) {
        const auto larger = kMax ? hn::Gt(value, top) : hn::Lt(value, top);
        if constexpr (std::is_floating_point_v<T>) return hn::AndNot(hn::IsNaN(top), hn::Or(larger, hn::IsNaN(value)));
        else return larger;
    }
    static void merge(void* states, const void* others, std::int64_t n) {
        auto* s = static_cast<State*>(states);
        for (std::int64_t i = 0; i < n; ++i) {
            const State& other = static_cast<const State*>(others)[i];
            if (other.index >= 0 && wins(other.value, s[i])) s[i] = other;
        }
    }
    static void finish(const void* states, std::int64_t n, std::int64_t, const void*, void* const* outputs) {
        for (std::int64_t i = 0; i < n; ++i) {
            const State& s = static_cast<const State*>(states)[i];
            static_cast<T*>(outputs[0])[i] = s.value;
            static_cast<std::int64_t*>(outputs[1])[i] = s.index;
        }
    }
    static const Reduction* get() {
        static const Reduction reduction{scalar_type_of<T>, 2, {scalar_type_of<T>, ScalarType::Int64}, sizeof(State), &begin, &fold,
                                         &fold_rows, &merge, &finish, true};
        return &reduction;
    }
};

// Mean and sum of squared deviations; parts join by Chan, Golub, LeVeque (1979).
template <class T, bool kRoot>
struct Moments {
    struct State {
        double count;
        double mean;
        double squares;
    };
    static State join(const State& a, const State& b) {
        const double count = a.count + b.count;
        if (b.count == 0) return a;
        if (a.count == 0) return b;
        const double delta = b.mean - a.mean;
        return {count, a.mean + delta * (b.count / count), a.squares + b.squares + delta * delta * (a.count * b.count / count)};
    }
    static void begin(void* states, std::int64_t n) { std::fill_n(static_cast<State*>(states), n, State{0, 0, 0}); }
    // Of float64 in two passes over a piece that stays in cache. Of float32 in one, from the first element on: in float64 the
    // squares are exact, and what the shift leaves to cancel is at most the piece's length.
    static void fold(void* state, const void* elements, std::int64_t n, std::int64_t, const void*) {
        constexpr std::int64_t kPiece = std::is_same_v<T, float> ? 16384 : 2048;
        const T* x = static_cast<const T*>(elements);
        auto& s = *static_cast<State*>(state);
        for (std::int64_t at = 0; at < n; at += kPiece) {
            const std::int64_t length = std::min(kPiece, n - at);
            if constexpr (std::is_same_v<T, float>) {
                s = join(s, shifted_moments(x + at, length));
            } else {
                double sum = 0;
                Simple<SumOf<T>, T>::fold(&sum, x + at, length, 0, nullptr);
                const double mean = sum / static_cast<double>(length);
                s = join(s, {static_cast<double>(length), mean, squared_deviations(x + at, length, mean)});
            }
        }
    }
    static State shifted_moments(const T* x, std::int64_t n) {
        const hn::ScalableTag<double> d;
        using V = hn::Vec<decltype(d)>;
        const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
        const double shift = x[0];
        const V shifts = hn::Set(d, shift);
        std::array<V, 4> sums, squares;
        for (std::size_t k = 0; k < 4; ++k) sums[k] = squares[k] = hn::Zero(d);
        const auto take = [&](std::size_t k, const T* from) HWY_ATTR {
            const V deviation = hn::Sub(load_wide(d, from), shifts);
            sums[k] = hn::Add(sums[k], deviation);
            squares[k] = hn::MulAdd(deviation, deviation, squares[k]);
        };
        std::int64_t i = 0;
        for (; i + 4 * lanes <= n; i += 4 * lanes) {
            for (std::size_t k = 0; k < 4; ++k) take(k, x + i + static_cast<std::int64_t>(k) * lanes);
        }
        for (; i + lanes <= n; i += lanes) take(0, x + i);
        const auto join_four = [](const std::array<V, 4>& v) HWY_ATTR {
            const auto add = [](V a, V b) HWY_ATTR { return hn::Add(a, b); };
            return join_lanes(add(add(v[0], v[1]), add(v[2], v[3])), add);
        };
        double sum = join_four(sums), square = join_four(squares);
        for (; i < n; ++i) {
            const double deviation = static_cast<double>(x[i]) - shift;
            sum += deviation;
            square += deviation * deviation;
        }
        const auto count = static_cast<double>(n);
        return {count, shift + sum / count, square - sum * sum / count};
    }
    static double squared_deviations(const T* x, std::int64_t n, double mean) {
        double lanes[16] = {};
        std::int64_t i = 0;
        for (; i + 16 <= n; i += 16) {
            for (std::int64_t k = 0; k < 16; ++k) {
                const double d = static_cast<double>(x[i + k]) - mean;
                lanes[k] += d * d;
            }
        }
        double sum = 0;
        for (const double lane : lanes) sum += lane;
        for (; i < n; ++i) {
            const double d = static_cast<double>(x[i]) - mean;
            sum += d * d;
        }
        return sum;
    }
    static void fold_rows(void* states, const Rows& rows, std::int64_t n, std::int64_t, const void*) {
        for (std::int64_t at = 0; at < n; at += kColumns) {
            fold_columns(static_cast<State*>(states) + at, {rows.row<T>(0) + at, rows.stride, rows.count}, std::min(kColumns, n - at));
        }
    }
    // In groups of rows that stay in cache; they are joined beside the states, as arrays.
    static void fold_columns(State* s, const Rows& rows, std::int64_t n) {
        constexpr std::int64_t kRows = 32;
        double mean[kColumns] = {}, squares[kColumns] = {};
        for (std::int64_t r = 0; r < rows.count; r += kRows) {
            const Rows part{rows.row<T>(r), rows.stride, std::min(kRows, rows.count - r)};
            double part_mean[kColumns] = {}, part_squares[kColumns] = {};
            if constexpr (std::is_same_v<T, float>) shifted_columns(part, n, part_mean, part_squares);
            else two_pass_columns(part, n, part_mean, part_squares);
            const auto before = static_cast<double>(r), count = static_cast<double>(part.count);
            const double share = count / (before + count), weight = before * share;
            for (std::int64_t i = 0; i < n; ++i) {
                const double delta = part_mean[i] - mean[i];
                mean[i] += delta * share;
                squares[i] += part_squares[i] + delta * delta * weight;
            }
        }
        for (std::int64_t i = 0; i < n; ++i) s[i] = join(s[i], {static_cast<double>(rows.count), mean[i], squares[i]});
    }
    static constexpr std::size_t kRowsAtOnce = 8;
    static void shifted_columns(const Rows& rows, std::int64_t n, double* __restrict mean, double* __restrict squares) {
        const T* first = rows.row<T>(0);
        std::int64_t r = 1;
        for (; r + static_cast<std::int64_t>(kRowsAtOnce) <= rows.count; r += kRowsAtOnce) add_shifted<kRowsAtOnce>(first, rows, r, n, mean, squares);
        for (; r < rows.count; ++r) add_shifted<1>(first, rows, r, n, mean, squares);
        const double share = 1 / static_cast<double>(rows.count);
        for (std::int64_t i = 0; i < n; ++i) {
            squares[i] -= mean[i] * mean[i] * share;
            mean[i] = static_cast<double>(first[i]) + mean[i] * share;
        }
    }
    // What the next rows need is fetched meanwhile: short pieces of rows are not foreseen by the processor.
    template <std::size_t kCount>
    static HWY_INLINE void add_shifted(const T* first, const Rows& rows, std::int64_t r, std::int64_t n, double* __restrict sums,
                                       double* __restrict squares) {
        std::array<const T*, kCount> x;
        for (std::size_t k = 0; k < kCount; ++k) x[k] = rows.row<T>(r + static_cast<std::int64_t>(k));
        const std::int64_t ahead = static_cast<std::int64_t>(kCount) * rows.stride / static_cast<std::int64_t>(sizeof(T));
        const hn::ScalableTag<double> d;
        const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
        std::int64_t i = 0;
        for (; i + lanes <= n; i += lanes) {
            const auto shift = load_wide(d, first + i);
            auto sum = hn::LoadU(d, sums + i), square = hn::LoadU(d, squares + i);
            for (std::size_t k = 0; k < kCount; ++k) {
                __builtin_prefetch(x[k] + i + ahead);
                const auto deviation = hn::Sub(load_wide(d, x[k] + i), shift);
                sum = hn::Add(sum, deviation);
                square = hn::MulAdd(deviation, deviation, square);
            }
            hn::StoreU(sum, d, sums + i);
            hn::StoreU(square, d, squares + i);
        }
        for (; i < n; ++i) {
            for (std::size_t k = 0; k < kCount; ++k) {
                const double deviation = static_cast<double>(x[k][i]) - static_cast<double>(first[i]);
                sums[i] += deviation;
                squares[i] += deviation * deviation;
            }
        }
    }
    static void two_pass_columns(const Rows& rows, std::int64_t n, double* mean, double* squares) {
        for (std::int64_t r = 0; r < rows.count; ++r) {
            const T* x = rows.row<T>(r);
            LOUPE_INDEPENDENT_ITERATIONS
            for (std::int64_t i = 0; i < n; ++i) mean[i] += static_cast<double>(x[i]);
        }
        const auto count = static_cast<double>(rows.count);
        for (std::int64_t i = 0; i < n; ++i) mean[i] /= count;
        for (std::int64_t r = 0; r < rows.count; ++r) {
            const T* x = rows.row<T>(r);
            LOUPE_INDEPENDENT_ITERATIONS
            for (std::int64_t i = 0; i < n; ++i) {
                const double d = static_cast<double>(x[i]) - mean[i];
                squares[i] += d * d;
            }
        }
    }
    static void merge(void* states, const void* others, std::int64_t n) {
        auto* s = static_cast<State*>(states);
        for (std::int64_t i = 0; i < n; ++i) s[i] = join(s[i], static_cast<const State*>(others)[i]);
    }
    static void finish(const void* states, std::int64_t n, std::int64_t count, const void* params, void* const* outputs) {
        const double divisor = std::max(0.0, static_cast<double>(count) - parameter(params));
        for (std::int64_t i = 0; i < n; ++i) {
            const State& s = static_cast<const State*>(states)[i];
            const double variance = s.squares / divisor;
            static_cast<T*>(outputs[0])[i] = static_cast<T>(kRoot ? std::sqrt(variance) : variance);
            static_cast<T*>(outputs[1])[i] = static_cast<T>(count == 0 ? std::numeric_limits<double>::quiet_NaN() : s.mean);
        }
    }
    static const Reduction* get() {
        static const Reduction reduction{scalar_type_of<T>, 2, {scalar_type_of<T>, scalar_type_of<T>}, sizeof(State), &begin, &fold,
                                         &fold_rows, &merge, &finish, false};
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
template <bool kMax>
const Reduction* for_arg(ScalarType as) {
    if (as == ScalarType::Int64) return Arg<std::int64_t, kMax>::get();
    if (as == ScalarType::Float32) return Arg<float, kMax>::get();
    return as == ScalarType::Float64 ? Arg<double, kMax>::get() : nullptr;
}
template <bool kRoot>
const Reduction* for_moments(ScalarType as) {
    if (as == ScalarType::Float32) return Moments<float, kRoot>::get();
    return as == ScalarType::Float64 ? Moments<double, kRoot>::get() : nullptr;
}

// What is rarely asked for is built once, for the baseline.
const Reduction* find_norm(NormOrder order, ScalarType as) {
    switch (order) {
        case NormOrder::One: return for_differentiable<Norm1Of>(as);
        case NormOrder::Two: return for_differentiable<Norm2Of>(as);
#if HWY_TARGET == HWY_STATIC_TARGET
        case NormOrder::Zero: return for_differentiable<Norm0Of>(as);
        case NormOrder::Infinity: return for_differentiable<NormInfOf>(as);
        case NormOrder::MinusInfinity: return for_differentiable<NormMinusInfOf>(as);
        case NormOrder::Other: return for_differentiable<NormPOf>(as);
#endif
        default: return nullptr;
    }
}

const Reduction* find_reduction(ReduceOp op, ScalarType as) {
    switch (op) {
        case ReduceOp::Sum: return for_all<SumOf>(as);
        case ReduceOp::Mean: return for_differentiable<MeanOf>(as);
        case ReduceOp::Max: return for_ordered<MaxOf>(as);
        case ReduceOp::Min: return for_ordered<MinOf>(as);
        case ReduceOp::ArgMax: return for_arg<true>(as);
        case ReduceOp::ArgMin: return for_arg<false>(as);
        case ReduceOp::Var: return for_moments<false>(as);
        case ReduceOp::Std: return for_moments<true>(as);
        case ReduceOp::Any: return for_truth<AnyOf>(as);
        case ReduceOp::All: return for_truth<AllOf>(as);
#if HWY_TARGET == HWY_STATIC_TARGET
        case ReduceOp::Prod: return for_all<ProdOf>(as);
        case ReduceOp::NanSum: return for_ordered<NanSumOf>(as);
        case ReduceOp::CountNonzero: return for_all<CountOf>(as);
#else
        case ReduceOp::Prod: return for_real<ProdOf>(as);
#endif
        default: return nullptr;
    }
}

}  // namespace
}  // namespace loupe::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace loupe {
namespace {
HWY_EXPORT(find_reduction);
HWY_EXPORT(find_norm);
}  // namespace
const Reduction* reduction_kernel(ReduceOp op, ScalarType as) {
    const Reduction* vectors = HWY_DYNAMIC_DISPATCH(find_reduction)(op, as);
    return vectors != nullptr ? vectors : HWY_STATIC_DISPATCH(find_reduction)(op, as);
}
const Reduction* norm_kernel(NormOrder order, ScalarType as) {
    const Reduction* vectors = HWY_DYNAMIC_DISPATCH(find_norm)(order, as);
    return vectors != nullptr ? vectors : HWY_STATIC_DISPATCH(find_norm)(order, as);
}
}  // namespace loupe
#endif
