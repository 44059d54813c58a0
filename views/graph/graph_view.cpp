// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/graph/graph_view.h"

#include <QActionGroup>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QFileDialog>
#include <QJsonArray>
#include <QMenu>
#include <QSettings>
#include <QVBoxLayout>
#include <cmath>

#include "core/session/queries/graph_sizes.h"
#include "views/common/comparison.h"
#include "views/common/failures.h"
#include "views/common/format.h"
#include "views/common/panel_bar.h"
#include "views/common/setting.h"
#include "views/common/theme.h"
#include "views/graph/graph_export.h"

namespace loupe::views {
namespace {

constexpr int kBoxesAtFirst = 46;
constexpr int kMostOpened = 120'000;  // "open all" stops here: laying out more takes long

}  // namespace

ViewDescription GraphView::describe() {
    return {QStringLiteral("graph"), tr("Graph"),
            tr("The model as boxes of modules and operators, values flowing from top to bottom. Double click opens and "
               "closes a group; the wheel zooms; Up and Down follow a value to its maker and its users."),
            QStringLiteral("graph"), Place::Centre};
}

GraphView::GraphView(SessionBridge& bridge, QWidget* parent) : View(bridge, parent) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    canvas_ = new GraphCanvas(this);
    canvas_->setMetrics(&metrics_);
    state_ = new QLabel(canvas_);
    state_->setProperty("faint", true);
    state_->setAttribute(Qt::WA_TransparentForMouseEvents);
    buildToolBar(layout);
    pages_ = new QStackedWidget(this);
    pages_->addWidget(canvas_);
    makeMap();
    layout->addWidget(pages_, 1);
    setFocusProxy(canvas_);
    pool_.setMaxThreadCount(1);
    slow_.setSingleShot(true);
    slow_.setInterval(300);
    connect(&slow_, &QTimer::timeout, this, [this] { tell(tr("laying out\u2026")); });

    connect(canvas_, &GraphCanvas::nodeClicked, this, &GraphView::click);
    connect(canvas_, &GraphCanvas::toggleRequested, this, [this](int node) { setOpen(node, !open_.contains(node)); });
    connect(canvas_, &GraphCanvas::menuRequested, this, &GraphView::showMenu);
    connect(canvas_, &GraphCanvas::stepRequested, this, &GraphView::followLinks);
    connect(canvas_, &GraphCanvas::pathRequested, this, [this](int node) { showWays(canvas_->current(), node); });
    connect(canvas_, &GraphCanvas::openWanted, this, [this](int group) { openByZoom(group, true); });
    connect(canvas_, &GraphCanvas::closeWanted, this, [this](int group) { openByZoom(group, false); });
    connect(&bridge, &SessionBridge::modelChanged, this, &GraphView::takeModel);
    connect(&bridge, &SessionBridge::recordingChanged, this, &GraphView::takeRecording);
    connect(&bridge, &SessionBridge::inputsChanged, this, &GraphView::askForSizes);
    connect(&bridge, &SessionBridge::eventsGrown, this, [this] {
        if (metrics_.update(this->bridge().eventCount())) takeMetrics();
    });
    connect(&bridge, &SessionBridge::timesChanged, this, [this] {
        if (!this->bridge().isTiming()) takeRecording();
    });
    auto& comparison = Comparison::of(bridge);
    connect(&comparison, &Comparison::differencesChanged, this, &GraphView::takeDifferences);
    connect(&comparison, &Comparison::referencesChanged, this, &GraphView::colourByDifference);
    connect(&bridge, &SessionBridge::currentChanged, this, &GraphView::takeCurrent);
    connect(&bridge, &SessionBridge::statusChanged, this, &GraphView::takeReached);
    connect(&bridge, &SessionBridge::breakpointsChanged, this, &GraphView::takeBreakpoints);
    takeModel();
}

GraphView::~GraphView() {
    if (cancelled_) *cancelled_ = true;
    pool_.waitForDone();
}

