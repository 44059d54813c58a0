// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/common/rank_strip.h"

#include <QMouseEvent>
#include <QPainter>

namespace loupe::views {
namespace {

QRectF roomOf(const QStyleOptionViewItem& option) { return QRectF(option.rect).adjusted(3, 3, -3, -3); }

}  // namespace

RankStrip::RankStrip(SessionBridge& bridge, QAbstractItemView* view) : QStyledItemDelegate(view), bridge_(bridge) {}

void RankStrip::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    QStyledItemDelegate::paint(painter, option, index);
    const auto cells = index.data(kCellsRole).value<RankCells>();
    if (!cells.empty()) paintRankCells(*painter, roomOf(option), cells, static_cast<int>(bridge_.currentSeat()));
}

bool RankStrip::editorEvent(QEvent* event, QAbstractItemModel* model, const QStyleOptionViewItem& option,
                            const QModelIndex& index) {
    if (event->type() != QEvent::MouseButtonRelease)
        return QStyledItemDelegate::editorEvent(event, model, option, index);
    const auto cells = index.data(kCellsRole).value<RankCells>();
    const auto* mouse = static_cast<QMouseEvent*>(event);
    const int at = mouse->button() == Qt::LeftButton ? rankCellAt(roomOf(option), cells, mouse->position().x()) : -1;
    if (at < 0) return false;
    const RankCell cell = cells[static_cast<std::size_t>(at)];
    // Once the view has done with the click: its rows are others then.
    QMetaObject::invokeMethod(
        &bridge_,
        [bridge = &bridge_, cell, seat = static_cast<std::size_t>(at)] {
            bridge->setCurrentSeat(seat);
            if (cell.event != 0) bridge->setCurrentEvent(cell.event);
            if (cell.value != 0) bridge->setCurrentValue(cell.value);
        },
        Qt::QueuedConnection);
    return true;
}

}  // namespace loupe::views
