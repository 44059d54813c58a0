// SPDX-License-Identifier: Apache-2.0
// Methods of str and bytes. Letters are ASCII's where case matters; characters are UTF-8's.
#include <algorithm>
#include <utility>

#include "core/base/strings.h"
#include "core/python/language/arguments.h"
#include "core/python/language/builtin_objects.h"
#include "core/python/language/format.h"
#include "core/python/language/key_lookup.h"

namespace loupe::python {
namespace {

constexpr std::string_view kBlanks = " \t\n\r\f\v";

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return is_upper(c) || is_lower(c) || (static_cast<unsigned char>(c) & 0x80U) != 0; }
char lowered(char c) { return is_upper(c) ? static_cast<char>(c + 32) : c; }
char raised(char c) { return is_lower(c) ? static_cast<char>(c - 32) : c; }

const std::string& text_of(const IValue& value, std::string_view method) {
    const IValue& held = plain(value);
    if (held.is_string()) return held.to_string();
    throw_type_error(concat(method, "() argument must be str, not ", type_name(value)));
}
const std::string& self_text(const CallArguments& arguments) {
    if (arguments.positional.empty()) throw_type_error("a method of str needs an argument");
    return text_of(arguments.positional[0], "str method");
}

template <typename Change>
std::string mapped(std::string text, Change change) {
    std::transform(text.begin(), text.end(), text.begin(), change);
    return text;
}

std::string capitalized(const std::string& text) {
    std::string out = mapped(text, lowered);
    if (!out.empty()) out[0] = raised(out[0]);
    return out;
}

std::string titled(const std::string& text) {
    std::string out = text;
    bool in_word = false;
    for (char& c : out) {
        c = in_word ? lowered(c) : raised(c);
        in_word = is_letter(c);
    }
    return out;
}

std::string_view stripped(std::string_view text, const IValue& which, bool left, bool right) {
    const std::string_view drop = which.is_none() ? kBlanks : std::string_view(text_of(which, "strip"));
    if (left) text.remove_prefix(std::min(text.find_first_not_of(drop), text.size()));
    if (right) text.remove_suffix(text.size() - (text.find_last_not_of(drop) + 1));
    return text;
}

IValue strip(CallArguments& a, std::string_view name, bool left, bool right) {
    const BoundArguments given(a, name, {"self", "/", "chars="});
    return IValue(stripped(text_of(given[0], name), given.value_or(1, {}), left, right));
}

IValue split_blanks(std::string_view text, std::int64_t most, bool from_right) {
    std::vector<IValue> out;
    if (!from_right) {
        while (true) {
            text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
            if (text.empty()) break;
            if (most >= 0 && static_cast<std::int64_t>(out.size()) == most) {
                out.emplace_back(text.substr(0, text.find_last_not_of(kBlanks) + 1));
                break;
            }
            const std::size_t end = std::min(text.find_first_of(kBlanks), text.size());
            out.emplace_back(text.substr(0, end));
            text.remove_prefix(end);
        }
        return make_list(std::move(out));
    }
    while (true) {
        text = text.substr(0, text.find_last_not_of(kBlanks) + 1);
        if (text.empty()) break;
        if (most >= 0 && static_cast<std::int64_t>(out.size()) == most) {
            out.emplace_back(text.substr(std::min(text.find_first_not_of(kBlanks), text.size())));
            break;
        }
        const std::size_t begin = text.find_last_of(kBlanks) + 1;
        out.emplace_back(text.substr(begin));
        text = text.substr(0, begin);
    }
    std::reverse(out.begin(), out.end());
    return make_list(std::move(out));
}

IValue split_text(CallArguments& a, std::string_view name, bool from_right) {
    const BoundArguments given(a, name, {"self", "/", "sep=", "maxsplit="});
    std::string_view text = text_of(given[0], name);
    const std::int64_t most = given.int_or(2, -1);
    if (given.value_or(1, {}).is_none()) return split_blanks(text, most, from_right);
    const std::string& separator = text_of(given[1], name);
    if (separator.empty()) throw_value_error("empty separator");
    std::vector<IValue> out;
    while (most < 0 || static_cast<std::int64_t>(out.size()) < most) {
        const std::size_t at = from_right ? text.rfind(separator) : text.find(separator);
        if (at == std::string_view::npos) break;
        out.emplace_back(from_right ? text.substr(at + separator.size()) : text.substr(0, at));
        text = from_right ? text.substr(0, at) : text.substr(at + separator.size());
    }
    out.emplace_back(text);
    if (from_right) std::reverse(out.begin(), out.end());
    return make_list(std::move(out));
}

IValue split_lines(CallArguments& a) {
    const BoundArguments given(a, "splitlines", {"self", "/", "keepends="});
    std::string_view text = text_of(given[0], "splitlines");
    const bool keeps = given.truth_or(1, false);
    std::vector<IValue> out;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find_first_of("\n\r\v\f"), text.size());
        std::size_t after = std::min(end + 1, text.size());
        if (text.substr(end, 2) == "\r\n") ++after;
        out.emplace_back(text.substr(0, keeps ? after : end));
        text.remove_prefix(after);
    }
    return make_list(std::move(out));
}

