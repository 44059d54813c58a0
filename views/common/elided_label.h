// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A label of one line that gives way: text that does not fit ends in dots, its tip has all of it, and the window stays as
// narrow as its user made it.

#include <QColor>
#include <QLabel>

namespace loupe::views {

class ElidedLabel : public QLabel {
    Q_OBJECT

  public:
    using QLabel::QLabel;

    /// A sign in front of the text in a colour of its own.
    void setMark(QChar mark, const QColor& colour);

    QSize minimumSizeHint() const override;
    QSize sizeHint() const override;

  protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

  private:
    int markWidth() const;

    QChar mark_;
    QColor colour_;
};

}  // namespace loupe::views
