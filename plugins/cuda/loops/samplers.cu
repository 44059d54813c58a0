// SPDX-License-Identifier: Apache-2.0
// Numbers from distributions with a parameter an element, by the methods of PyTorch's kernels on CUDA and in their
// order of draws, so that seeded numbers are theirs; but for Poisson's of rates from 64 to 4000, for which cuRAND
// inverts an approximation of its own.
#include "plugins/cuda/loops/philox_numbers.h"
#include "plugins/cuda/loops/random.h"
#include "plugins/cuda/loops/team.h"

namespace loupe::cuda {
namespace {

// Hoermann (1993), PTRS.
LOUPE_HD inline double poisson_by_rejection(double rate, Words& words) {
    const double b = 0.931 + 2.53 * std::sqrt(rate), a = -0.059 + 0.02483 * b;
    const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4), sure = 0.9277 - 3.6224 / (b - 2);
    for (;;) {
        const double u = static_cast<double>(words.share()) - 0.5, v = static_cast<double>(words.share());
        const double us = 0.5 - std::abs(u), k = std::floor((2 * a / us + b) * u + rate + 0.43);
        if (us >= 0.07 && v <= sure) return k;
        if (k < 0 || (us < 0.013 && v > us)) continue;
        const double density = -rate + k * std::log(rate) - std::lgamma(k + 1);
        if (std::log(v) + std::log(inverse_alpha) - std::log(a / (us * us) + b) <= density) return k;
    }
}
LOUPE_HD inline double poisson(double rate, Words& words) {
    if (rate < 64) {  // Knuth's
        float product = std::exp(static_cast<float>(rate));
        int count = 0;
        do {
            ++count;
            product *= words.share();
        } while (product > 1);
        return count - 1;
    }
    if (rate <= 4000) return poisson_by_rejection(rate, words);
    Four four;
    for (std::uint32_t& word : four.v) word = words.word();
    double normal[2];
    box_muller(four, normal);
    return std::floor(std::sqrt(rate) * normal[0] + rate + 0.5);
}

// Parameters and results are read and written in T.
template <typename T>
struct PoissonBody {
    Draw draw;
    const char* rates;
    char* to;
    std::int64_t count;
    Fault* fault;

    LOUPE_HD void operator()(std::int64_t i) const {
        const int size = size_of(draw.element);
        const auto rate = static_cast<double>(load<T>(rates + i * size, draw.element));
        Words words(offset_of(draw), static_cast<std::uint64_t>(i), seed_of(draw));
        constexpr double kMost = 9223372036854775808.0;
        if (!(rate >= 0 && rate < kMost))
            report(fault, FaultKind::Rate, i, count);
        else
            store(to + i * size, draw.element, static_cast<T>(poisson(rate, words)));
    }
};

// What Stirling's series leaves of ln k!.
template <typename T>
LOUPE_HD T stirling_rest(T k) {
    static constexpr double kFirst[] = {
        0.0810614667953272, 0.0413406959554092, 0.0276779256849983, 0.02079067210376509, 0.0166446911898211,
        0.0138761288230707, 0.0118967099458917, 0.0104112652619720, 0.00925546218271273, 0.00833056343336287};
    if (k < T(10)) return static_cast<T>(kFirst[static_cast<int>(k)]);
    const T square = (k + 1) * (k + 1);
    return static_cast<T>(
        (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / static_cast<double>(square)) / static_cast<double>(square)) /
        static_cast<double>(k + 1));
}
// Hoermann (1993), BTRS; p at most a half.
template <typename T>
LOUPE_HD T binomial_by_rejection(T n, T p, Words& words) {
    const T spread = std::sqrt(n * p * (1 - p)), b = T(1.15 + 2.53 * static_cast<double>(spread));
    const T a = T(-0.0873 + 0.0248 * static_cast<double>(b) + 0.01 * static_cast<double>(p));
    const T centre = T(static_cast<double>(n * p) + 0.5), sure = T(0.92 - 4.2 / static_cast<double>(b));
    const T odds = p / (1 - p), alpha = T((2.83 + 5.1 / static_cast<double>(b)) * static_cast<double>(spread));
    const T mode = std::floor((n + 1) * p);
    for (;;) {
        const T u = T(static_cast<double>(words.share()) - 0.5), v = static_cast<T>(words.share());
        const T us = T(0.5 - std::abs(static_cast<double>(u))), k = std::floor((2 * a / us + b) * u + centre);
        if (k < 0 || k > n) continue;
        if (us >= T(0.07) && v <= sure) return k;
        const T height = std::log(v * alpha / (a / (us * us) + b));
        const T bound = (mode + T(0.5)) * std::log((mode + 1) / (odds * (n - mode + 1))) +
                        (n + 1) * std::log((n - mode + 1) / (n - k + 1)) +
                        (k + T(0.5)) * std::log(odds * (n - k + 1) / (k + 1)) + stirling_rest(mode) +
                        stirling_rest(n - mode) - stirling_rest(k) - stirling_rest(n - k);
        if (height <= bound) return k;
    }
}
// Geometric gaps between successes until they fill n.
template <typename T>
LOUPE_HD T binomial_by_gaps(T n, T p, Words& words) {
    const T scale = std::log1p(-p);
    T reached = 0, count = 0;
    for (;;) {
        reached += std::ceil(std::log(static_cast<T>(words.share())) / scale);
        if (reached > n) return count;
        count += 1;
    }
}
template <typename T>
LOUPE_HD T binomial(T n, T p, Words& words) {
    if (n <= 0 || p <= 0) return 0;
    if (p >= 1) return n;
    if (n != n || p != p || std::isinf(n)) return std::numeric_limits<T>::quiet_NaN();
    const T less = p <= T(0.5) ? p : T(1.0 - static_cast<double>(p));
    const T drawn = n * less >= T(10) ? binomial_by_rejection(n, less, words) : binomial_by_gaps(n, less, words);
    return p <= T(0.5) ? drawn : n - drawn;
}
// A thread of PyTorch's blocks of 128 draws four elements, 128 apart.
inline constexpr std::int64_t kBlock = 128, kEach = 4;
template <typename T>
struct BinomialBody {
    Draw draw;
    const char *trials, *chances;
    char* to;
    std::int64_t count;

