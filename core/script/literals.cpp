// SPDX-License-Identifier: Apache-2.0
#include "core/script/literals.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <complex>
#include <cstdint>

namespace loupe::script {
namespace {

// Value of up to `most` digits of the base at `at`, which moves past them; nullopt when there are fewer than `least`.
std::optional<std::uint32_t> digits(std::string_view text, std::size_t& at, std::size_t least, std::size_t most,
                                    int base) {
    std::uint32_t value = 0;
    const std::string_view candidate = text.substr(at, most);
    const auto [end, error] = std::from_chars(candidate.data(), candidate.data() + candidate.size(), value, base);
    const auto length = static_cast<std::size_t>(end - candidate.data());
    if (error != std::errc() || length < least) return std::nullopt;
    at += length;
    return value;
}

void append_utf8(std::string& out, std::uint32_t code) {
    const auto tail = [&](unsigned shift) { out += static_cast<char>(0x80U | ((code >> shift) & 0x3FU)); };
    if (code < 0x80) {
        out += static_cast<char>(code);
    } else if (code < 0x800) {
        out += static_cast<char>(0xC0U | (code >> 6U));
        tail(0);
    } else if (code < 0x10000) {
        out += static_cast<char>(0xE0U | (code >> 12U));
        tail(6);
        tail(0);
    } else {
        out += static_cast<char>(0xF0U | (code >> 18U));
        tail(12);
        tail(6);
        tail(0);
    }
}

std::optional<char> simple_escape(char c) {
    switch (c) {
        case '\\':
            return '\\';
        case '\'':
            return '\'';
        case '"':
            return '"';
        case 'a':
            return '\a';
        case 'b':
            return '\b';
        case 'f':
            return '\f';
        case 'n':
            return '\n';
        case 'r':
            return '\r';
        case 't':
            return '\t';
        case 'v':
            return '\v';
        default:
            return std::nullopt;
    }
}

// Decodes the escape whose letter is at `at`, which moves past it; false when it is malformed.
bool decode_escape(std::string_view body, std::size_t& at, NumericEscape numeric, std::string& out) {
    const char c = body[at];
    const auto append = [&](std::uint32_t value) {
        if (numeric == NumericEscape::Character)
            append_utf8(out, value);
        else
            out += static_cast<char>(value);
    };
    if (const auto simple = simple_escape(c)) {
        out += *simple;
        ++at;
    } else if (c == '\n') {
        ++at;
    } else if (c >= '0' && c <= '7') {
        append(*digits(body, at, 1, 3, 8));
    } else if (c == 'x') {
        const auto value = digits(body, ++at, 2, 2, 16);
        if (!value) return false;
        append(*value);
    } else if (c == 'u' || c == 'U') {
        const std::size_t length = c == 'u' ? 4 : 8;
        const auto value = digits(body, ++at, length, length, 16);
        if (!value || *value > 0x10FFFF) return false;
        append_utf8(out, *value);
    } else {
        out += '\\';
        out += c;
        ++at;
    }
    return true;
}

std::optional<double> parse_double(std::string_view text) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (end != text.data() + text.size()) return std::nullopt;
    if (error == std::errc::result_out_of_range) return text.find("e-") == std::string_view::npos ? HUGE_VAL : 0.0;
    if (error != std::errc()) return std::nullopt;
    return value;
}

std::optional<IValue> parse_integer(std::string_view digits_text, int base, bool is_negative) {
    std::string signed_text = is_negative ? "-" : "";
    signed_text += digits_text;
    std::int64_t value = 0;
    const char* const last = signed_text.data() + signed_text.size();
    const auto [end, error] = std::from_chars(signed_text.data(), last, value, base);
    if (error != std::errc() || end != last) return std::nullopt;
    return IValue(value);
}

}  // namespace

bool StringLiteral::has(char letter) const {
    return std::any_of(prefix.begin(), prefix.end(), [&](char c) { return (c | 0x20) == letter; });
}

StringLiteral split_string(std::string_view token) {
    const std::size_t prefix = token.find_first_of("'\"");
    const char quote = token[prefix];
    const std::string_view quoted = token.substr(prefix);
    const bool is_triple = quoted.size() >= 6 && quoted[1] == quote && quoted[2] == quote;
    const std::size_t quotes = is_triple ? 3 : 1;
    return {token.substr(0, prefix), quoted.substr(quotes, quoted.size() - 2 * quotes)};
}

