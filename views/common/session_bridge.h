// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Between the engine's thread and the window: owns the session, forwards its signals to the GUI thread, and holds the
// panels' shared state: the current event, with its module, node and value. For the GUI thread only.

#include <QObject>
#include <QPointer>
#include <QUndoStack>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "core/session/queries/tokenize.h"
#include "core/session/rank_files.h"
#include "core/session/session.h"

namespace loupe::views {

class SessionBridge : public QObject {
    Q_OBJECT

  public:
    using LogEntry = session::SessionListener::LogEntry;

    explicit SessionBridge(QObject* parent = nullptr);
    ~SessionBridge() override;

    // That of the current rank.
    session::Session& session() { return *seats_[seat_]->session; }

    // The ranks of a run are sessions side by side, in the order of their numbers: one of them is current, and all that
    // this bridge says is of it. A program of one process has one.
    std::size_t seatCount() const { return seats_.size(); }
    std::size_t currentSeat() const { return seat_; }
    // Panels show that one from now on; what they keep by event is kept for each.
    void setCurrentSeat(std::size_t seat);
    session::Session& sessionAt(std::size_t seat) { return *seats_[seat]->session; }
    const session::Status& statusAt(std::size_t seat) const;
    // Null when there is none.
    std::shared_ptr<const session::Recording> recordingAt(std::size_t seat) const;
    // Its file, of recordings that were opened together; empty: it is known by its recording alone.
    const QString& fileAt(std::size_t seat) const { return seats_[seat]->file; }
    // The number of the rank.
    int rankAt(std::size_t seat) const;
    // Ranks of a program that runs: makes a session for each.
    using MakeSession = std::function<std::unique_ptr<session::Session>(std::size_t, session::SessionListener*)>;
    // process: what keeps them, until the last of their sessions is gone; kill() ends them all.
    void startRanks(std::size_t count, const MakeSession& make, std::shared_ptr<void> process,
                    std::function<void()> kill);
    // Their engines are there: they run, and are no recordings.
    bool hasRunningRanks() const { return kill_ranks_ != nullptr; }
    // Orders (run, step, stop, breakpoints) go to all of them, or to the current one alone.
    bool ordersAllRanks() const { return orders_all_; }
    void setOrdersAllRanks(bool all);

    const session::Status& status() const { return status_; }
    bool isBusy() const;  // opening or running
    bool isPaused() const { return status_.state == session::RunState::Paused; }
    // Behind the operator of Status::next_op: a condition on its output stopped there.
    bool isParkedBehind() const;
    // Null when there is none.
    const std::shared_ptr<const session::ModelInfo>& model() const { return model_; }
    const std::shared_ptr<const session::Recording>& recording() const { return recording_; }
    // Number of events that the panels know; 0 without a recording.
    std::size_t eventCount() const { return event_count_; }
    const std::deque<LogEntry>& log() const { return log_; }
    // Is the event of the entry one of the run that is shown?
    bool hasEventOf(const LogEntry& entry) const;
    // Null without a training.
    const std::shared_ptr<const session::TrainingLog>& training() const { return training_; }
    // The last compilation of the graph; null when there is none since the model was opened.
    const std::shared_ptr<const session::CompileReport>& compiled() const { return compiled_; }
    // Text that the model made; null: none since it was opened.
    const std::shared_ptr<const session::Generation>& generation() const { return generation_; }
    // Of a model of a folder with a tokenizer; others have an error that says why not. Asked for when it is opened.
    const session::TokenizedText& textModel() const { return text_model_; }
    bool takesText() const { return text_model_.error.empty() && !text_model_.tokens.empty(); }
    // Of the panels Text and Generation.
    const QString& prompt() const { return prompt_; }
    void setPrompt(const QString& prompt);
    bool isTraining() const { return status_.is_training; }
    // The model is as it was at an earlier step of its training: Session::look_at_step.
    bool isAtPastStep() const { return status_.training_end != 0; }

    // The selection. Setting one sets the others that follow from it; then emits currentChanged().
    session::EventId currentEvent() const { return event_; }
    const QString& currentModule() const { return module_; }  // path; empty is the root
    int currentNode() const { return node_; }                 // in GraphModel; -1 none
    session::ValueId currentValue() const { return value_; }
    const QString& currentSlice() const { return slice_; }  // of the value: "[0, 3]"; empty: all of it
    session::SourcePlace currentSource() const { return source_; }
    void setCurrentEvent(session::EventId event);
    void setCurrentModule(const QString& path);
    void setCurrentNode(int node);
    void setCurrentValue(session::ValueId value, const QString& slice = {});
    void setCurrentSource(const session::SourcePlace& place);
    void setBookmarks(std::vector<session::EventId> bookmarks);
    // Parameter, module or value by name: the target of a link. False for an unknown name.
    bool followLink(const QString& name);

