// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/docks.h"

#include <QApplication>
#include <QContextMenuEvent>
#include <QLayout>
#include <QMenu>
#include <QMouseEvent>
#include <QScopeGuard>
#include <QSettings>
#include <QStyle>
#include <QTabBar>
#include <QTimer>
#include <QToolBar>
#include <cmath>
#include <utility>

#include "views/common/setting.h"
#include "views/registry.h"

namespace loupe::window {

namespace {

// Increased when a saved layout no longer fits the default one.
constexpr int kLayoutVersion = 1;
constexpr QSize kLeastPanel(160, 60);
constexpr QSize kLeastLeftPanel(230, 60);  // least usable size of forms and a tree

// Where panels stand by default in a window of that size: where there is no room for three columns, or for a row below
// them, fewer groups have more tabs.
views::Place placeIn(QSize window, views::Place place) {
    using views::Place;
    constexpr QSize kColumns(1000, 560), kRow(640, 380);
    if (window.width() >= kColumns.width() && window.height() >= kColumns.height()) return place;
    if (window.width() < kRow.width() || window.height() < kRow.height()) return Place::Centre;
    return place == Place::LeftBelow ? Place::Left : place == Place::Right ? Place::Centre : place;
}

// The setting that keeps the layout: each kind of window has its own.
QString layoutKey(QSize window) {
    const int groups = placeIn(window, views::Place::Right) == views::Place::Right     ? 0
                       : placeIn(window, views::Place::Bottom) == views::Place::Bottom ? 3
                                                                                       : 1;
    const QString key = QStringLiteral("window/docks");
    return groups == 0 ? key : key + QString::number(groups);
}

// Every press of a mouse button on a widget, also on those that take no focus by it.
class PressWatch : public QObject {
  public:
    PressWatch(QObject* parent, std::function<void(QWidget*, const QPoint&)> pressed)
        : QObject(parent), pressed_(std::move(pressed)) {
        qApp->installEventFilter(this);
    }

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override {
        if (event->type() == QEvent::MouseButtonPress) {
            if (auto* widget = qobject_cast<QWidget*>(watched))
                pressed_(widget, static_cast<QMouseEvent*>(event)->position().toPoint());
        }
        return false;
    }

  private:
    std::function<void(QWidget*, const QPoint&)> pressed_;
};

}  // namespace

class Docks::LayoutEdit : public QUndoCommand {
  public:
    LayoutEdit(Docks& docks, QByteArray before, QByteArray after)
        : QUndoCommand(Docks::tr("layout")), docks_(docks), before_(std::move(before)), after_(std::move(after)) {}
    void undo() override { docks_.restore(before_); }
    void redo() override {
        // The pushed command has been executed already.
        if (done_) docks_.restore(after_);
        done_ = true;
    }

  private:
    Docks& docks_;
    QByteArray before_;
    QByteArray after_;
    bool done_ = false;
};

Docks::Docks(QMainWindow* window, views::SessionBridge& bridge)
    : QObject(window), window_(window), undo_(bridge.undoStack()) {
    window->setDockNestingEnabled(true);
    window->setDockOptions(QMainWindow::AllowNestedDocks | QMainWindow::AllowTabbedDocks);
    setAnimated(views::settings::kMotion.isOn());
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
        // No content, however long, makes the window wider than the screen.
        const bool isLeft =
            entry.description.place == views::Place::Left || entry.description.place == views::Place::LeftBelow;
        view->setMinimumSize(isLeft ? kLeastLeftPanel : kLeastPanel);
        dock->setWidget(view);
        connect(dock, &QDockWidget::dockLocationChanged, this, &Docks::tidySoon);
        connect(dock, &QDockWidget::topLevelChanged, this, &Docks::tidySoon);
        connect(dock, &QDockWidget::visibilityChanged, this, [this, dock, view](bool is_visible) {
            tidySoon();
            // After it is placed.
            if (is_visible)
                QTimer::singleShot(0, view, [view] {
                    if (view->isInSight()) view->comeIntoSight();
                });
            if (dock->isHidden() != closed_.contains(dock)) noteChange();
        });
        connect(dock, &QDockWidget::dockLocationChanged, this, &Docks::noteChange);
        connect(dock, &QDockWidget::topLevelChanged, this, &Docks::noteChange);
        dock->installEventFilter(this);
        docks_.push_back(dock);
        described_.push_back(entry.description.place);
    }
    places_ = described_;
    window->installEventFilter(this);
    for (QTimer* timer : {&keeping_, &calm_}) timer->setSingleShot(true);
    connect(&keeping_, &QTimer::timeout, this, &Docks::keepShares);
    connect(&calm_, &QTimer::timeout, this, [this] {
        resizing_ = keeping_.isActive();
        calm_size_ = window_->size();
    });
    connect(qApp, &QApplication::focusChanged, this, [this](QWidget*, QWidget* now) {
        for (QWidget* widget = now; widget; widget = widget->parentWidget()) {
            if (auto* view = qobject_cast<views::View*>(widget)) {
                choose(view);
                return;
            }
        }
    });
    new PressWatch(this, [this](QWidget* widget, const QPoint& at) { chooseByClick(widget, at); });
}

