// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "core/base/error.h"

namespace loupe::python {

// The engine has one kind of error where PyTorch throws exceptions of several classes: the class for a message,
// "IndexError"; "RuntimeError" where nothing else is known.
std::string_view exception_name(const Error& error);

}  // namespace loupe::python
