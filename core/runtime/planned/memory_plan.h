// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where buffers lie in one block of memory when it is known from which step to which each is needed.

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
    // The buffer in whose memory this one is written: one that stands before it in the list, is last read by step
    // `first`, and is no smaller.
    std::size_t takes_over = kNone;
};

struct MemoryPlan {
    std::vector<std::size_t> offsets;     // of each buffer, in bytes
    std::size_t arena_bytes = 0;          // of the block that holds them all
    std::size_t total_bytes = 0;          // what they would take side by side
    std::size_t peak_bytes = 0;           // most that is needed at any step: no plan gets by with less
    std::vector<std::size_t> live_bytes;  // needed at each step
};

// Buffers that are needed at one step never overlap. Greedy, in several orders, each into the smallest or the lowest gap that
// holds it (Pisarchyk and Lee, Efficient Memory Management for Deep Neural Net Inference, 2020): whatever comes out smallest. Sizes are rounded up to 64 bytes. Throws Error (Internal) for lives that end before
// they begin and for takeovers that do not fit.
MemoryPlan plan_memory(std::span<const BufferLife> lives);

}  // namespace loupe::runtime
