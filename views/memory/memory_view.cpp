// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/memory/memory_view.h"

#include <qcustomplot.h>

#include <QClipboard>
#include <QGuiApplication>
#include <QHeaderView>
#include <QSplitter>
#include <QVBoxLayout>
#include <cmath>

#include "views/common/bar_delegate.h"
#include "views/common/comparison.h"
#include "views/common/elided_label.h"
#include "views/common/engine_words.h"
#include "views/common/format.h"
#include "views/common/panel_bar.h"
#include "views/common/plot_style.h"
#include "views/common/ranks.h"
#include "views/common/theme.h"
#include "views/memory/rank_memory_model.h"

namespace loupe::views {
namespace {

// From the bottom up: long-lived below short-lived memory.
constexpr session::Category kOrder[] = {session::Category::Parameter,
                                        session::Category::Buffer,
                                        session::Category::Input,
                                        session::Category::Gradient,
                                        session::Category::SavedForBackward,
                                        session::Category::Activation,
                                        session::Category::Workspace,
                                        session::Category::Other,
                                        session::Category::KernelCache};

class BytesTicker : public QCPAxisTicker {
  protected:
    QString getTickLabel(double tick, const QLocale&, QChar, int) override { return bytesText(tick); }
    double getTickStep(const QCPRange& range) override {
        // Powers of two give round numbers of KiB.
        return std::exp2(std::ceil(std::log2(std::max(1.0, range.size() / 4))));
    }
};

}  // namespace

ViewDescription MemoryView::describe() {
    return {QStringLiteral("memory"), tr("Memory"),
            tr("Bytes alive after every event, by what they are for; beside it the blocks alive at the current event "
               "with who keeps them for "
               "backward, and sums by module and by category. Click the plot to go to an event, a row to go to who "
               "made the block."),
            QStringLiteral("memory"), Place::Bottom};
}

MemoryView::MemoryView(SessionBridge& bridge, QWidget* parent) : View(bridge, parent) {
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->setSpacing(0);
    makeSources();
    pages_ = new QStackedWidget(this);
    auto* run = new QWidget(pages_);
    auto* layout = new QVBoxLayout(run);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    pages_->addWidget(run);
    pane_ = new SnapshotPane(pages_);
    pages_->addWidget(pane_);
    outer->addWidget(pages_, 1);
    summary_ = new ElidedLabel(this);
    summary_->setProperty("faint", true);
    summary_->setContentsMargins(8, 4, 8, 2);
    summary_->setTextFormat(Qt::RichText);
    connect(summary_, &QLabel::linkActivated, this,
            [this](const QString& link) { this->bridge().setCurrentEvent(link.toUInt()); });
    layout->addWidget(summary_);
    auto* splitter = new QSplitter(Qt::Horizontal, this);
    makePlot(splitter);
    splitter->addWidget(plot_);

    auto* side = new QWidget(splitter);
    auto* column = new QVBoxLayout(side);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto* head = new PanelBar(side, {0, 0, 4, 0}, 2);
    alive_title_ = head->note(1);
    alive_title_->setContentsMargins(8, 2, 8, 2);
    makeSides(*head);
    column->addLayout(head);
    stack_ = new QStackedWidget(side);
    map_ = new AddressMap(stack_);
    map_->setObjectName(QStringLiteral("addressMap"));
    connect(map_, &AddressMap::chosen, this,
            [this](const session::Allocation& block) { goTo(block, block.allocated); });
    stack_->addWidget(makeBlocks());
    stack_->addWidget(makeModules());
    stack_->addWidget(makeCategories());
    stack_->addWidget(map_);
    stack_->addWidget(makeRanks());
    column->addWidget(stack_, 1);
    showSide(Side::Blocks);
    offerRanks();
    splitter->addWidget(side);
    splitter->setSizes({560, 440});
    layout->addWidget(splitter, 1);

    hint_ = new EmptyHint(run);
    redraw_.setSingleShot(true);
    redraw_.setInterval(150);
    connect(&redraw_, &QTimer::timeout, this, [this] {
        if (isInSight()) catchUp();
    });
    connect(&Comparison::of(bridge), &Comparison::differencesChanged, this, [this] {
        if (isInSight()) draw();
    });
    connect(&bridge, &SessionBridge::recordingChanged, this, &MemoryView::takeEvents);
    connect(&bridge, &SessionBridge::eventsGrown, this, &MemoryView::takeEvents);
    connect(&bridge, &SessionBridge::statusChanged, this, &MemoryView::takeEvents);
    connect(&bridge, &SessionBridge::currentChanged, this, &MemoryView::followCurrent);
    connect(&Theme::instance(), &Theme::changed, this, &MemoryView::draw);
    connect(&Imports::of(bridge), &Imports::snapshotsChanged, this, &MemoryView::takeSnapshots);
    draw();
    takeSnapshots();
}

void MemoryView::makePlot(QWidget* parent) {
    plot_ = new QCustomPlot(parent);
    plot_->setAccessibleName(tr("Bytes alive over events"));
    plot_->setMinimumHeight(80);
    plot_->setInteractions(QCP::iRangeDrag | QCP::iRangeZoom);
    plot_->axisRect()->setRangeDrag(Qt::Horizontal);
    plot_->axisRect()->setRangeZoom(Qt::Horizontal);
    plot_->yAxis->setTicker(QSharedPointer<BytesTicker>::create());
    plot_->legend->setVisible(true);
    // Above the curves, not upon them.
    plot_->plotLayout()->insertRow(0);
    plot_->plotLayout()->addElement(0, 0, plot_->legend);
    plot_->plotLayout()->setRowStretchFactor(0, 0.001);
    plot_->plotLayout()->setRowSpacing(0);
    plot_->legend->setFillOrder(QCPLegend::foColumnsFirst, false);
    plot_->legend->setWrap(4);
    plot_->legend->setMargins(QMargins(8, 0, 8, 0));
    plot_->legend->setRowSpacing(0);
    QCPGraph* below = nullptr;
    for (session::Category category : kOrder) {
        QCPGraph* graph = plot_->addGraph();
        graph->setName(engineWord(session::category_name(category)));
        graph->setLineStyle(QCPGraph::lsStepLeft);
        if (below != nullptr) graph->setChannelFillGraph(below);
        graphs_[static_cast<std::size_t>(category)] = graph;
        below = graph;
    }
    reference_ = plot_->addGraph();
    reference_->setName(tr("reference"));
    reference_->setLineStyle(QCPGraph::lsStepLeft);
    mark_ = new QCPItemStraightLine(plot_);
    peak_mark_ = new QCPItemTracer(plot_);
    peak_mark_->setStyle(QCPItemTracer::tsCircle);
    peak_mark_->setSize(7);
    connect(plot_, &QCustomPlot::mousePress, this, &MemoryView::click);
}

QTreeView* MemoryView::makeBlocks() {
    model_ = new AliveModel(this);
    sorted_ = new QSortFilterProxyModel(this);
    sorted_->setSourceModel(model_);
    sorted_->setSortRole(AliveModel::kSortRole);
    table_ = new QTreeView(stack_);
    table_->setModel(sorted_);
    table_->setRootIsDecorated(false);
    table_->setUniformRowHeights(true);
    table_->setSortingEnabled(true);
    table_->sortByColumn(AliveModel::Bytes, Qt::DescendingOrder);
    table_->setAccessibleName(tr("Blocks alive at the current event"));
    table_->header()->setStretchLastSection(true);
    table_->header()->moveSection(AliveModel::SavedBy, AliveModel::Scope);  // the owner of a block first
    const int widths[] = {76, 128, 130, 110, 110, 44, 230};
    for (int i = 0; i < 7; ++i) table_->header()->resizeSection(i, widths[i]);
    connect(table_, &QTreeView::activated, this, [this](const QModelIndex& index) {
        const session::AliveBlock& block = model_->block(sorted_->mapToSource(index).row());
        const bool toSaver = index.column() == AliveModel::SavedBy && !block.savers.empty();
        goTo(block.allocation, toSaver ? block.savers.front().by : block.allocation.allocated);
    });
    return table_;
}

// To the event; to what a block holds that was there before the run.
void MemoryView::goTo(const session::Allocation& block, session::EventId event) {
    if (event != 0)
        bridge().setCurrentEvent(event);
    else if (!block.owner.empty())
        bridge().followLink(text(block.owner));
}

void MemoryView::makeSides(PanelBar& head) {
    const QString titles[] = {tr("Blocks"), tr("Modules"), tr("Categories"), tr("Addresses"), tr("Ranks")};
    const QString tips[] = {
        tr("Every block alive at the current event: who made it, and who keeps it for backward"),
        tr("Sums by module at the current event and at the peak, and what each layer's forward and backward left "
           "alive"),
        tr("Sums by category at the current event and at the peak"),
        tr("Where the blocks lie in memory, coloured as in the plot; click one to go to who made it"),
        tr("The peak of every rank of the run, and what each has at the current event")};
    const QString names[] = {QStringLiteral("byBlock"), QStringLiteral("byModule"), QStringLiteral("byCategory"),
                             QStringLiteral("byAddress"), QStringLiteral("byRank")};
    for (std::size_t i = 0; i < sides_.size(); ++i) {
        sides_[i] = head.toggle(titles[i], tips[i], names[i]);
        connect(sides_[i], &QToolButton::clicked, this, [this, i] { showSide(static_cast<Side>(i)); });
    }
}

void MemoryView::showSide(Side side) {
    stack_->setCurrentIndex(static_cast<int>(side));
    for (std::size_t i = 0; i < sides_.size(); ++i) sides_[i]->setChecked(static_cast<Side>(i) == side);
    fillSide();
    showAliveTitle();
}

QJsonObject MemoryView::keptState() const {
    QJsonObject state = View::keptState();
    state[QStringLiteral("side")] = static_cast<int>(side());
    return state;
}

void MemoryView::takeState(const QJsonObject& state) {
    View::takeState(state);
    const int side = state[QStringLiteral("side")].toInt(-1);
    if (side >= 0 && side < static_cast<int>(sides_.size())) showSide(static_cast<Side>(side));
}

QTreeView* MemoryView::makeModules() {
    modules_ = new ModuleMemoryModel(this);
    module_tree_ = new QTreeView(stack_);
    module_tree_->setObjectName(QStringLiteral("moduleMemory"));
    module_tree_->setAccessibleName(tr("Memory by module"));
    module_tree_->setModel(modules_);
    module_tree_->setUniformRowHeights(true);
    module_tree_->setIndentation(12);
    module_tree_->header()->setStretchLastSection(false);
    const int widths[] = {150, 80, 88, 76, 76, 76, 80, 72, 84, 92};
    for (int i = 0; i < ModuleMemoryModel::kColumns; ++i) module_tree_->header()->resizeSection(i, widths[i]);
    connect(modules_, &QAbstractItemModel::modelReset, module_tree_, [this] { module_tree_->expandToDepth(1); });
    connect(module_tree_, &QTreeView::activated, this,
            [this](const QModelIndex& index) { this->bridge().setCurrentModule(text(modules_->row(index).module)); });
    return module_tree_;
}

QTreeView* MemoryView::makeRanks() {
    auto* model = new RankMemoryModel(bridge(), this);
    auto* table = new QTreeView(stack_);
    table->setObjectName(QStringLiteral("rankMemory"));
    table->setAccessibleName(tr("Memory by rank"));
    table->setModel(model);
    table->setItemDelegate(new BarDelegate(table));
    table->setRootIsDecorated(false);
    table->setUniformRowHeights(true);
    table->header()->setStretchLastSection(false);
    const int widths[] = {64, 110, 80, 150};
    for (int i = 0; i < RankMemoryModel::ColumnCount; ++i) table->header()->resizeSection(i, widths[i]);
    connect(table, &QTreeView::clicked, model, &RankMemoryModel::goToPeak);
    connect(&Ranks::of(bridge()), &Ranks::changed, this, &MemoryView::offerRanks);
    return table;
}

// A side of ranks is there while there are several.
void MemoryView::offerRanks() {
    const bool isOn = Ranks::of(bridge()).isOn();
    sides_[static_cast<std::size_t>(Side::Ranks)]->setVisible(isOn);
    if (!isOn && side() == Side::Ranks) showSide(Side::Blocks);
}

QTreeView* MemoryView::makeCategories() {
    categories_ = new CategoryMemoryModel(this);
    auto* table = new QTreeView(stack_);
    table->setObjectName(QStringLiteral("categoryMemory"));
    table->setAccessibleName(tr("Memory by category"));
    table->setModel(categories_);
    table->setRootIsDecorated(false);
    table->setUniformRowHeights(true);
    table->header()->setStretchLastSection(false);
    const int widths[] = {210, 96, 110};
    for (int i = 0; i < CategoryMemoryModel::kColumns; ++i) table->header()->resizeSection(i, widths[i]);
    return table;
}

// Sums are computed when visible: they are linear in the events of the run.
void MemoryView::fillSide() {
    const bool isOfModules = side() == Side::Modules || side() == Side::Categories;
    if (!isOfModules) return;
    const session::EventId event = shownEvent();
    auto rows = book_ && event != 0 ? book_->by_module(event) : std::vector<session::ModuleMemory>();
    const session::EventId peak = book_ ? book_->peak_event() : 0;
    if (rows.empty())
        categories_->setBytes({}, {}, 0, 0);
    else
        categories_->setBytes(rows.front().at_event, rows.front().at_peak, event, peak);
    modules_->setRows(std::move(rows), event, peak);
    const QModelIndex current = modules_->indexOf(bridge().currentModule());
    if (current.isValid()) {
        module_tree_->setCurrentIndex(current);
        module_tree_->scrollTo(current);
    }
}

void MemoryView::takeEvents() {
    is_stale_ = true;
    if (isInSight() && !redraw_.isActive()) redraw_.start();
}

void MemoryView::catchUp() {
    if (is_stale_) draw();
}

void MemoryView::showEvent(QShowEvent* event) {
    View::showEvent(event);
    // Not at once: a panel is shown for a moment while the window arranges its tabs.
    if (is_stale_) redraw_.start();
}

void MemoryView::draw() {
    redraw_.stop();
    is_stale_ = false;
    stylePlot(*plot_);
    const auto& recording = bridge().recording();
    const std::size_t before = series_.events();
    if (recording != counted_) {
        book_.reset();
        counted_ = recording;
        if (recording) book_.emplace(*recording);
    } else if (book_) {
        book_->update();
    }
    series_ = book_ ? memorySeries(*book_, bridge().eventCount()) : MemorySeries();
    drawCategories();
    drawReference();
    showPeak();
    if (series_.events() != before)
        fit();
    else
        fitBytes();  // another step of a training has as many events
    takeCurrent();
}

// Bytes alive in the reference after each event's partner; where it has none the last stays.
void MemoryView::drawReference() {
    const auto& found = Comparison::of(bridge()).differences();
    QVector<double> keys;
    QVector<double> values;
    if (found != nullptr) {
        double last = 0;
        for (const auto& row : found->events) {
            if (row.there != 0) last = static_cast<double>(found->reference_events[row.there - 1].memory_after);
            if (row.here == 0 || last <= 0) continue;
            keys << static_cast<double>(row.here);
            values << last;
        }
    }
    reference_->setData(keys, values, true);
    reference_->setPen(QPen(Theme::instance().colour(Theme::Colour::Text), 1.6, Qt::DashLine));
    if (keys.isEmpty())
        reference_->removeFromLegend();
    else
        reference_->addToLegend();
}

void MemoryView::drawCategories() {
    const Theme& theme = Theme::instance();
    const std::size_t count = series_.total.size();
    std::vector<double> sum(count, 0.0);
    // At most a few points a pixel: the greatest of each stretch stays.
    const std::size_t stride = std::max<std::size_t>(1, count / 4000);
    for (session::Category category : kOrder) {
        const auto& bytes = series_.bytes[static_cast<std::size_t>(category)];
        QCPGraph* graph = graphs_[static_cast<std::size_t>(category)];
        QVector<double> keys;
        QVector<double> values;
        double greatest = 0;
        for (std::size_t i = 0; i < count; ++i) sum[i] += bytes[i];
        for (std::size_t i = 0; i < count; i += stride) {
            double top = 0;
            for (std::size_t j = i; j < std::min(count, i + stride); ++j) {
                top = std::max(top, sum[j]);
                greatest = std::max(greatest, bytes[j]);
            }
            keys << static_cast<double>(i);
            values << top;
        }
        graph->setData(keys, values, true);
        QColor colour = theme.category(category);
        graph->setPen(QPen(colour, 1));
        colour.setAlphaF(theme.isDark() ? 0.55f : 0.6f);
        // Hatched: on top, and in no sum.
        graph->setBrush(category == session::Category::KernelCache ? QBrush(colour, Qt::BDiagPattern) : QBrush(colour));
        // The legend has only existing categories.
        if (greatest > 0)
            graph->addToLegend();
        else
            graph->removeFromLegend();
    }
    plot_->legend->setVisible(count > 1);
}

void MemoryView::showPeak() {
    const Theme& theme = Theme::instance();
    const auto& recording = bridge().recording();
    const std::size_t count = series_.total.size();
    hint_->say(count > 1 ? QString() : tr("No memory to account for yet: run the model (F5)."));
    if (count <= 1 || !recording) {
        summary_->clear();
        peak_mark_->setVisible(false);
    } else {
        const session::EventId peak = recording->peak_event() != 0 ? recording->peak_event() : series_.peakEvent();
        const double most = std::max(static_cast<double>(recording->peak_bytes()),
                                     series_.total[std::min<std::size_t>(series_.peakEvent(), count - 1)]);
        QString cause;
        if (peak != 0 && peak <= recording->event_count()) {
            const session::Event& event = recording->event(peak);
            cause = tr(" in <a href='%1'>#%1 %2</a> %3")
                        .arg(peak)
                        .arg(shortOpName(event.op).toHtmlEscaped(), text(event.scope).toHtmlEscaped());
        }
        const double caches = series_.bytes[static_cast<std::size_t>(session::Category::KernelCache)].back();
        const QString beside = caches > 0 ? tr(" · beside it %1 in kernel caches").arg(bytesText(caches)) : QString();
        QString devices;
        if (book_) {
            for (const auto& each : book_->by_device(static_cast<session::EventId>(series_.events())))
                devices += tr(" · %1 %2").arg(text(each.device), bytesText(static_cast<double>(each.at_event)));
        }
        summary_->setText(
            tr("Peak %1%2 · now %3%4%5").arg(bytesText(most), cause, bytesText(series_.total.back()), beside, devices));
        peak_mark_->setVisible(true);
        peak_mark_->setPen(QPen(theme.colour(Theme::Colour::Bad), 1.5));
        peak_mark_->setBrush(theme.colour(Theme::Colour::Bad));
        peak_mark_->position->setCoords(peak, peak < count ? series_.total[peak] : 0);
    }
}

session::EventId MemoryView::shownEvent() const {
    const session::EventId current = bridge().currentEvent();
    return current != 0 ? current : static_cast<session::EventId>(series_.events());
}

void MemoryView::followCurrent() {
    if (isInSight())
        takeCurrent();
    else
        is_stale_ = true;
}

void MemoryView::takeCurrent() {
    const session::EventId event = shownEvent();
    const auto& recording = bridge().recording();
    mark_->setVisible(event != 0);
    mark_->setPen(QPen(Theme::instance().colour(Theme::Colour::Accent), 1.5));
    mark_->point1->setCoords(event, 0);
    mark_->point2->setCoords(event, 1);
    plot_->replot(QCustomPlot::rpQueuedReplot);
    const bool isThere = recording && recording == counted_ && book_ && event != 0 && event <= recording->event_count();
    auto alive = isThere ? book_->alive_at(event) : std::vector<session::AliveBlock>();
    double bytes = 0;
    for (const session::AliveBlock& block : alive)
        bytes += block.allocation.category == session::Category::KernelCache
                     ? 0
                     : static_cast<double>(block.allocation.bytes);
    alive_text_ = event == 0 ? QString()
                             : tr("Alive at #%1: %2, %3")
                                   .arg(event)
                                   .arg(counted(static_cast<std::int64_t>(alive.size()), "block"), bytesText(bytes));
    std::vector<session::Allocation> blocks;
    for (const session::AliveBlock& block : alive) blocks.push_back(block.allocation);
    map_->setBlocks(std::move(blocks));
    showAliveTitle();
    model_->setBlocks(recording, std::move(alive), event);
    fillSide();
}

void MemoryView::showAliveTitle() {
    const bool by_address = side() == Side::Addresses && map_->regions() > 0;
    alive_title_->setText(by_address ? tr("%1, in %2, %3 between")
                                           .arg(alive_text_, counted(map_->regions(), "region"),
                                                bytesText(static_cast<double>(map_->gapBytes())))
                                     : alive_text_);
    alive_title_->setToolTip(alive_title_->text());
}

void MemoryView::fit() {
    if (pages_->currentIndex() == 1) return pane_->fit();
    plot_->xAxis->setRange(0, std::max<double>(1.0, static_cast<double>(series_.events())));
    fitBytes();
}

// The user zooms events only.
void MemoryView::fitBytes() {
    const auto& caches = series_.bytes[static_cast<std::size_t>(session::Category::KernelCache)];
    double most = 1;
    for (std::size_t i = 0; i < series_.total.size(); ++i) most = std::max(most, series_.total[i] + caches[i]);
    for (const QCPGraphData& point : *reference_->data()) most = std::max(most, point.value);
    plot_->yAxis->setRange(0, std::max(1.0, most * 1.06));
    plot_->replot(QCustomPlot::rpQueuedReplot);
}

void MemoryView::click(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton || !plot_->axisRect()->rect().contains(event->position().toPoint())) return;
    const auto at = static_cast<long>(std::lround(plot_->xAxis->pixelToCoord(event->position().x())));
    if (at >= 1 && at <= static_cast<long>(bridge().eventCount()))
        bridge().setCurrentEvent(static_cast<session::EventId>(at));
}

