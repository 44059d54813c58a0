// SPDX-License-Identifier: Apache-2.0
#pragma once
// Changes elements of a value of the run that is parked, which goes on with them; see value_change.h. A run that has
// ended is run again with RunOptions::changes.

#include <string>

#include "core/record/recording.h"
#include "core/record/value_change.h"
#include "core/session/query.h"

namespace loupe::session {

struct ChangedValue {
    std::string error;  // not empty: nothing else is valid
    EventId event = 0;  // that the change is
    ValueId value = 0;  // what is there now; changing it to "undo" puts back what was there
};
auto fields(Like<ChangedValue> auto& it) { return std::tie(it.error, it.event, it.value); }

struct ChangeValueQuery {
    using Answer = ChangedValue;
    static const QueryRecord& record();

    ValueChange change = {};  // where it is made is known: where the run is parked
    // Nothing is changed: only whether it could be, as far as its elements tell.
    bool only_checks = false;
};
auto fields(Like<ChangeValueQuery> auto& it) { return std::tie(it.change, it.only_checks); }

}  // namespace loupe::session
