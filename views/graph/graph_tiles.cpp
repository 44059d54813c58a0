// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/graph/graph_tiles.h"

namespace loupe::views {

int GraphTiling::boxAt(QPointF place) const {
    for (auto tile = tiles.rbegin(); tile != tiles.rend(); ++tile) {
        if (tile->rect.contains(place)) return tile->box;
    }
    return -1;
}

GraphTiling tileScene(const Scene& scene, const QTransform& onto) {
    constexpr double kLeastWidth = 4;
    constexpr double kLeastHeight = 2;
    GraphTiling tiling;
    tiling.tile_of_box.resize(scene.boxes.size(), -1);
    for (std::size_t i = 0; i < scene.boxes.size(); ++i) {
        const SceneBox& box = scene.boxes[i];
        int depth = 0;
        if (box.parent >= 0) {
            const int around = tiling.tile_of_box[static_cast<std::size_t>(box.parent)];
            const GraphTile& frame = tiling.tiles[static_cast<std::size_t>(around)];
            if (!frame.is_frame) {
                tiling.tile_of_box[i] = around;
                continue;
            }
            depth = frame.depth + 1;
        }
        QRectF rect = onto.mapRect(box.rect);
        const QPointF centre = rect.center();
        rect.setSize(rect.size().expandedTo({kLeastWidth, kLeastHeight}));
        rect.moveCenter(centre);
        tiling.tile_of_box[i] = static_cast<int>(tiling.tiles.size());
        tiling.tiles.push_back(
            {static_cast<int>(i), rect, depth, box.is_open && box.detail * onto.m22() >= kLeastTile});
    }
    return tiling;
}

}  // namespace loupe::views
