// SPDX-License-Identifier: Apache-2.0
#pragma once
// Values that a run goes on with instead of its own: --change "layer1.out[:, 3] = zeros".

#include <string>
#include <string_view>
#include <vector>

#include "app/cli/commands.h"
#include "core/record/value_change.h"

namespace loupe::cli {

// What one --change says.
struct ChangeText {
    std::string value;  // as session::parse_named_value reads it; a module alone: what it gives
    std::string slice;  // "[:, 3]"
    std::string formula;
};
// Throws Error (Usage).
ChangeText parse_change(std::string_view text);

// The run without its changes, which says where values are made.
struct UnchangedRun {
    std::vector<session::ValueChange> changes;
    TensorList outputs;
};
// Runs the model of the options once as it is, with all output but its own withheld. Throws Error (Usage) for a name
// that the run does not make.
UnchangedRun run_unchanged(const RunArguments& options);

// What the changes made of the results, a line each, as notices.
void note_effects(const RunArguments& options, const UnchangedRun& before, const TensorList& after);

}  // namespace loupe::cli
