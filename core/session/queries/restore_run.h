// SPDX-License-Identifier: Apache-2.0
#pragma once
// Shows the run that the folder of Session::keep_in() keeps as the last run of the model that is open. Ready
// afterwards: nothing is parked.

#include <filesystem>

#include "core/session/query.h"
#include "core/session/restored_run.h"

namespace loupe::session {

struct RestoreRunQuery {
    using Answer = RestoredRun;
    static const QueryRecord& record();

    std::filesystem::path folder = {};
};
auto fields(Like<RestoreRunQuery> auto& it) { return std::tie(it.folder); }

}  // namespace loupe::session
