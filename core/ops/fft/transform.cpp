// SPDX-License-Identifier: Apache-2.0
// Many short lines go side by side through vector lanes. Else Eigen's FFT (kissfft) for lengths of small factors;
// Bluestein's algorithm where a large prime divides the length; one long line is laid out as a matrix (Bailey 1990,
// "FFTs in external or hierarchical memory"), so that threads share it.

#include "core/ops/fft/transform.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>
#include <numbers>
#include <set>
#include <unordered_map>
#include <unsupported/Eigen/FFT>
#include <vector>

#include "core/base/parallel.h"
#include "core/ops/fft/lanes.h"

namespace loupe::fft {
namespace {

template <typename T>
using Array = std::vector<std::complex<T>>;

constexpr std::int64_t kLargestPrime = 64;  // above, kissfft's O(p^2) step costs more than Bluestein
constexpr std::int64_t kLongLine = 1 << 15;
constexpr std::int64_t kBlock = 16;           // neighbouring lines that are gathered together
constexpr std::int64_t kWorkGrain = 1 << 14;  // elements that a thread should at least have
constexpr std::size_t kKeptPlans = 64;

std::int64_t largest_prime_factor(std::int64_t n) {
    std::int64_t largest = 1;
    for (std::int64_t p = 2; p * p <= n; ++p) {
        while (n % p == 0) {
            largest = p;
            n /= p;
        }
    }
    return std::max(n, largest);
}

// exp(-2 pi i k / n)
template <typename T>
std::complex<T> root_of_unity(std::int64_t k, std::int64_t n) {
    const double angle = -2 * std::numbers::pi * static_cast<double>(k % n) / static_cast<double>(n);
    return {static_cast<T>(std::cos(angle)), static_cast<T>(std::sin(angle))};
}

// All n-th roots of unity from two short tables.
class Roots {
  public:
    explicit Roots(std::int64_t n) {
        while ((std::int64_t{1} << (2 * shift_)) < n) ++shift_;
        const std::int64_t step = std::int64_t{1} << shift_;
        for (std::int64_t i = 0; i < step; ++i) fine_.push_back(root_of_unity<double>(i, n));
        for (std::int64_t i = 0; i * step < n; ++i) coarse_.push_back(root_of_unity<double>(i * step, n));
    }
    // exp(-2 pi i k / n), 0 <= k < n
    template <typename T>
    std::complex<T> at(std::int64_t k) const {
        const std::complex<double> a = coarse_[static_cast<std::size_t>(k >> shift_)];
        const std::complex<double> b = fine_[static_cast<std::size_t>(k & ((std::int64_t{1} << shift_) - 1))];
        return {static_cast<T>(a.real() * b.real() - a.imag() * b.imag()),
                static_cast<T>(a.real() * b.imag() + a.imag() * b.real())};
    }

  private:
    int shift_ = 0;
    Array<double> fine_, coarse_;
};

// This thread's plans. Eigen's object keeps one per length; it is cleared when it has too many.
template <typename T>
Eigen::FFT<T>& plans_for(std::int64_t n) {
    using Plans = Eigen::FFT<T>;
    thread_local std::set<std::int64_t> lengths;
    const auto fresh = [] {
        return std::make_unique<Plans>(typename Plans::impl_type(),
                                       static_cast<typename Plans::Flag>(Plans::Unscaled | Plans::HalfSpectrum));
    };
    thread_local std::unique_ptr<Plans> plans = fresh();
    if (lengths.insert(n).second && lengths.size() > kKeptPlans) {
        plans = fresh();
        lengths = {n};
    }
    return *plans;
}

// Bluestein (1970): a transform of any length as a convolution with a chirp, done with transforms of a power of 2.
template <typename T>
class Chirp {
  public:
    explicit Chirp(std::int64_t n) : n_(static_cast<std::size_t>(n)), chirp_(n_) {
        while (padded_ < 2 * n - 1) padded_ *= 2;
        Array<T> kernel(static_cast<std::size_t>(padded_));
        for (std::int64_t k = 0; k < n; ++k) {
            const std::int64_t squared = k * k % (2 * n);
            const std::complex<T> w = root_of_unity<T>(squared, 2 * n);
            chirp_[static_cast<std::size_t>(k)] = w;
            kernel[static_cast<std::size_t>(k)] = std::conj(w) / static_cast<T>(padded_);
            if (k > 0) kernel[static_cast<std::size_t>(padded_ - k)] = kernel[static_cast<std::size_t>(k)];
        }
        spectrum_.resize(kernel.size());
        complex_to_complex(kernel.data(), kernel.data(), Lines{}, padded_, true, T(1));
        spectrum_ = std::move(kernel);
    }

