// SPDX-License-Identifier: Apache-2.0
#include "core/session/training_driver.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/base/cancel.h"
#include "core/base/counted.h"
#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/base/strings.h"
#include "core/model/script_output.h"
#include "core/record/running_place.h"
#include "core/session/kept_files.h"
#include "core/session/training_texts.h"
#include "core/train/training_sample.h"

namespace loupe::session {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kTellEvery = std::chrono::milliseconds(50);

double seconds_since(Clock::time_point from) { return std::chrono::duration<double>(Clock::now() - from).count(); }

// Says in which step this process is, for those who see it end.
class PlaceOfSteps {
  public:
    PlaceOfSteps() = default;
    PlaceOfSteps(const PlaceOfSteps&) = delete;
    PlaceOfSteps& operator=(const PlaceOfSteps&) = delete;
    ~PlaceOfSteps() { note(0); }
    void note(std::int64_t step) const {
        if (RunningPlace* place = running_place()) place->note_training_step(step);
    }
};

// When a step is recorded though no run parks in it: the first, the last, and one every so many seconds, for at most a
// tenth of the time.
class LookClock {
  public:
    bool is_due(const Trainer& trainer) const {
        const double every = trainer.options().look_every;
        if (every < 0) return false;
        const double since = seconds_since(looked_);
        // The last step is what stays to be looked at.
        const bool is_last = trainer.steps_done() + 1 == trainer.total_steps() && 10 * since >= every;
        return is_first_ || is_last || since >= std::max(every, 9 * cost_);
    }
    void pass(bool is_recorded, Clock::time_point began) {
        is_first_ = false;
        if (!is_recorded) return;
        looked_ = Clock::now();
        cost_ = std::chrono::duration<double>(looked_ - began).count();
    }

  private:
    Clock::time_point looked_ = Clock::now();
    double cost_ = 0;
    bool is_first_ = true;
};

}  // namespace

// --- the beginning ---

// What came after an earlier step, from which the training continues, stays as a training of its own.
void TrainingDriver::leave_past() {
    if (!training_.end) return;
    training_.forget_end();
    Trainer& trainer = *training_.trainer;
    const std::int64_t step = trainer.steps_done();
    const auto log = trainer.log()->until(step);
    TrainingOrigin origin = log->origin();
    origin.branch_of = origin.number;
    origin.branch_step = step;
    log->set_origin(std::move(origin));
    trainer.set_log(log);
    training_.states.drop_after(step);
    publisher_.add_training(log, model_.program()->info()->path);
}

void TrainingDriver::begin(const TrainOptions& options, TrainFrom from) {
    if (from == TrainFrom::Start || training_.trainer == nullptr) return begin_anew(options);
    leave_past();
    training_.trainer->go_on(options);
}

void TrainingDriver::begin_anew(const TrainOptions& options) {
    if (!options.data.path.empty()) model_.program()->permit_reading(options.data.path);
    recorder_.shown().step_to_measure.reset();  // it is of the trainer before
    training_.is_restored = false;
    training_.trainer = std::make_unique<Trainer>(model_.program(), options);
    training_.forget_end();
    training_.states.clear();
    const Trainer& trainer = *training_.trainer;
    const std::string& weights_from = model_.origin().weights_from;
    TrainingOrigin origin;
    origin.weights = weights_from.empty() ? "as opened" : weights_from;
    trainer.log()->set_origin(std::move(origin));
    trainer.log()->set_first_replayable(trainer.steps_done() + 1);
    publisher_.add_training(trainer.log(), model_.program()->info()->path);
    publisher_.log(Publisher::Level::Info, engine::said("training on %1", trainer.data_summary()));
    if (!options.resume.empty()) publisher_.log(Publisher::Level::Info, resumed_text(trainer, options.resume));
}

void TrainingDriver::train(const TrainOptions& options, TrainFrom from, std::int64_t pause_in) {
    if (!model_.program()) throw Error(ErrorKind::Usage, "no model is open", {.hint = "open a file first"});
    if (from == TrainFrom::Start && training_.end) {
        const std::string now = concat("the model is at step ", training_.trainer->steps_done());
        const std::string end = concat(" of a training that came to step ", training_.end->steps_done);
        throw Error(ErrorKind::Usage, concat(now, end, ", which would be lost"),
                    {.hint = "go back to its end, or go on from this step"});
    }
    publisher_.change_status([](Status& status) {
        status = Status{};
        status.state = RunState::Running;
        status.progress = engine::said("reading data");
        status.is_training = true;
    });
    recorder_.begin_control(false);
    set_thread_count(options.threads);
    begin(options, from);
    Trainer& trainer = *training_.trainer;
    const WarningScope warnings([this](const ScriptWarning& warning) {
        recorder_.log(Publisher::Level::Warning, warning.text, warning.source);
    });
    const runtime::PrintScope prints(recorder_.print_to_log());
    keeper_.begin_training();
    trainer.begin();
    publish_progress();
    const std::int64_t steps_before = trainer.steps_done();
    std::shared_ptr<const Verdict> verdict;
    const auto rest = [&] {
        trainer.rest();
        control_.end_run();
        if (trainer.steps_done() > 0) {
            model_.origin().weights_from = "trained";
            model_.origin().verdict.reset();
        }
        publish_progress();
        // Else the error has said it.
        if (publisher_.status().state != RunState::Failed) verdict = conclude(steps_before);
    };
    try {
        if (model_.program()->trace_with(trainer.batch().inputs)) model_.show_trace();
        keep_state(true);
        keeper_.keep_training_start();
        train_steps(pause_in);
    } catch (...) {
        rest();
        throw;
    }
    rest();
    publisher_.change_status([&](Status& status) {
        if (status.state != RunState::Failed) {
            status.state = RunState::Finished;
            status.verdict = verdict;
        }
        status.is_training = false;
        status.progress.clear();
        status.fraction = -1;
        clear_next_place(status);
    });
}

