// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda/loops/random.h"

#include "plugins/cuda/loops/philox_numbers.h"
#include "plugins/cuda/loops/team.h"

namespace loupe::cuda {
namespace {

// T: what a number is made in; S: as it lies in memory.
template <typename T, typename S>
LOUPE_HD S number(Distribution distribution, const Draw& d, T u) {
    const T a = static_cast<T>(d.a), b = static_cast<T>(d.b);
    switch (distribution) {
        case Distribution::Uniform: {
            const T low = static_cast<T>(stored<S>(a)), high = static_cast<T>(stored<S>(b));
            const S value = stored<S>(u * (high - low) + low);
            // Bounds turned around: from (0, 1] to [0, 1).
            return static_cast<T>(value) == high ? stored<S>(low) : value;
        }
        case Distribution::Exponential: {
            constexpr T kHalf = std::numeric_limits<T>::epsilon() / 2;
            const T log = u >= T(1) - kHalf ? -kHalf : std::log(u);
            return stored<S>(T(-1) / a * log);
        }
        case Distribution::Cauchy: {
            constexpr T kEps = std::numeric_limits<T>::epsilon();
            u = u > T(1) - kEps ? T(1) - kEps : u;
            u = u < kEps ? kEps : u;
            return stored<S>(a + b * std::tan(static_cast<T>(3.14159265358979323846) * (u - T(0.5))));
        }
        case Distribution::Geometric:
            return stored<S>(std::ceil(std::log(u) / std::log(T(1) - a)));
        case Distribution::LogNormal:
            return stored<S>(std::exp(u * b + a));
        case Distribution::Normal:
            return stored<S>(u * b + a);
        default:
            return stored<S>(u < a ? T(1) : T(0));
    }
}
LOUPE_HD inline bool is_normal(Distribution d) { return d == Distribution::Normal || d == Distribution::LogNormal; }

// Thread j of `threads` and round r draw the elements j + threads (k + width r), k < width.
template <typename S, Distribution kDistribution>
struct RealBody {
    Draw draw;
    S* to;
    std::int64_t count;

    LOUPE_HD void operator()(std::int64_t i) const {
        using T = Compute<S>;
        constexpr int kWidth = std::is_same_v<T, double> ? 2 : 4;
        const std::int64_t round = quotient(i, draw.threads), thread = i - round * draw.threads;
        const Four f = philox(offset_of(draw) / 4 + static_cast<std::uint64_t>(round),
                              static_cast<std::uint64_t>(thread), seed_of(draw));
        T drawn[kWidth];
        if constexpr (kWidth == 2) {
            if (is_normal(kDistribution)) {
                box_muller(f, drawn);
            } else {
                drawn[0] = uniform(f.v[0], f.v[1]);
                drawn[1] = uniform(f.v[2], f.v[3]);
            }
        } else {
            if (is_normal(kDistribution)) {
                box_muller(f.v[0], f.v[1], drawn);
                box_muller(f.v[2], f.v[3], drawn + 2);
            } else {
                for (int k = 0; k < 4; ++k) drawn[k] = uniform(f.v[k]);
            }
        }
        for (int k = 0; k < kWidth; ++k) {
            const std::int64_t at = thread + draw.threads * (k + kWidth * round);
            if (at < count) to[at] = number<T, S>(kDistribution, draw, drawn[k]);
        }
    }
};

// Bernoulli and geometric numbers of whole types are made in float.
struct NarrowBody {
    Draw draw;
    char* to;
    std::int64_t count;

