// SPDX-License-Identifier: Apache-2.0
#pragma once
// Parts of tensors, reduced to what can be drawn.

#include <string_view>

#include "core/record/tensor_detail.h"
#include "core/record/tensor_slice.h"
#include "core/tensor/tensor.h"

namespace loupe::session {

// "[0, :, 3]", "[..., ::2]", "": Python's slicing with ints, slices and an ellipsis. Throws Error (Usage).
Tensor slice_tensor(const Tensor& t, std::string_view slice);
// Everything of the reply that the tensor itself tells. Throws Error (Usage).
TensorSlice reduce_tensor(const Tensor& t, const TensorRequest& request, const TensorDetail& detail = {});

}  // namespace loupe::session
