// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "core/tensor/scalar_type.h"

namespace loupe {

// As C++ spells the type of elements in PyTorch's messages: "float", "long int", "c10::Half".
std::string_view cpp_type_name(ScalarType dtype);

}  // namespace loupe
