// SPDX-License-Identifier: Apache-2.0
#pragma once
// Products of small matrices that a block of threads holds in its shared memory: by tensor cores for 16-bit numbers,
// in registers for float32. On the host the block is one thread and its memory plain. Includes nothing of the engine.

#include <cstddef>
#include <vector>

#include "plugins/cuda/loops/team.h"

#ifdef __CUDACC__
#include <mma.h>
#endif

namespace loupe::cuda {

inline constexpr int kTile = 64;          // rows of a tile, and columns of a tile of products
inline constexpr int kTileThreads = 256;  // eight warps: sixteen rows and half of the columns each
inline constexpr int kRowThreads = kTileThreads / kTile;

// Elements from row to row of an operand: a pack more than the columns, so that rows start in different banks.
template <typename S>
constexpr int padded(int columns) {
    return columns + 16 / static_cast<int>(sizeof(S));
}
// The same of products of operands S, which a row's threads read side by side: those of float32 become operands again.
template <typename S>
constexpr int padded_sums(int columns) {
    return columns + (std::is_same_v<S, float> ? 4 : 16);
}

// The threads that share a row; each takes four columns at a time.
struct RowTeam {
#ifdef __CUDA_ARCH__
    __device__ int rank() const { return static_cast<int>(threadIdx.x) % kRowThreads; }
    __device__ int size() const { return kRowThreads; }
    __device__ void wait() const { __syncwarp(); }
    __device__ float sum(float value) const {
        for (int step = kRowThreads / 2; step > 0; step /= 2) value += __shfl_xor_sync(0xFFFFFFFFU, value, step);
        return value;
    }
    __device__ float largest(float value) const {
        for (int step = kRowThreads / 2; step > 0; step /= 2) {
            const float other = __shfl_xor_sync(0xFFFFFFFFU, value, step);
            value = other > value ? other : value;
        }
        return value;
    }
#else
    LOUPE_HD int rank() const { return 0; }
    LOUPE_HD int size() const { return 1; }
    LOUPE_HD void wait() const {}
    LOUPE_HD float sum(float value) const { return value; }
    LOUPE_HD float largest(float value) const { return value; }
#endif
};

// The threads of a block, and its memory.
struct TileTeam {
    char* memory;
#ifdef __CUDA_ARCH__
    __device__ int rank() const { return static_cast<int>(threadIdx.x); }
    __device__ int size() const { return kTileThreads; }
    __device__ int first_row() const { return static_cast<int>(threadIdx.x) / kRowThreads; }
    __device__ int row_step() const { return kTile; }
    __device__ void wait() const { __syncthreads(); }
#else
    LOUPE_HD int rank() const { return 0; }
    LOUPE_HD int size() const { return 1; }
    LOUPE_HD int first_row() const { return 0; }
    LOUPE_HD int row_step() const { return 1; }
    LOUPE_HD void wait() const {}
#endif
};

struct alignas(16) Four {
    float v[4];
};
// Elements that a thread of a row takes at once.
template <typename S>
struct alignas(4 * sizeof(S)) Quad {
    S v[4];
};

// A matrix in a block's memory; turned: element [i, k] lies where [k, i] would.
template <typename S>
struct TileMatrix {
    S* data;
    int leading;

    LOUPE_HD S& at(int row, int column) const { return data[row * leading + column]; }
};

#ifdef __CUDA_ARCH__
// By tensor cores: a warp's strip of rows and half of the columns.
template <bool kTurnA, bool kTurnB, int kColumns, int kDepth, typename S>
__device__ void multiply_16_bit(const TileMatrix<float>& out, const TileMatrix<const S>& a,
                                const TileMatrix<const S>& b, bool adds) {
    using namespace nvcuda;
    using Native = std::conditional_t<std::is_same_v<S, Half>, __half, __nv_bfloat16>;
    using LayoutA = std::conditional_t<kTurnA, wmma::col_major, wmma::row_major>;
    using LayoutB = std::conditional_t<kTurnB, wmma::col_major, wmma::row_major>;
    const int warp = static_cast<int>(threadIdx.x) / 32, row = warp / 2 * 16, first = warp % 2 * (kColumns / 2);
    // The rows' part of a is read once for all columns.
    wmma::fragment<wmma::matrix_a, 16, 16, 16, Native, LayoutA> left[kDepth / 16];
#pragma unroll
    for (int k = 0; k < kDepth; k += 16) {
        const S* const from = kTurnA ? &a.at(k, row) : &a.at(row, k);
        wmma::load_matrix_sync(left[k / 16], reinterpret_cast<const Native*>(from), a.leading);
    }
#pragma unroll
    for (int c = 0; c < kColumns / 2; c += 16) {
        const int column = first + c;
        wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
        float* const place = &out.at(row, column);
        if (adds)
            wmma::load_matrix_sync(sum, place, out.leading, wmma::mem_row_major);
        else
            wmma::fill_fragment(sum, 0.0F);
#pragma unroll
        for (int k = 0; k < kDepth; k += 16) {
            wmma::fragment<wmma::matrix_b, 16, 16, 16, Native, LayoutB> right;
            const S* const from = kTurnB ? &b.at(column, k) : &b.at(k, column);
            wmma::load_matrix_sync(right, reinterpret_cast<const Native*>(from), b.leading);
            wmma::mma_sync(sum, left[k / 16], right, sum);
        }
        wmma::store_matrix_sync(place, sum, out.leading, wmma::mem_row_major);
    }
}

__device__ inline Four four_at(const float* place) { return *reinterpret_cast<const Four*>(place); }

// In registers: a lane has four rows, and of a turned b every eighth column, so that the lanes' reads meet in no bank.
template <bool kTurnA, bool kTurnB, int kColumns, int kDepth>
__device__ void multiply_float(const TileMatrix<float>& out, const TileMatrix<const float>& a,
                               const TileMatrix<const float>& b, bool adds) {
    constexpr int kRows = 4, kWide = kColumns / 16;
    const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) & 31;
    const int row = warp / 2 * 16 + lane / 8 * kRows, half = warp % 2 * (kColumns / 2);
    const auto column = [&](int j) { return half + (kTurnB ? j * 8 + lane % 8 : lane % 8 * kWide + j); };
    float sum[kRows][kWide];
#pragma unroll
    for (int i = 0; i < kRows; ++i)
#pragma unroll
        for (int j = 0; j < kWide; ++j) sum[i][j] = adds ? out.at(row + i, column(j)) : 0.0F;
#pragma unroll 2
    for (int k = 0; k < kDepth; k += 4) {
        float left[kRows][4], right[kWide][4];
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            const Four read = four_at(kTurnA ? &a.at(k + i, row) : &a.at(row + i, k));
#pragma unroll
            for (int l = 0; l < 4; ++l) (kTurnA ? left[l][i] : left[i][l]) = read.v[l];
        }
#pragma unroll
        for (int j = 0; j < kWide; ++j) {
            if constexpr (kTurnB) {
                const Four read = four_at(&b.at(column(j), k));
#pragma unroll
                for (int l = 0; l < 4; ++l) right[j][l] = read.v[l];
            } else {
#pragma unroll
                for (int l = 0; l < 4; ++l) right[j][l] = b.at(k + l, column(j));
            }
        }
#pragma unroll
        for (int l = 0; l < 4; ++l)
#pragma unroll
            for (int i = 0; i < kRows; ++i)
#pragma unroll
                for (int j = 0; j < kWide; ++j) sum[i][j] += left[i][l] * right[j][l];
    }
