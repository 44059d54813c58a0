// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Texts that end in dots because their column or field is too narrow can be read whole in a tip. Columns begin as wide
// as their titles.

class QAbstractItemView;
class QLineEdit;
class QWidget;

namespace loupe::views {

// Pixels for the text of the field, beside its frame and buttons.
int roomFor(const QLineEdit& edit);
// Is the text, or what stands in its place, wider than the field?
bool isCut(const QLineEdit& edit);
// Prepends the full text to an item's own tip. Headers count as items.
void tipWhatIsCut(QAbstractItemView& view);
// In every list, tree, table and line edit below the widget.
void tipWhatIsCutIn(QWidget& widget);

}  // namespace loupe::views
