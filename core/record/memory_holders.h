// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/record/recording.h"

namespace loupe::session {

// Who holds what at an event, for an error that memory is out: "held then: activation 1.2 GB, parameter 400 MB; the
// largest: 512 MB layer4.conv (activation), ...". Empty where nothing is known.
std::string holders_text(const Recording& recording, EventId event);

}  // namespace loupe::session
