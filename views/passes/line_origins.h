// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Which lines of the graph as it was read each line of a later graph came from.

#include <vector>

#include "core/model/pass_trace.h"

namespace loupe::views {

using LineOrigins = std::vector<std::vector<int>>;  // by line, in order; empty: a pass made it of nothing

// After a step of the trace; -1: of the graph as it was read.
LineOrigins lineOrigins(const session::PassTrace& trace, int step);
// Lines that came from one of these.
std::vector<int> linesFrom(const LineOrigins& of, const std::vector<int>& origins);

// Operators that run: without constants, lists and other plumbing.
int countOperators(const session::GraphModel& graph);

}  // namespace loupe::views
