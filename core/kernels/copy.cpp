// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstring>

#include "core/base/parallel.h"
#include "core/kernels/convert.h"
#include "core/kernels/device_loops.h"
#include "core/kernels/elementwise.h"
#include "core/kernels/loop_recorder.h"
#include "core/tensor/device_copy.h"

namespace loupe {
namespace {

// A number needs no separate kernel: the loop's conversion writes it.
template <std::size_t Size>
void move_kernel(const void*, void* const* arrays, std::int64_t n) {
    std::memcpy(arrays[0], arrays[1], static_cast<std::size_t>(n) * Size);
}

ElementwiseKernel move_kernel_for(ScalarType dtype) {
    switch (element_size(dtype)) {
        case 1:
            return &move_kernel<1>;
        case 2:
            return &move_kernel<2>;
        case 4:
            return &move_kernel<4>;
        case 8:
            return &move_kernel<8>;
        default:
            return &move_kernel<16>;
    }
}

// A copy between two memory orders: the dimension dense in one, the dimension dense in the other, and all others.
struct Turn {
    struct Dim {
        std::int64_t size, to, from;  // strides in elements
    };
    Dim dense_to{};
    Dim dense_from{};
    boost::container::small_vector<Dim, 4> outer;
    std::int64_t planes = 1;
};

bool is_turn(const Tensor& to, const Tensor& from, Turn& turn) {
    if (to.dtype() != from.dtype() || to.dim() != from.dim()) return false;
    for (std::size_t d = 0; d < to.sizes().size(); ++d) {
        if (to.sizes()[d] != from.sizes()[d]) return false;
        const Turn::Dim dim{to.sizes()[d], to.strides()[d], from.strides()[d]};
        if (dim.size == 1) continue;
        if (dim.to == 1 && dim.from != 1 && turn.dense_to.size == 0)
            turn.dense_to = dim;
        else if (dim.from == 1 && dim.to != 1 && turn.dense_from.size == 0)
            turn.dense_from = dim;
        else
            turn.outer.push_back(dim);
    }
    for (const Turn::Dim& dim : turn.outer) turn.planes *= dim.size;
    return turn.dense_to.size >= 8 && turn.dense_from.size >= 8;
}

constexpr std::int64_t kTile = 32;

// Through a buffer, so that whole cache lines are read and written: strides that are powers of two would evict lines
// before all of their elements are used. Rows and columns are constants where possible.
template <typename T, typename Rows, typename Columns>
void turn_tile(T* to, std::int64_t to_stride, const T* from, std::int64_t from_stride, Rows rows, Columns columns) {
    T tile[kTile][kTile];
    for (std::int64_t c = 0; c < columns; ++c) {
        for (std::int64_t r = 0; r < rows; ++r) tile[r][c] = from[c * from_stride + r];
    }
    for (std::int64_t r = 0; r < rows; ++r) {
        for (std::int64_t c = 0; c < columns; ++c) to[r * to_stride + c] = tile[r][c];
    }
}

template <typename T>
void turn_tiles(T* to, std::int64_t to_stride, const T* from, std::int64_t from_stride, std::int64_t rows,
                std::int64_t columns) {
    constexpr std::integral_constant<std::int64_t, kTile> kWhole;
    for (std::int64_t row = 0; row < rows; row += kTile) {
        for (std::int64_t column = 0; column < columns; column += kTile) {
            T* target = to + row * to_stride + column;
            const T* source = from + column * from_stride + row;
            const std::int64_t tile_rows = std::min(kTile, rows - row);
            const std::int64_t tile_columns = std::min(kTile, columns - column);
            if (tile_rows == kTile && tile_columns == kTile)
                turn_tile(target, to_stride, source, from_stride, kWhole, kWhole);
            else
                turn_tile(target, to_stride, source, from_stride, tile_rows, tile_columns);
        }
    }
}

// In blocks whose pages fit the TLB.
constexpr std::int64_t kPageBlock = 256;

template <typename T>
void copy_turned(const Tensor& to, const Tensor& from, const Turn& turn) {
    const std::int64_t rows = turn.dense_from.size;
    const std::int64_t columns = turn.dense_to.size;
    const std::int64_t blocks = (rows + kPageBlock - 1) / kPageBlock;
    const std::int64_t grain = std::max<std::int64_t>(1, kElementwiseGrain / (std::min(kPageBlock, rows) * columns));
    parallel_for(0, turn.planes * blocks, grain, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
            std::int64_t plane = i / blocks;
            T* target = to.data<T>();
            const T* source = from.data<T>();
            for (const Turn::Dim& dim : turn.outer) {
                target += plane % dim.size * dim.to;
                source += plane % dim.size * dim.from;
                plane /= dim.size;
            }
            const std::int64_t row = i % blocks * kPageBlock;
            for (std::int64_t column = 0; column < columns; column += kPageBlock) {
                turn_tiles(target + row * turn.dense_from.to + column, turn.dense_from.to,
                           source + column * turn.dense_to.from + row, turn.dense_to.from,
                           std::min(kPageBlock, rows - row), std::min(kPageBlock, columns - column));
            }
        }
    });
}

// Through the host where elements are moved or converted.
void copy_between_devices(const Tensor& to, const Tensor& from) {
    const bool same = to.dtype() == from.dtype() && to.sizes().size() == from.sizes().size() &&
                      std::ranges::equal(to.sizes(), from.sizes()) && std::ranges::equal(to.strides(), from.strides());
    if (same && to.is_non_overlapping_and_dense()) return copy_memory(to, from);
    if (DeviceLoops* const loops = device_loops(to.device())) {
        // Bytes cross as they lie; the device converts and moves them.
        if (loops->copy(to, on_device(from, to.device()))) return;
    }
    if (to.is_host_memory()) return copy_into(to, on_host(from));
    const Tensor host = on_host(to);  // what lies between the elements stays
    copy_into(host, on_host(from));
    copy_memory(to, host);
}

}  // namespace

void copy_into(const Tensor& to, const Tensor& from) {
    if (!to.is_host_memory() || !from.is_host_memory()) [[unlikely]]
        return copy_between_devices(to, from);
    if (detail::thread_loop_recorder != nullptr) [[unlikely]] {
        detail::thread_loop_recorder->on_copy(to, from);
        if (detail::thread_loop_recorder->is_dry()) return;
    }
    Turn turn;
    if (!to.is_contiguous() || !from.is_contiguous()) {
        if (is_turn(to, from, turn)) {
            switch (to.element_size()) {
                case 2:
                    return copy_turned<std::uint16_t>(to, from, turn);
                case 4:
                    return copy_turned<std::uint32_t>(to, from, turn);
                case 8:
                    return copy_turned<std::uint64_t>(to, from, turn);
                default:
                    break;
            }
        }
    }
    convert_elements(to, from);
}

void fill_with(const Tensor& to, const Scalar& value) {
    if (!to.is_host_memory()) [[unlikely]] {
        DeviceLoops* const loops = device_loops(to.device());
        if (loops != nullptr && loops->fill(to, value)) return;
        const Tensor host = on_host(to);
        fill_with(host, value);
        return copy_memory(to, host);
    }
    const ScalarType as = to.dtype();
    const LoopNumber number(value, as);
    const std::array<LoopOperand, 2> operands{LoopOperand(to, as), LoopOperand(number.data(), as)};
    run_elementwise(move_kernel_for(as), nullptr, operands);
}

}  // namespace loupe
