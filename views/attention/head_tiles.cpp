// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/attention/head_tiles.h"

#include <algorithm>
#include <cmath>

#include "views/common/colour_map.h"

namespace loupe::views {

namespace {

constexpr int kTile = 46;

}  // namespace

HeadTiles::HeadTiles(QWidget* parent) : TileGrid(kTile, parent) { setAccessibleName(tr("All heads")); }

void HeadTiles::setHeads(const std::vector<session::AttentionTile>& heads) {
    std::vector<Tile> tiles;
    for (const session::AttentionTile& head : heads) {
        double greatest = 0;
        for (const float weight : head.weights)
            if (std::isfinite(weight)) greatest = std::max(greatest, static_cast<double>(weight));
        QImage image(std::max(1, head.columns), std::max(1, head.rows), QImage::Format_RGB32);
        image.fill(Qt::black);
        for (int i = 0; i < head.rows; ++i)
            for (int j = 0; j < head.columns; ++j) {
                const auto weight = static_cast<double>(head.weights[static_cast<std::size_t>(i * head.columns + j)]);
                image.setPixel(j, i, colourAt(ColourMap::Viridis, greatest > 0 ? weight / greatest : weight));
            }
        tiles.push_back({std::move(image), QString::number(tiles.size()), {}});
    }
    setTiles(std::move(tiles));
}

QString HeadTiles::tipOf(int head) const {
    return head == chosen() ? tr("head %1; a click shows the mean of all").arg(head) : tr("head %1").arg(head);
}

}  // namespace loupe::views
