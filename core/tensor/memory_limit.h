// SPDX-License-Identifier: Apache-2.0
#pragma once
// Refusing a program's allocations in advance.

#include <cstddef>
#include <cstdint>

namespace loupe {

// Throws Error (Run, "out of memory: ...") when `count` items of `bytes` each exceed set_allocation_limit().
// For lists and texts, whose memory comes from no Allocator. A negative count counts as 0.
void require_memory(std::int64_t count, std::size_t bytes);

}  // namespace loupe
