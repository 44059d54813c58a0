// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda/loops/statistics.h"

#include "plugins/cuda/loops/team.h"

namespace loupe::cuda {
namespace {

LOUPE_HD inline int bin_of(double magnitude) {
    // The exponent, from the bits; numbers too small for it are in the first bin anyway.
    const int exponent = static_cast<int>(bits_as<std::uint64_t>(magnitude) >> 52 & 0x7FF) - 1023;
    const int bin = exponent + 1 - ElementTotals::kLowest;
    return bin < 0 ? 0 : bin >= ElementTotals::kBins ? ElementTotals::kBins - 1 : bin;
}
LOUPE_HD inline bool is_finite(double v) { return v - v == 0; }

// Counts of exponents that a team's threads share.
struct Bins {
#ifdef __CUDA_ARCH__
    unsigned* counts;
    __device__ void add(int bin) { atomicAdd(counts + bin, 1U); }
#else
    unsigned counts[ElementTotals::kBins] = {};
    LOUPE_HD void add(int bin) { ++counts[bin]; }
#endif
};

struct PartBody {
    Element element;
    const char* x;
    std::int64_t count, part;
    ElementTotals* parts;

    template <typename Team>
    LOUPE_HD void operator()(const Team& team, std::int64_t index) const {
        const std::int64_t begin = index * part, end = begin + part < count ? begin + part : count;
        double shift = load<double>(x, element);
        if (!is_finite(shift)) shift = 0;
        constexpr double kInfinity = std::numeric_limits<double>::infinity();
        std::int64_t finite = 0, nan = 0, zero = 0;
        double least = kInfinity, most = -kInfinity, sum = 0, squares = 0, magnitudes = 0;
        Bins bins;
#ifdef __CUDA_ARCH__
        __shared__ unsigned shared[ElementTotals::kBins];
        for (int i = team.rank(); i < ElementTotals::kBins; i += team.size()) shared[i] = 0;
        bins.counts = shared;
        __syncthreads();
#endif
        const auto take = [&](double v) {
            if (v != v) {
                ++nan;
                return;
            }
            const double magnitude = v < 0 ? -v : v;
            if (magnitude == kInfinity) return;
            ++finite;
            least = v < least ? v : least;
            most = v > most ? v : most;
            sum += v - shift;
            squares += (v - shift) * (v - shift);
            magnitudes += magnitude;
            if (magnitude == 0)
                ++zero;
            else
                bins.add(bin_of(magnitude));
        };
        if (element == Element::Float32)
            each(team, reinterpret_cast<const float*>(x) + begin, end - begin,
                 [&](std::int64_t, float v) { take(static_cast<double>(v)); });
        else if (element == Element::BFloat16)
            each(team, reinterpret_cast<const Brain*>(x) + begin, end - begin,
                 [&](std::int64_t, float v) { take(static_cast<double>(v)); });
        else
            for (std::int64_t i = begin + team.rank(); i < end; i += team.size())
                take(load<double>(x + i * size_of(element), element));
        finite = team.sum(finite);
        nan = team.sum(nan);
        zero = team.sum(zero);
        least = -team.largest(-least);
        most = team.largest(most);
        sum = team.sum(sum);
        squares = team.sum(squares);
        magnitudes = team.sum(magnitudes);
        ElementTotals& out = parts[index];
        for (int i = team.rank(); i < ElementTotals::kBins; i += team.size()) out.exponents[i] = bins.counts[i];
        if (team.rank() != 0) return;
        out.count = end - begin;
        out.finite = finite;
        out.nan = nan;
        out.zero = zero;
        out.min = least;
        out.max = most;
        out.shift = shift;
        out.sum = sum;
        out.sum_of_squares = squares;
        out.abs_sum = magnitudes;
    }
};

struct JoinBody {
    const ElementTotals* parts;
    std::int64_t count;
    ElementTotals* whole;

    template <typename Team>
    LOUPE_HD void operator()(const Team& team, std::int64_t) const {
        ElementTotals own;
        own.min = std::numeric_limits<double>::infinity();
        own.max = -own.min;
        for (std::int64_t i = team.rank(); i < count; i += team.size()) {
            const ElementTotals& part = parts[i];
            own.count += part.count;
            own.finite += part.finite;
            own.nan += part.nan;
            own.zero += part.zero;
            own.min = part.min < own.min ? part.min : own.min;
            own.max = part.max > own.max ? part.max : own.max;
            own.sum += part.sum;
            own.sum_of_squares += part.sum_of_squares;
            own.abs_sum += part.abs_sum;
        }
        own.count = team.sum(own.count);
        own.finite = team.sum(own.finite);
        own.nan = team.sum(own.nan);
        own.zero = team.sum(own.zero);
        own.min = -team.largest(-own.min);
        own.max = team.largest(own.max);
        own.sum = team.sum(own.sum);
        own.sum_of_squares = team.sum(own.sum_of_squares);
        own.abs_sum = team.sum(own.abs_sum);
        for (int bin = team.rank(); bin < ElementTotals::kBins; bin += team.size()) {
            std::uint64_t sum = 0;
            for (std::int64_t i = 0; i < count; ++i) sum += parts[i].exponents[bin];
            whole->exponents[bin] = sum;
        }
        if (team.rank() != 0) return;
        whole->count = own.count;
        whole->finite = own.finite;
        whole->nan = own.nan;
        whole->zero = own.zero;
        whole->min = own.min;
        whole->max = own.max;
        whole->shift = parts[0].shift;
        whole->sum = own.sum;
        whole->sum_of_squares = own.sum_of_squares;
        whole->abs_sum = own.abs_sum;
    }
};

}  // namespace

std::int64_t statistics_parts(std::int64_t count) {
    constexpr std::int64_t kPart = 8192, kMost = 1024;
    const std::int64_t parts = (count + kPart - 1) / kPart;
    return parts < kMost ? parts : kMost;
}

void run_statistics(const Queue& queue, Element element, const void* x, std::int64_t count, ElementTotals* parts,
                    ElementTotals* whole) {
    const std::int64_t number = statistics_parts(count);
    // Whole packs, so that each part begins where sixteen bytes do.
    const std::int64_t part = ((count + number - 1) / number + 15) / 16 * 16;
    const std::int64_t filled = (count + part - 1) / part;
    constexpr std::int64_t kBlock = 2048;  // a team of a block's size: bins are shared by its threads
    launch_teams(queue, filled, kBlock, PartBody{element, static_cast<const char*>(x), count, part, parts});
    launch_teams(queue, 1, kBlock, JoinBody{parts, filled, whole});
}

}  // namespace loupe::cuda
