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
auto fields(Like<DataSummaryQuery> auto& it) { return std::tie(it.data); }

}  // namespace loupe::session
