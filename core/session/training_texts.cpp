// SPDX-License-Identifier: Apache-2.0
#include "core/session/training_texts.h"

#include <bit>
#include <cmath>
#include <cstdio>

#include "core/base/counted.h"
#include "core/base/strings.h"

namespace loupe::session {
namespace {

// The event to blame for numbers that are not finite; 0.
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

bool is_same(double a, double b) {
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) || (std::isnan(a) && std::isnan(b));
}

}  // namespace

std::string resumed_text(const Trainer& trainer, const std::string& checkpoint) {
    const auto last = trainer.log()->step(trainer.steps_done());
    return concat("resumed from ", checkpoint, ": ", counted(trainer.steps_done(), "step"), " done, epoch ",
                  trainer.epoch(), last ? concat(", loss ", python_repr(last->loss)) : std::string(), "; of ",
                  counted(trainer.options().epochs, "epoch"), ", goes on to step ", trainer.total_steps());
}

std::string concluded_text(const Trainer& trainer, const TrainingVerdict& verdict) {
    std::string text = concat("the training ", trainer.is_done() ? "finished at step " : "was stopped at step ",
                              trainer.steps_done(), ": ", verdict.text);
    const auto epochs = trainer.log()->epochs();
    if (epochs.empty()) return text;
    const TrainingEpoch& last = epochs.back();
    if (last.accuracy) text += concat("; accuracy ", percent_text(*last.accuracy));
    if (last.held_out_loss)
        text += concat("; held out: loss ", python_repr(static_cast<double>(static_cast<float>(*last.held_out_loss))));
    if (last.held_out_accuracy) text += concat(", accuracy ", percent_text(*last.held_out_accuracy));
    return text;
}

TrainingFailure explain_failure(const std::string& wrong, const Recording& recording) {
    const EventId origin = origin_in(recording);
    TrainingFailure out;
    out.text = wrong;
    if (const std::string bad = bad_before(recording); !bad.empty()) out.text += concat("; ", bad, " before the step");
    if (origin != 0)
        out.text += concat("; it began at ", event_text(recording.event(origin)));
    else
        out.text += "; it did not come again when the step was repeated";
    const auto verdict = std::make_shared<Verdict>(conclude_training(wrong, recording));
    out.verdict = verdict;
    out.entry.level = SessionListener::LogEntry::Level::Error;
    out.entry.text = concat(verdict->line(), "; the model is as it was before the step");
    out.entry.event = origin;
    if (origin == 0) return out;
    const Event& event = recording.event(origin);
    out.entry.graph_node = event.graph_node;
    out.entry.scope = std::string(event.scope);
    out.entry.source = {std::string(event.source_file), event.source_line, 0};
    return out;
}

std::string difference(const TrainingStep& now, const TrainingStep& logged) {
    if (!is_same(now.loss, logged.loss))
        return concat("loss ", python_repr(now.loss), ", not ", python_repr(logged.loss));
    if (!is_same(now.gradient_norm, logged.gradient_norm))
        return concat("gradient norm ", python_repr(now.gradient_norm), ", not ", python_repr(logged.gradient_norm));
    if (!is_same(now.learning_rate, logged.learning_rate))
        return concat("learning rate ", python_repr(now.learning_rate), ", not ", python_repr(logged.learning_rate));
    return {};
}

}  // namespace loupe::session
