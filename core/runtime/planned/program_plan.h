// SPDX-License-Identifier: Apache-2.0
#pragma once
// The steps of a planned program and the offsets of its buffers, for display.

#include <cstddef>
#include <string>
#include <vector>

#include "core/ir/graph.h"

namespace loupe::runtime {

// A buffer of the plan, to be shown.
struct PlannedBuffer {
    enum class Use : std::uint8_t { Value, Result, Scratch };  // results are outside the block: they outlive the run
    static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

    Use use = Use::Value;
    std::size_t bytes = 0;
    std::size_t offset = 0;  // in the block; of a result 0
    std::size_t first = 0;   // steps
    std::size_t last = 0;
    std::size_t takes_over = kNone;  // the buffer in whose memory it is written
};

struct ProgramStep {
    std::string name;                // "aten::convolution"
    std::string backend;             // "onednn"; empty while unknown
    const ir::Node* node = nullptr;  // of the graph
    std::size_t live_bytes = 0;      // live while it runs, including results
};

struct ProgramPlan {
    std::vector<ProgramStep> steps;
    std::vector<PlannedBuffer> buffers;
    std::size_t arena_bytes = 0;   // of the block
    std::size_t result_bytes = 0;  // outside the block
    std::size_t total_bytes = 0;   // of all buffers side by side
    std::size_t peak_bytes = 0;    // most that is needed at any step, results with them
};

}  // namespace loupe::runtime
