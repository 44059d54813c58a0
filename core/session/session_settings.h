// SPDX-License-Identifier: Apache-2.0
#pragma once
// What callers have set of a session, as they see it at once: beside an engine in another process, which follows.

#include <map>
#include <string>
#include <vector>

#include "core/session/breakpoint.h"
#include "core/session/run_control.h"
#include "core/session/settings.h"

namespace loupe::session {

struct SessionSettings {
    Settings settings;
    RunControl control;  // its breakpoints, their ids and conditions; no run
    std::map<std::string, std::vector<Breakpoint>> breakpoints_elsewhere;  // by the path of their model
};

}  // namespace loupe::session
