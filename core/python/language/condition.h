// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a debugger asks of a program under way: where its functions stand, and whether an expression over their names
// holds.

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/ir/source.h"

namespace loupe::python {

class Frame;

struct FramePlace {
    const Frame* frame;
    ir::SourceRange range;  // of the statement that runs
};

// The user's functions under way on this thread, the innermost first. Valid until one of them ends.
std::vector<FramePlace> functions_under_way();

// Is the expression true for the names that the frame sees, and those at its module's level? Its operators are not
// observed, give no gradients and leave the random numbers as they were. Throws Error (Usage) with what the expression
// raised.
bool holds_in(const Frame& frame, const std::string& expression);

// Throws Error (Compile) with the place for text that is no expression.
void check_expression(const std::string& expression);

// Names that the expression reads and does not give itself, as in a comprehension, sorted. Throws Error (Compile) for
// text that is no expression.
std::vector<std::string> names_in(const std::string& expression);

// Names that an expression at a line (from 1) of a source may find: those of the function or class that the line is in,
// and all that the source knows as global names. nullopt where that cannot be known: the source is no Python, or
// imports * from a module.
std::optional<std::set<std::string>> names_at(const std::string& source, int line);

}  // namespace loupe::python
