// SPDX-License-Identifier: Apache-2.0
// The engine thread while a model is trained.
#include <algorithm>
#include <chrono>
#include <cstdio>

#include "core/base/counted.h"
#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/base/strings.h"
#include "core/model/script_output.h"
#include "core/record/compute_statistics.h"
#include "core/session/engine.h"
#include "core/study/verdict.h"
#include "core/train/training_sample.h"
#include "core/value/schema.h"

namespace loupe::session {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kTellEvery = std::chrono::milliseconds(50);

double seconds_since(Clock::time_point from) { return std::chrono::duration<double>(Clock::now() - from).count(); }

// The event to blame for numbers that are none; 0.
EventId origin_in(const Recording& recording) {
    const EventId blamed = blamed_event(recording);
    return blamed != 0 ? blamed : first_origin(recording);
}

std::string event_text(const Event& event) {
    return concat("#", event.id, " ", event.op, event.scope.empty() ? "" : concat(" in ", event.scope), ", ",
                  phase_name(event.phase));
}

std::string percent_text(double part) {
    char text[32];
    std::snprintf(text, sizeof text, "%.2f %%", 100 * part);
    return text;
}

}  // namespace

void Engine::train(const TrainOptions& options, TrainFrom from) {
    stop();
    enqueue({JobKind::Command, "run", [this, options, from] { do_train(options, from); }});
}

std::shared_ptr<const TrainingLog> Engine::training() const {
    const std::lock_guard lock(mutex_);
    return training_;
}

void Engine::tell_of_training() {
    if (listener_ != nullptr) listener_->on_training(trainer_->log());
    const std::int64_t step = trainer_->steps_done();
    const std::int64_t total = trainer_->total_steps();
    change_status([&](Status& status) {
        status.progress = concat("training: epoch ", trainer_->epoch(), " of ", trainer_->options().epochs, ", step ",
                                 step, " of ", total);
        status.fraction = total > 0 ? static_cast<double>(step) / static_cast<double>(total) : -1;
        status.training_step = step;
        status.training_end = 0;
    });
}

// What panels ask for while steps follow one another without a stop.
void Engine::serve_requests() {
    std::unique_lock lock(mutex_);
    for (int served = 0; served < 8 && !cancel_ && !quit_ && run_next_request(lock); ++served) {
    }
}

std::vector<std::shared_ptr<const TrainingLog>> Engine::trainings() const {
    const std::lock_guard lock(mutex_);
    return trainings_;
}

// One more of the model's trainings; those of another model are forgotten.
void Engine::enlist(std::shared_ptr<TrainingLog> log) {
    const std::string file = program_->info()->path;
    const std::lock_guard lock(mutex_);
    if (trainings_of_ != file) trainings_.clear();
    trainings_of_ = file;
    TrainingOrigin origin = log->origin();
    origin.number = trainings_.empty() ? 1 : trainings_.back()->origin().number + 1;
    log->set_origin(std::move(origin));
    trainings_.push_back(log);
    training_ = std::move(log);
    constexpr std::size_t kMost = 50;
    if (trainings_.size() > kMost) trainings_.erase(trainings_.begin());
}

// Training goes on from an earlier step: what came after it stays as a training of its own.
void Engine::leave_past() {
    if (!training_end_) return;
    training_end_.reset();
    end_run_.reset();
    const std::int64_t step = trainer_->steps_done();
    const auto log = trainer_->log()->until(step);
    TrainingOrigin origin = log->origin();
    origin.branch_of = origin.number;
    origin.branch_step = step;
    log->set_origin(std::move(origin));
    trainer_->set_log(log);
    training_states_.drop_after(step);
    enlist(log);
}

