// SPDX-License-Identifier: Apache-2.0
#include "core/study/difference.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstring>
#include <limits>
#include <mutex>
#include <type_traits>
#include <vector>

#include "core/base/parallel.h"
#include "core/base/strings.h"
#include "core/study/difference_kernel.h"
#include "core/tensor/copy_elements.h"
#include "core/tensor/element_walk.h"
#include "core/tensor/half.h"

namespace loupe::session {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Tolerance tolerance_of(ScalarType dtype) {
    switch (dtype) {
        case ScalarType::Float16:
        case ScalarType::Complex32:
            return {1e-3, 1e-5};
        case ScalarType::BFloat16:
            return {1.6e-2, 1e-5};
        case ScalarType::Float32:
        case ScalarType::Complex64:
            return {1.3e-6, 1e-5};
        case ScalarType::Float64:
        case ScalarType::Complex128:
            return {1e-7, 1e-7};
        default:
            return {};
    }
}

struct Sums {
    Difference out;
    double squares = 0;  // of the finite pairs' difference
    double x_squares = 0;
    double y_squares = 0;

    void note_worst(double abs, std::int64_t at, double x, double y) {
        if (out.worst >= 0 && !(abs > out.max_abs)) return;
        out.max_abs = abs;
        out.worst = at;
        out.worst_actual = x;
        out.worst_expected = y;
    }
    void add(const Sums& other) {
        const Difference& o = other.out;
        out.beyond += o.beyond;
        out.not_finite += o.not_finite;
        if (o.worst >= 0) {
            const bool is_first =
                out.worst < 0 || o.max_abs > out.max_abs || (o.max_abs == out.max_abs && o.worst < out.worst);
            if (is_first) {
                out.max_abs = o.max_abs;
                out.worst = o.worst;
                out.worst_actual = o.worst_actual;
                out.worst_expected = o.worst_expected;
            }
        }
        out.max_rel = std::max(out.max_rel, o.max_rel);
        out.max_ulp = std::max(out.max_ulp, o.max_ulp);
        squares += other.squares;
        x_squares += other.x_squares;
        y_squares += other.y_squares;
    }
    Difference finish(std::int64_t count) {
        out.count = count;
        if (out.not_finite > 0) out.max_abs = kInfinity;
        out.snr_db = squares > 0 ? 10 * std::log10(y_squares / squares) : kInfinity;
        const double x = std::sqrt(x_squares);
        const double y = std::sqrt(y_squares);
        // Of the difference of squares, so that what float sums round does not show near 1.
        if (x > 0 && y > 0)
            out.cosine = std::clamp(1 - (squares - (x - y) * (x - y)) / (2 * x * y), -1.0, 1.0);
        else
            out.cosine = x == y ? 1 : 0;
        return out;
    }
};

// Positions of a dtype's numbers in their order; neighbours differ by 1. Of bits with the sign first.
template <typename Bits>
double place_of(Bits bits) {
    constexpr int kShift = 8 * static_cast<int>(sizeof(Bits)) - 1;
    const Bits magnitude = static_cast<Bits>(bits & static_cast<Bits>(~(Bits{1} << kShift)));
    return (bits >> kShift) != 0 ? -static_cast<double>(magnitude) : static_cast<double>(magnitude);
}

using UlpOf = double (*)(double, double);

// Of the coarser of two floating dtypes; null for others.
UlpOf ulp_of(ScalarType a, ScalarType b) {
    const auto is = [&](ScalarType dtype) { return a == dtype || b == dtype; };
    if (!is_floating(a) || !is_floating(b)) return nullptr;
    if (is(ScalarType::BFloat16))
        return [](double x, double y) {
            return std::fabs(place_of(BFloat16(static_cast<float>(x)).bits) -
                             place_of(BFloat16(static_cast<float>(y)).bits));
        };
    if (is(ScalarType::Float16))
        return [](double x, double y) {
            return std::fabs(place_of(Half(static_cast<float>(x)).bits) - place_of(Half(static_cast<float>(y)).bits));
        };
    if (is(ScalarType::Float32))
        return [](double x, double y) {
            return std::fabs(place_of(std::bit_cast<std::uint32_t>(static_cast<float>(x))) -
                             place_of(std::bit_cast<std::uint32_t>(static_cast<float>(y))));
        };
    if (a == ScalarType::Float64 && b == ScalarType::Float64)
        return [](double x, double y) {
            return std::fabs(place_of(std::bit_cast<std::uint64_t>(x)) - place_of(std::bit_cast<std::uint64_t>(y)));
        };
    return nullptr;
}

template <typename T>
bool is_nan(const T& value) {
    if constexpr (std::is_same_v<T, std::complex<double>>)
        return std::isnan(value.real()) || std::isnan(value.imag());
    else
        return std::isnan(value);
}
template <typename T>
bool is_finite(const T& value) {
    if constexpr (std::is_same_v<T, std::complex<double>>)
        return std::isfinite(value.real()) && std::isfinite(value.imag());
    else
        return std::isfinite(value);
}
template <typename T>
double shown(const T& value) {
    if constexpr (std::is_same_v<T, std::complex<double>>)
        return std::abs(value);
    else
        return static_cast<double>(value);
}

template <typename T>
void add_pair(Sums& sums, T x, T y, std::int64_t at, const Tolerance& tolerance, UlpOf ulp) {
    if (!is_finite(x) || !is_finite(y)) {
        if ((is_nan(x) && is_nan(y)) || x == y) return;
        ++sums.out.beyond;
        ++sums.out.not_finite;
        sums.note_worst(kInfinity, at, shown(x), shown(y));
        sums.out.max_rel = kInfinity;
        return;
    }
    const double abs = static_cast<double>(std::abs(x - y));
    const double magnitude = static_cast<double>(std::abs(y));
    const double x_magnitude = static_cast<double>(std::abs(x));
    sums.x_squares += x_magnitude * x_magnitude;
    sums.y_squares += magnitude * magnitude;
    if (abs == 0) return;
    sums.squares += abs * abs;
    sums.out.max_rel = std::max(sums.out.max_rel, magnitude > 0 ? abs / magnitude : abs);
    if (abs > tolerance.atol + tolerance.rtol * magnitude) ++sums.out.beyond;
    if constexpr (!std::is_same_v<T, std::complex<double>>) {
        if (ulp != nullptr) sums.out.max_ulp = std::max(sums.out.max_ulp, ulp(shown(x), shown(y)));
    }
    sums.note_worst(abs, at, shown(x), shown(y));
}

template <typename T>
Sums sum_pairs(const T* x, const T* y, std::int64_t n, const Tolerance& tolerance, UlpOf ulp) {
    Sums sums;
    // The difference of two floats may be none.
    using Wide = std::conditional_t<std::is_same_v<T, float>, double, T>;
    for (std::int64_t i = 0; i < n; ++i) add_pair(sums, Wide(x[i]), Wide(y[i]), i, tolerance, ulp);
    return sums;
}

// Row-major float32: pieces on all threads.
Sums sum_floats(const float* x, const float* y, std::int64_t n, const Tolerance& tolerance, UlpOf ulp) {
    Sums all;
    std::mutex mutex;
    const std::int64_t pieces = (n + kDifferencePiece - 1) / kDifferencePiece;
    parallel_for(0, pieces, 8, [&](std::int64_t begin, std::int64_t end) {
        Sums mine;
        for (std::int64_t piece = begin; piece < end; ++piece) {
            const std::int64_t at = piece * kDifferencePiece;
            const std::int64_t length = std::min(kDifferencePiece, n - at);
            const PieceDifference found = difference_of_piece(
                x + at, y + at, length, static_cast<float>(tolerance.rtol), static_cast<float>(tolerance.atol));
            const double max_ulp = found.max_ulp;
            // Products that overflow a float are summed as doubles.
            const bool overflows = !(found.x_squares < 1e38) || !(found.y_squares < 1e38) || !(found.squares < 1e38);
            if (!found.is_finite || overflows) {
                Sums slow = sum_pairs(x + at, y + at, length, tolerance, ulp);
                if (slow.out.worst >= 0) slow.out.worst += at;
                mine.add(slow);
                continue;
            }
            mine.out.beyond += found.beyond;
            mine.out.max_rel = std::max(mine.out.max_rel, static_cast<double>(found.max_rel));
            mine.out.max_ulp = std::max(mine.out.max_ulp, max_ulp);
            mine.squares += found.squares;
            mine.x_squares += found.x_squares;
            mine.y_squares += found.y_squares;
            const auto most = static_cast<double>(found.max_abs);
            if (found.max_abs > 0 && (mine.out.worst < 0 || most > mine.out.max_abs)) {
                std::int64_t worst = 0;
                while (std::fabs(x[at + worst] - y[at + worst]) < found.max_abs) ++worst;
                mine.note_worst(std::fabs(static_cast<double>(x[at + worst]) - static_cast<double>(y[at + worst])),
                                at + worst, static_cast<double>(x[at + worst]), static_cast<double>(y[at + worst]));
            }
        }
        const std::lock_guard lock(mutex);
        all.add(mine);
    });
    return all;
}

template <typename To>
std::vector<To> converted(const Tensor& t) {
    std::vector<To> out;
    out.reserve(static_cast<std::size_t>(t.numel()));
    visit_any_dtype(t.dtype(), [&]<typename T>(std::type_identity<T>) {
        walk_elements<T>(t, true, [&](const T* elements, std::int64_t n) {
            for (std::int64_t i = 0; i < n; ++i) {
                if constexpr (is_complex(scalar_type_of<T>)) {
                    if constexpr (std::is_same_v<To, std::complex<double>>)
                        out.push_back(To(elements[i]));
                    else
                        out.push_back(static_cast<To>(std::abs(std::complex<double>(elements[i]))));
                } else {
                    out.push_back(
                        To(static_cast<std::conditional_t<std::is_same_v<To, float>, float, double>>(elements[i])));
                }
            }
        });
    });
    return out;
}

template <typename T>
Sums sum_converted(const Tensor& actual, const Tensor& expected, const Tolerance& tolerance, UlpOf ulp) {
    const std::vector<T> x = converted<T>(actual);
    const std::vector<T> y = converted<T>(expected);
    return sum_pairs(x.data(), y.data(), static_cast<std::int64_t>(x.size()), tolerance, ulp);
}

bool is_row_of_floats(const Tensor& t) { return t.dtype() == ScalarType::Float32 && t.is_contiguous(); }

// In pieces on all threads, until one differs.
bool are_same_bytes(const Tensor& a, const Tensor& b) {
    if (a.dtype() != b.dtype()) return false;
    if (a.raw_data() == b.raw_data() && std::ranges::equal(a.strides(), b.strides())) return true;
    if (!a.is_contiguous() || !b.is_contiguous()) return false;
    constexpr std::int64_t kPiece = 1 << 18;
    const auto* x = static_cast<const std::byte*>(a.raw_data());
    const auto* y = static_cast<const std::byte*>(b.raw_data());
    const auto bytes = static_cast<std::int64_t>(a.bytes());
    std::atomic<bool> differs{false};
    parallel_for(0, (bytes + kPiece - 1) / kPiece, 8, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t piece = begin; piece < end && !differs.load(std::memory_order_relaxed); ++piece) {
            const std::int64_t at = piece * kPiece;
            const auto length = static_cast<std::size_t>(std::min(kPiece, bytes - at));
            if (std::memcmp(x + at, y + at, length) != 0) differs.store(true, std::memory_order_relaxed);
        }
    });
    return !differs.load();
}

