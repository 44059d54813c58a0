// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a recorder keeps of a run.

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "core/record/value_change.h"
#include "core/record/value_store.h"

namespace loupe::session {

struct RecorderOptions {
    bool statistics = true;
    bool values = true;
    ValueBudget budget = {};
    std::set<std::string, std::less<>> left_out = {};  // see RunOptions
    bool opens_operators = false;                      // see RunOptions
    std::vector<ValueChange> changes = {};             // see RunOptions
    // Of a run that is repeated: only these values are kept, and the run ends (Cancelled) when the last was noted.
    const std::set<ValueId>* only = nullptr;
};

}  // namespace loupe::session
