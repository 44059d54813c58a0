// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/common/colour_map.h"

#include <array>
#include <cmath>
#include <span>

namespace loupe::views {

namespace {

constexpr std::array<QRgb, 11> kViridis{0xff440154, 0xff482475, 0xff414487, 0xff355f8d, 0xff2a788e, 0xff21918c,
                                        0xff22a884, 0xff44bf70, 0xff7ad151, 0xffbddf26, 0xfffde725};
constexpr std::array<QRgb, 10> kCividis{0xff00224e, 0xff123570, 0xff3b496c, 0xff575d6d, 0xff707173,
                                        0xff8a8678, 0xffa59c74, 0xffc3b369, 0xffe1cc55, 0xfffee838};
constexpr std::array<QRgb, 9> kDiverging{0xff2166ac, 0xff4393c3, 0xff92c5de, 0xffd1e5f0, 0xfff7f7f7,
                                         0xfffddbc7, 0xfff4a582, 0xffd6604d, 0xffb2182b};
constexpr std::array<QRgb, 2> kGrey{0xff000000, 0xffffffff};

std::span<const QRgb> stops(ColourMap map) {
    switch (map) {
        case ColourMap::Viridis:
            return kViridis;
        case ColourMap::Cividis:
            return kCividis;
        case ColourMap::Diverging:
            return kDiverging;
        case ColourMap::Grey:
            break;
    }
    return kGrey;
}

int mix(int a, int b, double t) { return static_cast<int>(std::lround(a + (b - a) * t)); }

}  // namespace

QString colourMapName(ColourMap map) {
    switch (map) {
        case ColourMap::Viridis:
            return QStringLiteral("Viridis");
        case ColourMap::Cividis:
            return QStringLiteral("Cividis");
        case ColourMap::Diverging:
            return QStringLiteral("Diverging");
        case ColourMap::Grey:
            break;
    }
    return QStringLiteral("Grey");
}

QRgb colourAt(ColourMap map, double t) {
    if (std::isnan(t)) return qRgb(255, 0, 255);
    const auto colours = stops(map);
    const double place = std::clamp(t, 0.0, 1.0) * static_cast<double>(colours.size() - 1);
    const auto index = std::min(static_cast<std::size_t>(place), colours.size() - 2);
    const double part = place - static_cast<double>(index);
    const QRgb a = colours[index];
    const QRgb b = colours[index + 1];
    return qRgb(mix(qRed(a), qRed(b), part), mix(qGreen(a), qGreen(b), part), mix(qBlue(a), qBlue(b), part));
}

QColor readableOn(QRgb background) {
    const double luminance = 0.299 * qRed(background) + 0.587 * qGreen(background) + 0.114 * qBlue(background);
    return luminance > 140 ? QColor(Qt::black) : QColor(Qt::white);
}

}  // namespace loupe::views
