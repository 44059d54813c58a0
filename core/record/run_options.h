// SPDX-License-Identifier: Apache-2.0
#pragma once
// A run as callers describe it: values only.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/base/fields.h"
#include "core/model/backward_from.h"
#include "core/model/input_spec.h"
#include "core/record/value_change.h"

namespace loupe::session {

struct RunOptions {
    std::string method = "forward";
    std::vector<InputSpec> inputs;  // empty: the ones that were guessed or given when the model was opened
    bool backward = false;
    BackwardFrom backward_from;
    bool record = true;
    bool statistics = true;
    bool record_values = true;  // keep elements, to be looked at
    // Bytes of elements kept in memory, and those moved to a temporary file beyond it; what goes over both is dropped
    // and computed again when it is asked for. Not given: a quarter of the machine's memory, half of the free disk.
    std::optional<std::size_t> memory_budget;
    std::optional<std::size_t> file_budget;
    // Names that neither statistics nor elements are kept of, exactly as they stand here: of a module's path ("" is the
    // root) what its own operators make, forward and backward, not what modules in it make; of a parameter itself and
    // its gradients. Events stay.
    std::set<std::string, std::less<>> left_out;
    // Operators that are made of others are recorded as calls, with what runs in them, instead of as one event each.
    bool opens_operators = false;
    std::string pipeline = "none";  // which passes run on the graph first
    std::string compile_mode;       // one of compile_modes(): how the graph is compiled, with its own passes for "none"
    std::optional<bool> training;   // nullopt: as the file says
    int threads = 0;                // 0: all cores
    std::uint64_t seed = 0;
    bool pause_at_start = false;
    std::string device = "cpu";
    std::vector<ValueChange> changes;  // by hand, in the order in which they are made
};
auto fields(Like<RunOptions> auto& it) {
    return std::tie(it.method, it.inputs, it.backward, it.backward_from, it.record, it.statistics, it.record_values,
                    it.memory_budget, it.file_budget, it.left_out, it.opens_operators, it.pipeline, it.compile_mode,
                    it.training, it.threads, it.seed, it.pause_at_start, it.device, it.changes);
}

}  // namespace loupe::session
