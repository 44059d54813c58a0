// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/common/elided_fields.h"

#include <QHelpEvent>
#include <QStylePainter>
#include <QToolTip>
#include <algorithm>

#include "views/common/cut_texts.h"

namespace loupe::views {

int ElidedComboBox::roomIn(const QRect& rect) const {
    constexpr int kMargins = 4;
    QStyleOptionComboBox option;
    initStyleOption(&option);
    option.rect = rect;
    const int whole = style()->subControlRect(QStyle::CC_ComboBox, &option, QStyle::SC_ComboBoxEditField, this).width();
    return whole - kMargins - (option.currentIcon.isNull() ? 0 : option.iconSize.width() + kMargins);
}

int ElidedComboBox::room() const { return roomIn(rect()); }

QSize ElidedComboBox::sizeHint() const {
    QSize hint = QComboBox::sizeHint();
    if (sizeAdjustPolicy() != AdjustToContents) return hint;
    int widest = 0;
    for (int i = 0; i < count(); ++i) widest = std::max(widest, fontMetrics().horizontalAdvance(itemText(i)));
    hint.rwidth() += std::max(0, widest - roomIn({{}, hint}));
    return hint;
}

bool ElidedComboBox::isCut() const { return fontMetrics().horizontalAdvance(currentText()) > room(); }

bool ElidedComboBox::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip || !isCut()) return QComboBox::event(event);
    const QString tip = toolTip().isEmpty() ? currentText() : currentText() + QLatin1Char('\n') + toolTip();
    QToolTip::showText(static_cast<QHelpEvent*>(event)->globalPos(), tip, this);
    return true;
}

void ElidedComboBox::paintEvent(QPaintEvent*) {
    QStylePainter painter(this);
    QStyleOptionComboBox option;
    initStyleOption(&option);
    option.currentText = fontMetrics().elidedText(option.currentText, Qt::ElideRight, room());
    painter.drawComplexControl(QStyle::CC_ComboBox, option);
    painter.drawControl(QStyle::CE_ComboBoxLabel, option);
}

void PathEdit::paintEvent(QPaintEvent* event) {
    if (hasFocus() || text().isEmpty() || !views::isCut(*this)) return QLineEdit::paintEvent(event);
    QStylePainter painter(this);
    QStyleOptionFrame option;
    initStyleOption(&option);
    painter.drawPrimitive(QStyle::PE_PanelLineEdit, option);
    constexpr int kMargin = 2;
    QRect room = style()->subElementRect(QStyle::SE_LineEditContents, &option, this).adjusted(kMargin, 0, -kMargin, 0);
    room.setWidth(std::min(room.width(), roomFor(*this)));
    painter.setPen(palette().color(QPalette::Text));
    painter.drawText(room, Qt::AlignLeft | Qt::AlignVCenter,
                     fontMetrics().elidedText(text(), Qt::ElideLeft, room.width()));
}

}  // namespace loupe::views