void Docks::choose(views::View* view) {
    if (focused_ == view) return;
    focused_ = view;
    emit chosen();
}

void Docks::chooseByClick(QWidget* clicked, const QPoint& at) {
    if (hidden_) return;
    views::View* view = nullptr;
    for (QWidget* widget = clicked; widget && !view && !widget->isWindow(); widget = widget->parentWidget())
        view = qobject_cast<views::View*>(widget);
    const bool is_own_title = clicked->parentWidget() == window_;
    if (const QDockWidget* dock = view || !is_own_title ? nullptr : titleAt(clicked, at))
        view = static_cast<views::View*>(dock->widget());
    if (!view || !window_->isAncestorOf(view)) return;
    choose(view);
    // The keyboard follows once the click is over, where the click itself has not given it to the panel.
    QTimer::singleShot(0, view, [this, view] {
        const QWidget* now = QApplication::focusWidget();
        if (focused_ == view && view->isVisible() && !view->isAncestorOf(now) && !QApplication::activePopupWidget())
            view->setFocus(Qt::MouseFocusReason);
    });
}

bool Docks::eventFilter(QObject* watched, QEvent* event) {
    if (watched == window_ && event->type() == QEvent::MouseButtonPress) {
        is_dragging_ = window_->childAt(static_cast<QMouseEvent*>(event)->position().toPoint()) == nullptr;
    } else if (watched == window_ && event->type() == QEvent::MouseButtonRelease &&
               std::exchange(is_dragging_, false)) {
        if (!held_.empty()) holdSizes();  // those are the user's now
    }
    if (event->type() == QEvent::MouseButtonDblClick && !hidden_) {
        const auto* mouse = static_cast<QMouseEvent*>(event);
        QDockWidget* dock = mouse->button() == Qt::LeftButton ? titleAt(watched, mouse->position().toPoint()) : nullptr;
        if (dock && !dock->isFloating()) {
            // Once the click is over: the bar that it is in may go.
            QTimer::singleShot(0, dock, [this, dock] { toggleMaximised(dock->objectName()); });
            return true;
        }
    }
    if (event->type() == QEvent::ContextMenu && !hidden_) {
        const auto* menu = static_cast<QContextMenuEvent*>(event);
        if (QDockWidget* dock = titleAt(watched, menu->pos())) {
            showTitleMenu(dock, menu->globalPos());
            return true;
        }
    }
    if (event->type() != QEvent::Resize || hidden_) return QObject::eventFilter(watched, event);
    if (watched == window_) {
        holdShares();
    } else if (!resizing_ && window_->size() == calm_size_ && (held_.empty() || is_dragging_)) {
        noteShares();  // the user moved a border
    }
    return QObject::eventFilter(watched, event);
}

// Of tabbed docks the visible one: hidden ones keep an old size.
QDockWidget* Docks::inFront(QDockWidget* dock) const {
    if (!dock) return nullptr;
    auto all = window_->tabifiedDockWidgets(dock);
    all.prepend(dock);
    const auto seen = std::find_if(all.begin(), all.end(), [](const QDockWidget* each) {
        return !each->isFloating() && !each->visibleRegion().isEmpty();
    });
    return seen == all.end() ? nullptr : *seen;
}

