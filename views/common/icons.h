// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Icons from resources/icons, drawn in the colours of the theme.

#include <QIcon>
#include <QString>

namespace loupe::views {

// name: a file of resources/icons without its extension. In the SVG `currentColor` becomes the text colour; when
// disabled it is faint. An unknown name gives an empty icon.
QIcon themeIcon(const QString& name);

}  // namespace loupe::views
