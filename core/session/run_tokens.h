// SPDX-License-Identifier: Apache-2.0
#pragma once
// The tokens of the run that is shown, for queries.

#include <memory>
#include <vector>

#include "core/model/token_names.h"
#include "core/session/query_context.h"
#include "core/study/token_axes.h"

namespace loupe::session {

struct RunTokens {
    std::shared_ptr<const Recording> recording;
    std::vector<TokenSequence> sequences;
    TokenAxes axes;
    TokenNames names;
    // [..., n, vocabulary]; 0: the run gives no scores of tokens, or has not come to them.
    ValueId logits = 0;
};
// Throws Error (Usage) where nothing was recorded.
RunTokens tokens_of_run(const QueryContext& context);

// What stands at the axis's places, as many as there are, at most; empty texts beyond the sequence.
std::vector<TokenInfo> tokens_along(const RunTokens& run, const TokenAxis& axis, std::int64_t places);

}  // namespace loupe::session
