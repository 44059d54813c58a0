// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// From a number to a colour. All maps are colour-blind safe, and monotonous in grey, except for the diverging one,
// whose middle is lightest.

#include <QColor>
#include <QStringList>

namespace loupe::views {

enum class ColourMap { Viridis, Cividis, Diverging, Grey };
inline constexpr int kColourMaps = 4;

QString colourMapName(ColourMap map);
// t in [0, 1]; outside is clamped. A NaN gives magenta.
QRgb colourAt(ColourMap map, double t);
// Black or white, by contrast with the colour.
QColor readableOn(QRgb background);

}  // namespace loupe::views
