// SPDX-License-Identifier: Apache-2.0
#pragma once
// What data holds.

#include "core/model/data_sources.h"
#include "core/session/query.h"

namespace loupe::session {

struct DataSummaryQuery {
    using Answer = DataSummary;
    static const QueryRecord& record();

    DataSpec data = {};
};

}  // namespace loupe::session
