// SPDX-License-Identifier: Apache-2.0
#include "core/session/training_replay.h"

#include <memory>
#include <string>
#include <utility>

#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/base/strings.h"
#include "core/model/script_output.h"
#include "core/session/training_texts.h"

namespace loupe::session {
namespace {

using Level = Publisher::Level;

Said not_the_same(std::int64_t step, const Said& how) {
    return engine::said(
        "step %1 did not come out as it was logged when it was run again: %2; something that it depends "
        "on has changed, or is not in the model and the random numbers of torch",
        step, how);
}

Publisher::LogEntry entry_of_step(const Trainer& trainer, std::int64_t step, Level level, Said text) {
    return {.level = level,
            .text = std::move(text),
            .scope = {},
            .source = {},
            .training_step = step,
            .training = trainer.log()};
}

}  // namespace

const TrainerState& TrainingReplay::state_before(std::int64_t step) const {
    if (const TrainerState* from = training_.states.nearest(step - 1)) return *from;
    std::string hint = "steps done from now on can be";
    if (training_.states.count() > 0) hint = concat("steps from ", training_.states.first() + 1, " on can");
    const std::string why = training_.is_restored
                                ? " cannot be run again: the session before kept no state of the training before it"
                                : " cannot be run again: it was done before this training began";
    throw Error(ErrorKind::Usage, concat("step ", step, why), {.hint = std::move(hint)});
}

void TrainingReplay::begin(std::int64_t step) {
    Trainer& trainer = *training_.trainer;
    {
        const CancelScope whole(nullptr);
        keeper_.keep_last_checkpoint();  // of the end: none is written while it is left
    }
    if (!training_.end) training_.end = std::make_unique<TrainerState>(trainer.state(Trainer::Gradients::With));
    publisher_.change_status([&](Status& status) {
        status = Status{};
        training_.note_in(status);
        status.state = RunState::Running;
        status.is_training = true;
        status.progress = engine::said("going back to step %1", step);
    });
    control_.begin_run(false);
    set_thread_count(trainer.options().threads);
    trainer.begin();
}

void TrainingReplay::settle() {
    training_.trainer->rest();
    control_.end_run();
    publisher_.change_status([this](Status& status) { training_.note_in(status); });
}

// Runs steps of the past again, unrecorded, and compares them with the log.
void TrainingReplay::replay_until(std::int64_t last) {
    Trainer& trainer = *training_.trainer;
    const std::int64_t first = trainer.steps_done() + 1;
    const WarningScope no_warnings([](const ScriptWarning&) {});
    const runtime::PrintScope no_prints([](std::string_view) {});
    bool is_logged = false;
    while (trainer.steps_done() < last) {
        check_cancelled();
        publisher_.change_status([&](Status& status) {
            status.progress = engine::said("running steps %1 to %2 again: %3", first, last, trainer.steps_done() + 1);
            status.fraction =
                static_cast<double>(trainer.steps_done() + 1 - first) / static_cast<double>(last + 1 - first);
        });
        trainer.compute();
        const TrainingStep now = trainer.update();
        trainer.end_epoch();
        const auto logged = trainer.log()->step(now.step);
        const Said other = logged ? difference(now, *logged) : Said();
        if (other.empty() || is_logged) continue;
        is_logged = true;
        publisher_.log(entry_of_step(trainer, now.step, Level::Warning, not_the_same(now.step, other)));
    }
}

// To before the step; to the end when that fails.
void TrainingReplay::go_back(const TrainerState& from, std::int64_t step) {
    try {
        training_.trainer->restore(from);
        replay_until(step - 1);
    } catch (...) {
        const CancelScope whole(nullptr);
        training_.trainer->restore(*training_.end);
        training_.end.reset();
        if (training_.end_run != nullptr) recorder_.show_again(std::move(*std::exchange(training_.end_run, nullptr)));
        settle();
        throw;
    }
}

TrainingStep TrainingReplay::run_recorded() {
    Trainer& trainer = *training_.trainer;
    const TrainerState before = trainer.state();
    TrainingStep done;
    const WarningScope warnings(
        [this](const ScriptWarning& warning) { recorder_.log(Level::Warning, warning.text, warning.source); });
    const runtime::PrintScope prints(recorder_.print_to_log());
    publisher_.change_status([](Status& status) {
        status.progress.clear();
        status.fraction = -1;
    });
    recorder_.begin_control(true);
    if (training_.end_run == nullptr) training_.end_run = std::make_unique<ShownRun>(recorder_.take());
    try {
        recorder_.record_step(trainer, settings_.options(), [&] {
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
    return done;
}

void TrainingReplay::look_at_step(std::int64_t step) {
    if (training_.trainer == nullptr)
        throw Error(ErrorKind::Usage, "nothing was trained", {.hint = "train the model first"});
    const Trainer& trainer = *training_.trainer;
    const auto logged = trainer.log()->step(step);
    if (!logged) throw Error(ErrorKind::Usage, concat("the training has no step ", step));
    const TrainerState& from = state_before(step);
    begin(step);
    go_back(from, step);
    const TrainingStep done = run_recorded();
    const Said other = difference(done, *logged);
    publisher_.log(other.empty()
                       ? entry_of_step(trainer, step, Level::Info,
                                       engine::said("step %1 was run again and came out as it was logged: loss %2",
                                                    step, python_repr(done.loss)))
                       : entry_of_step(trainer, step, Level::Warning, not_the_same(step, other)));
    publisher_.change_status([](Status& status) {
        status.state = RunState::Finished;
        status.is_training = false;
        clear_next_place(status);
    });
}

void TrainingReplay::return_to_end() {
    if (training_.trainer == nullptr || !training_.end) return;
    Trainer& trainer = *training_.trainer;
    trainer.restore(*training_.end);
    training_.end.reset();
    // What is shown is the run that was shown at the end.
    if (const std::unique_ptr<ShownRun> shown = std::exchange(training_.end_run, nullptr)) {
        publisher_.change_status([&](Status& status) {
            status = Status{};
            training_.note_in(status);
            status.state = RunState::Running;
            status.is_training = shown->step_to_measure.has_value();
        });
        recorder_.show_again(std::move(*shown));
    }
    publisher_.log(Level::Info, engine::said("back at step %1, the end of the training", trainer.steps_done()));
    const auto recording = publisher_.recording();
    publisher_.change_status([&](Status& status) {
        status = Status{};
        training_.note_in(status);
        status.state = RunState::Finished;
        status.reached = recording != nullptr ? static_cast<EventId>(recording->event_count()) : 0;
    });
}

}  // namespace loupe::session
