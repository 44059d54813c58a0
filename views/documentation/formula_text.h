// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Formulas of operators as they are written in their records, set as mathematics: variables lean, sums and roots are
// signs, powers and indices are raised and lowered.

#include <QSet>
#include <QString>

namespace loupe::views {

// Rich text of "out[i] = sum_j self[i, j]^2 / sqrt(n)". variables: italic names of several letters;
// single letters, grad and out are always italic.
QString formulaHtml(const QString& formula, const QSet<QString>& variables);

}  // namespace loupe::views
