// SPDX-License-Identifier: Apache-2.0
#pragma once
// What each layer of a row makes of what comes in.

#include "core/model/build.h"
#include "core/session/query.h"

namespace loupe::session {

struct BuildCheckQuery {
    using Answer = BuildCheck;
    static const QueryRecord& record();

    BuildRequest request = {};
};
auto fields(Like<BuildCheckQuery> auto& it) { return std::tie(it.request); }

}  // namespace loupe::session
