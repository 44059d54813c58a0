// SPDX-License-Identifier: Apache-2.0
// Strings: Python's methods that return new ones. Characters are bytes, as in TorchScript.

#include <algorithm>

#include "core/base/strings.h"
#include "core/ops/numbers/family.h"
#include "core/ops/numbers/slice.h"
#include "core/ops/numbers/typed.h"
#include "core/tensor/memory_limit.h"

namespace loupe::numbers {
namespace {

using Text = std::string_view;

bool is_upper_letter(char c) { return c >= 'A' && c <= 'Z'; }
bool is_lower_letter(char c) { return c >= 'a' && c <= 'z'; }
char to_lower(char c) { return is_upper_letter(c) ? static_cast<char>(c - 'A' + 'a') : c; }
char to_upper(char c) { return is_lower_letter(c) ? static_cast<char>(c - 'a' + 'A') : c; }

template <typename Change>
std::string changed(Text self, Change change) {
    std::string out(self);
    std::ranges::transform(out, out.begin(), change);
    return out;
}
std::string lower(Text self) { return changed(self, to_lower); }
std::string upper(Text self) { return changed(self, to_upper); }
std::string swap_case(Text self) {
    return changed(self, [](char c) { return is_upper_letter(c) ? to_lower(c) : to_upper(c); });
}
std::string capitalize(Text self) {
    std::string out = lower(self);
    if (!out.empty()) out[0] = to_upper(out[0]);
    return out;
}
std::string title(Text self) {
    bool in_word = false;
    return changed(self, [&](char c) {
        const char out = in_word ? to_lower(c) : to_upper(c);
        in_word = is_upper_letter(c) || is_lower_letter(c);
        return out;
    });
}

constexpr Int kLongest = Int{1} << 31;  // of a string that is filled up

std::size_t missing(Text self, Int width, Text fill) {
    if (fill.size() != 1) {
        throw Error(ErrorKind::Run, "TypeError: The fill character must be exactly one character long");
    }
    require_memory(width, 1);
    if (width > kLongest) throw Error(ErrorKind::Run, concat("width ", width, " is too great for a string"));
    const auto size = static_cast<Int>(self.size());
    return static_cast<std::size_t>(width > size ? width - size : 0);
}
std::string center(Text self, Int width, Text fill) {
    const std::size_t all = missing(self, width, fill);
    const std::size_t left = all / 2 + (all & static_cast<std::size_t>(width) & 1);
    return concat(std::string(left, fill[0]), self, std::string(all - left, fill[0]));
}
std::string justify_left(Text self, Int width, Text fill) {
    return concat(self, std::string(missing(self, width, fill), fill[0]));
}
std::string justify_right(Text self, Int width, Text fill) {
    return concat(std::string(missing(self, width, fill), fill[0]), self);
}
std::string zero_fill(Text self, Int width) {
    return justify_right(self, width, "0");  // PyTorch puts the zeros before the sign
}
std::string expand_tabs(Text self, Int tab_size) {
    std::string out;
    Int column = 0;
    for (const char c : self) {
        if (c == '\t') {
            const Int spaces = tab_size > 0 ? tab_size - column % tab_size : 0;
            if (spaces > kLongest - static_cast<Int>(out.size())) {
                throw Error(ErrorKind::Run, concat("tab size ", tab_size, " is too great for a string"));
            }
            out.append(static_cast<std::size_t>(spaces), ' ');
            column += spaces;
        } else {
            out += c;
            ++column;  // a line's end counts too, as in TorchScript
        }
    }
    return out;
}

template <bool Left, bool Right>
std::string strip(Text self, Text characters) {
    const std::size_t begin = Left ? self.find_first_not_of(characters) : 0;
    if (begin == Text::npos) return {};
    const std::size_t last = Right ? self.find_last_not_of(characters) : self.size() - 1;
    if (self.empty() || last == Text::npos) return {};
    return std::string(self.substr(begin, last - begin + 1));
}

std::string replace(Text self, Text old, Text with, Int max) {
    std::string out;
    std::size_t from = 0;
    for (Int i = 0; max < 0 || i < max; ++i) {
        const std::size_t found = self.find(old, from);
        if (found == Text::npos) break;
        out += self.substr(from, found - from);
        out += with;
        from = found + old.size();
        if (!old.empty()) continue;
        if (from >= self.size()) return out;
        out += self[from++];
    }
    return out.append(self.substr(std::min(from, self.size())));
}

IValue string_list(const std::vector<Text>& parts) {
    auto list = make_ptr<ListObject>(types::string());
    for (const Text part : parts) list->elements.emplace_back(part);
    return IValue(std::move(list));
}
std::string join_strings(Text self, const IValue& values) {
    std::string out;
    for (const IValue& value : values.to_list().elements) {
        if (&value != values.to_list().elements.data()) out += self;
        out += value.to_string();
    }
    return out;
}

constexpr Text kWhiteSpace = " \t\n\r\v\f";

std::vector<Text> split_words(Text self) {
    std::vector<Text> words;
    for (std::size_t at = self.find_first_not_of(kWhiteSpace); at != Text::npos;) {
        const std::size_t end = std::min(self.find_first_of(kWhiteSpace, at), self.size());
        words.push_back(self.substr(at, end - at));
        at = self.find_first_not_of(kWhiteSpace, end);
    }
    return words;
}
IValue split_string(Text self, std::optional<Text> separator, Int max) {
    if (!separator) return string_list(split_words(self));
    if (separator->empty()) throw Error(ErrorKind::Run, "ValueError: empty separator");
    std::vector<Text> parts;
    while (max < 0 || static_cast<Int>(parts.size()) < max) {
        const std::size_t found = self.find(*separator);
        if (found == Text::npos) break;
        parts.push_back(self.substr(0, found));
        self.remove_prefix(found + separator->size());
    }
    parts.push_back(self);
    return string_list(parts);
}
IValue split_from_right(Text self, Text separator, Int max) {
    if (separator.empty()) throw Error(ErrorKind::Run, "ValueError: empty separator");
    std::vector<Text> parts;
    while (max < 0 || static_cast<Int>(parts.size()) < max) {
        const std::size_t found = self.rfind(separator);
        if (found == Text::npos) break;
        parts.push_back(self.substr(found + separator.size()));
        self = self.substr(0, found);
    }
    parts.push_back(self);
    std::ranges::reverse(parts);
    return string_list(parts);
}
IValue split_lines(Text self, bool keep_ends) {
    std::vector<Text> lines;
    while (!self.empty()) {
        const std::size_t found = self.find_first_of("\n\r\v\f\x1c\x1d\x1e");
        const std::size_t length = std::min(found, self.size());
        std::size_t end = 0;
        if (found != Text::npos) end = self.substr(found).starts_with("\r\n") ? 2 : 1;
        lines.push_back(self.substr(0, keep_ends ? length + end : length));
        self.remove_prefix(length + end);
    }
    return string_list(lines);
}

using Parts = std::tuple<std::string, std::string, std::string>;
Parts partition(Text self, Text separator) {
    const std::size_t found = self.find(separator);
    if (found == Text::npos) return {std::string(self), "", ""};
    return {std::string(self.substr(0, found)), std::string(separator),
            std::string(self.substr(found + separator.size()))};
}
Parts partition_from_right(Text self, Text separator) {
    const std::size_t found = self.rfind(separator);
    if (found == Text::npos) return {"", "", std::string(self)};
    return {std::string(self.substr(0, found)), std::string(separator),
            std::string(self.substr(found + separator.size()))};
}

IValue characters(Text self) {
    std::vector<Text> parts;
    for (std::size_t i = 0; i < self.size(); ++i) parts.push_back(self.substr(i, 1));
    return string_list(parts);
}
std::string concatenate(Text a, Text b) { return concat(a, b); }
std::string character_at(Text self, Int index) {
    const Int size = static_cast<Int>(self.size());
    if (index < -size || index >= size) throw Error(ErrorKind::Run, "string index out of range");
    return std::string(1, self[static_cast<std::size_t>(index < 0 ? index + size : index)]);
}
void slice(Arguments arguments, IValue* results) {
    const std::string& self = arguments[0].to_string();
    const SliceRange range = slice_range(arguments.subspan(1), static_cast<Int>(self.size()));
    std::string picked;
    for (Int i = 0; i < range.length; ++i) picked += self[static_cast<std::size_t>(range.start + i * range.step)];
    results[0] = IValue(std::move(picked));
}

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::lower(str self) -> str", .summary = "The ASCII letters in lower case.", .kernel = boxed<lower>},
    {.schema = "aten::upper(str self) -> str", .summary = "The ASCII letters in upper case.", .kernel = boxed<upper>},
    {.schema = "aten::swapcase(str self) -> str",
     .summary = "Lower case for upper and the other way round.",
     .kernel = boxed<swap_case>},
    {.schema = "aten::capitalize(str self) -> str",
     .summary = "The first character in upper case, the rest in lower.",
     .kernel = boxed<capitalize>},
    {.schema = "aten::title(str self) -> str",
     .summary = "Each word with an upper case letter first.",
     .kernel = boxed<title>},
    {.schema = "aten::center(str self, int width, str fillchar=\" \") -> str",
     .summary = "Filled on both sides to width.",
     .kernel = boxed<center>},
    {.schema = "aten::ljust(str self, int width, str fillchar=\" \") -> str",
     .summary = "Filled on the right to width.",
     .kernel = boxed<justify_left>},
    {.schema = "aten::rjust(str self, int width, str fillchar=\" \") -> str",
     .summary = "Filled on the left to width.",
     .kernel = boxed<justify_right>},
    {.schema = "aten::zfill(str self, int width) -> str",
     .summary = "Filled with zeros on the left to width.",
     .kernel = boxed<zero_fill>},
    {.schema = "aten::expandtabs(str self, int tabsize=8) -> str",
     .summary = "Tabs as spaces, to the next multiple of tabsize.",
     .kernel = boxed<expand_tabs>},
    {.schema = "aten::strip(str self, str chars=\" \\n\\t\\f\\v\") -> str",
     .summary = "Without those characters at both ends.",
     .kernel = boxed<strip<true, true>>},
    {.schema = "aten::lstrip(str self, str chars=\" \\n\\t\\f\\v\") -> str",
     .summary = "Without those characters at the start.",
     .kernel = boxed<strip<true, false>>},
    {.schema = "aten::rstrip(str self, str chars=\" \\n\\t\\f\\v\") -> str",
     .summary = "Without those characters at the end.",
     .kernel = boxed<strip<false, true>>},
    {.schema = "aten::replace(str self, str old, str new, int max=-1) -> str",
     .summary = "With old replaced by new, max times at most.",
     .kernel = boxed<replace>},
    {.schema = "aten::join(str self, str[] values) -> str",
     .summary = "The strings with self between them.",
     .kernel = boxed<join_strings>},
    {.schema = "aten::split.str(str self, str? separator=None, int max=-1) -> str[]",
     .summary = "The parts between separators; by white space without one.",
     .kernel = boxed<split_string>},
    {.schema = "aten::rsplit(str self, str separator=\" \", int max=-1) -> str[]",
     .summary = "The parts between separators, counted from the right.",
     .kernel = boxed<split_from_right>},
    {.schema = "aten::splitlines(str self, bool keepends=False) -> str[]",
     .summary = "The lines.",
     .kernel = boxed<split_lines>},
    {.schema = "aten::partition(str self, str separator) -> (str, str, str)",
     .summary = "What is before, the separator, what is after its first place.",
     .kernel = boxed<partition>},
    {.schema = "aten::rpartition(str self, str separator) -> (str, str, str)",
     .summary = "What is before, the separator, what is after its last place.",
     .kernel = boxed<partition_from_right>},
    {.schema = "aten::list(str t) -> str[]", .summary = "The characters.", .kernel = boxed<characters>},
    {.schema = "aten::add.str(str a, str b) -> str", .summary = "a + b.", .kernel = boxed<concatenate>},
    {.schema = "aten::len.str(str s) -> int",
     .summary = "How many bytes it has.",
     .kernel = boxed<[](std::string_view s) { return static_cast<Int>(s.size()); }>},
    {.schema = "aten::__getitem__.str(str s, int index) -> str", .summary = "s[i].", .kernel = boxed<character_at>},
    {.schema = "prim::StringIndex(str string, int index) -> str", .summary = "s[i].", .kernel = boxed<character_at>},
    {.schema = "aten::slice.str(str string, int? start=None, int? end=None, int step=1) -> str",
     .summary = "s[start:end:step].",
     .kernel = slice},
};

}  // namespace

std::span<const OperatorRecord> string_records() { return kRecords; }

}  // namespace loupe::numbers
