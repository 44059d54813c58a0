// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "core/script/ast.h"

namespace loupe::python {

// "timm.layers.drop" of `from .drop import x` in timm.layers. package empty: dots are left out, the module stands
// beside the main file. Dots that lead above the package are left out too.
std::string absolute_module_name(std::string_view package, const script::ImportFrom& from);

}  // namespace loupe::python
