// SPDX-License-Identifier: Apache-2.0
#pragma once
// The sources of list_templates(): the .py files in templates/, embedded by embed_python.cmake.

#include <span>

#include "core/python/language/object.h"

namespace loupe::python {

std::span<const ModuleRecord> build_templates_in_python();

}  // namespace loupe::python
