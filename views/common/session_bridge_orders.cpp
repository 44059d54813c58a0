// SPDX-License-Identifier: GPL-3.0-or-later
// What the window orders and asks of its session.
#include <algorithm>

#include "core/session/queries/load_weights.h"
#include "core/session/queries/operator_times.h"
#include "core/session/queries/save_recording.h"
#include "views/common/engine_files.h"
#include "views/common/format.h"
#include "views/common/kept_release.h"
#include "views/common/ranks.h"
#include "views/common/session_bridge.h"

namespace loupe::views {

using session::Event;
using session::EventId;
using session::RunState;

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
    if (auto* steps = stepsOfAll(*this)) steps->let_go();
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
    if (auto* steps = stepsOfAll(*this))
        return steps->go_on([this](std::size_t seat) { sessionAt(seat).run(options_); });
    if (isPaused())
        session().resume();
    else
        session().run(options_);
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
    // Without a run: the first step starts one and stops before its first operator.
    session::RunOptions options = options_;
    options.pause_at_start = true;
    if (auto* steps = stepsOfAll(*this)) {
        if (const auto leader = steps->parked_leader(seat_)) return steps->step(*leader, kind);
        return steps->begin(seat_, [&](std::size_t seat) { sessionAt(seat).run(options); });
    }
    if (isPaused()) return session().step(kind);
    session().run(options);
}

void SessionBridge::stepBack() {
    if (event_ > 1) setCurrentEvent(event_ - 1);
}

void SessionBridge::runTo(const session::RunTarget& target) {
    if (!isPaused()) tellOfOlderText();
    session::RunOptions options = options_;
    options.pause_at_start = false;  // the target says where to stop
    if (auto* steps = stepsOfAll(*this)) {
        if (const auto leader = steps->parked_leader(seat_)) return steps->run_to(*leader, target);
        return steps->begin(seat_, [&](std::size_t seat) { sessionAt(seat).run(options, target); });
    }
    if (isPaused()) return session().run_to(target);
    session().run(options, target);
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
                entry.text = tr("not timed: %1").arg(text(report.error)).toStdString();
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
