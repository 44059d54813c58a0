// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/session_keeper.h"

#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QMainWindow>
#include <exception>

#include "app/window/docks.h"
#include "core/session/queries/attached_text.h"
#include "core/session/queries/restore_run.h"
#include "core/session/queries/restore_training.h"
#include "views/common/format.h"
#include "views/inputs/input_memory.h"
#include "views/watch/watch_model.h"
#include "views/watch/watch_view.h"

namespace loupe::window {

using session::Breakpoint;
using session::RunState;
using views::text;

namespace {

constexpr int kVersion = 1;
constexpr int kWriteEvery = 500;  // ms
constexpr std::size_t kMostLog = 300;
constexpr int kLongestNote = 4000;

QString base64(const QByteArray& bytes) { return QString::fromLatin1(bytes.toBase64()); }
QByteArray bytesOf(const QJsonValue& value) { return QByteArray::fromBase64(value.toString().toLatin1()); }
QString in(const QJsonObject& object, const char* key) { return object[QLatin1String(key)].toString(); }

QJsonObject breakpointJson(const Breakpoint& breakpoint) {
    QJsonObject object{{QStringLiteral("kind"), static_cast<int>(breakpoint.kind)},
                       {QStringLiteral("node"), breakpoint.graph_node},
                       {QStringLiteral("text"), text(breakpoint.text)},
                       {QStringLiteral("line"), breakpoint.line},
                       {QStringLiteral("condition"), text(breakpoint.condition)},
                       {QStringLiteral("ignore"), breakpoint.ignore_first},
                       {QStringLiteral("enabled"), breakpoint.enabled}};
    if (breakpoint.phase) object[QStringLiteral("phase")] = static_cast<int>(*breakpoint.phase);
    return object;
}

std::optional<Breakpoint> breakpointOf(const QJsonObject& object) {
    Breakpoint breakpoint;
    const int kind = object[QStringLiteral("kind")].toInt(-1);
    const int phase = object[QStringLiteral("phase")].toInt(-1);
    if (kind < 0 || kind > static_cast<int>(Breakpoint::Kind::NanOrInf) ||
        phase > static_cast<int>(session::RunPhase::Optimizer))
        return std::nullopt;
    breakpoint.kind = static_cast<Breakpoint::Kind>(kind);
    breakpoint.graph_node = object[QStringLiteral("node")].toInt(-1);
    breakpoint.text = in(object, "text").toStdString();
    breakpoint.line = object[QStringLiteral("line")].toInt();
    breakpoint.condition = in(object, "condition").toStdString();
    breakpoint.ignore_first = std::max(0, object[QStringLiteral("ignore")].toInt());
    breakpoint.enabled = object[QStringLiteral("enabled")].toBool(true);
    if (phase >= 0) breakpoint.phase = static_cast<session::RunPhase>(phase);
    return breakpoint;
}

QJsonObject logJson(const views::SessionBridge::LogEntry& entry, bool isOfShownRun) {
    return {{QStringLiteral("level"), static_cast<int>(entry.level)},
            {QStringLiteral("text"), text(entry.text)},
            {QStringLiteral("event"), static_cast<qint64>(entry.event)},
            {QStringLiteral("node"), entry.graph_node},
            {QStringLiteral("scope"), text(entry.scope)},
            {QStringLiteral("file"), text(entry.source.file)},
            {QStringLiteral("line"), entry.source.line},
            {QStringLiteral("details"), text(entry.details)},
            {QStringLiteral("time"), static_cast<qint64>(entry.time)},
            {QStringLiteral("ofShownRun"), isOfShownRun}};
}

views::SessionBridge::LogEntry logOf(const QJsonObject& object) {
    views::SessionBridge::LogEntry entry;
    entry.level =
        static_cast<views::SessionBridge::LogEntry::Level>(std::clamp(object[QStringLiteral("level")].toInt(), 0, 2));
    entry.text = in(object, "text").toStdString();
    entry.event = static_cast<session::EventId>(std::max<qint64>(0, object[QStringLiteral("event")].toInteger()));
    entry.graph_node = object[QStringLiteral("node")].toInt(-1);
    entry.scope = in(object, "scope").toStdString();
    entry.source = {in(object, "file").toStdString(), object[QStringLiteral("line")].toInt(), 0};
    entry.details = in(object, "details").toStdString();
    entry.time = std::max<qint64>(0, object[QStringLiteral("time")].toInteger());
    return entry;
}

// The file's identity, to detect changes.
QJsonObject fileJson(const QString& path) {
    const QFileInfo info(path);
    return {{QStringLiteral("bytes"), info.size()},
            {QStringLiteral("changed"), info.lastModified().toMSecsSinceEpoch()}};
}

views::WatchView* watchOf(Docks& docks) { return static_cast<views::WatchView*>(docks.view(QStringLiteral("watch"))); }

}  // namespace

SessionKeeper::SessionKeeper(views::SessionBridge& bridge, Docks& docks, QMainWindow& window)
    : QObject(&window), bridge_(bridge), docks_(docks), window_(window) {
    writer_.setMaxThreadCount(1);
    timer_.setSingleShot(true);
    timer_.setInterval(kWriteEvery);
    connect(&timer_, &QTimer::timeout, this, &SessionKeeper::write);
    using Bridge = views::SessionBridge;
    for (const auto signal : {&Bridge::modelChanged, &Bridge::statusChanged, &Bridge::currentChanged,
                              &Bridge::bookmarksChanged, &Bridge::breakpointsChanged, &Bridge::inputsChanged,
                              &Bridge::runOptionsChanged, &Bridge::unsavedChanged, &Bridge::logAdded}) {
        connect(&bridge_, signal, this, &SessionKeeper::markDirty);
    }
    connect(&bridge_, &Bridge::olderLogAdded, this, &SessionKeeper::markDirty);
    connect(watchOf(docks_)->findChild<views::WatchModel*>(), &views::WatchModel::expressionsChanged, this,
            &SessionKeeper::markDirty);
    connect(&docks_, &Docks::changed, this, &SessionKeeper::markDirty);
    connect(&bridge_, &Bridge::statusChanged, this, &SessionKeeper::onStatus);
    // After the panels, which first restore their settings of the model.
    connect(&bridge_, &Bridge::statusChanged, this, &SessionKeeper::takeRestarted, Qt::QueuedConnection);
    connect(&bridge_, &Bridge::modelChanged, this, &SessionKeeper::lookForShared);
    // Before the first run, so that it is saved from its beginning.
    connect(&bridge_, &Bridge::modelChanged, this, [this] {
        const bool isNew = is_keeping_ && !isRestoring() && bridge_.model() && !store_.hasFolder();
        if (isNew && !store_.folder().isEmpty()) bridge_.session().keep_in(store_.folder().toStdString());
    });
}

// --- writing

void SessionKeeper::start() {
    is_keeping_ = true;
    store_.clean();
    markDirty();
}

void SessionKeeper::markDirty() {
    emit changed();
    if (is_keeping_ && !isRestoring() && !timer_.isActive()) timer_.start();
}

QJsonObject SessionKeeper::state() const {
    const auto& model = bridge_.model();
    if (!model) return {};
    const session::Status& status = bridge_.status();
    const bool isRecorded = !model->recorded_in.empty();
    const QString path = text(isRecorded ? model->recorded_in : model->path);
    QJsonObject state{{QStringLiteral("version"), kVersion}, {QStringLiteral("closed"), was_closed_}};
    QJsonObject file = fileJson(path);
    file[QStringLiteral("path")] = path;
    file[QStringLiteral("recorded")] = isRecorded;
    file[QStringLiteral("build")] = text(model->built_with);
    file[QStringLiteral("form")] = static_cast<int>(model->form);
    file[QStringLiteral("weights")] = bridge_.loadedWeights();
    state[QStringLiteral("model")] = file;
    state[QStringLiteral("inputs")] = views::inputsJson(bridge_.inputs(), bridge_.runOptions());
    QJsonObject edits;
    for (const auto& [name, words] : bridge_.sourceEdits()) edits[name] = words;
    state[QStringLiteral("edits")] = edits;
    QJsonArray breakpoints;
    for (const Breakpoint& breakpoint : bridge_.breakpoints()) breakpoints.append(breakpointJson(breakpoint));
    state[QStringLiteral("breakpoints")] = breakpoints;
    QJsonObject elsewhere;
    for (const auto& [file, own] : bridge_.session().breakpoints_elsewhere()) {
        QJsonArray rows;
        for (const Breakpoint& breakpoint : own) rows.append(breakpointJson(breakpoint));
        elsewhere[text(file)] = rows;
    }
    state[QStringLiteral("breakpointsElsewhere")] = elsewhere;
    QJsonArray bookmarks;
    for (const session::EventId event : bridge_.bookmarks()) bookmarks.append(static_cast<qint64>(event));
    state[QStringLiteral("bookmarks")] = bookmarks;
    QJsonObject notes;
    for (const auto& [event, note] : bridge_.notes()) notes[QString::number(event)] = note;
    state[QStringLiteral("notes")] = notes;
    state[QStringLiteral("watches")] = QJsonArray::fromStringList(watchOf(docks_)->watches().expressions());
    state[QStringLiteral("current")] =
        QJsonObject{{QStringLiteral("event"), static_cast<qint64>(bridge_.currentEvent())},
                    {QStringLiteral("value"), static_cast<qint64>(bridge_.currentValue())},
                    {QStringLiteral("module"), bridge_.currentModule()},
                    {QStringLiteral("node"), bridge_.currentNode()},
                    {QStringLiteral("file"), text(bridge_.currentSource().file)},
                    {QStringLiteral("line"), bridge_.currentSource().line}};
    QString next = views::shortOpName(status.next_op);
    if (!next.isEmpty() && !status.next_scope.empty()) next += tr(" in %1").arg(text(status.next_scope));
    const auto& training = bridge_.training();
    state[QStringLiteral("run")] =
        QJsonObject{{QStringLiteral("state"), static_cast<int>(status.state)},
                    {QStringLiteral("events"), static_cast<qint64>(bridge_.eventCount())},
                    {QStringLiteral("reached"), static_cast<qint64>(status.reached)},
                    {QStringLiteral("next"), next},
                    {QStringLiteral("behind"), bridge_.isParkedBehind()},
                    {QStringLiteral("training"), bridge_.isTraining()},
                    {QStringLiteral("steps"), training ? static_cast<qint64>(training->step_count()) : 0},
                    {QStringLiteral("unsavedTraining"), bridge_.hasUnsavedTraining()},
                    {QStringLiteral("unsavedRun"), bridge_.hasUnsavedRun()}};
    QJsonObject views;
    for (const QDockWidget* dock : docks_.all()) {
        const QJsonObject panel = static_cast<const views::View*>(dock->widget())->keptState();
        if (!panel.isEmpty()) views[dock->objectName()] = panel;
    }
    state[QStringLiteral("panels")] = QJsonObject{{QStringLiteral("docks"), base64(docks_.layoutState())},
                                                  {QStringLiteral("window"), base64(window_.saveGeometry())},
                                                  {QStringLiteral("views"), views}};
    QJsonArray log;
    const auto& entries = bridge_.log();
    for (std::size_t i = entries.size() > kMostLog ? entries.size() - kMostLog : 0; i < entries.size(); ++i)
        log.append(logJson(entries[i], bridge_.hasEventOf(entries[i])));
    state[QStringLiteral("log")] = log;
    return state;
}

QString SessionKeeper::sharedState() const {
    const QJsonObject all = state();
    QJsonObject shared;
    for (const char* part : {"version", "bookmarks", "notes", "watches", "current", "panels"})
        shared[QLatin1String(part)] = all[QLatin1String(part)];
    return QString::fromUtf8(QJsonDocument(shared).toJson(QJsonDocument::Compact));
}

// A recording that was opened by the user, not by a session that comes back.
void SessionKeeper::lookForShared() {
    shared_ = {};
    if (isRestoring() || !bridge_.model() || bridge_.model()->recorded_in.empty()) return;
    bridge_.ask(QStringLiteral("shared state"), session::AttachedTextQuery{}, this, [this](const std::string& found) {
        shared_ = QJsonDocument::fromJson(QByteArray::fromStdString(found)).object();
        if (shared_[QStringLiteral("version")].toInt() != kVersion) shared_ = {};
        if (shared_.isEmpty() || !bridge_.model()) return;
        // Marks are the run's own; panels wait until they are asked for.
        wanted_ = shared_;
        takeMarks();
        wanted_ = {};
        QStringList parts;
        const auto bookmarks = static_cast<std::int64_t>(bridge_.bookmarks().size());
        const auto notes = static_cast<std::int64_t>(bridge_.notes().size());
        if (bookmarks > 0) parts += views::counted(bookmarks, "bookmark");
        if (notes > 0) parts += views::counted(notes, "note");
        emit sharedFound(parts.isEmpty() ? tr("This run was saved with its panels.")
                         : parts.size() == 1
                             ? tr("This run was saved with %1.").arg(parts.front())
                             : tr("This run was saved with %1 and %2.").arg(parts.front(), parts.back()));
    });
}

void SessionKeeper::takeSetup(const QJsonObject& state) {
    if (isRestoring() || !bridge_.model()) return;
    wanted_ = state;
    if (state.contains(QStringLiteral("breakpoints"))) takeBreakpoints();
    takeWatches();
    takePanels();
    wanted_ = {};
}

void SessionKeeper::takeMarks(const QJsonObject& state) {
    if (isRestoring()) return;
    wanted_ = state;
    takeMarks();
    wanted_ = {};
}

void SessionKeeper::takeWatches() {
    QStringList watches;
    for (const auto& watch : wanted_[QStringLiteral("watches")].toArray()) watches += watch.toString();
    watchOf(docks_)->watches().setExpressions(watches);
}

void SessionKeeper::takeShared() {
    if (shared_.isEmpty() || isRestoring() || !bridge_.model()) return;
    wanted_ = shared_;
    takeWatches();
    takePanels();
    takeCurrent();
    wanted_ = {};
}

// The text is made here, the file is written in the background: one write at a time, the newest last.
void SessionKeeper::write() {
    if (!is_keeping_ || isRestoring()) return;
    if (bridge_.status().state == RunState::Opening) return markDirty();
    const QJsonObject now = state();
    if (now.isEmpty()) {
        if (store_.hasFolder()) bridge_.session().keep_in({});
        writer_.waitForDone();  // else it writes where nothing is any more
        store_.drop();
        written_.clear();
        return;
    }
    const bool isNew = !store_.hasFolder();
    const QString folder = store_.folder();
    if (folder.isEmpty()) {
        is_keeping_ = false;
        bridge_.addLog({.level = views::SessionBridge::LogEntry::Level::Warning,
                        .text = tr("sessions are not kept: %1").arg(store_.error()).toStdString(),
                        .scope = {},
                        .source = {}});
        return;
    }
    if (isNew) bridge_.session().keep_in(folder.toStdString());
    const QByteArray bytes = QJsonDocument(now).toJson(QJsonDocument::Compact);
    if (bytes == written_) return;
    written_ = bytes;
    writer_.start([this, folder, bytes] {
        if (SessionStore::write(folder, bytes)) return;
        QMetaObject::invokeMethod(
            this, [this, folder] { tellOfFailure(folder); }, Qt::QueuedConnection);
    });
}

void SessionKeeper::tellOfFailure(const QString& folder) {
    // A folder may have been given up meanwhile.
    const bool isOurs = store_.hasFolder() && store_.folder() == folder;
    if (!isOurs || std::exchange(was_refused_, true)) return;
    bridge_.addLog({.level = views::SessionBridge::LogEntry::Level::Warning,
                    .text = tr("the session is not kept: %1 cannot be written").arg(folder).toStdString(),
                    .scope = {},
                    .source = {}});
}

void SessionKeeper::close() {
    if (!is_keeping_ || isRestoring()) return;
    was_closed_ = true;
    timer_.stop();
    const QJsonObject now = state();
    writer_.waitForDone();
    if (now.isEmpty()) return store_.drop();
    if (store_.folder().isEmpty()) return;
    is_keeping_ = false;
    SessionStore::write(store_.folder(), QJsonDocument(now).toJson(QJsonDocument::Compact));
}

// --- restoring

QString SessionKeeper::whereText(const QJsonObject& state) const {
    const QJsonObject run = state[QStringLiteral("run")].toObject();
    const auto was = static_cast<RunState>(run[QStringLiteral("state")].toInt());
    const qint64 events = run[QStringLiteral("events")].toInteger();
    const qint64 steps = run[QStringLiteral("steps")].toInteger();
    QStringList parts;
    if (was == RunState::Paused && !run[QStringLiteral("training")].toBool()) {
        const qint64 reached = run[QStringLiteral("reached")].toInteger();
        QString where = run[QStringLiteral("behind")].toBool() ? tr("stopped after #%1").arg(reached)
                                                               : tr("stopped before #%1").arg(reached + 1);
        if (const QString next = in(run, "next").trimmed(); !next.isEmpty()) where += QLatin1Char(' ') + next;
        parts += where;
    } else if (was == RunState::Running && !run[QStringLiteral("training")].toBool()) {
        parts += tr("in the middle of a run");
    } else if (was == RunState::Failed) {
        parts += tr("after a run that failed");
    } else if (events > 0) {
        parts += tr("after a run");
    }
    if (events > 0) parts += views::counted(events, "event");
    if (steps > 0) parts += tr("trained for %1").arg(views::counted(steps, "step"));
    const auto edits = state[QStringLiteral("edits")].toObject();
    for (auto edit = edits.begin(); edit != edits.end(); ++edit)
        parts += tr("%1 with edits that are not saved").arg(QFileInfo(edit.key()).fileName());
    const auto breakpoints = state[QStringLiteral("breakpoints")].toArray().size();
    if (breakpoints > 0) parts += views::counted(breakpoints, "breakpoint");
    return parts.join(QStringLiteral(", "));
}

std::optional<EndedSession> SessionKeeper::last() {
    QString damage;
    std::optional<EndedSession> newest;
    for (const SessionStore::Found& found : store_.ended()) {
        QJsonParseError error;
        const auto bytes = SessionStore::read(found.folder);
        const QJsonObject state = bytes ? QJsonDocument::fromJson(*bytes, &error).object() : QJsonObject();
        const QString path = in(state[QStringLiteral("model")].toObject(), "path");
        if (state[QStringLiteral("version")].toInt() != kVersion || path.isEmpty()) {
            SessionStore::mark(found.folder, SessionStore::Mark::Refused, true);
            const QString why = !bytes ? tr("it cannot be read")
                                : error.error != QJsonParseError::NoError
                                    ? tr("%1 at byte %2").arg(error.errorString()).arg(error.offset)
                                    : tr("it is not of this version");
            if (damage.isEmpty())
                damage =
                    tr("The last session cannot be restored, %1/state.json is damaged: %2.").arg(found.folder, why);
            continue;
        }
        newest = EndedSession{found.folder,
                              found.written,
                              state[QStringLiteral("closed")].toBool(),
                              !SessionStore::isMarked(found.folder, SessionStore::Mark::Restoring),
                              path,
                              whereText(state)};
        break;
    }
    if (!damage.isEmpty()) emit refused(damage);
    return newest;
}

void SessionKeeper::giveUp(const QString& why) {
    SessionStore::mark(restoring_, SessionStore::Mark::Restoring, false);
    writer_.waitForDone();
    store_.release();  // it may be restored another time
    written_.clear();
    restoring_.clear();
    wanted_ = {};
    step_ = Step::None;
    emit refused(why);
    markDirty();
}

void SessionKeeper::restore(const QString& folder) {
    const auto bytes = SessionStore::read(folder);
    wanted_ = bytes ? QJsonDocument::fromJson(*bytes).object() : QJsonObject();
    restoring_ = folder;
    const QJsonObject model = wanted_[QStringLiteral("model")].toObject();
    const QString path = in(model, "path");
    if (wanted_.isEmpty() || path.isEmpty())
        return giveUp(tr("The last session cannot be restored: its state is damaged."));
    if (!QFileInfo(path).isFile())
        return giveUp(tr("The last session cannot be restored: %1 is not there any more.").arg(path));
    bridge_.session().keep_in({});
    writer_.waitForDone();
    if (!store_.adopt(folder)) return giveUp(tr("The last session cannot be restored: another window has it."));
    SessionStore::mark(folder, SessionStore::Mark::Restoring, true);
    written_.clear();
    step_ = Step::Opening;
    has_begun_ = false;
    bridge_.openKept(path, in(model, "build"), folder);
}

void SessionKeeper::restartEngine(bool goesBack) {
    restart_ = Restart{state(), goesBack, false};
    bridge_.session().restart_engine(goesBack);
}

// First the model is there, then the run.
void SessionKeeper::takeRestarted() {
    if (!restart_) return;
    const session::Status& status = bridge_.status();
    const bool hasEnded = bridge_.session().engine_end().kind != session::EngineEnd::Kind::None;
    if (hasEnded || status.state == RunState::Opening) return;
    const auto& model = bridge_.model();
    const QString path = in(restart_->state[QStringLiteral("model")].toObject(), "path");
    const bool isOther = !model || (text(model->path) != path && text(model->recorded_in) != path);
    // A run that its user has begun is another one.
    if (isOther || (status.state == RunState::Running && !restart_->goesBack)) return restart_.reset();
    if (status.state == RunState::Running) return;
    wanted_ = restart_->state;
    if (!std::exchange(restart_->hasViews, true)) takeViews();
    const qint64 event = wanted_[QStringLiteral("current")].toObject()[QStringLiteral("event")].toInteger();
    const bool isBack = bridge_.eventCount() > 0;
    if (isBack) takeMarks();
    if (isBack || event == 0) {
        if (!restart_->goesBack) takeCurrent();
        restart_.reset();
    }
    wanted_ = {};
}

void SessionKeeper::onStatus() {
    if (step_ == Step::None) return;
    const session::Status& status = bridge_.status();
    if (status.state == RunState::Opening) has_begun_ = true;
    if (!has_begun_ || status.state == RunState::Opening || status.state == RunState::Running) return;
    const auto& model = bridge_.model();
    const QString path = in(wanted_[QStringLiteral("model")].toObject(), "path");
    const bool isThere = model && (text(model->path) == path || text(model->recorded_in) == path);
    if (!isThere) return giveUp(tr("The last session cannot be restored: %1").arg(text(status.error)));
    // After the panels, which first restore their settings of the model.
    const Step done = std::exchange(step_, Step::None);
    QTimer::singleShot(0, this, done == Step::Opening ? &SessionKeeper::takeModel : &SessionKeeper::takeTraining);
}

// Inputs before the form: a trace is made on them.
void SessionKeeper::takeModel() {
    const auto& model = bridge_.model();
    if (!model) return giveUp(tr("The last session cannot be restored: its model was closed."));
    const QJsonObject wanted = wanted_[QStringLiteral("model")].toObject();
    const auto inputs = views::inputsFromJson(wanted_[QStringLiteral("inputs")].toObject(), bridge_.runOptions());
    if (inputs && inputs->inputs.size() == bridge_.inputs().size()) {
        bridge_.setRunOptions(inputs->options);
        bridge_.setInputs(inputs->inputs);
    }
    const auto form = static_cast<session::ModelForm>(wanted[QStringLiteral("form")].toInt());
    const bool isOther = (form == session::ModelForm::Scripted || form == session::ModelForm::Traced) &&
                         model->form == session::ModelForm::Evaluated;
    if (!isOther) return takeTraining();
    step_ = Step::Forming;
    has_begun_ = false;
    bridge_.setForm(form);
}

void SessionKeeper::takeTraining() {
    const QString weights = in(wanted_[QStringLiteral("model")].toObject(), "weights");
    const QString checkpoint = restoring_ + QStringLiteral("/training.pt");
    const bool canRun = bridge_.model() && bridge_.model()->cannot_run.empty() && bridge_.model()->recorded_in.empty();
    // Where the session keeps the model its weights are there already.
    const bool isKept = QFileInfo(restoring_ + QStringLiteral("/model.pt")).isFile();
    if (canRun && !isKept && QFileInfo(weights).isFile()) {
        bridge_.loadWeights(weights, false, this, [](const session::WeightsReport&) {});
    }
    if (!canRun || !QFileInfo(checkpoint).isFile()) return takeRun();
    bridge_.ask(QStringLiteral("restore"), session::RestoreTrainingQuery{checkpoint.toStdString()}, this,
                [this](const std::string& failure) {
                    if (!failure.empty())
                        bridge_.addLog({.level = views::SessionBridge::LogEntry::Level::Warning,
                                        .text = failure,
                                        .scope = {},
                                        .source = {}});
                    bridge_.tellWeightsChanged();
                    takeRun();
                });
}

void SessionKeeper::takeRun() {
    const bool canRun = bridge_.model() && bridge_.model()->cannot_run.empty() && bridge_.model()->recorded_in.empty();
    if (!canRun) return takeRest({});
    bridge_.ask(QStringLiteral("restore"), session::RestoreRunQuery{restoring_.toStdString()}, this,
                [this](const session::RestoredRun& run) { takeRest(run); });
}

// In place of those that the window has.
void SessionKeeper::takeBreakpoints() {
    for (const Breakpoint& present : bridge_.breakpoints()) bridge_.session().remove_breakpoint(present.id);
    const auto breakpoints = wanted_[QStringLiteral("breakpoints")].toArray();
    const auto& graph = bridge_.model()->graph;
    for (const auto& each : breakpoints) {
        const auto breakpoint = breakpointOf(each.toObject());
        const bool isKnown = breakpoint && (breakpoint->kind != Breakpoint::Kind::Node ||
                                            (graph && breakpoint->graph_node < static_cast<int>(graph->nodes.size())));
        if (!isKnown) continue;
        try {
            bridge_.session().add_breakpoint(*breakpoint);
        } catch (const std::exception& error) {  // a condition that is none
            tellOfLoss(error.what());
        }
    }
    // Of other files: they wait for theirs to be opened.
    const auto elsewhere = wanted_[QStringLiteral("breakpointsElsewhere")].toObject();
    for (auto file = elsewhere.begin(); file != elsewhere.end(); ++file) {
        std::vector<Breakpoint> own;
        for (const auto& each : file->toArray()) {
            if (const auto breakpoint = breakpointOf(each.toObject())) own.push_back(*breakpoint);
        }
        try {
            bridge_.session().set_breakpoints_elsewhere(file.key().toStdString(), std::move(own));
        } catch (const std::exception& error) {
            tellOfLoss(error.what());
        }
    }
    emit bridge_.breakpointsChanged();
}

void SessionKeeper::tellOfLoss(const std::string& why) {
    bridge_.addLog({.level = views::SessionBridge::LogEntry::Level::Warning, .text = why, .scope = {}, .source = {}});
}

void SessionKeeper::takeLog() {
    std::vector<views::SessionBridge::LogEntry> entries;
    for (const auto& entry : wanted_[QStringLiteral("log")].toArray()) {
        auto& taken = entries.emplace_back(logOf(entry.toObject()));
        const bool isOfShownRun = entry.toObject()[QStringLiteral("ofShownRun")].toBool();
        if (!isOfShownRun || !bridge_.recording()) continue;
        if (taken.event > bridge_.eventCount())
            taken.event = 0;  // it was not kept
        else
            taken.recording = bridge_.recording();
    }
    bridge_.addOlderLog(entries);
}

void SessionKeeper::takePanels() {
    const QJsonObject panels = wanted_[QStringLiteral("panels")].toObject();
    if (isRestoring()) window_.restoreGeometry(bytesOf(panels[QStringLiteral("window")]));
    docks_.takeLayout(bytesOf(panels[QStringLiteral("docks")]));
    takeViews();
}

void SessionKeeper::takeViews() {
    const QJsonObject panels = wanted_[QStringLiteral("panels")].toObject();
    const QJsonObject views = panels[QStringLiteral("views")].toObject();
    for (QDockWidget* dock : docks_.all()) {
        const QJsonObject panel = views[dock->objectName()].toObject();
        if (!panel.isEmpty()) static_cast<views::View*>(dock->widget())->takeState(panel);
    }
}

void SessionKeeper::takeMarks() {
    std::vector<session::EventId> bookmarks;
    for (const auto& event : wanted_[QStringLiteral("bookmarks")].toArray())
        bookmarks.push_back(static_cast<session::EventId>(event.toInteger()));
    bridge_.setBookmarks(std::move(bookmarks));
    const QJsonObject notes = wanted_[QStringLiteral("notes")].toObject();
    for (auto note = notes.begin(); note != notes.end(); ++note)
        bridge_.setNote(note.key().toUInt(), note->toString().left(kLongestNote));
}

void SessionKeeper::takeCurrent() {
    const QJsonObject current = wanted_[QStringLiteral("current")].toObject();
    if (const qint64 event = current[QStringLiteral("event")].toInteger();
        event > 0 && event <= static_cast<qint64>(bridge_.eventCount())) {
        bridge_.setCurrentEvent(static_cast<session::EventId>(event));
        const qint64 value = current[QStringLiteral("value")].toInteger();
        const auto& recording = *bridge_.recording();
        const bool isItsOwn = value > 0 && value <= static_cast<qint64>(recording.value_count()) &&
                              recording.value(static_cast<session::ValueId>(value)).producer == event;
        if (isItsOwn) bridge_.setCurrentValue(static_cast<session::ValueId>(value));
    } else if (const int node = current[QStringLiteral("node")].toInt(-1); node >= 0) {
        bridge_.setCurrentNode(node);
    }
}

void SessionKeeper::takeRest(const session::RestoredRun& run) {
    if (!bridge_.model()) return giveUp(tr("The last session cannot be restored: its model was closed."));
    const QJsonObject model = wanted_[QStringLiteral("model")].toObject();
    // Edits first: breakpoints count in their lines.
    const auto edits = wanted_[QStringLiteral("edits")].toObject();
    for (auto edit = edits.begin(); edit != edits.end(); ++edit) {
        const std::string name = edit.key().toStdString();
        const auto& sources = bridge_.model()->sources;
        const bool isSource = std::any_of(sources.begin(), sources.end(), [&](const auto& source) {
            return source.is_editable && source.name == name;
        });
        if (!isSource) continue;
        bridge_.session().move_breakpoints(name, edit->toString().toStdString());
        bridge_.restoreSourceEdit(edit.key(), edit->toString());
    }
    takeBreakpoints();
    takeWatches();
    takePanels();
    takeMarks();
    takeCurrent();
    const QJsonObject was = wanted_[QStringLiteral("run")].toObject();
    bridge_.setUnsaved(was[QStringLiteral("unsavedTraining")].toBool() && bridge_.training() != nullptr,
                       was[QStringLiteral("unsavedRun")].toBool() && run.events > 0);
    takeLog();
    QStringList notes;
    if (!run.error.empty())
        notes += tr("the run did not come back: %1").arg(text(run.error));
    else if (!run.note.empty())
        notes += text(run.note);
    const QJsonObject file = fileJson(in(model, "path"));
    if (file[QStringLiteral("bytes")] != model[QStringLiteral("bytes")] ||
        file[QStringLiteral("changed")] != model[QStringLiteral("changed")]) {
        notes +=
            tr("%1 has changed since: the run is of the file as it was").arg(QFileInfo(in(model, "path")).fileName());
    }
    if (!run.other_model.empty())
        notes +=
            tr("the recorded run is of another model than the one that is open now: %1").arg(text(run.other_model));
    const QString where = whereText(wanted_);
    const bool wasParked = static_cast<RunState>(was[QStringLiteral("state")].toInt()) == RunState::Paused &&
                           !was[QStringLiteral("training")].toBool();
    const QString whatCame =
        where.isEmpty() ? tr("The session is restored") : tr("The session is restored: %1").arg(where);
    const QString facts = (QStringList(whatCame) + notes).join(QStringLiteral("; "));
    const QString said =
        run.events > 0 ? tr("%1. Nothing is running: F5 runs again.").arg(facts) : facts + QLatin1Char('.');
    bridge_.session().keep_in(restoring_.toStdString());
    SessionStore::mark(restoring_, SessionStore::Mark::Restoring, false);
    restoring_.clear();
    wanted_ = {};
    bridge_.addLog({.text = said.toStdString(), .scope = {}, .source = {}});
    emit restored(said, wasParked ? run.events : 0);
    markDirty();
}

}  // namespace loupe::window
