// SPDX-License-Identifier: Apache-2.0
#include "core/session/queries/save_weights.h"

#include "core/model/convert.h"
#include "core/model/program.h"
#include "core/session/query_record.h"

namespace loupe::session {
namespace {

std::string save_weights_answer(const SaveWeightsQuery& query, QueryContext& context) {
    write_weights_file(context.program()->module().state_dict(), query.file);
    return {};
}

}  // namespace

const QueryRecord& SaveWeightsQuery::record() {
    static constexpr QueryRecord kRecord =
        query_record<SaveWeightsQuery, save_weights_answer>({.name = "save weights", .needs_model = true});
    return kRecord;
}

}  // namespace loupe::session
