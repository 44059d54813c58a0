// SPDX-License-Identifier: Apache-2.0
#include "core/session/queries/training_checkpoint.h"

#include "core/session/query_record.h"
#include "core/train/trainer.h"

namespace loupe::session {
namespace {

TrainingCheckpoint training_checkpoint_answer(const TrainingCheckpointQuery& query, QueryContext&) {
    return read_training_checkpoint(query.file, query.base);
}

}  // namespace

const QueryRecord& TrainingCheckpointQuery::record() {
    static constexpr QueryRecord kRecord =
        query_record<TrainingCheckpointQuery, training_checkpoint_answer>({.name = "training checkpoint"});
    return kRecord;
}

}  // namespace loupe::session
