// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A scene at unreadable scales: a tile for every box, and one for every open group whose contents are too small to
// distinguish.

#include <QTransform>
#include <vector>

#include "views/graph/graph_layout.h"

namespace loupe::views {

struct GraphTile {
    int box = -1;           // index of the scene's boxes
    QRectF rect;            // on the screen
    int depth = 0;          // open groups around it
    bool is_frame = false;  // an open group whose tiles follow
};

struct GraphTiling {
    const Scene* scene = nullptr;  // must outlive it
    std::vector<GraphTile> tiles;  // frames before their contents
    std::vector<int> tile_of_box;  // -1: it is hidden in a tile, or out of sight

    // The tile that a box is, or that it is hidden in. Null: out of sight.
    const GraphTile* of(int box) const;
    // The top box at a position of the screen; -1: none.
    int boxAt(QPointF place) const;
};

// A group is a tile when the boxes in it would be lower than this.
inline constexpr double kLeastTile = 5;

// clip: of the screen; tiles out of it are left out.
GraphTiling tileScene(const Scene& scene, const QTransform& onto, const QRectF& clip = {-1e9, -1e9, 2e9, 2e9});

}  // namespace loupe::views
