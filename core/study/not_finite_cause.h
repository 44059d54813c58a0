// SPDX-License-Identifier: Apache-2.0
#pragma once
// Why an event makes or turns a NaN or Inf, and what helps: from the notes of its operator, what it read, and its
// dtype.

#include <string>

#include "core/base/said.h"
#include "core/record/recording.h"

namespace loupe::session {

struct Cause {
    Said text;    // "sqrt at 0"
    Said advice;  // empty where there is none
};
// Of an event whose outputs are not finite; at the least the name of its operator.
Cause cause_of(const Recording& recording, const Event& event);
// Where the event's derivative is not finite and the gradient that meets it is 0: "the gradient there is 0 (where
// leaves it out), and 0 * Inf is NaN". Empty elsewhere.
Cause masked_cause(const Recording& recording, const Event& event);

}  // namespace loupe::session
