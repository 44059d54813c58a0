// SPDX-License-Identifier: Apache-2.0
#include "core/session/queries/train_mode.h"

#include "core/session/query_record.h"

namespace loupe::session {
namespace {

std::string train_mode_answer(const TrainModeQuery& query, QueryContext& context) {
    context.module(query.module)->train(query.training);
    return {};
}

}  // namespace

const QueryRecord& TrainModeQuery::record() {
    static constexpr QueryRecord kRecord = query_record<TrainModeQuery, train_mode_answer>(
        {.name = "train mode", .needs_model = true, .not_while = NotWhile::ParkedOrRunning});
    return kRecord;
}

}  // namespace loupe::session
