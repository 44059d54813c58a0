// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which pass of a pipeline changed the result: prefixes of the pipeline are run by halves and held against the graph as
// it was, outputs and gradients, until one pass is left.

#include <string>
#include <vector>

#include "core/base/fields.h"
#include "core/base/said.h"
#include "core/model/pass_trace.h"

namespace loupe::session {

struct PassBisectOptions {
    std::string pipeline;  // a named one, or passes with commas between
    std::string method = "forward";
    // Equal where |actual - expected| <= atol + rtol * max(1, largest |expected| of the tensor); NaN equals NaN.
    double rtol = 1e-4;
    double atol = 1e-5;
    bool gradients = true;   // of the inputs and the parameters too; not of pipelines that freeze
    std::uint64_t seed = 0;  // random operators draw the same in every run
};
auto fields(Like<PassBisectOptions> auto& it) {
    return std::tie(it.pipeline, it.method, it.rtol, it.atol, it.gradients, it.seed);
}

// One run of the graph that the first so many passes made.
struct PassBisectRun {
    std::size_t passes = 0;  // counted as PassTrace::steps
    bool is_same = true;
    std::string worst;   // "out0", "grad.arg0", "grad.param.conv1.weight"; empty when nothing differs at all
    double max_abs = 0;  // of the worst; infinity where one is NaN and the other is not
    double max_rel = 0;
    std::string error;  // the graph could not be run, or gives other shapes
    double seconds = 0;
};
auto fields(Like<PassBisectRun> auto& it) {
    return std::tie(it.passes, it.is_same, it.worst, it.max_abs, it.max_rel, it.error, it.seconds);
}

// Reported while the search is under way.
struct PassBisectProgress {
    std::size_t passes = 0;  // of the graph that runs now; 0: the one before all passes
    std::string pass;        // the last of them
    std::size_t left = 0;    // runs that are still to come, at most
    std::size_t low = 0;     // the culprit is pass low..high, counted as PassTrace::steps; 0 and all at first
    std::size_t high = 0;
    std::vector<PassBisectRun> runs;  // those made so far
};
auto fields(Like<PassBisectProgress> auto& it) {
    return std::tie(it.passes, it.pass, it.left, it.low, it.high, it.runs);
}

struct PassBisect {
    std::string pipeline;
    std::vector<PassBisectRun> runs;  // in the order in which they were made; the first is of all passes
    int step = -1;                    // in PassTrace::steps: the pass that changed the result; -1: none did
    std::string pass;                 // its name
    std::string place;                // "freeze/fold/fixpoint 1"
    // Its graph before and after, and for each line of after->text the lines of before->text it came from. Of a pass
    // that left a wrong graph `after` has nothing but its text.
    std::shared_ptr<const GraphModel> before;
    std::shared_ptr<const GraphModel> after;
    std::vector<std::vector<int>> came_from;
    bool has_gradients = false;  // they were compared
    Said verdict;                // one sentence for people, whatever came out
    std::string error;           // nothing could be compared; else empty
};
auto fields(Like<PassBisect> auto& it) {
    return std::tie(it.pipeline, it.runs, it.step, it.pass, it.place, it.before, it.after, it.came_from,
                    it.has_gradients, it.verdict, it.error);
}

}  // namespace loupe::session