void Engine::begin_training(const TrainOptions& options, TrainFrom from) {
    if (from == TrainFrom::Here && trainer_ != nullptr) {
        leave_past();
        trainer_->go_on(options);
        return;
    }
    if (!options.data.path.empty()) program_->permit_reading(options.data.path);
    step_to_measure_.reset();  // it is of the trainer before
    is_training_back_ = false;
    trainer_ = std::make_unique<Trainer>(program_, options);
    training_end_.reset();
    end_run_.reset();
    training_states_.clear();
    const std::shared_ptr<TrainingLog>& log_of_it = trainer_->log();
    TrainingOrigin origin;
    origin.weights = weights_from_.empty() ? "as opened" : weights_from_;
    log_of_it->set_origin(std::move(origin));
    log_of_it->set_first_replayable(trainer_->steps_done() + 1);
    enlist(log_of_it);
    log({.level = SessionListener::LogEntry::Level::Info,
         .text = concat("training on ", trainer_->data_summary()),
         .scope = {},
         .source = {}});
    if (options.resume.empty()) return;
    const auto last = log_of_it->step(trainer_->steps_done());
    log({.level = SessionListener::LogEntry::Level::Info,
         .text = concat("resumed from ", options.resume, ": ", counted(trainer_->steps_done(), "step"), " done, epoch ",
                        trainer_->epoch(), last ? concat(", loss ", python_repr(last->loss)) : std::string(), "; of ",
                        counted(trainer_->options().epochs, "epoch"), ", goes on to step ", trainer_->total_steps()),
         .scope = {},
         .source = {}});
}

void Engine::do_train(const TrainOptions& options, TrainFrom from) {
    if (!program_) throw Error(ErrorKind::Usage, "no model is open", {.hint = "open a file first"});
    if (from == TrainFrom::Start && training_end_) {
        const std::string now = concat("the model is at step ", trainer_->steps_done());
        const std::string end = concat(" of a training that came to step ", training_end_->steps_done);
        throw Error(ErrorKind::Usage, concat(now, end, ", which would be lost"),
                    {.hint = "go back to its end, or go on from this step"});
    }
    change_status([](Status& status) {
        status = Status{};
        status.state = RunState::Running;
        status.progress = "reading data";
        status.is_training = true;
    });
    begin_control(false);
    set_thread_count(options.threads);
    begin_training(options, from);
    const WarningScope warnings([this](const ScriptWarning& warning) {
        log_of_run(SessionListener::LogEntry::Level::Warning, warning.text, warning.source);
    });
    const runtime::PrintScope prints(print_to_log());
    if (journal_ != nullptr) journal_->forget();  // what ran before has other weights
    checkpoint_step_ = -1;
    checkpoint_due_ = Clock::now() + std::chrono::seconds(2);
    trainer_->begin();
    tell_of_training();
    const std::int64_t steps_before = trainer_->steps_done();
    std::shared_ptr<const Verdict> verdict;
    const auto rest = [&] {
        trainer_->rest();
        control_.end_run();
        if (trainer_->steps_done() > 0) {
            weights_from_ = "trained";
            opening_verdict_.reset();
        }
        tell_of_training();
        if (status().state != RunState::Failed)
            verdict = log_training(*trainer_, steps_before);  // else the error has said it
    };
    try {
        if (program_->trace_with(trainer_->batch().inputs)) tell_of_trace();
        keep_state(*trainer_, true);
        keep_training_start();
        train_steps(*trainer_);
    } catch (...) {
        rest();
        throw;
    }
    rest();
    change_status([&](Status& status) {
        if (status.state != RunState::Failed) {
            status.state = RunState::Finished;
            status.verdict = verdict;
        }
        status.is_training = false;
        status.progress.clear();
        status.fraction = -1;
        status.next_node = -1;
        status.next_op.clear();
        status.next_scope.clear();
        status.next_source = {};
    });
}

// Steps from here on may be run again. must_stay: something may have been changed by hand since the last one.
void Engine::keep_state(Trainer& trainer, bool must_stay) {
    const auto began = Clock::now();
    training_states_.add(trainer.state(), must_stay);
    state_cost_ = seconds_since(began);
    work_since_state_ = 0;
}

void Engine::log_findings(const std::vector<TrainingFinding>& findings) {
    for (const TrainingFinding& finding : findings) {
        SessionListener::LogEntry entry;
        entry.level = SessionListener::LogEntry::Level::Warning;
        entry.text = finding.text;
        entry.training_step = finding.step;
        entry.training = trainer_->log();
        log(std::move(entry));
    }
}

