// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Cells with a bar behind their text.

#include <QStyledItemDelegate>

namespace loupe::views {

class BarDelegate : public QStyledItemDelegate {
    Q_OBJECT

  public:
    // Of an item: how much of the cell the bar takes, 0 to 1; none without one.
    static constexpr int kShareRole = Qt::UserRole + 64;

    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

}  // namespace loupe::views
