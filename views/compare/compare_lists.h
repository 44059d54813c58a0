// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The lists of the Compare panel: what one run has alone, parameters, and where this run is slower or bigger.

#include <QTreeWidget>

#include "views/common/comparison.h"

namespace loupe::views {

// Of items: the event of this run, or of the reference alone.
inline constexpr int kHereRole = Qt::UserRole;
inline constexpr int kThereRole = Qt::UserRole + 1;
inline constexpr int kNameRole = Qt::UserRole + 2;

// Each of them with its columns, without rows.
QTreeWidget* makeChangesList(QWidget* parent);
QTreeWidget* makeParametersList(QWidget* parent);
QTreeWidget* makeCostsList(QWidget* parent);

void fillChanges(QTreeWidget& list, const session::RunDifferences& found, const session::Recording& recording);
void fillParameters(QTreeWidget& list, const session::RunDifferences& found);
void fillCosts(QTreeWidget& list, const session::RunDifferences& found);

}  // namespace loupe::views
