// SPDX-License-Identifier: Apache-2.0
#include "core/session/queries/load_weights.h"

#include "core/session/query_record.h"

namespace loupe::session {
namespace {

WeightsReport load_weights_answer(const LoadWeightsQuery& query, QueryContext& context) {
    return context.load_weights(query.file, query.strict);
}

void carry_load_weights(const LoadWeightsQuery& query, const Error& error, WeightsReport& report) {
    report.file = query.file.string();
    report.error = error.what();
}

}  // namespace

const QueryRecord& LoadWeightsQuery::record() {
    static constexpr QueryRecord kRecord = query_record<LoadWeightsQuery, load_weights_answer, carry_load_weights>(
        {.name = "load weights", .needs_model = true, .not_while = NotWhile::ParkedOrRunning});
    return kRecord;
}

}  // namespace loupe::session