    void forward(std::complex<T>* to, const std::complex<T>* from) const {
        Array<T> work(spectrum_.size());
        for (std::size_t k = 0; k < n_; ++k) work[k] = from[k] * chirp_[k];
        complex_to_complex(work.data(), work.data(), Lines{}, padded_, true, T(1));
        for (std::size_t k = 0; k < work.size(); ++k) work[k] *= spectrum_[k];
        complex_to_complex(work.data(), work.data(), Lines{}, padded_, false, T(1));
        for (std::size_t k = 0; k < n_; ++k) to[k] = work[k] * chirp_[k];
    }

  private:
    std::size_t n_;
    std::int64_t padded_ = 1;
    Array<T> chirp_, spectrum_;
};

template <typename T>
std::shared_ptr<const Chirp<T>> chirp_for(std::int64_t n) {
    static std::mutex mutex;
    static std::unordered_map<std::int64_t, std::shared_ptr<const Chirp<T>>> kept;
    {
        const std::scoped_lock lock(mutex);
        if (const auto found = kept.find(n); found != kept.end()) return found->second;
    }
    auto made = std::make_shared<const Chirp<T>>(n);
    const std::scoped_lock lock(mutex);
    if (kept.size() >= 16) kept.clear();
    kept.emplace(n, made);
    return made;
}

// Transforms of one line of length n, without a scale.
template <typename T>
class Line {
  public:
    explicit Line(std::int64_t n) : n_(n), smooth_(largest_prime_factor(n) <= kLargestPrime && n <= (1 << 30)) {
        if (!smooth_) chirp_ = chirp_for<T>(n);
    }
    std::int64_t length() const { return n_; }
    std::int64_t terms() const { return n_ / 2 + 1; }
    bool is_smooth() const { return smooth_; }

    void complex(std::complex<T>* to, const std::complex<T>* from, bool forward) const {
        if (n_ == 1) {
            *to = *from;
        } else if (smooth_) {
            if (forward)
                plans_for<T>(n_).fwd(to, from, static_cast<Eigen::Index>(n_));
            else
                plans_for<T>(n_).inv(to, from, static_cast<Eigen::Index>(n_));
        } else if (forward) {
            chirp_->forward(to, from);
        } else {
            Array<T> work(from, from + n_);
            for (auto& x : work) x = std::conj(x);
            chirp_->forward(to, work.data());
            for (std::int64_t k = 0; k < n_; ++k) to[k] = std::conj(to[k]);
        }
    }
    void from_real(std::complex<T>* to, const T* from) const {
        if (n_ % 2 == 0 && smooth_) {
            plans_for<T>(n_).fwd(to, from, static_cast<Eigen::Index>(n_));
            return;
        }
        Array<T> line(from, from + n_);
        Array<T> result(line.size());
        complex(result.data(), line.data(), true);
        std::copy_n(result.data(), terms(), to);
    }
    void to_real(T* to, const std::complex<T>* from) const {
        if (n_ % 4 == 0 && smooth_) {
            Array<T> line(from, from + terms());
            line.front() = line.front().real();
            line.back() = line.back().real();
            plans_for<T>(n_).inv(to, line.data(), static_cast<Eigen::Index>(n_));
            return;
        }
        Array<T> line(static_cast<std::size_t>(n_));
        std::copy_n(from, terms(), line.data());
        line[0] = line[0].real();
        if (n_ % 2 == 0) line[static_cast<std::size_t>(n_ / 2)] = from[n_ / 2].real();
        for (std::int64_t k = 1; k < (n_ + 1) / 2; ++k) line[static_cast<std::size_t>(n_ - k)] = std::conj(from[k]);
        Array<T> result(line.size());
        complex(result.data(), line.data(), false);
        for (std::int64_t k = 0; k < n_; ++k) to[k] = result[static_cast<std::size_t>(k)].real();
    }

