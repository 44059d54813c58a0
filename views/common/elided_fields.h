// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Fields whose text ends, or begins, in dots where it does not fit; the tip is complete then.

#include <QComboBox>
#include <QLineEdit>

namespace loupe::views {

class ElidedComboBox : public QComboBox {
    Q_OBJECT

  public:
    using QComboBox::QComboBox;

    bool isCut() const;
    // Of one that adjusts to its contents: so wide that none is cut, whatever a style sheet takes of it.
    QSize sizeHint() const override;

  protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

  private:
    int room() const;
    int roomIn(const QRect& rect) const;
};

// Of a path the end is shown, until it is edited.
class PathEdit : public QLineEdit {
    Q_OBJECT

  public:
    using QLineEdit::QLineEdit;

  protected:
    void paintEvent(QPaintEvent* event) override;
};

}  // namespace loupe::views