// --- its steps ---

// Steps from here on may be run again. must_stay: something may have been changed by hand since the last one.
void TrainingDriver::keep_state(bool must_stay) {
    const auto began = Clock::now();
    training_.states.add(training_.trainer->state(), must_stay);
    state_cost_ = seconds_since(began);
    work_since_state_ = 0;
}

void TrainingDriver::train_steps(std::int64_t pause_in) {
    Trainer& trainer = *training_.trainer;
    const PlaceOfSteps place;
    auto reported = Clock::now();
    LookClock looks;
    while (!trainer.is_done()) {
        check_cancelled();
        queue_.serve_requests();
        place.note(trainer.steps_done() + 1);
        if (trainer.steps_done() + 1 == pause_in) control_.order(RunTarget::next());
        const bool is_recorded = control_.wants_to_stop() || looks.is_due(trainer);
        const auto began = Clock::now();
        if (!train_step(is_recorded)) return;
        looks.pass(is_recorded, began);
        if (const auto epoch = trainer.end_epoch()) trainer.log()->add(*epoch);
        keeper_.keep_checkpoint();
        // Keeping states takes a hundredth of the time at most.
        work_since_state_ += seconds_since(began);
        const bool is_far = trainer.steps_done() - training_.states.last() >= training_.states.interval();
        if (is_far && work_since_state_ >= 100 * state_cost_) keep_state(false);
        if (Clock::now() - reported < kTellEvery && !trainer.is_done()) continue;
        reported = Clock::now();
        publish_progress();
    }
}

// False: its numbers are not finite, and the training ends at their origin.
bool TrainingDriver::train_step(bool is_recorded) {
    Trainer& trainer = *training_.trainer;
    TrainingStep done;
    Said wrong;
    bool has_begun = false;  // to change what is learned
    const auto step = [&] {
        wrong = trainer.compute();
        if (!wrong.empty() && trainer.options().stop_at_nan) return;
        wrong.clear();
        has_begun = true;
        // A step in which nothing parks is stopped behind the optimiser.
        std::optional<CancelScope> whole;
        if (!is_recorded) whole.emplace(nullptr);
        done = trainer.update();
    };
    // A step that is stopped in, or whose optimiser runs the model, may be left in the middle of the optimiser.
    std::optional<TrainerState> before;
    if (is_recorded || trainer.runs_model_in_update()) before = trainer.state();
    try {
        if (is_recorded)
            recorder_.record_step(trainer, settings_.options(), step);
        else
            step();
    } catch (const Error& error) {
        const CancelScope whole(nullptr);
        if (before && (is_recorded || has_begun))
            trainer.restore(*before);
        else
            trainer.undo();
        if (error.kind() == ErrorKind::Cancelled || is_recorded) throw;
        return train_step(true);  // once more, to be looked at
    }
    if (!wrong.empty()) {
        trainer.undo();
        find_origin(wrong);
        return false;
    }
    add_to_log(std::move(done), is_recorded);
    return true;
}

void TrainingDriver::add_to_log(TrainingStep done, bool is_recorded) {
    const Trainer& trainer = *training_.trainer;
    done.is_recorded = is_recorded;
    log_findings(trainer.log()->add(done, trainer.norms()));
    if (is_recorded)
        log_findings(
            trainer.log()->add(sample_training(model_.program()->module(), *recorder_.shown().recorder, done.step)));
}

void TrainingDriver::log_findings(const std::vector<TrainingFinding>& findings) {
    for (const TrainingFinding& finding : findings) {
        Publisher::LogEntry entry;
        entry.level = Publisher::Level::Warning;
        entry.text = finding.text;
        entry.training_step = finding.step;
        entry.training = training_.trainer->log();
        publisher_.log(std::move(entry));
    }
}

