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
inline constexpr int kTileThreads = 128;  // four warps, sixteen rows each
inline constexpr int kTileWarps = kTileThreads / 32;

// Elements from row to row: a pack more than the columns, so that rows start in different banks.
template <typename S>
constexpr int padded(int columns) {
    return columns + 16 / static_cast<int>(sizeof(S));
}

// The threads of a block, and its memory.
struct TileTeam {
    char* memory;
#ifdef __CUDA_ARCH__
    __device__ int rank() const { return static_cast<int>(threadIdx.x); }
    __device__ int size() const { return kTileThreads; }
    __device__ int warp() const { return static_cast<int>(threadIdx.x) / 32; }
    __device__ int warps() const { return kTileWarps; }
    __device__ void wait() const { __syncthreads(); }
    __device__ WarpTeam row_team() const { return {}; }
#else
    LOUPE_HD int rank() const { return 0; }
    LOUPE_HD int size() const { return 1; }
    LOUPE_HD int warp() const { return 0; }
    LOUPE_HD int warps() const { return 1; }
    LOUPE_HD void wait() const {}
    LOUPE_HD HostTeam row_team() const { return {}; }
#endif
};

// A matrix in a block's memory; turned: element [i, k] lies where [k, i] would.
template <typename S>
struct TileMatrix {
    S* data;
    int leading;

    LOUPE_HD S& at(int row, int column) const { return data[row * leading + column]; }
};

// out (+)= a b, float32: a is kTile by kDepth, b kDepth by kColumns, each perhaps turned in memory. All threads come
// here; they wait for each other before and behind where they need to.
template <bool kTurnA, bool kTurnB, int kColumns, int kDepth, typename S>
LOUPE_HD void multiply(const TileTeam& team, const TileMatrix<float>& out, const TileMatrix<const S>& a,
                       const TileMatrix<const S>& b, bool adds) {
#ifdef __CUDA_ARCH__
    if constexpr (!std::is_same_v<S, float>) {
        using namespace nvcuda;
        using Native = std::conditional_t<std::is_same_v<S, Half>, __half, __nv_bfloat16>;
        using LayoutA = std::conditional_t<kTurnA, wmma::col_major, wmma::row_major>;
        using LayoutB = std::conditional_t<kTurnB, wmma::col_major, wmma::row_major>;
        const int row = team.warp() * 16;
#pragma unroll
        for (int column = 0; column < kColumns; column += 16) {
            wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
            float* const place = &out.at(row, column);
            if (adds)
                wmma::load_matrix_sync(sum, place, out.leading, wmma::mem_row_major);
            else
                wmma::fill_fragment(sum, 0.0F);
#pragma unroll
            for (int k = 0; k < kDepth; k += 16) {
                wmma::fragment<wmma::matrix_a, 16, 16, 16, Native, LayoutA> left;
                wmma::fragment<wmma::matrix_b, 16, 16, 16, Native, LayoutB> right;
                const S* const from_a = kTurnA ? &a.at(k, row) : &a.at(row, k);
                const S* const from_b = kTurnB ? &b.at(column, k) : &b.at(k, column);
                wmma::load_matrix_sync(left, reinterpret_cast<const Native*>(from_a), a.leading);
                wmma::load_matrix_sync(right, reinterpret_cast<const Native*>(from_b), b.leading);
                wmma::mma_sync(sum, left, right, sum);
            }
            wmma::store_matrix_sync(place, sum, out.leading, wmma::mem_row_major);
        }
        return;
    } else {
        // A warp's sixteen rows: a lane takes four of them in every eighth column.
        constexpr int kRows = 4, kWide = kColumns / 8;
        const int lane = team.rank() & 31, first_row = team.warp() * 16 + lane / 8 * kRows, first_column = lane % 8;
        float sum[kRows][kWide];
#pragma unroll
        for (int i = 0; i < kRows; ++i)
#pragma unroll
            for (int j = 0; j < kWide; ++j) sum[i][j] = adds ? out.at(first_row + i, first_column + j * 8) : 0.0F;
        for (int k = 0; k < kDepth; ++k) {
            float left[kRows];
#pragma unroll
            for (int i = 0; i < kRows; ++i) left[i] = kTurnA ? a.at(k, first_row + i) : a.at(first_row + i, k);
#pragma unroll
            for (int j = 0; j < kWide; ++j) {
                const int column = first_column + j * 8;
                const float right = kTurnB ? b.at(column, k) : b.at(k, column);
#pragma unroll
                for (int i = 0; i < kRows; ++i) sum[i][j] += left[i] * right;
            }
        }
#pragma unroll
        for (int i = 0; i < kRows; ++i)
#pragma unroll
            for (int j = 0; j < kWide; ++j) out.at(first_row + i, first_column + j * 8) = sum[i][j];
    }
#else
    static_cast<void>(team);
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
    LOUPE_HD std::size_t take(int rows, int columns) {
        const std::size_t at = used;
        used += (static_cast<std::size_t>(rows) * static_cast<std::size_t>(padded<S>(columns)) * sizeof(S) + 127) / 128 *
                128;
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
void launch_tiles(const Queue&, std::int64_t count, std::size_t bytes, const Body& body) {
    std::vector<char> memory(bytes + 128);
    char* const start = memory.data() + (128 - reinterpret_cast<std::uintptr_t>(memory.data()) % 128);
    for (std::int64_t i = 0; i < count; ++i) body(TileTeam{start}, i);
}
#endif

}  // namespace loupe::cuda
