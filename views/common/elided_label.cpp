// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/common/elided_label.h"

#include <QAbstractTextDocumentLayout>
#include <QHelpEvent>
#include <QPainter>
#include <QTextDocument>
#include <QToolTip>
#include <algorithm>
#include <cmath>
#include <memory>

namespace loupe::views {

namespace {

/// Minimum of letters.
constexpr int kFewest = 4;

bool isRich(const QLabel& label) {
    return label.textFormat() == Qt::RichText ||
           (label.textFormat() == Qt::AutoText && Qt::mightBeRichText(label.text()));
}

std::unique_ptr<QTextDocument> documentOf(const QLabel& label) {
    auto document = std::make_unique<QTextDocument>();
    document->setDefaultFont(label.font());
    document->setDocumentMargin(0);
    document->setHtml(label.text());
    return document;
}

}  // namespace

// As much of it as there is room for before the dots.
void ElidedLabel::paintRich(QPainter& painter) {
    const QString dots(QChar(0x2026));
    const QRect room = contentsRect();
    const QRect shown = room.adjusted(0, 0, -fontMetrics().horizontalAdvance(dots), 0);
    const QColor colour = palette().color(foregroundRole());
    const auto document = documentOf(*this);
    QAbstractTextDocumentLayout::PaintContext context;
    context.palette = palette();
    context.palette.setColor(QPalette::Text, colour);
    painter.save();
    painter.setClipRect(shown);
    painter.translate(room.left(), room.top() + (room.height() - document->size().height()) / 2);
    document->documentLayout()->draw(&painter, context);
    painter.restore();
    painter.setPen(colour);
    painter.drawText(room, Qt::AlignRight | Qt::AlignVCenter, dots);
}

void ElidedLabel::setMark(QChar mark, Theme::Colour colour) {
    mark_ = mark;
    colour_ = colour;
    updateGeometry();
    update();
}

int ElidedLabel::markWidth() const {
    return mark_.isNull() ? 0 : fontMetrics().horizontalAdvance(mark_) + fontMetrics().horizontalAdvance(u' ');
}

int ElidedLabel::textWidth() const {
    return isRich(*this) ? static_cast<int>(std::ceil(documentOf(*this)->idealWidth()))
                         : fontMetrics().horizontalAdvance(text());
}

QSize ElidedLabel::sizeHint() const {
    const QMargins margins = contentsMargins();
    return {margins.left() + margins.right() + markWidth() + textWidth() + 2,
            margins.top() + margins.bottom() + fontMetrics().height()};
}

QSize ElidedLabel::minimumSizeHint() const {
    const QSize whole = sizeHint();
    const QMargins margins = contentsMargins();
    const int fewest = margins.left() + margins.right() + markWidth() + kFewest * fontMetrics().averageCharWidth();
    return {std::min(whole.width(), fewest), whole.height()};
}

bool ElidedLabel::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip || textWidth() <= contentsRect().width() - markWidth())
        return QLabel::event(event);
    // The whole text, before a tip of its own that does not begin with it.
    const QString whole = isRich(*this) ? documentOf(*this)->toPlainText() : text();
    QString tip = toolTip();
    if (!tip.startsWith(whole)) tip = tip.isEmpty() ? whole : whole + QLatin1Char('\n') + tip;
    QToolTip::showText(static_cast<QHelpEvent*>(event)->globalPos(), tip, this);
    return true;
}

void ElidedLabel::paintEvent(QPaintEvent* event) {
    // What fits can be selected, as in any label.
    if (mark_.isNull() && textWidth() <= contentsRect().width()) return QLabel::paintEvent(event);
    QPainter painter(this);
    if (isRich(*this)) return paintRich(painter);
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
