// SPDX-License-Identifier: Apache-2.0
#pragma once
// Pictures in the layout that they have: the channels beside each other, or apart.

#include "core/ops/nn/common.h"
#include "plugins/cuda/operators/dense.h"

namespace loupe::cuda {

inline bool is_channels_last(const Tensor& t) { return t.dim() >= 4 && nn_ops::prefers_channels_last(t); }

// Dense in one of the two layouts; a copy where the tensor is in neither or of another dtype.
Tensor in_layout(const Tensor& t, bool last, ScalarType dtype);
// Room for a result in that layout: `out` itself where it has it.
Tensor room_in(const Tensor& out, bool last, ScalarType dtype);
Tensor empty_in(IntSpan sizes, bool last, ScalarType dtype, Device device);

}  // namespace loupe::cuda
