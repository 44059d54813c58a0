// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A study in a list: its name, and below it where it is from, or why it does not fit the model.

#include <QStyledItemDelegate>

namespace loupe::views {

class StudyListDelegate : public QStyledItemDelegate {
    Q_OBJECT

  public:
    static constexpr int kSecondLine = Qt::UserRole + 1;
    static constexpr int kFits = Qt::UserRole + 2;

    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

}  // namespace loupe::views
