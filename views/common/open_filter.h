// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What file dialogues show.

#include <QString>
#include <QStringList>

namespace loupe::views {

// "Models and recordings (*.pt *.onnx ...);;All files (*)": what can be read, by all formats, and those other patterns.
QString openFilter(const QString& title, const QStringList& others);

}  // namespace loupe::views
