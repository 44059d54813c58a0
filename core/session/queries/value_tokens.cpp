// SPDX-License-Identifier: Apache-2.0
#include "core/session/queries/value_tokens.h"

#include "core/session/query_record.h"
#include "core/session/run_tokens.h"

namespace loupe::session {
namespace {

constexpr std::int64_t kMostPlaces = 1 << 16;

ValueTokens value_tokens_answer(const ValueTokensQuery& query, QueryContext& context) {
    const RunTokens run = tokens_of_run(context);
    ValueTokens out;
    const auto& axes = run.axes.of(query.value);
    if (axes.empty()) return out;
    const Shape& shape = run.recording->value(query.value).shape;
    for (std::size_t i = 0; i < axes.size(); ++i) {
        AxisTokens& names = out.axes.emplace_back();
        if (shape[i] > kMostPlaces) continue;
        for (TokenInfo& token : tokens_along(run, axes[i], shape[i])) names.names.push_back(std::move(token.text));
    }
    return out;
}

}  // namespace

const QueryRecord& ValueTokensQuery::record() {
    static constexpr QueryRecord kRecord =
        query_record<ValueTokensQuery, value_tokens_answer>({.name = "value tokens"});
    return kRecord;
}

}  // namespace loupe::session
