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
// Which build the engine's library is of, as its linker numbered it: of other sources or options it is another. Empty:
// it was not numbered.
std::string build_id();

}  // namespace loupe
