// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Draws rows of the Events panel: phase and operator colours, time bars, distributions, the reached mark.

#include <QStyledItemDelegate>

namespace loupe::views {

class EventDelegate : public QStyledItemDelegate {
  public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

}  // namespace loupe::views
