// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/common/open_filter.h"

#include <QObject>

#include "core/session/catalogue.h"
#include "views/common/format.h"

namespace loupe::views {

QString openFilter(const QString& title, const QStringList& others) {
    QStringList patterns;
    for (const std::string& extension : session::list_extensions()) patterns += QLatin1Char('*') + text(extension);
    patterns += others;
    return QStringLiteral("%1 (%2);;%3").arg(title, patterns.join(QLatin1Char(' ')), QObject::tr("All files (*)"));
}

}  // namespace loupe::views
