// SPDX-License-Identifier: Apache-2.0
#pragma once
// Runs a model to be compared with: another model on the same inputs, or the same one under another pipeline, device or
// dtype.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/cancel.h"
#include "core/model/program.h"
#include "core/record/operator_times.h"
#include "core/record/run_options.h"
#include "core/study/compared_run.h"

namespace loupe::session {

struct ReferenceRequest {
    std::shared_ptr<Program> program;
    RunOptions options;  // method, pipeline, device, seed, threads, mode and backward count
    std::string dtype;   // of parameters, buffers and inputs that are floating; empty: as they are
    // What the method gets; called when the generators are seeded. Tensors are copied.
    std::function<std::vector<IValue>()> arguments;
    std::string label;
    // The run is repeated until its operators have warm times.
    std::optional<OperatorTimesRequest> timed = {};
    const CancelFlag* cancel = nullptr;  // of that; null: it is not stopped
};

// The program stays on the device, and of the dtype, that it ran with. A run that fails is compared as far as it came,
// and its notes say so. Throws Error (Usage) for arguments that the method does not take and for dtypes and devices
// that there are none of, Error (Cancelled), and what preparing the method throws.
ComparedRun record_reference(const ReferenceRequest& request);

// A run that a recorder has seen; it is kept as long as what it is compared with. gradients: of its module.
ComparedRun compared_recording(std::shared_ptr<const Recorder> recorder, std::shared_ptr<const ModelInfo> model,
                               std::vector<GradientRow> gradients, std::string label);

}  // namespace loupe::session