void MemoryView::addActions(QMenu& menu) {
    menu.addAction(tr("Go to the peak of memory"), this, [this] {
        const auto& recording = bridge().recording();
        if (recording && recording->peak_event() != 0) bridge().setCurrentEvent(recording->peak_event());
    });
    const std::pair<QString, Side> sides[] = {{tr("List blocks"), Side::Blocks},
                                              {tr("Sums by module"), Side::Modules},
                                              {tr("Sums by category"), Side::Categories},
                                              {tr("Show blocks by address"), Side::Addresses}};
    for (const auto& [title, which] : sides) {
        if (which != side()) menu.addAction(title, this, [this, which = which] { showSide(which); });
    }
    menu.addAction(tr("Copy the list of blocks"), this, &MemoryView::copyBlocks);
    menu.addAction(tr("Save memory plot or data..."), this, &MemoryView::savePlot);
}

// The palette has the actions of panels that are not in sight, too.
void MemoryView::copyBlocks() {
    catchUp();
    QStringList lines;
    for (int row = 0; row < sorted_->rowCount(); ++row) {
        QStringList fields;
        for (int column = 0; column < sorted_->columnCount(); ++column) {
            fields += sorted_->index(row, column).data().toString();
        }
        lines += fields.join(QLatin1Char('\t'));
    }
    QGuiApplication::clipboard()->setText(lines.join(QLatin1Char('\n')));
}

void MemoryView::savePlot() {
    catchUp();
    if (const QString error = savePlotAs(*plot_, QStringLiteral("memory")); !error.isEmpty()) summary_->setText(error);
}

}  // namespace loupe::views