// What it came to, in one line.
std::shared_ptr<const Verdict> Engine::log_training(const Trainer& trainer, std::int64_t steps_before) {
    const std::int64_t count = trainer.steps_done() - steps_before;
    if (count == 0) return nullptr;
    const TrainingVerdict verdict = trainer.log()->verdict();
    SessionListener::LogEntry entry;
    entry.level = verdict.is_good ? SessionListener::LogEntry::Level::Info : SessionListener::LogEntry::Level::Warning;
    entry.text = concat("the training ", trainer.is_done() ? "finished at step " : "was stopped at step ",
                        trainer.steps_done(), ": ", verdict.text);
    const auto epochs = trainer.log()->epochs();
    if (!epochs.empty()) {
        const TrainingEpoch& last = epochs.back();
        if (last.accuracy) entry.text += concat("; accuracy ", percent_text(*last.accuracy));
        if (last.held_out_loss)
            entry.text +=
                concat("; held out: loss ", python_repr(static_cast<double>(static_cast<float>(*last.held_out_loss))));
        if (last.held_out_accuracy) entry.text += concat(", accuracy ", percent_text(*last.held_out_accuracy));
    }
    entry.training_step = verdict.step;
    entry.training = trainer.log();
    Verdict out;
    out.severity = verdict.is_good ? Verdict::Severity::Good : Verdict::Severity::Warning;
    out.text = entry.text;
    log(std::move(entry));
    return std::make_shared<const Verdict>(std::move(out));
}

void Engine::train_steps(Trainer& trainer) {
    auto told = Clock::now();
    auto looked = Clock::now();
    double look_cost = 0;
    bool is_first = true;
    while (!trainer.is_done()) {
        check_cancelled();
        serve_requests();
        const double every = trainer.options().look_every;
        const bool is_time = every >= 0 && seconds_since(looked) >= std::max(every, 9 * look_cost);
        // The last step is what stays to be looked at.
        const bool is_last = trainer.steps_done() + 1 == trainer.total_steps() && 10 * seconds_since(looked) >= every;
        const bool recorded = control_.wants_to_stop() || (every >= 0 && (is_first || is_last)) || is_time;
        is_first = false;
        const auto began = Clock::now();
        if (!train_step(trainer, recorded)) return;
        if (recorded) {
            looked = Clock::now();
            look_cost = std::chrono::duration<double>(looked - began).count();
        }
        if (const auto epoch = trainer.end_epoch()) trainer.log()->add(*epoch);
        keep_checkpoint(false);
        // Keeping states takes a hundredth of the time at most.
        work_since_state_ += seconds_since(began);
        const bool is_far = trainer.steps_done() - training_states_.last() >= training_states_.interval();
        if (is_far && work_since_state_ >= 100 * state_cost_) keep_state(trainer, false);
        if (Clock::now() - told < kTellEvery && !trainer.is_done()) continue;
        told = Clock::now();
        tell_of_training();
    }
}

// False: its numbers are none, and the training ends at their origin.
bool Engine::train_step(Trainer& trainer, bool recorded) {
    TrainingStep done;
    std::string wrong;
    bool has_begun = false;  // to change what is learned
    const auto step = [&] {
        wrong = trainer.compute();
        if (!wrong.empty() && trainer.options().stop_at_nan) return;
        wrong.clear();
        has_begun = true;
        // One that nobody parks in is stopped behind the optimiser.
        std::optional<CancelScope> whole;
        if (!recorded) whole.emplace(nullptr);
        done = trainer.update();
    };
    // A step that is stopped in, or whose optimiser runs the model, may be left in the middle of the optimiser.
    std::optional<TrainerState> before;
    if (recorded || trainer.runs_model_in_update()) before = trainer.state();
    try {
        if (recorded)
            record_step(trainer, step);
        else
            step();
    } catch (const Error& error) {
        const CancelScope whole(nullptr);
        if (before && (recorded || has_begun))
            trainer.restore(*before);
        else
            trainer.undo();
        if (error.kind() == ErrorKind::Cancelled || recorded) throw;
        return train_step(trainer, true);  // once more, to be looked at
    }
    if (!wrong.empty()) {
        trainer.undo();
        find_origin(trainer, wrong);
        return false;
    }
    done.is_recorded = recorded;
    log_findings(trainer.log()->add(done, trainer.norms()));
    if (recorded) log_findings(trainer.log()->add(sample_training(program_->module(), *recorder_, done.step)));
    return true;
}