void GraphView::buildToolBar(QVBoxLayout* layout) {
    auto* bar = new PanelBar(this, {4, 3, 4, 3}, 3);
    layout->addLayout(bar);
    colour_choice_ = bar->choice(tr("Colouring of the graph"), tr("What the colours of the boxes say"));
    colour_choice_->setObjectName(QStringLiteral("graphColour"));
    // The names are for tours.
    colour_choice_->addItem(tr("Colour: kind"), QStringLiteral("kind"));
    colour_choice_->addItem(tr("Colour: time"), QStringLiteral("time"));
    colour_choice_->addItem(tr("Colour: memory"), QStringLiteral("memory"));
    colour_choice_->addItem(tr("Colour: activation"), QStringLiteral("activation"));
    colour_choice_->addItem(tr("Colour: gradient"), QStringLiteral("gradient"));
    colour_choice_->addItem(tr("Colour: difference"), QStringLiteral("difference"));
    colour_choice_->setProperty("kept", true);
    connect(colour_choice_, &QComboBox::currentIndexChanged, this, [this](int index) {
        canvas_->setColouring(static_cast<GraphColouring>(index));
        map_->take();
    });
    makeButtons(*bar);
    makeOptions();
    search_ = bar->search(tr("Find (Ctrl+F)"), tr("Find in the graph"));
    search_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    search_->setMinimumWidth(110);
    search_->setMaximumWidth(260);
    connect(search_, &QLineEdit::textChanged, this, &GraphView::search);
    connect(search_, &QLineEdit::returnPressed, this, &GraphView::showNextMatch);
}

void GraphView::makeButtons(PanelBar& bar) {
    const auto add = [&](const QString& text, const QString& name, const QString& tip) {
        QToolButton* button = bar.button(text, tip);
        button->setAccessibleName(name);
        button->setFocusPolicy(Qt::TabFocus);
        return button;
    };
    const auto adds = [&](const QString& text, const QString& name, const QString& tip, auto work) {
        connect(add(text, name, tip), &QToolButton::clicked, this, work);
    };
    adds(tr("Fit"), tr("Fit the graph"), tr("Show all of the graph (Space)"), [this] { fit(); });
    adds(QStringLiteral("+"), tr("Zoom in"), tr("Zoom in (Ctrl++)"), [this] { zoomBy(1.25); });
    adds(QStringLiteral("\u2212"), tr("Zoom out"), tr("Zoom out (Ctrl+-)"), [this] { zoomBy(0.8); });
    adds(tr("Open all"), tr("Open all groups"), tr("Open every group"), [this] { openAll(); });
    adds(tr("Close all"), tr("Close all groups"), tr("Close every group"), [this] { closeAll(); });
    map_button_ = add(tr("Map"), tr("Map of the modules"),
                      tr("Modules as tiles, whose areas are shares of time, memory or operators (right click)"));
    map_button_->setCheckable(true);
    map_button_->setProperty("kept", true);
    connect(map_button_, &QToolButton::toggled, this, &GraphView::setMapShown);
    follow_ = add(tr("Follow"), tr("Follow the current event"), tr("Scroll to the node of the current event"));
    follow_->setCheckable(true);
    follow_->setChecked(true);
    follow_->setProperty("kept", true);
    plumbing_ = add(tr("Plumbing"), tr("Show plumbing"),
                    tr("Show constants, lists, sizes and other nodes that make no tensor"));
    plumbing_->setCheckable(true);
    plumbing_->setProperty("kept", true);
    connect(plumbing_, &QToolButton::toggled, this, [this] {
        rebuildIndex();
        requestLayout(-1);
    });
    ghosts_ = add(tr("Only there"), tr("Show what only the reference has"),
                  tr("Also draw what only the reference has, dotted, where it would stand"));
    ghosts_->setObjectName(QStringLiteral("graphGhosts"));
    ghosts_->setCheckable(true);
    ghosts_->setChecked(true);
    ghosts_->setProperty("kept", true);
    ghosts_->hide();  // without a reference
    connect(ghosts_, &QToolButton::toggled, this, &GraphView::takeGhosts);
}

QAction* GraphView::addOption(const Setting& setting) {
    auto* option = new QAction(setting.shownTitle(), this);
    option->setCheckable(true);
    option->setToolTip(setting.shownAbout());
    option->setChecked(setting.isOn());
    connect(option, &QAction::toggled, this, [&setting](bool on) { setting.set(on); });
    connect(&SettingNotices::instance(), &SettingNotices::changed, option, [option, &setting](const Setting* changed) {
        if (changed == &setting) option->setChecked(setting.isOn());
    });
    return option;
}

