// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which version this is, and how it was built.

#include <string>
#include <string_view>

namespace loupe {

// "0.1.0"
std::string_view version();
// As --version prints it: the program's name and version, then what it was built with and for.
std::string build_facts(std::string_view program);

}  // namespace loupe
