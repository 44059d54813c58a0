// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/common/view.h"

#include <QLabel>

namespace loupe::views {

QString View::emptyNote() const {
    constexpr double kMuch = 0.25;
    const double all = std::max(1.0, static_cast<double>(width()) * height());
    for (const QLabel* hint : findChildren<QLabel*>(QStringLiteral("emptyHint"))) {
        const bool is_shown = hint->isVisibleTo(this) && !hint->text().isEmpty();
        if (is_shown && static_cast<double>(hint->width()) * hint->height() / all > kMuch) return hint->text();
    }
    return {};
}

}  // namespace loupe::views
