// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/plugin_tables.h"

#include <QDialog>
#include <QVBoxLayout>

#include "core/session/queries/tables.h"
#include "views/common/format.h"
#include "views/tables/plugin_table_view.h"

namespace loupe::window {

using views::text;

PluginTables::PluginTables(QMenu* menu, views::SessionBridge& bridge, QWidget* window)
    : QObject(window), menu_(menu), bridge_(bridge), window_(window) {
    menu_->setToolTipsVisible(true);
    menu_->menuAction()->setToolTip(tr("What plugins make of the model, each in a window of its own"));
    menu_->menuAction()->setVisible(false);
    connect(&bridge_, &views::SessionBridge::modelChanged, this, &PluginTables::ask);
}

void PluginTables::ask() {
    if (!bridge_.model() || !menu_->isEmpty()) return;
    bridge_.ask(QStringLiteral("tables"), session::TablesQuery{}, this,
                [this](const std::vector<session::TableInfo>& tables) { fill(tables); });
}

void PluginTables::fill(const std::vector<session::TableInfo>& tables) {
    menu_->clear();
    for (const session::TableInfo& table : tables) {
        QAction* action = menu_->addAction(text(table.title), this, [this, table] { open(table); });
        action->setObjectName(QStringLiteral("action.table.") + text(table.name));
        action->setToolTip(text(table.what));
    }
    menu_->menuAction()->setVisible(!tables.empty());
}

void PluginTables::open(const session::TableInfo& table) {
    auto* shown = new QDialog(window_);
    shown->setAttribute(Qt::WA_DeleteOnClose);
    shown->setWindowTitle(text(table.title));
    shown->setObjectName(QStringLiteral("table.") + text(table.name));
    auto* layout = new QVBoxLayout(shown);
    layout->setContentsMargins(0, 0, 0, 0);
    auto* view = new views::PluginTableView(bridge_, table, shown);
    views::tipWhatIsCutIn(*view);
    layout->addWidget(view);
    shown->resize(520, 420);
    shown->show();
}

}  // namespace loupe::window