  private:
    std::int64_t n_;
    bool smooth_;
    std::shared_ptr<const Chirp<T>> chirp_;
};

// Runs `one(to, from)` on every line; lines that lie beside each other are gathered and scattered in blocks.
template <typename From, typename To, typename Scale, typename One>
void for_each_line(const From* from, std::int64_t from_length, To* to, std::int64_t to_length, Lines lines, Scale scale,
                   One&& one) {
    const std::int64_t inner = lines.inner;
    const std::int64_t blocks = (inner + kBlock - 1) / kBlock;
    const std::int64_t width = std::min(kBlock, inner);
    const std::int64_t grain = std::max<std::int64_t>(1, kWorkGrain / (width * std::max(from_length, to_length)));
    parallel_for(0, lines.outer * blocks, grain, [&](std::int64_t begin, std::int64_t end) {
        std::vector<From> gathered(static_cast<std::size_t>(width * from_length));
        std::vector<To> results(static_cast<std::size_t>(width * to_length));
        for (std::int64_t b = begin; b < end; ++b) {
            const std::int64_t first = b % blocks * kBlock;
            const std::int64_t count = std::min(kBlock, inner - first);
            const From* source = from + b / blocks * from_length * inner + first;
            for (std::int64_t k = 0; k < from_length; ++k) {
                for (std::int64_t i = 0; i < count; ++i)
                    gathered[static_cast<std::size_t>(i * from_length + k)] = source[k * inner + i];
            }
            for (std::int64_t i = 0; i < count; ++i)
                one(results.data() + i * to_length, gathered.data() + i * from_length);
            To* target = to + b / blocks * to_length * inner + first;
            for (std::int64_t k = 0; k < to_length; ++k) {
                for (std::int64_t i = 0; i < count; ++i)
                    target[k * inner + i] = results[static_cast<std::size_t>(i * to_length + k)] * scale;
            }
        }
    });
}

// The factor of a smooth n nearest below its square root.
std::int64_t middle_factor(std::int64_t n) {
    auto factor = static_cast<std::int64_t>(std::sqrt(static_cast<double>(n)));
    while (n % factor != 0) --factor;
    return factor;
}

// As a matrix [rows, columns]: transforms columns, multiplies by roots of unity, transforms rows; the result is
// transposed.
template <typename T>
void transform_long_line(std::complex<T>* data, std::int64_t n, bool forward, T scale) {
    const std::int64_t rows = middle_factor(n);
    const std::int64_t columns = n / rows;
    complex_to_complex(data, data, Lines{1, columns}, rows, forward, T(1));
    const Roots roots(n);
    const Line<T> line(columns);
    Array<T> turned(static_cast<std::size_t>(n));
    parallel_for(0, rows, std::max<std::int64_t>(1, kWorkGrain / columns), [&](std::int64_t begin, std::int64_t end) {
        Array<T> row(static_cast<std::size_t>(columns));
        for (std::int64_t r = begin; r < end; ++r) {
            for (std::int64_t c = 0; c < columns; ++c) {
                const std::complex<T> w = roots.at<T>(r * c);
                row[static_cast<std::size_t>(c)] = data[r * columns + c] * (forward ? w : std::conj(w));
            }
            line.complex(turned.data() + r * columns, row.data(), forward);
        }
    });
    parallel_for(0, columns, std::max<std::int64_t>(1, kWorkGrain / rows), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t c0 = begin; c0 < end; c0 += kBlock) {
            for (std::int64_t r = 0; r < rows; ++r) {
                for (std::int64_t c = c0; c < std::min(end, c0 + kBlock); ++c) {
                    data[c * rows + r] = turned[static_cast<std::size_t>(r * columns + c)] * scale;
                }
            }
        }
    });
}

