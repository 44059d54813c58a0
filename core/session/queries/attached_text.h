// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a window attached to the recording that is open (SaveRecordingQuery::attached), as it is; empty: nothing.

#include <string>

#include "core/session/query.h"

namespace loupe::session {

struct AttachedTextQuery {
    using Answer = std::string;
    static const QueryRecord& record();
};
auto fields(Like<AttachedTextQuery> auto&) { return std::tie(); }

}  // namespace loupe::session
