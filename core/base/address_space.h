// SPDX-License-Identifier: Apache-2.0
#pragma once
// Address space checked for libraries that crash or hang without it.

#include <cstddef>

namespace loupe {

// Could this many bytes be mapped now? Unmapped at once.
bool has_address_space(std::size_t bytes);

// Throws Error (Run, "out of memory: ...") without address space for a library's generated code and working buffers.
void require_address_space(std::size_t bytes, const char* what_for);

}  // namespace loupe
