// SPDX-License-Identifier: Apache-2.0
// The module builtins: what every source sees without importing it.
#include "core/python/language/builtin_objects.h"
#include "core/python/library/standard_modules.h"

namespace loupe::python {

void fill_builtins(PythonModule& module) {
    for (auto& [name, value] : builtin_entries()) module.define(name, std::move(value));
}

}  // namespace loupe::python
