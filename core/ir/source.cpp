// SPDX-License-Identifier: Apache-2.0
#include "core/ir/source.h"

#include <algorithm>
#include <atomic>

#include "core/base/strings.h"

namespace loupe::ir {

Source::Source(std::string text, std::optional<std::string> file, std::size_t starting_line,
               std::vector<GeneratedFrom> generated_from)
    : text_(std::move(text)),
      file_(std::move(file)),
      starting_line_(starting_line),
      generated_from_(std::move(generated_from)) {
    line_starts_.push_back(0);
    for (std::size_t i = 0; i < text_.size(); ++i) {
        if (text_[i] == '\n') line_starts_.push_back(i + 1);
    }
    std::stable_sort(generated_from_.begin(), generated_from_.end(),
                     [](const GeneratedFrom& a, const GeneratedFrom& b) { return a.offset < b.offset; });
}

std::size_t Source::line_of(std::size_t offset) const {
    const auto after = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
    return static_cast<std::size_t>(after - line_starts_.begin()) - 1;
}

std::string_view Source::line(std::size_t index) const {
    const std::size_t begin = line_starts_[index];
    const std::size_t end = index + 1 < line_starts_.size() ? line_starts_[index + 1] - 1 : text_.size();
    return std::string_view(text_).substr(begin, end - begin);
}

const SourceRange* Source::find_generated_from(std::size_t offset) const {
    const auto after = std::upper_bound(generated_from_.begin(), generated_from_.end(), offset,
                                        [](std::size_t o, const GeneratedFrom& g) { return o < g.offset; });
    if (after == generated_from_.begin()) return nullptr;
    const SourceRange& range = std::prev(after)->range;
    return range ? &range : nullptr;
}

namespace {
std::atomic<SourceRange (*)()> evaluated_range_function{nullptr};
}

SourceRange evaluated_range() {
    SourceRange (*const function)() = evaluated_range_function.load(std::memory_order_acquire);
    return function == nullptr ? SourceRange() : function();
}
void set_evaluated_range(SourceRange (*function)()) {
    evaluated_range_function.store(function, std::memory_order_release);
}

std::string_view SourceRange::text() const {
    if (!source || start >= source->text().size()) return {};
    return std::string_view(source->text()).substr(start, end - start);
}

std::optional<FilePosition> SourceRange::position() const {
    if (!source || !source->file()) return std::nullopt;
    const std::size_t line = source->line_of(start);
    return FilePosition{*source->file(), line + source->starting_line() + 1, start - source->line_start(line)};
}

SourceRange SourceRange::original() const {
    const SourceRange* from = source ? source->find_generated_from(start) : nullptr;
    return from != nullptr ? *from : *this;
}

std::string SourceRange::short_text() const {
    const auto place = original().position();
    return place ? concat(place->file, ":", place->line) : std::string();
}

std::string_view SourceRange::line_text() const {
    return source ? source->line(source->line_of(start)) : std::string_view();
}

namespace {

constexpr std::size_t kLinesAround = 2;

// Tildes under bytes [from, to) of the line, blanks at their begin left out.
void append_marker(std::string& out, std::string_view line, std::size_t from, std::size_t to, bool is_last) {
    while (from < to && (line[from] == ' ' || line[from] == '\t')) ++from;
    if (from >= to && !is_last) return;  // an empty line, the end of one
    append(out, std::string(from, ' '));
    append(out, std::string(is_last ? std::max<std::size_t>(to > from ? to - from : 0, 1) : to - from, '~'));
    append(out, is_last ? " <--- HERE\n" : "\n");
}

}  // namespace

std::string SourceRange::highlight() const {
    if (!source) return {};
    std::string out;
    if (const auto place = position()) out = concat("  File \"", place->file, "\", line ", place->line, "\n");
    const std::size_t first = source->line_of(start);
    const std::size_t last = source->line_of(end > start ? end - 1 : start);
    const std::size_t begin = first > kLinesAround ? first - kLinesAround : 0;
    const std::size_t stop = std::min(source->line_count(), last + kLinesAround + 1);
    for (std::size_t i = begin; i < stop; ++i) {
        const std::string_view line = source->line(i);
        if (i + 1 == source->line_count() && line.empty()) break;
        append(out, concat(line, "\n"));
        if (i < first || i > last) continue;
        const std::size_t from = i == first ? std::min(start - source->line_start(i), line.size()) : 0;
        const std::size_t to = i == last ? std::min(line.size(), end - source->line_start(i)) : line.size();
        append_marker(out, line, from, std::max(from, to), i == last);
    }
    return out;
}

}  // namespace loupe::ir