#pragma unroll
    for (int i = 0; i < kRows; ++i)
#pragma unroll
        for (int j = 0; j < kWide; ++j) out.at(row + i, column(j)) = sum[i][j];
}
#endif

// out (+)= a b in float32: a is kTile by kDepth, b kDepth by kColumns, each perhaps turned in memory. All threads come
// here, and wait for each other before and behind.
template <bool kTurnA, bool kTurnB, int kColumns, int kDepth, typename S>
LOUPE_HD void multiply(const TileMatrix<float>& out, const TileMatrix<const S>& a, const TileMatrix<const S>& b,
                       bool adds) {
#ifdef __CUDA_ARCH__
    if constexpr (std::is_same_v<S, float>)
        multiply_float<kTurnA, kTurnB, kColumns, kDepth>(out, a, b, adds);
    else
        multiply_16_bit<kTurnA, kTurnB, kColumns, kDepth>(out, a, b, adds);
#else
    for (int i = 0; i < kTile; ++i) {
        for (int j = 0; j < kColumns; ++j) {
            float sum = adds ? out.at(i, j) : 0.0F;
            for (int k = 0; k < kDepth; ++k)
                sum += static_cast<float>(kTurnA ? a.at(k, i) : a.at(i, k)) *
                       static_cast<float>(kTurnB ? b.at(j, k) : b.at(k, j));
            out.at(i, j) = sum;
        }
    }
#endif
}

// Hands out parts of a block's memory; each starts where wide reads may.
struct TileMemory {
    std::size_t used = 0;

    template <typename S>
    LOUPE_HD std::size_t take(int rows, int leading) {
        const std::size_t at = used;
        used += (static_cast<std::size_t>(rows) * static_cast<std::size_t>(leading) * sizeof(S) + 127) / 128 * 128;
        return at;
    }
};

#ifdef __CUDACC__
// The most that a block of this device may have.
std::size_t most_tile_memory();

template <typename Body>
__global__ void __launch_bounds__(kTileThreads) each_tile(const __grid_constant__ Body body) {
    extern __shared__ __align__(128) char memory[];
    body(TileTeam{memory}, static_cast<std::int64_t>(blockIdx.x));
}

// A block of threads with `bytes` of memory for each index.
template <typename Body>
void launch_tiles(const Queue& queue, std::int64_t count, std::size_t bytes, const Body& body) {
    if (count == 0) return;
    cudaFuncSetAttribute(each_tile<Body>, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes));
    each_tile<<<static_cast<unsigned>(count), kTileThreads, bytes, static_cast<cudaStream_t>(queue.stream)>>>(body);
    check_launch("a kernel over tiles");
}
#else
inline std::size_t most_tile_memory() { return std::size_t{227} << 10; }  // as an H100 has

template <typename Body>
void launch_tiles(const Queue& queue, std::int64_t count, std::size_t bytes, const Body& body) {
    if (count == 0) return;
    in_turn(queue, [=] {
        std::vector<char> memory(bytes + 128);
        char* const start = memory.data() + (128 - reinterpret_cast<std::uintptr_t>(memory.data()) % 128);
        for (std::int64_t i = 0; i < count; ++i) body(TileTeam{start}, i);
    });
}
#endif

}  // namespace loupe::cuda
