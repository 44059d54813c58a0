// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Texts that end in dots because their column is too narrow can be read whole in a tip.

class QAbstractItemView;
class QWidget;

namespace loupe::views {

// Prepends the full text to an item's own tip. Headers count as items.
void tipWhatIsCut(QAbstractItemView& view);
// In every list, tree and table below the widget.
void tipWhatIsCutIn(QWidget& widget);

}  // namespace loupe::views