    LOUPE_HD void operator()(std::int64_t i) const {
        const int size = size_of(draw.element);
        const std::int64_t block = quotient(i, kBlock), first = block * kBlock * kEach + (i - block * kBlock);
        Words words(offset_of(draw), static_cast<std::uint64_t>(i), seed_of(draw));
        for (int k = 0; k < kEach; ++k) {
            const std::int64_t at = first + k * kBlock;
            if (at >= count) return;
            const T n = load<T>(trials + at * size, draw.element), p = load<T>(chances + at * size, draw.element);
            store(to + at * size, draw.element, binomial(n, p, words));
        }
    }
};

// Marsaglia and Tsang (2000).
template <typename T>
LOUPE_HD T gamma(T alpha, Words& words) {
    T scale = 1;
    if (alpha < 1) {
        if (alpha == 0) return 0;
        scale = std::pow(1 - static_cast<T>(words.share()), 1 / alpha);
        alpha += 1;
    }
    const T d = alpha - T(1.0F / 3.0F), c = 1 / std::sqrt(9 * d);
    for (;;) {
        T x = 0, y = 0;
        do {
            x = static_cast<T>(words.normal());
            y = 1 + c * x;
        } while (y <= 0);
        const T v = y * y * y, u = 1 - static_cast<T>(words.share()), square = x * x;
        if (u < 1 - T(0.0331F) * square * square) return scale * d * v;
        if (std::log(u) < T(0.5) * square + d * (1 - v + std::log(v))) return scale * d * v;
    }
}
template <typename T>
struct GammaBody {
    Draw draw;
    const char* alpha;
    char* to;
    std::int64_t count;
    double least;

    LOUPE_HD void operator()(std::int64_t i) const {
        const int size = size_of(draw.element);
        const T a = load<T>(alpha + i * size, draw.element);
        Words words(offset_of(draw), static_cast<std::uint64_t>(i), seed_of(draw));
        // No number is a parameter below 0 or NaN.
        const T drawn = a >= 0 ? gamma(a, words) : std::numeric_limits<T>::quiet_NaN();
        store(to + i * size, draw.element, drawn < T(least) ? T(least) : drawn);
    }
};

template <template <typename> class Body, typename... Parts>
bool run_either(const Queue& queue, std::int64_t threads, const Draw& draw, const Parts&... parts) {
    if (draw.element == Element::Float64)
        launch(queue, threads, Body<double>{draw, parts...});
    else
        launch(queue, threads, Body<float>{draw, parts...});
    return true;
}
double least_normal(Element element) {
    switch (element) {
        case Element::Float64:
            return std::numeric_limits<double>::min();
        case Element::Float16:
            return 6.103515625e-05;
        default:
            return static_cast<double>(std::numeric_limits<float>::min());
    }
}

}  // namespace

bool run_poisson(const Queue& queue, const Draw& draw, const void* rates, void* to, std::int64_t count, Fault* fault) {
    return run_either<PoissonBody>(queue, count, draw, static_cast<const char*>(rates), static_cast<char*>(to), count,
                                   fault);
}
bool run_binomial(const Queue& queue, const Draw& draw, const void* trials, const void* chances, void* to,
                  std::int64_t count) {
    const std::int64_t blocks = (count + kBlock * kEach - 1) / (kBlock * kEach);
    return run_either<BinomialBody>(queue, blocks * kBlock, draw, static_cast<const char*>(trials),
                                    static_cast<const char*>(chances), static_cast<char*>(to), count);
}
bool run_gamma(const Queue& queue, const Draw& draw, const void* alpha, void* to, std::int64_t count) {
    return run_either<GammaBody>(queue, count, draw, static_cast<const char*>(alpha), static_cast<char*>(to), count,
                                 least_normal(draw.element));
}

}  // namespace loupe::cuda