// Of the step of a training that was recorded last, else of the model on its inputs.
WhatIfMeasurement Engine::measure_what_if(const std::shared_ptr<Program>& program, const std::vector<WhatIf>& changes) {
    if (!step_to_measure_ || trainer_ == nullptr) {
        RunOptions options = last_options();
        options.inputs = inputs();
        return session::measure_what_if(program, run_to_measure(program, options), changes);
    }
    trainer_->begin();
    const struct Rest {
        Trainer& trainer;
        ~Rest() { trainer.rest(); }
    } rest{*trainer_};
    return session::measure_what_if(program, *step_to_measure_, changes);
}

void Engine::record_step(Trainer& trainer, const std::function<void()>& step) {
    forget_run();
    method_ = trainer.method();
    arguments_ = trainer.arguments();
    ran_ = RunOptions{};
    ran_.method = program_->default_method();
    ran_.backward = true;
    ran_.training = true;
    recorder_ = std::make_unique<Recorder>(RecorderOptions{true, true, {}, last_options().left_out},
                                           method_->build_graph(), &control_,
                                           [this](const StopPoint& next, const StopReason& why) { park(next, why); });
    {
        const std::lock_guard lock(mutex_);
        recording_ = recorder_->recording();
    }
    name_existing_tensors(*recorder_, program_->module(), arguments_, trainer.schema());
    if (trainer.loss()) recorder_->name_modules(*trainer.loss(), "loss");
    start_ = std::make_unique<RunStart>(program_->module(), arguments_, trainer.schema());
    body_ = trainer.body();
    step_to_measure_ = MeasuredRun{
        .method = method_,
        .schema = trainer.schema(),
        .arguments = [arguments = arguments_] { return arguments; },
        .forward =
            [&trainer](std::vector<IValue> arguments) { return trainer.roots_of(trainer.loss(std::move(arguments))); }};
    if (listener_ != nullptr) {
        listener_->on_recording(recorder_->recording());
        recorder_->set_progress([this](std::size_t events) { listener_->on_events(events); });
    }
    keep_run(RunJournal::When::WhenAsked);
    const auto finish = [this] {
        recorder_->finish();
        recorder_->protect_existing();
        const auto reached = static_cast<EventId>(recorder_->recording()->event_count());
        change_status([&](Status& status) { status.reached = reached; });
    };
    try {
        const ObserverScope observed(recorder_.get());
        const StatementScope statements(*program_, *recorder_);
        step();
    } catch (const Error& error) {
        run_failed_ = error.kind() != ErrorKind::Cancelled;  // as in run_recorded
        finish();
        throw;
    } catch (...) {
        run_failed_ = true;
        finish();
        throw;
    }
    finish();
}

// The step whose numbers are none, once more and recorded whole. Ends Failed at the event that made the first of them.
void Engine::find_origin(Trainer& trainer, const std::string& what) {
    record_step(trainer, [&trainer] { trainer.compute(); });
    const Recording& recording = *recorder_->recording();
    const EventId origin = origin_in(recording);
    trainer.undo();
    const std::string wrong = concat(what, " at step ", trainer.steps_done() + 1, " (epoch ", trainer.epoch(), ")");
    std::string text = wrong;
    if (const std::string bad = bad_before(recording); !bad.empty()) text += concat("; ", bad, " before the step");
    if (origin != 0)
        text += concat("; it began at ", event_text(recording.event(origin)));
    else
        text += "; it did not come again when the step was repeated";
    const auto verdict = std::make_shared<Verdict>(conclude_training(wrong, recording));
    SessionListener::LogEntry entry;
    entry.level = SessionListener::LogEntry::Level::Error;
    entry.text = concat(verdict->line(), "; the model is as it was before the step");
    entry.event = origin;
    if (origin != 0) {
        const Event& event = recording.event(origin);
        entry.graph_node = event.graph_node;
        entry.scope = std::string(event.scope);
        entry.source = {std::string(event.source_file), event.source_line, 0};
    }
    log(entry);
    change_status([&](Status& status) {
        status.verdict = verdict;
        status.state = RunState::Failed;
        status.error = text;
        status.why = "error";
        if (origin != 0) status.reached = origin;
    });
}

}  // namespace loupe::session
