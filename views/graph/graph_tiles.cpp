// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/graph/graph_tiles.h"

namespace loupe::views {

int GraphTiling::boxAt(QPointF place) const {
    for (auto tile = tiles.rbegin(); tile != tiles.rend(); ++tile) {
        if (tile->rect.contains(place)) return tile->box;
    }
    return -1;
}

const GraphTile* GraphTiling::of(int box) const {
    while (box >= 0) {
        const int tile = tile_of_box[static_cast<std::size_t>(box)];
        if (tile >= 0) return &tiles[static_cast<std::size_t>(tile)];
        box = scene->boxes[static_cast<std::size_t>(box)].parent;
    }
    return nullptr;
}

GraphTiling tileScene(const Scene& scene, const QTransform& onto, const QRectF& clip) {
    constexpr double kLeastWidth = 4;
    constexpr double kLeastHeight = 2;
    GraphTiling tiling;
    tiling.scene = &scene;
    tiling.tile_of_box.resize(scene.boxes.size(), -1);
    for (std::size_t i = 0; i < scene.boxes.size();) {
        const SceneBox& box = scene.boxes[i];
        QRectF rect = onto.mapRect(box.rect);
        const QPointF centre = rect.center();
        rect.setSize(rect.size().expandedTo({kLeastWidth, kLeastHeight}));
        rect.moveCenter(centre);
        const bool is_seen = rect.intersects(clip);
        const bool is_frame = is_seen && box.is_open && box.detail * onto.m22() >= kLeastTile;
        if (is_seen) {
            const int depth =
                box.parent < 0
                    ? 0
                    : tiling.tiles[static_cast<std::size_t>(tiling.tile_of_box[static_cast<std::size_t>(box.parent)])]
                              .depth +
                          1;
            tiling.tile_of_box[i] = static_cast<int>(tiling.tiles.size());
            tiling.tiles.push_back({static_cast<int>(i), rect, depth, is_frame});
        }
        i = is_frame ? i + 1 : static_cast<std::size_t>(box.end);
    }
    return tiling;
}

}  // namespace loupe::views
