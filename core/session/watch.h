// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/session/recording.h"

namespace loupe::session {

// The value of a watch expression at an event: a module path or value name, then "out", "in", "out[1]" or "grad" (of the
// module's output), then a field of value_field; "layer3.1.conv2.out.absmax", "%x.3.mean", "fc.weight.norm". Text of a
// number, a description of the tensor when no field is named, or why there is none. Never throws.
std::string evaluate_watch(const Recording& recording, const std::string& expression, EventId at);

}  // namespace loupe::session
