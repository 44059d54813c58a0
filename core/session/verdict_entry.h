// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/session/session_listener.h"
#include "core/study/verdict.h"

namespace loupe::session {

// A verdict as an entry of a session's log: a link to the place that it speaks of.
SessionListener::LogEntry entry_of(const Verdict& verdict);

}  // namespace loupe::session
