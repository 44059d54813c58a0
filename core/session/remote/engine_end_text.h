// SPDX-License-Identifier: Apache-2.0
#pragma once
// One line about the end of an engine's process.

#include "core/session/engine_end.h"
#include "core/session/remote/engine_life.h"
#include "core/session/status.h"

namespace loupe::session {

// now: what the session saw last.
EngineEnd describe_end(const EngineLife::End& end, const Status& now, const Recording* recording);

// The step of a training that it ended in, from 1; 0: nothing was trained.
std::int64_t training_step_of(const EngineLife::End& end, const Status& now);

}  // namespace loupe::session
