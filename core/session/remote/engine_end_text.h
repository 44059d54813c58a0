// SPDX-License-Identifier: Apache-2.0
#pragma once
// One line about the end of an engine's process.

#include "core/session/engine_end.h"
#include "core/session/remote/engine_life.h"
#include "core/session/status.h"

namespace loupe::session {

// now: what the session saw last.
EngineEnd describe_end(const EngineLife::End& end, const Status& now, const Recording* recording);

}  // namespace loupe::session
