// SPDX-License-Identifier: Apache-2.0
#pragma once
// Text to tokens and back, as Hugging Face's `tokenizers` does by its tokenizer.json: added tokens are found, the text
// is normalized, split into words, the model makes tokens of them, and the post-processor puts special ones around.

#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "core/base/json_document.h"
#include "core/text/added_tokens.h"
#include "core/text/encoding.h"
#include "core/text/post_processor.h"
#include "core/text/pre_tokenizer.h"
#include "core/text/token_decoder.h"
#include "core/text/token_model.h"

namespace loupe::text {

class Tokenizer {
  public:
    // Of the text of a tokenizer.json. Throws Error (File) for one that is damaged or has parts that are not known.
    static std::shared_ptr<const Tokenizer> parse(std::string_view json);
    static std::shared_ptr<const Tokenizer> of(const JsonValue& settings);

    // Throws Error (Usage) for a text that is no UTF-8, Run for one that has no tokens.
    Encoding encode(std::string_view text, bool adds_special_tokens = true) const;
    // Ids without a token are left out, and so are special tokens where that is wanted.
    std::string decode(std::span<const TokenId> ids, bool skips_special_tokens = true) const;

    // Null when there is none.
    const std::string* token(TokenId id) const;
    std::optional<TokenId> find(std::string_view token) const;
    bool is_special(TokenId id) const { return special_.contains(id); }
    TokenId largest_id() const;

  private:
    void read_added_tokens(const JsonValue& settings);
    void encode_words(NormalizedText text, Encoding& out) const;

    std::unique_ptr<TokenModel> model_;
    Normalizer normalizer_;
    PreTokenizer pre_tokenizer_;
    PostProcessor post_processor_;
    TokenDecoder decoder_;
    AddedTokens added_;
    Vocabulary added_vocabulary_;
    std::unordered_map<TokenId, std::string> shown_;  // of added tokens
    std::set<TokenId> special_;
};

}  // namespace loupe::text
