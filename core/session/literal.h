// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "core/value/ivalue.h"

namespace loupe::session {

// A Python literal of the type: "3", "0.5", "True", "None", "'text'", "[1, 2]", "(1, 2.0)". Throws Error (Usage).
IValue literal_value(std::string_view text, const Type& type);

}  // namespace loupe::session
