// SPDX-License-Identifier: Apache-2.0
// Strings: searching and character tests. Characters are bytes, as in TorchScript.

#include <algorithm>

#include "core/ops/numbers/family.h"
#include "core/ops/numbers/typed.h"

namespace loupe::numbers {
namespace {

using Text = std::string_view;

bool is_upper_letter(char c) { return c >= 'A' && c <= 'Z'; }
bool is_lower_letter(char c) { return c >= 'a' && c <= 'z'; }
bool is_alpha(char c) { return is_upper_letter(c) || is_lower_letter(c); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_alnum(char c) { return is_alpha(c) || is_digit(c); }
bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// self[start:end], where a negative end counts from one past the last character: -1, the default, is the whole string.
struct Window {
    Text text;
    Int start = 0;
    bool is_past_end = false;
};
Window window(Text self, Int start, Int end) {
    const Int size = static_cast<Int>(self.size());
    if (start < 0) start = std::max<Int>(start + size, 0);
    if (end < 0) end = std::max<Int>(end + size + 1, 0);
    if (start > size) return {{}, start, true};
    const Int length = std::max<Int>(std::min(end, size) - start, 0);
    return {self.substr(static_cast<std::size_t>(start), static_cast<std::size_t>(length)), start, end < start};
}

Int find(Text self, Text part, Int start, Int end) {
    const Window in = window(self, start, end);
    const std::size_t found = in.is_past_end ? Text::npos : in.text.find(part);
    return found == Text::npos ? -1 : static_cast<Int>(found) + in.start;
}
Int find_last(Text self, Text part, Int start, Int end) {
    const Window in = window(self, start, end);
    const std::size_t found = in.is_past_end ? Text::npos : in.text.rfind(part);
    return found == Text::npos ? -1 : static_cast<Int>(found) + in.start;
}
Int found_or_throw(Int found) {
    if (found < 0) throw Error(ErrorKind::Run, "ValueError: substring not found");
    return found;
}
Int index(Text self, Text part, Int start, Int end) { return found_or_throw(find(self, part, start, end)); }
Int index_last(Text self, Text part, Int start, Int end) { return found_or_throw(find_last(self, part, start, end)); }

Int count(Text self, Text part, Int start, Int end) {
    const Window in = window(self, start, end);
    if (in.is_past_end) return 0;
    if (part.empty()) return static_cast<Int>(in.text.size()) + 1;
    Int times = 0;
    for (std::size_t at = in.text.find(part); at != Text::npos; at = in.text.find(part, at + part.size())) ++times;
    return times;
}
bool starts_with(Text self, Text part, Int start, Int end) {
    const Window in = window(self, start, end);
    return !in.is_past_end && in.text.starts_with(part);
}
bool ends_with(Text self, Text part, Int start, Int end) {
    const Window in = window(self, start, end);
    return !in.is_past_end && in.text.ends_with(part);
}

template <bool (*Test)(char)>
bool all_are(Text self) {
    return !self.empty() && std::ranges::all_of(self, Test);
}
bool is_printable(Text self) {
    return std::ranges::all_of(self, [](char c) { return c >= ' ' && c <= '~'; });
}
bool is_lower(Text self) {
    return std::ranges::any_of(self, is_lower_letter) && std::ranges::none_of(self, is_upper_letter);
}
bool is_upper(Text self) {
    return std::ranges::any_of(self, is_upper_letter) && std::ranges::none_of(self, is_lower_letter);
}
bool is_title(Text self) {
    bool in_word = false;
    bool has_letter = false;
    for (const char c : self) {
        if (is_alpha(c)) {
            if (is_upper_letter(c) == in_word) return false;
            has_letter = true;
        }
        in_word = is_alpha(c);
    }
    return has_letter;
}
bool is_identifier(Text self) {
    return !self.empty() && !is_digit(self[0]) &&
           std::ranges::all_of(self, [](char c) { return is_alnum(c) || c == '_'; });
}

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::find(str self, str substr, int start=0, int end=-1) -> int",
     .summary = "Where substr first is in self[start:end], or -1.",
     .kernel = boxed<find>},
    {.schema = "aten::rfind(str self, str substr, int start=0, int end=-1) -> int",
     .summary = "Where substr last is in self[start:end], or -1.",
     .kernel = boxed<find_last>},
    {.schema = "aten::index.str(str self, str substr, int start=0, int end=-1) -> int",
     .summary = "As find, but an error when it is not there.",
     .kernel = boxed<index>},
    {.schema = "aten::rindex(str self, str substr, int start=0, int end=-1) -> int",
     .summary = "As rfind, but an error when it is not there.",
     .kernel = boxed<index_last>},
    {.schema = "aten::count(str self, str substr, int start=0, int end=-1) -> int",
     .summary = "How often substr is in self[start:end], without overlaps.",
     .kernel = boxed<count>},
    {.schema = "aten::startswith(str self, str substr, int start=0, int end=-1) -> bool",
     .summary = "Does self[start:end] start with substr?",
     .kernel = boxed<starts_with>},
    {.schema = "aten::endswith(str self, str substr, int start=0, int end=-1) -> bool",
     .summary = "Does self[start:end] end with substr?",
     .kernel = boxed<ends_with>},
    {.schema = "aten::isalnum(str self) -> bool",
     .summary = "Is it not empty and all letters and digits?",
     .kernel = boxed<all_are<is_alnum>>},
    {.schema = "aten::isalpha(str self) -> bool",
     .summary = "Is it not empty and all letters?",
     .kernel = boxed<all_are<is_alpha>>},
    {.schema = "aten::isdecimal(str self) -> bool",
     .summary = "Is it not empty and all digits?",
     .kernel = boxed<all_are<is_digit>>},
    {.schema = "aten::isdigit(str self) -> bool",
     .summary = "Is it not empty and all digits?",
     .kernel = boxed<all_are<is_digit>>},
    {.schema = "aten::isnumeric(str self) -> bool",
     .summary = "Is it not empty and all digits?",
     .kernel = boxed<all_are<is_digit>>},
    {.schema = "aten::isspace(str self) -> bool",
     .summary = "Is it not empty and all white space?",
     .kernel = boxed<all_are<is_space>>},
    {.schema = "aten::isprintable(str self) -> bool",
     .summary = "Are all characters printable?",
     .kernel = boxed<is_printable>},
    {.schema = "aten::islower(str self) -> bool",
     .summary = "Has it letters, none in upper case?",
     .kernel = boxed<is_lower>},
    {.schema = "aten::isupper(str self) -> bool",
     .summary = "Has it letters, none in lower case?",
     .kernel = boxed<is_upper>},
    {.schema = "aten::istitle(str self) -> bool",
     .summary = "Does each word start with an upper case letter and go on in lower case?",
     .kernel = boxed<is_title>},
    {.schema = "aten::isidentifier(str self) -> bool",
     .summary = "Could it be a name?",
     .kernel = boxed<is_identifier>},
};

}  // namespace

std::span<const OperatorRecord> string_test_records() { return kRecords; }

}  // namespace loupe::numbers