// Those of the context menu.
void GraphView::makeOptions() {
    minimap_ = addOption(settings::kMinimap);
    canvas_->setMinimapShown(minimap_->isChecked());
    connect(minimap_, &QAction::toggled, canvas_, &GraphCanvas::setMinimapShown);
    repeats_ = addOption(settings::kFoldRepeats);
    across_ = addOption(settings::kAcross);
    for (QAction* option : {repeats_, across_}) {
        connect(option, &QAction::toggled, this, [this] {
            rebuildIndex();
            requestLayout(-1);
        });
    }
    zoom_opens_ = addOption(settings::kZoomOpens);
    canvas_->setZoomOpens(zoom_opens_->isChecked());
    connect(zoom_opens_, &QAction::toggled, canvas_, &GraphCanvas::setZoomOpens);
}

void GraphView::makeMap() {
    map_ = new ModuleMapCanvas(
        canvas_->colours(), [this](int node) { return canvas_->tipOf(node); }, this);
    pages_->addWidget(map_);
    map_sizes_ = new QMenu(tr("Areas of tiles"), this);
    auto* choice = new QActionGroup(this);
    const QString key = QStringLiteral("graph/mapSize");
    const auto add = [&](const QString& text, ModuleMapCanvas::Size size) {
        QAction* action = map_sizes_->addAction(text);
        action->setCheckable(true);
        choice->addAction(action);
        const int number = static_cast<int>(size);
        action->setChecked(QSettings().value(key, static_cast<int>(map_->size())).toInt() == number);
        if (action->isChecked()) map_->setSize(size);
        connect(action, &QAction::triggered, this, [this, key, size, number] {
            QSettings().setValue(key, number);
            map_->setSize(size);
        });
    };
    add(tr("Operators"), ModuleMapCanvas::Size::Operators);
    add(tr("Time"), ModuleMapCanvas::Size::Time);
    add(tr("Memory made in forward"), ModuleMapCanvas::Size::Memory);
    connect(map_, &ModuleMapCanvas::nodeClicked, this, &GraphView::click);
    connect(map_, &ModuleMapCanvas::menuRequested, this, &GraphView::showMenu);
}

void GraphView::setMapShown(bool shown) {
    map_button_->setChecked(shown);
    pages_->setCurrentWidget(shown ? static_cast<QWidget*>(map_) : canvas_);
    setFocusProxy(pages_->currentWidget());
    state_->setVisible(!shown);
    // What was chosen on one page is in sight on the other.
    if (!shown && canvas_->current() >= 0) canvas_->reveal(canvas_->current());
}

void GraphView::setFlow(GraphFlow flow) { across_->setChecked(flow == GraphFlow::Right); }

void GraphView::fit() { isMapShown() ? map_->fit() : canvas_->fit(); }

void GraphView::zoomBy(double factor) {
    const QPointF centre = QRectF(pages_->rect()).center();
    isMapShown() ? map_->zoomAt(centre, factor) : canvas_->zoomAt(centre, factor);
}

void GraphView::takeMetrics() {
    canvas_->takeMetrics();
    map_->take();
}

// --- from the session

void GraphView::takeModel() {
    open_.clear();
    zoom_opened_.clear();
    canvas_->setPath({});
    outlook_after_.reset();
    matches_.clear();
    search_->clear();
    rebuildIndex();
    if (!index_) {
        if (cancelled_) *cancelled_ = true;
        ++layout_number_;
        busy_ = false;
        map_->setIndex(nullptr);
        canvas_->clear(bridge().model() ? tr("This model has no graph.") : tr("No model is open."));
        state_->clear();
        return;
    }
    open_ = index_->defaultOpen(kBoxesAtFirst);
    takeBreakpoints();
    requestLayout(-1);
}

void GraphView::rebuildIndex() {
    const auto& model = bridge().model();
    index_.reset();
    layouter_.reset();
    if (model && model->graph && !model->graph->nodes.empty()) {
        const auto index = std::make_shared<GraphIndex>(ghostedGraph(), plumbing_->isChecked());
        if (repeats_->isChecked()) index->foldRepeats();
        index_ = index;
        layouter_ = std::make_shared<GraphLayouter>(index_, across_->isChecked() ? GraphFlow::Right : GraphFlow::Down);
    }
    takeRecording();
    metrics_.setSizes({});
    askForSizes();
}

