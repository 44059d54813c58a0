// SPDX-License-Identifier: Apache-2.0
#pragma once
// What some out= forms ask of the tensor to write to, in PyTorch's words. The others convert, resize and copy.

#include <string_view>

#include "core/dispatch/record.h"

namespace loupe {

// Throws Error (Run) when the out= form writes no other dtype than the one it makes.
void check_out_dtype(std::string_view full_name, ScalarType made, ScalarType out);
// Throws Error (Run) when the out= form reads by indices, and elements of `out` lie in one place or among the inputs'.
void check_out_overlap(std::string_view full_name, Arguments inputs, const Tensor& out);

}  // namespace loupe
