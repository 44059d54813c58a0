// SPDX-License-Identifier: Apache-2.0
#include "core/python/source_words.h"

#include <cctype>

namespace loupe::python {
namespace {

bool is_word_character(char c) { return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0; }

}  // namespace

bool has_word(std::string_view text, std::string_view word, std::string_view after) {
    for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
        const std::size_t end = at + word.size();
        const bool begins = at == 0 || !is_word_character(text[at - 1]);
        if (begins && (end == text.size() || !is_word_character(text[end])) && text.substr(end).starts_with(after))
            return true;
    }
    return false;
}

std::string plain_name(std::string_view name) {
    std::string out;
    for (const char c : name) {
        if (std::isalnum(static_cast<unsigned char>(c)) != 0)
            out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    return out;
}

}  // namespace loupe::python
