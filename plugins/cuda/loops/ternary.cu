// SPDX-License-Identifier: Apache-2.0
// Functions of three tensors, choice by a condition, copies and ranges.
#include "plugins/cuda/loops/loops.h"
#include "plugins/cuda/loops/operation.h"
#include "plugins/cuda/loops/team.h"
#include "plugins/cuda/loops/ternary_formulas.h"

namespace loupe::cuda {
namespace {

using namespace ternary;

LOUPE_UNARY(Same, x)

// Elements by their bits; numbers and elements of another dtype are converted.
template <typename Bits>
struct WhereBody {
    LoopShape loop;
    LOUPE_HD void operator()(std::int64_t i) const {
        char* places[4];
        locate<4>(loop, i, places);
        const bool is_first = read<std::int64_t>(loop.operand[1], places[1]) != 0;
        const Operand& chosen = loop.operand[is_first ? 2 : 3];
        const char* const from = is_first ? places[2] : places[3];
        const Element element = loop.operand[0].element;
        if (chosen.data != nullptr && chosen.element == element)
            *reinterpret_cast<Bits*>(places[0]) = *reinterpret_cast<const Bits*>(from);
        else if (is_complex(element))
            store(places[0], element, read<Complex<double>>(chosen, from));
        else if (is_integer(element))
            store(places[0], element, read<std::int64_t>(chosen, from));
        else
            store(places[0], element, read<double>(chosen, from));
    }
};
template <typename Bits>
struct MoveBody {
    LoopShape loop;
    LOUPE_HD void operator()(std::int64_t i) const {
        char* places[2];
        locate<2>(loop, i, places);
        *reinterpret_cast<Bits*>(places[0]) = *reinterpret_cast<const Bits*>(places[1]);
    }
};
struct Sixteen {
    std::uint64_t halves[2];
};

#ifdef __CUDACC__
// A copy between two orders: `to` is dense along one dimension, `from` along another. Through shared memory, so that
// both sides are walked densely.
constexpr int kTile = 32;
constexpr int kTileRows = 8;

struct Turn {
    int dense_to = -1, dense_from = -1;  // dimensions
    std::int64_t tiles_to = 1, tiles_from = 1;
};

template <typename Bits>
__global__ void __launch_bounds__(kTile* kTileRows)
    turn_tiles(const __grid_constant__ LoopShape loop, const __grid_constant__ Turn turn) {
    __shared__ Bits tile[kTile][kTile + 1];
    std::int64_t index = blockIdx.x;
    const std::int64_t to_tile = index % turn.tiles_to * kTile;
    index /= turn.tiles_to;
    const std::int64_t from_tile = index % turn.tiles_from * kTile;
    index /= turn.tiles_from;
    char* to = loop.operand[0].data;
    const char* from = loop.operand[1].data;
    for (int d = loop.dims - 1; d >= 0; --d) {
        if (d == turn.dense_to || d == turn.dense_from) continue;
        const std::int64_t at = index % loop.sizes[d];
        index /= loop.sizes[d];
        to += at * loop.operand[0].strides[d];
        from += at * loop.operand[1].strides[d];
    }
    const std::int64_t to_size = loop.sizes[turn.dense_to], from_size = loop.sizes[turn.dense_from];
    const std::int64_t from_stride = loop.operand[1].strides[turn.dense_to];
    const std::int64_t to_stride = loop.operand[0].strides[turn.dense_from];
    for (int row = threadIdx.y; row < kTile; row += kTileRows) {
        const std::int64_t x = from_tile + threadIdx.x, y = to_tile + row;
        if (x < from_size && y < to_size)
            tile[row][threadIdx.x] = reinterpret_cast<const Bits*>(from + y * from_stride)[x];
    }
    __syncthreads();
    for (int row = threadIdx.y; row < kTile; row += kTileRows) {
        const std::int64_t x = to_tile + threadIdx.x, y = from_tile + row;
        if (x < to_size && y < from_size) reinterpret_cast<Bits*>(to + y * to_stride)[x] = tile[threadIdx.x][row];
    }
}

template <typename Bits>
bool run_turned(const Queue& queue, const LoopShape& loop) {
    Turn turn;
    for (int d = 0; d < loop.dims; ++d) {
        if (loop.operand[0].strides[d] == sizeof(Bits)) turn.dense_to = d;
        if (loop.operand[1].strides[d] == sizeof(Bits)) turn.dense_from = d;
    }
    if (turn.dense_to < 0 || turn.dense_from < 0 || turn.dense_to == turn.dense_from) return false;
    if (loop.sizes[turn.dense_to] < kTile / 2 || loop.sizes[turn.dense_from] < kTile / 2) return false;
    turn.tiles_to = (loop.sizes[turn.dense_to] + kTile - 1) / kTile;
    turn.tiles_from = (loop.sizes[turn.dense_from] + kTile - 1) / kTile;
    const std::int64_t others = loop.count / (loop.sizes[turn.dense_to] * loop.sizes[turn.dense_from]);
    const std::int64_t blocks = turn.tiles_to * turn.tiles_from * others;
    if (blocks > 0x7FFFFFFF) return false;
    turn_tiles<Bits>
        <<<static_cast<unsigned>(blocks), dim3(kTile, kTileRows), 0, static_cast<cudaStream_t>(queue.stream)>>>(loop,
                                                                                                                turn);
    check_launch("a transposed copy");
    return true;
}
#else
template <typename Bits>
bool run_turned(const Queue&, const LoopShape&) {
    return false;
}
#endif

// Rows that are dense on both sides, as in a slice: a team has a part of a row, whose place is found once.
template <typename Bits>
struct MoveRowsBody {
    LoopShape rows;  // without the dense dimension
    std::int64_t length, parts;
    static constexpr std::int64_t kPart = 1024;  // elements

