// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/docks.h"

#include <QApplication>
#include <QSettings>

#include "views/registry.h"

namespace loupe::window {

namespace {

// Counts up when the default layout changes so much that an old one makes no sense.
constexpr int kLayoutVersion = 1;

}  // namespace

Docks::Docks(QMainWindow* window, views::SessionBridge& bridge) : QObject(window), window_(window) {
    window->setDockNestingEnabled(true);
    window->setDockOptions(QMainWindow::AllowNestedDocks | QMainWindow::AllowTabbedDocks | QMainWindow::AnimatedDocks);
    window->setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
    window->setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
    for (const auto& entry : views::registry().entries()) {
        auto* dock = new QDockWidget(entry.description.title, window);
        dock->setObjectName(entry.description.id);
        dock->setToolTip(entry.description.tip);
        views::View* view = entry.create(bridge, dock);
        view->setObjectName(QStringLiteral("view.") + entry.description.id);
        view->setAccessibleName(entry.description.title);
        view->setAccessibleDescription(entry.description.tip);
        dock->setWidget(view);
        docks_.push_back(dock);
        places_.push_back(entry.description.place);
    }
    arrange();
    state_ = QSettings().value(QStringLiteral("window/docks")).toByteArray();
    connect(qApp, &QApplication::focusChanged, this, [this](QWidget*, QWidget* now) {
        for (QWidget* widget = now; widget; widget = widget->parentWidget()) {
            if (auto* view = qobject_cast<views::View*>(widget)) {
                focused_ = view;
                return;
            }
        }
    });
}

void Docks::arrange() {
    QDockWidget* first[5] = {};
    for (std::size_t i = 0; i < docks_.size(); ++i) {
        QDockWidget*& group = first[static_cast<int>(places_[i])];
        docks_[i]->setFloating(false);
        docks_[i]->show();
        if (group) {
            window_->tabifyDockWidget(group, docks_[i]);
            continue;
        }
        group = docks_[i];
        switch (places_[i]) {
            case views::Place::Left:
            case views::Place::LeftBelow: window_->addDockWidget(Qt::LeftDockWidgetArea, docks_[i]); break;
            case views::Place::Centre:
            case views::Place::Right: window_->addDockWidget(Qt::RightDockWidgetArea, docks_[i]); break;
            case views::Place::Bottom: window_->addDockWidget(Qt::BottomDockWidgetArea, docks_[i]); break;
        }
    }
    const auto at = [&](views::Place place) { return first[static_cast<int>(place)]; };
    if (at(views::Place::Left) && at(views::Place::LeftBelow)) {
        window_->splitDockWidget(at(views::Place::Left), at(views::Place::LeftBelow), Qt::Vertical);
    }
    if (at(views::Place::Centre) && at(views::Place::Right)) {
        window_->splitDockWidget(at(views::Place::Centre), at(views::Place::Right), Qt::Horizontal);
    }
    for (QDockWidget* dock : first) {
        if (dock) dock->raise();
    }
    QList<QDockWidget*> columns;
    QList<int> widths;
    const std::pair<views::Place, int> shares[] = {
        {views::Place::Left, 300}, {views::Place::Centre, 640}, {views::Place::Right, 480}};
    for (const auto& [place, width] : shares) {
        if (!at(place)) continue;
        columns += at(place);
        widths += width;
    }
    window_->resizeDocks(columns, widths, Qt::Horizontal);
    if (at(views::Place::Centre) && at(views::Place::Bottom)) {
        window_->resizeDocks({at(views::Place::Centre), at(views::Place::Bottom)}, {500, 290}, Qt::Vertical);
    }
    if (at(views::Place::Left) && at(views::Place::LeftBelow)) {
        window_->resizeDocks({at(views::Place::Left), at(views::Place::LeftBelow)}, {470, 320}, Qt::Vertical);
    }
}

QDockWidget* Docks::dock(const QString& id) const {
    for (QDockWidget* dock : docks_) {
        if (dock->objectName() == id) return dock;
    }
    return nullptr;
}

views::View* Docks::view(const QString& id) const {
    const QDockWidget* found = dock(id);
    return found ? static_cast<views::View*>(found->widget()) : nullptr;
}

void Docks::show(const QString& id) {
    QDockWidget* found = dock(id);
    if (!found) return;
    found->show();
    found->raise();
    found->widget()->setFocus();
}

void Docks::hideAll() {
    if (hidden_) return;
    if (window_->isVisible()) state_ = window_->saveState(kLayoutVersion);
    hidden_ = true;
    for (QDockWidget* dock : docks_) dock->hide();
}

void Docks::showAll() {
    if (!hidden_) return;
    hidden_ = false;
    if (state_.isEmpty() || !window_->restoreState(state_, kLayoutVersion)) arrange();
}

void Docks::resetLayout() {
    hidden_ = false;
    arrange();
}

void Docks::save() const {
    const QByteArray state = hidden_ ? state_ : window_->saveState(kLayoutVersion);
    if (!state.isEmpty()) QSettings().setValue(QStringLiteral("window/docks"), state);
}

}  // namespace loupe::window
