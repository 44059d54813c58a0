// SPDX-License-Identifier: Apache-2.0
#pragma once
// Work that threads share: a row, a channel. A team's threads take its elements in turn and add up what they found; on
// the host a team is one thread. The same body is compiled for both.

#include "plugins/cuda/loops/launch.h"

namespace loupe::cuda {

template <typename S>
using Compute = std::conditional_t<std::is_same_v<S, double>, double, float>;

struct HostTeam {
    LOUPE_HD int rank() const { return 0; }
    LOUPE_HD int size() const { return 1; }
    template <typename T>
    LOUPE_HD T sum(T value) const {
        return value;
    }
    template <typename T>
    LOUPE_HD T largest(T value) const {
        return value;
    }
    // Of the values of the threads before, joined in order.
    template <typename T, typename Join>
    LOUPE_HD T before(T, T first, Join) const {
        return first;
    }
};

#ifdef __CUDACC__
struct WarpTeam {
    __device__ int rank() const { return static_cast<int>(threadIdx.x & 31); }
    __device__ int size() const { return 32; }
    template <typename T>
    __device__ T sum(T value) const {
        for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(0xFFFFFFFFU, value, step);
        return value;
    }
    template <typename T>
    __device__ T largest(T value) const {
        for (int step = 16; step > 0; step /= 2) {
            const T other = __shfl_xor_sync(0xFFFFFFFFU, value, step);
            value = other > value ? other : value;
        }
        return value;
    }
    template <typename T, typename Join>
    __device__ T before(T value, T first, Join join) const {
        for (int step = 1; step < 32; step *= 2) {
            const T other = __shfl_up_sync(0xFFFFFFFFU, value, step);
            if (rank() >= step) value = join(other, value);
        }
        const T other = __shfl_up_sync(0xFFFFFFFFU, value, 1);
        return rank() == 0 ? first : other;
    }
};

template <int kSize>
struct BlockTeam {
    __device__ int rank() const { return static_cast<int>(threadIdx.x); }
    __device__ int size() const { return kSize; }
    template <typename T>
    __device__ T sum(T value) const {
        return join(WarpTeam().sum(value), [](T a, T b) { return a + b; });
    }
    template <typename T>
    __device__ T largest(T value) const {
        return join(WarpTeam().largest(value), [](T a, T b) { return a > b ? a : b; });
    }
    template <typename T, typename Join>
    __device__ T before(T value, T first, Join join) const {
        constexpr int kWarps = kSize / 32;
        __shared__ T totals[kWarps];
        const T own = WarpTeam().before(value, first, join);
        __syncthreads();
        if ((threadIdx.x & 31) == 31) totals[threadIdx.x / 32] = join(own, value);
        __syncthreads();
        T all = first;
        for (unsigned warp = 0; warp < threadIdx.x / 32; ++warp) all = join(all, totals[warp]);
        return join(all, own);
    }

  private:
    template <typename T, typename Join>
    __device__ T join(T value, Join both) const {
        constexpr int kWarps = kSize / 32;
        __shared__ T parts[kWarps];
        __syncthreads();
        if ((threadIdx.x & 31) == 0) parts[threadIdx.x / 32] = value;
        __syncthreads();
        T all = parts[0];
        for (int warp = 1; warp < kWarps; ++warp) all = both(all, parts[warp]);
        return all;
    }
};

template <typename Body>
__global__ void __launch_bounds__(kThreads) each_warp(const __grid_constant__ Body body, std::int64_t count) {
    constexpr int kWarps = kThreads / 32;
    const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * kWarps;
    for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kWarps + threadIdx.x / 32; i < count; i += step)
        body(WarpTeam(), i);
}
template <typename Body, int kSize>
__global__ void __launch_bounds__(kSize) each_block(const __grid_constant__ Body body, std::int64_t count) {
    for (std::int64_t i = blockIdx.x; i < count; i += gridDim.x) body(BlockTeam<kSize>(), i);
}

