// SPDX-License-Identifier: Apache-2.0
#pragma once
// Raising Python's exceptions from C++.

#include <string>
#include <string_view>

#include "core/value/ivalue.h"

namespace loupe::python {

// class_name: a built-in exception's: "ValueError".
[[noreturn]] void throw_error(std::string_view class_name, std::string message);
[[noreturn]] inline void throw_type_error(std::string message) { throw_error("TypeError", std::move(message)); }
[[noreturn]] inline void throw_value_error(std::string message) { throw_error("ValueError", std::move(message)); }
[[noreturn]] void throw_key_error(const IValue& key);
[[noreturn]] void throw_attribute_error(const IValue& object, std::string_view name);

}  // namespace loupe::python