    LOUPE_HD void operator()(std::int64_t i) const {
        const std::int64_t round = quotient(i, draw.threads), thread = i - round * draw.threads;
        const Four f = philox(offset_of(draw) / 4 + static_cast<std::uint64_t>(round),
                              static_cast<std::uint64_t>(thread), seed_of(draw));
        for (int k = 0; k < 4; ++k) {
            const std::int64_t at = thread + draw.threads * (k + 4 * round);
            if (at < count)
                store(to + at * size_of(draw.element), draw.element,
                      number<float, float>(draw.distribution, draw, uniform(f.v[k])));
        }
    }
};

LOUPE_HD inline int digits_of(Element e) {
    return e == Element::Float16 ? 11 : e == Element::BFloat16 ? 8 : e == Element::Float64 ? 53 : 24;
}
LOUPE_HD inline std::uint64_t most_of(Element e) {
    switch (e) {
        case Element::UInt8:
            return 0xFF;
        case Element::Int8:
            return 0x7F;
        case Element::Int16:
            return 0x7FFF;
        case Element::Int32:
            return 0x7FFFFFFF;
        default:
            return 0x7FFFFFFFFFFFFFFFULL;
    }
}
bool draws_wide(const Draw& draw) {
    if (draw.distribution == Distribution::Bits)
        return draw.element == Element::Int64 || draw.element == Element::Float64;
    return draw.range == 0 || draw.range >= std::uint64_t{1} << 28;  // the modulus shows above it
}

template <bool kWide>
struct WholeBody {
    Draw draw;
    char* to;
    std::int64_t count;

    LOUPE_HD void operator()(std::int64_t i) const {
        constexpr int kWidth = kWide ? 2 : 4;
        const std::int64_t round = quotient(i, draw.threads), thread = i - round * draw.threads;
        const Four f = philox(offset_of(draw) / 4 + static_cast<std::uint64_t>(round),
                              static_cast<std::uint64_t>(thread), seed_of(draw));
        for (int k = 0; k < kWidth; ++k) {
            const std::int64_t at = thread + draw.threads * (k + kWidth * round);
            if (at >= count) return;
            const std::uint64_t drawn = kWide ? static_cast<std::uint64_t>(f.v[2 * k]) << 32 | f.v[2 * k + 1] : f.v[k];
            char* const place = to + at * size_of(draw.element);
            if (draw.distribution == Distribution::Range) {
                const std::uint64_t within = draw.range == 0 ? drawn : drawn % draw.range;
                store(place, draw.element, static_cast<std::int64_t>(within + static_cast<std::uint64_t>(draw.first)));
            } else if (draw.element == Element::Bool) {
                store(place, draw.element, static_cast<std::int64_t>(drawn & 1));
            } else if (is_integer(draw.element)) {
                store(place, draw.element, static_cast<std::int64_t>(drawn % (most_of(draw.element) + 1)));
            } else {
                const std::uint64_t limit = (std::uint64_t{1} << digits_of(draw.element)) + 1;
                store(place, draw.element, static_cast<double>(drawn % limit));
            }
        }
    }
};

template <typename P>
struct ChanceBody {
    Draw draw;
    const P* chances;
    char* to;
    std::int64_t count;
    Fault* fault;

    LOUPE_HD void operator()(std::int64_t i) const {
        const Four f = philox(offset_of(draw) / 4, static_cast<std::uint64_t>(i), seed_of(draw));
        for (int k = 0; k < 4; ++k) {
            const std::int64_t at = i * 4 + k;
            if (at >= count) return;
            const auto p = static_cast<Compute<P>>(chances[at]);
            if (!(p >= Compute<P>(0) && p <= Compute<P>(1))) report(fault, FaultKind::Chance, at, count);
            store(to + at * size_of(draw.element), draw.element,
                  static_cast<std::int64_t>(static_cast<Compute<P>>(uniform(f.v[k])) <= p ? 1 : 0));
        }
    }
};

// As PyTorch's fused kernel: a thread takes `kWidth` neighbours at once, a block of four numbers for up to four of
// them. One at a time, the numbers are dealt as to the other distributions.
template <typename S, int kWidth>
struct DropoutBody {
    Draw draw;
    const S* x;
    S* y;
    std::uint8_t* mask;
    std::int64_t count;
    float keep;

