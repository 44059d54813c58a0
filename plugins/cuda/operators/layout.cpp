// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda/operators/layout.h"

namespace loupe::cuda {

Tensor empty_in(IntSpan sizes, bool last, ScalarType dtype, Device device) {
    return last ? empty_strided(sizes, span_of(nn_ops::channels_last_strides(sizes)), dtype, device)
                : empty(sizes, dtype, device);
}

Tensor room_in(const Tensor& out, bool last, ScalarType dtype) {
    const bool fits = last ? is_channels_last(out) : out.is_contiguous();
    return fits && out.dtype() == dtype ? out : empty_in(out.sizes(), last, dtype, out.device());
}

Tensor in_layout(const Tensor& t, bool last, ScalarType dtype) {
    const Tensor room = room_in(t, last, dtype);
    if (!room.is_same(t)) copy_into(room, t);
    return room;
}

}  // namespace loupe::cuda
