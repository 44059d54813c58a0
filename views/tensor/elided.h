// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace loupe::views {

// Of at most so many characters, with dots for the rest.
inline QString elided(const QString& text, int most) {
    return text.size() > most ? text.left(most - 1) + QChar(0x2026) : text;
}

}  // namespace loupe::views
