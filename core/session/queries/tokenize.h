// SPDX-License-Identifier: Apache-2.0
#pragma once
// The tokens of a text, by the tokenizer of the model's folder, and the inputs that they make.

#include <string>
#include <vector>

#include "core/model/input_spec.h"
#include "core/model/sampling.h"
#include "core/model/token_info.h"
#include "core/session/query.h"

namespace loupe::session {

struct TokenizedText {
    std::string error;  // not empty: the model takes no text, or this one has no tokens
    std::vector<TokenInfo> tokens;
    std::vector<InputSpec> inputs;  // of forward
    std::int64_t vocabulary = 0;    // 0: not known
    std::int64_t most_tokens = 0;   // of a text; 0: not known
    bool can_generate = false;      // its scores are of the next token
    SamplingOptions sampling;       // as the folder has it
};
auto fields(Like<TokenizedText> auto& it) {
    return std::tie(it.error, it.tokens, it.inputs, it.vocabulary, it.most_tokens, it.can_generate, it.sampling);
}

struct TokenizeQuery {
    using Answer = TokenizedText;
    static const QueryRecord& record();

    std::string text = {};
    std::vector<std::int64_t> ids = {};  // not empty: these tokens, not those of the text
};
auto fields(Like<TokenizeQuery> auto& it) { return std::tie(it.text, it.ids); }

}  // namespace loupe::session
