// SPDX-License-Identifier: Apache-2.0
#pragma once
// Python's format mini-language, str.format and %.

#include <string>
#include <string_view>

#include "core/python/language/operations.h"

namespace loupe::python {

// format(value, spec) of an int, float, complex, bool or str: ">10.3f". Throws ValueError.
std::string format_builtin(const IValue& value, std::string_view spec);
// text.format(*arguments, **keywords).
std::string format_braces(std::string_view text, const CallArguments& arguments);
// text % value.
std::string percent_format(std::string_view text, const IValue& value);
// chr(code) in UTF-8. Throws ValueError.
std::string call_character(std::int64_t code);

}  // namespace loupe::python
