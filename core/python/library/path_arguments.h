// SPDX-License-Identifier: Apache-2.0
#pragma once
// Paths that functions of os and os.path are given, and what stands there in the program's sandbox.

#include <string>

#include "core/base/file_sandbox.h"
#include "core/value/callable.h"

namespace loupe::python {

// "." where the argument is left out.
std::string path_argument(const CallArguments& arguments, std::size_t index = 0);
// Throws OSError.
FileFacts facts_at(const CallArguments& arguments);
// In seconds.
double modified(const FileFacts& facts);

}  // namespace loupe::python
