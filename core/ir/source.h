// SPDX-License-Identifier: Apache-2.0
#pragma once
// Source text, and ranges in it. A range of generated text (an archive's code) refers to the user's text.

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace loupe::ir {

class Source;

struct FilePosition {
    std::string file;
    std::size_t line = 0;    // counted from 1
    std::size_t column = 0;  // counted from 0
};

// Bytes [start, end) of a source; empty when it has none.
struct SourceRange {
    std::shared_ptr<const Source> source;
    std::size_t start = 0;
    std::size_t end = 0;

    explicit operator bool() const { return source != nullptr; }
    std::string_view text() const;
    // Where it starts; nullopt when the source has no file name.
    std::optional<FilePosition> position() const;
    // The user's range when this one is of generated text with recorded origin; itself otherwise.
    SourceRange original() const;
    // "file.py:3" of original(), as errors name a line; empty when unknown.
    std::string short_text() const;
    // The whole line that it starts in, without the newline.
    std::string_view line_text() const;
    // As PyTorch quotes a place: "  File \"f.py\", line 3", lines around it, and "~~~ <--- HERE" below the range.
    std::string highlight() const;
};

// A stretch of generated text, from `offset` to the next one's, and the range of the user's text it was made from.
struct GeneratedFrom {
    std::size_t offset = 0;
    SourceRange range;
};

class Source {
  public:
    // starting_line: the line in the file on which text starts, counted from 0 (as PyTorch's debug records do).
    explicit Source(std::string text, std::optional<std::string> file = std::nullopt, std::size_t starting_line = 0,
                    std::vector<GeneratedFrom> generated_from = {});

    const std::string& text() const { return text_; }
    const std::optional<std::string>& file() const { return file_; }
    std::size_t starting_line() const { return starting_line_; }
    std::size_t line_count() const { return line_starts_.size(); }
    // Index of the line that holds the byte; the last line for bytes past the end.
    std::size_t line_of(std::size_t offset) const;
    std::size_t line_start(std::size_t line) const { return line_starts_[line]; }
    // Without the newline.
    std::string_view line(std::size_t index) const;
    // Null when nothing is recorded for the byte.
    const SourceRange* find_generated_from(std::size_t offset) const;
    const std::vector<GeneratedFrom>& generated_from() const { return generated_from_; }

  private:
    std::string text_;
    std::optional<std::string> file_;
    std::size_t starting_line_;
    std::vector<std::size_t> line_starts_;
    std::vector<GeneratedFrom> generated_from_;  // by offset
};

// The current position of the program that this thread evaluates from source; empty when it evaluates none. The
// evaluator registers the function.
SourceRange evaluated_range();
void set_evaluated_range(SourceRange (*function)());

}  // namespace loupe::ir
