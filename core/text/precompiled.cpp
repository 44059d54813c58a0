// SPDX-License-Identifier: Apache-2.0
// sentencepiece's table of replacements: a double-array trie (Darts-clone) over UTF-8 whose values are places in a text
// of strings that end in 0.
#include <cstring>
#include <memory>
#include <optional>

#include "core/text/normalizer.h"
#include "core/text/settings.h"

namespace loupe::text {
namespace {

std::string decode_base64(std::string_view text) {
    std::string out;
    out.reserve(text.size() / 4 * 3);
    std::uint32_t bits = 0;
    int held = 0;
    for (const char c : text) {
        std::uint32_t value = 0;
        if (c >= 'A' && c <= 'Z')
            value = static_cast<std::uint32_t>(c - 'A');
        else if (c >= 'a' && c <= 'z')
            value = static_cast<std::uint32_t>(c - 'a' + 26);
        else if (c >= '0' && c <= '9')
            value = static_cast<std::uint32_t>(c - '0' + 52);
        else if (c == '+')
            value = 62;
        else if (c == '/')
            value = 63;
        else if (c == '=')
            break;
        else
            refuse("precompiled_charsmap is no base64");
        bits = bits << 6 | value;
        held += 6;
        if (held < 8) continue;
        held -= 8;
        out += static_cast<char>(bits >> held & 0xFF);
    }
    return out;
}

class Charsmap {
  public:
    explicit Charsmap(const std::string& bytes) {
        std::uint32_t size = 0;
        if (bytes.size() < sizeof size) refuse("precompiled_charsmap is truncated");
        std::memcpy(&size, bytes.data(), sizeof size);
        if (size > bytes.size() - sizeof size || size % 4 != 0) refuse("precompiled_charsmap is truncated");
        units_.resize(size / 4);
        std::memcpy(units_.data(), bytes.data() + sizeof size, size);
        strings_ = bytes.substr(sizeof size + size);
    }

    // Of the shortest key that the text begins with.
    std::optional<std::string_view> replacement(std::string_view text) const {
        std::size_t node = 0;
        if (units_.empty()) return std::nullopt;
        node ^= offset(units_[0]);
        for (const char c : text) {
            const auto byte = static_cast<unsigned char>(c);
            if (byte == 0) break;
            node ^= byte;
            if (node >= units_.size() || (units_[node] & (1U << 31 | 0xFF)) != byte) break;
            const std::uint32_t unit = units_[node];
            node ^= offset(unit);
            if ((unit >> 8 & 1) == 0) continue;
            const std::size_t place = node < units_.size() ? units_[node] & ~(1U << 31) : strings_.size();
            if (place >= strings_.size()) return std::nullopt;
            const std::string_view rest = std::string_view(strings_).substr(place);
            return rest.substr(0, rest.find('\0'));
        }
        return std::nullopt;
    }

  private:
    static std::size_t offset(std::uint32_t unit) { return unit >> 10 << ((unit & 1U << 9) >> 6); }

    std::vector<std::uint32_t> units_;
    std::string strings_;
};

void append(std::vector<Change>& changes, std::string_view old, std::string_view replacement) {
    const auto before = static_cast<int>(count_chars(old));
    const auto after = static_cast<int>(count_chars(replacement));
    for (std::size_t at = 0; at < replacement.size();) changes.emplace_back(next_char(replacement, at), 0);
    for (int i = 0; i < after - before; ++i) changes[changes.size() - 1 - static_cast<std::size_t>(i)].second = 1;
    if (after < before && !changes.empty()) changes.back().second += after - before;
}

}  // namespace

Normalizer precompiled_normalizer(std::string_view charsmap) {
    if (charsmap.empty()) return [](NormalizedText&) {};
    const auto map = std::make_shared<const Charsmap>(decode_base64(charsmap));
    return [map](NormalizedText& text) {
        const std::string_view all = text.text();
        std::vector<Change> changes;
        bool is_modified = false;
        std::size_t begin = 0;
        for (const std::size_t end : grapheme_ends(all)) {
            const std::string_view grapheme = all.substr(begin, end - begin);
            begin = end;
            const auto whole = grapheme.size() < 6 ? map->replacement(grapheme) : std::nullopt;
            if (whole) {
                append(changes, grapheme, *whole);
                is_modified = true;
                continue;
            }
            for (std::size_t at = 0; at < grapheme.size();) {
                const std::size_t from = at;
                const char32_t c = next_char(grapheme, at);
                const std::string_view part = grapheme.substr(from, at - from);
                if (const auto replacement = map->replacement(part)) {
                    append(changes, part, *replacement);
                    is_modified = true;
                } else {
                    changes.emplace_back(c, 0);
                }
            }
        }
        if (is_modified) text.transform(changes);
    };
}

}  // namespace loupe::text
