// SPDX-License-Identifier: Apache-2.0
#pragma once
// Tokens as they are shown: values only.

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/fields.h"

namespace loupe::session {

struct TokenInfo {
    std::int64_t id = 0;
    std::string text;         // as it stands in a text: " dog"; of a part of a character the token's own name
    std::string token;        // as the vocabulary has it: "Ġdog"
    bool is_special = false;  // such as <s>: no text
    bool is_added = false;    // put around the text by the tokenizer
};
auto fields(Like<TokenInfo> auto& it) { return std::tie(it.id, it.text, it.token, it.is_special, it.is_added); }

// A token that may come, and how likely.
struct TokenChoice {
    TokenInfo token;
    double probability = 0;
};
auto fields(Like<TokenChoice> auto& it) { return std::tie(it.token, it.probability); }

}  // namespace loupe::session
