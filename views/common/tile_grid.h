// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Small pictures side by side, in rows as wide as there is room, each with a label; one of them is chosen.

#include <QAbstractScrollArea>
#include <QImage>
#include <vector>

namespace loupe::views {

class TileGrid : public QAbstractScrollArea {
    Q_OBJECT

  public:
    struct Tile {
        QImage image;
        QString label;
        QString tip;
    };

    // side: of a tile, its label not counted.
    explicit TileGrid(int side, QWidget* parent = nullptr);

    void setTiles(std::vector<Tile> tiles);
    void setChosen(int tile);  // -1: none
    int chosen() const { return chosen_; }
    int count() const { return static_cast<int>(tiles_.size()); }
    const std::vector<Tile>& tiles() const { return tiles_; }
    QRect tileRect(int tile) const;  // on the viewport
    // Of one row.
    QSize sizeHint() const override;

  signals:
    // A click on the chosen one: -1.
    void chosenChanged(int tile);

  protected:
    void paintEvent(QPaintEvent*) override;
    void mousePressEvent(QMouseEvent* event) override;
    void resizeEvent(QResizeEvent*) override;
    bool viewportEvent(QEvent* event) override;
    // What the tip of a tile says.
    virtual QString tipOf(int tile) const { return tiles_[static_cast<std::size_t>(tile)].tip; }

  private:
    int columns() const;
    int tileAt(QPoint place) const;
    void arrange();

    int side_;
    std::vector<Tile> tiles_;
    int chosen_ = -1;
};

}  // namespace loupe::views
