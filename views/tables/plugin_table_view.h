// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A table that a plugin makes of what is open: see PluginRegistries::add_table. It knows nothing of what it shows.

#include <QLabel>
#include <QTableWidget>

#include "core/session/tables.h"
#include "views/common/empty_hint.h"
#include "views/common/view.h"

namespace loupe::views {

class PluginTableView : public View {
    Q_OBJECT

  public:
    PluginTableView(SessionBridge& bridge, const session::TableInfo& info, QWidget* parent);

    void addActions(QMenu& menu) override;
    bool isSettled() const override { return !waiting_; }
    // Asks the plugin again; so does a change of model, run or weights.
    void refresh();

    QTableWidget* table() { return table_; }
    QLabel* note() { return note_; }

  private:
    void showTable(const session::QueryTable& made);

    std::string name_;
    QLabel* note_;
    QTableWidget* table_;
    EmptyHint* hint_;
    bool waiting_ = false;
};

}  // namespace loupe::views
