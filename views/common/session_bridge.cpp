// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/common/session_bridge.h"

#include <QDateTime>
#include <QUndoCommand>
#include <algorithm>
#include <atomic>

#include "core/record/not_finite.h"
#include "core/session/condition.h"
#include "core/session/queries/load_weights.h"
#include "core/session/queries/operator_times.h"
#include "core/session/queries/save_recording.h"
#include "core/session/rank_files.h"
#include "core/study/verdict.h"
#include "views/common/engine_files.h"
#include "views/common/format.h"
#include "views/common/kept_release.h"

namespace loupe::views {

using session::Breakpoint;
using session::Event;
using session::EventId;
using session::RunState;

namespace {

constexpr std::size_t kMaxLog = 5000;
constexpr std::size_t kMaxHistory = 1000;

bool isBelow(std::string_view scope, std::string_view module) {
    if (module.empty()) return true;
    return scope.substr(0, module.size()) == module && (scope.size() == module.size() || scope[module.size()] == '.');
}

// Has it the same modules, and nodes in the same places? Then what is selected in one is in the other.
bool isSameModel(const session::ModelInfo& a, const session::ModelInfo& b) {
    if (a.title != b.title || a.modules.size() != b.modules.size() || (a.graph == nullptr) != (b.graph == nullptr))
        return false;
    for (std::size_t i = 0; i < a.modules.size(); ++i) {
        if (a.modules[i].path != b.modules[i].path || a.modules[i].class_name != b.modules[i].class_name) return false;
    }
    if (a.graph == nullptr) return true;
    if (a.graph->nodes.size() != b.graph->nodes.size()) return false;
    for (std::size_t i = 0; i < a.graph->nodes.size(); ++i) {
        if (a.graph->nodes[i].kind != b.graph->nodes[i].kind) return false;
    }
    return true;
}

// Of the breakpoint at the same place; 0: there is none.
int id_of(const session::Session& session, const Breakpoint& wanted) {
    for (const Breakpoint& each : session.breakpoints()) {
        if (each.kind == wanted.kind && each.graph_node == wanted.graph_node && each.text == wanted.text &&
            each.line == wanted.line && each.phase == wanted.phase)
            return each.id;
    }
    return 0;
}

}  // namespace

// Sets the breakpoints as they are after, or before, an edit.
class BreakpointEdit : public QUndoCommand {
  public:
    BreakpointEdit(SessionBridge& bridge, std::optional<Breakpoint> before, std::optional<Breakpoint> after)
        : bridge_(bridge), before_(std::move(before)), after_(std::move(after)) {
        setText(before_ ? (after_ ? QObject::tr("edit breakpoint") : QObject::tr("remove breakpoint"))
                        : QObject::tr("add breakpoint"));
    }
    void redo() override { change(before_, after_); }
    void undo() override { change(after_, before_); }

  private:
    void change(std::optional<Breakpoint>& from, std::optional<Breakpoint>& to) {
        const auto seats = bridge_.orderedSeats();
        for (const std::size_t seat : seats) {
            auto& session = bridge_.sessionAt(seat);
            const bool is_shown = seat == seats.front();
            // Another rank has given the same one a number of its own.
            const int id = from ? is_shown ? from->id : id_of(session, *from) : 0;
            if (from && to && id != 0) {
                Breakpoint changed = *to;
                changed.id = id;
                session.update_breakpoint(changed);
            } else if (from && id != 0) {
                session.remove_breakpoint(id);
            } else if (to && !from) {
                const int added = session.add_breakpoint(*to);
                if (is_shown) to->id = added;
            }
        }
        emit bridge_.breakpointsChanged();
    }

    SessionBridge& bridge_;
    std::optional<Breakpoint> before_;
    std::optional<Breakpoint> after_;
};

// Called on the engine's thread; forwards to the GUI thread, in order. What is said of another rank than the current
// one only counts as that it has gone on.
class SessionBridge::Listener : public session::SessionListener {
  public:
    Listener(SessionBridge* bridge, std::uint64_t seat) : bridge_(bridge), seat_(seat) {}

