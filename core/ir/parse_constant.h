// SPDX-License-Identifier: Apache-2.0
#pragma once
// Constants in graph text; for parser.cpp only.

#include <string>
#include <string_view>

#include "core/value/ivalue.h"

namespace loupe::ir::detail {

class TextCursor {
  public:
    explicit TextCursor(std::string_view text) : text_(text) {}

    std::string_view text() const { return text_; }
    std::size_t position() const { return at_; }
    void seek(std::size_t position) { at_ = position; }
    bool at_end() const { return at_ >= text_.size(); }
    char peek() const { return at_end() ? '\0' : text_[at_]; }
    std::string_view rest() const { return text_.substr(at_); }
    void skip_spaces();                   // not newlines
    void skip_whitespace();               // newlines too
    bool accept(std::string_view token);  // after spaces
    void expect(std::string_view token);
    // The text up to one of the stops outside of quotes and brackets; the stop is not taken.
    std::string_view until(std::string_view stops);
    std::string quoted();
    // Letters, digits and those of `also`.
    std::string_view word(std::string_view also = "_.");
    [[noreturn]] void fail(std::string_view expected) const;

  private:
    std::string_view text_;
    std::size_t at_ = 0;
};

// A value of that type as print_constant writes it; None for "<Tensor>". Throws Error (Compile).
IValue parse_constant(TextCursor& cursor, const TypePtr& type);

}  // namespace loupe::ir::detail
