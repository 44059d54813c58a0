// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/events/events_view.h"

#include <QApplication>
#include <QClipboard>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QInputDialog>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QScrollBar>
#include <QSettings>
#include <QThreadPool>
#include <QToolButton>
#include <QTreeView>
#include <QVBoxLayout>

#include "core/record/chrome_trace.h"
#include "views/common/comparison.h"
#include "views/common/empty_hint.h"
#include "views/common/expression_edit.h"
#include "views/common/file_output.h"
#include "views/common/format.h"
#include "views/common/icons.h"
#include "views/common/panel_bar.h"
#include "views/common/panel_output.h"
#include "views/common/rank_strip.h"
#include "views/common/theme.h"
#include "views/events/event_delegate.h"
#include "views/events/event_filter.h"
#include "views/events/event_model.h"

namespace loupe::views {

namespace {

const char* const kSavedFilters = "events/filters";

QString csvField(QString field) {
    if (field.contains(QLatin1Char(',')) || field.contains(QLatin1Char('"'))) {
        field = QLatin1Char('"') + field.replace(QLatin1String("\""), QLatin1String("\"\"")) + QLatin1Char('"');
    }
    return field;
}

// The first term that is not understood.
ExpressionEdit::Problem problemOf(const QString& typed) {
    int at = 0;
    for (const QString& term : typed.split(QLatin1Char(' '))) {
        const int length = static_cast<int>(term.size());
        if (const QString error = EventFilter::parse(term).error(); !error.isEmpty()) return {error, at, at + length};
        at += length + 1;
    }
    return {};
}

// Behind a key its values; else keys, quantities and flags.
ExpressionEdit::Completions filterWords(const SessionBridge& bridge, const QString& typed, int cursor) {
    ExpressionEdit::Completions found{wordStart(typed, cursor, QStringLiteral(":.*?")), {}};
    const QString term = typed.mid(found.from, cursor - found.from);
    const auto offer = [&](const QString& key, const QStringList& values) {
        for (const QString& value : values) found.words.append({key + value, {}});
    };
    if (term.startsWith(QLatin1String("phase:")))
        offer(QStringLiteral("phase:"),
              {QStringLiteral("forward"), QStringLiteral("backward"), QStringLiteral("optimizer")});
    if (term.startsWith(QLatin1String("scope:")) && bridge.model()) {
        for (const auto& module : bridge.model()->modules) offer(QStringLiteral("scope:"), {text(module.path)});
    }
    const bool isOp = term.startsWith(QLatin1String("op:")), isDtype = term.startsWith(QLatin1String("dtype:")),
               isBackend = term.startsWith(QLatin1String("backend:"));
    if (const auto& recording = bridge.recording(); recording && (isOp || isDtype || isBackend)) {
        QStringList values;
        const std::size_t most = std::min<std::size_t>(recording->event_count(), 5000);
        for (session::EventId id = 1; id <= most; ++id) {
            const auto& event = recording->event(id);
            const std::string_view op =
                event.op.substr(event.op.rfind(':') == std::string_view::npos ? 0 : event.op.rfind(':') + 1);
            const std::string_view value = isOp                    ? op
                                           : isBackend             ? event.backend
                                           : event.outputs.empty() ? std::string_view()
                                                                   : recording->value(event.outputs.front()).dtype;
            if (!value.empty()) values << QString::fromUtf8(value.data(), static_cast<qsizetype>(value.size()));
        }
        values.removeDuplicates();
        values.sort();
        offer(isOp ? QStringLiteral("op:") : isDtype ? QStringLiteral("dtype:") : QStringLiteral("backend:"), values);
    }
    if (!found.words.empty()) return found;
    const std::pair<const char*, QString> kWords[] = {{"op:", QObject::tr("operator; * and ? stand for anything")},
                                                      {"scope:", QObject::tr("in a module")},
                                                      {"phase:", QObject::tr("forward, backward, optimizer")},
                                                      {"dtype:", QObject::tr("of the first output")},
                                                      {"shape:", QObject::tr("of the first output: shape:1x64*")},
                                                      {"backend:", QObject::tr("whose kernel ran")},
                                                      {"time>", QObject::tr("as in time>1ms")},
                                                      {"bytes>", QObject::tr("as in bytes>1MiB")},
                                                      {"memory>", {}},
                                                      {"flops>", {}},
                                                      {"absmax>", {}},
                                                      {"min<", {}},
                                                      {"max>", {}},
                                                      {"mean>", {}},
                                                      {"std<", {}},
                                                      {"norm>", {}},
                                                      {"id>", {}},
                                                      {"nan", QObject::tr("has NaN")},
                                                      {"inf", QObject::tr("has Inf")},
                                                      {"failed", {}},
                                                      {"made", QObject::tr("a NaN or Inf begins here")},
                                                      {"turned", QObject::tr("an Inf becomes NaN here")},
                                                      {"passed", QObject::tr("a NaN or Inf is passed on")},
                                                      {"meant", QObject::tr("an Inf that is meant, as a mask's")},
                                                      {"ranks:differ", QObject::tr("not equal on all ranks")},
                                                      {"ranks:missing", QObject::tr("not on all ranks")},
                                                      {"ranks:nan", QObject::tr("NaN or Inf on some ranks only")}};
    for (const auto& [word, meaning] : kWords) found.words.append({QString::fromLatin1(word), meaning});
    return found;
}

}  // namespace

ViewDescription EventsView::describe() {
    return {
        QStringLiteral("events"), tr("Events"),
        tr("Every operator that ran, in order: forward, then backward. Select one and all panels show the world at it. "
           "Up and Down walk the events, Left and Right the modules."),
        QStringLiteral("events"), Place::Bottom};
}

EventsView::EventsView(SessionBridge& bridge, QWidget* parent)
    : View(bridge, parent),
      model_(new EventModel(this)),
      tree_(new QTreeView(this)),
      filter_(new ExpressionEdit(this)),
      count_(new QLabel(this)) {
    auto* bar = new PanelBar(this, {4, 3, 6, 3}, 4);
    makeFilter(*bar);
    makeButtons(*bar);
    bar->addWidget(count_);
    makeTree();
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(bar);
    layout->addWidget(tree_, 1);
    setFocusProxy(tree_);

    connect(&bridge, &SessionBridge::bookmarksChanged, this, &EventsView::takeMarks);
    connect(&bridge, &SessionBridge::recordingChanged, this, [this] {
        model_->setRecording(this->bridge().recording());
        showCount();
        showTimes();
    });
    connect(&bridge, &SessionBridge::timesChanged, this, &EventsView::showTimes);
    auto& comparison = Comparison::of(bridge);
    connect(&comparison, &Comparison::referencesChanged, this, &EventsView::showDifferences);
    connect(&comparison, &Comparison::differencesChanged, this, &EventsView::showDifferences);
    connect(&bridge, &SessionBridge::eventsGrown, model_, &EventModel::grow);
    connect(&bridge, &SessionBridge::currentChanged, this, &EventsView::showCurrent);
    connect(&bridge, &SessionBridge::statusChanged, this, &EventsView::takeReached);
    connect(&bridge, &SessionBridge::statusChanged, this, &EventsView::showTimes);
    connect(&bridge, &SessionBridge::statusChanged, this, &EventsView::showCount);
    connect(&bridge, &SessionBridge::modelChanged, this, &EventsView::showCount);
    connect(&bridge, &SessionBridge::eventsGrown, this, &EventsView::takeReached);
    connect(model_, &EventModel::grown, this, [this] {
        expandTop();
        showCount();
        if (is_awaited_ || !tree_->currentIndex().isValid()) showCurrent();
    });
    connect(&Theme::instance(), &Theme::changed, tree_->viewport(), qOverload<>(&QWidget::update));
    connect(&Ranks::of(bridge), &Ranks::changed, this, &EventsView::showRanks);
    connect(&Ranks::of(bridge), &Ranks::studied, this, &EventsView::showRanks);
    model_->setRecording(bridge.recording());
    showCount();
    showTimes();
    showDifferences();
    showRanks();
}

// The column is there while there are several.
void EventsView::showRanks() {
    const Ranks& ranks = Ranks::of(bridge());
    tree_->setColumnHidden(EventModel::OnRanks, !ranks.isOn());
    if (!ranks.isOn()) return model_->setRanks({}, {});
    model_->setRanks([&ranks](session::EventId id) { return ranks.cellsOf(id); },
                     [&ranks](const RankCells& cells) { return ranks.tipOf(cells); });
    // What it is filtered by has become known.
    if (filter_->text().contains(QLatin1String("rank"))) applyFilter();
}

// Their columns are there while a reference is pinned, in front of those that say what an output looks like.
void EventsView::showDifferences() {
    const Comparison& comparison = Comparison::of(bridge());
    model_->setComparison(comparison.isOn() ? &comparison : nullptr);
    for (int column = EventModel::Partner; column < EventModel::ColumnCount; ++column)
        tree_->setColumnHidden(column, !comparison.isOn());
    tree_->viewport()->update();
}

void EventsView::makeFilter(PanelBar& bar) {
    filter_->setObjectName(QStringLiteral("filter"));
    filter_->setPlaceholderText(tr("Filter:  op:conv*  time>1ms  made  scope:layer4  phase:backward  !op:relu*"));
    filter_->setAccessibleName(tr("Filter of events"));
    filter_->setToolTip(
        tr("All terms must hold. op: scope: phase: dtype: shape: backend: take * and ?\n"
           "time bytes memory flops min max mean std absmax norm id compare with > < = and units (1ms, 2MiB)\n"
           "ranks:differ ranks:missing ranks:nan: between the ranks of a run, rank:2 that rank 2 has too\n"
           "nan inf failed; made turned passed meant: where a NaN or Inf comes from; !TERM turns a term round; other "
           "words are looked for in operator and module"));
    auto* expression = static_cast<ExpressionEdit*>(filter_);
    expression->setCheck(problemOf);
    expression->setComplete(
        [this](const QString& typed, int cursor) { return filterWords(this->bridge(), typed, cursor); });
    filter_->setClearButtonEnabled(true);
    filter_->setProperty("kept", true);
    filter_->addAction(themeIcon(QStringLiteral("search")), QLineEdit::LeadingPosition);
    typing_.setSingleShot(true);
    typing_.setInterval(150);
    connect(filter_, &QLineEdit::textChanged, &typing_, qOverload<>(&QTimer::start));
    connect(&typing_, &QTimer::timeout, this, &EventsView::applyFilter);
    connect(filter_, &QLineEdit::returnPressed, this, [this] { tree_->setFocus(); });

    filter_->setMinimumWidth(120);
    filter_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    bar.addWidget(filter_);
}

void EventsView::makeButtons(PanelBar& bar) {
    saved_ = bar.menu(tr("Filters"), tr("Saved filters"));
    connect(saved_->menu(), &QMenu::aboutToShow, this, &EventsView::fillFilterMenu);
    flat_ = bar.toggle(tr("Flat"), tr("One list without modules"));
    flat_->setProperty("kept", true);
    connect(flat_, &QToolButton::toggled, this, &EventsView::setFlat);
    time_ = bar.button(tr("Time it"), {}, QStringLiteral("timeProperly"));
    connect(time_, &QToolButton::clicked, &bridge(), &SessionBridge::timeProperly);
    count_->setProperty("faint", true);
}

// Columns of warm times are there where they were measured.
void EventsView::showTimes() {
    const QString why = bridge().whyNotTimed();
    time_->setEnabled(why.isEmpty());
    time_->setText(bridge().isTiming() ? tr("timing\u2026") : tr("Time it"));
    const QString tip =
        tr("Time it properly: repeats the run warm and gives each operator the median and the spread. Times of this "
           "run are those of a first run");
    time_->setToolTip(why.isEmpty() ? tip : tr("%1\nNot now: %2").arg(tip, why));
    model_->setTimes(bridge().warmTimes());
    for (const int column : {EventModel::Warm, EventModel::Spread}) tree_->setColumnHidden(column, !model_->hasTimes());
}

void EventsView::makeTree() {
    hint_ = new EmptyHint(tree_);
    tree_->setObjectName(QStringLiteral("eventTree"));
    tree_->setAccessibleName(tr("Events"));
    tree_->setModel(model_);
    tree_->setItemDelegate(new EventDelegate(tree_));
    tree_->setItemDelegateForColumn(EventModel::OnRanks, new RankStrip(bridge(), tree_));
    tree_->header()->moveSection(EventModel::OnRanks, EventModel::Output);  // in sight
    tree_->setUniformRowHeights(true);
    tree_->setIndentation(14);
    tree_->setAllColumnsShowFocus(true);
    tree_->setSelectionMode(QAbstractItemView::ExtendedSelection);
    tree_->setContextMenuPolicy(Qt::CustomContextMenu);
    tree_->setExpandsOnDoubleClick(true);
    tree_->installEventFilter(this);
    tree_->viewport()->installEventFilter(this);
    connect(tree_->verticalScrollBar(), &QScrollBar::actionTriggered, this, [this] { follows_ = false; });
    const int widths[] = {206, 66, 104, 76, 72, 146, 76, 74, 74, 74, 74, 72,
                          84,  52, 150, 80, 64, 84,  84, 84, 84, 84, 84};
    for (int column = 0; column < EventModel::ColumnCount; ++column) tree_->setColumnWidth(column, widths[column]);
    for (int column = EventModel::Partner; column < EventModel::ColumnCount; ++column)
        tree_->header()->moveSection(tree_->header()->visualIndex(column),
                                     tree_->header()->visualIndex(EventModel::Bytes));
    tree_->header()->setStretchLastSection(true);
    tree_->header()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    tree_->setColumnHidden(EventModel::Module, true);
    connect(tree_->selectionModel(), &QItemSelectionModel::currentChanged, this, &EventsView::onSelected);
    connect(tree_, &QTreeView::customContextMenuRequested, this, &EventsView::showContextMenu);
    connect(tree_, &QTreeView::clicked, this, [this](const QModelIndex& index) {
        if (index.column() != EventModel::Peer) return;
        const QString peer = index.data().toString();
        if (!peer.isEmpty()) bridge().setCurrentEvent(peer.mid(1).toUInt());
    });
}

void EventsView::applyFilter() {
    const EventFilter filter =
        EventFilter::parse(filter_->text(), [this](session::EventId id) { return Ranks::of(bridge()).cellsOf(id); });
    filter_->setProperty("invalid", !filter.error().isEmpty());
    filter_->style()->unpolish(filter_);
    filter_->style()->polish(filter_);
    model_->setFilter(filter);
    if (!filter.isEmpty() && model_->acceptedCount() < 2000) tree_->expandAll();
    showCount();
    if (!filter.error().isEmpty()) count_->setText(filter.error());
    showCurrent();
}

void EventsView::setFlat(bool flat) {
    model_->setFlat(flat);
    tree_->setRootIsDecorated(!flat);
    tree_->setColumnHidden(EventModel::Module, !flat);
    showCurrent();
}

void EventsView::expandTop() {
    if (model_->isFlat()) return;
    for (int row = 0; row < model_->rowCount(); ++row) {
        const QModelIndex phase = model_->index(row, 0);
        if (!tree_->isExpanded(phase)) tree_->expand(phase);
    }
}

void EventsView::showCount() {
    // The model may have events that the bridge has not announced yet.
    const auto total = static_cast<std::int64_t>(std::max(bridge().eventCount(), model_->takenCount()));
    const auto shown = static_cast<std::int64_t>(model_->acceptedCount());
    count_->setText(shown == total || !model_->isCaughtUp() ? counted(total, "event")
                                                            : tr("%1 of %2").arg(countText(shown), countText(total)));
    const bool is_parked = bridge().isPaused();
    hint_->say(total == 0 && bridge().model() && !bridge().model()->cannot_run.empty()
                   ? tr("Nothing to run: %1.").arg(text(bridge().model()->cannot_run))
               : total == 0 && is_parked
                   ? tr("Parked before the first operator.\nF10 runs to the next stop, F11 steps into it.")
               : total == 0 ? tr("Nothing has run yet.\nF5 runs the model, F11 steps into it, F7 runs to backward.")
               : shown == 0 && model_->isCaughtUp() ? tr("No event matches the filter.")
                                                    : QString());
}

void EventsView::showCurrent() {
    if (selecting_) return;
    const session::EventId event = bridge().currentEvent();
    const QModelIndex before = tree_->currentIndex();
    // A group that was selected stays so: its first event became current with it.
    const bool is_its_group = model_->contains(before, event) && before.data(EventModel::EventRole).toUInt() == event;
    const QModelIndex index = is_its_group ? before : model_->indexOf(event);
    is_awaited_ = event != 0 && !index.isValid() && !model_->isCaughtUp();
    if (!index.isValid()) return;
    selecting_ = true;
    tree_->setCurrentIndex(index);
    selecting_ = false;
    follows_ = true;
    reveal();
}

void EventsView::reveal() {
    if (follows_ && tree_->currentIndex().isValid()) tree_->scrollTo(tree_->currentIndex());
}

// Where a run stops is looked at next, also when it is the event that was current before.
void EventsView::takeReached() {
    const session::EventId before = model_->reached();
    model_->setReached(bridge().parkedEvent());
    if (model_->reached() == 0 || model_->reached() == before) return;
    if (model_->reached() == bridge().currentEvent()) showCurrent();
}

void EventsView::onSelected(const QModelIndex& index) {
    if (selecting_ || !index.isValid()) return;
    follows_ = true;
    selecting_ = true;
    bridge().setCurrentEvent(index.data(EventModel::EventRole).toUInt());
    selecting_ = false;
}

bool EventsView::eventFilter(QObject* watched, QEvent* event) {
    if (watched == tree_->viewport()) {
        // Once the tree has taken its new size.
        if (event->type() == QEvent::Resize) QMetaObject::invokeMethod(this, &EventsView::reveal, Qt::QueuedConnection);
        return View::eventFilter(watched, event);
    }
    if (event->type() != QEvent::KeyPress) return View::eventFilter(watched, event);
    const auto* key = static_cast<QKeyEvent*>(event);
    if (key->matches(QKeySequence::Copy)) {
        copySelected();
        return true;
    }
    if (key->modifiers() != Qt::NoModifier || (key->key() != Qt::Key_Up && key->key() != Qt::Key_Down)) return false;
    const int offset = key->key() == Qt::Key_Down ? 1 : -1;
    const bool onGroup = tree_->currentIndex().data(EventModel::IsGroupRole).toBool();
    // Down from a group's title enters it.
    const session::EventId from = bridge().currentEvent();
    const session::EventId next =
        onGroup && offset > 0 && model_->indexOf(from).isValid() ? from : model_->neighbour(from, offset);
    if (next == 0) return true;
    selecting_ = true;
    bridge().setCurrentEvent(next);
    const QModelIndex index = model_->indexOf(next);
    tree_->setCurrentIndex(index);
    tree_->scrollTo(index);
    selecting_ = false;
    return true;
}

void EventsView::find() {
    filter_->setFocus();
    filter_->selectAll();
}

void EventsView::fit() {
    if (model_->isFlat()) return;
    tree_->collapseAll();
    expandTop();
    showCurrent();
}

bool EventsView::toggleBreakpoint() {
    const session::EventId id = bridge().currentEvent();
    if (id == 0) return false;
    const int node = bridge().recording()->event(id).graph_node;
    if (node < 0) return false;
    bridge().toggleNodeBreakpoint(node);
    return true;
}

bool EventsView::isSettled() const { return model_->isCaughtUp(); }

void EventsView::addActions(QMenu& menu) {
    menu.addAction(tr("Copy selected rows"), this, &EventsView::copySelected);
    const QString why = bridge().eventCount() > 0 ? QString() : tr("nothing has run yet");
    enableUnless(menu.addAction(tr("Export as CSV\u2026"), this, &EventsView::exportCsv), why);
    enableUnless(menu.addAction(tr("Export as Chrome trace\u2026"), this, &EventsView::exportTrace), why);
    menu.addAction(model_->isFlat() ? tr("Show as tree") : tr("Show as flat list"), flat_, &QToolButton::toggle);
    menu.addAction(tr("Expand all"), tree_, &QTreeView::expandAll);
    menu.addAction(tr("Collapse all"), this, &EventsView::fit);
}

void EventsView::takeMarks() {
    std::map<session::EventId, QString> marks = bridge().notes();
    for (const session::EventId event : bridge().bookmarks()) {
        QString& mark = marks[event];
        mark = mark.isEmpty() ? QStringLiteral("\u2605") : QStringLiteral("\u2605 ") + mark;
    }
    model_->setMarks(std::move(marks));
}

// It goes with the run: into the file that is saved, and to whom it is given.
void EventsView::editNote(session::EventId event) {
    const auto& notes = bridge().notes();
    const auto found = notes.find(event);
    auto* dialog = new QInputDialog(this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(tr("Note"));
    dialog->setLabelText(tr("About #%1, kept with the run").arg(event));
    dialog->setTextValue(found == notes.end() ? QString() : found->second);
    connect(dialog, &QInputDialog::textValueSelected, this,
            [this, event](const QString& note) { bridge().setNote(event, note); });
    dialog->open();
}

void EventsView::showContextMenu(const QPoint& at) {
    QMenu menu;
    const QModelIndex index = tree_->indexAt(at);
    if (index.isValid()) {
        const auto& event = bridge().recording()->event(index.data(EventModel::EventRole).toUInt());
        const QString op = shortOpName(event.op);
        const QString scope = text(event.scope);
        menu.addAction(tr("Toggle breakpoint"), this, &EventsView::toggleBreakpoint);
        if (const auto id = index.data(EventModel::EventRole).toUInt(); !index.data(EventModel::IsGroupRole).toBool()) {
            menu.addAction(tr("Bookmark"), this, [this, id] { bridge().toggleBookmark(id); });
            menu.addAction(tr("Note\u2026"), this, [this, id] { editNote(id); });
        }
        if (const auto id = index.data(EventModel::EventRole).toUInt();
            (event.has_nan || event.has_inf) && !index.data(EventModel::IsGroupRole).toBool()) {
            menu.addAction(tr("Go to the origin of this NaN or Inf (Shift+F6)"), this, [this, id] {
                bridge().setCurrentEvent(id);
                bridge().goToOrigin();
            });
        }
        const bool isGroup = index.data(EventModel::IsGroupRole).toBool();
        if (!isGroup && !event.outputs.empty() && event.outputs.front() != 0)
            menu.addAction(
                event.has_nan || event.has_inf ? tr("Explain its NaN or Inf") : tr("Explain its greatest number"), this,
                [this, value = event.outputs.front()] { bridge().explain(value, {}); });
        if (op.contains(QLatin1String("Group")))
            menu.addAction(tr("Show its kernel"), this, [this] { bridge().showPanel(QStringLiteral("kernels")); });
        menu.addAction(tr("Break on every %1").arg(op), this, [this, kind = std::string(event.op)] {
            session::Breakpoint breakpoint;
            breakpoint.kind = session::Breakpoint::Kind::OperatorKind;
            breakpoint.text = kind;
            bridge().addBreakpoint(breakpoint);
        });
        menu.addSeparator();
        menu.addAction(tr("Only %1").arg(op), this, [this, op] { filter_->setText(QStringLiteral("op:") + op); });
        if (!scope.isEmpty())
            menu.addAction(tr("Only in %1").arg(scope), this,
                           [this, scope] { filter_->setText(QStringLiteral("scope:") + scope); });
        menu.addSeparator();
    }
    addActions(menu);
    menu.exec(tree_->viewport()->mapToGlobal(at));
}

void EventsView::fillFilterMenu() {
    QMenu* menu = saved_->menu();
    menu->clear();
    QStringList saved = QSettings().value(QLatin1String(kSavedFilters)).toStringList();
    const QStringList offered{QStringLiteral("nan"), QStringLiteral("made"), QStringLiteral("time>1ms"),
                              QStringLiteral("phase:backward"), QStringLiteral("op:conv*")};
    for (const QString& filter : offered + saved)
        menu->addAction(filter, this, [this, filter] { filter_->setText(filter); });
    menu->addSeparator();
    const QString now = filter_->text().trimmed();
    QAction* save =
        menu->addAction(now.isEmpty() ? tr("Save this filter") : tr("Save \u201c%1\u201d").arg(now), this,
                        [saved, now]() mutable { QSettings().setValue(QLatin1String(kSavedFilters), saved << now); });
    save->setEnabled(!now.isEmpty() && !saved.contains(now));
    if (saved.contains(now)) {
        menu->addAction(tr("Forget \u201c%1\u201d").arg(now), this, [saved, now]() mutable {
            saved.removeAll(now);
            QSettings().setValue(QLatin1String(kSavedFilters), saved);
        });
    }
}

void EventsView::copySelected() {
    QStringList lines;
    for (const QModelIndex& index : tree_->selectionModel()->selectedRows()) {
        QStringList fields;
        for (int column = 0; column < EventModel::ColumnCount; ++column) {
            if (column != EventModel::Distribution) fields += index.siblingAtColumn(column).data().toString();
        }
        lines += fields.join(QLatin1Char('\t'));
    }
    QApplication::clipboard()->setText(lines.join(QLatin1Char('\n')));
}

void EventsView::exportCsv() {
    const QString file =
        QFileDialog::getSaveFileName(this, tr("Export events"), QStringLiteral("events.csv"), tr("CSV (*.csv)"));
    if (file.isEmpty()) return;
    FileOutput out(file);
    out.write(
        "event,phase,operator,module,dtype,shape,seconds,bytes,min,max,mean,std,nan,inf,peer,origin,setup "
        "seconds,first call,warm seconds,low,high\n");
    const auto times = bridge().warmTimes();
    const auto& recording = *bridge().recording();
    for (session::EventId id = 0; (id = model_->neighbour(id, 1)) != 0;) {
        const session::Event& event = recording.event(id);
        QStringList fields{QString::number(id), text(session::phase_name(event.phase)), text(event.op),
                           text(event.scope)};
        const session::Value* value = event.outputs.empty() ? nullptr : &recording.value(event.outputs.front());
        fields << (value ? text(value->dtype) : QString()) << (value ? shapeText(value->shape) : QString())
               << QString::number(event.duration, 'g', 9) << (value ? QString::number(value->bytes) : QString());
        if (value && value->statistics) {
            const auto& s = *value->statistics;
            if (s.finite) {
                for (const double number :
                     {s.finite->min, s.finite->max, s.finite->mean, s.finite->standard_deviation()})
                    fields << QString::number(number, 'g', 9);
            } else {
                fields << QStringList(4);
            }
            fields << QString::number(s.nan_count) << QString::number(s.inf_count);
        } else {
            fields << QStringList(6);
        }
        fields << QString::number(event.phase == session::RunPhase::Forward ? recording.backward_peer(id) : event.peer);
        fields << text(session::not_finite_name(event.not_finite));
        fields << QString::number(event.setup.total(), 'g', 9) << QString::number(event.is_cold ? 1 : 0);
        const session::OperatorTime* time = times ? times->of(id) : nullptr;
        for (const double seconds : time ? std::array{time->median, time->low, time->high} : std::array{0.0, 0.0, 0.0})
            fields << (time ? QString::number(seconds, 'g', 9) : QString());
        for (QString& field : fields) field = csvField(field);
        out.write(fields.join(QLatin1Char(',')).toUtf8() + '\n');
    }
    if (const QString error = out.commit(); !error.isEmpty())
        bridge().addLog({SessionBridge::LogEntry::Level::Error, error.toStdString(), 0, -1, {}, {}});
}

void EventsView::exportTrace() {
    const QString file = QFileDialog::getSaveFileName(this, tr("Export as Chrome trace"), QStringLiteral("trace.json"),
                                                      tr("Chrome trace (*.json)"));
    if (!file.isEmpty()) writeTrace(file);
}

void EventsView::writeTrace(const QString& file) {
    const auto recording = bridge().recording();
    if (!recording) return;
    QThreadPool::globalInstance()->start(
        [recording, file, bridge = &this->bridge(), guard = QPointer<EventsView>(this)] {
            SessionBridge::LogEntry entry;
            entry.text =
                tr("The run was written to %1; ui.perfetto.dev and chrome://tracing open it.").arg(file).toStdString();
            try {
                session::write_chrome_trace(*recording, file.toStdString());
            } catch (const std::exception& error) {
                entry.level = SessionBridge::LogEntry::Level::Error;
                entry.text = error.what();
            }
            QMetaObject::invokeMethod(qApp, [entry, bridge, guard] {
                if (guard) bridge->addLog(entry);
            });
        });
}

}  // namespace loupe::views
