// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Sentences of the engine in the window's language: see core/base/said.h.

#include <QString>

#include "core/base/said.h"

namespace loupe::views {

// Parts first; a form without a translation stays as it is. What another process has sent cannot make it long, or slow:
// then it is the English text.
QString saidText(const Said& said);

}  // namespace loupe::views
