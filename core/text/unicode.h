// SPDX-License-Identifier: Apache-2.0
#pragma once
// What tokenizers ask of Unicode, answered by ICU. UTF-8 in and out; bytes that are none read as U+FFFD.

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace loupe::text {

// Reads the character at `at` and moves `at` behind it.
char32_t next_char(std::string_view text, std::size_t& at);
void append_char(std::string& out, char32_t c);
std::size_t count_chars(std::string_view text);
bool is_valid_utf8(std::string_view text);
// Each byte that belongs to no character becomes U+FFFD, a maximal part of one a single one.
std::string lossy_utf8(std::string_view bytes);

bool is_whitespace(char32_t c);   // White_Space
bool is_punctuation(char32_t c);  // category P, or punctuation of ASCII
bool is_numeric(char32_t c);      // category N
bool is_word(char32_t c);         // \w of UTS 18
bool is_nonspacing_mark(char32_t c);
bool is_mark(char32_t c);   // category M
bool is_other(char32_t c);  // category C, but not unassigned
// A number for each script; -1 for none. Hiragana and Katakana count as Han, as sentencepiece has it.
int script_of(char32_t c);
// The lower case of one character, whatever stands around it: one or two characters.
std::u32string lower_case(char32_t c);

// The character that a form has of it, and by how many characters the text grew there: 0 for one that stands in
// another's place, 1 for one more, -n for one that n more were taken into.
using Change = std::pair<char32_t, int>;
enum class Form { NFC, NFD, NFKC, NFKD };
std::vector<Change> normal_form(std::string_view text, Form form);

// Ends of the extended grapheme clusters, in bytes.
std::vector<std::size_t> grapheme_ends(std::string_view text);

}  // namespace loupe::text
