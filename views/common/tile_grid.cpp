// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/common/tile_grid.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>
#include <algorithm>

#include "views/common/theme.h"

namespace loupe::views {

namespace {

constexpr int kGap = 4;
constexpr int kLabel = 13;

}  // namespace

TileGrid::TileGrid(int side, QWidget* parent) : QAbstractScrollArea(parent), side_(side) {
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    connect(&Theme::instance(), &Theme::changed, this, [this] { viewport()->update(); });
}

void TileGrid::setTiles(std::vector<Tile> tiles) {
    tiles_ = std::move(tiles);
    if (chosen_ >= count()) chosen_ = -1;
    arrange();
}

void TileGrid::setChosen(int tile) {
    chosen_ = tile;
    viewport()->update();
}

int TileGrid::columns() const { return std::max(1, (viewport()->width() - kGap) / (side_ + kGap)); }

QRect TileGrid::tileRect(int tile) const {
    const int column = tile % columns(), row = tile / columns();
    return {kGap + column * (side_ + kGap), kGap + row * (side_ + kLabel + kGap) - verticalScrollBar()->value(), side_,
            side_ + kLabel};
}

QSize TileGrid::sizeHint() const { return {4 * (side_ + kGap), side_ + kLabel + 2 * kGap}; }

void TileGrid::arrange() {
    const int rows = (count() + columns() - 1) / columns();
    const int all = kGap + rows * (side_ + kLabel + kGap);
    verticalScrollBar()->setRange(0, std::max(0, all - viewport()->height()));
    verticalScrollBar()->setPageStep(viewport()->height());
    verticalScrollBar()->setSingleStep(side_ / 2);
    viewport()->update();
}

void TileGrid::paintEvent(QPaintEvent*) {
    QPainter painter(viewport());
    const Theme& theme = Theme::instance();
    painter.fillRect(viewport()->rect(), theme.colour(Theme::Colour::Panel));
    QFont font = theme.uiFont();
    font.setPointSizeF(font.pointSizeF() * 0.8);
    painter.setFont(font);
    for (int tile = 0; tile < count(); ++tile) {
        const QRect rect = tileRect(tile);
        if (!rect.intersects(viewport()->rect())) continue;
        const Tile& shown = tiles_[static_cast<std::size_t>(tile)];
        // A flat picture stays flat.
        const QSize size = shown.image.size().scaled(side_, side_, Qt::KeepAspectRatio).expandedTo({10, 10});
        const QRect inside(rect.topLeft(), size);
        painter.drawImage(inside, shown.image);
        painter.setPen(tile == chosen_ ? QPen(theme.colour(Theme::Colour::Accent), 2)
                                       : QPen(theme.colour(Theme::Colour::Border)));
        painter.drawRect(inside.adjusted(0, 0, -1, -1));
        painter.setPen(theme.colour(tile == chosen_ ? Theme::Colour::Text : Theme::Colour::Faint));
        painter.drawText(QRect(rect.left(), rect.top() + side_, side_, kLabel), Qt::AlignCenter, shown.label);
    }
}

int TileGrid::tileAt(QPoint place) const {
    for (int tile = 0; tile < count(); ++tile)
        if (tileRect(tile).contains(place)) return tile;
    return -1;
}

void TileGrid::mousePressEvent(QMouseEvent* event) {
    const int tile = tileAt(event->position().toPoint());
    if (tile >= 0) emit chosenChanged(tile == chosen_ ? -1 : tile);
}

void TileGrid::resizeEvent(QResizeEvent*) { arrange(); }

bool TileGrid::viewportEvent(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const int tile = tileAt(help->pos());
        if (tile >= 0)
            QToolTip::showText(help->globalPos(), tipOf(tile));
        else
            QToolTip::hideText();
        return true;
    }
    return QAbstractScrollArea::viewportEvent(event);
}

}  // namespace loupe::views
