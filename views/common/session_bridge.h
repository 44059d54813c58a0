// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Between the engine's thread and the window: owns the session, brings what it tells to the GUI thread, and holds what
// all panels share: the current event, with its module, node and value. Everything here belongs to the GUI thread.

#include <QObject>
#include <QPointer>
#include <QUndoStack>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "core/session/session.h"

namespace loupe::views {

class SessionBridge : public QObject {
    Q_OBJECT

  public:
    using LogEntry = session::SessionListener::LogEntry;

    explicit SessionBridge(QObject* parent = nullptr);
    ~SessionBridge() override;

    session::Session& session() { return *session_; }

    const session::Status& status() const { return status_; }
    bool isBusy() const;    // opening or running
    bool isPaused() const { return status_.state == session::RunState::Paused; }
    // Null when there is none.
    const std::shared_ptr<const session::ModelInfo>& model() const { return model_; }
    const std::shared_ptr<const session::Recording>& recording() const { return recording_; }
    // Events that the panels have been told of; 0 without a recording.
    std::size_t eventCount() const { return event_count_; }
    const std::deque<LogEntry>& log() const { return log_; }
    // Null when nothing was trained.
    const std::shared_ptr<const session::TrainingLog>& training() const { return training_; }
    // What the graph was compiled to last; null when it was not since the model was opened.
    const std::shared_ptr<const session::CompileReport>& compiled() const { return compiled_; }
    bool isTraining() const { return status_.is_training; }
    // The model is as it was at an earlier step of its training: Session::look_at_step.
    bool isAtPastStep() const { return status_.training_end != 0; }

    // What is selected. Setting one sets the others that follow from it; then currentChanged() is sent.
    session::EventId currentEvent() const { return event_; }
    const QString& currentModule() const { return module_; }  // path; empty is the root
    int currentNode() const { return node_; }                 // in GraphModel; -1 none
    session::ValueId currentValue() const { return value_; }
    session::SourcePlace currentSource() const { return source_; }
    void setCurrentEvent(session::EventId event);
    void setCurrentModule(const QString& path);
    void setCurrentNode(int node);
    void setCurrentValue(session::ValueId value);
    void setCurrentSource(const session::SourcePlace& place);
    void setBookmarks(std::vector<session::EventId> bookmarks);
    // Parameter, module or value by name: what a link leads to. False when nothing is called so.
    bool followLink(const QString& name);

    // The last event that ran.
    session::EventId reachedEvent() const { return status_.reached; }
    // Where the engine stands still, or failed, as every panel marks it: the last event that ran; 0 when none is under way.
    session::EventId parkedEvent() const;
    int parkedNode() const;  // of that event, in GraphModel; -1 none

    bool canGoBack() const { return history_at_ > 0; }
    bool canGoForward() const { return history_at_ + 1 < history_.size(); }
    void goBack();
    void goForward();
    const std::vector<session::EventId>& bookmarks() const { return bookmarks_; }
    void toggleBookmark(session::EventId event);

    QUndoStack* undoStack() { return &undo_; }

    // What the next run does; the Inputs panel edits it.
    const session::RunOptions& runOptions() const { return options_; }
    void setRunOptions(const session::RunOptions& options);
    // What the Train panel names: the `labels` that a loss may be held against.
    const session::DataSpec& trainingData() const { return training_data_; }
    void setTrainingData(const session::DataSpec& data);
    std::vector<session::InputSpec> inputs() const;
    void setInputs(const std::vector<session::InputSpec>& inputs);

    // build: of a model source, the expression that makes the model.
    void open(const QString& file, const QString& build = {});
    // A model source from now on runs evaluated, scripted or traced; formRefused() says why not.
    void setForm(session::ModelForm form);
    // Opens the file that is open again, as it is now, and runs it.
    void runAgain();
    // The same with something else to do when it is open; nothing is done when it does not open.
    void openAgainThen(std::function<void()> then);
    // Ends what runs or is opened; what was to be done when it is open is not.
    void stop();

    // Texts of sources that are edited and not yet written, by file.
    const std::map<QString, QString>& sourceEdits() const { return edits_; }
    // nullopt: the file has this text.
    void setSourceEdit(const QString& file, std::optional<QString> text);
    // As one that came back with a session: the panel takes it.
    void restoreSourceEdit(const QString& file, const QString& text);
    // Writes them all. Empty, or why one could not be written.
    QString saveSourceEdits();
    void discardSourceEdits();
    // A source was written here, and the model is still made of the text before.
    bool isModelBehindSource() const;
    // Did this window write the text into the file?
    bool wrote(const QString& file, const QString& text) const;
    // The model has learned, or there is a run, that no file holds.
    bool hasUnsavedTraining() const { return is_training_unsaved_; }
    bool hasUnsavedRun() const { return is_run_unsaved_ && event_count_ > 0; }
    void setUnsaved(bool training, bool run);
    void closeModel();
    // A checkpoint into the model there is.
    void loadWeights(const QString& file, bool strict, QObject* receiver, std::function<void(session::WeightsReport)> reply);
    // For who changed parameters or buffers: panels that show them look again.
    void tellWeightsChanged() { emit weightsChanged(); }
    void train(const session::TrainOptions& options);
    void trainOn(const session::TrainOptions& options);
    // A step of the training again, and back to its end: Session::look_at_step.
    void lookAtStep(std::int64_t step);
    void returnToEnd();
    void run();                 // starts, or continues when parked
    void stepBack();            // selects the event before
    void step(session::StepKind kind);
    void runToBackward();
    void runToNan();
    void runToNode(int node);
    void runToEvent(session::EventId event);
    // From the current event, whose outputs are not finite, to the one that made its NaN or Inf; the log lists the way.
    void goToOrigin();
    // Empty: it leads somewhere. Else why not, a sentence without its end mark.
    QString whyNoOrigin() const;
    // Repeats the last run, so that its operators have warm times: timesChanged() when it begins and when it ends. Empty, or
    // why it cannot be done now.
    void timeProperly();
    QString whyNotTimed() const;
    bool isTiming() const { return is_timing_; }
    // Of the recording; null: it has the times of a first run only.
    std::shared_ptr<const session::OperatorTimes> warmTimes() const { return recording_ ? recording_->warm_times() : nullptr; }
    // For who had them measured with something else.
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

