// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the out= form of an operator asks of the tensor to write to, as its record says. Others convert, resize and
// copy.

#include "core/dispatch/registry.h"

namespace loupe {

// Throws Error (Run) when the out= form writes no other dtype than the one it makes.
void check_out_dtype(const Operator& op, ScalarType made, ScalarType out);
// Gives `out` the result's sizes. Throws Error (Run) when the result cannot be written to it.
void prepare_out(const Tensor& out, const Tensor& result);
// Throws Error (Run) when the out= form reads by indices, and elements of `out` lie in one place or among the inputs'.
void check_out_overlap(const Operator& op, Arguments inputs, const Tensor& out);

}  // namespace loupe
