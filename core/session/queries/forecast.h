// SPDX-License-Identifier: Apache-2.0
#pragma once
// The forecast of the last run with time: times its operators as OperatorTimesQuery does if they were not, and those
// that run in another dtype alone in that dtype.

#include <vector>

#include "core/session/query.h"
#include "core/study/what_if.h"

namespace loupe::session {

struct ForecastQuery {
    using Answer = MemoryForecast;
    static const QueryRecord& record();

    std::vector<WhatIf> changes = {};
};
auto fields(Like<ForecastQuery> auto& it) { return std::tie(it.changes); }

}  // namespace loupe::session
