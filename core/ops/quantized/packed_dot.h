// SPDX-License-Identifier: Apache-2.0
#pragma once
// Dot products of packed rows with float32, on the packed form.

#include <cstdint>

#include "core/tensor/ggml_type.h"

namespace loupe::quantized_ops {

// The sum of a[i] * b[i].
float dot_float(const float* a, const float* b, std::int64_t n);

using PackedDot = float (*)(const std::uint8_t* row, const float* x, std::int64_t columns);
// Null for types that are unpacked first: all but Q4_0 and Q8_0.
PackedDot packed_dot(const GgmlType& type);

}  // namespace loupe::quantized_ops
