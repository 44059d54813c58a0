// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// All heads of an attention side by side, small; one of them is chosen.

#include "core/session/queries/attention_map.h"
#include "views/common/tile_grid.h"

namespace loupe::views {

class HeadTiles : public TileGrid {
    Q_OBJECT

  public:
    explicit HeadTiles(QWidget* parent = nullptr);

    void setHeads(const std::vector<session::AttentionTile>& heads);

  protected:
    QString tipOf(int head) const override;
};

}  // namespace loupe::views
