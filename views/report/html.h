// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Pieces of the report's page.

#include <QString>
#include <QStringList>

#include "views/common/format.h"

namespace loupe::views::html {

inline QString escaped(const QString& text) { return text.toHtmlEscaped(); }
inline QString escaped(std::string_view utf8) { return text(utf8).toHtmlEscaped(); }
template <std::same_as<Said> Sentence>
QString escaped(const Sentence& said) {
    return text(said).toHtmlEscaped();
}

// A name and what it is.
inline QString row(const QString& name, const QString& value) {
    return QStringLiteral("<tr><td>%1</td><td class='m'>%2</td></tr>\n").arg(name, value);
}
inline QString cell(const QString& text, const char* classes) {
    return QStringLiteral("<td class='%1'>%2</td>").arg(QLatin1String(classes), text);
}
}  // namespace loupe::views::html
