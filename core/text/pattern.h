// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where something stands in a text, and how a text is split there.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/normalized_text.h"

namespace loupe::text {

// Each character that has the property is a match of its own.
Finder find_chars(std::function<bool(char32_t)> property);
Finder find_text(std::string wanted);
enum class Dialect {
    Oniguruma,  // with Ruby's syntax: ^ and $ at every line
    Rust        // the regex crate's
};
// Throws Error (File) for an expression that cannot be read; the finder throws Error (Run) where a search takes too
// long.
Finder find_expression(const std::string& expression, Dialect dialect);
// What is no match is one, and the other way round.
Finder inverted(Finder finder);

enum class Behavior { Removed, Isolated, MergedWithPrevious, MergedWithNext, Contiguous };
// In bytes, the parts that are left, in order; none is empty.
std::vector<Piece> split_at(std::vector<Piece> pieces, Behavior behavior);

}  // namespace loupe::text
