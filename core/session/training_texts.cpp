// SPDX-License-Identifier: Apache-2.0
#include "core/session/training_texts.h"

#include <bit>
#include <cmath>
#include <cstdio>

#include "core/base/strings.h"

namespace loupe::session {
namespace {

// The event to blame for numbers that are not finite; 0.
EventId origin_in(const Recording& recording) {
    const EventId blamed = blamed_event(recording);
    return blamed != 0 ? blamed : first_origin(recording);
}

Said event_text(const Event& event) {
    const Said place = event.scope.empty() ? Said() : engine::said(" in %1", event.scope);
    return said_in_row("#", event.id, " ", event.op, place, ", ", engine::listed(phase_name(event.phase)));
}

std::string percent_text(double part) {
    char text[32];
    std::snprintf(text, sizeof text, "%.2f %%", 100 * part);
    return text;
}

bool is_same(double a, double b) {
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) || (std::isnan(a) && std::isnan(b));
}

}  // namespace

Said resumed_text(const Trainer& trainer, const std::string& checkpoint) {
    const auto last = trainer.log()->step(trainer.steps_done());
    Said text = engine::said("resumed from %2: %1 steps done, epoch %3", "resumed from %2: %1 step done, epoch %3",
                             trainer.steps_done(), checkpoint, trainer.epoch());
    if (last) text += engine::said(", loss %1", python_repr(last->loss));
    text += engine::said("; of %1 epochs, goes on to step %2", "; of %1 epoch, goes on to step %2",
                         trainer.options().epochs, trainer.total_steps());
    return text;
}

Said concluded_text(const Trainer& trainer, const TrainingVerdict& verdict) {
    Said text = trainer.is_done()
                    ? engine::said("the training finished at step %1: %2", trainer.steps_done(), verdict.text)
                    : engine::said("the training was stopped at step %1: %2", trainer.steps_done(), verdict.text);
    const auto epochs = trainer.log()->epochs();
    if (epochs.empty()) return text;
    const TrainingEpoch& last = epochs.back();
    if (last.accuracy) text += engine::said("; accuracy %1", percent_text(*last.accuracy));
    if (last.held_out_loss)
        text += engine::said("; held out: loss %1",
                             python_repr(static_cast<double>(static_cast<float>(*last.held_out_loss))));
    if (last.held_out_accuracy) text += engine::said(", accuracy %1", percent_text(*last.held_out_accuracy));
    return text;
}

TrainingFailure explain_failure(const Said& wrong, const Recording& recording) {
    const EventId origin = origin_in(recording);
    TrainingFailure out;
    out.text = wrong;
    if (const Said bad = bad_before(recording); !bad.empty()) out.text += engine::said("; %1 before the step", bad);
    if (origin != 0)
        out.text += engine::said("; it began at %1", event_text(recording.event(origin)));
    else
        out.text += engine::said("; it did not come again when the step was repeated");
    const auto verdict = std::make_shared<Verdict>(conclude_training(wrong, recording));
    out.verdict = verdict;
    out.entry.level = SessionListener::LogEntry::Level::Error;
    out.entry.text = engine::said("%1; the model is as it was before the step", verdict->line());
    out.entry.event = origin;
    if (origin == 0) return out;
    const Event& event = recording.event(origin);
    out.entry.graph_node = event.graph_node;
    out.entry.scope = std::string(event.scope);
    out.entry.source = {std::string(event.source_file), event.source_line, 0};
    return out;
}

Said difference(const TrainingStep& now, const TrainingStep& logged) {
    if (!is_same(now.loss, logged.loss))
        return engine::said("loss %1, not %2", python_repr(now.loss), python_repr(logged.loss));
    if (!is_same(now.gradient_norm, logged.gradient_norm))
        return engine::said("gradient norm %1, not %2", python_repr(now.gradient_norm),
                            python_repr(logged.gradient_norm));
    if (!is_same(now.learning_rate, logged.learning_rate))
        return engine::said("learning rate %1, not %2", python_repr(now.learning_rate),
                            python_repr(logged.learning_rate));
    return {};
}

}  // namespace loupe::session
