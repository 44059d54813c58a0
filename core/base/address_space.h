// SPDX-License-Identifier: Apache-2.0
#pragma once
// Room for libraries that crash or wait for ever where they find none.

#include <cstddef>

namespace loupe {

// Could so many bytes be mapped now? Nothing is kept.
bool has_address_space(std::size_t bytes);

// Throws Error (Run, "out of memory: ...") without room for what a library makes while it runs: generated code, working buffers.
void require_address_space(std::size_t bytes, const char* what_for);

}  // namespace loupe
