// SPDX-License-Identifier: Apache-2.0
#pragma once
// The tokens that the shown run was on.

#include <cstdint>
#include <string>
#include <vector>

#include "core/model/token_info.h"
#include "core/record/recording.h"
#include "core/session/query.h"

namespace loupe::session {

struct TokenRow {
    std::string argument;  // of the method: "input_ids"
    std::vector<TokenInfo> tokens;
    std::int64_t held = 0;  // those whose keys and values a cache held: the first of them
};
auto fields(Like<TokenRow> auto& it) { return std::tie(it.argument, it.tokens, it.held); }

struct RunTokensAnswer {
    std::string error;
    std::vector<TokenRow> rows;  // of a model with an encoder its tokens, then the decoder's
    bool has_tokenizer = false;  // else tokens have numbers for names, or are bytes
    bool fills_gaps = false;     // scores are of the token that stands there
    ValueId logits = 0;          // 0: none
    int scored_row = -1;         // whose tokens have scores
    std::int64_t vocabulary = 0;
};
auto fields(Like<RunTokensAnswer> auto& it) {
    return std::tie(it.error, it.rows, it.has_tokenizer, it.fills_gaps, it.logits, it.scored_row, it.vocabulary);
}

struct RunTokensQuery {
    using Answer = RunTokensAnswer;
    static const QueryRecord& record();
};
auto fields(Like<RunTokensQuery> auto&) { return std::tie(); }

}  // namespace loupe::session
