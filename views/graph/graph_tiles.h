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
    std::vector<GraphTile> tiles;  // frames before their contents
    std::vector<int> tile_of_box;  // the tile that a box is, or that it is hidden in

    const GraphTile& of(int box) const {
        return tiles[static_cast<std::size_t>(tile_of_box[static_cast<std::size_t>(box)])];
    }
    // The top box at a position of the screen; -1: none.
    int boxAt(QPointF place) const;
};

// A group is a tile when the boxes in it would be lower than this.
inline constexpr double kLeastTile = 5;

GraphTiling tileScene(const Scene& scene, const QTransform& onto);

}  // namespace loupe::views