void Docks::holdShares() {
    if (maximised_ || hidden_ || arranging_) return;  // sizes are not final
    resizing_ = true;
    keeping_.start(0);
}

void Docks::makeRoom(bool is_shown) {
    if (is_shown && held_.empty() && !maximised_ && !hidden_ && !arranging_) holdSizes();
    if (is_shown || held_.empty()) return holdShares();
    keeping_.stop();
    resizing_ = is_returning_ = true;
    QTimer::singleShot(0, this, &Docks::returnSizes);  // once the bar has gone
}

void Docks::holdSizes() {
    held_.clear();
    held_window_ = window_->size();
    for (QDockWidget* dock : docks_) {
        if (inFront(dock) == dock) held_.emplace_back(dock, dock->size() + QSize(0, tabHeight(dock)));
    }
}

// Qt lays out a group of tabs as a whole; the bar is above its panels.
int Docks::tabHeight(const QDockWidget* dock) const {
    const QPoint above = dock->geometry().topLeft() - QPoint(0, 1);
    for (const QTabBar* bar : window_->findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly)) {
        if (bar->isVisible() && bar->geometry().contains(above)) return bar->height();
    }
    return 0;
}

void Docks::returnSizes() {
    calm_.start(100);  // moves until then are the program's

    if (!is_returning_ || maximised_ || hidden_) return;  // see tidy()
    is_returning_ = false;
    const auto held = std::exchange(held_, {});
    window_->layout()->activate();
    if (held_window_ != window_->size()) return;
    QList<QDockWidget*> docks;
    QList<int> widths;
    QList<int> heights;
    for (const auto& [dock, size] : held) {
        // Another tab may be in front now.
        QDockWidget* shown = dock ? inFront(dock) : nullptr;
        if (!shown || docks.contains(shown)) continue;
        docks += shown;
        widths += size.width();
        heights += size.height();
    }
    window_->resizeDocks(docks, widths, Qt::Horizontal);
    window_->resizeDocks(docks, heights, Qt::Vertical);
}

void Docks::noteShares() {
    if (maximised_) return;
    const QDockWidget* left = inFront(first(views::Place::Left));
    const QDockWidget* right = inFront(first(views::Place::Right));
    const QDockWidget* bottom = inFront(first(views::Place::Bottom));
    calm_size_ = window_->size();
    left_share_ = left ? static_cast<double>(left->width()) / calm_size_.width() : 0;
    right_share_ = right ? static_cast<double>(right->width()) / calm_size_.width() : 0;
    bottom_share_ = bottom ? static_cast<double>(bottom->height()) / calm_size_.height() : 0;
}

// Only in the default arrangement; a user's arrangement is kept.
void Docks::keepShares() {
    calm_.start(100);  // moves until then are the program's
    if (hidden_ || maximised_) return;
    // A banner that has just wrapped its text takes its room now: Qt, asked for more than there is, gives nearly all of
    // it to the last one.
    window_->layout()->activate();
    QDockWidget* left = inFront(first(views::Place::Left));
    QDockWidget* centre = inFront(first(views::Place::Centre));
    QDockWidget* right = inFront(first(views::Place::Right));
    QDockWidget* bottom = inFront(first(views::Place::Bottom));
    const auto part = [](double share, int whole) { return static_cast<int>(std::lround(share * whole)); };
    const bool are_columns = left && centre && right && left_share_ > 0 && right_share_ > 0 &&
                             left->geometry().right() < centre->geometry().left() &&
                             centre->geometry().right() < right->geometry().left();
    const bool is_below =
        centre && bottom && bottom_share_ > 0 && centre->geometry().bottom() < bottom->geometry().top();
    if (are_columns) {
        const int left_now = std::max(left->minimumSizeHint().width(), part(left_share_, window_->width()));
        const int right_now = std::max(right->minimumSizeHint().width(), part(right_share_, window_->width()));
        const int borders = 2 * window_->style()->pixelMetric(QStyle::PM_DockWidgetSeparatorExtent, nullptr, window_);
        window_->resizeDocks(
            {left, centre, right},
            {left_now, std::max(kLeastPanel.width(), window_->width() - borders - left_now - right_now), right_now},
            Qt::Horizontal);
    }
    if (is_below) {
        const auto both = [&] { return centre->height() + bottom->height(); };
        const int below = part(bottom_share_, window_->height());
        const auto share = [&](int whole) {
            window_->resizeDocks({centre, bottom}, {std::max(kLeastPanel.height(), whole - below), below},
                                 Qt::Vertical);
            window_->layout()->activate();
        };
        const int whole = both();
        share(whole);
        if (both() < whole) share(both());
    }
}

