// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Which line of a graph's text stands for which node.

#include <map>

#include "core/model/model_info.h"

namespace loupe::views {

// Of each node that makes a value the line, from 0, whose left side names it.
std::map<int, int> linesOfNodes(const session::GraphModel& graph);

}  // namespace loupe::views
