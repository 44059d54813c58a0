// SPDX-License-Identifier: Apache-2.0
#pragma once
// Reductions. Includes nothing of the engine.

#include "plugins/cuda/loops/formula.h"

namespace loupe::cuda::reduction {

template <typename T>
using Wide =
    std::conditional_t<std::is_integral_v<T>, std::int64_t, std::conditional_t<kIsComplex<T>, Complex<double>, double>>;
template <typename T>
LOUPE_HD Wide<T> widened(T x) {
    if constexpr (kIsComplex<T>)
        return {static_cast<double>(x.re), static_cast<double>(x.im)};
    else
        return static_cast<Wide<T>>(x);
}
template <typename T>
LOUPE_HD bool is_true(T x) {
    if constexpr (kIsComplex<T>)
        return x.re != 0 || x.im != 0;
    else
        return x != T(0);
}

template <typename T>
LOUPE_HD Wide<T> wide_sum(Wide<T> a, Wide<T> b) {
    if constexpr (std::is_integral_v<T>)
        return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
    else if constexpr (kIsComplex<T>)
        return {a.re + b.re, a.im + b.im};
    else
        return a + b;
}

// Of a reduction: State, begin, fold(state, element, index), merge(state, of later elements), finish(...).
template <typename T>
struct Sum {
    using Element = T;
    using State = Wide<T>;
    LOUPE_HD static State begin() { return {}; }
    LOUPE_HD static void fold(State& s, T x, std::int64_t, double) { s = wide_sum<T>(s, widened(x)); }
    LOUPE_HD static void merge(State& s, const State& later) { s = wide_sum<T>(s, later); }
    LOUPE_HD static State value(const State& s, std::int64_t, double) { return s; }
};
template <typename T>
struct Mean : Sum<T> {
    LOUPE_HD static Wide<T> value(const Wide<T>& s, std::int64_t count, double) {
        if constexpr (kIsComplex<T>)
            return {s.re / static_cast<double>(count), s.im / static_cast<double>(count)};
        else
            return s / static_cast<double>(count);
    }
};
template <typename T>
struct NanSum : Sum<T> {
    LOUPE_HD static void fold(Wide<T>& s, T x, std::int64_t, double) {
        if (x == x) s = wide_sum<T>(s, x);
    }
};
template <typename T>
struct Prod {
    using Element = T;
    using State = Wide<T>;
    LOUPE_HD static State begin() {
        if constexpr (kIsComplex<T>)
            return {1, 0};
        else
            return 1;
    }
    LOUPE_HD static State product(State a, State b) {
        if constexpr (std::is_integral_v<T>)
            return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
        else if constexpr (kIsComplex<T>)
            return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
        else
            return a * b;
    }
    LOUPE_HD static void fold(State& s, T x, std::int64_t, double) { s = product(s, widened(x)); }
    LOUPE_HD static void merge(State& s, const State& later) { s = product(s, later); }
    LOUPE_HD static State value(const State& s, std::int64_t, double) { return s; }
};
// NaN wins; of equal ones the first.
template <typename T, bool kGreatest>
struct Extremum {
    using Element = T;
    struct State {
        T value;
        std::int64_t index;  // -1: none yet
    };
    LOUPE_HD static State begin() { return {T(0), -1}; }
    LOUPE_HD static bool beats(const State& s, T x, std::int64_t index) {
        if (s.index < 0) return true;
        if (s.value != s.value) return x != x && index < s.index;
        if (x != x) return true;
        if (x == s.value) return index < s.index;
        return kGreatest ? x > s.value : x < s.value;
    }
    LOUPE_HD static void fold(State& s, T x, std::int64_t index, double) {
        if (beats(s, x, index)) s = {x, index};
    }
    LOUPE_HD static void merge(State& s, const State& later) {
        if (later.index >= 0 && beats(s, later.value, later.index)) s = later;
    }
    LOUPE_HD static T value(const State& s, std::int64_t, double) { return s.value; }
    LOUPE_HD static std::int64_t second(const State& s, std::int64_t, double) { return s.index; }
};
template <typename T, bool kAll>
struct Truth {
    using Element = T;
    using State = std::int64_t;
    LOUPE_HD static State begin() { return kAll ? 1 : 0; }
    LOUPE_HD static void fold(State& s, T x, std::int64_t, double) {
        s = kAll ? (s != 0 && is_true(x)) : (s != 0 || is_true(x));
    }
    LOUPE_HD static void merge(State& s, const State& later) { s = kAll ? s & later : s | later; }
    LOUPE_HD static State value(const State& s, std::int64_t, double) { return s; }
};
template <typename T>
struct CountNonzero {
    using Element = T;
    using State = std::int64_t;
    LOUPE_HD static State begin() { return 0; }
    LOUPE_HD static void fold(State& s, T x, std::int64_t, double) { s += is_true(x) ? 1 : 0; }
    LOUPE_HD static void merge(State& s, const State& later) { s += later; }
    LOUPE_HD static State value(const State& s, std::int64_t, double) { return s; }
};
// Of the bits, as hash_tensor folds them.
template <typename T>
struct ExclusiveOr {
    using Element = T;
    using State = std::uint64_t;
    LOUPE_HD static State begin() { return 0; }
    LOUPE_HD static void fold(State& s, T x, std::int64_t, double) { s ^= bits_as<std::uint64_t>(x); }
    LOUPE_HD static void merge(State& s, const State& later) { s ^= later; }
    LOUPE_HD static std::int64_t value(const State& s, std::int64_t, double) { return static_cast<std::int64_t>(s); }
};
// Welford's; parts are joined as Chan, Golub and LeVeque do.
template <typename T, bool kRoot>
struct Moments {
    using Element = T;
    struct State {
        double count, mean, squares;
    };
    LOUPE_HD static State begin() { return {0, 0, 0}; }
    LOUPE_HD static void fold(State& s, T x, std::int64_t, double) {
        s.count += 1;
        const double difference = static_cast<double>(x) - s.mean;
        s.mean += difference / s.count;
        s.squares += difference * (static_cast<double>(x) - s.mean);
    }
    LOUPE_HD static void merge(State& s, const State& later) {
        if (later.count == 0) return;
        const double count = s.count + later.count;
        const double difference = later.mean - s.mean;
        s.squares += later.squares + difference * difference * (s.count * later.count / count);
        s.mean += difference * (later.count / count);
        s.count = count;
    }
    LOUPE_HD static double value(const State& s, std::int64_t count, double correction) {
        const double divisor = static_cast<double>(count) - correction;
        const double variance = s.squares / (divisor > 0 ? divisor : 0.0);
        return kRoot ? std::sqrt(variance) : variance;
    }
    LOUPE_HD static double second(const State& s, std::int64_t count, double) {
        return count == 0 ? std::numeric_limits<double>::quiet_NaN() : s.mean;
    }
};

template <typename R, typename = void>
inline constexpr bool kHasSecond = false;
template <typename R>
inline constexpr bool kHasSecond<R, std::void_t<decltype(&R::second)>> = true;

template <typename T>
using Greatest = Extremum<T, true>;
template <typename T>
using Least = Extremum<T, false>;
template <typename T>
using All = Truth<T, true>;
template <typename T>
using Any = Truth<T, false>;
template <typename T>
using Variance = Moments<T, false>;
template <typename T>
using Deviation = Moments<T, true>;

}  // namespace loupe::cuda::reduction
