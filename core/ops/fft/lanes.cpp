// SPDX-License-Identifier: Apache-2.0
// Stockham's transform (it sorts itself): real and imaginary parts apart, the lines of a block beside each other, so that
// every inner loop runs over neighbouring numbers. Two real lines make one complex line.

#include "core/ops/fft/lanes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <mutex>
#include <numbers>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/parallel.h"

namespace loupe::fft {
namespace {

constexpr std::int64_t kLanes = 8;
constexpr std::int64_t kLongest = 8192;  // what a block holds stays in the second-level cache
constexpr std::int64_t kWorkGrain = 1 << 14;

template <typename T>
struct Stage {
    int radix;
    std::vector<T> re, im;  // exp(-2 pi i p j / length) at p * radix + j
};

template <typename T>
std::vector<Stage<T>> stages_of(std::int64_t n) {
    std::vector<Stage<T>> stages;
    for (std::int64_t length = n; length > 1;) {
        const int radix = length % 4 == 0 ? 4 : length % 2 == 0 ? 2 : length % 3 == 0 ? 3 : 5;
        Stage<T> stage{radix, {}, {}};
        for (std::int64_t p = 0; p < length / radix; ++p) {
            for (int j = 0; j < radix; ++j) {
                const double angle = -2 * std::numbers::pi * static_cast<double>(p * j) / static_cast<double>(length);
                stage.re.push_back(static_cast<T>(std::cos(angle)));
                stage.im.push_back(static_cast<T>(std::sin(angle)));
            }
        }
        stages.push_back(std::move(stage));
        length /= radix;
    }
    return stages;
}

template <typename T>
std::shared_ptr<const std::vector<Stage<T>>> kept_stages(std::int64_t n) {
    static std::mutex mutex;
    static std::unordered_map<std::int64_t, std::shared_ptr<const std::vector<Stage<T>>>> kept;
    const std::scoped_lock lock(mutex);
    if (kept.size() >= 64) kept.clear();
    auto& place = kept[n];
    if (place == nullptr) place = std::make_shared<const std::vector<Stage<T>>>(stages_of<T>(n));
    return place;
}

// Calls step(0), step(1), ... with constants: loops that the compiler sees through when it vectorises the one around.
template <std::size_t kCount, typename Step>
inline void unrolled(Step&& step) {
    [&]<std::size_t... I>(std::index_sequence<I...>) { (step(std::integral_constant<std::size_t, I>()), ...); }(std::make_index_sequence<kCount>());
}

template <int kRadix, typename T>
inline void small_transform(const std::array<T, kRadix>& re, const std::array<T, kRadix>& im, std::array<T, kRadix>& out_re, std::array<T, kRadix>& out_im) {
    if constexpr (kRadix == 2) {
        out_re = {re[0] + re[1], re[0] - re[1]};
        out_im = {im[0] + im[1], im[0] - im[1]};
    } else if constexpr (kRadix == 4) {
        const T ar = re[0] + re[2], ai = im[0] + im[2], br = re[0] - re[2], bi = im[0] - im[2];
        const T cr = re[1] + re[3], ci = im[1] + im[3], dr = im[1] - im[3], di = re[3] - re[1];
        out_re = {ar + cr, br + dr, ar - cr, br - dr};
        out_im = {ai + ci, bi + di, ai - ci, bi - di};
    } else {
        // cos and -sin of 2 pi k / 3 and of 2 pi k / 5.
        constexpr std::array<double, 5> kCos = kRadix == 3 ? std::array<double, 5>{1, -0.5, -0.5, 0, 0}
                                                           : std::array<double, 5>{1, 0.30901699437494742410, -0.80901699437494742410,
                                                                                   -0.80901699437494742410, 0.30901699437494742410};
        constexpr std::array<double, 5> kSin = kRadix == 3 ? std::array<double, 5>{0, -0.86602540378443864676, 0.86602540378443864676, 0, 0}
                                                           : std::array<double, 5>{0, -0.95105651629515357212, -0.58778525229247312917,
                                                                                   0.58778525229247312917, 0.95105651629515357212};
        unrolled<kRadix>([&](auto j) {
            T sum_re = 0, sum_im = 0;
            unrolled<kRadix>([&](auto k) {
                constexpr std::size_t kTurn = decltype(j)::value * decltype(k)::value % kRadix;
                constexpr T c = static_cast<T>(kCos[kTurn]), s = static_cast<T>(kSin[kTurn]);
                sum_re += re[k] * c - im[k] * s;
                sum_im += re[k] * s + im[k] * c;
            });
            out_re[j] = sum_re;
            out_im[j] = sum_im;
        });
    }
}

// One stage: `groups` transforms of kRadix elements that lie `groups * width` apart.
template <int kRadix, typename T>
void run_stage(const Stage<T>& stage, const T* __restrict xr, const T* __restrict xi, T* __restrict yr, T* __restrict yi, std::int64_t groups,
               std::int64_t width) {
    for (std::int64_t p = 0; p < groups; ++p) {
        const T* wr = stage.re.data() + p * kRadix;
        const T* wi = stage.im.data() + p * kRadix;
        for (std::int64_t q = 0; q < width; ++q) {
            std::array<T, kRadix> re, im, out_re, out_im;
            unrolled<kRadix>([&](auto k) {
                const std::int64_t at = q + width * (p + static_cast<std::int64_t>(k) * groups);
                re[k] = xr[at];
                im[k] = xi[at];
            });
            small_transform<kRadix, T>(re, im, out_re, out_im);
            unrolled<kRadix>([&](auto j) {
                const std::int64_t at = q + width * (p * kRadix + static_cast<std::int64_t>(j));
                yr[at] = out_re[j] * wr[j] - out_im[j] * wi[j];
                yi[at] = out_re[j] * wi[j] + out_im[j] * wr[j];
            });
        }
    }
}

// A block of lines while it is transformed: element k of lane i at k * kLanes + i.
template <typename T>
class Block {
  public:
    explicit Block(std::int64_t n) : n_(n), stages_(kept_stages<T>(n)) {
        for (auto* part : {&re_, &im_, &next_re_, &next_im_}) part->resize(static_cast<std::size_t>(n * kLanes));
    }
    // Backward is forward with the parts exchanged.
    void transform(bool forward) {
        if (!forward) re_.swap(im_);
        std::int64_t length = n_, width = kLanes;
        for (const Stage<T>& stage : *stages_) {
            const std::int64_t groups = length / stage.radix;
            const auto run = [&](auto function) {
                function(stage, re_.data(), im_.data(), next_re_.data(), next_im_.data(), groups, width);
            };
            if (stage.radix == 4) run(run_stage<4, T>);
            else if (stage.radix == 2) run(run_stage<2, T>);
            else if (stage.radix == 3) run(run_stage<3, T>);
            else run(run_stage<5, T>);
            re_.swap(next_re_);
            im_.swap(next_im_);
            length = groups;
            width *= stage.radix;
        }
        if (!forward) re_.swap(im_);
    }
    T* re(std::int64_t k) { return re_.data() + k * kLanes; }
    T* im(std::int64_t k) { return im_.data() + k * kLanes; }