    // The last event that ran.
    session::EventId reachedEvent() const { return status_.reached; }
    // Where the engine is parked or failed, for marks in panels: the last event that ran; 0 without a run.
    session::EventId parkedEvent() const;
    int parkedNode() const;  // of that event, in GraphModel; -1 none

    bool canGoBack() const { return history_at_ > 0; }
    bool canGoForward() const { return history_at_ + 1 < history_.size(); }
    void goBack();
    void goForward();
    const std::vector<session::EventId>& bookmarks() const { return bookmarks_; }
    void toggleBookmark(session::EventId event);
    // Words of the user's about events.
    const std::map<session::EventId, QString>& notes() const { return notes_; }
    void setNote(session::EventId event, const QString& note);  // empty: none

    QUndoStack* undoStack() { return &undo_; }

    // Options of the next run; the Inputs panel edits them.
    const session::RunOptions& runOptions() const { return options_; }
    void setRunOptions(const session::RunOptions& options);
    // The Train panel's data: `labels` that a loss may use.
    const session::DataSpec& trainingData() const { return training_data_; }
    void setTrainingData(const session::DataSpec& data);
    std::vector<session::InputSpec> inputs() const;
    void setInputs(const std::vector<session::InputSpec>& inputs);

    // build: of a model source, the expression that makes the model.
    void open(const QString& file, const QString& build = {});
    // The same of a model that a session before keeps in the folder, with its very weights: Session::open_kept.
    void openKept(const QString& file, const QString& build, const QString& folder);
    // Sets how a model source runs: evaluated, scripted or traced; formRefused() has the reason when it fails.
    void setForm(session::ModelForm form);
    // Reopens the current file, and runs it.
    void runAgain();
    // The same with another action after opening; skipped when opening fails.
    void openAgainThen(std::function<void()> then);
    // Ends what runs or is opened; what was to be done when it is open is not.
    void stop();

    // Edited texts of sources that are not saved, by file.
    const std::map<QString, QString>& sourceEdits() const { return edits_; }
    // nullopt: the file has this text.
    void setSourceEdit(const QString& file, std::optional<QString> text);
    // Restores one from a session: the panel takes it.
    void restoreSourceEdit(const QString& file, const QString& text);
    // Saves all of them. Empty, or the error.
    QString saveSourceEdits();
    void discardSourceEdits();
    // A source was saved here, but the model still has the text before.
    bool isModelBehindSource() const;
    // Did this window write the text into the file?
    bool wrote(const QString& file, const QString& text) const;
    // There are trained parameters, or a run, that no file contains.
    bool hasUnsavedTraining() const { return is_training_unsaved_; }
    bool hasUnsavedRun() const { return is_run_unsaved_ && event_count_ > 0; }
    void setUnsaved(bool training, bool run);
    void closeModel();
    // A checkpoint into the model there is.
    void loadWeights(const QString& file, bool strict, QObject* receiver,
                     std::function<void(session::WeightsReport)> reply);
    // To be called after a change of parameters or buffers: panels refresh them.
    void tellWeightsChanged() { emit weightsChanged(); }
    void train(const session::TrainOptions& options);
    void trainOn(const session::TrainOptions& options);
    // A step of the training again, and back to its end: Session::look_at_step.
    void lookAtStep(std::int64_t step);
    void returnToEnd();
    // Tokens of a text, each a run: Session::generate.
    void generate(const session::GenerateRequest& request);
    void pause();  // before the next operator
    // Ends the engine's process, of ranks all of them.
    void killEngine();
    void run();       // starts, or continues when parked
    void stepBack();  // selects the event before
    void step(session::StepKind kind);
    // From where it is parked, else in a new run; see Session::run_to.
    void runTo(const session::RunTarget& target);
    void runToBackward();
    void runToNan();
    void runToNode(int node);
    void runToEvent(session::EventId event);
    // From the current event, whose outputs are not finite, to the origin of its NaN or Inf; the log lists the path.
    void goToOrigin();
    // Empty: it leads somewhere. Else why not, a sentence without its end mark.
    QString whyNoOrigin() const;
    // Repeats the last run, so that its operators have warm times: timesChanged() when it begins and when it ends.
    // Empty, or why it cannot be done now.
    void timeProperly();
    QString whyNotTimed() const;
    bool isTiming() const { return is_timing_; }
    // Of the recording; null: it has the times of a first run only.
    std::shared_ptr<const session::OperatorTimes> warmTimes() const {
        return recording_ ? recording_->warm_times() : nullptr;
    }
    // For callers that measured with other settings.
    void tellTimesChanged() { emit timesChanged(); }

