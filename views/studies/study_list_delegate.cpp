// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/studies/study_list_delegate.h"

#include <QPainter>

#include "views/common/theme.h"

namespace loupe::views {

namespace {

QFont smallFont() {
    QFont font = Theme::instance().uiFont();
    font.setPointSizeF(font.pointSizeF() * 0.88);
    return font;
}

}  // namespace

void StudyListDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    const Theme& theme = Theme::instance();
    painter->save();
    if (option.state & QStyle::State_Selected) painter->fillRect(option.rect, theme.colour(Theme::Colour::AccentBack));
    const QRect inside = option.rect.adjusted(10, 4, -8, -4);
    const bool fits = index.data(kFits).toBool();
    const QFontMetrics title(theme.uiFont()), second(smallFont());
    painter->setFont(theme.uiFont());
    painter->setPen(theme.colour(fits ? Theme::Colour::Text : Theme::Colour::Faint));
    painter->drawText(inside, Qt::AlignLeft | Qt::AlignTop,
                      title.elidedText(index.data().toString(), Qt::ElideRight, inside.width()));
    painter->setFont(smallFont());
    painter->setPen(theme.colour(Theme::Colour::Faint));
    painter->drawText(inside, Qt::AlignLeft | Qt::AlignBottom,
                      second.elidedText(index.data(kSecondLine).toString(), Qt::ElideRight, inside.width()));
    painter->restore();
}

QSize StudyListDelegate::sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const {
    return {160, QFontMetrics(Theme::instance().uiFont()).height() + QFontMetrics(smallFont()).height() + 10};
}

}  // namespace loupe::views
