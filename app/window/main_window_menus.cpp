// SPDX-License-Identifier: GPL-3.0-or-later
// The window's menus, its tool bar, and the lists that its commands, modules and nodes are chosen from.
#include <QAbstractItemView>
#include <QMenuBar>
#include <QTimer>
#include <QToolBar>

#include "app/window/actions.h"
#include "app/window/banner.h"
#include "app/window/chooser.h"
#include "app/window/docks.h"
#include "app/window/main_window.h"
#include "app/window/plugin_tables.h"
#include "app/window/tour_guide.h"
#include "views/common/icons.h"
#include "views/compare/compare_view.h"
#include "views/registry.h"

namespace loupe::window {

void MainWindow::makeMenus() {
    const auto fill = [this](QMenu* menu, std::initializer_list<const char*> ids) {
        menu->setToolTipsVisible(true);
        for (const char* id : ids) {
            if (*id) {
                menu->addAction((*actions_)[QLatin1String(id)]);
            } else {
                menu->addSeparator();
            }
        }
    };
    QMenu* file = menuBar()->addMenu(tr("&File"));
    fill(file, {"open", "open_folder", "attach", "connect"});
    recent_menu_ = file->addMenu(tr("Open &recent"));
    connect(recent_menu_, &QMenu::aboutToShow, this, &MainWindow::fillRecentMenu);
    fill(file, {"reload", "", "save", "save_source", "save_model", "save_run", "save_all_runs", "keep_written",
                "save_picture", "", "load_weights", "", "restore_at_start", "ask_for_runs", "", "close", "quit"});
    fill(menuBar()->addMenu(tr("&Edit")), {"undo", "redo", "", "copy", "find", "", "settings"});
    fill(menuBar()->addMenu(tr("&Run")), {"run",
                                          "pause",
                                          "stop",
                                          "stop_engine",
                                          "reconnect",
                                          "",
                                          "run_on_ranks",
                                          "record_program",
                                          "order_all_ranks",
                                          "",
                                          "step_over",
                                          "step_into",
                                          "step_out",
                                          "step_back",
                                          "",
                                          "run_here",
                                          "run_nan",
                                          "run_backward",
                                          "",
                                          "time_properly",
                                          "",
                                          "breakpoint",
                                          "",
                                          "save_before_run",
                                          "",
                                          "script",
                                          "trace",
                                          "evaluate"});
    QMenu* compare = menuBar()->addMenu(tr("&Compare"));
    fill(compare, {"pin_run"});
    QMenu* pin = compare->addMenu(tr("Pin &another"));
    connect(pin, &QMenu::aboutToShow, this, [this, pin] {
        pin->clear();
        views::CompareView::fillPinMenu(*pin, *bridge_, this);
    });
    fill(compare, {"unpin", "", "divergence", "backward_divergence", "", "panel.compare"});
    fill(menuBar()->addMenu(tr("&Go")), {"goto", "palette", "", "back", "forward", "peer", "origin", "documentation",
                                         "", "bookmark", "next_bookmark", "", "next_rank", "previous_rank"});
    QMenu* view = menuBar()->addMenu(tr("&View"));
    view->setToolTipsVisible(true);
    for (const auto& entry : views::registry().entries()) {
        view->addAction((*actions_)[QStringLiteral("panel.") + entry.description.id]);
    }
    new PluginTables(view->addMenu(tr("Tables of plugins")), *bridge_, this);
    fill(view, {"", "fit", "maximise", "reset_layout", "", "theme_system", "theme_dark", "theme_light"});
    panel_menu_ = menuBar()->addMenu(tr("&Panel"));
    panel_menu_->setObjectName(QStringLiteral("panelMenu"));
    panel_menu_->setToolTipsVisible(true);
    connect(panel_menu_, &QMenu::aboutToShow, this, &MainWindow::fillPanelMenu);
    QMenu* help = menuBar()->addMenu(tr("&Help"));
    fill(help, {"manual", "panel_help", "keys", "documentation", "", "about"});
    auto* tours = new QMenu(tr("Guided &tours"), help);
    fillTourMenu(*tours);
    help->insertMenu(help->actions()[4], tours);
}

void MainWindow::makeToolBar() {
    QToolBar* bar = addToolBar(tr("Run"));
    bar->setObjectName(QStringLiteral("toolBar"));
    bar->setMovable(false);
    bar->setIconSize(QSize(20, 20));
    bar->setContextMenuPolicy(Qt::PreventContextMenu);
    for (const char* id :
         {"open",     "",          "run", "pause",        "stop",    "",         "step_over", "step_into",
          "step_out", "step_back", "",    "run_backward", "run_nan", "run_here", "",          "breakpoint",
          "bookmark", "pin_run",   "",    "back",         "forward"}) {
        if (*id) {
            bar->addAction((*actions_)[QLatin1String(id)]);
        } else {
            bar->addSeparator();
        }
    }
    auto* gap = new QWidget(bar);
    gap->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    bar->addWidget(gap);
    bar->addAction((*actions_)[QStringLiteral("goto")]);
    bar->addAction((*actions_)[QStringLiteral("palette")]);

    addToolBarBreak();
    QToolBar* row = addToolBar(tr("Messages"));
    row->setObjectName(QStringLiteral("bannerBar"));
    row->setMovable(false);
    row->setContextMenuPolicy(Qt::PreventContextMenu);
    banner_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    QAction* holder = row->addWidget(banner_);
    holder->setVisible(false);
    row->hide();
    connect(banner_, &Banner::shown, docks_, &Docks::makeRoom);
    connect(banner_, &Banner::shown, row, &QWidget::setVisible);
    connect(banner_, &Banner::shown, holder, &QAction::setVisible);
}

void MainWindow::fillTourMenu(QMenu& menu) {
    for (const Tour& tour : shippedTours()) {
        QAction* action = menu.addAction(tour.title, this, [this, name = tour.name] {
            if (const Tour* found = findTour(name)) guide_->start(*found);
        });
        action->setToolTip(tour.summary);
    }
    menu.setToolTipsVisible(true);
}

void MainWindow::fillRecentMenu() {
    recent_menu_->clear();
    for (const QString& file : recentFiles()) {
        connect(recent_menu_->addAction(file), &QAction::triggered, this, [this, file] { openFile(file); });
    }
    if (recent_menu_->isEmpty()) recent_menu_->addAction(tr("No files yet"))->setEnabled(false);
}

void MainWindow::fillPanelMenu() {
    panel_menu_->clear();
    if (auto* view = docks_->focused()) view->addActions(*panel_menu_);
    panel_menu_->addSeparator();
    actions_->update();
    panel_menu_->addAction((*actions_)[QStringLiteral("save_picture")]);
    panel_menu_->addAction((*actions_)[QStringLiteral("panel_help")]);
}

void MainWindow::openPalette() {
    std::vector<Chooser::Item> items;
    for (QAction* action : actions_->all()) {
        const QString title = QString(action->text()).remove(QLatin1Char('&'));
        const bool panel = action->objectName().startsWith(QLatin1String("action.panel."));
        items.push_back({panel ? tr("Show panel: %1").arg(title) : title,
                         action->shortcut().toString(QKeySequence::NativeText), action->icon(), action->isEnabled(),
                         action->toolTip(), [action] { action->trigger(); }});
    }
    // The panels' actions; the menus are owned with the list.
    auto chooser = [this](std::vector<Chooser::Item> all) {
        auto* dialog = new Chooser(tr("Type a command"), std::move(all), this);
        dialog->show();
        return dialog;
    };
    std::vector<QMenu*> menus;
    // Entries of menus inside it by their title too: "Pin another: In bfloat16".
    const std::function<void(const QString&, QMenu&)> addAll = [&](const QString& title, QMenu& menu) {
        for (QAction* action : menu.actions()) {
            const QString name = QStringLiteral("%1: %2").arg(title, QString(action->text()).remove(QLatin1Char('&')));
            if (action->isSeparator()) continue;
            if (action->menu() != nullptr) {
                addAll(name, *action->menu());
                continue;
            }
            items.push_back({name, action->shortcut().toString(QKeySequence::NativeText), action->icon(),
                             action->isEnabled(), action->toolTip(), [action = QPointer<QAction>(action)] {
                                 if (action) action->trigger();
                             }});
        }
    };
    menus.push_back(new QMenu);
    views::CompareView::fillPinMenu(*menus.back(), *bridge_, this);
    addAll(tr("Pin another"), *menus.back());
    for (QDockWidget* dock : docks_->all()) {
        menus.push_back(new QMenu);
        static_cast<views::View*>(dock->widget())->addActions(*menus.back());
        addAll(dock->windowTitle(), *menus.back());
    }
    Chooser* dialog = chooser(std::move(items));
    // Deleted after the chosen action has run.
    connect(dialog, &QObject::destroyed, this, [this, menus] {
        for (QMenu* menu : menus) {
            menu->setParent(this, Qt::Popup);
            QTimer::singleShot(0, menu, &QObject::deleteLater);
        }
    });
}

void MainWindow::openGoTo() {
    const auto& model = bridge_->model();
    if (!model) return;
    std::vector<Chooser::Item> items;
    const QIcon moduleIcon = views::themeIcon(QStringLiteral("modules"));
    const QIcon nodeIcon = views::themeIcon(QStringLiteral("graph"));
    for (const auto& module : model->modules) {
        const QString path = QString::fromStdString(module.path);
        items.push_back({path.isEmpty() ? tr("(model)") : path,
                         QString::fromStdString(module.class_name),
                         moduleIcon,
                         true,
                         {},
                         [this, path] { bridge_->setCurrentModule(path); }});
    }
    if (model->graph) {
        for (const auto& node : model->graph->nodes) {
            if (node.is_group || node.is_plumbing) continue;
            const QString scope = QString::fromStdString(node.scope);
            items.push_back({QString::fromStdString(node.label), scope, nodeIcon, true, {}, [this, id = node.id] {
                                 bridge_->setCurrentNode(id);
                             }});
        }
    }
    (new Chooser(tr("Go to a module or a node"), std::move(items), this))->show();
}

}  // namespace loupe::window