    template <typename Team>
    LOUPE_HD void operator()(const Team& team, std::int64_t index) const {
        const std::int64_t row = quotient(index, parts), first = (index - row * parts) * kPart;
        const std::int64_t count = length - first < kPart ? length - first : kPart;
        char* places[2];
        locate<2>(rows, row, places);
        auto* const to = reinterpret_cast<Bits*>(places[0]) + first;
        const auto* const from = reinterpret_cast<const Bits*>(places[1]) + first;
#ifdef __CUDA_ARCH__
#pragma unroll 8
#endif
        for (std::int64_t i = team.rank(); i < count; i += team.size()) to[i] = from[i];
    }
};

template <typename Bits>
bool run_rows(const Queue& queue, const LoopShape& loop) {
    constexpr std::int64_t kFew = 128;
    constexpr auto kStep = static_cast<std::int64_t>(sizeof(Bits));
    const int last = loop.dims - 1;
    if (last < 1 || loop.operand[0].strides[last] != kStep || loop.operand[1].strides[last] != kStep) return false;
    const std::int64_t length = loop.sizes[last];
    if (length < kFew) return false;
    LoopShape rows = loop;
    rows.dims = last;
    rows.count = loop.count / length;
    using Body = MoveRowsBody<Bits>;
    const std::int64_t parts = (length + Body::kPart - 1) / Body::kPart;
    launch_teams(queue, rows.count * parts, Body::kPart, Body{rows, length, parts});
    return true;
}

template <typename Bits>
void run_move(const Queue& queue, const LoopShape& loop) {
    if (!run_rows<Bits>(queue, loop) && !run_turned<Bits>(queue, loop)) launch(queue, loop.count, MoveBody<Bits>{loop});
}

struct RangeBody {
    Element element;
    Numbers start, step;
    char* to;
    LOUPE_HD void operator()(std::int64_t i) const {
        char* const place = to + i * size_of(element);
        if (is_integer(element))
            store(place, element, start.whole[0] + step.whole[0] * i);
        else
            store(place, element, start.real[0] + step.real[0] * static_cast<double>(i));
    }
};

}  // namespace

bool run_ternary(TernaryOp op, Element as, const Queue& q, const LoopShape& loop, const Numbers& n) {
    switch (op) {
        case TernaryOp::Addcmul:
            return run_number<Addcmul, 3>(as, q, loop, n);
        case TernaryOp::Addcdiv:
            return run_real<Addcdiv, 3>(as, q, loop, n);
        case TernaryOp::Lerp:
            return run_real<Lerp, 3>(as, q, loop, n);
        case TernaryOp::Clamp:
            return run_number<Clamp, 3>(as, q, loop, n);
    }
    return false;
}

void run_where(int element_size, const Queue& q, const LoopShape& loop) {
    switch (element_size) {
        case 1:
            return launch(q, loop.count, WhereBody<std::uint8_t>{loop});
        case 2:
            return launch(q, loop.count, WhereBody<std::uint16_t>{loop});
        case 4:
            return launch(q, loop.count, WhereBody<std::uint32_t>{loop});
        case 8:
            return launch(q, loop.count, WhereBody<std::uint64_t>{loop});
        default:
            return launch(q, loop.count, WhereBody<Sixteen>{loop});
    }
}

void run_copy(int bytes, const Queue& q, const LoopShape& loop) {
    switch (bytes) {
        case 1:
            return run_move<std::uint8_t>(q, loop);
        case 2:
            return run_move<std::uint16_t>(q, loop);
        case 4:
            return run_move<std::uint32_t>(q, loop);
        case 8:
            return run_move<std::uint64_t>(q, loop);
        case 16:
            return run_move<Sixteen>(q, loop);
        default:
            break;
    }
    // Integers do not pass through floating numbers, and the other way round.
    const Element from = loop.operand[1].element;
    const Numbers n;
    if (is_integer(from))
        run_loop<Same, std::int64_t, 1>(q, loop, n);
    else if (from == Element::Float64)
        run_loop<Same, double, 1>(q, loop, n);
    else
        run_loop<Same, float, 1>(q, loop, n);
}

void run_range(const Queue& q, Element element, const Numbers& start, const Numbers& step, std::int64_t count,
               void* to) {
    launch(q, count, RangeBody{element, start, step, static_cast<char*>(to)});
}

}  // namespace loupe::cuda