// What lines carry before a run. A larger graph is not run for it: the first run of the user's would wait.
void GraphView::askForSizes() {
    constexpr std::size_t kMostNodes = 20'000;
    if (!index_ || bridge().isPaused() || index_->model().nodes.size() > kMostNodes) return;
    bridge().ask(QStringLiteral("graph sizes"), session::GraphSizesQuery{bridge().runOptions().method}, this,
                 [this, asked = index_](const session::GraphSizes& sizes) {
                     if (asked != index_) return;
                     metrics_.setSizes(sizes);
                     takeMetrics();
                 });
}

void GraphView::takeRecording() {
    metrics_.reset(index_.get(), bridge().recording().get());
    tokens_of_ = nullptr;
    metrics_.update(bridge().eventCount());
    metrics_.setDifferences(Comparison::of(bridge()).differences().get());
    takeMetrics();
    takeReached();
}

void GraphView::takeDifferences() {
    takeGhosts();
    metrics_.setDifferences(Comparison::of(bridge()).differences().get());
    takeMetrics();
}

// While a reference is pinned; the colouring that was chosen before comes back.
void GraphView::colourByDifference() {
    const bool is_on = Comparison::of(bridge()).isOn();
    const int difference = static_cast<int>(GraphColouring::Difference);
    ghosts_->setVisible(is_on);
    if (is_on == colours_difference_) return;
    colours_difference_ = is_on;
    if (is_on) {
        colouring_before_ = colour_choice_->currentIndex();
        colour_choice_->setCurrentIndex(difference);
    } else if (colour_choice_->currentIndex() == difference) {
        colour_choice_->setCurrentIndex(colouring_before_);
    }
}

// Lines of a run on tokens say which of their sizes count tokens.
void GraphView::askForTokens() {
    const auto& recording = bridge().recording();
    if (!recording || bridge().isBusy() || !recording->is_complete() || tokens_of_ == recording) return;
    tokens_of_ = recording;
    bridge().ask(QStringLiteral("graph tokens"), session::TokenAxesQuery{}, this,
                 [this, asked = recording](const session::TokenAxesAnswer& axes) {
                     if (asked != bridge().recording() || axes.axes.empty()) return;
                     metrics_.setTokenAxes(axes);
                     takeMetrics();
                 });
}

void GraphView::takeReached() {
    canvas_->setReached(bridge().parkedNode());
    askForTokens();
}

void GraphView::takeCurrent() {
    const int node = bridge().currentNode();
    canvas_->setCurrent(node);
    map_->setCurrent(node);
    if (node >= 0 && follow_->isChecked()) {
        if (busy_)
            reveal_after_ = node;
        else
            canvas_->keepInSight(node);
    }
}

void GraphView::takeBreakpoints() {
    std::set<int> nodes;
    const auto& model = bridge().model();
    for (const session::Breakpoint& each : bridge().breakpoints()) {
        if (!each.enabled) continue;
        if (each.kind == session::Breakpoint::Kind::Node) nodes.insert(each.graph_node);
        if (each.kind != session::Breakpoint::Kind::Module || !model || !model->graph) continue;
        for (const session::GraphNode& node : model->graph->nodes) {
            if (node.is_group && node.scope == each.text) {
                nodes.insert(node.id);
                break;
            }
        }
    }
    canvas_->setBreakpoints(std::move(nodes));
}

// --- layout

void GraphView::requestLayout(int keep) {
    if (!index_) return;
    if (cancelled_) *cancelled_ = true;
    auto cancelled = std::make_shared<std::atomic<bool>>(false);
    cancelled_ = cancelled;
    const std::uint64_t number = ++layout_number_;
    busy_ = true;
    slow_.start();
    // The layouter is used by one task at a time: the pool has one thread.
    pool_.start([this, layouter = layouter_, open = open_, cancelled, number, keep] {
        std::optional<Scene> scene;
        guarded(tr("Graph: layout"), [&] { scene = layouter->layout(open, *cancelled); });
        QMetaObject::invokeMethod(
            this,
            [this, number, keep, scene = std::move(scene)]() mutable { finishLayout(number, std::move(scene), keep); },
            Qt::QueuedConnection);
    });
}

