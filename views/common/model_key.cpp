// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/common/model_key.h"

#include <QCryptographicHash>

namespace loupe::views {

QString modelKey(const QString& model, const char* kind) {
    return QLatin1String(kind) + QLatin1Char('/') +
           QString::fromLatin1(QCryptographicHash::hash(model.toUtf8(), QCryptographicHash::Sha1).toHex().left(16));
}

}  // namespace loupe::views
