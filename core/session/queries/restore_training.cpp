// SPDX-License-Identifier: Apache-2.0
#include "core/session/queries/restore_training.h"

#include "core/session/query_record.h"

namespace loupe::session {
namespace {

std::string restore_training_answer(const RestoreTrainingQuery& query, QueryContext& context) {
    return context.restore_training(query.file);
}

}  // namespace

const QueryRecord& RestoreTrainingQuery::record() {
    static constexpr QueryRecord kRecord =
        query_record<RestoreTrainingQuery, restore_training_answer>({.name = "restore training"});
    return kRecord;
}

}  // namespace loupe::session
