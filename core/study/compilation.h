// SPDX-License-Identifier: Apache-2.0
#pragma once
// What compiling a method came to, and how far a trace stands for its source, as values.
//
//     session.ask("compile", CompileQuery{{.mode = "max-autotune"}}, [](CompileReport report) {...});

#include <string>
#include <vector>

#include "core/base/fields.h"
#include "core/model/kernel_count.h"
#include "core/model/model_info.h"
#include "core/study/memory_plan.h"

namespace loupe::session {

std::vector<std::string> compile_modes();  // "default", "reduce-overhead", "max-autotune"

struct CompileRequest {
    std::string mode = "default";
    std::string method = "forward";
    std::string pipeline = "none";  // in place of the mode's own passes
    bool backward = false;          // what gradients flow through stays as it is
    bool measure = true;            // a run of the graph as it is, and of what was compiled
    bool forget = false;            // what was kept on disk is measured again
};
auto fields(Like<CompileRequest> auto& it) {
    return std::tie(it.mode, it.method, it.pipeline, it.backward, it.measure, it.forget);
}

struct TriedPipeline {
    std::string pipeline;
    double seconds = 0;  // a run
};
auto fields(Like<TriedPipeline> auto& it) { return std::tie(it.pipeline, it.seconds); }

// A planned part of the graph, in its order, and who runs its steps.
struct TunedPart {
    std::string signature;              // of its inputs
    std::vector<std::string> backends;  // a kernel a step; empty where the usual choice stands
};
auto fields(Like<TunedPart> auto& it) { return std::tie(it.signature, it.backends); }

// What of a graph is fused and planned, as it stands in the graph: what every panel says of it.
struct InForce {
    int fusion_groups = 0;
    int planned_parts = 0;
    int graph_breaks = 0;
    std::string not_planned;  // why no memory is planned at all: the mode, backward, training; else empty

    // "2 fusion groups; memory is not planned: the mode default does not, reduce-overhead does".
    std::string line() const;
};
auto fields(Like<InForce> auto& it) {
    return std::tie(it.fusion_groups, it.planned_parts, it.graph_breaks, it.not_planned);
}

struct CompileReport {
    InForce in_force;

    std::string mode;
    std::string method;
    std::string pipeline;              // that was run, in words that run it again
    std::vector<GraphBreak> breaks;    // what the interpreter runs as before, and why
    std::vector<TriedPipeline> tried;  // of max-autotune, fastest first
    std::vector<TunedPart> parts;
    std::string file;  // that max-autotune keeps what it measured in; empty in other modes
    bool is_from_disk = false;
    std::string complaint;       // about that file
    KernelCount kernels_before;  // of the graph as it is
    KernelCount kernels;         // of the compiled one
    double compile_seconds = 0;
    // A run of the graph as it is, and of the compiled one, with backward if that was asked for; 0: not measured.
    double seconds_before = 0;
    double seconds = 0;
    std::string not_timed;  // why; empty when it was, and when that was not asked for
    // Of the timed runs in modes that capture: nodes of the device's graphs; 0: none, for the reason.
    int captured_nodes = 0;
    int captured_backward_nodes = 0;
    std::string not_captured;
    std::string error;    // it could not be compiled; else empty
    std::string details;  // where error is the first of several lines: all of them, the source underlined
    SourcePlace error_source;
};
auto fields(Like<CompileReport> auto& it) {
    return std::tie(it.in_force, it.mode, it.method, it.pipeline, it.breaks, it.tried, it.parts, it.file,
                    it.is_from_disk, it.complaint, it.kernels_before, it.kernels, it.compile_seconds, it.seconds_before,
                    it.seconds, it.not_timed, it.captured_nodes, it.captured_backward_nodes, it.not_captured, it.error,
                    it.details, it.error_source);
}

// A trace held against its source on other inputs than those it was made with.
struct TraceCheckCase {
    std::string what;                     // "other numbers", "twice the batch"
    std::string inputs;                   // "float32 4x3x32x32, int64 2x8"
    std::string refused;                  // the source itself takes no such inputs, and what it says
    std::vector<SourceNote> differences;  // empty: both give the same
};
auto fields(Like<TraceCheckCase> auto& it) { return std::tie(it.what, it.inputs, it.refused, it.differences); }
struct TraceCheck {
    std::vector<TraceCheckCase> cases;
    std::string note;   // what may differ by itself
    std::string error;  // nothing could be checked; else empty
    bool is_same() const;
};
auto fields(Like<TraceCheck> auto& it) { return std::tie(it.cases, it.note, it.error); }

}  // namespace loupe::session
