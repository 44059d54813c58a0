// SPDX-License-Identifier: Apache-2.0
// The engine thread while a step of a training is run again: from the nearest state that was kept to the step, which is
// recorded and parked in. The end of the training is kept, to be returned to.
#include <bit>
#include <cmath>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/base/strings.h"
#include "core/model/script_output.h"
#include "core/session/engine.h"

namespace loupe::session {
namespace {

using Level = SessionListener::LogEntry::Level;

bool is_same(double a, double b) {
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) || (std::isnan(a) && std::isnan(b));
}

// Empty when the step came out as it was logged, to the last bit.
std::string difference(const TrainingStep& now, const TrainingStep& logged) {
    if (!is_same(now.loss, logged.loss))
        return concat("loss ", python_repr(now.loss), ", not ", python_repr(logged.loss));
    if (!is_same(now.gradient_norm, logged.gradient_norm))
        return concat("gradient norm ", python_repr(now.gradient_norm), ", not ", python_repr(logged.gradient_norm));
    if (!is_same(now.learning_rate, logged.learning_rate))
        return concat("learning rate ", python_repr(now.learning_rate), ", not ", python_repr(logged.learning_rate));
    return {};
}

constexpr const char* kWhyNotTheSame =
    "; something that it depends on has changed, or is not in the model and the random numbers of torch";

}  // namespace

void Engine::look_at_step(std::int64_t step) {
    stop();
    enqueue({JobKind::Command, "run", [this, step] { do_look_at_step(step); }});
}

void Engine::return_to_end() {
    stop();
    enqueue({JobKind::Command, "run", [this] { do_return_to_end(); }});
}

// Where the training stands, for a status that begins anew. False: nothing was trained.
bool Engine::note_training(Status& status) const {
    if (trainer_ == nullptr) return false;
    status.training_step = trainer_->steps_done();
    status.training_end = training_end_ ? training_end_->steps_done : 0;
    return true;
}

// Runs steps of the past again, unrecorded, and holds them against the log.
void Engine::replay_until(Trainer& trainer, std::int64_t last) {
    const std::int64_t first = trainer.steps_done() + 1;
    const WarningScope no_warnings([](const ScriptWarning&) {});
    const runtime::PrintScope no_prints([](std::string_view) {});
    bool is_told = false;
    while (trainer.steps_done() < last) {
        check_cancelled();
        change_status([&](Status& status) {
            status.progress = concat("running steps ", first, " to ", last, " again: ", trainer.steps_done() + 1);
            status.fraction =
                static_cast<double>(trainer.steps_done() + 1 - first) / static_cast<double>(last + 1 - first);
        });
        trainer.compute();
        const TrainingStep now = trainer.update();
        trainer.end_epoch();
        const auto logged = trainer.log()->step(now.step);
        const std::string other = logged ? difference(now, *logged) : std::string();
        if (other.empty() || is_told) continue;
        is_told = true;
        log({.level = Level::Warning,
             .text = concat("step ", now.step, " did not come out as it was logged when it was run again: ", other,
                            kWhyNotTheSame),
             .scope = {},
             .source = {},
             .training_step = now.step,
             .training = trainer.log()});
    }
}

void Engine::do_look_at_step(std::int64_t step) {
    if (trainer_ == nullptr) throw Error(ErrorKind::Usage, "nothing was trained", {.hint = "train the model first"});
    Trainer& trainer = *trainer_;
    const auto logged = trainer.log()->step(step);
    const TrainerState* from = training_states_.nearest(step - 1);
    if (!logged) throw Error(ErrorKind::Usage, concat("the training has no step ", step));
    if (from == nullptr) {
        std::string hint = "steps done from now on can be";
        if (training_states_.count() > 0) hint = concat("steps from ", training_states_.first() + 1, " on can");
        const std::string why = is_training_back_
                                    ? " cannot be run again: the session before kept no state of the training before it"
                                    : " cannot be run again: it was done before this training began";
        throw Error(ErrorKind::Usage, concat("step ", step, why), {.hint = std::move(hint)});
    }
    {
        const CancelScope whole(nullptr);
        keep_checkpoint(true);  // of the end: none is written while it is left
    }
    if (!training_end_) training_end_ = std::make_unique<TrainerState>(trainer.state(Trainer::Gradients::With));
    const bool is_left = end_run_ == nullptr;
    change_status([&](Status& status) {
        status = Status{};
        note_training(status);
        status.state = RunState::Running;
        status.is_training = true;
        status.progress = concat("going back to step ", step);
    });
    control_.begin_run(false);
    set_thread_count(trainer.options().threads);
    trainer.begin();
    const auto settle = [&] {
        trainer.rest();
        control_.end_run();
        change_status([this](Status& status) { note_training(status); });
    };
    try {
        trainer.restore(*from);
        replay_until(trainer, step - 1);
    } catch (...) {
        const CancelScope whole(nullptr);
        trainer.restore(*training_end_);
        training_end_.reset();
        if (end_run_ != nullptr) show_again(std::move(*std::exchange(end_run_, nullptr)));
        settle();
        throw;
    }
    const TrainerState before = trainer.state();
    TrainingStep done;
    const WarningScope warnings(
        [this](const ScriptWarning& warning) { log_of_run(Level::Warning, warning.text, warning.source); });
    const runtime::PrintScope prints(print_to_log());
    change_status([](Status& status) {
        status.progress.clear();
        status.fraction = -1;
    });
    begin_control(true);
    if (is_left) end_run_ = std::make_unique<ShownRun>(take_run());
    try {
        record_step(trainer, [&] {
            trainer.compute();
            done = trainer.update();
        });
    } catch (...) {
        const CancelScope whole(nullptr);
        trainer.restore(before);
        settle();
        throw;
    }
    trainer.end_epoch();
    settle();
    const std::string other = difference(done, *logged);
    log({.level = other.empty() ? Level::Info : Level::Warning,
         .text =
             other.empty()
                 ? concat("step ", step, " was run again and came out as it was logged: loss ", python_repr(done.loss))
                 : concat("step ", step, " did not come out as it was logged when it was run again: ", other,
                          kWhyNotTheSame),
         .scope = {},
         .source = {},
         .training_step = step,
         .training = trainer.log()});
    change_status([](Status& status) {
        status.state = RunState::Finished;
        status.is_training = false;
        status.next_node = -1;
        status.next_op.clear();
        status.next_scope.clear();
        status.next_source = {};
    });
}

void Engine::do_return_to_end() {
    if (trainer_ == nullptr || !training_end_) return;
    trainer_->restore(*training_end_);
    training_end_.reset();
    // Every panel follows: what is shown is the run that was shown at the end.
    const std::unique_ptr<ShownRun> shown = std::exchange(end_run_, nullptr);
    if (shown != nullptr) {
        change_status([&](Status& status) {
            status = Status{};
            note_training(status);
            status.state = RunState::Running;
            status.is_training = shown->step_to_measure.has_value();
        });
        show_again(std::move(*shown));
    }
    log({.level = Level::Info,
         .text = concat("back at step ", trainer_->steps_done(), ", the end of the training"),
         .scope = {},
         .source = {}});
    change_status([this](Status& status) {
        const EventId reached = recording_ != nullptr ? static_cast<EventId>(recording_->event_count()) : 0;
        status = Status{};
        note_training(status);
        status.state = RunState::Finished;
        status.reached = reached;
    });
}

}  // namespace loupe::session
