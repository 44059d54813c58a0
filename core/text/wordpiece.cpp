// SPDX-License-Identifier: Apache-2.0
// WordPiece (Schuster and Nakajima, 2012): the longest token first. WordLevel: a word is a token.
#include <algorithm>

#include "core/base/strings.h"
#include "core/text/settings.h"
#include "core/text/token_model.h"
#include "core/text/unicode.h"

namespace loupe::text {
namespace {

class WordPiece final : public TokenModel {
  public:
    WordPiece(Vocabulary vocabulary, const JsonValue& settings)
        : TokenModel(std::move(vocabulary)),
          unknown_(text_of(settings, "unk_token", "[UNK]")),
          prefix_(text_of(settings, "continuing_subword_prefix", "##")),
          longest_word_(static_cast<std::size_t>(
              std::max<std::int64_t>(0, integer_of(settings, "max_input_chars_per_word", 100)))) {
        for (const auto& [token, id] : this->vocabulary().all())
            longest_token_ = std::max(longest_token_, token.size());
    }

    void tokenize(std::string_view word, std::vector<WordToken>& out) const override {
        const std::size_t before = out.size();
        if (count_chars(word) <= longest_word_ && split(word, out)) return;
        out.resize(before);
        const auto id = vocabulary().find(unknown_);
        if (!id) no_unknown(word);
        out.push_back({*id, 0, word.size()});
    }

  private:
    // False where no token fits.
    bool split(std::string_view word, std::vector<WordToken>& out) const {
        std::string key;
        for (std::size_t begin = 0; begin < word.size();) {
            std::size_t end = std::min(word.size(), begin + longest_token_);
            key.assign(begin > 0 ? prefix_ : "");
            const std::size_t prefix = key.size();
            key.append(word, begin, end - begin);
            for (;; --end) {
                if (end == begin) return false;
                // Between characters only.
                const bool is_inside = end < word.size() && (static_cast<unsigned char>(word[end]) & 0xC0) == 0x80;
                key.resize(prefix + end - begin);
                if (is_inside) continue;
                if (const auto id = vocabulary().find(key)) {
                    out.push_back({*id, begin, end});
                    break;
                }
            }
            begin = end;
        }
        return true;
    }

    std::string unknown_, prefix_;
    std::size_t longest_word_, longest_token_ = 0;
};

class WordLevel final : public TokenModel {
  public:
    WordLevel(Vocabulary vocabulary, const JsonValue& settings)
        : TokenModel(std::move(vocabulary)), unknown_(text_of(settings, "unk_token", "<unk>")) {}

    void tokenize(std::string_view word, std::vector<WordToken>& out) const override {
        auto id = vocabulary().find(word);
        if (!id) id = vocabulary().find(unknown_);
        if (!id) no_unknown(word);
        out.push_back({*id, 0, word.size()});
    }

  private:
    std::string unknown_;
};

Vocabulary vocabulary_of(const JsonValue& settings) {
    const JsonValue* vocabulary = part_of(settings, "vocab");
    if (vocabulary == nullptr) refuse("the model has no vocab");
    return Vocabulary::read(*vocabulary);
}

}  // namespace

std::unique_ptr<TokenModel> make_wordpiece(const JsonValue& settings) {
    return std::make_unique<WordPiece>(vocabulary_of(settings), settings);
}

std::unique_ptr<TokenModel> make_wordlevel(const JsonValue& settings) {
    return std::make_unique<WordLevel>(vocabulary_of(settings), settings);
}

}  // namespace loupe::text