QDockWidget* Docks::first(views::Place place) const {
    const auto found = std::find(places_.begin(), places_.end(), place);
    return found == places_.end() ? nullptr : docks_[static_cast<std::size_t>(found - places_.begin())];
}

// A layout that was saved before a panel existed lacks its position.
void Docks::placeNewcomers() {
    for (std::size_t i = 0; i < docks_.size(); ++i) {
        if (window_->dockWidgetArea(docks_[i]) != Qt::NoDockWidgetArea || docks_[i]->isFloating()) continue;
        QDockWidget* group = first(places_[i]);
        if (group == docks_[i] || window_->dockWidgetArea(group) == Qt::NoDockWidgetArea) {
            window_->addDockWidget(Qt::RightDockWidgetArea, docks_[i]);
        } else {
            window_->tabifyDockWidget(group, docks_[i]);
            group->raise();
        }
        docks_[i]->show();
    }
}

void Docks::arrange() {
    for (QDockWidget* dock : docks_) {
        window_->removeDockWidget(dock);
        dock->setFloating(false);
    }
    for (std::size_t i = 0; i < docks_.size(); ++i) places_[i] = placeIn(window_->size(), described_[i]);
    // First one dock per place, side by side; the others join it as tabs. A tabbed dock cannot be split any more.
    QDockWidget* left = first(views::Place::Left);
    QDockWidget* below = first(views::Place::LeftBelow);
    QDockWidget* centre = first(views::Place::Centre);
    QDockWidget* right = first(views::Place::Right);
    QDockWidget* bottom = first(views::Place::Bottom);
    if (left) window_->addDockWidget(Qt::LeftDockWidgetArea, left);
    if (below) window_->addDockWidget(Qt::LeftDockWidgetArea, below, Qt::Vertical);
    if (bottom) window_->addDockWidget(Qt::BottomDockWidgetArea, bottom);
    if (centre) window_->addDockWidget(Qt::RightDockWidgetArea, centre, Qt::Horizontal);
    if (right) window_->addDockWidget(Qt::RightDockWidgetArea, right, Qt::Horizontal);
    for (std::size_t i = 0; i < docks_.size(); ++i) {
        QDockWidget* group = first(places_[i]);
        if (docks_[i] != group) window_->tabifyDockWidget(group, docks_[i]);
        docks_[i]->show();
    }
    for (QDockWidget* dock : {left, below, centre, right, bottom}) {
        if (dock) dock->raise();
    }
    const auto graph = std::find(described_.begin(), described_.end(), views::Place::Centre);
    if (graph != described_.end()) docks_[static_cast<std::size_t>(graph - described_.begin())]->raise();
    resizeToDefault({{left, 300}, {centre, 640}, {right, 480}}, Qt::Horizontal);
    resizeToDefault({{centre, 500}, {bottom, 290}}, Qt::Vertical);
    resizeToDefault({{left, 440}, {below, 350}}, Qt::Vertical);
    tidySoon();
}

void Docks::resizeToDefault(std::initializer_list<std::pair<QDockWidget*, int>> sizes, Qt::Orientation orientation) {
    QList<QDockWidget*> docks;
    QList<int> lengths;
    for (const auto& [dock, length] : sizes) {
        if (!dock) continue;
        docks += dock;
        lengths += length;
    }
    window_->resizeDocks(docks, lengths, orientation);
}

void Docks::whenSettled(std::function<void()> work) {
    if (!tidying_ && !changing_) return work();
    waiting_.push_back(std::move(work));
}

void Docks::tidySoon() {
    if (tidying_) return;
    tidying_ = true;
    QMetaObject::invokeMethod(this, &Docks::tidy, Qt::QueuedConnection);
}

