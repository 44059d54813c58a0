// SPDX-License-Identifier: Apache-2.0
#pragma once
// Refusing what a program asks for before it is made.

#include <cstddef>
#include <cstdint>

namespace loupe {

// Throws Error (Run, "out of memory: ...") when `count` things of `bytes` each are more than set_allocation_limit() allows.
// For lists and texts, whose memory comes from elsewhere than an Allocator. A negative count asks for nothing.
void require_memory(std::int64_t count, std::size_t bytes);

}  // namespace loupe
