// SPDX-License-Identifier: Apache-2.0
#include "core/base/strings.h"

#include <array>
#include <cmath>
#include <cstdio>

namespace loupe {
namespace {

std::string with_unit(double value, const char* unit) {
    std::array<char, 64> text{};
    const int decimals = value >= 100 ? 0 : value >= 10 ? 1 : 2;
    std::snprintf(text.data(), text.size(), "%.*f %s", decimals, value, unit);
    return text.data();
}

}  // namespace

void append(std::string& out, double value) {
    std::array<char, 64> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
    out.append(text.data(), end);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    while (true) {
        const auto at = text.find(separator);
        parts.push_back(text.substr(0, at));
        if (at == std::string_view::npos) return parts;
        text.remove_prefix(at + 1);
    }
}

std::string python_repr(double value) {
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
    // Python switches to exponents outside 1e-4 .. 1e16.
    const double magnitude = std::fabs(value);
    const bool fixed = magnitude == 0 || (magnitude >= 1e-4 && magnitude < 1e16);
    std::array<char, 512> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value,
                                   fixed ? std::chars_format::fixed : std::chars_format::scientific)
                         .ptr;
    std::string out(text.data(), end);
    if (fixed && out.find('.') == std::string::npos) out += ".0";
    return out;
}

std::string python_repr(std::string_view text) {
    // Python prefers single quotes unless only they occur inside.
    const bool only_single = text.find('\'') != std::string_view::npos && text.find('"') == std::string_view::npos;
    const char quote = only_single ? '"' : '\'';
    std::string out(1, quote);
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '\\' || c == quote) {
            out += '\\';
            out += c;
        } else if (c == '\n') {
            out += "\\n";
        } else if (c == '\r') {
            out += "\\r";
        } else if (c == '\t') {
            out += "\\t";
        } else if (byte < 0x20 || byte == 0x7f) {
            std::array<char, 8> escape{};
            std::snprintf(escape.data(), escape.size(), "\\x%02x", byte);
            out += escape.data();
        } else {
            out += c;
        }
    }
    return out + quote;
}

std::string quoted(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        switch (c) {
            case '\\':
                out += "\\\\";
                break;
            case '\'':
                out += "\\'";
                break;
            case '"':
                out += "\\\"";
                break;
            case '\a':
                out += "\\a";
                break;
            case '\b':
                out += "\\b";
                break;
            case '\f':
                out += "\\f";
                break;
            case '\n':
                out += "\\n";
                break;
            case '\r':
                out += "\\r";
                break;
            case '\t':
                out += "\\t";
                break;
            case '\v':
                out += "\\v";
                break;
            default: {
                const auto byte = static_cast<unsigned char>(c);
                if (byte >= 0x20 && byte < 0x7f) {
                    out += c;
                } else {
                    std::array<char, 8> escape{};
                    std::snprintf(escape.data(), escape.size(), "\\%03o", byte);
                    out += escape.data();
                }
            }
        }
    }
    return out + "\"";
}

std::string format_bytes(double bytes) {
    if (bytes < 1024) return std::to_string(static_cast<long long>(bytes)) + " B";
    constexpr std::array units{"KiB", "MiB", "GiB", "TiB"};
    std::size_t unit = 0;
    bytes /= 1024;
    while (bytes >= 1024 && unit + 1 < units.size()) {
        bytes /= 1024;
        ++unit;
    }
    return with_unit(bytes, units[unit]);
}

std::string format_seconds(double seconds) {
    if (seconds < 1e-6) return with_unit(seconds * 1e9, "ns");
    if (seconds < 1e-3) return with_unit(seconds * 1e6, "µs");
    if (seconds < 1) return with_unit(seconds * 1e3, "ms");
    return seconds < 1e9 ? with_unit(seconds, "s") : concat(python_repr(seconds), " s");
}

}  // namespace loupe
