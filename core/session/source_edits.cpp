// SPDX-License-Identifier: Apache-2.0
#include "core/session/source_edits.h"

#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/model/error_text.h"
#include "core/model/shown_source.h"
#include "core/record/replay.h"

namespace loupe::session {
namespace {

std::string from_where(const std::string& function) {
    return function.empty() ? std::string("where it stood") : concat("from the start of `", function, "`");
}

}  // namespace

bool SourceEdits::was_stopped_early() const {
    return ordered_ && ordered_of_.lock() == model_.program() && recorder_.shown().recorder == nullptr &&
           publisher_.status().state == RunState::Ready;
}

// Throws Error (Usage) for what no run continues of.
void SourceEdits::require_run(const EditRequest& request) const {
    const Status status = publisher_.status();
    const ShownRun& shown = recorder_.shown();
    const auto refuse = [](std::string text) {
        throw Error(ErrorKind::Usage, std::move(text), {.hint = "save and run again from the start"});
    };
    const bool is_parked = status.state == RunState::Paused;
    const bool has_run = shown.recorder != nullptr && shown.start != nullptr;
    if (request.is_undo && was_stopped_early()) return;
    if (status.is_training) refuse("a training does not continue with an edit");
    // Undone is what has come to its end too, and what was stopped.
    const bool has_ended = status.state == RunState::Finished || status.state == RunState::Ready;
    if (!has_run || !(is_parked || shown.failed || (request.is_undo && has_ended)))
        refuse("no run is parked or has failed that could continue");
    if (shown.is_given) refuse("a run on generated tokens does not continue with an edit");
    const bool is_source = model_.program()->is_eager() && shown.ran.compile_mode.empty() &&
                           (shown.ran.pipeline.empty() || shown.ran.pipeline == "none");
    if (!is_source) refuse("a graph runs, not the source: edits count in a run of the source without passes");
    if (!shown.ran.record_values || !shown.ran.left_out.empty())
        refuse("the run does not keep all values, so that what it began with cannot come back");
}

ContinuedEdit SourceEdits::continue_with(const EditRequest& request) {
    require_run(request);
    ContinuedEdit out;
    EagerModel& source = *model_.program()->source();
    std::vector<EagerModel::Edit> edits;
    SourcePlace takes_hold;
    for (const EditedText& edited : request.texts) {
        try {
            edits.push_back(source.plan_edit(edited.file, edited.text));
        } catch (const Error& error) {
            out.error = headline_of(error);
            out.place = place_of(error);
            return out;
        }
        const EagerModel::Edit& edit = edits.back();
        out.changed.insert(out.changed.end(), edit.changed.begin(), edit.changed.end());
        if (!edit.why_not.empty() && !request.is_undo) {
            out.error = edit.why_not;
            out.place = place_of(edit.place);
            out.may_restart = true;
            return out;
        }
        if (takes_hold.line == 0) takes_hold = place_of(edit.takes_hold);
        const bool is_first = edit.from_event != 0 && (out.from == 0 || edit.from_event < out.from);
        if (!is_first) continue;
        out.from = static_cast<EventId>(edit.from_event);
        out.function = edit.function;
        takes_hold = place_of(edit.takes_hold);
    }
    const std::shared_ptr<const Recording> before = recorder_.shown().recording();
    const auto events = static_cast<EventId>(before == nullptr ? 0 : before->event_count());
    const bool has_failed = events != 0 && before->event(events).failed;
    if (out.from == 0) out.from = has_failed ? events : events + 1;
    if (request.only_checks) return out;
    try {
        for (const EagerModel::Edit& edit : edits) edit.apply();
    } catch (const Error& error) {
        out.error = headline_of(error);
        out.place = place_of(error);
        return out;
    }
    if (request.pins && before != nullptr) out.before = references_.pin({});
    for (const EagerModel::Edit& edit : edits) model_.program()->take_source(edit.source);
    const bool parks = request.is_undo && request.parked_behind != 0;
    order(parks ? RunTarget::before_event(request.parked_behind + 1) : RunTarget::end(),
          request.is_undo ? RepeatedRun{nullptr, parks ? request.parked_behind + 1 : 0, {}}
                          : RepeatedRun{before, out.from, from_where(out.function),
                                        EditStart{out.from, out.function, out.changed, takes_hold}});
    return out;
}

void SourceEdits::order(const RunTarget& target, RepeatedRun repeated) {
    control_.order_next_run(target);
    queue_.order(WorkQueue::Command::Run, [this, repeated = std::move(repeated)] {
        control_.take_target();
        const ShownRun& shown = recorder_.shown();
        RunOptions options = was_stopped_early() ? *ordered_ : shown.ran;
        ordered_ = options;
        ordered_of_ = model_.program();
        options.pause_at_start = false;
        if (repeated.until != 0)
            std::erase_if(options.changes, [&](const ValueChange& change) { return change.behind >= repeated.until; });
        // One that was stopped before its first operator was rewound before that.
        if (shown.recorder != nullptr) rewind_run(*shown.start, *shown.recorder);
        model_.show(model_.program()->info());
        runs_.run(options, repeated);
    });
}

}  // namespace loupe::session
