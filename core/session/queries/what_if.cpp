// SPDX-License-Identifier: Apache-2.0
#include "core/session/queries/what_if.h"

#include "core/session/query_record.h"

namespace loupe::session {
namespace {

WhatIfMeasurement what_if_answer(const WhatIfQuery& query, QueryContext& context) {
    return context.measure_what_if(query.changes);
}

}  // namespace

const QueryRecord& WhatIfQuery::record() {
    static constexpr QueryRecord kRecord =
        query_record<WhatIfQuery, what_if_answer>({.name = "what if", .not_while = NotWhile::ParkedOrTraining});
    return kRecord;
}

}  // namespace loupe::session
