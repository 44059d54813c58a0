// SPDX-License-Identifier: Apache-2.0
#include "core/session/queries/token_axes.h"

#include "core/session/query_record.h"
#include "core/session/run_tokens.h"

namespace loupe::session {
namespace {

TokenAxesAnswer token_axes_answer(const TokenAxesQuery&, QueryContext& context) {
    const RunTokens run = tokens_of_run(context);
    TokenAxesAnswer out;
    if (run.sequences.empty()) return out;
    for (ValueId id = 1; id <= run.recording->value_count(); ++id) {
        const auto& axes = run.axes.of(id);
        for (std::size_t i = 0; i < axes.size(); ++i)
            if (axes[i].sequence >= 0 && axes[i].period == 0) out.axes.push_back({id, static_cast<int>(i)});
    }
    return out;
}

}  // namespace

const QueryRecord& TokenAxesQuery::record() {
    static constexpr QueryRecord kRecord = query_record<TokenAxesQuery, token_axes_answer>({.name = "token axes"});
    return kRecord;
}

}  // namespace loupe::session