  private:
    std::int64_t n_;
    std::shared_ptr<const std::vector<Stage<T>>> stages_;
    std::vector<T> re_, im_, next_re_, next_im_;
};

// Where lines begin, for an array of lines of that length.
struct Starts {
    Lines lines;
    std::int64_t length;
    std::int64_t of(std::int64_t line) const { return line / lines.inner * length * lines.inner + line % lines.inner; }
};

// Calls work(block, first line, lines) on blocks of up to `per_block` lines.
template <typename T, typename Work>
void for_each_block(Lines lines, std::int64_t n, std::int64_t per_block, Work&& work) {
    const std::int64_t count = lines.outer * lines.inner;
    const std::int64_t blocks = (count + per_block - 1) / per_block;
    parallel_for(0, blocks, std::max<std::int64_t>(1, kWorkGrain / (per_block * n)), [&](std::int64_t begin, std::int64_t end) {
        Block<T> block(n);
        for (std::int64_t b = begin; b < end; ++b) work(block, b * per_block, std::min(per_block, count - b * per_block));
    });
}

}  // namespace

bool suits_lanes(Lines lines, std::int64_t n) {
    if (n < 2 || n > kLongest || lines.outer * lines.inner < kLanes) return false;
    for (const std::int64_t p : {2, 3, 5}) {
        while (n % p == 0) n /= p;
    }
    return n == 1;
}

template <typename T>
void complex_to_complex_in_lanes(std::complex<T>* data, Lines lines, std::int64_t n, bool forward, T scale) {
    const Starts starts{lines, n};
    for_each_block<T>(lines, n, kLanes, [&](Block<T>& block, std::int64_t first, std::int64_t count) {
        std::array<std::complex<T>*, kLanes> line{};
        for (std::int64_t i = 0; i < kLanes; ++i) line[static_cast<std::size_t>(i)] = data + starts.of(first + std::min(i, count - 1));
        for (std::int64_t k = 0; k < n; ++k) {
            for (std::size_t i = 0; i < kLanes; ++i) {
                block.re(k)[i] = line[i][k * lines.inner].real();
                block.im(k)[i] = line[i][k * lines.inner].imag();
            }
        }
        block.transform(forward);
        for (std::int64_t k = 0; k < n; ++k) {
            for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) line[i][k * lines.inner] = {block.re(k)[i] * scale, block.im(k)[i] * scale};
        }
    });
}

