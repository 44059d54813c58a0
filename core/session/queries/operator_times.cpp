// SPDX-License-Identifier: Apache-2.0
#include "core/session/queries/operator_times.h"

#include "core/model/error_text.h"
#include "core/session/query_record.h"

namespace loupe::session {
namespace {

OperatorTimesReport operator_times_answer(const OperatorTimesQuery& query, QueryContext& context) {
    return {.error = {}, .times = context.time_operators(query.request)};
}

void carry_operator_times(const OperatorTimesQuery&, const Error& error, OperatorTimesReport& report) {
    report.error = headline_of(error);
}

}  // namespace

const QueryRecord& OperatorTimesQuery::record() {
    static constexpr QueryRecord kRecord =
        query_record<OperatorTimesQuery, operator_times_answer, carry_operator_times>(
            {.name = "operator times", .not_while = NotWhile::ParkedOrTraining});
    return kRecord;
}

}  // namespace loupe::session
