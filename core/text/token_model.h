// SPDX-License-Identifier: Apache-2.0
#pragma once
// What makes tokens of a word: BPE, WordPiece, Unigram or WordLevel.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/json_document.h"
#include "core/text/vocabulary.h"

namespace loupe::text {

// A token and where in the word it stands, in bytes.
struct WordToken {
    TokenId id = 0;
    std::size_t begin = 0;
    std::size_t end = 0;
};

class TokenModel {
  public:
    explicit TokenModel(Vocabulary vocabulary) : vocabulary_(std::move(vocabulary)) {}
    virtual ~TokenModel() = default;
    // Throws Error (Run) for a word that has no tokens and the vocabulary no unknown one.
    virtual void tokenize(std::string_view word, std::vector<WordToken>& out) const = 0;
    const Vocabulary& vocabulary() const { return vocabulary_; }

  protected:
    [[noreturn]] static void no_unknown(std::string_view word);

  private:
    Vocabulary vocabulary_;
};

// Of the `model` of a tokenizer.json. Throws Error (File).
std::unique_ptr<TokenModel> make_token_model(const JsonValue& settings);

std::unique_ptr<TokenModel> make_bpe(const JsonValue& settings);
std::unique_ptr<TokenModel> make_unigram(const JsonValue& settings);
std::unique_ptr<TokenModel> make_wordpiece(const JsonValue& settings);
std::unique_ptr<TokenModel> make_wordlevel(const JsonValue& settings);

}  // namespace loupe::text