// The tab has the panel's title: no title bar. (A tab can be torn off as well.)
void Docks::tidy() {
    tidying_ = false;
    const auto told = qScopeGuard([this] {
        if (changing_) return;  // it is called again
        for (const auto& work : std::exchange(waiting_, {})) work();
    });
    for (QDockWidget* dock : docks_) {
        const bool tab = dock != maximised_ && !dock->isFloating() && !window_->tabifiedDockWidgets(dock).isEmpty();
        if (tab == (dock->titleBarWidget() != nullptr)) continue;
        QWidget* old = dock->titleBarWidget();
        dock->setTitleBarWidget(tab ? new QWidget(dock) : nullptr);
        delete old;
    }
    for (QTabBar* bar : window_->findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly)) {
        bar->installEventFilter(this);  // once, however often
        bar->setDrawBase(false);
        bar->setExpanding(false);
        bar->setElideMode(Qt::ElideNone);
        for (int tab = 0; tab < bar->count(); ++tab) {
            for (const QDockWidget* dock : docks_) {
                if (dock->windowTitle() == bar->tabText(tab))
                    bar->setTabToolTip(tab, dock->widget()->accessibleDescription());
            }
        }
    }
    if (changing_ || hidden_) return;
    arranging_ = false;
    if (maximised_) {
        if (maximised_->isHidden()) unmaximise();  // it was closed
        return;
    }
    settled_ = window_->saveState(kLayoutVersion);
    if (is_returning_) returnSizes();
    if (!resizing_ && held_.empty()) noteShares();
    closed_.clear();
    for (QDockWidget* dock : docks_) {
        if (dock->isHidden()) closed_ += dock;
    }
}

void Docks::noteChange() {
    if (maximised_ || arranging_ || hidden_ || changing_ || settled_.isEmpty()) return;
    changing_ = true;
    // After the layout has been applied.
    QTimer::singleShot(0, this, &Docks::pushChange);
}

void Docks::pushChange() {
    changing_ = false;
    const QByteArray now = window_->saveState(kLayoutVersion);
    emit changed();
    if (!hidden_ && now != settled_) undo_->push(new LayoutEdit(*this, settled_, now));
    tidySoon();
}

void Docks::restore(const QByteArray& state) {
    maximised_ = nullptr;
    arranging_ = true;
    held_.clear();
    restoreState(state);
    tidySoon();
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
    if (!found || hidden_) return;
    if (maximised_ && maximised_ != found) unmaximise();
    found->show();
    found->raise();
    found->widget()->setFocus();
}

void Docks::hideAll() {
    if (hidden_) return;
    if (maximised_) unmaximise();
    if (window_->isVisible()) state_ = window_->saveState(kLayoutVersion);
    hidden_ = true;
    settled_.clear();
    for (QDockWidget* dock : docks_) {
        dock->hide();
        dock->toggleViewAction()->setEnabled(false);
    }
}

// Qt shows the bars of all tabs one after another. Showing one may lay out the window anew, which makes a new set of
// bars while Qt goes through the old one: until it is done the layout rests.
bool Docks::restoreState(const QByteArray& state) {
    QLayout* const layout = window_->layout();
    layout->setEnabled(false);
    // A message that is shown now is no part of a layout.
    auto* messages = window_->findChild<QToolBar*>(QStringLiteral("bannerBar"));
    const bool isSaid = messages != nullptr && !messages->isHidden();
    const bool isRestored = window_->restoreState(state, kLayoutVersion);
    if (isSaid) messages->show();
    layout->setEnabled(true);
    return isRestored;
}

void Docks::showAll() {
    if (!hidden_) return;
    takePlace();
    arranging_ = true;
    window_->layout()->activate();  // sizes of panels are shares of the room that there is
    if (state_.isEmpty()) state_ = QSettings().value(layoutKey(window_->size())).toByteArray();
    if (state_.isEmpty() || !restoreState(state_))
        arrange();
    else
        placeNewcomers();
    tidySoon();
}

// There is something to show: they may be shown one by one too.
void Docks::takePlace() {
    hidden_ = false;
    for (QDockWidget* dock : docks_) dock->toggleViewAction()->setEnabled(true);
}

void Docks::setAnimated(bool on) {
    QMainWindow::DockOptions options = window_->dockOptions();
    options.setFlag(QMainWindow::AnimatedDocks, on);
    window_->setDockOptions(options);
}

