// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Bundles the long lines of a level: values that go on to the same boxes travel as one line that branches, as a bus does,
// in place of a line for every value and box. Short lines stay what they are.

#include <vector>

#include "views/graph/level_layout.h"

namespace loupe::views {

struct BundledLine {
    int from = 0;            // index of a box, or of a waypoint
    int to = 0;
    std::vector<int> lines;  // of the request: those that it carries
};
struct Bundles {
    int waypoints = 0;  // numbered after the boxes
    std::vector<BundledLine> lines;
};

// values: of each line of the request, what it carries; lines of one box with one value are one value.
Bundles bundleLines(const LevelRequest& request, const std::vector<int>& values);

}  // namespace loupe::views
