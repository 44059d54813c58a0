// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a session says a run came to, and as an entry of its log. Any thread.

#include <memory>

#include "core/record/run_options.h"
#include "core/session/session_listener.h"
#include "core/study/verdict.h"

namespace loupe::session {

// facts: what the options do not say.
std::shared_ptr<const Verdict> verdict_of(const Recording& recording, const RunOptions& options, RunFacts facts);
// A link to the place that the verdict speaks of.
SessionListener::LogEntry entry_of(const Verdict& verdict);

}  // namespace loupe::session
