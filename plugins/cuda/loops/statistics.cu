// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda/loops/statistics.h"

#include <memory>
#include <vector>

#include "plugins/cuda/loops/team.h"

namespace loupe::cuda {
namespace {

// Of a magnitude that is finite and not 0: the exponent, from the bits. Numbers below what the type has as normal ones
// are in the first bin anyway.
LOUPE_HD inline int clamped(int exponent) {
    const int bin = exponent + 1 - ElementTotals::kLowest;
    return bin < 0 ? 0 : bin >= ElementTotals::kBins ? ElementTotals::kBins - 1 : bin;
}
LOUPE_HD inline int bin_of(double magnitude) {
    return clamped(static_cast<int>(bits_as<std::uint64_t>(magnitude) >> 52 & 0x7FF) - 1023);
}
LOUPE_HD inline int bin_of(float magnitude) {
    return clamped(static_cast<int>(bits_as<std::uint32_t>(magnitude) >> 23 & 0xFF) - 127);
}
template <typename T>
LOUPE_HD bool is_finite(T v) {
    return v - v == 0;
}

// Counts of exponents. The threads of a warp count in columns of their own, which never wait for each other.
struct Bins {
#ifdef __CUDA_ARCH__
    static constexpr int kColumns = 32;
    unsigned* counts;
    __device__ void add(int bin) { atomicAdd(counts + bin * kColumns + (threadIdx.x & 31), 1U); }
    __device__ std::uint64_t total(int bin) const {
        std::uint64_t sum = 0;
        for (int i = 0; i < kColumns; ++i) sum += counts[bin * kColumns + (i + bin) % kColumns];
        return sum;
    }
#else
    unsigned counts[ElementTotals::kBins] = {};
    LOUPE_HD void add(int bin) { ++counts[bin]; }
    LOUPE_HD std::uint64_t total(int bin) const { return counts[bin]; }
#endif
};

// What one thread has found; sums are of the differences to the shift.
struct Found {
    std::int64_t finite = 0, nan = 0, zero = 0;
    double least = std::numeric_limits<double>::infinity();
    double most = -std::numeric_limits<double>::infinity();
    float low = std::numeric_limits<float>::infinity();  // of packs
    float high = -std::numeric_limits<float>::infinity();
    double sum = 0, squares = 0, magnitudes = 0;