    LOUPE_HD S kept(S value, std::uint32_t number, std::uint8_t& mark) const {
        using T = Compute<S>;
        const bool is_kept = uniform(number) < keep;
        mark = is_kept ? 1 : 0;
        return stored<S>(static_cast<T>(value) * T(is_kept ? 1 : 0) * (T(1) / static_cast<T>(keep)));
    }
    LOUPE_HD void operator()(std::int64_t i) const {
        const std::int64_t round = quotient(i, draw.threads);
        const auto thread = static_cast<std::uint64_t>(i - round * draw.threads);
        if constexpr (kWidth == 1) {
            const Four f = philox(offset_of(draw) / 4 + static_cast<std::uint64_t>(round), thread, seed_of(draw));
            for (int k = 0; k < 4; ++k) {
                const std::int64_t at = static_cast<std::int64_t>(thread) + draw.threads * (k + 4 * round);
                if (at < count) y[at] = kept(x[at], f.v[k], mask[at]);
            }
        } else {
            constexpr int kBlocks = kWidth > 4 ? kWidth / 4 : 1, kOfBlock = kWidth / kBlocks;
            if (i * kWidth >= count) return;
            struct alignas(sizeof(S) * kWidth) Elements {
                S v[kWidth];
            };
            struct alignas(kWidth) Marks {
                std::uint8_t v[kWidth];
            };
            Elements elements = reinterpret_cast<const Elements*>(x)[i];
            Marks marks;
            for (int b = 0; b < kBlocks; ++b) {
                const Four f = philox(offset_of(draw) / 4 + static_cast<std::uint64_t>(round * kBlocks + b), thread,
                                      seed_of(draw));
                for (int k = 0; k < kOfBlock; ++k) {
                    const int at = b * kOfBlock + k;
                    elements.v[at] = kept(elements.v[at], f.v[k], marks.v[at]);
                }
            }
            reinterpret_cast<Elements*>(y)[i] = elements;
            reinterpret_cast<Marks*>(mask)[i] = marks;
        }
    }
};

// Slopes of rrelu in training: a number in (0, 1] an element, as it lies in memory, between the bounds.
template <typename S>
struct SlopeBody {
    Draw draw;
    const S* x;
    S *y, *noise;
    std::int64_t count;

    LOUPE_HD void operator()(std::int64_t i) const {
        using T = Compute<S>;
        constexpr int kWidth = std::is_same_v<T, double> ? 2 : 4;
        const std::int64_t round = quotient(i, draw.threads), thread = i - round * draw.threads;
        const Four f = philox(offset_of(draw) / 4 + static_cast<std::uint64_t>(round),
                              static_cast<std::uint64_t>(thread), seed_of(draw));
        for (int k = 0; k < kWidth; ++k) {
            const std::int64_t at = thread + draw.threads * (k + kWidth * round);
            if (at >= count) return;
            T drawn = 0;
            if constexpr (kWidth == 2)
                drawn = uniform(f.v[2 * k], f.v[2 * k + 1]);
            else
                drawn = uniform(f.v[k]);
            const double share = static_cast<double>(static_cast<T>(stored<S>(drawn)));
            const T slope = static_cast<T>(stored<S>(static_cast<T>(share * (draw.b - draw.a) + draw.a)));
            const bool is_scaled = static_cast<T>(x[at]) <= T(0);
            y[at] = is_scaled ? stored<S>(static_cast<T>(x[at]) * slope) : x[at];
            noise[at] = stored<S>(is_scaled ? slope : T(1));
        }
    }
};

// The first of equal keys shuffles them (Fisher and Yates).
struct ShuffleBody {
    Draw draw;
    const std::uint64_t* keys;
    std::int64_t* places;
    std::int64_t count;
    std::uint64_t mask;

