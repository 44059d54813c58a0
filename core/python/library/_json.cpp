// SPDX-License-Identifier: Apache-2.0
// What the module json asks of C++: texts of megabytes are read and quoted at their own speed.
#include <array>
#include <charconv>
#include <cstdio>
#include <limits>
#include <optional>
#include <utility>

#include "core/base/strings.h"
#include "core/python/language/arguments.h"
#include "core/python/language/big_integer.h"
#include "core/python/language/builtin_objects.h"
#include "core/python/language/format.h"
#include "core/python/language/operations.h"
#include "core/python/language/thread_state.h"
#include "core/python/library/standard_modules.h"

namespace loupe::python {
namespace {

constexpr int kDeepest = 990;  // where CPython's recursion ends

// What is wrong, at a byte of the text.
struct Refusal {
    std::string message;
    std::size_t at;
};

// None where the caller gave none.
struct Hooks {
    IValue object, pairs, number, integer, constant;
};

class Scanner {
  public:
    Scanner(std::string_view text, const Hooks& hooks) : text_(text), hooks_(hooks) {}

    // The whole text is one value. Throws Refusal, and what the hooks throw.
    IValue read() {
        space();
        IValue out = value(0);
        space();
        if (at_ != text_.size()) throw Refusal{"Extra data", at_};
        return out;
    }

  private:
    char now() const { return at_ < text_.size() ? text_[at_] : '\0'; }
    bool is_digit() const { return now() >= '0' && now() <= '9'; }
    void space() {
        while (at_ < text_.size() && std::string_view(" \t\n\r").find(text_[at_]) != std::string_view::npos) ++at_;
    }
    bool take(std::string_view word) {
        if (!text_.substr(at_).starts_with(word)) return false;
        at_ += word.size();
        return true;
    }

    IValue value(int depth) {
        switch (now()) {
            case '{':
                check_depth(depth, "object");
                return object(depth + 1);
            case '[':
                check_depth(depth, "array");
                return array(depth + 1);
            case '"':
                return IValue(string());
            default:
                return word_or_number();
        }
    }

    static void check_depth(int depth, const char* what) {
        if (depth < kDeepest) return;
        throw_error("RecursionError",
                    concat("maximum recursion depth exceeded while decoding a JSON ", what, " from a unicode string"));
    }

    IValue word_or_number() {
        if (take("null")) return {};
        if (take("true")) return IValue(true);
        if (take("false")) return IValue(false);
        for (const auto& [word, number] : {std::pair{"NaN", std::numeric_limits<double>::quiet_NaN()},
                                           std::pair{"Infinity", std::numeric_limits<double>::infinity()},
                                           std::pair{"-Infinity", -std::numeric_limits<double>::infinity()}}) {
            if (take(word)) return hooks_.constant.is_none() ? IValue(number) : call(hooks_.constant, {IValue(word)});
        }
        return number();
    }

    void digits() {
        while (is_digit()) ++at_;
    }

    IValue number() {
        const std::size_t begin = at_;
        if (now() == '-') ++at_;
        if (!is_digit()) throw Refusal{"Expecting value", begin};
        if (now() == '0')
            ++at_;
        else
            digits();
        const std::size_t whole = at_;
        const auto followed = [&](std::size_t place) {
            return place < text_.size() && text_[place] >= '0' && text_[place] <= '9';
        };
        if (now() == '.' && followed(at_ + 1)) {
            ++at_;
            digits();
        }
        if (now() == 'e' || now() == 'E') {
            const bool has_sign = at_ + 1 < text_.size() && (text_[at_ + 1] == '+' || text_[at_ + 1] == '-');
            const std::size_t first = at_ + (has_sign ? 2 : 1);
            if (followed(first)) {
                at_ = first;
                digits();
            }
        }
        const std::string_view shown = text_.substr(begin, at_ - begin);
        return at_ == whole ? integer(shown) : real(shown);
    }

    IValue integer(std::string_view shown) const {
        if (!hooks_.integer.is_none()) return call(hooks_.integer, {IValue(std::string(shown))});
        std::int64_t small = 0;
        if (std::from_chars(shown.data(), shown.data() + shown.size(), small).ec == std::errc()) return small;
        const bool is_negative = shown.starts_with('-');
        if (is_negative) shown.remove_prefix(1);
        check_decimal_digits(shown.size());
        return integer_from_digits(shown, 10, is_negative);
    }

    IValue real(std::string_view shown) const {
        if (!hooks_.number.is_none()) return call(hooks_.number, {IValue(std::string(shown))});
        double out = 0;
        if (std::from_chars(shown.data(), shown.data() + shown.size(), out).ec == std::errc()) return out;
        const bool is_small = shown.find("e-") != std::string_view::npos || shown.find("E-") != std::string_view::npos;
        const double end = is_small ? 0.0 : std::numeric_limits<double>::infinity();
        return shown.starts_with('-') ? -end : end;
    }

    std::string string() {
        const std::size_t begin = at_++;
        std::string out;
        while (true) {
            std::size_t end = at_;
            while (end < text_.size() && text_[end] != '"' && text_[end] != '\\' &&
                   static_cast<unsigned char>(text_[end]) >= 0x20)
                ++end;
            if (end == text_.size()) throw Refusal{"Unterminated string starting at", begin};
            out.append(text_, at_, end - at_);
            at_ = end + 1;
            if (text_[end] == '"') return out;
            if (text_[end] != '\\') throw Refusal{"Invalid control character at", end};
            escape(begin, out);
        }
    }

