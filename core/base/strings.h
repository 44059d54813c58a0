// SPDX-License-Identifier: Apache-2.0
#pragma once
// Building and splitting text.

#include <charconv>
#include <concepts>
#include <string>
#include <string_view>
#include <vector>

namespace loupe {

inline void append(std::string& out, std::string_view text) { out += text; }
inline void append(std::string& out, const char* text) { out += text; }
inline void append(std::string& out, const std::string& text) { out += text; }
inline void append(std::string& out, char c) { out += c; }
inline void append(std::string& out, bool value) { out += value ? "true" : "false"; }
template <std::integral T>
void append(std::string& out, T value) {
    out += std::to_string(value);
}
void append(std::string& out, double value);  // shortest text that reads back to the same double

// concat("dim ", 3, " of ", 2): "dim 3 of 2".
template <typename... Parts>
std::string concat(const Parts&... parts) {
    std::string out;
    (append(out, parts), ...);
    return out;
}

// "a.b.c" by '.' -> {"a", "b", "c"}; empty text gives one empty part.
std::vector<std::string_view> split(std::string_view text, char separator);

template <typename Range>
std::string join(const Range& parts, std::string_view separator) {
    std::string out;
    bool first = true;
    for (const auto& part : parts) {
        if (!first) out += separator;
        first = false;
        append(out, part);
    }
    return out;
}

// The float as Python's repr writes it: "1.", "0.10000000000000001" are not it; "1.0", "0.1", "1e-05", "inf", "nan"
// are.
std::string python_repr(double value);
// The text in quotes, escaped as Python's repr does.
std::string python_repr(std::string_view text);
// The text in double quotes, escaped as c10::printQuotedString does: single quotes too, other bytes in octal.
std::string quoted(std::string_view text);

// Bytes with a binary unit, three significant digits: "47.0 MiB".
std::string format_bytes(double bytes);
// Seconds with a fitting unit: "1.25 ms".
std::string format_seconds(double seconds);

}  // namespace loupe
