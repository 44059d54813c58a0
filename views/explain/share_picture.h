// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The window of elements that a number was made of: the elements in grey, their shares in colours.

#include <QImage>
#include <QWidget>

#include "core/study/explanation.h"

namespace loupe::views {

// At one pixel a cell; null of a group that has no box. Shares: blue below 0, red above.
QImage shareImage(const session::ShareGroup& group);
QImage elementImage(const session::ShareGroup& group);

class SharePicture : public QWidget {
    Q_OBJECT

  public:
    explicit SharePicture(QWidget* parent = nullptr);

    void setGroup(const session::ShareGroup& group);
    const session::ShareGroup& group() const { return group_; }

  signals:
    // The cell under the mouse, with its place in the tensor; empty where there is none.
    void hovered(const QString& text);

  protected:
    void paintEvent(QPaintEvent*) override;
    void mouseMoveEvent(QMouseEvent*) override;
    void leaveEvent(QEvent*) override;

  private:
    QRectF place(int picture) const;

    session::ShareGroup group_;
    QImage shares_;
    QImage elements_;
};

}  // namespace loupe::views
