// SPDX-License-Identifier: Apache-2.0
#include "core/model/shown_source.h"

#include <algorithm>
#include <cctype>

namespace loupe::session {

bool is_call_stack(const ir::Source& source) {
    const std::string_view line = source.line(0);
    const auto end = line.find("): ");
    const auto begin = end == std::string_view::npos ? end : line.rfind('(', end);
    if (begin == std::string_view::npos || begin == 0 || begin + 1 == end) return false;
    const auto digits = line.substr(begin + 1, end - begin - 1);
    const bool is_number =
        std::all_of(digits.begin(), digits.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
    // Code is indented or begins with a word; a path has no spaces before its line.
    return is_number && line.substr(0, begin).find(' ') == std::string_view::npos;
}

ir::SourceRange shown_range(const ir::SourceRange& range) {
    ir::SourceRange original = range.original();
    return original.source && is_call_stack(*original.source) ? range : original;
}

SourcePlace place_of(const ir::SourceRange& range) {
    const auto position = shown_range(range).position();
    if (!position) return {};
    return {position->file, static_cast<int>(position->line), static_cast<int>(position->column)};
}

}  // namespace loupe::session
