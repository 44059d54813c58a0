// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/common/elided_label.h"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>

namespace loupe::views {

namespace {

/// Minimum of letters.
constexpr int kFewest = 4;

}  // namespace

void ElidedLabel::setMark(QChar mark, Theme::Colour colour) {
    mark_ = mark;
    colour_ = colour;
    updateGeometry();
    update();
}

int ElidedLabel::markWidth() const {
    return mark_.isNull() ? 0 : fontMetrics().horizontalAdvance(mark_) + fontMetrics().horizontalAdvance(u' ');
}

QSize ElidedLabel::sizeHint() const {
    const QMargins margins = contentsMargins();
    return {margins.left() + margins.right() + markWidth() + fontMetrics().horizontalAdvance(text()) + 2,
            margins.top() + margins.bottom() + fontMetrics().height()};
}

QSize ElidedLabel::minimumSizeHint() const {
    const QSize whole = sizeHint();
    const QMargins margins = contentsMargins();
    const int fewest = margins.left() + margins.right() + markWidth() + kFewest * fontMetrics().averageCharWidth();
    return {std::min(whole.width(), fewest), whole.height()};
}

bool ElidedLabel::event(QEvent* event) {
    const bool is_cut = fontMetrics().horizontalAdvance(text()) > contentsRect().width() - markWidth();
    if (event->type() != QEvent::ToolTip || !toolTip().isEmpty() || !is_cut) return QLabel::event(event);
    QToolTip::showText(static_cast<QHelpEvent*>(event)->globalPos(), text().toHtmlEscaped(), this);
    return true;
}

void ElidedLabel::paintEvent(QPaintEvent* event) {
    // What fits can be selected, as in any label.
    if (mark_.isNull() && fontMetrics().horizontalAdvance(text()) <= contentsRect().width())
        return QLabel::paintEvent(event);
    QPainter painter(this);
    QRect room = contentsRect();
    if (!mark_.isNull()) {
        painter.setPen(Theme::instance().colour(colour_));
        painter.drawText(room, Qt::AlignLeft | Qt::AlignVCenter, mark_);
        room.setLeft(room.left() + markWidth());
    }
    painter.setPen(palette().color(foregroundRole()));
    painter.drawText(room, Qt::AlignLeft | Qt::AlignVCenter,
                     fontMetrics().elidedText(text(), Qt::ElideRight, room.width()));
}

}  // namespace loupe::views