    // Requests whose reply comes to the GUI thread, as long as the receiver lives.
    void requestTensor(const QString& tag, const session::TensorRequest& request, QObject* receiver,
                       std::function<void(session::TensorSlice)> reply);
    void requestGradients(const QString& tag, QObject* receiver,
                          std::function<void(std::vector<session::GradientRow>)> reply);
    void requestPasses(const QString& tag, const QString& pipeline, const QString& method, QObject* receiver,
                       std::function<void(session::PassTrace)> reply);
    void requestPassCheck(const QString& tag, const QString& pipeline, const QString& method, QObject* receiver,
                          std::function<void(session::PassChecks)> reply);
    void requestWatch(const QString& tag, const QString& expression, session::EventId at, QObject* receiver,
                      std::function<void(std::string)> reply);
    void requestSave(const QString& tag, const session::TensorRequest& what, const QString& file, QObject* receiver,
                     std::function<void(std::string)> reply);

    // Any other request: ask(reply) hands it to the session.
    template <typename T, typename Ask>
    void ask(QObject* receiver, std::function<void(T)> reply, Ask&& ask) {
        ask(marshal(receiver, std::move(reply)));
    }

    void requestSaveRecording(const QString& file, QObject* receiver, std::function<void(std::string)> reply);
    void requestKeepWritten(const QString& folder, const QString& to, QObject* receiver, std::function<void(std::string)> reply);

    // Shows a model and a recording that do not come from the session: tests do.
    void show(std::shared_ptr<const session::ModelInfo> model, std::shared_ptr<const session::Recording> recording);
    void addLog(const LogEntry& entry);
    // Those of a session before: they stand before those of this one.
    void addOlderLog(const std::vector<LogEntry>& entries);
    // The checkpoint that was loaded into the model last; empty when none was.
    const QString& loadedWeights() const { return loaded_weights_; }

  signals:
    void statusChanged();
    void modelChanged();
    void recordingChanged();
    void eventsGrown();
    void trainingChanged();
    // Parameters or buffers have other elements, though nothing ran.
    void weightsChanged();
    void timesChanged();
    void compiledChanged();
    void formRefused(const QString& why);
    // The last of log() is new.
    void logAdded();
    void olderLogAdded(const std::vector<LogEntry>& entries);
    void currentChanged();
    void bookmarksChanged();
    void breakpointsChanged();
    void inputsChanged();
    void runOptionsChanged();
    void trainingDataChanged();
    void panelWanted(const QString& id);
    void unsavedChanged();
    void sourceSaved(const QString& file);
    void sourceEditsDiscarded();
    // A source shall be shown with this text, not yet written: of a session before.
    void sourceEditRestored(const QString& file);
    // A run or a training begins on the text that a source had before it was edited.
    void olderTextRuns();
    // A parameter or buffer by name, to be looked at as it is now.
    void tensorWanted(const QString& name);

  private:
    class Listener;

    bool refuses(const session::Breakpoint& breakpoint);
    void takeStatus(const session::Status& status);
    void trimLog();
    void takeModel(std::shared_ptr<const session::ModelInfo> model);
    void takeRecording(std::shared_ptr<const session::Recording> recording);
    void takeEvents();
    void selectWanted();
    void selectEvent(session::EventId event);
    void remember(session::EventId event);
    void tellOfOlderText();
    session::EventId findEvent(const std::function<bool(const session::Event&)>& matches) const;
    // Calls work in the GUI thread if the receiver still lives there.
    template <typename T>
    std::function<void(T)> marshal(QObject* receiver, std::function<void(T)> reply) {
        // The bridge outlives the engine's thread; the receiver may not, so it is looked at in the GUI thread only.
        return [this, guard = QPointer<QObject>(receiver), reply = std::move(reply)](T result) {
            QMetaObject::invokeMethod(
                this,
                [guard, reply, result = std::move(result)] {
                    if (guard) reply(result);
                },
                Qt::QueuedConnection);
        };
    }

    session::Status status_;
    std::shared_ptr<const session::ModelInfo> model_;
    std::shared_ptr<const session::Recording> recording_;
    std::shared_ptr<const session::TrainingLog> training_;
    std::shared_ptr<const session::CompileReport> compiled_;
    std::size_t event_count_ = 0;
    session::EventId wanted_event_ = 0;  // of the step before: selected again in the one that is shown next
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
    session::SourcePlace source_;
    std::vector<session::EventId> history_;
    std::size_t history_at_ = 0;
    std::vector<session::EventId> bookmarks_;
    session::RunOptions options_;
    session::DataSpec training_data_;
    QUndoStack undo_;
    std::unique_ptr<Listener> listener_;
    std::unique_ptr<session::Session> session_;  // last: stops before what its listener writes to goes away
};

}  // namespace loupe::views