// The step whose numbers are not finite, once more and recorded whole. Ends Failed at the event that made the first.
void TrainingDriver::find_origin(const Said& what) {
    Trainer& trainer = *training_.trainer;
    recorder_.record_step(trainer, settings_.options(), [&trainer] { trainer.compute(); });
    trainer.undo();
    const Recording& recording = *recorder_.shown().recorder->recording();
    const TrainingFailure failure = explain_failure(
        engine::said("%1 at step %2 (epoch %3)", what, trainer.steps_done() + 1, trainer.epoch()), recording);
    publisher_.log(failure.entry);
    publisher_.change_status([&](Status& status) {
        status.verdict = failure.verdict;
        status.state = RunState::Failed;
        status.error = failure.text;
        status.why = engine::said("error");
        if (failure.entry.event != 0) status.reached = failure.entry.event;
    });
}

// --- what is said of it ---

void TrainingDriver::publish_progress() {
    const Trainer& trainer = *training_.trainer;
    publisher_.notify_training(trainer.log());
    const std::int64_t step = trainer.steps_done();
    const std::int64_t total = trainer.total_steps();
    publisher_.change_status([&](Status& status) {
        status.progress = engine::said("training: epoch %1 of %2, step %3 of %4", trainer.epoch(),
                                       trainer.options().epochs, step, total);
        status.fraction = total > 0 ? static_cast<double>(step) / static_cast<double>(total) : -1;
        status.training_step = step;
        status.training_end = 0;
    });
}

// Null: no step was done.
std::shared_ptr<const Verdict> TrainingDriver::conclude(std::int64_t steps_before) {
    const Trainer& trainer = *training_.trainer;
    if (trainer.steps_done() == steps_before) return nullptr;
    const TrainingVerdict verdict = trainer.log()->verdict();
    Publisher::LogEntry entry;
    entry.level = verdict.is_good ? Publisher::Level::Info : Publisher::Level::Warning;
    entry.text = concluded_text(trainer, verdict);
    entry.training_step = verdict.step;
    entry.training = trainer.log();
    Verdict out;
    out.severity = verdict.is_good ? Verdict::Severity::Good : Verdict::Severity::Warning;
    out.text = entry.text;
    publisher_.log(std::move(entry));
    return std::make_shared<const Verdict>(std::move(out));
}

// --- a training of a session before ---

// States that the training continued from: its steps can be run again. One that cannot be read is passed over.
void TrainingDriver::restore_starts(const std::filesystem::path& folder, std::int64_t steps_done) {
    for (const auto& [steps, file] : training_starts_in(folder)) {
        if (steps >= steps_done) break;
        try {
            const Trainer start(model_.program(), read_training_checkpoint(file, {}).options);
            if (start.steps_done() == steps) training_.states.add(start.state(), true);
        } catch (const Error& error) {
            if (error.kind() == ErrorKind::Cancelled) throw;
            training_.states.clear();  // steps behind it began with it
        }
    }
}

std::string TrainingDriver::restore(const std::filesystem::path& checkpoint) {
    try {
        return restore_from(checkpoint);
    } catch (const Error& error) {
        return error.what();
    }
}

// The data may be gone: then the weights come back alone.
std::string TrainingDriver::restore_from(const std::filesystem::path& file) {
    const std::shared_ptr<Program>& program = model_.program();
    const RunState state = publisher_.status().state;
    const bool is_free = program != nullptr && state != RunState::Paused && state != RunState::Running;
    if (!is_free) throw Error(ErrorKind::Usage, "no model is open that a training could come back to");
    const TrainingCheckpoint checkpoint = read_training_checkpoint(file, {});
    if (!checkpoint.options.data.path.empty()) program->permit_reading(checkpoint.options.data.path);
    training_.states.clear();
    try {
        training_.trainer.reset();
        restore_starts(file.parent_path(), checkpoint.step);
        training_.trainer = std::make_unique<Trainer>(program, checkpoint.options);
    } catch (const Error& error) {
        training_.trainer.reset();
        training_.states.clear();
        const WeightsReport report = program->load_weights(file, false);
        if (!report.error.empty()) return report.error;
        model_.origin().weights_from = "trained";
        return concat("the weights came back, the training did not: ", error.what());
    }
    training_.forget_end();
    training_.is_restored = true;
    const Trainer& trainer = *training_.trainer;
    TrainingOrigin origin;
    origin.weights = file.filename().string();
    trainer.log()->set_origin(std::move(origin));
    if (training_.states.count() > 0) trainer.log()->set_first_replayable(training_.states.first() + 1);
    publisher_.add_training(trainer.log(), program->info()->path);
    model_.origin().weights_from = "trained";
    model_.origin().other_model.clear();  // the weights are those of the checkpoint
    keeper_.note_checkpoint(trainer.steps_done());
    publisher_.notify_training(trainer.log());
    return {};
}

}  // namespace loupe::session
