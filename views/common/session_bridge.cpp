// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/common/session_bridge.h"

#include <QDateTime>
#include <algorithm>
#include <atomic>

#include "core/session/rank_files.h"
#include "core/study/verdict.h"
#include "views/common/engine_files.h"
#include "views/common/format.h"
#include "views/common/ranks.h"

namespace loupe::views {

using session::Breakpoint;
using session::Event;
using session::EventId;
using session::RunState;

namespace {

constexpr std::size_t kMaxLog = 5000;

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

}  // namespace

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
    if (auto* steps = stepsOfAll(*this)) steps->let_go();
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
    if (auto* steps = stepsOfAll(*this)) return steps->pause(seat_);
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

}  // namespace loupe::views
