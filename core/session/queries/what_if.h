// SPDX-License-Identifier: Apache-2.0
#pragma once
// Runs the model forward and backward on its inputs, as it is and changed: see what_if.h. Parameters, gradients,
// buffers and random numbers are left as they were.

#include <vector>

#include "core/session/query.h"
#include "core/study/what_if.h"

namespace loupe::session {

struct WhatIfQuery {
    using Answer = WhatIfMeasurement;
    static const QueryRecord& record();

    std::vector<WhatIf> changes = {};
};
auto fields(Like<WhatIfQuery> auto& it) { return std::tie(it.changes); }

}  // namespace loupe::session
