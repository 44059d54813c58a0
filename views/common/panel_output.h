// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Export of panels: a picture, and the text of rows.

#include <QString>

class QAbstractItemView;
class QAction;
class QWidget;

namespace loupe::views {

// As on the screen; by the name .png, .svg or .pdf. Empty, or the error.
QString savePanel(QWidget& panel, const QString& file);

// The selected rows, a line each, columns by tabs, in the order of the view; hidden columns are left out.
QString selectedRowsText(const QAbstractItemView& view);

// Enables an action, or disables it with the reason in its tip.
void enableUnless(QAction* action, const QString& whyNot);

}  // namespace loupe::views
