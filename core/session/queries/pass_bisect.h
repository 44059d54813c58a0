// SPDX-License-Identifier: Apache-2.0
#pragma once
// Finds the pass that changed the result, on the inputs as they are.

#include "core/session/query.h"
#include "core/study/pass_bisect.h"

namespace loupe::session {

struct PassBisectQuery {
    using Answer = PassBisect;
    using Progress = PassBisectProgress;
    static const QueryRecord& record();

    PassBisectOptions options = {};
};
auto fields(Like<PassBisectQuery> auto& it) { return std::tie(it.options); }

}  // namespace loupe::session