IValue join_text(CallArguments& a) {
    check_positional(a, "join", 2, 2);
    const std::string& separator = self_text(a);
    std::string out;
    std::size_t index = 0;
    if (!is_iterable(a.positional[1])) throw_type_error("can only join an iterable");
    // All of them are there before the first is looked at.
    for (const IValue& item : to_vector(a.positional[1])) {
        if (!plain(item).is_string()) {
            throw_type_error(concat("sequence item ", index, ": expected str instance, ", type_name(item), " found"));
        }
        if (index++ > 0) out += separator;
        out += plain(item).to_string();
        check_size(static_cast<std::int64_t>(out.size()), 1);
    }
    return IValue(std::move(out));
}

IValue replace_text(CallArguments& a) {
    const BoundArguments given(a, "replace", {"self", "old", "new", "count="});
    std::string_view text = text_of(given[0], "replace");
    const std::string& old = text_of(given[1], "replace");
    const std::string& fresh = text_of(given[2], "replace");
    std::int64_t left = given.int_or(3, -1);
    std::string out;
    if (old.empty()) {
        for (const std::string_view part : characters(text)) {
            if (left-- != 0)
                out += fresh;
            else
                left = 0;
            out += part;
        }
        return IValue(left != 0 ? out + fresh : out);
    }
    while (left != 0) {
        const std::size_t at = text.find(old);
        if (at == std::string_view::npos) break;
        out.append(text.substr(0, at)).append(fresh);
        text.remove_prefix(at + old.size());
        --left;
    }
    return IValue(out.append(text));
}

// Byte offsets of the character positions [start, end) that a search is limited to.
struct Window {
    std::string_view text;
    std::int64_t offset;  // characters before it
    bool is_valid;
};
Window window_of(std::string_view text, const BoundArguments& given, std::size_t first) {
    const std::int64_t size = text_length(text);
    const SliceObject slice(given.value_or(first, {}), given.value_or(first + 1, {}), IValue());
    const auto bounds = slice.bounds(size);
    const auto begins_character = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; };
    const auto place = [&](std::int64_t count, std::size_t from) {
        for (; from < text.size() && (count > 0 || !begins_character(text[from])); ++from)
            count -= begins_character(text[from]) ? 1 : 0;
        return from;
    };
    // Of ASCII places are bytes.
    const bool is_ascii = size == static_cast<std::int64_t>(text.size());
    const std::int64_t stop = std::max(bounds.start, bounds.stop);
    const std::size_t begin = is_ascii ? static_cast<std::size_t>(bounds.start) : place(bounds.start, 0);
    const std::size_t end = is_ascii ? static_cast<std::size_t>(stop) : place(stop - bounds.start, begin);
    const bool is_behind = !given.value_or(first, {}).is_none() && to_index(given[first]) > size;
    return {text.substr(begin, end - begin), bounds.start, !is_behind};
}

