// SPDX-License-Identifier: Apache-2.0
#include "core/record/tensor_slice.h"

namespace loupe::session {
namespace {

// Places along the leading dimensions of the slice, in the order of the tiles.
Shape leading_index(const Shape& sliced, std::size_t tile) {
    Shape index(sliced.size() > 2 ? sliced.size() - 2 : 0, 0);
    auto left = static_cast<std::int64_t>(tile);
    for (std::size_t d = index.size(); d-- > 0;) {
        if (sliced[d] == 0) return index;
        index[d] = left % sliced[d];
        left /= sliced[d];
    }
    return index;
}

}  // namespace

Shape TensorSlice::own_index(std::size_t tile, std::int64_t row, std::int64_t column) const {
    Shape shown_index = leading_index(sliced_shape, tile);
    if (sliced_shape.size() > 1) shown_index.push_back(row);
    if (!sliced_shape.empty()) shown_index.push_back(column);
    if (axes.empty()) return shown_index;
    Shape own;
    for (const Axis& axis : axes) {
        const bool is_shown = axis.shown >= 0 && axis.shown < static_cast<int>(shown_index.size());
        own.push_back(axis.start + (is_shown ? axis.step * shown_index[static_cast<std::size_t>(axis.shown)] : 0));
    }
    return own;
}

}  // namespace loupe::session
