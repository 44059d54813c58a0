// SPDX-License-Identifier: Apache-2.0
#pragma once
// Numbers of torch/_export/serde/schema.py as graphs carry them (c10's numbers).

#include <cstdint>
#include <string_view>

#include "core/tensor/scalar_type.h"

namespace loupe::exported {

// c10's number of a dtype. Throws Error (File) for an unknown one.
std::int64_t dtype_number(std::int64_t serialized, std::string_view what);
// Throws Error (Unsupported) for a dtype that the engine lacks.
ScalarType dtype_of(std::int64_t serialized, std::string_view what);
// c10's number of a layout, a memory format. Throws Error (File) for an unknown one.
std::int64_t layout_number(std::int64_t serialized, std::string_view what);
std::int64_t memory_format_number(std::int64_t serialized, std::string_view what);

// The other way. Throw Error (Unsupported) for what a program of torch.export cannot name.
std::int64_t serialized_dtype(ScalarType dtype);
std::int64_t serialized_dtype_number(std::int64_t c10);
std::int64_t serialized_layout(std::int64_t c10);
std::int64_t serialized_memory_format(std::int64_t c10);
inline constexpr std::int64_t kStridedLayout = 7;

}  // namespace loupe::exported