std::int64_t find_text(CallArguments& a, std::string_view name, bool from_right) {
    const BoundArguments given(a, name, {"self", "sub", "start=", "end="});
    const Window window = window_of(text_of(given[0], name), given, 2);
    const std::string& wanted = text_of(given[1], name);
    if (!window.is_valid) return -1;
    const std::size_t at = from_right ? window.text.rfind(wanted) : window.text.find(wanted);
    return at == std::string_view::npos ? -1 : window.offset + text_length(window.text.substr(0, at));
}

std::int64_t count_text(CallArguments& a) {
    const BoundArguments given(a, "count", {"self", "sub", "start=", "end="});
    std::string_view text = window_of(text_of(given[0], "count"), given, 2).text;
    const std::string& wanted = text_of(given[1], "count");
    if (wanted.empty()) return text_length(text) + 1;
    std::int64_t count = 0;
    for (std::size_t at = text.find(wanted); at != std::string_view::npos; at = text.find(wanted, at + wanted.size()))
        ++count;
    return count;
}

bool has_affix(CallArguments& a, std::string_view name, bool at_start) {
    const BoundArguments given(a, name, {"self", "affix", "start=", "end="});
    const Window window = window_of(text_of(given[0], name), given, 2);
    const auto fits = [&](const IValue& affix) {
        if (!plain(affix).is_string()) {
            throw_type_error(concat(name, " first arg must be str or a tuple of str, not ", type_name(affix)));
        }
        const std::string& text = plain(affix).to_string();
        return window.is_valid && (at_start ? window.text.starts_with(text) : window.text.ends_with(text));
    };
    if (!given[1].is_tuple()) return fits(given[1]);
    const auto& affixes = given[1].to_tuple().elements;
    return std::any_of(affixes.begin(), affixes.end(), fits);
}

IValue justify(CallArguments& a, std::string_view name, char align) {
    const BoundArguments given(a, name, {"self", "width", "fill="});
    const std::string& text = text_of(given[0], name);
    const std::string fill = given.has(2) ? text_of(given[2], name) : " ";
    if (text_length(fill) != 1) throw_type_error("The fill character must be exactly one character long");
    const std::int64_t missing = to_index(given[1]) - text_length(text);
    if (missing <= 0) return IValue(text);
    check_size(missing, static_cast<std::int64_t>(fill.size()));
    const std::int64_t left = align == '<'   ? 0
                              : align == '>' ? missing
                                             : missing / 2 + (missing & to_index(given[1]) & 1);
    std::string out;
    for (std::int64_t i = 0; i < left; ++i) out += fill;
    out += text;
    for (std::int64_t i = left; i < missing; ++i) out += fill;
    return IValue(std::move(out));
}

IValue zero_fill(CallArguments& a) {
    check_positional(a, "zfill", 2, 2);
    const std::string& text = self_text(a);
    const std::int64_t missing = to_index(a.positional[1]) - text_length(text);
    if (missing <= 0) return IValue(text);
    check_size(missing, 1);
    const std::size_t sign = !text.empty() && (text[0] == '-' || text[0] == '+') ? 1 : 0;
    return IValue(text.substr(0, sign) + std::string(static_cast<std::size_t>(missing), '0') + text.substr(sign));
}

IValue partition(CallArguments& a, bool from_right) {
    check_positional(a, "partition", 2, 2);
    const std::string& text = self_text(a);
    const std::string& separator = text_of(a.positional[1], "partition");
    if (separator.empty()) throw_value_error("empty separator");
    const std::size_t at = from_right ? text.rfind(separator) : text.find(separator);
    if (at == std::string::npos) {
        if (from_right) return make_tuple({IValue(""), IValue(""), IValue(text)});
        return make_tuple({IValue(text), IValue(""), IValue("")});
    }
    return make_tuple({IValue(text.substr(0, at)), IValue(separator), IValue(text.substr(at + separator.size()))});
}

template <typename Test>
bool all_of_text(const std::string& text, Test test) {
    return !text.empty() && std::all_of(text.begin(), text.end(), test);
}

// Some letter of the case, none of the other.
bool has_case(const std::string& text, bool (*is_wanted)(char), bool (*is_other)(char)) {
    return std::any_of(text.begin(), text.end(), is_wanted) && std::none_of(text.begin(), text.end(), is_other);
}

