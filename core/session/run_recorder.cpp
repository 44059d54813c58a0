// SPDX-License-Identifier: Apache-2.0
#include "core/session/run_recorder.h"

#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/record/run_phases.h"
#include "core/session/compare_runs.h"
#include "core/session/condition.h"
#include "core/session/rank_run.h"

namespace loupe::session {
namespace {

EventId event_count(const Recorder& recorder) { return static_cast<EventId>(recorder.recording()->event_count()); }

}  // namespace

RunRecorder::RunRecorder(Publisher& publisher, WorkQueue& queue, RunControl& control, ModelHolder& model,
                         const CurrentTraining& training, SessionKeeper& keeper)
    : publisher_(publisher), queue_(queue), control_(control), model_(model), training_(training), keeper_(keeper) {
    control_.set_complain([this](const Breakpoint& breakpoint, const Said& why) { complain(breakpoint, why); });
}

// --- what is shown ---

void RunRecorder::forget() {
    // Why the model is another one was said of the restored run.
    if (shown_.restored != nullptr && !model_.origin().other_model.empty()) {
        model_.origin().other_model.clear();
        keeper_.renew_model();
    }
    RunOptions ran = std::move(shown_.ran);
    shown_ = {};
    shown_.ran = std::move(ran);
}

ShownRun RunRecorder::take() {
    ShownRun taken = std::exchange(shown_, {});
    shown_.ran = taken.ran;
    return taken;
}

void RunRecorder::show_again(ShownRun run) {
    forget();
    shown_ = std::move(run);
    const std::shared_ptr<const Recording> recording = shown_.recording();
    publisher_.set_recording(recording);
    publisher_.notify_recording();
    if (recording != nullptr) publisher_.notify_events(recording->event_count());
    if (shown_.recorder == nullptr) return;
    keeper_.begin_run(shown_, RunJournal::When::EverySecond);
    keeper_.set_gradients_due(keeper_.is_keeping());
}

// --- stopping ---

void RunRecorder::begin_control(bool pause_at_start) {
    control_.begin_run(pause_at_start);
    const auto shown = publisher_.model();
    for (const Breakpoint& breakpoint : control_.breakpoints()) {
        if (!breakpoint.enabled) continue;
        if (const ConditionProblem problem = check_condition(breakpoint, shown.get()); !problem.text.empty())
            complain(breakpoint, problem.text);
    }
}

void RunRecorder::complain(const Breakpoint& breakpoint, const Said& why) const {
    SourcePlace source;
    if (breakpoint.kind == Breakpoint::Kind::Line) source = {breakpoint.text, breakpoint.line, 0};
    publisher_.log(Publisher::Level::Warning,
                   engine::said("breakpoint %1 (%2) does not stop: %3", breakpoint.id, breakpoint.condition, why),
                   source);
}

void RunRecorder::park(const StopPoint& next, const StopReason& why) {
    const EventId reached = event_count(*shown_.recorder);
    queue_.begin_parking();
    publisher_.notify_events(reached);
    if (reached != 0) compare_with_repeated();
    // Behind an event that makes a NaN or Inf its cause is known already.
    const Recording& recording = *shown_.recorder->recording();
    const bool is_bad = reached != 0 && is_origin(recording.event(reached).not_finite);
    const auto verdict = is_bad ? std::make_shared<Verdict>(explain(recording, reached)) : nullptr;
    publisher_.change_status([&](Status& status) {
        status.verdict = verdict;
        status.state = RunState::Paused;
        status.reached = reached;
        status.next_node = next.graph_node;
        status.next_op = std::string(next.op);
        status.next_scope = std::string(next.scope);
        status.next_source = {};
        if (next.is_statement) status.next_source = {std::string(next.source_file), next.source_line, 0};
        status.phase = next.phase;
        status.why = why.text;
        status.stopped_at_breakpoint = why.breakpoint;
        if (training_.trainer && status.is_training) status.training_step = training_.trainer->steps_done() + 1;
    });
    keeper_.write_now();
    keeper_.set_gradients_due(next.phase != RunPhase::Forward);
    {
        const RankParked rank(concat("before ", next.op, next.source_line > 0 ? " (" : "",
                                     next.source_line > 0 ? concat(next.source_file, ":", next.source_line, ")") : ""));
        queue_.stay_parked();
    }
    publisher_.change_status([](Status& status) {
        status.verdict = nullptr;
        status.state = RunState::Running;
        status.why.clear();
        status.stopped_at_breakpoint = 0;
    });
}

// Says whether the run came out, as far as it is, as that of the session before that it repeats; once.
void RunRecorder::compare_with_repeated() {
    const RepeatedRun repeated = std::exchange(repeated_, {});
    if (repeated.recording == nullptr || shown_.recorder == nullptr) return;
    const Recording& now = *shown_.recorder->recording();
    if (repeated.until != 0) return report_continued(repeated, now);
    const RunComparison compared = compare_runs(*repeated.recording, now);
    if (compared.count == 0) return;
    if (compared.other == 0)
        return publisher_.log(
            Publisher::Level::Info,
            engine::said("the run of the session before was run again and came out the same, in %1 events",
                         "the run of the session before was run again and came out the same, in %1 event",
                         compared.count));
    Publisher::LogEntry entry;
    entry.level = Publisher::Level::Warning;
    entry.text = engine::said(
        "the run of the session before did not come out the same when it was run again: it first differs at #%1, %2",
        compared.other, now.event(compared.other).op);
    entry.event = compared.other;
    publisher_.log(std::move(entry));
}

void RunRecorder::report_continued(const RepeatedRun& before, const Recording& now) const {
    const RunComparison compared = compare_runs(*before.recording, now, before.until);
    const EventId kept = before.until - 1;
    Publisher::LogEntry entry;
    entry.text = engine::said("continued at #%1, %2", before.until, before.why);
    entry.event = std::min(before.until, static_cast<EventId>(now.event_count()));
    if (compared.other != 0 || compared.count < kept) {
        entry.level = Publisher::Level::Warning;
        entry.event = compared.other != 0 ? compared.other : entry.event;
        entry.text +=
            compared.other != 0
                ? engine::said("; but what is before it did not come out as in the run before: first at #%1, %2",
                               compared.other, now.event(compared.other).op)
                : engine::said("; but the run ended before it");
        return publisher_.log(std::move(entry));
    }
    if (kept > 0) {
        const double took = before.until <= now.event_count() ? now.event(before.until).start
                                                              : now.event(kept).start + now.event(kept).duration;
        entry.text +=
            engine::said("; %1 events before it were run again in %2 and came out the same",
                         "; %1 event before it was run again in %2 and came out the same", kept, format_seconds(took));
    }
    publisher_.log(std::move(entry));
}

// --- recording ---

void RunRecorder::begin_recording(RecorderOptions options, const FunctionSchema& schema) {
    nn::Module& module = model_.program()->module();
    shown_.recorder = make_recorder(std::move(options), *shown_.method, module, shown_.arguments, schema, &control_,
                                    [this](const StopPoint& next, const StopReason& why) { park(next, why); });
    shown_.start = std::make_unique<RunStart>(module, shown_.arguments, schema);
    publisher_.set_recording(shown_.recorder->recording());
}

void RunRecorder::publish_reached() {
    const EventId reached = event_count(*shown_.recorder);
    publisher_.change_status([&](Status& status) { status.reached = reached; });
}

void RunRecorder::observe(const std::function<void()>& work, const std::function<void()>& finish) {
    try {
        record(*model_.program(), *shown_.recorder, work);
    } catch (const Error& error) {
        shown_.failed = error.kind() != ErrorKind::Cancelled;  // a run that was stopped did not fail
        finish();
        throw;
    } catch (...) {
        shown_.failed = true;
        finish();
        throw;
    }
    finish();
}

void RunRecorder::record_run(const RunOptions& options, RepeatedRun repeated,
                             const std::function<void(const IValue&)>& on_result) {
    repeated_ = std::move(repeated);
    control_.pass_over_until(repeated_.until);
    begin_recording({options.statistics, options.record_values, ValueBudget{options.memory_budget, options.file_budget},
                     options.left_out, options.opens_operators, options.changes},
                    shown_.method->schema());
    if (repeated_.edit) shown_.recorder->note_edit(*repeated_.edit);
    shown_.body = [this](std::vector<IValue> arguments) {
        run_phases(*shown_.method, std::move(arguments), shown_.backward_source.get());
    };
    shown_.ran = options;
    publisher_.notify_recording();
    if (publisher_.has_listener())
        shown_.recorder->set_progress([this](std::size_t events) {
            publisher_.notify_events(events);
            keeper_.keep_while_running(shown_);
        });
    keeper_.begin_run(shown_, RunJournal::When::EverySecond);
    EagerModel* source = model_.program()->is_eager() ? model_.program()->source() : nullptr;
    const Ptr<RefCounted> calls = source != nullptr ? source->note_calls() : nullptr;
    const auto run = [&] { run_phases(*shown_.method, shown_.arguments, shown_.backward_source.get(), on_result); };
    observe(run, [this] {
        control_.end_run();
        compare_with_repeated();
        keeper_.write_now();
        keeper_.set_gradients_due(true);
        publish_reached();
    });
}

void RunRecorder::record_step(Trainer& trainer, const RunOptions& last, const std::function<void()>& step) {
    forget();
    shown_.method = trainer.method();
    const auto asked = RunClock::Clock::now();
    shown_.arguments = trainer.arguments();
    const auto given = RunClock::Clock::now();
    shown_.ran = RunOptions{};
    shown_.ran.method = model_.program()->default_method();
    shown_.ran.backward = true;
    shown_.ran.training = true;
    begin_recording({true, true, {}, last.left_out, last.opens_operators}, trainer.schema());
    shown_.recorder->begin_at(asked, given);
    if (trainer.loss()) shown_.recorder->name_modules(*trainer.loss(), "loss");
    shown_.body = trainer.body();
    shown_.step_to_measure = MeasuredRun{
        .method = shown_.method,
        .schema = trainer.schema(),
        .arguments = [arguments = shown_.arguments] { return arguments; },
        .forward =
            [&trainer](std::vector<IValue> arguments) { return trainer.roots_of(trainer.loss(std::move(arguments))); }};
    publisher_.notify_recording();
    if (publisher_.has_listener())
        shown_.recorder->set_progress([this](std::size_t events) { publisher_.notify_events(events); });
    keeper_.begin_run(shown_, RunJournal::When::WhenAsked);
    observe(step, [this] {
        shown_.recorder->protect_existing();
        publish_reached();
    });
}

EventId RunRecorder::change(const ValueChange& change) {
    if (publisher_.status().state != RunState::Paused || shown_.recorder == nullptr)
        throw Error(ErrorKind::Usage, "no run is parked",
                    {.hint = "stop at an event first, or run again with the change"});
    const EventId event = shown_.recorder->change(change);
    shown_.ran.changes = shown_.recorder->changes();
    const EventId reached = event_count(*shown_.recorder);
    publisher_.notify_events(reached);
    publish_reached();
    return event;
}

// --- what the program reports ---

void RunRecorder::log(Publisher::Level level, Said text, SourcePlace source) const {
    Publisher::LogEntry entry;
    entry.level = level;
    entry.text = std::move(text);
    entry.source = std::move(source);
    if (shown_.recorder != nullptr) entry.event = event_count(*shown_.recorder);
    publisher_.log(std::move(entry));
}

// A line is logged when it ends.
runtime::PrintHandler RunRecorder::print_to_log() const {
    return [this, printed = std::string()](std::string_view text) mutable {
        printed += text;
        if (!printed.ends_with('\n')) return;
        printed.pop_back();
        log(Publisher::Level::Info, std::exchange(printed, {}));
    };
}

}  // namespace loupe::session