template <typename T>
bool is_long(const Line<T>& line, Lines lines) {
    return lines.outer * lines.inner == 1 && line.is_smooth() && line.length() >= kLongLine;
}

}  // namespace

template <typename T>
void complex_to_complex(const std::complex<T>* from, std::complex<T>* to, Lines lines, std::int64_t n, bool forward,
                        T scale) {
    if (suits_lanes(lines, n)) return complex_to_complex_in_lanes(from, to, lines, n, forward, scale);
    const Line<T> line(n);
    if (is_long(line, lines)) {
        if (from != to) std::copy_n(from, n, to);
        return transform_long_line(to, n, forward, scale);
    }
    for_each_line(from, n, to, n, lines, scale,
                  [&](std::complex<T>* out, const std::complex<T>* in) { line.complex(out, in, forward); });
}

template <typename T>
void real_to_complex(const T* from, std::complex<T>* to, Lines lines, std::int64_t n, T scale) {
    if (suits_lanes(lines, n)) return real_to_complex_in_lanes(from, to, lines, n, scale);
    const Line<T> line(n);
    if (!is_long(line, lines) || n % 2 != 0) {
        return for_each_line(from, n, to, line.terms(), lines, scale,
                             [&](std::complex<T>* out, const T* in) { line.from_real(out, in); });
    }
    // Even elements as real parts, odd ones as imaginary parts.
    const std::int64_t half = n / 2;
    for (std::int64_t k = 0; k < half; ++k) to[k] = {from[2 * k], from[2 * k + 1]};
    complex_to_complex(to, to, Lines{}, half, true, scale);
    to[half] = to[0];
    const Roots roots(n);
    for (std::int64_t k = 0; k <= half / 2; ++k) {
        const std::complex<T> a = to[k], b = std::conj(to[half - k]);
        const std::complex<T> even = (a + b) * T(0.5);
        const std::complex<T> odd = (a - b) * std::complex<T>(0, T(-0.5)) * roots.at<T>(k);
        to[k] = even + odd;
        to[half - k] = std::conj(even - odd);
    }
}

template <typename T>
void complex_to_real(const std::complex<T>* from, T* to, Lines lines, std::int64_t n, T scale) {
    if (suits_lanes(lines, n)) return complex_to_real_in_lanes(from, to, lines, n, scale);
    const Line<T> line(n);
    if (!is_long(line, lines) || n % 2 != 0) {
        return for_each_line(from, line.terms(), to, n, lines, scale,
                             [&](T* out, const std::complex<T>* in) { line.to_real(out, in); });
    }
    const std::int64_t half = n / 2;
    const Roots roots(n);
    Array<T> packed(static_cast<std::size_t>(half));
    for (std::int64_t k = 0; k < half; ++k) {
        const std::complex<T> a = k == 0 ? from[0].real() : from[k];
        const std::complex<T> b = k == 0 ? from[half].real() : std::conj(from[half - k]);
        packed[static_cast<std::size_t>(k)] = (a + b) + std::complex<T>(0, 1) * ((a - b) * std::conj(roots.at<T>(k)));
    }
    complex_to_complex(packed.data(), packed.data(), Lines{}, half, false, scale);
    for (std::int64_t k = 0; k < half; ++k) {
        to[2 * k] = packed[static_cast<std::size_t>(k)].real();
        to[2 * k + 1] = packed[static_cast<std::size_t>(k)].imag();
    }
}

template void complex_to_complex(const std::complex<float>*, std::complex<float>*, Lines, std::int64_t, bool, float);
template void complex_to_complex(const std::complex<double>*, std::complex<double>*, Lines, std::int64_t, bool, double);
template void real_to_complex(const float*, std::complex<float>*, Lines, std::int64_t, float);
template void real_to_complex(const double*, std::complex<double>*, Lines, std::int64_t, double);
template void complex_to_real(const std::complex<float>*, float*, Lines, std::int64_t, float);
template void complex_to_real(const std::complex<double>*, double*, Lines, std::int64_t, double);

}  // namespace loupe::fft
