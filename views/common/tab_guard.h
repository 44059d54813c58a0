// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The keyboard comes out of everything that it came into.

class QApplication;

namespace loupe::views {

// From now on Tab leaves a table instead of going through its cells, for which there are arrows; and Ctrl+Tab and
// Ctrl+Shift+Tab go on from what needs Tab itself, as an editor does. Said once an application, however often it is
// called; widgets that are made later are meant too.
void letTabLeave(QApplication& application);

}  // namespace loupe::views