void GraphView::finishLayout(std::uint64_t number, std::optional<Scene> scene, int keep) {
    if (number != layout_number_) return;
    busy_ = false;
    slow_.stop();
    if (!scene) return;
    canvas_->setScene(index_, std::move(*scene), keep);
    canvas_->setZoomOpened(zoom_opened_);
    map_->setIndex(index_);
    if (std::exchange(search_after_, false)) search(search_->text());
    tellCounts();
    if (const int group = std::exchange(settle_after_, -1); group >= 0)
        open_.contains(group) ? canvas_->settleInto(group) : canvas_->settleOutOf(group);
    const int node = std::exchange(reveal_after_, -1);
    if (const auto outlook = std::exchange(outlook_after_, std::nullopt))
        canvas_->setOutlook(*outlook);
    else if (node >= 0)
        canvas_->reveal(node);
}

// --- kept

QJsonObject GraphView::keptState() const {
    QJsonObject state = View::keptState();
    if (!index_) return state;
    QJsonArray open;
    for (const int group : open_) open.append(group);
    state[QStringLiteral("open")] = open;
    if (const auto outlook = canvas_->outlook())
        state[QStringLiteral("outlook")] = QJsonArray{outlook->zoom, outlook->centre.x(), outlook->centre.y()};
    return state;
}

void GraphView::takeState(const QJsonObject& state) {
    View::takeState(state);
    if (!index_ || !state.contains(QStringLiteral("open"))) return;
    open_.clear();
    const int nodes = static_cast<int>(index_->model().nodes.size());
    for (const auto& each : state[QStringLiteral("open")].toArray()) {
        const int group = each.toInt(-1);
        if (group >= 0 && group < nodes && index_->isGroup(group)) open_.insert(group);
    }
    const QJsonArray outlook = state[QStringLiteral("outlook")].toArray();
    if (outlook.size() == 3) {
        constexpr double kFar = 1e9;
        const double x = outlook[1].toDouble();
        const double y = outlook[2].toDouble();
        if (std::abs(x) < kFar && std::abs(y) < kFar) outlook_after_ = {outlook[0].toDouble(1), {x, y}};
    }
    requestLayout(-1);
}

// The number of shown nodes; during a search, of matches.
void GraphView::tellCounts() {
    if (!index_) return tell({});
    if (!search_->text().trimmed().isEmpty())
        return tell(tr("%1 found").arg(countText(static_cast<std::int64_t>(matches_.size()))));
    std::int64_t shown = 0;
    for (const SceneBox& box : canvas_->scene().boxes) shown += box.node >= 0 && !box.is_open;
    std::int64_t all = 0;
    for (const int child : index_->level(-1).children) all += index_->operatorCount(child);
    tell(shown == all ? counted(all, "operator")
                      : tr("%1, %2").arg(counted(shown, "box", "boxes"), counted(all, "operator")));
}

// In the corner of the canvas, where it takes no room from the tools.
void GraphView::tell(const QString& words) {
    state_->setText(words);
    state_->adjustSize();
    state_->move(canvas_->width() - state_->width() - 10, 6);
}

void GraphView::resizeEvent(QResizeEvent* event) {
    View::resizeEvent(event);
    layout()->activate();
    pages_->layout()->activate();  // the canvas has its width
    tell(state_->text());
}

void GraphView::setOpen(int group, bool open) {
    if (!index_ || !index_->has(group) || !index_->isGroup(group) || open == open_.contains(group)) return;
    if (open)
        open_.insert(group);
    else
        open_.erase(group);
    zoom_opened_.erase(group);
    requestLayout(group);
}

void GraphView::openByZoom(int group, bool open) {
    if (busy_ || open == open_.contains(group)) return;
    setOpen(group, open);
    if (open) zoom_opened_.insert(group);
    settle_after_ = group;
}

void GraphView::showWays(int from, int to) {
    if (!index_ || !index_->has(from) || !index_->has(to)) return;
    std::set<int> ways = index_->waysBetween(from, to);
    if (ways.empty()) return tell(tr("no value goes from one to the other"));
    tell(tr("%1 on the ways between them; Esc shows all")
             .arg(counted(static_cast<std::int64_t>(ways.size()), "operator")));
    canvas_->setPath(std::move(ways));
}

void GraphView::addPathActions(QMenu& menu, int node) {
    const int from = canvas_->current();  // a right click makes the node the current one
    QMenu* list = menu.addMenu(tr("Highlight"));
    list->addAction(tr("What it depends on"), this, [this, node] { canvas_->setPath(index_->reached(node, false)); });
    list->addAction(tr("What depends on it"), this, [this, node] { canvas_->setPath(index_->reached(node, true)); });
    QAction* ways = list->addAction(tr("Ways from the current one\tShift+Click"), this,
                                    [this, from, node] { showWays(from, node); });
    ways->setEnabled(from >= 0 && from != node);
    QAction* all = list->addAction(tr("Everything\tEsc"), this, [this] { canvas_->setPath({}); });
    all->setEnabled(!canvas_->path().empty());
}