void Docks::resetLayout() {
    takePlace();
    maximised_ = nullptr;
    arranging_ = true;
    held_.clear();
    const QByteArray before = settled_;
    arrange();
    if (!before.isEmpty()) undo_->push(new LayoutEdit(*this, before, window_->saveState(kLayoutVersion)));
}

QByteArray Docks::layoutState() const {
    return hidden_ ? state_ : maximised_ ? before_maximised_ : window_->saveState(kLayoutVersion);
}

bool Docks::takeLayout(const QByteArray& state) {
    if (state.isEmpty()) return false;
    if (hidden_) {
        state_ = state;
        return true;
    }
    maximised_ = nullptr;
    arranging_ = true;
    held_.clear();
    window_->layout()->activate();
    const QByteArray before = window_->saveState(kLayoutVersion);
    const bool isTaken = restoreState(state);
    if (!isTaken) restoreState(before);
    placeNewcomers();
    tidySoon();
    return isTaken;
}

// --- one maximised panel

void Docks::toggleMaximised(const QString& id) {
    if (hidden_) return;
    if (maximised_) return unmaximise();
    QDockWidget* wanted = dock(id);
    for (QWidget* widget = id.isEmpty() ? focused_.data() : nullptr; widget && !wanted; widget = widget->parentWidget())
        wanted = qobject_cast<QDockWidget*>(widget);
    if (!wanted) wanted = inFront(first(views::Place::Centre));
    if (wanted && !wanted->isFloating()) maximise(wanted);
}

void Docks::maximise(QDockWidget* dock) {
    before_maximised_ = window_->saveState(kLayoutVersion);
    arranging_ = true;
    maximised_ = dock;
    for (QDockWidget* other : docks_) {
        if (other != dock && !other->isFloating()) other->hide();
    }
    dock->show();
    dock->widget()->setFocus();
    tidySoon();
    emit changed();
}

void Docks::unmaximise() {
    QDockWidget* dock = maximised_;
    const auto held = held_;
    restore(before_maximised_);
    held_ = held;  // by a bar that was there before
    if (dock) {
        dock->show();
        dock->raise();
    }
    emit changed();
}

QDockWidget* Docks::titleAt(QObject* watched, const QPoint& at) const {
    if (auto* dock = qobject_cast<QDockWidget*>(watched)) {
        const bool isTitle =
            dock->widget() && !dock->widget()->geometry().contains(at) && at.y() < dock->widget()->geometry().top();
        return isTitle ? dock : nullptr;
    }
    const auto* bar = qobject_cast<QTabBar*>(watched);
    const int tab = bar ? bar->tabAt(at) : -1;
    if (tab < 0) return nullptr;
    const auto found = std::find_if(docks_.begin(), docks_.end(),
                                    [&](const QDockWidget* dock) { return dock->windowTitle() == bar->tabText(tab); });
    return found == docks_.end() ? nullptr : *found;
}

void Docks::showTitleMenu(QDockWidget* dock, const QPoint& at) {
    auto* menu = new QMenu(window_);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->setObjectName(QStringLiteral("titleMenu"));
    menu->setToolTipsVisible(true);
    if (!dock->isFloating()) {
        QAction* maximise = menu->addAction(maximised_ ? tr("Show all panels again") : tr("Maximise"), dock,
                                            [this, dock] { toggleMaximised(dock->objectName()); });
        maximise->setToolTip(tr("The same as a double click on the title, or Ctrl+F11"));
    }
    menu->addAction(dock->isFloating() ? tr("Dock") : tr("Float"), dock, [this, dock] {
        if (maximised_) unmaximise();
        dock->setFloating(!dock->isFloating());
    });
    menu->addAction(tr("Close"), dock, &QDockWidget::close);
    menu->addAction(tr("Help"), dock, [this, dock] { emit helpWanted(dock->objectName()); });
    menu->addSeparator();
    static_cast<views::View*>(dock->widget())->addActions(*menu);
    menu->popup(at);
}

void Docks::save() const {
    const QByteArray state = layoutState();
    if (!state.isEmpty()) QSettings().setValue(layoutKey(window_->size()), state);
}

}  // namespace loupe::window