    void on_status(const session::Status& status) override {
        post([bridge = bridge_, seat = seat_, status] {
            Seat* own = bridge->seatOf(seat);
            if (own == nullptr) return;
            own->status = status;
            if (bridge->isCurrent(seat)) bridge->takeStatus(status);
            bridge->tellGrown(seat);
        });
    }
    void on_model(std::shared_ptr<const session::ModelInfo> model) override {
        post([bridge = bridge_, seat = seat_, model = std::move(model)] {
            if (bridge->isCurrent(seat)) bridge->takeModel(model);
        });
    }
    void on_recording(std::shared_ptr<const session::Recording> recording) override {
        post([bridge = bridge_, seat = seat_, recording = std::move(recording)] {
            if (bridge->isCurrent(seat)) bridge->takeRecording(recording);
            bridge->tellGrown(seat);
        });
    }
    void on_events(std::size_t) override {
        // One pending call suffices: it reads the count when it runs.
        if (waiting_.exchange(true)) return;
        post([this, bridge = bridge_, seat = seat_] {
            if (!bridge->hasSeat(seat)) return;
            waiting_ = false;
            if (bridge->isCurrent(seat)) bridge->takeEvents();
            bridge->tellGrown(seat);
        });
    }
    void on_training(std::shared_ptr<const session::TrainingLog> training) override {
        post([bridge = bridge_, seat = seat_, training = std::move(training)] {
            if (!bridge->isCurrent(seat)) return;
            bridge->training_ = training;
            const bool is_own = training && training->origin().program.name.empty();
            const bool has_learned = bridge->isTraining() && is_own && training->step_count() > 0;
            if (has_learned && !bridge->is_training_unsaved_) bridge->setUnsaved(true, bridge->is_run_unsaved_);
            emit bridge->trainingChanged();
        });
    }
    void on_compiled(std::shared_ptr<const session::CompileReport> report) override {
        post([bridge = bridge_, seat = seat_, report = std::move(report)] {
            if (!bridge->isCurrent(seat)) return;
            bridge->compiled_ = report;
            emit bridge->compiledChanged();
        });
    }
    void on_generation(std::shared_ptr<const session::Generation> generation) override {
        post([bridge = bridge_, seat = seat_, generation = std::move(generation)] {
            if (!bridge->isCurrent(seat)) return;
            bridge->generation_ = generation;
            emit bridge->generationChanged();
        });
    }
    void on_breakpoints() override {
        post([bridge = bridge_, seat = seat_] {
            if (bridge->isCurrent(seat)) emit bridge->breakpointsChanged();
        });
    }
    void on_log(const LogEntry& entry) override {
        post([bridge = bridge_, seat = seat_, entry] { bridge->addLogOf(seat, entry); });
    }

  private:
    template <typename Work>
    void post(Work work) {
        QMetaObject::invokeMethod(bridge_, std::move(work), Qt::QueuedConnection);
    }

