// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What leaves a panel whatever it shows: a picture of it, and the text of its rows.

#include <QString>

class QAbstractItemView;
class QAction;
class QWidget;

namespace loupe::views {

// As it stands on the screen; by the name .png, .svg or .pdf. Empty, or why not.
QString savePanel(QWidget& panel, const QString& file);

// The selected rows, a line each, columns by tabs, in the order of the view; hidden columns are left out.
QString selectedRowsText(const QAbstractItemView& view);

// Enables an action, or disables it and says in its tip why.
void enableUnless(QAction* action, const QString& whyNot);

}  // namespace loupe::views
