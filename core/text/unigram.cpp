// SPDX-License-Identifier: Apache-2.0
// Unigram (Kudo, 2018): the tokens of a word with the greatest sum of scores, by Viterbi's algorithm.
#include <algorithm>
#include <cmath>

#include "core/base/strings.h"
#include "core/text/byte_alphabet.h"
#include "core/text/settings.h"
#include "core/text/token_model.h"
#include "core/text/token_trie.h"
#include "core/text/unicode.h"

namespace loupe::text {
namespace {

constexpr double kUnknownPenalty = 10.0;

struct Scored {
    Vocabulary vocabulary;
    std::vector<double> scores;  // by id
};

Scored read_scored(const JsonValue& settings) {
    Scored out;
    const auto tokens = list_of(settings, "vocab");
    out.scores.reserve(tokens.size());
    for (const JsonValue& token : tokens) {
        const auto parts = token.is_list() ? token.elements() : std::span<const JsonValue>();
        if (parts.size() != 2 || !parts[0].is_string() || !parts[1].is_number())
            refuse(concat("token ", out.scores.size(), " is no text with a score"));
        out.vocabulary.add(parts[0].text(), static_cast<TokenId>(out.scores.size()));
        out.scores.push_back(parts[1].number());
    }
    return out;
}

class Unigram final : public TokenModel {
  public:
    Unigram(Scored scored, const JsonValue& settings)
        : TokenModel(std::move(scored.vocabulary)),
          scores_(std::move(scored.scores)),
          falls_back_(flag_of(settings, "byte_fallback", false)) {
        const auto unknown = integer_of(settings, "unk_id", -1);
        if (unknown < -1 || unknown >= static_cast<std::int64_t>(scores_.size()))
            refuse(concat("unk_id is ", unknown, " of ", scores_.size(), " tokens"));
        unknown_ = static_cast<TokenId>(unknown);
        std::vector<std::pair<std::string_view, std::int32_t>> keys;
        for (const auto& [token, id] : vocabulary().all()) keys.emplace_back(token, id);
        trie_ = TokenTrie(std::move(keys));
        lowest_ = scores_.empty() ? 0 : *std::ranges::min_element(scores_);
        bytes_.assign(256, -1);
        for (const auto& [token, id] : vocabulary().all())
            if (const auto byte = byte_of_token(token)) bytes_[*byte] = id;
    }

    void tokenize(std::string_view word, std::vector<WordToken>& out) const override {
        const std::vector<Best> best = search(word);
        std::vector<WordToken> found;
        bool is_fusing = false;
        for (std::size_t end = word.size(); end > 0;) {
            const Best& node = best[end];
            const bool is_unknown = node.id == unknown_;
            if (is_unknown && is_fusing)
                found.back().begin = node.begin;
            else
                found.push_back({node.id, node.begin, end});
            is_fusing = is_unknown;
            end = node.begin;
        }
        for (auto token = found.rbegin(); token != found.rend(); ++token) add(word, *token, out);
    }

  private:
    // The best way to a place: its score and its last token.
    struct Best {
        double score = 0;
        std::size_t begin = static_cast<std::size_t>(-1);
        TokenId id = 0;
    };

    std::vector<Best> search(std::string_view word) const {
        std::vector<Best> best(word.size() + 1);
        const auto offer = [&](std::size_t begin, std::size_t end, double score, TokenId id) {
            Best& node = best[end];
            if (node.begin == static_cast<std::size_t>(-1) || score > node.score) node = {score, begin, id};
        };
        for (std::size_t at = 0; at < word.size();) {
            const double so_far = best[at].score;
            std::size_t behind = at;
            next_char(word, behind);
            bool has_character = false;
            trie_.prefixes(word.substr(at), [&](std::size_t size, TokenId id) {
                offer(at, at + size, so_far + scores_[static_cast<std::size_t>(id)], id);
                has_character = has_character || at + size == behind;
            });
            if (!has_character) {
                if (unknown_ < 0) no_unknown(word);
                offer(at, behind, so_far + lowest_ - kUnknownPenalty, unknown_);
            }
            at = behind;
        }
        return best;
    }

    void add(std::string_view word, WordToken token, std::vector<WordToken>& out) const {
        const std::string_view text = word.substr(token.begin, token.end - token.begin);
        // Fused unknown characters may be a token again.
        if (const auto id = vocabulary().find(text)) {
            token.id = *id;
        } else if (falls_back_ && std::ranges::all_of(text, [&](char c) { return byte_id(c) >= 0; })) {
            for (const char c : text) out.push_back({byte_id(c), token.begin, token.end});
            return;
        }
        out.push_back(token);
    }

    TokenId byte_id(char c) const { return bytes_[static_cast<unsigned char>(c)]; }

    std::vector<double> scores_;
    bool falls_back_;
    TokenId unknown_ = -1;
    double lowest_ = 0;
    TokenTrie trie_;
    std::vector<TokenId> bytes_;
};

}  // namespace

std::unique_ptr<TokenModel> make_unigram(const JsonValue& settings) {
    return std::make_unique<Unigram>(read_scored(settings), settings);
}

}  // namespace loupe::text