void GraphView::openAll() {
    if (!index_) return;
    std::vector<int> wait{index_->level(-1).children};
    int boxes = 0;
    for (std::size_t i = 0; i < wait.size() && boxes < kMostOpened; ++i) {
        if (!index_->isGroup(wait[i])) continue;
        const auto& inside = index_->level(wait[i]).children;
        boxes += static_cast<int>(inside.size());
        open_.insert(wait[i]);
        wait.insert(wait.end(), inside.begin(), inside.end());
    }
    requestLayout(bridge().currentNode());
}

void GraphView::closeAll() {
    open_.clear();
    requestLayout(-1);
}

void GraphView::openPathTo(int node) {
    bool changed = false;
    for (int group : index_->ancestors(node)) changed = open_.insert(group).second || changed;
    if (!changed) return;
    reveal_after_ = node;
    requestLayout(node);
}

void GraphView::setFoldRepeats(bool fold) { repeats_->setChecked(fold); }

void GraphView::setColouring(GraphColouring colouring) { colour_choice_->setCurrentIndex(static_cast<int>(colouring)); }

// --- user actions

void GraphView::click(int node) {
    if (!index_ || !index_->has(node)) return;  // a ghost that is not drawn any longer
    if (const Ghost* ghost = index_->ghost(node)) {
        canvas_->setCurrent(node);
        map_->setCurrent(node);
        if (ghost->event != 0) Comparison::of(bridge()).showReferenceEvent(ghost->event);
        return;
    }
    const session::GraphNode& clicked = index_->node(node);
    if (clicked.is_group && !clicked.kind.starts_with("prim::")) bridge().setCurrentModule(text(clicked.scope));
    bridge().setCurrentNode(node);
    canvas_->setCurrent(node);
    map_->setCurrent(node);
}

bool GraphView::toggleBreakpoint() {
    const int node = canvas_->current();
    if (!index_ || !index_->has(node) || index_->ghost(node) != nullptr) return false;
    const session::GraphNode& chosen = index_->node(node);
    if (!chosen.is_group) {
        bridge().toggleNodeBreakpoint(node);
        return true;
    }
    for (const session::Breakpoint& each : bridge().breakpoints()) {
        if (each.kind == session::Breakpoint::Kind::Module && each.text == chosen.scope) {
            bridge().removeBreakpoint(each.id);
            return true;
        }
    }
    session::Breakpoint breakpoint;
    breakpoint.kind = session::Breakpoint::Kind::Module;
    breakpoint.text = chosen.scope;
    bridge().addBreakpoint(breakpoint);
    return true;
}

void GraphView::followLinks(int direction) {
    if (!index_ || !index_->has(canvas_->current())) return;
    const int node = canvas_->current();
    const auto links = direction < 0 ? index_->linksInto(node) : index_->linksFrom(node);
    for (const GraphLink& link : links) {
        const int next = direction < 0 ? link.from.node : link.to;
        if (next < 0) continue;
        const SceneBox* box = canvas_->boxFor(next);
        click(box && !box->is_open ? box->node : next);
        canvas_->reveal(next);
        return;
    }
}