    template <typename Team>
    LOUPE_HD void join(const Team& team) {
        finite = team.sum(finite);
        nan = team.sum(nan);
        zero = team.sum(zero);
        least = static_cast<double>(low) < least ? static_cast<double>(low) : least;
        most = static_cast<double>(high) > most ? static_cast<double>(high) : most;
        least = -team.largest(-least);
        most = team.largest(most);
        sum = team.sum(sum);
        squares = team.sum(squares);
        magnitudes = team.sum(magnitudes);
    }
};

// One more element. Sums are of doubles: those of float32 would leave its range where its largest numbers stand for
// infinity, as in masks.
template <typename T>
LOUPE_HD void take(Found& found, Bins& bins, T v, double shift) {
    if (!is_finite(v)) {
        found.nan += v != v ? 1 : 0;
        return;
    }
    const T magnitude = v < 0 ? -v : v;
    const double moved = static_cast<double>(v) - shift;
    ++found.finite;
    found.least = static_cast<double>(v) < found.least ? static_cast<double>(v) : found.least;
    found.most = static_cast<double>(v) > found.most ? static_cast<double>(v) : found.most;
    found.sum += moved;
    found.squares += moved * moved;
    found.magnitudes += static_cast<double>(magnitude);
    if (magnitude == 0)
        ++found.zero;
    else
        bins.add(bin_of(magnitude));
}

// A pack of elements that float32 holds. Where none is so large that squares leave its range, they are added up in it
// first: turning each into a double takes longer than reading it.
template <int kCount>
LOUPE_HD void take_pack(Found& found, Bins& bins, const float* v, float shift) {
    constexpr float kLarge = 1e18F;
    float sum = 0, squares = 0, magnitudes = 0;
    float least = std::numeric_limits<float>::infinity(), most = -least;
    int zero = 0;
    bool is_small = true;
    LOUPE_UNROLL
    for (int k = 0; k < kCount; ++k) {
        const float magnitude = std::fabs(v[k]);
        is_small = is_small && magnitude < kLarge;  // false of NaN
    }
    const bool is_near = shift < kLarge && shift > -kLarge;
    if (!is_small || !is_near) {
        for (int k = 0; k < kCount; ++k) take(found, bins, v[k], static_cast<double>(shift));
        return;
    }
    LOUPE_UNROLL
    for (int k = 0; k < kCount; ++k) {
        const float magnitude = std::fabs(v[k]), moved = v[k] - shift;
        least = v[k] < least ? v[k] : least;
        most = v[k] > most ? v[k] : most;
        sum += moved;
        squares += moved * moved;
        magnitudes += magnitude;
        zero += magnitude == 0 ? 1 : 0;
        if (magnitude != 0) bins.add(bin_of(magnitude));
    }
    found.finite += kCount;
    found.zero += zero;
    found.low = least < found.low ? least : found.low;
    found.high = most > found.high ? most : found.high;
    found.sum += static_cast<double>(sum);
    found.squares += static_cast<double>(squares);
    found.magnitudes += static_cast<double>(magnitudes);
}

template <typename S, typename Team>
LOUPE_HD void take_all(const Team& team, Found& found, Bins& bins, const S* x, std::int64_t count, float shift) {
    constexpr int kCount = Pack<S>::kCount;
    const std::int64_t packed = starts_pack(x) ? count / kCount * kCount : 0;
    for (std::int64_t i = static_cast<std::int64_t>(team.rank()) * kCount; i < packed; i += team.size() * kCount) {
        const Pack<S> pack = *reinterpret_cast<const Pack<S>*>(x + i);
        float v[kCount];
        LOUPE_UNROLL
        for (int k = 0; k < kCount; ++k) v[k] = static_cast<float>(pack.v[k]);
        take_pack<kCount>(found, bins, v, shift);
    }
    for (std::int64_t i = packed + team.rank(); i < count; i += team.size()) {
        const float v = static_cast<float>(x[i]);
        take_pack<1>(found, bins, &v, shift);
    }
}

// Makes what a team wrote seen by the host before what is written next.
template <typename Team>
LOUPE_HD void settle(const Team& team) {
#ifdef __CUDA_ARCH__
    __threadfence_system();
#endif
    team.sum(0);  // all have come here
}

template <typename Team>
LOUPE_HD void write(const Team& team, ElementTotals& out, const Found& found, double shift, std::int64_t count) {
    if (team.rank() == 0) {
        out.finite = found.finite;
        out.nan = found.nan;
        out.zero = found.zero;
        out.min = found.least;
        out.max = found.most;
        out.shift = shift;
        out.sum = found.sum;
        out.sum_of_squares = found.squares;
        out.abs_sum = found.magnitudes;
    }
    settle(team);
    // Last: a reader knows by it that the rest is there.
    if (team.rank() == 0) out.count = count;
}

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
        Bins bins;
#ifdef __CUDA_ARCH__
        __shared__ unsigned shared[ElementTotals::kBins * Bins::kColumns];
        for (int i = team.rank(); i < ElementTotals::kBins * Bins::kColumns; i += team.size()) shared[i] = 0;
        bins.counts = shared;
        __syncthreads();
#endif
        Found found;
        const auto near = static_cast<float>(shift);
        if (element == Element::Float32)
            take_all(team, found, bins, reinterpret_cast<const float*>(x) + begin, end - begin, near);
        else if (element == Element::BFloat16)
            take_all(team, found, bins, reinterpret_cast<const Brain*>(x) + begin, end - begin, near);
        else if (element == Element::Float16)
            take_all(team, found, bins, reinterpret_cast<const Half*>(x) + begin, end - begin, near);
        else
            for (std::int64_t i = begin + team.rank(); i < end; i += team.size())
                take(found, bins, load<double>(x + i * size_of(element), element), shift);
        found.join(team);  // and waits for all counts
        ElementTotals& out = parts[index];
        for (int bin = team.rank(); bin < ElementTotals::kBins; bin += team.size())
            out.exponents[bin] = bins.total(bin);
        write(team, out, found, shift, end - begin);
    }
};

