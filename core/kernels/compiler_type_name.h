// SPDX-License-Identifier: Apache-2.0
#pragma once
// Dtypes as PyTorch's messages name them where they print the type of C++.

#include <string_view>

#include "core/tensor/scalar_type.h"

namespace loupe {

// "float", "long int", "c10::Half"; the name of graphs for those that no such message prints.
std::string_view compiler_type_name(ScalarType dtype);

}  // namespace loupe
