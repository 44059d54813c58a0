// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which part of a graph runs as a planned program, and how the program's memory is laid out.

#include <memory>
#include <string>
#include <vector>

#include "core/base/fields.h"
#include "core/base/said.h"
#include "core/model/model_info.h"

namespace loupe::session {

// A node that the interpreter runs as before, and why.
struct GraphBreak {
    int graph_node = -1;  // in MemoryPlanReport::graph
    std::string op;       // "aten::nonzero"
    std::string scope;
    SourcePlace source;
    Said reason;  // "what aten::nonzero gives depends on elements"

    // "aten::nonzero in layer1 (net.py:12): what aten::nonzero gives depends on elements"
    Said line() const;
};
auto fields(Like<GraphBreak> auto& it) { return std::tie(it.graph_node, it.op, it.scope, it.source, it.reason); }

struct PlannedStep {
    std::string op;       // the kernel that runs: "aten::convolution"
    int graph_node = -1;  // whose part it is
    std::string scope;
    std::int64_t live_bytes = 0;  // needed while it runs
};
auto fields(Like<PlannedStep> auto& it) { return std::tie(it.op, it.graph_node, it.scope, it.live_bytes); }

struct PlannedMemory {
    enum class Use { Value, Result, Scratch };  // results outlive the run and lie outside the block
    Use use = Use::Value;
    std::int64_t bytes = 0;
    std::int64_t offset = 0;  // in the block
    int first = 0;            // steps, both count
    int last = 0;
    int takes_over = -1;  // the buffer in whose memory it is written
};
constexpr PlannedMemory::Use last_of(PlannedMemory::Use) { return PlannedMemory::Use::Scratch; }
auto fields(Like<PlannedMemory> auto& it) {
    return std::tie(it.use, it.bytes, it.offset, it.first, it.last, it.takes_over);
}

// A part of the graph between breaks.
struct PlannedPart {
    std::string refusal;  // not empty: it runs as before, and why
    std::vector<PlannedStep> steps;
    std::vector<PlannedMemory> buffers;
    std::int64_t block_bytes = 0;  // of the one block that values and scratch share
    std::int64_t result_bytes = 0;
    std::int64_t total_bytes = 0;  // of all buffers side by side
    std::int64_t peak_bytes = 0;   // predicted: most that is needed at any step
};
auto fields(Like<PlannedPart> auto& it) {
    return std::tie(it.refusal, it.steps, it.buffers, it.block_bytes, it.result_bytes, it.total_bytes, it.peak_bytes);
}

struct MemoryPlanReport {
    std::string error;  // not empty: nothing else is valid
    std::string pipeline;
    std::shared_ptr<const GraphModel> graph;  // after the pipeline
    std::vector<PlannedPart> parts;
    std::vector<GraphBreak> breaks;
    // Of the parts together: blocks, results, and the block's size if every buffer had its own.
    std::int64_t planned_bytes = 0;
    std::int64_t unplanned_bytes = 0;
    // Measured, beyond what was there before: most at any time of a run by the interpreter, and of a run of the
    // programs; and how many storages that run asked the allocator for.
    std::int64_t interpreter_peak = 0;
    std::int64_t planned_peak = 0;
    std::int64_t allocations = 0;
    std::string not_in_force;  // why a run of the model as it is now would have no memory planned; empty: it would

    // What was planned and measured, and when it is in force: "1 of 1 part planned: 2 KB ..."; empty before planning.
    Said line() const;
};
auto fields(Like<MemoryPlanReport> auto& it) {
    return std::tie(it.error, it.pipeline, it.graph, it.parts, it.breaks, it.planned_bytes, it.unplanned_bytes,
                    it.interpreter_peak, it.planned_peak, it.allocations, it.not_in_force);
}

}  // namespace loupe::session
