// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Tokens as panels write them.

#include <QString>

#include "core/model/token_info.h"

namespace loupe::views {

// With signs for what cannot be seen: "·" for a space, "⏎" for the end of a line.
QString visibleText(const QString& text);
QString visibleToken(const session::TokenInfo& token);
// "' fox', token 4419": for tips.
QString describeToken(const session::TokenInfo& token);
QString percentText(double share);  // "12.3 %", "< 0.1 %"

}  // namespace loupe::views
