// SPDX-License-Identifier: Apache-2.0
// Byte pair encoding (Sennrich et al., 2016): of a word's characters the pair with the lowest rank is merged until none
// is left. Ranks are the places in `merges`; or, as in sentencepiece, any two tokens that make one together may be
// merged, and the one that is made has the greatest of the `scores`, by id, of which null is never made.
#include <algorithm>
#include <mutex>
#include <queue>
#include <shared_mutex>

#include "core/base/strings.h"
#include "core/text/settings.h"
#include "core/text/token_model.h"
#include "core/text/unicode.h"

namespace loupe::text {
namespace {

constexpr std::size_t kMostKept = 50'000;  // words whose tokens are remembered
constexpr std::size_t kLongestKept = 256;  // bytes of one

struct Merge {
    std::uint32_t rank = 0;
    TokenId id = 0;
};

std::uint64_t pair_key(TokenId left, TokenId right) {
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << 32 | static_cast<std::uint32_t>(right);
}

struct PairHash {
    std::size_t operator()(std::uint64_t key) const {
        key *= 0x9E3779B97F4A7C15U;
        return static_cast<std::size_t>(key ^ key >> 32);
    }
};

class Merges {
  public:
    void add(TokenId left, TokenId right, Merge merge) { all_[pair_key(left, right)] = merge; }
    void reserve(std::size_t count) { all_.reserve(count); }
    const Merge* find(TokenId left, TokenId right) const {
        const auto found = all_.find(pair_key(left, right));
        return found == all_.end() ? nullptr : &found->second;
    }

  private:
    std::unordered_map<std::uint64_t, Merge, PairHash> all_;
};

struct Symbol {
    TokenId id;
    std::size_t size;  // bytes; 0: merged into the one before
    std::ptrdiff_t previous, next;
};

// A merge that was possible when it was queued.
struct Candidate {
    std::uint32_t rank;
    std::size_t at;
    TokenId id;
    bool operator<(const Candidate& other) const { return rank != other.rank ? rank > other.rank : at > other.at; }
};

class Word {
  public:
    void add(TokenId id, std::size_t size) {
        const auto at = static_cast<std::ptrdiff_t>(symbols_.size());
        symbols_.push_back({id, size, at - 1, at + 1});
    }
    void merge(const Merges& merges) {
        std::priority_queue<Candidate> queue;
        const auto offer = [&](std::size_t left, std::size_t right) {
            if (const Merge* found = merges.find(symbols_[left].id, symbols_[right].id))
                queue.push({found->rank, left, found->id});
        };
        for (std::size_t i = 0; i + 1 < symbols_.size(); ++i) offer(i, i + 1);
        const auto count = static_cast<std::ptrdiff_t>(symbols_.size());
        while (!queue.empty()) {
            const Candidate top = queue.top();
            queue.pop();
            Symbol& left = symbols_[top.at];
            if (left.size == 0 || left.next >= count) continue;
            Symbol& right = symbols_[static_cast<std::size_t>(left.next)];
            const Merge* still = merges.find(left.id, right.id);
            if (still == nullptr || still->id != top.id) continue;
            left.id = top.id;
            left.size += right.size;
            left.next = right.next;
            right.size = 0;
            if (left.next < count)
                symbols_[static_cast<std::size_t>(left.next)].previous = static_cast<std::ptrdiff_t>(top.at);
            if (left.previous >= 0) offer(static_cast<std::size_t>(left.previous), top.at);
            if (left.next < count) offer(top.at, static_cast<std::size_t>(left.next));
        }
    }
    void tokens(std::vector<WordToken>& out) const {
        std::size_t at = 0;
        for (const Symbol& symbol : symbols_) {
            if (symbol.size == 0) continue;
            out.push_back({symbol.id, at, at + symbol.size});
            at += symbol.size;
        }
    }

  private:
    std::vector<Symbol> symbols_;
};

// The ids of <0x00> to <0xFF>; -1 where the vocabulary has none.
std::vector<TokenId> byte_tokens(const Vocabulary& vocabulary) {
    static constexpr char kDigits[] = "0123456789ABCDEF";
    std::vector<TokenId> out;
    for (unsigned byte = 0; byte < 256; ++byte)
        out.push_back(vocabulary.find(concat("<0x", kDigits[byte >> 4], kDigits[byte & 15], ">")).value_or(-1));
    return out;
}

class Bpe final : public TokenModel {
  public:
    Bpe(Vocabulary vocabulary, const JsonValue& settings)
        : TokenModel(std::move(vocabulary)),
          unknown_(optional_text(settings, "unk_token")),
          prefix_(text_of(settings, "continuing_subword_prefix", "")),
          suffix_(text_of(settings, "end_of_word_suffix", "")),
          fuses_unknown_(flag_of(settings, "fuse_unk", false)),
          ignores_merges_(flag_of(settings, "ignore_merges", false)) {
        if (flag_of(settings, "byte_fallback", false)) bytes_ = byte_tokens(this->vocabulary());
        if (part_of(settings, "merges") != nullptr) read_merges(list_of(settings, "merges"));
        if (part_of(settings, "scores") != nullptr) read_scores(list_of(settings, "scores"));
    }

