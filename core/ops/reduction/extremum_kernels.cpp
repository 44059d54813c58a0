// SPDX-License-Identifier: Apache-2.0
// Largest and smallest, and where they are.
#include "core/kernels/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/ops/reduction/extremum_kernels.cpp"
#include "hwy/foreach_target.h"
// clang-format off
#include "core/ops/reduction/reduction_inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace loupe::HWY_NAMESPACE {
namespace {

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
    static void begin(void* states, std::int64_t n) {
        std::fill_n(static_cast<State*>(states), n, State{Op::identity(), -1});
    }
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
            if (is_nan(value))
                return place_where(
                    x, n, [](auto v) HWY_ATTR { return hn::IsNaN(v); }, [](T v) { return is_nan(v); });
        }
        return place_where(
            x, n, [&](auto v) HWY_ATTR { return hn::Eq(v, wanted); }, [value](T v) { return v == value; });
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
    static HWY_INLINE void compare_rows(const Rows& rows, std::int64_t r, std::int64_t at, std::int64_t n, T* best,
                                        Place* place) {
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
                from = hn::IfThenElse(hn::RebindMask(dp, wins),
                                      hn::Set(dp, static_cast<Place>(r) + static_cast<Place>(k)), from);
            }
            hn::Store(top, d, best + i);
            hn::Store(from, dp, place + i);
        }
    }
    // Is it larger, or NaN, than what is not NaN?
    template <class V>
    static HWY_INLINE auto beats(V value, V top) {
        const auto larger = kMax ? hn::Gt(value, top) : hn::Lt(value, top);
        if constexpr (std::is_floating_point_v<T>)
            return hn::AndNot(hn::IsNaN(top), hn::Or(larger, hn::IsNaN(value)));
        else
            return larger;
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
        static const Reduction reduction{scalar_type_of<T>,
                                         2,
                                         {scalar_type_of<T>, ScalarType::Int64},
                                         sizeof(State),
                                         &begin,
                                         &fold,
                                         &fold_rows,
                                         &merge,
                                         &finish,
                                         true};
        return &reduction;
    }
};

template <bool kMax>
const Reduction* for_arg(ScalarType as) {
    if (as == ScalarType::Int64) return Arg<std::int64_t, kMax>::get();
    if (as == ScalarType::Float32) return Arg<float, kMax>::get();
    return as == ScalarType::Float64 ? Arg<double, kMax>::get() : nullptr;
}

const Reduction* find_extremum(ReduceOp op, ScalarType as) {
    switch (op) {
        case ReduceOp::Max:
            return for_ordered<MaxOf>(as);
        case ReduceOp::Min:
            return for_ordered<MinOf>(as);
        case ReduceOp::ArgMax:
            return for_arg<true>(as);
        case ReduceOp::ArgMin:
            return for_arg<false>(as);
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
HWY_EXPORT(find_extremum);
}  // namespace
const Reduction* extremum_kernel(ReduceOp op, ScalarType as) {
    const Reduction* vectors = HWY_DYNAMIC_DISPATCH(find_extremum)(op, as);
    return vectors != nullptr ? vectors : HWY_STATIC_DISPATCH(find_extremum)(op, as);
}
}  // namespace loupe
#endif