void GraphView::showMenu(int node, const QPoint& at) {
    QMenu menu(this);
    if (index_ && index_->has(node)) {
        addPathActions(menu, node);
        if (index_->ghost(node) != nullptr) return showGhostMenu(node, at);
        click(node);
        const session::GraphNode& chosen = index_->node(node);
        const int op = index_->operatorOf(node);
        if (index_->isGroup(node)) {
            const bool is_open = open_.contains(node);
            menu.addAction(is_open ? tr("Close group\t-") : tr("Open group\t+"), this,
                           [this, node, is_open] { setOpen(node, !is_open); });
        }
        menu.addAction(tr("Toggle breakpoint\tF9"), this, [this] { toggleBreakpoint(); });
        const NodeMetric& metric = metrics_.of(node);
        if (metric.not_finite != session::NotFinite::None) {
            menu.addAction(tr("Go to the origin of this NaN or Inf\tShift+F6"), this,
                           [this, event = metric.not_finite_event] {
                               bridge().setCurrentEvent(event);
                               bridge().goToOrigin();
                           });
        }
        QAction* run_to = menu.addAction(tr("Run to here\tCtrl+F10"), this, [this, op] { bridge().runToNode(op); });
        run_to->setEnabled(op >= 0 && index_->ghost(op) == nullptr);
        const auto add_links = [&](const QString& title, const std::vector<GraphLink>& links, bool producers) {
            QMenu* list = menu.addMenu(title);
            list->setEnabled(!links.empty());
            std::set<int> done;
            for (const GraphLink& link : links) {
                const int other = producers ? link.from.node : link.to;
                if (other < 0 || !done.insert(other).second || done.size() > 30) continue;
                const session::GraphNode& end = index_->node(other);
                const QString shape = metrics_.portText(link.from);
                list->addAction(QStringLiteral("%1  %2  %3").arg(text(end.label), text(end.scope), shape), this,
                                [this, other] {
                                    openPathTo(other);
                                    click(other);
                                });
            }
        };
        add_links(tr("Producers"), index_->linksInto(node), true);
        add_links(tr("Consumers"), index_->linksFrom(node), false);
        if (QByteArray(chosen.kind.c_str()).contains("Group")) {
            menu.addAction(tr("Show its kernel"), this, [this, node] {
                bridge().setCurrentNode(node);
                bridge().showPanel(QStringLiteral("kernels"));
            });
        }
        menu.addAction(tr("Copy name"), this, [chosen] {
            QGuiApplication::clipboard()->setText(text(chosen.scope.empty() ? chosen.kind : chosen.scope));
        });
        menu.addSeparator();
    }
    addActions(menu);
    menu.exec(at);
}

void GraphView::addActions(QMenu& menu) {
    menu.addAction(tr("Fit graph\tSpace"), this, [this] { fit(); });
    menu.addAction(tr("Open all groups"), this, [this] { openAll(); });
    menu.addAction(tr("Close all groups"), this, [this] { closeAll(); });
    menu.addAction(tr("Go to node of current event"), this, [this] {
        if (bridge().currentNode() >= 0 && index_) openPathTo(bridge().currentNode());
        canvas_->reveal(bridge().currentNode());
    });
    menu.addSeparator();
    for (QAction* option : {repeats_, across_, zoom_opens_, minimap_}) menu.addAction(option);
    menu.addMenu(map_sizes_);
    menu.addSeparator();
    menu.addAction(tr("Export graph as SVG, PNG or PDF..."), this, [this] { chooseExport(); });
}

void GraphView::find() {
    search_->setFocus();
    search_->selectAll();
}

void GraphView::search(const QString& wanted) {
    matches_.clear();
    match_at_ = 0;
    if (index_ && !wanted.trimmed().isEmpty()) {
        for (const session::GraphNode& node : index_->model().nodes) {
            if (!index_->isShown(node.id)) continue;
            const QString name = QStringLiteral("%1 %2 %3").arg(text(node.kind), text(node.label), text(node.scope));
            if (name.contains(wanted.trimmed(), Qt::CaseInsensitive)) matches_.push_back(node.id);
        }
    }
    canvas_->setMatches(std::set<int>(matches_.begin(), matches_.end()));
    search_->setProperty("invalid", !wanted.isEmpty() && matches_.empty());
    search_->style()->polish(search_);
    tellCounts();
}

void GraphView::showNextMatch() {
    if (matches_.empty()) return;
    const int node = matches_[match_at_ % matches_.size()];
    tell(tr("%1 of %2").arg(match_at_ % matches_.size() + 1).arg(matches_.size()));
    ++match_at_;
    openPathTo(node);
    click(node);
    canvas_->reveal(node);
}

// --- export

void GraphView::chooseExport() {
    const QString file = QFileDialog::getSaveFileName(this, tr("Export graph"), QStringLiteral("graph.svg"),
                                                      tr("Pictures (*.svg *.png *.pdf)"));
    if (file.isEmpty()) return;
    if (const QString error = exportTo(file); !error.isEmpty()) {
        SessionBridge::LogEntry entry;
        entry.level = SessionBridge::LogEntry::Level::Error;
        entry.text = error.toStdString();
        bridge().addLog(entry);
    }
}

QString GraphView::exportTo(const QString& file) { return exportGraph(*canvas_, file); }

}  // namespace loupe::views
