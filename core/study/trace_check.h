// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/model/program.h"
#include "core/study/compilation.h"

namespace loupe::session {

// Runs the program's trace and its source on other inputs than these, which it was made with: other numbers, other
// sizes. Throws Error (Usage) when there is no trace.
TraceCheck check_on_other_inputs(Program& program, const std::vector<IValue>& arguments);

}  // namespace loupe::session
