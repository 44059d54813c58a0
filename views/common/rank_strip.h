// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A column of an item view with a cell a rank; a click on one goes to that rank, and to the value there.

#include <QAbstractItemView>
#include <QStyledItemDelegate>

#include "views/common/ranks.h"

namespace loupe::views {

class RankStrip : public QStyledItemDelegate {
    Q_OBJECT

  public:
    // Of an item: its RankCells.
    static constexpr int kCellsRole = Qt::UserRole + 65;

    RankStrip(SessionBridge& bridge, QAbstractItemView* view);

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    bool editorEvent(QEvent* event, QAbstractItemModel* model, const QStyleOptionViewItem& option,
                     const QModelIndex& index) override;

  private:
    SessionBridge& bridge_;
};

}  // namespace loupe::views
