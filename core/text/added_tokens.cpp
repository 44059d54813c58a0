// SPDX-License-Identifier: Apache-2.0
#include "core/text/added_tokens.h"

namespace loupe::text {
namespace {

// The place where the character that ends at `end` begins.
std::size_t char_before(std::string_view text, std::size_t end) {
    std::size_t at = end - 1;
    while (at > 0 && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) --at;
    return at;
}

bool ends_in_word(std::string_view text, std::size_t end) {
    if (end == 0) return false;
    std::size_t at = char_before(text, end);
    return is_word(next_char(text, at));
}

bool begins_word(std::string_view text, std::size_t at) { return at < text.size() && is_word(next_char(text, at)); }

std::size_t spaces_before(std::string_view text, std::size_t end, std::size_t first) {
    while (end > first) {
        const std::size_t begin = char_before(text, end);
        std::size_t at = begin;
        if (begin < first || !is_whitespace(next_char(text, at))) break;
        end = begin;
    }
    return end;
}

std::size_t spaces_behind(std::string_view text, std::size_t at) {
    while (at < text.size()) {
        std::size_t behind = at;
        if (!is_whitespace(next_char(text, behind))) break;
        at = behind;
    }
    return at;
}

}  // namespace

AddedTokens::AddedTokens(std::vector<AddedToken> tokens, const Normalizer& normalizer) : tokens_(std::move(tokens)) {
    std::deque<std::string> texts;  // normalized contents
    std::vector<std::pair<std::string_view, std::int32_t>> original, normalized;
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
        AddedToken& token = tokens_[i];
        token.shown = token.content;
        if (!token.is_normalized) {
            original.emplace_back(token.content, static_cast<std::int32_t>(i));
            continue;
        }
        NormalizedText content(token.content);
        if (normalizer) normalizer(content);
        token.shown = content.text();
        normalized.emplace_back(texts.emplace_back(content.text()), static_cast<std::int32_t>(i));
    }
    original_ = TokenTrie(std::move(original));
    normalized_ = TokenTrie(std::move(normalized));
}

std::pair<std::size_t, std::int32_t> AddedTokens::longest(const TokenTrie& trie, std::string_view text) const {
    std::pair<std::size_t, std::int32_t> best{0, -1};
    trie.prefixes(text, [&](std::size_t size, std::int32_t token) { best = {size, token}; });
    return best;
}

std::vector<AddedTokens::Part> AddedTokens::find(std::string_view text, Of which) const {
    const TokenTrie& trie = which == Of::Original ? original_ : normalized_;
    std::vector<Part> out;
    std::size_t done = 0;
    for (std::size_t at = 0; at < text.size();) {
        if (!trie.begins(text[at])) {
            ++at;
            continue;
        }
        const auto [size, index] = longest(trie, text.substr(at));
        if (index < 0) {
            ++at;
            continue;
        }
        const AddedToken& token = tokens_[static_cast<std::size_t>(index)];
        std::size_t begin = at, end = at + size;
        at = end;
        if (token.is_single_word && (ends_in_word(text, begin) || begins_word(text, end))) continue;
        if (token.strips_left) begin = spaces_before(text, begin, done);
        if (token.strips_right) end = spaces_behind(text, end);
        if (begin > done) out.push_back({done, begin, nullptr});
        out.push_back({begin, end, &token});
        done = end;
        at = std::max(at, end);
    }
    if (done < text.size()) out.push_back({done, text.size(), nullptr});
    return out;
}

}  // namespace loupe::text
