// SPDX-License-Identifier: Apache-2.0
#pragma once
// Parts of tensors, reduced to what can be drawn: values only.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/fields.h"
#include "core/record/recording.h"
#include "core/record/statistics.h"

namespace loupe::session {

// A part of a tensor, reduced to what can be drawn.
struct TensorRequest {
    ValueId value = 0;
    // Of a parameter, buffer or gradient of the model as it is now, instead of a value: "conv1.weight",
    // "grad:conv1.weight".
    std::string name;
    // Python slicing: "[0, :, 3]"; empty: all of it.
    std::string slice;
    std::vector<int> permute;  // order of the dimensions that slicing leaves
    // The last two dimensions become rows and columns, those before are tiles. Greater ones are thinned.
    int max_rows = 512;
    int max_columns = 512;
    int max_tiles = 64;
    enum class Thin { Pick, Mean, MaxMagnitude } thin = Thin::Pick;
};
constexpr TensorRequest::Thin last_of(TensorRequest::Thin) { return TensorRequest::Thin::MaxMagnitude; }
auto fields(Like<TensorRequest> auto& it) {
    return std::tie(it.value, it.name, it.slice, it.permute, it.max_rows, it.max_columns, it.max_tiles, it.thin);
}
struct TensorTile {
    std::string label;  // "[3]"
    int rows = 0;
    int columns = 0;
    std::vector<double> elements;  // row-major; complex numbers by magnitude
};
auto fields(Like<TensorTile> auto& it) { return std::tie(it.label, it.rows, it.columns, it.elements); }
struct TensorSlice {
    std::string error;  // not empty: nothing else is valid
    ValueId value = 0;
    std::string name;
    bool is_recomputed = false;  // the elements had been dropped; the run was repeated up to them
    std::string dtype;
    Shape shape;  // of the whole tensor
    Shape strides;
    std::int64_t offset = 0;
    std::uint64_t storage_id = 0;
    Shape sliced_shape;
    // Where the slice lies in the tensor, by the tensor's dimensions.
    struct Axis {
        std::int64_t start = 0;
        std::int64_t step = 1;
        int shown = -1;  // dimension of sliced_shape; -1: the slice has one index of it
    };
    std::vector<Axis> axes;
    std::int64_t rows = 0;  // before thinning
    std::int64_t columns = 0;
    std::int64_t tiles = 0;
    std::vector<TensorTile> data;
    Statistics statistics;                       // of the slice
    std::array<std::uint32_t, 128> histogram{};  // of the slice's finite elements, linear between min and max
    // Every event that read or wrote the storage, in order.
    std::vector<EventId> readers;
    std::vector<EventId> writers;
    std::vector<std::string> aliases;  // other values on the same storage

    // The tensor's own indices of an element of a tile; row and column before thinning.
    Shape own_index(std::size_t tile, std::int64_t row, std::int64_t column) const;
};
auto fields(Like<TensorSlice::Axis> auto& it) { return std::tie(it.start, it.step, it.shown); }
auto fields(Like<TensorSlice> auto& it) {
    return std::tie(it.error, it.value, it.name, it.is_recomputed, it.dtype, it.shape, it.strides, it.offset,
                    it.storage_id, it.sliced_shape, it.axes, it.rows, it.columns, it.tiles, it.data, it.statistics,
                    it.histogram, it.readers, it.writers, it.aliases);
}

}  // namespace loupe::session
