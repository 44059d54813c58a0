// SPDX-License-Identifier: Apache-2.0
#pragma once
// What compiling a method came to, and how far a trace stands for its source, as values.
//
//     session.ask("compile", CompileQuery{{.mode = "max-autotune"}}, [](CompileReport report) {...});

#include <string>
#include <vector>

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

struct TriedPipeline {
    std::string pipeline;
    double seconds = 0;  // a run
};

// A planned part of the graph, in its order, and who runs its steps.
struct TunedPart {
    std::string signature;              // of its inputs
    std::vector<std::string> backends;  // a kernel a step; empty where the usual choice stands
};

// What of a graph is fused and planned, as it stands in the graph: what every panel says of it.
struct InForce {
    int fusion_groups = 0;
    int planned_parts = 0;
    int graph_breaks = 0;
    std::string not_planned;  // why no memory is planned at all: the mode, backward, training; else empty

    // "2 fusion groups; memory is not planned: the mode default does not, reduce-overhead does".
    std::string line() const;
};

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
    std::string complaint;  // about that file
    double compile_seconds = 0;
    // A run of the graph as it is, and of the compiled one, with backward if that was asked for; 0: not measured.
    double seconds_before = 0;
    double seconds = 0;
    std::string not_timed;  // why; empty when it was, and when that was not asked for
    std::string error;      // it could not be compiled; else empty
    std::string details;    // where error is the first of several lines: all of them, the source underlined
    SourcePlace error_source;
};

// A trace held against its source on other inputs than those it was made with.
struct TraceCheckCase {
    std::string what;                     // "other numbers", "twice the batch"
    std::string inputs;                   // "float32 4x3x32x32, int64 2x8"
    std::string refused;                  // the source itself takes no such inputs, and what it says
    std::vector<SourceNote> differences;  // empty: both give the same
};
struct TraceCheck {
    std::vector<TraceCheckCase> cases;
    std::string note;   // what may differ by itself
    std::string error;  // nothing could be checked; else empty
    bool is_same() const;
};

}  // namespace loupe::session
