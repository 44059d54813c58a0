// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/common/bar_delegate.h"

#include <QPainter>
#include <algorithm>

#include "views/common/theme.h"

namespace loupe::views {

void BarDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    const QVariant share = index.data(kShareRole);
    const bool isSelected = option.state.testFlag(QStyle::State_Selected);
    if (share.isValid() && share.toDouble() > 0 && !isSelected) {
        QColor colour = Theme::instance().colour(Theme::Colour::Accent);
        colour.setAlpha(70);
        const QRect room = option.rect.adjusted(1, 2, -2, -2);
        const int wide =
            std::clamp(static_cast<int>(room.width() * std::min(1.0, share.toDouble())), 1, std::max(1, room.width()));
        painter->fillRect(QRect(room.left(), room.top(), wide, room.height()), colour);
    }
    QStyledItemDelegate::paint(painter, option, index);
}

}  // namespace loupe::views
