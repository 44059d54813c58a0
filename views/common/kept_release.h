// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The PyTorch that a model source is built as by, as the user chose it.

#include <QString>

namespace loupe::views {

QString newestRelease();
// The newest where nothing else was chosen for the source.
QString recallRelease(const QString& source);
void keepRelease(const QString& source, const QString& release);

}  // namespace loupe::views