// A team for each index, as large as `length` elements are worth.
template <typename Body>
void launch_teams(const Queue& queue, std::int64_t count, std::int64_t length, const Body& body) {
    if (count == 0) return;
    constexpr std::int64_t kMostBlocks = 1 << 20;
    const auto blocks = [](std::int64_t wanted) {
        return static_cast<unsigned>(wanted < kMostBlocks ? wanted : kMostBlocks);
    };
    const auto stream = static_cast<cudaStream_t>(queue.stream);
    if (length <= 1024)
        each_warp<<<blocks((count + kThreads / 32 - 1) / (kThreads / 32)), kThreads, 0, stream>>>(body, count);
    else if (length <= 4096)
        each_block<Body, kThreads><<<blocks(count), kThreads, 0, stream>>>(body, count);
    else
        each_block<Body, 1024><<<blocks(count), 1024, 0, stream>>>(body, count);
    check_launch("a kernel over rows");
}
#else
template <typename Body>
void launch_teams(const Queue& queue, std::int64_t count, std::int64_t, const Body& body) {
    if (count == 0) return;
    in_turn(queue, [=] {
        for (std::int64_t i = 0; i < count; ++i) body(HostTeam(), i);
    });
}
#endif

LOUPE_HD inline bool starts_pack(const void* at) { return (reinterpret_cast<std::uintptr_t>(at) & 15) == 0; }

// visit(i, x[i]) for the elements of a dense row, sixteen bytes at a time where they allow it.
template <typename S, typename Team, typename Visit>
LOUPE_HD void each(const Team& team, const S* x, std::int64_t n, Visit&& visit) {
    using T = Compute<S>;
    constexpr int kCount = Pack<S>::kCount;
    const std::int64_t packed = starts_pack(x) ? n / kCount * kCount : 0;
    for (std::int64_t i = static_cast<std::int64_t>(team.rank()) * kCount; i < packed; i += team.size() * kCount) {
        const Pack<S> pack = *reinterpret_cast<const Pack<S>*>(x + i);
        for (int k = 0; k < kCount; ++k) visit(i + k, static_cast<T>(pack.v[k]));
    }
    for (std::int64_t i = packed + team.rank(); i < n; i += team.size()) visit(i, static_cast<T>(x[i]));
}
template <typename S, typename Team, typename Visit>
LOUPE_HD void each(const Team& team, const S* a, const S* b, std::int64_t n, Visit&& visit) {
    using T = Compute<S>;
    constexpr int kCount = Pack<S>::kCount;
    const std::int64_t packed = starts_pack(a) && starts_pack(b) ? n / kCount * kCount : 0;
    for (std::int64_t i = static_cast<std::int64_t>(team.rank()) * kCount; i < packed; i += team.size() * kCount) {
        const Pack<S> first = *reinterpret_cast<const Pack<S>*>(a + i),
                      second = *reinterpret_cast<const Pack<S>*>(b + i);
        for (int k = 0; k < kCount; ++k) visit(i + k, static_cast<T>(first.v[k]), static_cast<T>(second.v[k]));
    }
    for (std::int64_t i = packed + team.rank(); i < n; i += team.size())
        visit(i, static_cast<T>(a[i]), static_cast<T>(b[i]));
}

