// SPDX-License-Identifier: Apache-2.0
// Variance, standard deviation and the mean beside them.
#include "core/kernels/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/ops/reduction/moments_kernels.cpp"
#include "hwy/foreach_target.h"
// clang-format off
#include "core/ops/reduction/reduction_inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace loupe::HWY_NAMESPACE {
namespace {

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
        return {count, a.mean + delta * (b.count / count),
                a.squares + b.squares + delta * delta * (a.count * b.count / count)};
    }
    static void begin(void* states, std::int64_t n) { std::fill_n(static_cast<State*>(states), n, State{0, 0, 0}); }
    // Of float64 in two passes over a piece that stays in cache. Of float32 in one, from the first element on: in
    // float64 the squares are exact, and cancellation after the shift is bounded by the piece's length.
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
            fold_columns(static_cast<State*>(states) + at, {rows.row<T>(0) + at, rows.stride, rows.count},
                         std::min(kColumns, n - at));
        }
    }
    // In groups of rows that stay in cache; they are joined beside the states, as arrays.
    static void fold_columns(State* s, const Rows& rows, std::int64_t n) {
        constexpr std::int64_t kRows = 32;
        double mean[kColumns] = {}, squares[kColumns] = {};
        for (std::int64_t r = 0; r < rows.count; r += kRows) {
            const Rows part{rows.row<T>(r), rows.stride, std::min(kRows, rows.count - r)};
            double part_mean[kColumns] = {}, part_squares[kColumns] = {};
            if constexpr (std::is_same_v<T, float>)
                shifted_columns(part, n, part_mean, part_squares);
            else
                two_pass_columns(part, n, part_mean, part_squares);
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
        for (; r + static_cast<std::int64_t>(kRowsAtOnce) <= rows.count; r += kRowsAtOnce)
            add_shifted<kRowsAtOnce>(first, rows, r, n, mean, squares);
        for (; r < rows.count; ++r) add_shifted<1>(first, rows, r, n, mean, squares);
        const double share = 1 / static_cast<double>(rows.count);
        for (std::int64_t i = 0; i < n; ++i) {
            squares[i] -= mean[i] * mean[i] * share;
            mean[i] = static_cast<double>(first[i]) + mean[i] * share;
        }
    }
    // Prefetches the next rows: the processor does not predict short pieces of rows.
    template <std::size_t kCount>
    static HWY_INLINE void add_shifted(const T* first, const Rows& rows, std::int64_t r, std::int64_t n,
                                       double* __restrict sums, double* __restrict squares) {
        std::array<const T*, kCount> x;
        for (std::size_t k = 0; k < kCount; ++k) x[k] = rows.row<T>(r + static_cast<std::int64_t>(k));
        const std::int64_t ahead =
            static_cast<std::int64_t>(kCount) * rows.stride / static_cast<std::int64_t>(sizeof(T));
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
    static void finish(const void* states, std::int64_t n, std::int64_t count, const void* params,
                       void* const* outputs) {
        const double divisor = std::max(0.0, static_cast<double>(count) - parameter(params));
        for (std::int64_t i = 0; i < n; ++i) {
            const State& s = static_cast<const State*>(states)[i];
            const double variance = s.squares / divisor;
            static_cast<T*>(outputs[0])[i] = static_cast<T>(kRoot ? std::sqrt(variance) : variance);
            static_cast<T*>(outputs[1])[i] =
                static_cast<T>(count == 0 ? std::numeric_limits<double>::quiet_NaN() : s.mean);
        }
    }
    static const Reduction* get() {
        static const Reduction reduction{scalar_type_of<T>,
                                         2,
                                         {scalar_type_of<T>, scalar_type_of<T>},
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

template <bool kRoot>
const Reduction* for_moments(ScalarType as) {
    if (as == ScalarType::Float32) return Moments<float, kRoot>::get();
    return as == ScalarType::Float64 ? Moments<double, kRoot>::get() : nullptr;
}

const Reduction* find_moments(ReduceOp op, ScalarType as) {
    if (op == ReduceOp::Var) return for_moments<false>(as);
    return op == ReduceOp::Std ? for_moments<true>(as) : nullptr;
}

}  // namespace
}  // namespace loupe::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace loupe {
namespace {
HWY_EXPORT(find_moments);
}  // namespace
const Reduction* moments_kernel(ReduceOp op, ScalarType as) {
    const Reduction* vectors = HWY_DYNAMIC_DISPATCH(find_moments)(op, as);
    return vectors != nullptr ? vectors : HWY_STATIC_DISPATCH(find_moments)(op, as);
}
}  // namespace loupe
#endif