    LOUPE_HD void operator()(std::int64_t i) const {
        if (i >= count - 1) return;
        const auto equal = [&](std::int64_t a, std::int64_t b) { return (keys[a] & mask) == (keys[b] & mask); };
        if (!equal(i, i + 1) || (i != 0 && equal(i, i - 1))) return;
        int size = 0;
        do ++size;
        while (i + size < count && equal(i, i + size));
        std::int64_t* const island = places + i;
        std::uint64_t drawn = 0;
        for (int k = size - 1; k > 0; --k, ++drawn) {
            const Four f = philox(offset_of(draw) / 4 + drawn / 4, static_cast<std::uint64_t>(i), seed_of(draw));
            const auto other = static_cast<int>(f.v[drawn % 4] % static_cast<std::uint32_t>(k + 1));
            if (k == other) continue;
            const std::int64_t kept = island[k];
            island[k] = island[other];
            island[other] = kept;
        }
    }
};

template <Distribution kDistribution>
using Constant = std::integral_constant<Distribution, kDistribution>;

std::int64_t rounds_of(const Draw& draw, std::int64_t count, std::int64_t width) {
    return (count - 1) / (draw.threads * width) + 1;
}
bool is_whole(const Draw& draw) {
    return draw.distribution == Distribution::Range || draw.distribution == Distribution::Bits;
}
std::int64_t width_of(const Draw& draw) {
    if (is_whole(draw)) return draws_wide(draw) ? 2 : 4;
    return draw.element == Element::Float64 ? 2 : 4;
}

// PyTorch launches blocks of 128 threads for the samples of a row, and a row of blocks a row, up to so many; threads go
// on with the rows behind. Of four numbers the first is used.
constexpr std::int64_t kMostGridRows = 65535, kSampleThreads = 128;
template <typename S>
struct MultinomialBody {
    Draw draw;
    const S* weights;
    const S* sums;
    std::int64_t categories, samples;
    std::int64_t* to;

