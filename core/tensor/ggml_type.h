// SPDX-License-Identifier: Apache-2.0
#pragma once
// The element types of ggml by their numbers.

#include <cstdint>
#include <string_view>

namespace loupe {

// An element type of ggml (https://github.com/ggml-org/ggml, enum ggml_type).
struct GgmlType {
    std::uint32_t number;
    std::string_view name;  // "Q4_K"
    std::int64_t elements;  // of a block
    std::int64_t bytes;     // of a block
};
// Null for numbers that no type has, or had.
const GgmlType* ggml_type(std::uint32_t number);

}  // namespace loupe
