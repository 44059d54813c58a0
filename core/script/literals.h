// SPDX-License-Identifier: Apache-2.0
#pragma once
// Values of the literals of Python source.

#include <optional>
#include <string>
#include <string_view>

#include "core/value/ivalue.h"

namespace loupe::script {

struct StringLiteral {
    std::string_view prefix;  // "", "r", "f", ...
    std::string_view body;    // between the quotes, escapes as written
    bool has(char letter) const;
};
// Splits a string token into prefix and text.
StringLiteral split_string(std::string_view token);
// Where the string literal begins whose quote stands at `quote`: at its prefix (rf"..."), or at the quote.
std::size_t string_begin(std::string_view text, std::size_t quote);
// Behind a string literal that begins at `at`, at its prefix or its quote; npos when it does not end. Quotes inside the
// replacement fields of an f-string do not end it (PEP 701).
std::size_t string_end(std::string_view text, std::size_t at);
// The text with its escapes decoded; nullopt for one that is malformed. Unknown escapes stay as written, as in Python.
// What \xe9 and \351 are: bytes in TorchScript and in bytes literals, characters in a str of Python.
enum class NumericEscape { Byte, Character };
std::optional<std::string> decode_escapes(std::string_view body, NumericEscape numeric = NumericEscape::Byte);

// An int, float or complex from a number token, which may start with "-"; nullopt when it is none. Ints past 64 bits
// are none either.
std::optional<IValue> parse_number(std::string_view text);
// The digits of a whole number of any size.
struct WholeNumber {
    bool is_negative = false;
    int base = 10;
    std::string digits;
};
std::optional<WholeNumber> parse_whole_number(std::string_view text);

}  // namespace loupe::script
