// SPDX-License-Identifier: Apache-2.0
#pragma once
// Items of a list, past a __setitem__ or __delitem__ of the class derived from list that it may be of.

#include "core/value/ivalue.h"

namespace loupe::python {

// key: an index or a slice.
void set_list_item(const IValue& list, const IValue& key, IValue value);
void delete_list_item(const IValue& list, const IValue& key);

}  // namespace loupe::python
