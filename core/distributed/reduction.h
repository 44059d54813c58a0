// SPDX-License-Identifier: Apache-2.0
#pragma once
// torch.distributed.ReduceOp: how the elements of all ranks become one.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/tensor/scalar_type.h"

namespace loupe::distributed {

// Numbered as c10d::ReduceOp::RedOpType, which programs and graphs carry.
enum class Reduction : std::uint8_t { Sum, Avg, Product, Min, Max, BitAnd, BitOr, BitXor, PremulSum };

std::string_view reduction_name(Reduction reduction);  // "SUM"
// "sum", "avg", "product", ... of the functional collectives. Throws Error (Run) for another word.
Reduction reduction_of(std::string_view name);
// Throws Error (Run) with PyTorch's words for bits of floating-point numbers and the order of complex ones.
void check_reduction(Reduction reduction, ScalarType dtype);
// What ranks do to each other: an average is a sum that is divided, PREMUL_SUM a sum of products.
Reduction wire_reduction(Reduction reduction);

// into[i] = into[i] (reduction) from[i]; of all that check_reduction lets through.
void combine(Reduction reduction, ScalarType dtype, const void* from, void* into, std::size_t count);
// data[i] /= divisor: integers towards zero, as PyTorch's Gloo.
void divide(ScalarType dtype, void* data, std::size_t count, int divisor);

}  // namespace loupe::distributed