bool is_title(const std::string& text) {
    bool has_letter = false;
    bool in_word = false;
    for (const char c : text) {
        if (is_upper(c) ? in_word : is_lower(c) && !in_word) return false;
        in_word = is_letter(c);
        has_letter = has_letter || in_word;
    }
    return has_letter;
}

bool is_identifier(const std::string& text) {
    return !text.empty() && !is_digit(text[0]) &&
           std::all_of(text.begin(), text.end(), [](char c) { return is_letter(c) || is_digit(c) || c == '_'; });
}

IValue translate(CallArguments& a) {
    check_positional(a, "translate", 2, 2);
    std::string out;
    for (const std::string_view part : characters(self_text(a))) {
        std::uint32_t code = static_cast<unsigned char>(part[0]);
        if (part.size() > 1) {
            code &= 0xFFU >> (part.size() + 1);
            for (const char c : part.substr(1)) code = (code << 6U) | (static_cast<unsigned char>(c) & 0x3FU);
        }
        const IValue* found = find_key(a.positional[1].to_dict(), IValue(static_cast<std::int64_t>(code)));
        if (found == nullptr)
            out += part;
        else if (found->is_int())
            out += call_character(found->to_int());
        else if (found->is_string())
            out += found->to_string();
    }
    return IValue(std::move(out));
}

IValue make_translation(CallArguments& a) {
    auto table = make_dict();
    const auto code_of = [](const IValue& key) {
        return key.is_string() ? call(*builtin_function("ord"), std::vector<IValue>{key}) : key;
    };
    if (a.positional.size() == 1) {
        for (const auto& [key, value] : a.positional[0].to_dict().entries()) table->set(code_of(key), value);
        return IValue(table);
    }
    check_positional(a, "maketrans", 2, 3);
    const auto from = characters(text_of(a.positional[0], "maketrans"));
    const auto to = characters(text_of(a.positional[1], "maketrans"));
    if (from.size() != to.size()) throw_value_error("the first two maketrans arguments must have equal length");
    for (std::size_t i = 0; i < from.size(); ++i) table->set(code_of(IValue(from[i])), code_of(IValue(to[i])));
    if (a.positional.size() == 3) {
        for (const auto part : characters(text_of(a.positional[2], "maketrans")))
            table->set(code_of(IValue(part)), IValue());
    }
    return IValue(table);
}

IValue expand_tabs(CallArguments& a) {
    const BoundArguments given(a, "expandtabs", {"self", "/", "tabsize="});
    const std::int64_t size = given.int_or(1, 8);
    std::string out;
    std::int64_t column = 0;
    for (const char c : text_of(given[0], "expandtabs")) {
        if (c == '\t') {
            for (std::int64_t left = size > 0 ? size - column % size : 0; left > 0; --left, ++column) out += ' ';
        } else {
            out += c;
            column = c == '\n' ? 0 : column + 1;
        }
    }
    return IValue(std::move(out));
}

IValue remove_affix(CallArguments& a, bool is_prefix) {
    check_positional(a, is_prefix ? "removeprefix" : "removesuffix", 2, 2);
    const std::string& text = self_text(a);
    const std::string& affix = text_of(a.positional[1], "removeprefix");
    if (is_prefix ? !text.starts_with(affix) : affix.empty() || !text.ends_with(affix)) return IValue(text);
    return IValue(is_prefix ? text.substr(affix.size()) : text.substr(0, text.size() - affix.size()));
}

}  // namespace