template <typename T>
void real_to_complex_in_lanes(const T* from, std::complex<T>* to, Lines lines, std::int64_t n, T scale) {
    const Starts sources{lines, n}, targets{lines, n / 2 + 1};
    for_each_block<T>(lines, n, 2 * kLanes, [&](Block<T>& block, std::int64_t first, std::int64_t count) {
        for (std::int64_t i = 0; i < 2 * kLanes; ++i) {
            const T* line = from + sources.of(first + std::min(i, count - 1));
            T* part = i < kLanes ? block.re(0) + i : block.im(0) + (i - kLanes);
            for (std::int64_t k = 0; k < n; ++k) part[k * kLanes] = line[k * lines.inner];
        }
        block.transform(true);
        const T half = scale / 2;
        for (std::int64_t i = 0; i < count; ++i) {
            std::complex<T>* line = to + targets.of(first + i);
            const std::int64_t lane = i % kLanes;
            for (std::int64_t k = 0; k <= n / 2; ++k) {
                const std::int64_t mirror = k == 0 ? 0 : n - k;
                const T zr = block.re(k)[lane], zi = block.im(k)[lane], wr = block.re(mirror)[lane], wi = block.im(mirror)[lane];
                line[k * lines.inner] = i < kLanes ? std::complex<T>((zr + wr) * half, (zi - wi) * half)
                                                   : std::complex<T>((zi + wi) * half, (wr - zr) * half);
            }
        }
    });
}

template <typename T>
void complex_to_real_in_lanes(const std::complex<T>* from, T* to, Lines lines, std::int64_t n, T scale) {
    const Starts sources{lines, n / 2 + 1}, targets{lines, n};
    for_each_block<T>(lines, n, 2 * kLanes, [&](Block<T>& block, std::int64_t first, std::int64_t count) {
        const auto line_at = [&](std::int64_t i) { return from + sources.of(first + std::min(i, count - 1)); };
        for (std::int64_t i = 0; i < kLanes; ++i) {
            const std::complex<T>* a = line_at(i);
            const std::complex<T>* b = line_at(i + kLanes);
            for (std::int64_t k = 0; k <= n / 2; ++k) {
                const bool is_real = k == 0 || 2 * k == n;
                const T ar = a[k * lines.inner].real(), ai = is_real ? T(0) : a[k * lines.inner].imag();
                const T br = b[k * lines.inner].real(), bi = is_real ? T(0) : b[k * lines.inner].imag();
                block.re(k)[i] = ar - bi;
                block.im(k)[i] = ai + br;
                if (is_real) continue;
                block.re(n - k)[i] = ar + bi;
                block.im(n - k)[i] = br - ai;
            }
        }
        block.transform(false);
        for (std::int64_t i = 0; i < count; ++i) {
            T* line = to + targets.of(first + i);
            const T* part = i < kLanes ? block.re(0) + i : block.im(0) + (i - kLanes);
            for (std::int64_t k = 0; k < n; ++k) line[k * lines.inner] = part[k * kLanes] * scale;
        }
    });
}

template void complex_to_complex_in_lanes(std::complex<float>*, Lines, std::int64_t, bool, float);
template void complex_to_complex_in_lanes(std::complex<double>*, Lines, std::int64_t, bool, double);
template void real_to_complex_in_lanes(const float*, std::complex<float>*, Lines, std::int64_t, float);
template void real_to_complex_in_lanes(const double*, std::complex<double>*, Lines, std::int64_t, double);
template void complex_to_real_in_lanes(const std::complex<float>*, float*, Lines, std::int64_t, float);
template void complex_to_real_in_lanes(const std::complex<double>*, double*, Lines, std::int64_t, double);

}  // namespace loupe::fft
