// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Sizes, fonts and colours that the files of the canvas share.

#include <QColor>
#include <QFont>

#include "views/common/theme.h"

namespace loupe::views::canvas {

inline constexpr double kReadable = 0.75;
inline constexpr double kTextScale = 0.38;   // below, boxes are tiles
inline constexpr double kLabelScale = 0.55;  // below, lines go without shapes

using C = Theme::Colour;
inline QColor colour(C role) { return Theme::instance().colour(role); }

inline QColor blend(const QColor& a, const QColor& b, double t) {
    return QColor::fromRgbF(static_cast<float>(a.redF() * (1 - t) + b.redF() * t),
                            static_cast<float>(a.greenF() * (1 - t) + b.greenF() * t),
                            static_cast<float>(a.blueF() * (1 - t) + b.blueF() * t));
}

inline QFont pixelFont(double size, bool bold) {
    QFont font = Theme::instance().uiFont();
    font.setPixelSize(static_cast<int>(size));
    if (bold) font.setWeight(QFont::DemiBold);
    return font;
}

}  // namespace loupe::views::canvas
