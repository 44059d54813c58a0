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

}  // namespace loupe::exported