namespace {

// Longer or deeper fields do not occur in practice: their texts end at the quotes.
constexpr std::size_t kMaxField = 16384;
constexpr int kMaxFieldDepth = 32;

std::size_t string_end(std::string_view text, std::size_t at, int depth);

// The position after a replacement field's closing brace, from after the opening one; npos when it is not closed.
std::size_t field_end(std::string_view text, std::size_t at, int depth) {
    if (depth > kMaxFieldDepth) return std::string_view::npos;
    const std::size_t last = std::min(text.size(), at + kMaxField);
    int nesting = 0;
    for (; at < last; ++at) {
        const char c = text[at];
        if (c == '\'' || c == '"') {
            const std::size_t end = string_end(text, string_begin(text, at), depth);
            if (end == std::string_view::npos) return end;
            at = end - 1;
        } else if (c == '(' || c == '[' || c == '{') {
            ++nesting;
        } else if (nesting > 0 && (c == ')' || c == ']' || c == '}')) {
            --nesting;
        } else if (c == '}') {
            return at + 1;
        } else if (c == ':' && nesting == 0) {
            break;
        }
    }
    // The format specification is text with fields in it.
    while (at < last) {
        const char c = text[at++];
        if (c == '}') return at;
        if (c == '\'' || c == '"' || c == '\n') break;
        if (c == '{' && (at = field_end(text, at, depth + 1)) == std::string_view::npos) return at;
    }
    return std::string_view::npos;
}

std::size_t string_end(std::string_view text, std::size_t at, int depth) {
    const std::size_t begin = at;
    at = text.find_first_of("'\"", at);
    if (at == std::string_view::npos) return at;
    const bool has_fields = text.substr(begin, at - begin).find_first_of("fF") != std::string_view::npos;
    const bool is_triple = text.substr(at).size() >= 3 && text[at + 1] == text[at] && text[at + 2] == text[at];
    const std::string_view quotes = text.substr(at, is_triple ? 3 : 1);
    at += quotes.size();
    while (at < text.size() && !text.substr(at).starts_with(quotes)) {
        const char c = text[at];
        if (c == '\n' && !is_triple) return std::string_view::npos;
        if (c == '\\') {
            // A field may follow: rf"\{x}".
            at += at + 1 < text.size() && text[at + 1] == '{' && has_fields ? 1 : 2;
        } else if (c == '{' && has_fields && at + 1 < text.size() && text[at + 1] != '{') {
            at = field_end(text, at + 1, depth + 1);
            if (at == std::string_view::npos) return at;
        } else {
            at += c == '{' && has_fields ? 2 : 1;
        }
    }
    return at < text.size() ? at + quotes.size() : std::string_view::npos;
}

}  // namespace

std::size_t string_begin(std::string_view text, std::size_t quote) {
    constexpr std::string_view kPrefixes = "rRfFbBuU";
    std::size_t begin = quote;
    while (begin > 0 && quote - begin < 2 && kPrefixes.find(text[begin - 1]) != std::string_view::npos) --begin;
    // The end of a word is no prefix: x if"a"else y.
    const char before = begin > 0 ? text[begin - 1] : ' ';
    const char lower = static_cast<char>(before | 0x20);
    const bool is_word = (lower >= 'a' && lower <= 'z') || (before >= '0' && before <= '9') || before == '_';
    return is_word ? quote : begin;
}

std::size_t string_end(std::string_view text, std::size_t at) { return string_end(text, at, 0); }

std::optional<std::string> decode_escapes(std::string_view body, NumericEscape numeric) {
    std::string out;
    out.reserve(body.size());
    std::size_t at = 0;
    while (at < body.size()) {
        if (body[at] != '\\' || at + 1 == body.size()) {
            out += body[at++];
            continue;
        }
        if (!decode_escape(body, ++at, numeric, out)) return std::nullopt;
    }
    return out;
}

std::optional<IValue> parse_number(std::string_view text) {
    const bool is_negative = text.starts_with('-');
    std::string digits_text(text.substr(is_negative ? 1 : 0));
    std::erase(digits_text, '_');
    if (digits_text.size() > 2 && digits_text[0] == '0') {
        const char mark = static_cast<char>(digits_text[1] | 0x20);
        const int base = mark == 'x' ? 16 : mark == 'o' ? 8 : mark == 'b' ? 2 : 0;
        if (base != 0) return parse_integer(std::string_view(digits_text).substr(2), base, is_negative);
    }
    const bool is_imaginary = !digits_text.empty() && (digits_text.back() | 0x20) == 'j';
    if (is_imaginary) digits_text.pop_back();
    if (!is_imaginary && digits_text.find_first_of(".eE") == std::string::npos) {
        return parse_integer(digits_text, 10, is_negative);
    }
    const auto value = parse_double(digits_text);
    if (!value) return std::nullopt;
    const double with_sign = is_negative ? -*value : *value;
    if (is_imaginary) return IValue(std::complex<double>(0, with_sign));
    return IValue(with_sign);
}

std::optional<WholeNumber> parse_whole_number(std::string_view text) {
    WholeNumber number;
    number.is_negative = text.starts_with('-');
    number.digits = text.substr(number.is_negative ? 1 : 0);
    std::erase(number.digits, '_');
    const char mark =
        number.digits.size() > 2 && number.digits[0] == '0' ? static_cast<char>(number.digits[1] | 0x20) : '\0';
    if (mark == 'x' || mark == 'o' || mark == 'b') {
        number.base = mark == 'x' ? 16 : mark == 'o' ? 8 : 2;
        number.digits.erase(0, 2);
    }
    const std::string_view allowed = std::string_view("0123456789abcdefABCDEF")
                                         .substr(0, number.base == 16 ? 22 : static_cast<std::size_t>(number.base));
    const bool is_whole = !number.digits.empty() && number.digits.find_first_not_of(allowed) == std::string::npos;
    return is_whole ? std::optional(std::move(number)) : std::nullopt;
}

}  // namespace loupe::script
