// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Which lines of the graph as it was read each line of a later graph came from.

#include <QStringList>
#include <map>
#include <vector>

#include "core/model/pass_trace.h"
#include "views/graph/graph_colours.h"

namespace loupe::views {

using LineOrigins = std::vector<std::vector<int>>;  // by line, in order; empty: a pass made it of nothing

// After a step of the trace; -1: of the graph as it was read.
LineOrigins lineOrigins(const session::PassTrace& trace, int step);
// Lines that came from one of these.
std::vector<int> linesFrom(const LineOrigins& of, const std::vector<int>& origins);

// What became of lines, by line: added and changed ones of the right text, removed and changed ones of the left. A line
// that came from one with the same operator has not changed, whatever its values are called.
struct LineChanges {
    std::map<int, GraphChange> left;
    std::map<int, GraphChange> right;
};
// from: for each line of the right text, those of the left that it came from.
LineChanges lineChanges(const QStringList& left, const QStringList& right, const LineOrigins& from);
// The same for texts that came from one, by the origins of both.
LineOrigins sharedOrigins(const LineOrigins& left, const LineOrigins& right);

}  // namespace loupe::views