    // As the session holds them. Changing them can be undone.
    std::vector<session::Breakpoint> breakpoints() const;
    void addBreakpoint(session::Breakpoint breakpoint);
    void updateBreakpoint(const session::Breakpoint& breakpoint);
    void removeBreakpoint(int id);
    void toggleNodeBreakpoint(int node);
    void toggleLineBreakpoint(const QString& file, int line);

    // Brings a panel to the front: "kernels".
    void showPanel(const QString& id) { emit panelWanted(id); }
    // Brings the Explain panel to the front with the question where this element of a recorded value comes from.
    void explain(session::ValueId value, const session::Shape& index) {
        emit panelWanted(QStringLiteral("explain"));
        emit explanationWanted(value, index);
    }

    // Asks the session; reply and progress are delivered in the GUI thread, unless the receiver is destroyed.
    template <typename Query>
    void ask(const QString& tag, Query query, QObject* receiver, std::function<void(typename Query::Answer)> reply,
             std::function<void(session::ProgressOf<Query>)> progress = {}) {
        askAt(seat_, tag, std::move(query), receiver, std::move(reply), std::move(progress));
    }
    // The same of any rank's. What another rank than the current one was asked as the current one is not delivered.
    template <typename Query>
    void askAt(std::size_t seat, const QString& tag, Query query, QObject* receiver,
               std::function<void(typename Query::Answer)> reply,
               std::function<void(session::ProgressOf<Query>)> progress = {}) {
        sessionAt(seat).ask(tag.toStdString(), std::move(query), marshal(seat, receiver, std::move(reply)),
                            progress ? marshal(seat, receiver, std::move(progress)) : nullptr);
    }
    // Writes the last run as a file that open() takes. attached: text that is kept with it. The reply is empty, or
    // says why not.
    void saveRecording(const QString& file, const QString& attached, QObject* receiver,
                       std::function<void(std::string)> reply);

    // Shows a model and a recording from elsewhere, for tests.
    void show(std::shared_ptr<const session::ModelInfo> model, std::shared_ptr<const session::Recording> recording);
    void addLog(const LogEntry& entry);
    // Those of a session before: they stand before those of this one.
    void addOlderLog(const std::vector<LogEntry>& entries);
    // The checkpoint that was loaded into the model last; empty when none was.
    const QString& loadedWeights() const { return loaded_weights_; }

  signals:
    // Which ranks there are, or which one is current.
    void seatsChanged();
    // Of any rank: another recording, more events, another status.
    void seatGrown(std::size_t seat);
    void statusChanged();
    void modelChanged();
    void recordingChanged();
    void eventsGrown();
    void trainingChanged();
    // Parameters or buffers have changed without a run.
    void weightsChanged();
    void timesChanged();
    void compiledChanged();
    void generationChanged();
    void promptChanged();
    void textModelChanged();
    void formRefused(const QString& why);
    // The last of log() is new.
    void logAdded();
    void olderLogAdded(const std::vector<LogEntry>& entries);
    void currentChanged();
    void bookmarksChanged();  // or notes
    void breakpointsChanged();
    void inputsChanged();
    void runOptionsChanged();
    void trainingDataChanged();
    void panelWanted(const QString& id);
    // In a window of its own.
    void fileWanted(const QString& file);
    void unsavedChanged();
    void sourceSaved(const QString& file);
    void sourceEditsDiscarded();
    // Shows a source with this unsaved text, of an earlier session.
    void sourceEditRestored(const QString& file);
    // A run or a training begins on the text that a source had before it was edited.
    void olderTextRuns();
    // The current value of a parameter or buffer, by name.
    void tensorWanted(const QString& name);
    void explanationWanted(session::ValueId value, const session::Shape& index);

  private:
    class Listener;