    // Behind the backslash.
    void escape(std::size_t begin, std::string& out) {
        constexpr std::string_view kShort = "\"\\/bfnrt", kMeant = "\"\\/\b\f\n\r\t";
        const std::size_t backslash = at_ - 1;
        if (at_ == text_.size()) throw Refusal{"Unterminated string starting at", begin};
        const char c = text_[at_++];
        if (const std::size_t known = kShort.find(c); known != std::string_view::npos) {
            out += kMeant[known];
            return;
        }
        if (c != 'u') throw Refusal{"Invalid \\escape", backslash};
        std::int64_t code = unit();
        if (code >= 0xD800 && code < 0xDC00 && text_.substr(at_).starts_with("\\u")) {
            const std::size_t before = at_;
            at_ += 2;
            const std::int64_t low = unit();
            if (low >= 0xDC00 && low < 0xE000)
                code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
            else
                at_ = before;
        }
        out += call_character(code);
    }

    std::int64_t unit() {
        const std::string_view shown = text_.substr(at_, 4);
        std::int64_t out = 0;
        const auto [end, error] = std::from_chars(shown.data(), shown.data() + shown.size(), out, 16);
        if (shown.size() != 4 || shown[0] == '-' || error != std::errc() || end != shown.data() + 4)
            throw Refusal{"Invalid \\uXXXX escape", at_ - 1};
        at_ += 4;
        return out;
    }

    IValue array(int depth) {
        ++at_;
        std::vector<IValue> out;
        space();
        if (now() == ']') {
            ++at_;
            return make_list({});
        }
        while (true) {
            out.push_back(value(depth));
            space();
            const char c = now();
            if (c == ']') break;
            if (c != ',') throw Refusal{"Expecting ',' delimiter", at_};
            ++at_;
            space();
        }
        ++at_;
        return make_list(std::move(out));
    }

    IValue object(int depth) {
        ++at_;
        std::vector<std::pair<std::string, IValue>> pairs;
        space();
        while (now() != '}' || !pairs.empty()) {
            if (now() != '"') throw Refusal{"Expecting property name enclosed in double quotes", at_};
            std::string key = string();
            space();
            if (now() != ':') throw Refusal{"Expecting ':' delimiter", at_};
            ++at_;
            space();
            pairs.emplace_back(std::move(key), value(depth));
            space();
            if (now() == '}') break;
            if (now() != ',') throw Refusal{"Expecting ',' delimiter", at_};
            ++at_;
            space();
        }
        ++at_;
        return made(std::move(pairs));
    }

    IValue made(std::vector<std::pair<std::string, IValue>> pairs) const {
        if (!hooks_.pairs.is_none()) {
            std::vector<IValue> all;
            for (auto& [key, value] : pairs) all.push_back(make_tuple({IValue(std::move(key)), std::move(value)}));
            return call(hooks_.pairs, {make_list(std::move(all))});
        }
        const Ptr<DictObject> dict = make_dict();
        for (auto& [key, value] : pairs) dict->set(IValue(std::move(key)), std::move(value));
        return hooks_.object.is_none() ? IValue(dict) : call(hooks_.object, {IValue(dict)});
    }

    std::string_view text_;
    const Hooks& hooks_;
    std::size_t at_ = 0;
};

// (value, None); or (what is wrong, the character where).
IValue scan(CallArguments arguments) {
    check_positional(arguments, "scan", 6, 6);
    const auto& given = arguments.positional;
    const std::string text = plain(given[0]).to_string();
    const Hooks hooks{given[1], given[2], given[3], given[4], given[5]};
    try {
        return make_tuple({Scanner(text, hooks).read(), {}});
    } catch (const Refusal& refusal) {
        return make_tuple({IValue(refusal.message), IValue(text_length(std::string_view(text).substr(0, refusal.at)))});
    }
}

void append_unit(std::string& out, std::uint32_t unit) {
    std::array<char, 8> digits{};
    std::snprintf(digits.data(), digits.size(), "\\u%04x", unit & 0xFFFFU);
    out += digits.data();
}

std::uint32_t code_of(std::string_view character) {
    const auto first = static_cast<unsigned char>(character[0]);
    std::uint32_t code = character.size() == 1   ? first
                         : character.size() == 2 ? first & 0x1FU
                         : character.size() == 3 ? first & 0x0FU
                                                 : first & 0x07U;
    for (const char c : character.substr(1)) code = code << 6 | (static_cast<unsigned char>(c) & 0x3FU);
    return code;
}

// A string as JSON has it.
IValue quote(CallArguments arguments) {
    check_positional(arguments, "quote", 2, 2);
    constexpr std::string_view kNamed = "\"\\\n\r\t\f\b", kNames = "\"\\nrtfb";
    const std::string text = plain(arguments.positional[0]).to_string();
    const bool is_ascii = arguments.positional[1].to_bool();
    std::string out = "\"";
    for (std::size_t at = 0; at < text.size();) {
        const char c = text[at];
        std::size_t size = 1;
        while (at + size < text.size() && (static_cast<unsigned char>(text[at + size]) & 0xC0U) == 0x80U) ++size;
        if (const std::size_t named = kNamed.find(c); named != std::string_view::npos) {
            out += {'\\', kNames[named]};
        } else if (c >= 0 && c < ' ') {
            append_unit(out, static_cast<std::uint32_t>(c));
        } else if (is_ascii && (size > 1 || c == '\x7f')) {
            const std::uint32_t code = code_of(std::string_view(text).substr(at, size));
            if (code > 0xFFFF) append_unit(out, 0xD800 + ((code - 0x10000) >> 10));
            append_unit(out, code > 0xFFFF ? 0xDC00 + ((code - 0x10000) & 0x3FFU) : code);
        } else {
            out.append(text, at, size);
        }
        at += size;
    }
    return IValue(out + '"');
}

}  // namespace

void fill_json(PythonModule& module) {
    module.define("scan", scan);
    module.define("quote", quote);
}

}  // namespace loupe::python
