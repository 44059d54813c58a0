// SPDX-License-Identifier: Apache-2.0
#pragma once
// A text that is changed while it remembers which characters of the original each of its bytes came from.

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/unicode.h"

namespace loupe::text {

// Characters [begin, end) of the original.
struct Span {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    bool operator==(const Span&) const = default;
};

// A part of a text in bytes, and whether it is what was looked for.
struct Piece {
    std::size_t begin = 0;
    std::size_t end = 0;
    bool is_match = false;
};

// Texts do not grow past this: a tokenizer.json may double each letter sixty times.
inline constexpr std::size_t kLongestText = 50'000'000;
// Throws Error (Run) for more bytes.
void check_length(std::size_t bytes);

// The parts of a text, in order and without gaps.
using Finder = std::function<std::vector<Piece>(std::string_view)>;

class NormalizedText {
  public:
    NormalizedText() = default;
    explicit NormalizedText(std::string_view original);

    const std::string& text() const { return text_; }
    bool empty() const { return text_.empty(); }
    // The first character of the original that this part of the text begins with.
    std::uint32_t origin() const { return origin_; }
    // Where bytes [begin, end) came from.
    Span span(std::size_t begin, std::size_t end) const;
    NormalizedText slice(std::size_t begin, std::size_t end) const;

    // Replaces all of it. `changes` as normal_form gives them.
    void transform(std::span<const Change> changes);
    void map_chars(const std::function<char32_t(char32_t)>& map);
    void keep_chars(const std::function<bool(char32_t)>& keep);
    // What is put in the place of a match comes from the match's last character.
    void replace(const Finder& finder, std::string_view content);
    void prepend(std::string_view content);
    void strip(bool left, bool right);

  private:
    void add(std::string_view bytes, Span from);

    std::string text_;
    std::vector<Span> spans_;  // one a byte
    std::uint32_t origin_ = 0;
};

}  // namespace loupe::text
