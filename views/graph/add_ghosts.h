// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The graph of a run with what only a reference has.

#include <functional>

#include "core/study/run_differences.h"
#include "views/graph/ghosted_graph.h"

namespace loupe::views {

// nodeOf: of an event of the run that is shown; -1: none. Without ghosts it is the own graph as it is.
GhostedGraph addGhosts(std::shared_ptr<const session::GraphModel> own, const session::GraphModel& reference,
                       const session::RunDifferences& differences, const std::function<int(session::EventId)>& nodeOf);

}  // namespace loupe::views
