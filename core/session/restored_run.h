// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/base/fields.h"
#include "core/base/said.h"
#include "core/record/recording.h"

namespace loupe::session {

// What a session that was kept came back to.
struct RestoredRun {
    EventId events = 0;  // 0: no run was kept
    Said note;           // what is missing of it; empty when nothing is
    std::string error;   // not empty: nothing was restored
    // Why the model is another one than the run's, a sentence without its end; empty: it has the very same tensors.
    Said other_model;
};
auto fields(Like<RestoredRun> auto& it) { return std::tie(it.events, it.note, it.error, it.other_model); }

}  // namespace loupe::session
