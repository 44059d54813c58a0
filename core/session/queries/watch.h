// SPDX-License-Identifier: Apache-2.0
#pragma once
// "layer3.1.conv2.out.absmax": the value of a watch expression at an event; text of a number, or why not.

#include <string>

#include "core/record/recording.h"
#include "core/session/query.h"

namespace loupe::session {

struct WatchQuery {
    using Answer = std::string;
    static const QueryRecord& record();

    std::string expression = {};
    EventId at = 0;
};
auto fields(Like<WatchQuery> auto& it) { return std::tie(it.expression, it.at); }

}  // namespace loupe::session
