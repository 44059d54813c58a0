// SPDX-License-Identifier: Apache-2.0
#pragma once
// The threads that share a row: a warp, or a block. What they join is the same in each of them, and the same each time.
// Includes nothing of the engine.

#include "plugins/cuda/loops/portable.h"

#ifdef __CUDACC__
#define LOUPE_DEVICE __device__
#else
#define LOUPE_DEVICE
#endif

namespace loupe::cuda::fused {

inline constexpr int kWarp = 32;

template <typename T>
LOUPE_DEVICE T moved(T value, int lanes) {
    static_assert(sizeof(T) % 4 == 0);
    unsigned words[sizeof(T) / 4];
    memcpy(words, &value, sizeof value);
    LOUPE_UNROLL
    for (unsigned& word : words) word = __shfl_down_sync(0xFFFFFFFFU, word, lanes);
    memcpy(&value, words, sizeof value);
    return value;
}
template <typename T>
LOUPE_DEVICE T of_first_lane(T value) {
    unsigned words[sizeof(T) / 4];
    memcpy(words, &value, sizeof value);
    LOUPE_UNROLL
    for (unsigned& word : words) word = __shfl_sync(0xFFFFFFFFU, word, 0);
    memcpy(&value, words, sizeof value);
    return value;
}

template <int kThreads, int kBlock>
struct RowTeam {
    static constexpr int kTeams = kBlock / kThreads;  // in a block
    static constexpr int kWarps = kThreads / kWarp;

    LOUPE_DEVICE static int rank() { return static_cast<int>(threadIdx.x) % kThreads; }
    LOUPE_DEVICE static std::int64_t index() {
        return static_cast<std::int64_t>(blockIdx.x) * kTeams + static_cast<int>(threadIdx.x) / kThreads;
    }
    LOUPE_DEVICE static std::int64_t count() { return static_cast<std::int64_t>(gridDim.x) * kTeams; }

    // of(a, b), as an order: lanes from the last on, then warps from the first on.
    template <typename T, typename Of>
    LOUPE_DEVICE static T join(T value, Of of) {
        LOUPE_UNROLL
        for (int step = kWarp / 2; step > 0; step /= 2) value = of(value, moved(value, step));
        if constexpr (kWarps == 1) return of_first_lane(value);
        __shared__ T parts[kWarps];
        __syncthreads();
        if (threadIdx.x % kWarp == 0) parts[threadIdx.x / kWarp] = value;
        __syncthreads();
        T all = parts[0];
        for (int warp = 1; warp < kWarps; ++warp) all = of(all, parts[warp]);
        return all;
    }
    template <typename T>
    LOUPE_DEVICE static T sum(T value) {
        return join(value, [](T a, T b) { return a + b; });
    }
    template <typename T>
    LOUPE_DEVICE static T largest(T value) {
        return join(value, [](T a, T b) { return b > a ? b : a; });
    }
    template <typename R>
    LOUPE_DEVICE static typename R::State joined(typename R::State state) {
        return join(state, [](typename R::State a, typename R::State b) {
            R::merge(a, b);
            return a;
        });
    }
};

// Sums over rows: each team has added up its rows' columns; a column of the teams' sums is added up by kLanes threads
// in turn. parts: [teams, n]; blocks of (kWarp, kLanes) threads.
inline constexpr int kLanes = 8;
template <typename T, typename Write>
LOUPE_DEVICE void add_parts(const T* parts, std::int64_t teams, std::int64_t n, Write write) {
    __shared__ T sums[kLanes][kWarp];
    const std::int64_t column = static_cast<std::int64_t>(blockIdx.x) * kWarp + threadIdx.x;
    T sum = 0;
    if (column < n) {
        for (std::int64_t team = threadIdx.y; team < teams; team += kLanes) sum += parts[team * n + column];
    }
    sums[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.y != 0 || column >= n) return;
    for (int lane = 1; lane < kLanes; ++lane) sum += sums[lane][threadIdx.x];
    write(column, sum);
}

}  // namespace loupe::cuda::fused