// y[i] = of(i, x[i])
template <typename S, typename Team, typename Of>
LOUPE_HD void map(const Team& team, S* y, const S* x, std::int64_t n, Of&& of) {
    using T = Compute<S>;
    constexpr int kCount = Pack<S>::kCount;
    const std::int64_t packed = starts_pack(x) && starts_pack(y) ? n / kCount * kCount : 0;
    for (std::int64_t i = static_cast<std::int64_t>(team.rank()) * kCount; i < packed; i += team.size() * kCount) {
        Pack<S> pack = *reinterpret_cast<const Pack<S>*>(x + i);
        for (int k = 0; k < kCount; ++k) pack.v[k] = stored<S>(of(i + k, static_cast<T>(pack.v[k])));
        *reinterpret_cast<Pack<S>*>(y + i) = pack;
    }
    for (std::int64_t i = packed + team.rank(); i < n; i += team.size()) y[i] = stored<S>(of(i, static_cast<T>(x[i])));
}
// y[i] = of(i, a[i], b[i])
template <typename S, typename Team, typename Of>
LOUPE_HD void map(const Team& team, S* y, const S* a, const S* b, std::int64_t n, Of&& of) {
    using T = Compute<S>;
    constexpr int kCount = Pack<S>::kCount;
    const std::int64_t packed = starts_pack(a) && starts_pack(b) && starts_pack(y) ? n / kCount * kCount : 0;
    for (std::int64_t i = static_cast<std::int64_t>(team.rank()) * kCount; i < packed; i += team.size() * kCount) {
        Pack<S> pack = *reinterpret_cast<const Pack<S>*>(a + i);
        const Pack<S> second = *reinterpret_cast<const Pack<S>*>(b + i);
        for (int k = 0; k < kCount; ++k)
            pack.v[k] = stored<S>(of(i + k, static_cast<T>(pack.v[k]), static_cast<T>(second.v[k])));
        *reinterpret_cast<Pack<S>*>(y + i) = pack;
    }
    for (std::int64_t i = packed + team.rank(); i < n; i += team.size())
        y[i] = stored<S>(of(i, static_cast<T>(a[i]), static_cast<T>(b[i])));
}

// A row that its team's threads hold, so that it is read once: `kMost` numbers a thread at most.
template <typename S>
struct HeldRow {
    using T = Compute<S>;
    static constexpr int kMost = std::is_same_v<S, double> ? 16 : 32;
    static constexpr int kCount = Pack<S>::kCount;
    T v[kMost];

    template <typename Team>
    LOUPE_HD static bool fits(const Team& team, std::int64_t n) {
        return n % kCount == 0 && n <= static_cast<std::int64_t>(team.size()) * kMost;
    }
    // visit(i, first number) for the packs of this thread: i is the first element's place in the row.
    template <typename Team, typename Visit>
    LOUPE_HD void packs(const Team& team, std::int64_t n, Visit&& visit) {
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
        for (int p = 0; p < kMost / kCount; ++p) {
            const std::int64_t i = (static_cast<std::int64_t>(p) * team.size() + team.rank()) * kCount;
            if (i < n) visit(i, v + p * kCount);
        }
    }
    template <typename Team>
    LOUPE_HD void read(const Team& team, const S* x, std::int64_t n) {
        packs(team, n, [&](std::int64_t i, T* held) {
            const Pack<S> pack = *reinterpret_cast<const Pack<S>*>(x + i);
            for (int k = 0; k < kCount; ++k) held[k] = static_cast<T>(pack.v[k]);
        });
    }
    template <typename Team, typename Visit>
    LOUPE_HD void each(const Team& team, std::int64_t n, Visit&& visit) {
        packs(team, n, [&](std::int64_t i, T* held) {
            for (int k = 0; k < kCount; ++k) visit(i + k, held[k]);
        });
    }
    // y[i] = of(i, v[i])
    template <typename Team, typename Of>
    LOUPE_HD void write(const Team& team, S* y, std::int64_t n, Of&& of) {
        packs(team, n, [&](std::int64_t i, T* held) {
            Pack<S> pack;
            for (int k = 0; k < kCount; ++k) pack.v[k] = stored<S>(of(i + k, held[k]));
            *reinterpret_cast<Pack<S>*>(y + i) = pack;
        });
    }
};

// visit(S()) with the type of the elements in memory; false for one that is not floating.
template <typename Visit>
bool visit_floating(Element element, Visit&& visit) {
    switch (element) {
        case Element::Float32:
            return visit(float()), true;
        case Element::Float64:
            return visit(double()), true;
        case Element::Float16:
            return visit(Half()), true;
        case Element::BFloat16:
            return visit(Brain()), true;
        default:
            return false;
    }
}

}  // namespace loupe::cuda