    SessionBridge* bridge_;
    std::uint64_t seat_;
    std::atomic<bool> waiting_{false};
};

SessionBridge::SessionBridge(QObject* parent) : QObject(parent) {
    seats_.push_back(makeSeat({}, 0));
    home_ = seats_.front()->number;
}

SessionBridge::~SessionBridge() = default;

// --- ranks

std::unique_ptr<SessionBridge::Seat> SessionBridge::makeSeat(const MakeSession& make, std::size_t index) {
    auto seat = std::make_unique<Seat>();
    seat->number = ++last_seat_;
    seat->listener = std::make_unique<Listener>(this, seat->number);
    seat->session = make ? make(index, seat->listener.get()) : std::make_unique<session::Session>(seat->listener.get());
    return seat;
}

SessionBridge::Seat* SessionBridge::seatOf(std::uint64_t number) {
    for (const auto& seat : seats_) {
        if (seat->number == number) return seat.get();
    }
    return nullptr;
}

bool SessionBridge::hasSeat(std::uint64_t number) const {
    return std::any_of(seats_.begin(), seats_.end(), [&](const auto& seat) { return seat->number == number; });
}

void SessionBridge::tellGrown(std::uint64_t number) {
    for (std::size_t i = 0; i < seats_.size(); ++i) {
        if (seats_[i]->number == number) emit seatGrown(i);
    }
}

// Of another rank its number is said.
void SessionBridge::addLogOf(std::uint64_t number, LogEntry entry) {
    for (std::size_t i = 0; i < seats_.size(); ++i) {
        if (seats_[i]->number != number) continue;
        if (i != seat_) {
            entry.text = tr("Rank %1: %2").arg(rankAt(i)).arg(text(entry.text)).toStdString();
            entry.event = 0;
        }
        addLog(entry);
    }
}

const session::Status& SessionBridge::statusAt(std::size_t seat) const {
    return seat == seat_ ? status_ : seats_[seat]->status;
}

std::shared_ptr<const session::Recording> SessionBridge::recordingAt(std::size_t seat) const {
    return seat == seat_ ? recording_ : seats_[seat]->session->recording();
}

void SessionBridge::setCurrentSeat(std::size_t seat) {
    if (seat >= seats_.size() || seat == seat_) return;
    Seat& before = *seats_[seat_];
    before.status = status_;
    before.event = event_;
    before.bookmarks = bookmarks_;
    before.notes = notes_;
    sit(seat);
}

// The bridge says from now on what is of this one.
void SessionBridge::sit(std::size_t seat) {
    seat_ = seat;
    ++turn_;
    is_timing_ = false;
    Seat& now = *seats_[seat];
    const session::Status status = now.session->status();
    const auto model = now.session->model();
    status_ = status;
    // Ranks of one program have one model: panels keep what they have opened in it.
    if (model_ == nullptr || model == nullptr || !isSameModel(*model_, *model))
        takeModel(model);
    else
        model_ = model;
    takeRecording(now.session->recording());
    training_ = now.session->training();
    generation_ = now.session->generation();
    takeEvents();
    setBookmarks(now.bookmarks);
    notes_ = now.notes;
    emit bookmarksChanged();
    emit seatsChanged();
    takeStatus(status);
    if (now.event != 0)
        setCurrentEvent(now.event);
    else if (event_ == 0)
        selectResult();
    emit trainingChanged();
    emit generationChanged();
    emit breakpointsChanged();
}

void SessionBridge::replaceSeats(std::vector<std::unique_ptr<Seat>> seats, std::size_t current) {
    // Sessions that go end behind what they are asked; nothing of theirs is delivered any more.
    const auto gone = std::exchange(seats_, std::move(seats));
    seat_ = current;
    ++turn_;
    status_ = seats_[seat_]->session->status();
    emit seatsChanged();
}

// The session there is becomes that of the current one.
void SessionBridge::openRanks(const std::vector<session::RankFile>& files, std::size_t current) {
    leaveRanks();
    when_open_ = nullptr;
    std::vector<std::unique_ptr<Seat>> seats;
    for (std::size_t i = 0; i < files.size(); ++i) {
        seats.push_back(i == current ? std::move(seats_[seat_]) : makeSeat({}, i));
        seats.back()->file = QString::fromStdString(files[i].path.string());
        seats.back()->rank = files[i].named;
    }
    replaceSeats(std::move(seats), current);
    for (const auto& seat : seats_) seat->session->open(seat->file.toStdString());
}

void SessionBridge::startRanks(std::size_t count, const MakeSession& make, std::shared_ptr<void> process,
                               std::function<void()> kill) {
    leaveRanks();
    when_open_ = nullptr;
    away_ = std::move(seats_[seat_]);
    std::vector<std::unique_ptr<Seat>> seats;
    for (std::size_t i = 0; i < count; ++i) {
        seats.push_back(makeSeat(make, i));
        seats.back()->rank = static_cast<int>(i);
        seats.back()->process = process;
    }
    kill_ranks_ = std::move(kill);
    replaceSeats(std::move(seats), 0);
    takeModel(nullptr);
}

// One process from now on.
void SessionBridge::leaveRanks() {
    if (seats_.size() == 1 && !away_) return;
    kill_ranks_ = nullptr;
    std::vector<std::unique_ptr<Seat>> one;
    if (away_) one.push_back(std::move(away_));
    for (auto& seat : seats_) {
        if (one.empty() && seat->number == home_) one.push_back(std::move(seat));
    }
    std::erase(seats_, nullptr);
    one.front()->file.clear();
    one.front()->event = 0;
    replaceSeats(std::move(one), 0);
}

void SessionBridge::setOrdersAllRanks(bool all) {
    if (all == orders_all_) return;
    orders_all_ = all;
    emit seatsChanged();
}

std::vector<std::size_t> SessionBridge::orderedSeats() const {
    std::vector<std::size_t> seats{seat_};
    for (std::size_t i = 0; orders_all_ && hasRunningRanks() && i < seats_.size(); ++i) {
        if (i != seat_) seats.push_back(i);
    }
    return seats;
}

void SessionBridge::pause() {
    for (const std::size_t seat : orderedSeats()) sessionAt(seat).pause();
}

void SessionBridge::killEngine() {
    if (kill_ranks_)
        kill_ranks_();
    else
        session().kill_engine();
}

int SessionBridge::rankAt(std::size_t seat) const {
    const auto recording = recordingAt(seat);
    const auto facts = recording ? recording->rank() : nullptr;
    return facts ? facts->rank : seats_[seat]->rank;
}

bool SessionBridge::isBusy() const { return status_.state == RunState::Opening || status_.state == RunState::Running; }

// --- signals of the session

void SessionBridge::takeStatus(const session::Status& status) {
    const bool parked = status.state == RunState::Paused || status.state == RunState::Failed;
    const bool ended = status.state == RunState::Finished && status_.state != RunState::Finished;
    const bool has_moved = status.training_end != status_.training_end ||
                           (status.training_end != 0 && status.training_step != status_.training_step);
    status_ = status;
    takeEvents();
    if (parked && status.reached != 0 && status.reached <= event_count_) setCurrentEvent(status.reached);
    if (ended && event_ == 0) selectResult();
    emit statusChanged();
    if (has_moved) tellWeightsChanged();  // to another step of the training
    if (status.stopped_at_breakpoint != 0) emit breakpointsChanged();
}

// Of the forward run.
void SessionBridge::selectResult() {
    if (event_count_ == 0) return;
    const EventId last = findEvent([](const Event& event) { return event.phase == session::RunPhase::Backward; });
    setCurrentEvent(last > 1 ? last - 1 : static_cast<EventId>(event_count_));
}

EventId SessionBridge::parkedEvent() const {
    const bool stands = status_.state == RunState::Paused || status_.state == RunState::Failed;
    return stands && recording_ && status_.reached <= event_count_ ? status_.reached : 0;
}

bool SessionBridge::isParkedBehind() const {
    if (!isPaused() || status_.next_op.empty() || !recording_ || status_.reached == 0 ||
        status_.reached > recording_->event_count())
        return false;
    const session::Event& reached = recording_->event(status_.reached);
    return reached.op == status_.next_op && reached.graph_node == status_.next_node;
}

int SessionBridge::parkedNode() const {
    const EventId event = parkedEvent();
    return event != 0 ? recording_->event(event).graph_node : -1;
}

void SessionBridge::takeModel(std::shared_ptr<const session::ModelInfo> model) {
    // The same model: a source that was edited, or got its graph when its run began.
    const bool isSameFile = model && model->path == opened_ && model->recorded_in.empty();
    const bool isAgain = status_.state == RunState::Running || isSameFile;
    model_ = std::move(model);
    if (model_) opened_ = model_->path;
    if (!isTraining()) training_ = nullptr;
    if (!isAgain) {
        compiled_ = nullptr;
        edits_.clear();
        written_.clear();
        loaded_weights_.clear();
        is_training_unsaved_ = false;
    }
    for (std::size_t i = 0; model_ && i < model_->sources.size(); ++i) {
        const auto written = written_.find(text(model_->sources[i].name));
        if (written != written_.end() && written->second == text(model_->sources[i].text)) written_.erase(written);
    }
    takeRecording(nullptr);
    history_.clear();
    history_at_ = 0;
    options_.inputs.clear();
    if (!isAgain) options_.left_out.clear();
    if (model_ && !model_->methods.empty()) options_.method = model_->graph ? model_->graph->method : "forward";
    module_.clear();
    node_ = -1;
    source_ = {};
    if (!isAgain) undo_.clear();
    if (!isAgain) askTextModel();
    emit unsavedChanged();
    emit modelChanged();
    emit trainingChanged();
    emit inputsChanged();
    emit breakpointsChanged();
    emit currentChanged();
}

void SessionBridge::takeRecording(std::shared_ptr<const session::Recording> recording) {
    // The selection is kept from step to step of a training.
    wanted_event_ = isTraining() && recording ? std::max(event_, wanted_event_) : 0;
    recording_ = std::move(recording);
    // Steps of a training are not unsaved changes: the training is.
    is_run_unsaved_ = recording_ != nullptr && !isTraining() && model_ != nullptr && model_->recorded_in.empty();
    event_count_ = recording_ ? recording_->event_count() : 0;
    event_ = 0;
    value_ = 0;
    bookmarks_.clear();
    notes_.clear();
    history_.clear();
    history_at_ = 0;
    emit recordingChanged();
    emit bookmarksChanged();
    emit unsavedChanged();
    selectWanted();  // a short step is over before its recording gets here
}

void SessionBridge::takeEvents() {
    const std::size_t count = recording_ ? recording_->event_count() : 0;
    if (count == event_count_) return;
    const bool isFirst = event_count_ == 0;
    event_count_ = count;
    if (isFirst && is_run_unsaved_) emit unsavedChanged();
    emit eventsGrown();
    selectWanted();
}

void SessionBridge::selectWanted() {
    if (wanted_event_ == 0 || wanted_event_ > event_count_) return;
    selectEvent(std::exchange(wanted_event_, 0));
    emit currentChanged();
}

void SessionBridge::addLog(const LogEntry& entry) {
    log_.push_back(entry);
    if (LogEntry& added = log_.back(); added.time == 0) {
        added.time = QDateTime::currentMSecsSinceEpoch();
        added.recording = recording_;
    }
    trimLog();
    emit logAdded();
}

bool SessionBridge::hasEventOf(const LogEntry& entry) const {
    return entry.event != 0 && entry.event <= event_count_ && recording_ && entry.recording.lock() == recording_;
}

void SessionBridge::addOlderLog(const std::vector<LogEntry>& entries) {
    if (entries.empty()) return;
    log_.insert(log_.begin() + static_cast<std::ptrdiff_t>(older_log_), entries.begin(), entries.end());
    older_log_ += entries.size();
    trimLog();
    emit olderLogAdded(entries);
}

void SessionBridge::trimLog() {
    while (log_.size() > kMaxLog) {
        log_.pop_front();
        if (older_log_ > 0) --older_log_;
    }
}

void SessionBridge::show(std::shared_ptr<const session::ModelInfo> model,
                         std::shared_ptr<const session::Recording> recording) {
    takeModel(std::move(model));
    takeRecording(std::move(recording));
    if (event_count_ > 0) {
        status_.state = RunState::Finished;
        status_.reached = static_cast<EventId>(event_count_);
        emit statusChanged();
    }
}

// --- the current selection

EventId SessionBridge::findEvent(const std::function<bool(const Event&)>& matches) const {
    // In the current phase first, then in others.
    const auto phase = event_ != 0 ? recording_->event(event_).phase : session::RunPhase::Forward;
    EventId other = 0;
    for (EventId id = 1; id <= event_count_; ++id) {
        const Event& event = recording_->event(id);
        if (!matches(event)) continue;
        if (event.phase == phase) return id;
        if (other == 0) other = id;
    }
    return other;
}

void SessionBridge::selectEvent(EventId id) {
    event_ = id;
    slice_.clear();
    if (id == 0) return;
    const Event& event = recording_->event(id);
    module_ = text(event.scope);
    node_ = event.graph_node;
    value_ = event.outputs.empty() ? (event.inputs.empty() ? 0 : event.inputs.front()) : event.outputs.front();
    source_ = {std::string(event.source_file), event.source_line, 0};
}

void SessionBridge::remember(EventId event) {
    if (event == 0 || (!history_.empty() && history_[history_at_] == event)) return;
    if (!history_.empty()) history_.resize(history_at_ + 1);
    if (history_.size() == kMaxHistory) history_.erase(history_.begin());
    history_.push_back(event);
    history_at_ = history_.size() - 1;
}

void SessionBridge::setCurrentEvent(EventId event) {
    if (event > event_count_ || event == event_) return;
    selectEvent(event);
    remember(event);
    emit currentChanged();
}

void SessionBridge::setCurrentModule(const QString& path) {
    const std::string module = path.toStdString();
    if (event_count_ > 0) {
        const bool inside = event_ != 0 && isBelow(recording_->event(event_).scope, module);
        const EventId found =
            inside ? event_ : findEvent([&](const Event& event) { return isBelow(event.scope, module); });
        if (found != 0 && found != event_) {
            selectEvent(found);
            remember(found);
        }
    }
    module_ = path;
    emit currentChanged();
}

void SessionBridge::setCurrentNode(int node) {
    const bool known = model_ && model_->graph && node >= 0 && node < static_cast<int>(model_->graph->nodes.size());
    if (!known) return;
    const session::GraphNode& graph_node = model_->graph->nodes[static_cast<std::size_t>(node)];
    if (graph_node.is_group && !graph_node.scope.empty()) {
        setCurrentModule(QString::fromStdString(graph_node.scope));
        node_ = node;
        emit currentChanged();
        return;
    }
    if (const EventId found = findEvent([&](const Event& event) { return event.graph_node == node; })) {
        selectEvent(found);
        remember(found);
    } else {
        module_ = QString::fromStdString(graph_node.scope);
        source_ = graph_node.source;
    }
    node_ = node;
    emit currentChanged();
}

void SessionBridge::setCurrentValue(session::ValueId value, const QString& slice) {
    if (!recording_ || value == 0 || value > recording_->value_count()) return;
    const EventId producer = recording_->value(value).producer;
    if (producer != 0 && producer <= event_count_) {
        selectEvent(producer);
        remember(producer);
    }
    value_ = value;
    slice_ = slice;
    emit currentChanged();
}

void SessionBridge::setCurrentSource(const session::SourcePlace& place) {
    if (event_count_ > 0) {
        const EventId found = findEvent(
            [&](const Event& event) { return event.source_line == place.line && event.source_file == place.file; });
        if (found != 0) {
            selectEvent(found);
            remember(found);
        }
    }
    source_ = place;
    emit currentChanged();
}

bool SessionBridge::followLink(const QString& name) {
    const std::string wanted = name.toStdString();
    if (model_ && model_->find_module(wanted) >= 0) {
        setCurrentModule(name);
        return true;
    }
    for (session::ValueId id = 1; recording_ && id <= recording_->value_count(); ++id) {
        if (recording_->value(id).name != wanted) continue;
        setCurrentValue(id);
        return true;
    }
    // The current value of a parameter or buffer.
    if (!model_) return false;
    for (const auto& module : model_->modules) {
        for (const auto* tensors : {&module.parameters, &module.buffers}) {
            const bool is_here = std::any_of(tensors->begin(), tensors->end(),
                                             [&](const auto& tensor) { return tensor.name == wanted; });
            if (!is_here) continue;
            setCurrentModule(text(module.path));
            emit tensorWanted(name);
            return true;
        }
    }
    return false;
}

void SessionBridge::goBack() {
    if (!canGoBack()) return;
    selectEvent(history_[--history_at_]);
    emit currentChanged();
}

void SessionBridge::goForward() {
    if (!canGoForward()) return;
    selectEvent(history_[++history_at_]);
    emit currentChanged();
}

void SessionBridge::toggleBookmark(EventId event) {
    if (event == 0) return;
    const auto place = std::lower_bound(bookmarks_.begin(), bookmarks_.end(), event);
    if (place != bookmarks_.end() && *place == event) {
        bookmarks_.erase(place);
    } else {
        bookmarks_.insert(place, event);
    }
    emit bookmarksChanged();
}

void SessionBridge::setBookmarks(std::vector<EventId> bookmarks) {
    std::erase_if(bookmarks, [this](EventId event) { return event == 0 || event > event_count_; });
    std::sort(bookmarks.begin(), bookmarks.end());
    bookmarks.erase(std::unique(bookmarks.begin(), bookmarks.end()), bookmarks.end());
    bookmarks_ = std::move(bookmarks);
    emit bookmarksChanged();
}

void SessionBridge::setNote(EventId event, const QString& note) {
    if (event == 0 || event > event_count_) return;
    if (note.trimmed().isEmpty())
        notes_.erase(event);
    else
        notes_[event] = note.trimmed();
    emit bookmarksChanged();
}

// --- unsaved changes

void SessionBridge::setUnsaved(bool training, bool run) {
    is_training_unsaved_ = training;
    is_run_unsaved_ = run;
    emit unsavedChanged();
}

void SessionBridge::setSourceEdit(const QString& file, std::optional<QString> text) {
    const auto known = edits_.find(file);
    const bool was_edited = known != edits_.end();
    if (text)
        edits_[file] = std::move(*text);
    else if (was_edited)
        edits_.erase(known);
    // Only the session keeper needs the text itself.
    if (was_edited || edits_.contains(file)) emit unsavedChanged();
}

void SessionBridge::restoreSourceEdit(const QString& file, const QString& text) {
    setSourceEdit(file, text);
    emit sourceEditRestored(file);
}

QString SessionBridge::saveSourceEdits() {
    const auto edits = edits_;
    for (const auto& [name, text] : edits) {
        if (const QString why = EngineFiles::write(name, text.toUtf8()); !why.isEmpty()) {
            addLog({.level = LogEntry::Level::Error, .text = why.toStdString(), .scope = {}, .source = {}});
            return why;
        }
        session().move_breakpoints(name.toStdString(), text.toStdString());
        written_[name] = text;
        edits_.erase(name);
        emit sourceSaved(name);
    }
    emit unsavedChanged();
    return {};
}

void SessionBridge::discardSourceEdits() {
    if (edits_.empty()) return;
    const auto edits = std::exchange(edits_, {});
    for (std::size_t i = 0; model_ && i < model_->sources.size(); ++i) {
        const session::SourceFile& source = model_->sources[i];
        if (edits.contains(text(source.name))) session().move_breakpoints(source.name, source.text);
    }
    emit sourceEditsDiscarded();
    emit unsavedChanged();
}

bool SessionBridge::isModelBehindSource() const {
    if (!model_) return false;
    return std::any_of(model_->sources.begin(), model_->sources.end(), [this](const session::SourceFile& source) {
        const auto found = written_.find(text(source.name));
        return found != written_.end() && found->second != text(source.text);
    });
}

bool SessionBridge::wrote(const QString& file, const QString& words) const {
    const auto found = written_.find(file);
    return found != written_.end() && found->second == words;
}

void SessionBridge::tellOfOlderText() {
    if (!edits_.empty() || isModelBehindSource()) emit olderTextRuns();
}

// --- requests to the session

void SessionBridge::setRunOptions(const session::RunOptions& options) {
    options_ = options;
    emit runOptionsChanged();
}

std::vector<session::InputSpec> SessionBridge::inputs() const { return seats_[seat_]->session->inputs(); }

void SessionBridge::setInputs(const std::vector<session::InputSpec>& inputs) {
    session().set_inputs(inputs);
    emit inputsChanged();
}

// Of a source, as it was chosen for it.
void SessionBridge::useRelease(const QString& file) {
    if (file.endsWith(QLatin1String(".py")))
        session().set_torch_release(file.toStdString(), recallRelease(file).toStdString());
}

// A recording with others of its run beside it is opened with them.
void SessionBridge::open(const QString& file, const QString& build) {
    const auto ranks = session::is_recording_name(file.toStdString()) ? session::rank_files(file.toStdString())
                                                                      : std::vector<session::RankFile>();
    if (ranks.size() > 1) {
        const auto own = std::find_if(ranks.begin(), ranks.end(), [&](const session::RankFile& each) {
            return each.path == std::filesystem::path(file.toStdString());
        });
        return openRanks(ranks, own != ranks.end() ? static_cast<std::size_t>(own - ranks.begin()) : 0);
    }
    leaveRanks();
    when_open_ = nullptr;
    useRelease(file);
    session().open(file.toStdString(), build.toStdString());
}

void SessionBridge::openKept(const QString& file, const QString& build, const QString& folder) {
    leaveRanks();
    when_open_ = nullptr;
    useRelease(file);
    session().open_kept(file.toStdString(), build.toStdString(), folder.toStdString());
}

void SessionBridge::train(const session::TrainOptions& options) {
    tellOfOlderText();
    session().train(options);
}
void SessionBridge::trainOn(const session::TrainOptions& options) {
    tellOfOlderText();
    session().train_on(options);
}
void SessionBridge::lookAtStep(std::int64_t step) { session().look_at_step(step); }
void SessionBridge::returnToEnd() { session().return_to_end(); }

void SessionBridge::runAgain() {
    openAgainThen([this] { run(); });
}

void SessionBridge::openAgainThen(std::function<void()> then) {
    if (!model_) return;
    when_open_ = std::move(then);
    // A run that is stopped for it ends in Ready too: only the opening itself says that it is done.
    const auto opened = [this, number = ++openings_] {
        if (number != openings_ || !when_open_) return;
        std::exchange(when_open_, nullptr)();
    };
    session().open(model_->path, {}, [this, opened] { QMetaObject::invokeMethod(this, opened, Qt::QueuedConnection); });
}

void SessionBridge::stop() {
    when_open_ = nullptr;
    for (const std::size_t seat : orderedSeats()) sessionAt(seat).stop();
}

void SessionBridge::setForm(session::ModelForm form) {
    session().set_form(form, marshal<std::string>(seat_, this, [this](const std::string& why) {
                           if (!why.empty()) emit formRefused(text(why));
                       }));
}

void SessionBridge::closeModel() {
    leaveRanks();
    when_open_ = nullptr;
    session().close();
}

void SessionBridge::run() {
    tellOfOlderText();
    for (const std::size_t seat : orderedSeats()) {
        if (statusAt(seat).state == RunState::Paused)
            sessionAt(seat).resume();
        else
            sessionAt(seat).run(options_);
    }
}

// Whether the model takes text.
void SessionBridge::askTextModel() {
    const bool was_text = takesText();
    text_model_ = {};
    if (was_text) emit textModelChanged();
    if (!model_ || !model_->recorded_in.empty()) return;
    ask(QStringLiteral("bridge.text"), session::TokenizeQuery{"a", {}}, this,
        [this, path = model_->path](const session::TokenizedText& answer) {
            if (!model_ || model_->path != path) return;
            text_model_ = answer;
            emit textModelChanged();
        });
}

void SessionBridge::generate(const session::GenerateRequest& request) {
    tellOfOlderText();
    session().generate(request);
}

void SessionBridge::setPrompt(const QString& prompt) {
    if (prompt == prompt_) return;
    prompt_ = prompt;
    emit promptChanged();
}

void SessionBridge::setTrainingData(const session::DataSpec& data) {
    training_data_ = data;
    emit trainingDataChanged();
}

void SessionBridge::step(session::StepKind kind) {
    if (!isPaused()) tellOfOlderText();
    for (const std::size_t seat : orderedSeats()) {
        const RunState state = statusAt(seat).state;
        // A rank that waits in a collective for another one comes to its own place when that one has come.
        if (state == RunState::Paused) {
            sessionAt(seat).step(kind);
        } else if (!isPaused() || state != RunState::Running) {
            // Without a run: the first step starts one and stops before its first operator.
            session::RunOptions options = options_;
            options.pause_at_start = true;
            sessionAt(seat).run(options);
        }
    }
}

void SessionBridge::stepBack() {
    if (event_ > 1) setCurrentEvent(event_ - 1);
}

QString SessionBridge::whyNoOrigin() const {
    if (!recording_ || event_ == 0) return tr("no event is selected");
    // Asked at every change of an action: the way itself may be as long as the run.
    return session::first_of_way(*recording_, event_) == 0 ? tr("the outputs of this event are finite") : QString();
}

void SessionBridge::goToOrigin() {
    if (!recording_ || event_ == 0) return;
    const auto way = session::trace_origin(*recording_, event_);
    if (way.empty()) return;
    const session::OriginStep origin = way.back();
    LogEntry entry;
    const bool isHere = way.size() == 1;
    if (isHere && session::is_origin(recording_->event(event_).not_finite))
        entry.text = session::explain(*recording_, event_).line();
    else
        entry.text = session::origin_text(*recording_, way);
    entry.event = origin.event;
    if (origin.event != 0) {
        entry.scope = std::string(recording_->event(origin.event).scope);
        entry.graph_node = recording_->event(origin.event).graph_node;
        setCurrentEvent(origin.event);
    } else {
        setCurrentValue(origin.value);
    }
    addLog(entry);
}

void SessionBridge::runTo(const session::RunTarget& target) {
    if (!isPaused()) tellOfOlderText();
    for (const std::size_t seat : orderedSeats()) {
        const RunState state = statusAt(seat).state;
        if (state == RunState::Paused) {
            sessionAt(seat).run_to(target);
        } else if (!isPaused() || state != RunState::Running) {
            session::RunOptions options = options_;
            options.pause_at_start = false;  // the target says where to stop
            sessionAt(seat).run(options, target);
        }
    }
}

void SessionBridge::runToBackward() {
    const bool is_in_training = isPaused() && isTraining();
    if (!is_in_training && !options_.backward) {
        session::RunOptions options = options_;
        options.backward = true;
        setRunOptions(options);
    }
    runTo(session::RunTarget::first_of(session::RunPhase::Backward));
}

void SessionBridge::runToNan() { runTo(session::RunTarget::nan()); }
void SessionBridge::runToEvent(EventId event) { runTo(session::RunTarget::before_event(event)); }
void SessionBridge::runToNode(int node) { runTo(session::RunTarget::node(node)); }

std::vector<Breakpoint> SessionBridge::breakpoints() const { return seats_[seat_]->session->breakpoints(); }

// A condition that cannot be met is not set: the log has the reason.
bool SessionBridge::refuses(const Breakpoint& breakpoint) {
    const auto problem = session::check_condition(breakpoint, model_.get());
    if (problem.text.empty()) return false;
    LogEntry entry;
    entry.level = LogEntry::Level::Error;
    entry.text = "the condition '" + breakpoint.condition + "' was not taken: " + problem.text;
    if (breakpoint.kind == Breakpoint::Kind::Line) entry.source = {breakpoint.text, breakpoint.line, 0};
    addLog(entry);
    return true;
}

void SessionBridge::addBreakpoint(Breakpoint breakpoint) {
    if (refuses(breakpoint)) return;
    undo_.push(new BreakpointEdit(*this, std::nullopt, std::move(breakpoint)));
}

void SessionBridge::updateBreakpoint(const Breakpoint& breakpoint) {
    if (refuses(breakpoint)) return;
    for (const Breakpoint& old : breakpoints()) {
        if (old.id == breakpoint.id) undo_.push(new BreakpointEdit(*this, old, breakpoint));
    }
}

void SessionBridge::removeBreakpoint(int id) {
    for (const Breakpoint& old : breakpoints()) {
        if (old.id == id) undo_.push(new BreakpointEdit(*this, old, std::nullopt));
    }
}

void SessionBridge::toggleNodeBreakpoint(int node) {
    for (const Breakpoint& old : breakpoints()) {
        if (old.kind == Breakpoint::Kind::Node && old.graph_node == node) return removeBreakpoint(old.id);
    }
    Breakpoint breakpoint;
    breakpoint.kind = Breakpoint::Kind::Node;
    breakpoint.graph_node = node;
    addBreakpoint(breakpoint);
}

void SessionBridge::toggleLineBreakpoint(const QString& file, int line) {
    const std::string name = file.toStdString();
    for (const Breakpoint& old : breakpoints()) {
        if (old.kind == Breakpoint::Kind::Line && old.text == name && old.line == line) return removeBreakpoint(old.id);
    }
    Breakpoint breakpoint;
    breakpoint.kind = Breakpoint::Kind::Line;
    breakpoint.text = name;
    breakpoint.line = line;
    addBreakpoint(breakpoint);
}

QString SessionBridge::whyNotTimed() const {
    if (!recording_ || recording_->event_count() == 0) return tr("nothing has run yet");
    if (is_timing_) return tr("it is being timed");
    if (isBusy() || isPaused()) return tr("a run is under way; stop it first");
    if (model_ && !model_->recorded_in.empty())
        return tr("a recording that was opened has no engine behind it; run it again first (F5)");
    return {};
}

void SessionBridge::timeProperly() {
    if (!whyNotTimed().isEmpty()) return;
    is_timing_ = true;
    emit timesChanged();
    ask(QStringLiteral("operator times"), session::OperatorTimesQuery{}, this,
        [this](const session::OperatorTimesReport& report) {
            is_timing_ = false;
            LogEntry entry;
            entry.level = report.error.empty() ? LogEntry::Level::Info : LogEntry::Level::Warning;
            if (!report.error.empty())
                entry.text = "not timed: " + report.error;
            else {
                entry.text = tr("all operators take %1: medians of %2, %3 to warm up")
                                 .arg(secondsText(report.times->seconds))
                                 .arg(counted(report.times->repeats, "warm run"))
                                 .arg(report.times->warmup)
                                 .toStdString();
                if (report.times->unmatched > 0)
                    entry.text +=
                        (report.times->unmatched == 1 ? tr("; 1 operator differs from run to run and has no time")
                                                      : tr("; %1 operators differ from run to run and have no time")
                                                            .arg(report.times->unmatched))
                            .toStdString();
            }
            addLog(entry);
            emit timesChanged();
        });
}

void SessionBridge::loadWeights(const QString& file, bool strict, QObject* receiver,
                                std::function<void(session::WeightsReport)> reply) {
    const auto tell = [this, reply = std::move(reply)](const session::WeightsReport& report) {
        if (report.error.empty()) {
            loaded_weights_ = text(report.file);
            emit weightsChanged();
        }
        reply(report);
    };
    ask(QStringLiteral("load weights"), session::LoadWeightsQuery{file.toStdString(), strict}, receiver, tell);
}

void SessionBridge::saveRecording(const QString& file, const QString& attached, QObject* receiver,
                                  std::function<void(std::string)> reply) {
    const auto answered = [this, reply = std::move(reply)](const std::string& failure) {
        if (failure.empty()) setUnsaved(is_training_unsaved_, false);
        reply(failure);
    };
    ask(QStringLiteral("save recording"), session::SaveRecordingQuery{file.toStdString(), attached.toStdString()},
        receiver, answered);
}

}  // namespace loupe::views