void define_string_methods(ClassObject& cls) {
    const auto simple = [&](std::string_view name, auto change) {
        cls.define(name, [change](CallArguments a) { return IValue(change(self_text(a))); });
    };
    simple("lower", [](const std::string& t) { return mapped(t, lowered); });
    simple("casefold", [](const std::string& t) { return mapped(t, lowered); });
    simple("upper", [](const std::string& t) { return mapped(t, raised); });
    simple("swapcase",
           [](const std::string& t) { return mapped(t, [](char c) { return is_upper(c) ? lowered(c) : raised(c); }); });
    simple("capitalize", capitalized);
    simple("title", titled);
    simple("isdigit", [](const std::string& t) { return all_of_text(t, is_digit); });
    simple("isnumeric", [](const std::string& t) { return all_of_text(t, is_digit); });
    simple("isdecimal", [](const std::string& t) { return all_of_text(t, is_digit); });
    simple("isalpha", [](const std::string& t) { return all_of_text(t, is_letter); });
    simple("isalnum",
           [](const std::string& t) { return all_of_text(t, [](char c) { return is_letter(c) || is_digit(c); }); });
    simple("isspace", [](const std::string& t) {
        return all_of_text(t, [](char c) { return kBlanks.find(c) != std::string_view::npos; });
    });
    simple("isupper", [](const std::string& t) { return has_case(t, is_upper, is_lower); });
    simple("islower", [](const std::string& t) { return has_case(t, is_lower, is_upper); });
    simple("istitle", is_title);
    simple("isidentifier", is_identifier);
    simple("isascii", [](const std::string& t) {
        return std::none_of(t.begin(), t.end(), [](char c) { return (static_cast<unsigned char>(c) & 0x80U) != 0; });
    });
    simple("isprintable", [](const std::string& t) {
        return std::none_of(t.begin(), t.end(),
                            [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; });
    });
    cls.define("strip", [](CallArguments a) { return strip(a, "strip", true, true); });
    cls.define("lstrip", [](CallArguments a) { return strip(a, "lstrip", true, false); });
    cls.define("rstrip", [](CallArguments a) { return strip(a, "rstrip", false, true); });
    cls.define("split", [](CallArguments a) { return split_text(a, "split", false); });
    cls.define("rsplit", [](CallArguments a) { return split_text(a, "rsplit", true); });
    cls.define("splitlines", [](CallArguments a) { return split_lines(a); });
    cls.define("join", [](CallArguments a) { return join_text(a); });
    cls.define("replace", [](CallArguments a) { return replace_text(a); });
    cls.define("find", [](CallArguments a) { return IValue(find_text(a, "find", false)); });
    cls.define("rfind", [](CallArguments a) { return IValue(find_text(a, "rfind", true)); });
    for (const bool from_right : {false, true}) {
        cls.define(from_right ? "rindex" : "index", [from_right](CallArguments a) {
            const std::int64_t at = find_text(a, "index", from_right);
            if (at < 0) throw_value_error("substring not found");
            return IValue(at);
        });
    }
    cls.define("count", [](CallArguments a) { return IValue(count_text(a)); });
    cls.define("startswith", [](CallArguments a) { return IValue(has_affix(a, "startswith", true)); });
    cls.define("endswith", [](CallArguments a) { return IValue(has_affix(a, "endswith", false)); });
    cls.define("ljust", [](CallArguments a) { return justify(a, "ljust", '<'); });
    cls.define("rjust", [](CallArguments a) { return justify(a, "rjust", '>'); });
    cls.define("center", [](CallArguments a) { return justify(a, "center", '^'); });
    cls.define("zfill", [](CallArguments a) { return zero_fill(a); });
    cls.define("partition", [](CallArguments a) { return partition(a, false); });
    cls.define("rpartition", [](CallArguments a) { return partition(a, true); });
    cls.define("translate", [](CallArguments a) { return translate(a); });
    cls.define("expandtabs", [](CallArguments a) { return expand_tabs(a); });
    cls.define("removeprefix", [](CallArguments a) { return remove_affix(a, true); });
    cls.define("removesuffix", [](CallArguments a) { return remove_affix(a, false); });
    cls.define_static("maketrans", [](CallArguments a) { return make_translation(a); });
    cls.define("encode", [](CallArguments a) { return make_bytes(self_text(a)); });
    cls.define("format", [](CallArguments a) {
        const std::string text = self_text(a);
        a.positional.erase(a.positional.begin());
        return IValue(format_braces(text, a));
    });
    cls.define("format_map", [](CallArguments a) {
        check_positional(a, "format_map", 2, 2);
        CallArguments names;
        for (const auto& [key, value] : a.positional[1].to_dict().entries())
            names.keywords.emplace_back(str(key), value);
        return IValue(format_braces(self_text(a), names));
    });
}

}  // namespace loupe::python
