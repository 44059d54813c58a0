// SPDX-License-Identifier: Apache-2.0
#pragma once
// Element types of safetensors files.

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "core/tensor/tensor.h"

namespace loupe {

struct SafetensorsType {
    std::string_view name;        // "F8_E4M3"
    int bits;                     // of one element
    std::string_view torch_name;  // "float8_e4m3fn"; empty: PyTorch has none
    // nullopt: the engine has none.
    std::optional<ScalarType> dtype() const { return dtype_from_name(torch_name); }
};

// In the order of the library: writers put the tensors of later types first.
std::span<const SafetensorsType> safetensors_types();
// Null for an unknown name.
const SafetensorsType* find_safetensors_type(std::string_view name);
// Null for a dtype that files have no type for.
const SafetensorsType* safetensors_type_of(ScalarType dtype);

}  // namespace loupe