std::string short_number(double value) {
    char out[32];
    std::snprintf(out, sizeof out, "%.1e", value);
    return out;
}

}  // namespace

Tolerance tolerance_of(ScalarType a, ScalarType b) {
    const Tolerance one = tolerance_of(a);
    const Tolerance other = tolerance_of(b);
    return {std::max(one.rtol, other.rtol), std::max(one.atol, other.atol)};
}

Difference measure_difference(const Tensor& actual, const Tensor& expected, const Tolerance& tolerance) {
    const Tensor x = look_at_elements(actual);
    const Tensor y = look_at_elements(expected);
    const UlpOf ulp = ulp_of(x.dtype(), y.dtype());
    Sums sums;
    if (ulp != nullptr) sums.out.max_ulp = 0;
    if (x.numel() == 0 || are_same_bytes(x, y)) return sums.finish(x.numel());
    if (is_complex(x.dtype()) || is_complex(y.dtype())) {
        sums.add(sum_converted<std::complex<double>>(x, y, tolerance, nullptr));
    } else if (x.dtype() == ScalarType::Float32 && y.dtype() == ScalarType::Float32) {
        const Tensor a = is_row_of_floats(x) ? x : copy_elements(x);
        const Tensor b = is_row_of_floats(y) ? y : copy_elements(y);
        sums.add(sum_floats(a.data<float>(), b.data<float>(), a.numel(), tolerance, ulp));
    } else {
        sums.add(sum_converted<double>(x, y, tolerance, ulp));
    }
    return sums.finish(x.numel());
}

Said difference_text(const Difference& difference) {
    if (difference.is_same()) return engine::said("equal");
    if (difference.not_finite > 0)
        return engine::said("NaN or Inf differs in %1 of %2 elements", difference.not_finite, difference.count);
    char decibels[32];
    std::snprintf(decibels, sizeof decibels, "%.1f dB", difference.snr_db);
    return engine::said("max abs %1, relative %2, %3", short_number(difference.max_abs),
                        short_number(difference.max_rel), std::string(decibels));
}

}  // namespace loupe::session
