// SPDX-License-Identifier: Apache-2.0
#include "core/session/queries/run_tokens.h"

#include "core/session/query_record.h"
#include "core/session/run_tokens.h"

namespace loupe::session {
namespace {

RunTokensAnswer run_tokens_answer(const RunTokensQuery&, QueryContext& context) {
    const RunTokens run = tokens_of_run(context);
    RunTokensAnswer out;
    for (const TokenSequence& each : run.sequences) out.rows.push_back({each.argument, run.names(each.ids), each.held});
    out.has_tokenizer = run.names.model() != nullptr;
    out.fills_gaps = out.has_tokenizer && run.names.model()->fills_gaps();
    out.vocabulary = run.names.vocabulary();
    out.logits = run.logits;
    if (run.logits != 0) {
        const auto& axes = run.axes.of(run.logits);
        out.scored_row = axes[axes.size() - 2].sequence;
    }
    return out;
}

}  // namespace

const QueryRecord& RunTokensQuery::record() {
    static constexpr QueryRecord kRecord = query_record<RunTokensQuery, run_tokens_answer>({.name = "run tokens"});
    return kRecord;
}

}  // namespace loupe::session
