// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The engine's colour maps, as Qt's colours.

#include <QColor>
#include <QStringList>

#include "core/base/colour_map.h"

namespace loupe::views {

QString colourMapName(ColourMap map);
// t in [0, 1]; outside is clamped. A NaN gives magenta.
QRgb colourAt(ColourMap map, double t);
// Black or white, by contrast with the colour.
QColor readableOn(QRgb background);

}  // namespace loupe::views
