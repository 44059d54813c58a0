// SPDX-License-Identifier: Apache-2.0
#include "core/record/compute_statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>

#include "core/base/parallel.h"
#include "core/kernels/device_loops.h"
#include "core/record/statistics_kernel.h"
#include "core/tensor/copy_elements.h"
#include "core/tensor/element_walk.h"

namespace loupe::session {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Sums of x - shift over any number of pieces.
struct Totals {
    std::int64_t count = 0;
    std::int64_t finite = 0;
    std::int64_t nan = 0;
    std::int64_t zero = 0;
    double min = kInfinity;
    double max = -kInfinity;
    double sum = 0;
    double sum_of_squares = 0;
    double abs_sum = 0;
    std::array<std::uint64_t, 64> exponents{};

    Totals() = default;
    explicit Totals(const ElementTotals& of)
        : count(of.count),
          finite(of.finite),
          nan(of.nan),
          zero(of.zero),
          min(of.min),
          max(of.max),
          sum(of.sum),
          sum_of_squares(of.sum_of_squares),
          abs_sum(of.abs_sum) {
        static_assert(ElementTotals::kLowest == Statistics::kLowest && ElementTotals::kBins == 64);
        std::copy_n(of.exponents, exponents.size(), exponents.begin());
    }

    void add(const PieceSums& piece, std::int64_t n) {
        count += n;
        finite += piece.finite;
        nan += piece.nan;
        zero += piece.zero;
        min = std::min(min, static_cast<double>(piece.min));
        max = std::max(max, static_cast<double>(piece.max));
        sum += piece.sum;
        sum_of_squares += piece.sum_of_squares;
        abs_sum += piece.abs_sum;
    }
    void add(const ExponentCounts& counts) {
        for (std::size_t i = 0; i < 64; ++i) exponents[i] += counts[i];
    }
    void add(const Totals& other) {
        count += other.count;
        finite += other.finite;
        nan += other.nan;
        zero += other.zero;
        min = std::min(min, other.min);
        max = std::max(max, other.max);
        sum += other.sum;
        sum_of_squares += other.sum_of_squares;
        abs_sum += other.abs_sum;
        for (std::size_t i = 0; i < 64; ++i) exponents[i] += other.exponents[i];
    }
};

void add_scalar(Totals& totals, double x, double shift) {
    ++totals.count;
    if (std::isnan(x)) {
        ++totals.nan;
        return;
    }
    if (std::isinf(x)) return;
    ++totals.finite;
    totals.min = std::min(totals.min, x);
    totals.max = std::max(totals.max, x);
    totals.sum += x - shift;
    totals.sum_of_squares += (x - shift) * (x - shift);
    totals.abs_sum += std::fabs(x);
    if (x == 0) {
        ++totals.zero;
        return;
    }
    const int bin = std::ilogb(x) + 1 - Statistics::kLowest;
    ++totals.exponents[static_cast<std::size_t>(std::clamp(bin, 0, 63))];
}

template <typename T>
double as_double(T value) {
    if constexpr (is_complex(scalar_type_of<T>)) {
        return std::abs(std::complex<double>(value));
    } else {
        return static_cast<double>(value);
    }
}

// Dense float32: pieces on all threads.
Totals float_totals(const float* data, std::int64_t n, double shift) {
    Totals totals;
    std::mutex mutex;
    constexpr std::int64_t kGrain = 8 * kStatisticsPiece;
    const std::int64_t pieces = (n + kStatisticsPiece - 1) / kStatisticsPiece;
    parallel_for(0, pieces, kGrain / kStatisticsPiece, [&](std::int64_t begin, std::int64_t end) {
        Totals mine;
        ExponentCounts counts{};
        for (std::int64_t piece = begin; piece < end; ++piece) {
            const std::int64_t at = piece * kStatisticsPiece;
            const std::int64_t length = std::min(kStatisticsPiece, n - at);
            mine.add(sum_piece(data + at, length, static_cast<float>(shift), counts), length);
        }
        mine.add(counts);
        const std::lock_guard lock(mutex);
        totals.add(mine);
    });
    return totals;
}

template <typename T>
Totals totals_of(const Tensor& t, double shift) {
    if constexpr (std::is_same_v<T, float>) {
        if (t.is_non_overlapping_and_dense()) return float_totals(t.data<float>(), t.numel(), shift);
    }
    Totals totals;
    if constexpr (std::is_same_v<T, float> || std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>) {
        ExponentCounts counts{};
        std::array<float, kStatisticsPiece> converted;
        walk_elements<T>(t, false, [&](const T* elements, std::int64_t n) {
            for (std::int64_t i = 0; i < n; ++i)
                converted[static_cast<std::size_t>(i)] = static_cast<float>(elements[i]);
            totals.add(sum_piece(converted.data(), n, static_cast<float>(shift), counts), n);
        });
        totals.add(counts);
    } else {
        walk_elements<T>(t, false, [&](const T* elements, std::int64_t n) {
            for (std::int64_t i = 0; i < n; ++i) add_scalar(totals, as_double(elements[i]), shift);
        });
    }
    return totals;
}

Statistics finished(const Totals& totals, double shift) {
    Statistics out;
    out.count = totals.count;
    out.nan_count = totals.nan;
    out.inf_count = totals.count - totals.finite - totals.nan;
    out.zero_count = totals.zero;
    for (std::size_t i = 0; i < 64; ++i) {
        out.exponents[i] = static_cast<std::uint32_t>(std::min<std::uint64_t>(totals.exponents[i], 0xffffffffu));
    }
    if (totals.finite == 0) return out;
    const auto n = static_cast<double>(totals.finite);
    const double mean_moved = totals.sum / n;
    FiniteStatistics& finite = out.finite.emplace();
    finite.min = totals.min;
    finite.max = totals.max;
    finite.mean = shift + mean_moved;
    finite.variance = std::max(0.0, totals.sum_of_squares / n - mean_moved * mean_moved);
    finite.abs_max = std::max(std::fabs(finite.min), std::fabs(finite.max));
    finite.abs_mean = totals.abs_sum / n;
    finite.norm = std::sqrt(std::max(0.0, n * (finite.variance + finite.mean * finite.mean)));
    return out;
}

}  // namespace

LateStatistics::LateStatistics(const Tensor& t) {
    if (!t.defined() || t.numel() == 0) return;
    if (!t.device().is_cpu() && !t.is_sparse()) {
        DeviceLoops* const loops = device_loops(t.device());
        if (loops != nullptr) late_ = loops->add_up(t);
        if (late_ != nullptr) return;
    }
    const Tensor here = look_at_elements(t);
    if (here.numel() == 0) return;  // a sparse tensor without entries
    there_ = visit_any_dtype(here.dtype(), [&]<typename T>(std::type_identity<T>) {
        // Shifting by an element keeps the variance of nearly constant tensors exact.
        double shift = as_double(*here.data<T>());
        if (!std::isfinite(shift)) shift = 0;
        return finished(totals_of<T>(here, shift), shift);
    });
}

Statistics LateStatistics::get() const {
    if (late_ == nullptr) return there_;
    const ElementTotals totals = late_->get();
    return finished(Totals(totals), totals.shift);
}

Statistics compute_statistics(const Tensor& t) { return LateStatistics(t).get(); }

}  // namespace loupe::session