struct JoinBody {
    const ElementTotals* parts;
    std::int64_t count;
    ElementTotals* whole;

    template <typename Team>
    LOUPE_HD void operator()(const Team& team, std::int64_t) const {
        Found found;
        std::int64_t elements = 0;
        for (std::int64_t i = team.rank(); i < count; i += team.size()) {
            const ElementTotals& part = parts[i];
            elements += part.count;
            found.finite += part.finite;
            found.nan += part.nan;
            found.zero += part.zero;
            found.least = part.min < found.least ? part.min : found.least;
            found.most = part.max > found.most ? part.max : found.most;
            found.sum += part.sum;
            found.squares += part.sum_of_squares;
            found.magnitudes += part.abs_sum;
        }
        found.join(team);
        elements = team.sum(elements);
        add_exponents(team);
        write(team, *whole, found, parts[0].shift, elements);
    }

    // Several threads share a bin's parts, so that many reads are under way at once.
    template <typename Team>
    LOUPE_HD void add_exponents(const Team& team) const {
#ifdef __CUDA_ARCH__
        __shared__ unsigned long long sums[ElementTotals::kBins];
        for (int bin = team.rank(); bin < ElementTotals::kBins; bin += team.size()) sums[bin] = 0;
        __syncthreads();
        const int bin = team.rank() % ElementTotals::kBins;
        unsigned long long sum = 0;
#pragma unroll 8
        for (std::int64_t i = team.rank() / ElementTotals::kBins; i < count; i += team.size() / ElementTotals::kBins)
            sum += parts[i].exponents[bin];
        atomicAdd(sums + bin, sum);
        __syncthreads();
        for (int b = team.rank(); b < ElementTotals::kBins; b += team.size()) whole->exponents[b] = sums[b];
#else
        for (int bin = team.rank(); bin < ElementTotals::kBins; bin += team.size()) {
            std::uint64_t sum = 0;
            for (std::int64_t i = 0; i < count; ++i) sum += parts[i].exponents[bin];
            whole->exponents[bin] = sum;
        }
#endif
    }
};

// Room for totals of parts, for the work that is given next.
class Room {
  public:
    Room(const Queue& queue, std::int64_t count) {
#ifdef __CUDACC__
        totals_ =
            static_cast<ElementTotals*>(queue.scratch(queue, static_cast<std::size_t>(count) * sizeof(ElementTotals)));
#else
        held_ = std::make_shared<std::vector<ElementTotals>>(static_cast<std::size_t>(count));
        totals_ = held_->data();
        queue_ = queue;
#endif
    }
#ifndef __CUDACC__
    // Until the work is done.
    ~Room() {
        in_turn(queue_, [held = held_] {});
    }
#endif
    ElementTotals* totals() const { return totals_; }

  private:
#ifndef __CUDACC__
    std::shared_ptr<std::vector<ElementTotals>> held_;
    Queue queue_;
#endif
    ElementTotals* totals_ = nullptr;
};

std::int64_t number_of_parts(std::int64_t count) {
    constexpr std::int64_t kPart = 32768, kMost = 264;
    const std::int64_t parts = (count + kPart - 1) / kPart;
    return parts < kMost ? parts : kMost;
}

}  // namespace

void run_statistics(const Queue& queue, Element element, const void* x, std::int64_t count, ElementTotals* whole) {
    const std::int64_t number = number_of_parts(count);
    // Whole packs, so that each part begins where sixteen bytes do.
    const std::int64_t part = ((count + number - 1) / number + 15) / 16 * 16;
    const std::int64_t filled = (count + part - 1) / part;
    constexpr std::int64_t kBlock = 8192;  // a team as large as a block can be: its threads share the bins
    const auto* const elements = static_cast<const char*>(x);
    if (filled == 1) return launch_teams(queue, 1, kBlock, PartBody{element, elements, count, part, whole});
    const Room parts(queue, filled);
    launch_teams(queue, filled, kBlock, PartBody{element, elements, count, part, parts.totals()});
    launch_teams(queue, 1, kBlock, JoinBody{parts.totals(), filled, whole});
}

}  // namespace loupe::cuda
