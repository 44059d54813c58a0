// SPDX-License-Identifier: Apache-2.0
#pragma once
// Runs that are done another way, to hold what they take against a forecast.

#include <functional>
#include <memory>
#include <vector>

#include "core/model/program.h"
#include "core/record/backward_roots.h"
#include "core/record/run_options.h"
#include "core/study/what_if.h"

namespace loupe::session {

// What is run: a method on inputs, or a step of a training up to the optimiser.
struct MeasuredRun {
    std::shared_ptr<const PreparedMethod> method;
    FunctionSchema schema;  // of the arguments
    std::function<std::vector<IValue>()> arguments;
    std::function<BackwardRoots(std::vector<IValue>)> forward;  // gives what backward starts from
    std::uint64_t seed = 0;
};
// The method by itself, with the inputs of the options.
MeasuredRun run_to_measure(const std::shared_ptr<Program>& program, const RunOptions& options);

// Forward and backward of the run, as it is and with all changes, on the CPU: a batch by repeating the
// examples of every tensor argument of the first one's leading size, a checkpoint by nn::checkpoint around the module,
// mixed precision by autocast around the forward. Parameters, gradients, buffers and random numbers are left as they
// were. Both are warmed up, then take turns. Throws Error (Usage) for changes that are only forecast (Drop), a module
// that there is not and a batch that is no whole number of examples, and what running throws.
WhatIfMeasurement measure_what_if(const std::shared_ptr<Program>& program, const MeasuredRun& run,
                                  const std::vector<WhatIf>& changes);

}  // namespace loupe::session
