// SPDX-License-Identifier: Apache-2.0
#pragma once
// NumPy's codes of dtypes, without the byte order: "f4" is float32.

#include <optional>
#include <string_view>

#include "core/tensor/scalar_type.h"

namespace loupe {

std::optional<ScalarType> dtype_from_numpy_code(std::string_view code);
// Empty for a dtype that NumPy lacks: bfloat16, complex32, the floats of eight bits.
std::string_view numpy_code(ScalarType dtype);

}  // namespace loupe
