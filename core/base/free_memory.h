// SPDX-License-Identifier: Apache-2.0
#pragma once
// The allocator keeps what was freed, for what is allocated next.

namespace loupe {

// Gives pages that hold nothing back to the system, where they are many: behind something large that has gone, such as
// a model or a long recording. Takes milliseconds. Any thread. Nothing where the C library has no such call.
void return_free_memory();

}  // namespace loupe
