// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "core/value/ivalue.h"

namespace loupe::session {

// A Python literal of the type: "3", "0.5", "True", "None", "'text'", "[1, 2]", "(1, 2.0)". Throws Error (Usage).
IValue literal_value(std::string_view text, const Type& type);

// The value with lists and dicts of the types that their elements have together: pickles say none.
IValue with_own_types(const IValue& value);

}  // namespace loupe::session
