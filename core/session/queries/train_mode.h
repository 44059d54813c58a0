// SPDX-License-Identifier: Apache-2.0
#pragma once
// Sets train() or eval() of the module and all below it. The answer is empty, or says why not.

#include <string>

#include "core/session/query.h"

namespace loupe::session {

struct TrainModeQuery {
    using Answer = std::string;
    static const QueryRecord& record();

    std::string module = {};
    bool training = true;
};
auto fields(Like<TrainModeQuery> auto& it) { return std::tie(it.module, it.training); }

}  // namespace loupe::session
