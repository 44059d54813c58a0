// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Bundles the long lines of a level: values for the same boxes share one branching line, like a bus, instead of a line
// per value and box. Short lines are unchanged.

#include <vector>

#include "views/graph/level_layout.h"

namespace loupe::views {

struct BundledLine {
    int from = 0;  // index of a box, or of a waypoint
    int to = 0;
    std::vector<int> lines;  // the request's lines in it
};
struct Bundles {
    int waypoints = 0;  // numbered after the boxes
    std::vector<BundledLine> lines;
};

// values: of each line of the request; lines of one box with one value are one value.
Bundles bundleLines(const LevelRequest& request, const std::vector<int>& values);

}  // namespace loupe::views
