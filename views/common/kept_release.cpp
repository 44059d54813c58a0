// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/common/kept_release.h"

#include <QSettings>

#include "views/common/model_key.h"

namespace loupe::views {
namespace {

constexpr const char* kKind = "release";

}  // namespace

QString newestRelease() { return QStringLiteral("2.15"); }

QString recallRelease(const QString& source) {
    return QSettings().value(modelKey(source, kKind), newestRelease()).toString();
}

void keepRelease(const QString& source, const QString& release) {
    if (release == newestRelease())
        QSettings().remove(modelKey(source, kKind));
    else
        QSettings().setValue(modelKey(source, kKind), release);
}

}  // namespace loupe::views
