// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Two texts, line by line, side by side.

#include <QStringList>
#include <vector>

namespace loupe::views {

struct DiffRow {
    enum class Kind { Same, Changed, Removed, Added };
    Kind kind = Kind::Same;
    int left = -1;  // line, from 0; -1: none
    int right = -1;
};

// The shortest edit between the texts (Myers 1986, "An O(ND) Difference Algorithm and Its Variations"); a removed line
// and an added one beside it count as one changed line when they have most of their words in common.
std::vector<DiffRow> diffLines(const QStringList& left, const QStringList& right);

}  // namespace loupe::views
