// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Controls side by side, as many as there is room for, the others in rows below: the bar of a panel that may be narrow.

#include <QLayout>
#include <QList>

namespace loupe::views {

class FlowLayout : public QLayout {
  public:
    explicit FlowLayout(int spacing = 6) { setSpacing(spacing); }
    ~FlowLayout() override;

    void addItem(QLayoutItem* item) override { items_ += item; }
    int count() const override { return static_cast<int>(items_.size()); }
    QLayoutItem* itemAt(int index) const override { return items_.value(index); }
    QLayoutItem* takeAt(int index) override;
    Qt::Orientations expandingDirections() const override { return {}; }
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override { return arrange({0, 0, width, 0}, Arrange::Measure); }
    QSize sizeHint() const override { return minimumSize(); }
    // Of the widest control.
    QSize minimumSize() const override;
    void setGeometry(const QRect& rect) override;

  private:
    enum class Arrange { Measure, Place };
    int arrange(const QRect& rect, Arrange what) const;

    QList<QLayoutItem*> items_;
};

}  // namespace loupe::views
