// SPDX-License-Identifier: Apache-2.0
#pragma once
// Programs on the engine's machine whose training can be watched.

#include <vector>

#include "core/session/query.h"
#include "core/session/watched_programs.h"

namespace loupe::session {

struct WatchedProgramsQuery {
    using Answer = std::vector<WatchedProgram>;
    static const QueryRecord& record();
};
auto fields(Like<WatchedProgramsQuery> auto&) { return std::tie(); }

}  // namespace loupe::session
