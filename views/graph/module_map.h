// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Modules as nested tiles whose areas are shares of a number (time, memory, operators): a squarified treemap
// (Bruls, Huizing, van Wijk, "Squarified Treemaps", 2000).

#include <QRectF>
#include <functional>
#include <vector>

#include "views/graph/graph_index.h"

namespace loupe::views {

struct MapTile {
    int node = -1;
    QRectF rect;
    int depth = 0;
    bool is_frame = false;  // its contents follow, below a row for its title
    double share = 0;       // of the whole
};

// Of a node: 0 or more; a group's is that of all in it.
using MapWeight = std::function<double(int node)>;

// The place of each weight in the rectangle, in their order. Those without a weight get an empty one.
std::vector<QRectF> squarify(const std::vector<double>& weights, const QRectF& into);

// The whole map fills `area`; tiles out of `clip`, and groups in which nothing could be told apart, are not entered.
// Frames come before what is in them.
std::vector<MapTile> mapTiles(const GraphIndex& index, const MapWeight& weight, const QRectF& area, const QRectF& clip);

// Height of a frame's title, in pixels.
inline constexpr double kMapTitle = 17;

}  // namespace loupe::views
