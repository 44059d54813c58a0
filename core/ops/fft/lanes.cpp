// SPDX-License-Identifier: Apache-2.0
// Stockham's transform (it sorts itself): real and imaginary parts apart, the lines of a block beside each other, so
// that every step works on whole vectors. Two real lines make one complex line.

#include "core/ops/fft/lanes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <memory>
#include <mutex>
#include <numbers>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/parallel.h"
#include "core/kernels/transpose.h"
#include "core/ops/nn/simd.h"

namespace loupe::fft {
namespace {

// Lines of a block: a vector of the widest registers.
template <typename T>
constexpr std::int64_t kLanes = 64 / sizeof(T);
constexpr std::int64_t kLongest = 8192;         // a block fits the second-level cache
constexpr std::int64_t kLongestPadded = 32768;  // other lengths have no faster method
constexpr std::int64_t kFewestLines = 8;
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
        const int radix = length % 4 == 0 ? 4 : length % 2 == 0 ? 2 : length % 3 == 0 ? 3 : length % 5 == 0 ? 5 : 7;
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

// Calls step(0), step(1), ... with constants: unrolled loops, so that the compiler vectorises the outer one.
template <std::size_t kCount, typename Step>
LOUPE_INLINE inline void unrolled(Step&& step) {
    [&]<std::size_t... I>(std::index_sequence<I...>) LOUPE_INLINE {
        (step(std::integral_constant<std::size_t, I>()), ...);
    }
    (std::make_index_sequence<kCount>());
}

// A number of each lane.
template <typename T>
struct LanesOf {
    typedef T Vector __attribute__((vector_size(kLanes<T> * sizeof(T))));
};

template <int kRadix, typename T, typename V>
LOUPE_INLINE inline void small_transform(const std::array<V, kRadix>& re, const std::array<V, kRadix>& im,
                                         std::array<V, kRadix>& out_re, std::array<V, kRadix>& out_im) {
    if constexpr (kRadix == 2) {
        out_re = {re[0] + re[1], re[0] - re[1]};
        out_im = {im[0] + im[1], im[0] - im[1]};
    } else if constexpr (kRadix == 4) {
        const V ar = re[0] + re[2], ai = im[0] + im[2], br = re[0] - re[2], bi = im[0] - im[2];
        const V cr = re[1] + re[3], ci = im[1] + im[3], dr = im[1] - im[3], di = re[3] - re[1];
        out_re = {ar + cr, br + dr, ar - cr, br - dr};
        out_im = {ai + ci, bi + di, ai - ci, bi - di};
    } else {
        // cos and -sin of 2 pi k / 3, of 2 pi k / 5 and of 2 pi k / 7.
        using Table = std::array<double, 7>;
        constexpr Table kCos = kRadix == 3   ? Table{1, -0.5, -0.5}
                               : kRadix == 5 ? Table{1, 0.30901699437494742410, -0.80901699437494742410,
                                                     -0.80901699437494742410, 0.30901699437494742410}
                                             : Table{1,
                                                     0.62348980185873353053,
                                                     -0.22252093395631440429,
                                                     -0.90096886790241912624,
                                                     -0.90096886790241912624,
                                                     -0.22252093395631440429,
                                                     0.62348980185873353053};
        constexpr Table kSin = kRadix == 3   ? Table{0, -0.86602540378443864676, 0.86602540378443864676}
                               : kRadix == 5 ? Table{0, -0.95105651629515357212, -0.58778525229247312917,
                                                     0.58778525229247312917, 0.95105651629515357212}
                                             : Table{0,
                                                     -0.78183148246802980871,
                                                     -0.97492791218182360702,
                                                     -0.43388373911755812048,
                                                     0.43388373911755812048,
                                                     0.97492791218182360702,
                                                     0.78183148246802980871};
        unrolled<kRadix>([&](auto j) LOUPE_INLINE {
            V sum_re{}, sum_im{};
            unrolled<kRadix>([&](auto k) LOUPE_INLINE {
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
LOUPE_INLINE inline void run_stage(const Stage<T>& stage, const T* __restrict xr, const T* __restrict xi,
                                   T* __restrict yr, T* __restrict yi, std::int64_t groups, std::int64_t width) {
    using V = typename LanesOf<T>::Vector;
    for (std::int64_t p = 0; p < groups; ++p) {
        const T* wr = stage.re.data() + p * kRadix;
        const T* wi = stage.im.data() + p * kRadix;
        for (std::int64_t q = 0; q < width; q += kLanes<T>) {
            std::array<V, kRadix> re, im, out_re, out_im;
            unrolled<kRadix>([&](auto k) LOUPE_INLINE {
                const std::int64_t at = q + width * (p + static_cast<std::int64_t>(k) * groups);
                std::memcpy(&re[k], xr + at, sizeof(V));
                std::memcpy(&im[k], xi + at, sizeof(V));
            });
            small_transform<kRadix, T>(re, im, out_re, out_im);
            unrolled<kRadix>([&](auto j) LOUPE_INLINE {
                const std::int64_t at = q + width * (p * kRadix + static_cast<std::int64_t>(j));
                if constexpr (decltype(j)::value == 0) {  // its root is 1
                    std::memcpy(yr + at, &out_re[j], sizeof(V));
                    std::memcpy(yi + at, &out_im[j], sizeof(V));
                    return;
                }
                const V turned_re = out_re[j] * wr[j] - out_im[j] * wi[j];
                const V turned_im = out_re[j] * wi[j] + out_im[j] * wr[j];
                std::memcpy(yr + at, &turned_re, sizeof(V));
                std::memcpy(yi + at, &turned_im, sizeof(V));
            });
        }
    }
}

// A block of lines while it is transformed: element k of lane i at k * kLanes<T> + i.
template <typename T>
class Block {
  public:
    explicit Block(std::int64_t n) : n_(n), stages_(kept_stages<T>(n)) {
        for (auto* part : {&re_, &im_, &next_re_, &next_im_})
            part->resize(static_cast<std::size_t>((n + 2) * kLanes<T>));
    }
    // Backward is forward with the parts exchanged.
    void transform(bool forward) {
        if (!forward) re_.swap(im_);
        std::int64_t length = n_, width = kLanes<T>;
        for (const Stage<T>& stage : *stages_) {
            const std::int64_t groups = length / stage.radix;
            const auto run = [&]<int kRadix>(std::integral_constant<int, kRadix>) {
                with_best_instructions([&]() LOUPE_INLINE {
                    run_stage<kRadix>(stage, re_.data(), im_.data(), next_re_.data(), next_im_.data(), groups, width);
                });
            };
            if (stage.radix == 4)
                run(std::integral_constant<int, 4>());
            else if (stage.radix == 2)
                run(std::integral_constant<int, 2>());
            else if (stage.radix == 3)
                run(std::integral_constant<int, 3>());
            else if (stage.radix == 5)
                run(std::integral_constant<int, 5>());
            else
                run(std::integral_constant<int, 7>());
            re_.swap(next_re_);
            im_.swap(next_im_);
            length = groups;
            width *= stage.radix;
        }
        if (!forward) re_.swap(im_);
    }
    void swap_parts() { re_.swap(im_); }
    T* re(std::int64_t k = 0) { return re_.data() + k * kLanes<T>; }
    T* im(std::int64_t k = 0) { return im_.data() + k * kLanes<T>; }
    // Room for n + 2 elements beside those.
    T* spare_re(std::int64_t k) { return next_re_.data() + k * kLanes<T>; }
    T* spare_im(std::int64_t k) { return next_im_.data() + k * kLanes<T>; }

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
    parallel_for(0, blocks, std::max<std::int64_t>(1, kWorkGrain / (per_block * n)),
                 [&](std::int64_t begin, std::int64_t end) {
                     Block<T> block(n);
                     for (std::int64_t b = begin; b < end; ++b)
                         work(block, b * per_block, std::min(per_block, count - b * per_block));
                 });
}

// The lines of a block in memory: kParts numbers an element (2: complex), elements `step` numbers apart.
template <int kParts, typename T>
struct BlockLines {
    std::array<T*, kLanes<T>> line{};
    std::int64_t step;
    std::int64_t count;

    BlockLines(T* data, Starts starts, std::int64_t first, std::int64_t lines)
        : step(starts.lines.inner * kParts), count(std::min(lines, kLanes<T>)) {
        for (std::int64_t i = 0; i < kLanes<T>; ++i)
            line[static_cast<std::size_t>(i)] = data + starts.of(first + std::min(i, count - 1)) * kParts;
    }
};

// Which number of a block is number `at` of a line, for lane 0.
template <int kParts, typename T>
LOUPE_INLINE inline T* place_of(T* re, T* im, std::int64_t at) {
    return (kParts == 2 && at % 2 == 1 ? im : re) + at / kParts * kLanes<T>;
}

// Calls tile(at) on whole tiles of kSide numbers from `begin` on; where they end.
template <std::int64_t kSide, typename Tile>
LOUPE_INLINE inline std::int64_t for_tiles(std::int64_t begin, std::int64_t end, Tile&& tile) {
    std::int64_t at = begin;
    for (; at + kSide <= end; at += kSide) tile(at);
    return at;
}
// Lanes whose numbers change places in registers at once: 32 bytes of them.
template <typename T>
constexpr std::size_t kWideTile = 32 / sizeof(T);

// n elements of the lines into re, and im when they are complex.
template <int kParts, typename T>
void gather(const BlockLines<kParts, const T>& from, std::int64_t n, T* re, T* im) {
    with_best_instructions([&]() LOUPE_INLINE {
        const std::int64_t all = from.step == kParts ? n * kParts : 0;
        std::int64_t done = 0;
        const auto tiles = [&]<std::size_t kSide>(std::integral_constant<std::size_t, kSide>) LOUPE_INLINE {
            std::int64_t end = done;
            for (std::size_t lane = 0; lane < kLanes<T>; lane += kSide) {
                end = for_tiles<static_cast<std::int64_t>(kSide)>(done, all, [&](std::int64_t at) LOUPE_INLINE {
                    Tile<T, kSide> rows;
                    for (std::size_t i = 0; i < kSide; ++i)
                        std::memcpy(&rows[i], from.line[lane + i] + at, sizeof(rows[i]));
                    transpose_tile(rows);
                    unrolled<kSide>([&](auto j) LOUPE_INLINE {
                        T* to = place_of<kParts>(re, im, at + static_cast<std::int64_t>(decltype(j)::value));
                        std::memcpy(to + lane, &rows[j], sizeof(rows[0]));
                    });
                });
            }
            done = end;
        };
        tiles(std::integral_constant<std::size_t, kWideTile<T>>());
        if constexpr (kWideTile < T >> 4) tiles(std::integral_constant<std::size_t, 4>());
        for (std::int64_t at = done; at < n * kParts; ++at) {
            T* to = place_of<kParts>(re, im, at);
            const std::int64_t offset = at / kParts * from.step + at % kParts;
            for (std::size_t i = 0; i < kLanes<T>; ++i) to[i] = from.line[i][offset];
        }
    });
}

// The way back, times scale.
template <int kParts, typename T>
void scatter(const BlockLines<kParts, T>& to, std::int64_t n, T* re, T* im, T scale) {
    with_best_instructions([&]() LOUPE_INLINE {
        const std::int64_t all = to.step == kParts ? n * kParts : 0;
        const auto count = static_cast<std::size_t>(to.count);
        std::int64_t done = 0;
        const auto tiles = [&]<std::size_t kSide>(std::integral_constant<std::size_t, kSide>) LOUPE_INLINE {
            std::int64_t end = done;
            for (std::size_t lane = 0; lane < count; lane += kSide) {
                const std::size_t lines = std::min(kSide, count - lane);
                end = for_tiles<static_cast<std::int64_t>(kSide)>(done, all, [&](std::int64_t at) LOUPE_INLINE {
                    Tile<T, kSide> rows;
                    unrolled<kSide>([&](auto j) LOUPE_INLINE {
                        const T* from = place_of<kParts>(re, im, at + static_cast<std::int64_t>(decltype(j)::value));
                        std::memcpy(&rows[j], from + lane, sizeof(rows[j]));
                        rows[j] *= scale;
                    });
                    transpose_tile(rows);
                    for (std::size_t i = 0; i < lines; ++i)
                        std::memcpy(to.line[lane + i] + at, &rows[i], sizeof(rows[i]));
                });
            }
            done = end;
        };
        tiles(std::integral_constant<std::size_t, kWideTile<T>>());
        if constexpr (kWideTile < T >> 4) tiles(std::integral_constant<std::size_t, 4>());
        for (std::int64_t at = done; at < n * kParts; ++at) {
            const T* from = place_of<kParts>(re, im, at);
            const std::int64_t offset = at / kParts * to.step + at % kParts;
            for (std::size_t i = 0; i < count; ++i) to.line[i][offset] = from[i] * scale;
        }
    });
}

// A block of complex lines z = a + i b holds two blocks of real lines, a and b. Their spectra, up to the middle, from
// z's.
template <typename T>
void split_spectra(Block<T>& block, std::int64_t n) {
    const std::int64_t terms = n / 2 + 1;
    with_best_instructions([&]() LOUPE_INLINE {
        for (std::int64_t k = 0; k < terms; ++k) {
            const std::int64_t mirror = k == 0 ? 0 : n - k;
            const T *zr = block.re(k), *zi = block.im(k), *wr = block.re(mirror), *wi = block.im(mirror);
            T *ar = block.spare_re(k), *ai = block.spare_im(k), *br = block.spare_re(terms + k),
              *bi = block.spare_im(terms + k);
#pragma omp simd
            for (std::int64_t i = 0; i < kLanes<T>; ++i) {
                ar[i] = zr[i] + wr[i];
                ai[i] = zi[i] - wi[i];
                br[i] = zi[i] + wi[i];
                bi[i] = wr[i] - zr[i];
            }
        }
    });
}
template <typename T>
void join_spectra(Block<T>& block, std::int64_t n) {
    const std::int64_t terms = n / 2 + 1;
    with_best_instructions([&]() LOUPE_INLINE {
        for (std::int64_t k = 0; k < terms; ++k) {
            const bool is_real = k == 0 || 2 * k == n;
            const std::int64_t mirror = is_real ? k : n - k;
            const T *ar = block.spare_re(k), *ai = block.spare_im(k), *br = block.spare_re(terms + k),
                    *bi = block.spare_im(terms + k);
            T *zr = block.re(k), *zi = block.im(k), *wr = block.re(mirror), *wi = block.im(mirror);
            // The imaginary parts of real terms are not looked at, be they infinite.
            for (std::int64_t i = 0; i < kLanes<T>; ++i) {
                const T a = is_real ? T(0) : ai[i], b = is_real ? T(0) : bi[i];
                wr[i] = ar[i] + b;
                wi[i] = br[i] - a;
                zr[i] = ar[i] - b;
                zi[i] = a + br[i];
            }
        }
    });
}

bool is_smooth(std::int64_t n) {
    for (const std::int64_t p : {2, 3, 5, 7}) {
        while (n % p == 0) n /= p;
    }
    return n == 1;
}

// Bluestein (1970): a transform of any length n as a convolution with a chirp, by transforms of a smooth length.
template <typename T>
class Chirp {
  public:
    explicit Chirp(std::int64_t n) : n_(n), padded_(padded_length(n)) {
        Block<double> kernel(padded_);
        std::fill_n(kernel.re(), padded_ * kLanes<double>, 0.0);
        std::fill_n(kernel.im(), padded_ * kLanes<double>, 0.0);
        for (std::int64_t k = 0; k < n; ++k) {
            const double angle = std::numbers::pi * static_cast<double>(k * k % (2 * n)) / static_cast<double>(n);
            re_.push_back(static_cast<T>(std::cos(angle)));
            im_.push_back(static_cast<T>(-std::sin(angle)));
            for (const std::int64_t place : {k, (padded_ - k) % padded_}) {
                *kernel.re(place) = std::cos(angle) / static_cast<double>(padded_);
                *kernel.im(place) = std::sin(angle) / static_cast<double>(padded_);
            }
        }
        kernel.transform(true);
        for (std::int64_t k = 0; k < padded_; ++k) {
            spectrum_re_.push_back(static_cast<T>(*kernel.re(k)));
            spectrum_im_.push_back(static_cast<T>(*kernel.im(k)));
        }
    }
    // The shortest of a few lengths that are transformed fast.
    static std::int64_t padded_length(std::int64_t n) {
        std::int64_t best = 0;
        for (const std::int64_t start : {1, 3, 5}) {
            std::int64_t length = start;
            while (length < 2 * n - 1) length *= 2;
            if (best == 0 || length < best) best = length;
        }
        return best;
    }
    std::int64_t padded() const { return padded_; }

    // The first n elements of a block of padded() are its lines.
    void transform(Block<T>& block, bool forward) const {
        if (!forward) block.swap_parts();
        turn(block, re_, im_, n_);
        std::fill_n(block.re(n_), (padded_ - n_) * kLanes<T>, T(0));
        std::fill_n(block.im(n_), (padded_ - n_) * kLanes<T>, T(0));
        block.transform(true);
        turn(block, spectrum_re_, spectrum_im_, padded_);
        block.transform(false);
        turn(block, re_, im_, n_);
        if (!forward) block.swap_parts();
    }

  private:
    // Times a number for each element.
    static void turn(Block<T>& block, const std::vector<T>& re, const std::vector<T>& im, std::int64_t n) {
        with_best_instructions([&]() LOUPE_INLINE {
            for (std::int64_t k = 0; k < n; ++k) {
                T *x = block.re(k), *y = block.im(k);
                const T c = re[static_cast<std::size_t>(k)], s = im[static_cast<std::size_t>(k)];
#pragma omp simd
                for (std::int64_t i = 0; i < kLanes<T>; ++i) {
                    const T turned = x[i] * c - y[i] * s;
                    y[i] = x[i] * s + y[i] * c;
                    x[i] = turned;
                }
            }
        });
    }

    std::int64_t n_, padded_;
    std::vector<T> re_, im_, spectrum_re_, spectrum_im_;
};

template <typename T>
std::shared_ptr<const Chirp<T>> kept_chirp(std::int64_t n) {
    static std::mutex mutex;
    static std::unordered_map<std::int64_t, std::shared_ptr<const Chirp<T>>> kept;
    const std::scoped_lock lock(mutex);
    if (kept.size() >= 16) kept.clear();
    auto& place = kept[n];
    if (place == nullptr) place = std::make_shared<const Chirp<T>>(n);
    return place;
}

// How lines of a length are transformed in a block.
template <typename T>
class Transform {
  public:
    explicit Transform(std::int64_t n) : length_(n) {
        if (is_smooth(n)) return;
        chirp_ = kept_chirp<T>(n);
        length_ = chirp_->padded();
    }
    std::int64_t block_length() const { return length_; }
    void operator()(Block<T>& block, bool forward) const {
        if (chirp_ == nullptr)
            block.transform(forward);
        else
            chirp_->transform(block, forward);
    }

  private:
    std::int64_t length_;
    std::shared_ptr<const Chirp<T>> chirp_;
};

}  // namespace

bool suits_lanes(Lines lines, std::int64_t n) {
    if (n < 2 || lines.outer * lines.inner < kFewestLines) return false;
    return is_smooth(n) ? n <= kLongest : n <= kLongestPadded / 2 && Chirp<float>::padded_length(n) <= kLongestPadded;
}

template <typename T>
void complex_to_complex_in_lanes(const std::complex<T>* from, std::complex<T>* to, Lines lines, std::int64_t n,
                                 bool forward, T scale) {
    const Starts starts{lines, n};
    const T* read = reinterpret_cast<const T*>(from);
    T* written = reinterpret_cast<T*>(to);
    const Transform<T> transform(n);
    for_each_block<T>(lines, transform.block_length(), kLanes<T>,
                      [&](Block<T>& block, std::int64_t first, std::int64_t count) {
                          gather(BlockLines<2, const T>(read, starts, first, count), n, block.re(), block.im());
                          transform(block, forward);
                          scatter(BlockLines<2, T>(written, starts, first, count), n, block.re(), block.im(), scale);
                      });
}

template <typename T>
void real_to_complex_in_lanes(const T* from, std::complex<T>* to, Lines lines, std::int64_t n, T scale) {
    const std::int64_t terms = n / 2 + 1;
    const Starts sources{lines, n}, targets{lines, terms};
    T* numbers = reinterpret_cast<T*>(to);
    const Transform<T> transform(n);
    for_each_block<T>(lines, transform.block_length(), 2 * kLanes<T>,
                      [&](Block<T>& block, std::int64_t first, std::int64_t count) {
                          const std::int64_t second = first + std::min(kLanes<T>, count - 1),
                                             rest = std::max<std::int64_t>(count - kLanes<T>, 1);
                          gather(BlockLines<1, const T>(from, sources, first, count), n, block.re(), block.im());
                          gather(BlockLines<1, const T>(from, sources, second, rest), n, block.im(), block.im());
                          transform(block, true);
                          split_spectra(block, n);
                          scatter(BlockLines<2, T>(numbers, targets, first, count), terms, block.spare_re(0),
                                  block.spare_im(0), scale / 2);
                          if (count <= kLanes<T>) return;
                          scatter(BlockLines<2, T>(numbers, targets, second, rest), terms, block.spare_re(terms),
                                  block.spare_im(terms), scale / 2);
                      });
}

template <typename T>
void complex_to_real_in_lanes(const std::complex<T>* from, T* to, Lines lines, std::int64_t n, T scale) {
    const std::int64_t terms = n / 2 + 1;
    const Starts sources{lines, terms}, targets{lines, n};
    const T* numbers = reinterpret_cast<const T*>(from);
    const Transform<T> transform(n);
    for_each_block<T>(
        lines, transform.block_length(), 2 * kLanes<T>, [&](Block<T>& block, std::int64_t first, std::int64_t count) {
            const std::int64_t second = first + std::min(kLanes<T>, count - 1),
                               rest = std::max<std::int64_t>(count - kLanes<T>, 1);
            gather(BlockLines<2, const T>(numbers, sources, first, count), terms, block.spare_re(0), block.spare_im(0));
            gather(BlockLines<2, const T>(numbers, sources, second, rest), terms, block.spare_re(terms),
                   block.spare_im(terms));
            join_spectra(block, n);
            transform(block, false);
            scatter(BlockLines<1, T>(to, targets, first, count), n, block.re(), block.im(), scale);
            if (count > kLanes<T>)
                scatter(BlockLines<1, T>(to, targets, second, rest), n, block.im(), block.im(), scale);
        });
}

template void complex_to_complex_in_lanes(const std::complex<float>*, std::complex<float>*, Lines, std::int64_t, bool,
                                          float);
template void complex_to_complex_in_lanes(const std::complex<double>*, std::complex<double>*, Lines, std::int64_t, bool,
                                          double);
template void real_to_complex_in_lanes(const float*, std::complex<float>*, Lines, std::int64_t, float);
template void real_to_complex_in_lanes(const double*, std::complex<double>*, Lines, std::int64_t, double);
template void complex_to_real_in_lanes(const std::complex<float>*, float*, Lines, std::int64_t, float);
template void complex_to_real_in_lanes(const std::complex<double>*, double*, Lines, std::int64_t, double);

}  // namespace loupe::fft
