// SPDX-License-Identifier: Apache-2.0
#pragma once
// Phases of a run as parts of sentences.

#include "core/base/said.h"
#include "core/record/recording.h"

namespace loupe::session {

// "in backward".
Said said_in_phase(RunPhase phase);

}  // namespace loupe::session
