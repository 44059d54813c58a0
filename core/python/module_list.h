// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a model source may import.

#include <span>
#include <string_view>

#include "core/python/language/object.h"

namespace loupe::python {

// A module is made when it is first imported. `fill` is called once an evaluator.
std::span<const ModuleRecord> module_records();
// Null for a name that is none.
const ModuleRecord* find_module_record(std::string_view name);
// What to say to `import numpy`: "use torch.tensor(...)". Empty when nothing is known.
std::string_view replacement_for(std::string_view module);

}  // namespace loupe::python
