// SPDX-License-Identifier: Apache-2.0
#pragma once
// __slots__: classes that say which attributes their instances have.

#include "core/python/language/class.h"

namespace loupe::python {

// Is the name in the __slots__ of the class or of one that it derives from?
bool is_slot(const ClassObject& cls, std::string_view name);
// Have its instances a __dict__, for attributes of any name? They have not where all classes of the mro have __slots__.
bool has_dict(const ClassObject& cls);

}  // namespace loupe::python
