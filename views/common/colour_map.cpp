// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/common/colour_map.h"

#include <QObject>

namespace loupe::views {

QString colourMapName(ColourMap map) {
    switch (map) {
        case ColourMap::Viridis:
            return QStringLiteral("Viridis");
        case ColourMap::Cividis:
            return QStringLiteral("Cividis");
        case ColourMap::Diverging:
            return QObject::tr("Diverging");
        case ColourMap::Grey:
            break;
    }
    return QObject::tr("Grey");
}

QRgb colourAt(ColourMap map, double t) { return colour_at(map, t); }

QColor readableOn(QRgb background) {
    const double luminance = 0.299 * qRed(background) + 0.587 * qGreen(background) + 0.114 * qBlue(background);
    return luminance > 140 ? QColor(Qt::black) : QColor(Qt::white);
}

}  // namespace loupe::views
