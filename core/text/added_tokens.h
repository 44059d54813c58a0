// SPDX-License-Identifier: Apache-2.0
#pragma once
// Tokens beside the model's: found in a text before it is split.

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/normalizer.h"
#include "core/text/token_trie.h"
#include "core/text/vocabulary.h"

namespace loupe::text {

struct AddedToken {
    TokenId id = 0;
    std::string content;
    bool is_special = false;      // left out when text is made of tokens
    bool is_single_word = false;  // not inside of words
    bool strips_left = false;     // takes the whitespace before it
    bool strips_right = false;
    bool is_normalized = false;  // looked for in the normalized text
    std::string shown = {};      // what it is in a text made of tokens: normalized where it is looked for so
};

class AddedTokens {
  public:
    AddedTokens() = default;
    AddedTokens(std::vector<AddedToken> tokens, const Normalizer& normalizer);

    // A part of the text, and the added token that it is; null for one that is none.
    struct Part {
        std::size_t begin = 0;
        std::size_t end = 0;
        const AddedToken* token = nullptr;
    };
    enum class Of { Original, Normalized };
    std::vector<Part> find(std::string_view text, Of which) const;

    const std::vector<AddedToken>& all() const { return tokens_; }

  private:
    // Of tokens_, the longest that the text begins with.
    std::pair<std::size_t, std::int32_t> longest(const TokenTrie& trie, std::string_view text) const;

    std::vector<AddedToken> tokens_;
    TokenTrie original_, normalized_;
};

}  // namespace loupe::text
