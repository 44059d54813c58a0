// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Places the boxes of one level from top to bottom and routes the lines between them.

#include <QPointF>
#include <QSizeF>
#include <vector>

namespace loupe::views {

struct LevelRequest {
    std::vector<QSizeF> boxes;
    struct Line {
        int from = 0;  // index of boxes
        int to = 0;
    };
    std::vector<Line> lines;
    // Boxes before all others, or after them: border crossings of lines.
    std::vector<int> first;
    std::vector<int> last;
    // So many of the last boxes are points that lines pass through.
    int waypoints = 0;
};

struct LevelResult {
    QSizeF size;
    std::vector<QPointF> centres;              // of boxes
    std::vector<std::vector<QPointF>> curves;  // of lines: Bezier, 1 + 3n points from the start to the end
};

// graphviz's dot up to kMaxForDot boxes, above it layers in one pass, which takes milliseconds for tens of thousands.
// Safe on any thread; one level is laid out by dot at a time.
inline constexpr std::size_t kMaxForDot = 350;
LevelResult layoutLevel(const LevelRequest& request);

// Of each box: the length of the longest path to it.
std::vector<int> ranksOf(const LevelRequest& request);

}  // namespace loupe::views