    void tokenize(std::string_view word, std::vector<WordToken>& out) const override {
        if (ignores_merges_) {
            if (const auto whole = vocabulary().find(word)) {
                out.push_back({*whole, 0, word.size()});
                return;
            }
        }
        const bool may_keep = word.size() <= kLongestKept;
        if (may_keep) {
            const std::shared_lock lock(mutex_);
            if (const auto found = kept_.find(std::string(word)); found != kept_.end()) {
                out.insert(out.end(), found->second.begin(), found->second.end());
                return;
            }
        }
        const std::size_t begin = out.size();
        merge(word, out);
        if (!may_keep) return;
        const std::unique_lock lock(mutex_);
        if (kept_.size() < kMostKept)
            kept_.emplace(word, std::vector<WordToken>(out.begin() + static_cast<std::ptrdiff_t>(begin), out.end()));
    }

  private:
    void read_merges(std::span<const JsonValue> merges) {
        merges_.reserve(merges.size());
        std::uint32_t rank = 0;
        for (const JsonValue& merge : merges) {
            std::string_view left, right;
            if (merge.is_list() && merge.size() == 2 && merge.elements()[0].is_string() &&
                merge.elements()[1].is_string()) {
                left = merge.elements()[0].text();
                right = merge.elements()[1].text();
            } else if (merge.is_string() && merge.text().find(' ') != std::string_view::npos) {
                left = merge.text().substr(0, merge.text().find(' '));
                right = merge.text().substr(left.size() + 1);
            } else {
                refuse(concat("merge ", rank, " is no pair of tokens"));
            }
            const std::string_view tail = right.substr(std::min(prefix_.size(), right.size()));
            const TokenId first = known(left, rank), second = known(right, rank);
            merges_.add(first, second, {rank, known(concat(left, tail), rank)});
            ++rank;
        }
    }

    void read_scores(std::span<const JsonValue> scores) {
        std::vector<double> order;
        for (const JsonValue& score : scores)
            if (score.is_number()) order.push_back(score.number());
        std::ranges::sort(order, std::greater<>());
        order.erase(std::unique(order.begin(), order.end()), order.end());
        for (std::size_t id = 0; id < scores.size(); ++id) {
            const std::string* token = vocabulary().token(static_cast<TokenId>(id));
            if (!scores[id].is_number() || token == nullptr) continue;
            const auto place = std::ranges::lower_bound(order, scores[id].number(), std::greater<>());
            const Merge merge{static_cast<std::uint32_t>(place - order.begin()), static_cast<TokenId>(id)};
            for (std::size_t at = 0; at < token->size();) {
                next_char(*token, at);
                const auto left = vocabulary().find(std::string_view(*token).substr(0, at));
                const auto right = left ? vocabulary().find(std::string_view(*token).substr(at)) : std::nullopt;
                if (right) merges_.add(*left, *right, merge);
            }
        }
    }

    TokenId known(std::string_view token, std::uint32_t rank) const {
        const auto found = vocabulary().find(token);
        if (!found) refuse(concat("merge ", rank, " needs the token ", python_repr(token), ", which is not there"));
        return *found;
    }

    // Of a character that is no token; false when the vocabulary has not all of its bytes.
    bool add_bytes(std::string_view character, Word& word) const {
        if (bytes_.empty()) return false;
        for (const char c : character)
            if (bytes_[static_cast<unsigned char>(c)] < 0) return false;
        for (const char c : character) word.add(bytes_[static_cast<unsigned char>(c)], 1);
        return true;
    }

    void merge(std::string_view text, std::vector<WordToken>& out) const {
        Word word;
        std::size_t unknown_size = 0;
        TokenId unknown_id = 0;
        const auto flush = [&] {
            if (unknown_size > 0) word.add(unknown_id, unknown_size);
            unknown_size = 0;
        };
        std::string with_affixes;
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t begin = at;
            next_char(text, at);
            std::string_view symbol = text.substr(begin, at - begin);
            if (!prefix_.empty() || !suffix_.empty()) {
                with_affixes = concat(begin > 0 ? prefix_ : "", symbol, at == text.size() ? suffix_ : "");
                symbol = with_affixes;
            }
            if (const auto id = vocabulary().find(symbol)) {
                flush();
                word.add(*id, at - begin);
                continue;
            }
            if (add_bytes(symbol, word) || !unknown_) continue;
            if (!fuses_unknown_) flush();
            const auto id = vocabulary().find(*unknown_);
            if (!id) no_unknown(text);
            unknown_id = *id;
            unknown_size += at - begin;
        }
        flush();
        word.merge(merges_);
        word.tokens(out);
    }

    std::optional<std::string> unknown_;
    std::string prefix_, suffix_;
    bool fuses_unknown_, ignores_merges_;
    std::vector<TokenId> bytes_;
    Merges merges_;
    mutable std::shared_mutex mutex_;
    mutable std::unordered_map<std::string, std::vector<WordToken>> kept_;
};

}  // namespace

std::unique_ptr<TokenModel> make_bpe(const JsonValue& settings) {
    const JsonValue* vocabulary = part_of(settings, "vocab");
    if (vocabulary == nullptr) refuse("the model has no vocab");
    return std::make_unique<Bpe>(Vocabulary::read(*vocabulary), settings);
}

}  // namespace loupe::text
