// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// View > Tables: those that plugins make, each in a window of its own. Not there when no plugin makes one.

#include <QMenu>

#include "core/session/tables.h"
#include "views/common/session_bridge.h"

namespace loupe::window {

class PluginTables : public QObject {
    Q_OBJECT

  public:
    PluginTables(QMenu* menu, views::SessionBridge& bridge, QWidget* window);

  private:
    void ask();
    void fill(const std::vector<session::TableInfo>& tables);
    void open(const session::TableInfo& table);

    QMenu* menu_;
    views::SessionBridge& bridge_;
    QWidget* window_;
};

}  // namespace loupe::window
