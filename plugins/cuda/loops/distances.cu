// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda/loops/distances.h"

#include "plugins/cuda/loops/launch.h"

namespace loupe::cuda {
namespace {

enum class Norm : std::int8_t { Zero, One, Two, Infinity, Other };
Norm norm_of(double p) {
    if (p == 0) return Norm::Zero;
    if (p == 1) return Norm::One;
    if (p == 2) return Norm::Two;
    return p > std::numeric_limits<double>::max() ? Norm::Infinity : Norm::Other;
}

template <typename T>
LOUPE_HD T distance(Norm norm, double p, const T* a, const T* b, std::int64_t width) {
    T sum = 0;
    for (std::int64_t k = 0; k < width; ++k) {
        const T d = std::abs(a[k] - b[k]);
        switch (norm) {
            case Norm::Zero:
                sum += d != T(0) ? T(1) : T(0);
                break;
            case Norm::One:
                sum += d;
                break;
            case Norm::Two:
                sum += d * d;
                break;
            case Norm::Infinity:
                sum = d > sum || d != d ? d : sum;
                break;
            case Norm::Other:
                sum += std::pow(d, static_cast<T>(p));
                break;
        }
    }
    if (norm == Norm::Two) sum = std::sqrt(sum);
    if (norm == Norm::Other) sum = std::pow(sum, T(1) / static_cast<T>(p));
    return sum;
}
// The derivative by an element that differs by d, where the whole distance is `whole`.
template <typename T>
LOUPE_HD T slope(Norm norm, double p, T d, T g, T whole) {
    const T sign = d > T(0) ? T(1) : d < T(0) ? T(-1) : T(0);
    const T power = static_cast<T>(p);
    if (norm == Norm::Zero) return T(0);
    if (norm == Norm::One) return g * sign;
    if (norm == Norm::Infinity) return std::abs(d) == whole ? g * sign : T(0);
    if (whole == T(0)) return T(0);
    if (norm == Norm::Two) return g * d / whole;
    if (p < 2) {
        if (d == T(0) && p < 1) return T(0);
        return sign * std::pow(std::abs(d), power - 1) * g / std::pow(whole, power - 1);
    }
    return d * std::pow(std::abs(d), power - 2) * g / std::pow(whole, power - 1);
}

template <typename T>
struct DistanceBody {
    PairShape s;
    Norm norm;
    const T* x;
    const T* y;
    T* out;
    LOUPE_HD void operator()(std::int64_t i) const {
        const std::int64_t row = quotient(i, s.columns), column = i - row * s.columns;
        const T* const other = y + (quotient(row, s.rows) * s.columns + column) * s.width;
        out[i] = distance(norm, s.p, x + row * s.width, other, s.width);
    }
};

template <typename T>
struct DistanceSlopeBody {
    PairShape s;
    Norm norm;
    const T* grad;
    const T* x;
    const T* y;
    const T* distances;
    T* out;
    LOUPE_HD void operator()(std::int64_t i) const {
        const std::int64_t row = quotient(i, s.width), k = i - row * s.width;
        const T* const other = y + quotient(row, s.rows) * s.columns * s.width + k;
        T sum = 0;
        for (std::int64_t j = 0; j < s.columns; ++j) {
            const std::int64_t pair = row * s.columns + j;
            sum += slope(norm, s.p, x[i] - other[j * s.width], grad[pair], distances[pair]);
        }
        out[i] = sum;
    }
};

// The first pair of row i among the pairs i < j of n rows.
LOUPE_HD inline std::int64_t pairs_before(std::int64_t i, std::int64_t n) { return i * (2 * n - i - 1) / 2; }

template <typename T>
struct OwnDistanceBody {
    PairShape s;
    Norm norm;
    const T* x;
    T* out;
    LOUPE_HD void operator()(std::int64_t pair) const {
        // The root is near enough that a step or two finds the row.
        const double n = static_cast<double>(s.rows) - 0.5;
        const double room = n * n - 2 * static_cast<double>(pair);
        auto i = static_cast<std::int64_t>(n - std::sqrt(room > 0 ? room : 0));
        while (i > 0 && pairs_before(i, s.rows) > pair) --i;
        while (pairs_before(i + 1, s.rows) <= pair) ++i;
        const std::int64_t j = pair - pairs_before(i, s.rows) + i + 1;
        out[pair] = distance(norm, s.p, x + i * s.width, x + j * s.width, s.width);
    }
};
template <typename T>
struct OwnSlopeBody {
    PairShape s;
    Norm norm;
    const T* grad;
    const T* x;
    const T* distances;
    T* out;
    LOUPE_HD void operator()(std::int64_t at) const {
        const std::int64_t i = quotient(at, s.width), k = at - i * s.width;
        T sum = 0;
        for (std::int64_t j = 0; j < s.rows; ++j) {
            if (j == i) continue;
            const std::int64_t low = i < j ? i : j, pair = pairs_before(low, s.rows) + (i < j ? j : i) - low - 1;
            sum += slope(norm, s.p, x[at] - x[j * s.width + k], grad[pair], distances[pair]);
        }
        out[at] = sum;
    }
};

template <template <typename> class Body, typename T, typename... Arrays>
void run_pairs(const Queue& queue, const PairShape& s, std::int64_t count, T* out, Arrays... arrays) {
    launch(queue, count, Body<T>{s, norm_of(s.p), static_cast<const T*>(arrays)..., out});
}

}  // namespace

void run_distances(const Queue& queue, const PairShape& s, const void* x, const void* y, void* out) {
    const std::int64_t count = s.batch * s.rows * s.columns;
    if (s.element == Element::Float64)
        run_pairs<DistanceBody>(queue, s, count, static_cast<double*>(out), x, y);
    else
        run_pairs<DistanceBody>(queue, s, count, static_cast<float*>(out), x, y);
}
void run_distance_slopes(const Queue& queue, const PairShape& s, const void* grad, const void* x, const void* y,
                         const void* distances, void* out) {
    const std::int64_t count = s.batch * s.rows * s.width;
    if (s.element == Element::Float64)
        run_pairs<DistanceSlopeBody>(queue, s, count, static_cast<double*>(out), grad, x, y, distances);
    else
        run_pairs<DistanceSlopeBody>(queue, s, count, static_cast<float*>(out), grad, x, y, distances);
}

void run_own_distances(const Queue& queue, const PairShape& s, const void* x, void* out) {
    const std::int64_t count = s.rows * (s.rows - 1) / 2;
    if (s.element == Element::Float64)
        run_pairs<OwnDistanceBody>(queue, s, count, static_cast<double*>(out), x);
    else
        run_pairs<OwnDistanceBody>(queue, s, count, static_cast<float*>(out), x);
}
void run_own_distance_slopes(const Queue& queue, const PairShape& s, const void* grad, const void* x,
                             const void* distances, void* out) {
    const std::int64_t count = s.rows * s.width;
    if (s.element == Element::Float64)
        run_pairs<OwnSlopeBody>(queue, s, count, static_cast<double*>(out), grad, x, distances);
    else
        run_pairs<OwnSlopeBody>(queue, s, count, static_cast<float*>(out), grad, x, distances);
}

}  // namespace loupe::cuda
