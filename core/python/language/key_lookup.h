// SPDX-License-Identifier: Apache-2.0
#pragma once
// Lookups in dicts and sets by keys whose __hash__ and __eq__ may be the program's, which may change the container.

#include <optional>

#include "core/value/ivalue.h"

namespace loupe::python {

// What is found is valid until a program runs again or the dict changes.
const IValue* find_key(const DictObject& dict, const IValue& key);
void set_key(DictObject& dict, IValue key, IValue value);
// The value of the key, which is there no more; nullopt when it was not there.
std::optional<IValue> take_key(DictObject& dict, const IValue& key);
// Takes the last entry, without asking any __eq__.
std::optional<DictObject::Entry> take_last(DictObject& dict);
// The value of the key, which is given this one when it was not there: is_new then.
IValue find_or_set(DictObject& dict, const IValue& key, const IValue& value, bool* is_new = nullptr);

}  // namespace loupe::python
