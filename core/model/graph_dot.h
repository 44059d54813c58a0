// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/model/model_info.h"

namespace loupe::session {

// The graph in graphviz's language: operators as boxes, calls of modules as clusters around them, constants and shape
// arithmetic left out.
std::string graph_dot(const GraphModel& graph);

}  // namespace loupe::session
