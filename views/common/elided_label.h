// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A shrinkable label of one line: text that does not fit is elided, its tip is complete, and it does not widen the
// window. Plain or rich text.

#include <QLabel>

#include "views/common/theme.h"

namespace loupe::views {

class ElidedLabel : public QLabel {
    Q_OBJECT

  public:
    using QLabel::QLabel;

    /// A sign in front of the text in another colour.
    void setMark(QChar mark, Theme::Colour colour);

    QSize minimumSizeHint() const override;
    QSize sizeHint() const override;

  protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

  private:
    int markWidth() const;
    int textWidth() const;
    void paintRich(QPainter& painter);

    QChar mark_;
    Theme::Colour colour_ = Theme::Colour::Text;
};

}  // namespace loupe::views
