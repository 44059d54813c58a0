// SPDX-License-Identifier: Apache-2.0
#include "core/session/queries/save_checkpoint.h"

#include "core/session/query_record.h"
#include "core/train/trainer.h"

namespace loupe::session {
namespace {

std::string save_checkpoint_answer(const SaveCheckpointQuery& query, QueryContext& context) {
    if (context.trainer() == nullptr)
        throw Error(ErrorKind::Usage, "nothing was trained", {.hint = "save the weights instead"});
    context.trainer()->save(query.file);
    return {};
}

}  // namespace

const QueryRecord& SaveCheckpointQuery::record() {
    static constexpr QueryRecord kRecord =
        query_record<SaveCheckpointQuery, save_checkpoint_answer>({.name = "save checkpoint"});
    return kRecord;
}

}  // namespace loupe::session