    bool refuses(const session::Breakpoint& breakpoint);
    void takeStatus(const session::Status& status);
    void trimLog();
    void takeModel(std::shared_ptr<const session::ModelInfo> model);
    void takeRecording(std::shared_ptr<const session::Recording> recording);
    void askTextModel();
    void takeEvents();
    void selectWanted();
    void selectEvent(session::EventId event);
    void remember(session::EventId event);
    void tellOfOlderText();
    void useRelease(const QString& file);
    session::EventId findEvent(const std::function<bool(const session::Event&)>& matches) const;
    // Calls work in the GUI thread if the receiver still exists, and the rank that was asked.
    template <typename T>
    std::function<void(T)> marshal(std::size_t seat, QObject* receiver, std::function<void(T)> reply) {
        // The bridge outlives the engine's thread; the receiver may not, so it is looked at in the GUI thread only.
        return [this, guard = QPointer<QObject>(receiver), reply = std::move(reply), asked = seats_[seat]->number,
                turn = seat == seat_ ? turn_ : 0](T result) {
            QMetaObject::invokeMethod(
                this,
                [this, guard, reply, asked, turn, result = std::move(result)] {
                    if (guard && hasSeat(asked) && (turn == 0 || turn == turn_)) reply(result);
                },
                Qt::QueuedConnection);
        };
    }

    struct Seat {
        std::uint64_t number = 0;  // no other has had it
        int rank = 0;              // until its recording says so
        QString file;
        session::Status status;
        // As they were when another rank became current.
        session::EventId event = 0;
        std::vector<session::EventId> bookmarks;
        std::map<session::EventId, QString> notes;
        std::shared_ptr<void> process;  // that the session's engine is in, where it does not start its own
        std::unique_ptr<Listener> listener;
        std::unique_ptr<session::Session> session;  // stopped before its listener is destroyed
    };
    std::unique_ptr<Seat> makeSeat(const MakeSession& make, std::size_t index);
    bool hasSeat(std::uint64_t number) const;
    Seat* seatOf(std::uint64_t number);
    bool isCurrent(std::uint64_t number) const { return seats_[seat_]->number == number; }
    void replaceSeats(std::vector<std::unique_ptr<Seat>> seats, std::size_t current);
    void sit(std::size_t seat);
    // The seats that an order is for, the current one first.
    std::vector<std::size_t> orderedSeats() const;
    friend class BreakpointEdit;
    void openRanks(const std::vector<session::RankFile>& files, std::size_t current);
    void leaveRanks();
    void selectResult();
    void tellGrown(std::uint64_t number);
    void addLogOf(std::uint64_t number, LogEntry entry);

    session::Status status_;
    std::shared_ptr<const session::ModelInfo> model_;
    std::shared_ptr<const session::Recording> recording_;
    std::shared_ptr<const session::TrainingLog> training_;
    std::shared_ptr<const session::CompileReport> compiled_;
    std::shared_ptr<const session::Generation> generation_;
    session::TokenizedText text_model_;
    QString prompt_;
    std::size_t event_count_ = 0;
    session::EventId wanted_event_ = 0;  // of the previous step: selected again in the next one
    std::deque<LogEntry> log_;
    session::EventId event_ = 0;
    std::function<void()> when_open_;  // of the opening that was ordered last
    int openings_ = 0;
    std::map<QString, QString> edits_;
    std::map<QString, QString> written_;  // since the model was opened
    QString loaded_weights_;
    std::size_t older_log_ = 0;  // entries of a session before
    bool is_training_unsaved_ = false;
    bool is_run_unsaved_ = false;
    bool is_timing_ = false;
    std::string opened_;  // the file that was shown last
    QString module_;
    int node_ = -1;
    session::ValueId value_ = 0;
    QString slice_;
    session::SourcePlace source_;
    std::vector<session::EventId> history_;
    std::size_t history_at_ = 0;
    std::vector<session::EventId> bookmarks_;
    std::map<session::EventId, QString> notes_;
    session::RunOptions options_;
    session::DataSpec training_data_;
    QUndoStack undo_;
    std::uint64_t last_seat_ = 0;
    std::uint64_t turn_ = 1;  // of the current rank: changes with it
    std::size_t seat_ = 0;
    // The session of one process, which keeps what was set in it.
    std::uint64_t home_ = 0;
    bool orders_all_ = true;
    std::function<void()> kill_ranks_;
    std::unique_ptr<Seat> away_;                // that one, while it is none of the ranks
    std::vector<std::unique_ptr<Seat>> seats_;  // last: stopped before what listeners report to is destroyed
};

}  // namespace loupe::views