    LOUPE_HD void operator()(std::int64_t i) const {
        using T = Compute<S>;
        const std::int64_t row = quotient(i, samples), sample = i - row * samples;
        const std::int64_t round = row / kMostGridRows, grid_row = row - round * kMostGridRows;
        const std::int64_t width = (samples + kSampleThreads - 1) / kSampleThreads * kSampleThreads;
        const Four f = philox(offset_of(draw) / 4 + static_cast<std::uint64_t>(round),
                              static_cast<std::uint64_t>(grid_row * width + sample), seed_of(draw));
        const T drawn = static_cast<T>(stored<S>(uniform(f.v[0])));
        const S* const own = sums + row * categories;
        std::int64_t low = 0, high = categories;
        while (low < high) {
            const std::int64_t middle = low + (high - low) / 2;
            if (static_cast<T>(own[middle]) < drawn)
                low = middle + 1;
            else
                high = middle;
        }
        if (low == categories) low = categories - 1;
        // Categories without weight are never drawn.
        while (low >= 1 && static_cast<T>(weights[row * categories + low]) == T(0)) --low;
        to[i] = low;
    }
};

}  // namespace

std::int64_t threads_for(std::int64_t count, std::int64_t resident) {
    constexpr std::int64_t kBlock = 256;
    const std::int64_t wanted = (count + kBlock - 1) / kBlock * kBlock, most = resident / kBlock * kBlock;
    return wanted < most ? wanted : most;
}

std::uint64_t numbers_for(const Draw& draw, std::int64_t count) {
    return static_cast<std::uint64_t>(rounds_of(draw, count, width_of(draw))) * 4;
}

bool run_draw(const Queue& queue, const Draw& draw, void* to, std::int64_t count) {
    if (count == 0) return true;
    const std::int64_t calls = rounds_of(draw, count, width_of(draw)) * draw.threads;
    auto* const bytes = static_cast<char*>(to);
    if (is_whole(draw)) {
        if (draws_wide(draw))
            launch(queue, calls, WholeBody<true>{draw, bytes, count});
        else
            launch(queue, calls, WholeBody<false>{draw, bytes, count});
        return true;
    }
    if (is_integer(draw.element)) {
        if (draw.distribution != Distribution::Bernoulli && draw.distribution != Distribution::Geometric) return false;
        launch(queue, calls, NarrowBody{draw, bytes, count});
        return true;
    }
    return visit_floating(draw.element, [&](auto tag) {
        using S = decltype(tag);
        const auto run = [&](auto distribution) {
            launch(queue, calls, RealBody<S, decltype(distribution)::value>{draw, static_cast<S*>(to), count});
        };
        switch (draw.distribution) {
            case Distribution::Uniform:
                return run(Constant<Distribution::Uniform>());
            case Distribution::Normal:
                return run(Constant<Distribution::Normal>());
            case Distribution::Exponential:
                return run(Constant<Distribution::Exponential>());
            case Distribution::Cauchy:
                return run(Constant<Distribution::Cauchy>());
            case Distribution::LogNormal:
                return run(Constant<Distribution::LogNormal>());
            case Distribution::Geometric:
                return run(Constant<Distribution::Geometric>());
            default:
                return run(Constant<Distribution::Bernoulli>());
        }
    });
}

bool run_bernoulli(const Queue& queue, const Draw& draw, const void* chances, Element chance, void* to,
                   std::int64_t count, Fault* fault) {
    return visit_floating(chance, [&](auto tag) {
        using P = decltype(tag);
        launch(queue, (count + 3) / 4,
               ChanceBody<P>{draw, static_cast<const P*>(chances), static_cast<char*>(to), count, fault});
    });
}

bool run_dropout(const Queue& queue, const Draw& draw, const void* x, void* y, std::uint8_t* mask, std::int64_t count,
                 double keep) {
    return visit_floating(draw.element, [&](auto tag) {
        using S = decltype(tag);
        const auto* const from = static_cast<const S*>(x);
        auto* const to = static_cast<S*>(y);
        const auto by = [&](auto width) {
            constexpr int kWidth = decltype(width)::value;
            const std::int64_t calls = kWidth == 1 ? rounds_of(draw, count, 4) * draw.threads : count / kWidth;
            launch(queue, calls, DropoutBody<S, kWidth>{draw, from, to, mask, count, static_cast<float>(keep)});
        };
        constexpr int kMost = 16 / sizeof(S);
        if (!is_aligned(x)) return by(std::integral_constant<int, 1>());
        if (count % kMost == 0) return by(std::integral_constant<int, kMost>());
        if constexpr (kMost >= 8) {
            if (count % 4 == 0) return by(std::integral_constant<int, 4>());
        }
        if constexpr (kMost >= 4) {
            if (count % 2 == 0) return by(std::integral_constant<int, 2>());
        }
        return by(std::integral_constant<int, 1>());
    });
}

bool run_random_slopes(const Queue& queue, const Draw& draw, const void* x, void* y, void* noise, std::int64_t count) {
    return visit_floating(draw.element, [&](auto tag) {
        using S = decltype(tag);
        launch(queue, rounds_of(draw, count, width_of(draw)) * draw.threads,
               SlopeBody<S>{draw, static_cast<const S*>(x), static_cast<S*>(y), static_cast<S*>(noise), count});
    });
}

void run_shuffle_equals(const Queue& queue, const Draw& draw, const std::uint64_t* keys, std::int64_t* places,
                        std::int64_t count, int bits) {
    const std::uint64_t mask = bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
    launch(queue, count, ShuffleBody{draw, keys, places, count, mask});
}

std::uint64_t multinomial_numbers(std::int64_t rows) {
    return static_cast<std::uint64_t>((rows - 1) / kMostGridRows + 1) * 4;
}
void run_multinomial(const Queue& queue, const Draw& draw, const void* weights, const void* sums, std::int64_t rows,
                     std::int64_t categories, std::int64_t samples, std::int64_t* to) {
    visit_floating(draw.element, [&](auto tag) {
        using S = decltype(tag);
        launch(queue, rows * samples,
               MultinomialBody<S>{draw, static_cast<const S*>(weights), static_cast<const S*>(sums), categories,
                                  samples, to});
    });
}

}  // namespace loupe::cuda
