// SPDX-License-Identifier: Apache-2.0
#pragma once
// Offsets of buffers in one block of memory, from their lifetimes in steps.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace loupe::runtime {

struct BufferLife {
    static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

    std::size_t bytes = 0;
    std::size_t first = 0;  // the step that writes it
    std::size_t last = 0;   // the last step that reads it; both count
    // The buffer whose memory this one reuses: it precedes it in the list, is last read by step
    // `first`, and is no smaller.
    std::size_t takes_over = kNone;
};

struct MemoryPlan {
    std::vector<std::size_t> offsets;     // of each buffer, in bytes
    std::size_t arena_bytes = 0;          // of the block
    std::size_t total_bytes = 0;          // sum of all sizes
    std::size_t peak_bytes = 0;           // most live at any step: a lower bound of every plan
    std::vector<std::size_t> live_bytes;  // needed at each step
};

// Buffers that are live at one step do not overlap. Greedy, in several orders, each into the smallest or the lowest gap
// that holds it (Pisarchyk and Lee, Efficient Memory Management for Deep Neural Net Inference, 2020); the smallest plan
// is chosen. Sizes are rounded up to 64 bytes. Throws Error (Internal) for lifetimes that end before they begin and for
// invalid reuse.
MemoryPlan plan_memory(std::span<const BufferLife> lives);

}  // namespace loupe::runtime
