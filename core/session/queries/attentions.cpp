// SPDX-License-Identifier: Apache-2.0
#include "core/session/queries/attentions.h"

#include "core/session/query_record.h"
#include "core/session/run_tokens.h"

namespace loupe::session {
namespace {

Attentions attentions_answer(const AttentionsQuery&, QueryContext& context) {
    const RunTokens run = tokens_of_run(context);
    return {{}, find_attentions(*run.recording, run.axes)};
}

}  // namespace

const QueryRecord& AttentionsQuery::record() {
    static constexpr QueryRecord kRecord = query_record<AttentionsQuery, attentions_answer>({.name = "attentions"});
    return kRecord;
}

}  // namespace loupe::session
