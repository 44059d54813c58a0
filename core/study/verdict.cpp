// SPDX-License-Identifier: Apache-2.0
#include "core/study/verdict.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>

#include "core/base/strings.h"
#include "core/record/not_finite.h"
#include "core/record/said_phase.h"
#include "core/study/event_arguments.h"
#include "core/study/gradient_health.h"
#include "core/study/not_finite_cause.h"

namespace loupe::session {
namespace {

using Severity = Verdict::Severity;

// " in length, net.py:9".
Said place_text(const Event& event) {
    Said text;
    if (!event.scope.empty()) text += engine::said(" in %1", event.scope);
    if (event.source_line > 0)
        text += concat(", ", std::filesystem::path(event.source_file).filename().string(), ":", event.source_line);
    return text;
}

// What an event does, as the beginning of a sentence: "sqrt at 0 in length, net.py:9,".
Said subject_text(const Said& what, const Event& event) {
    return said_in_row(what, place_text(event), event.source_line > 0 ? "," : "");
}

void set_place(Verdict& verdict, const Event& event) {
    verdict.event = event.id;
    verdict.graph_node = event.graph_node;
    verdict.module = std::string(event.scope);
    verdict.source = {std::string(event.source_file), event.source_line, 0};
}

// The event that made what an event holds: itself, or the end of the way back; itself too where that leads out of the
// run.
EventId origin_of(const Recording& recording, EventId id) {
    const NotFinite kind = recording.event(id).not_finite;
    if (kind == NotFinite::Made) return id;
    const auto way = trace_origin(recording, id);
    const EventId end = way.empty() ? 0 : way.back().event;
    if (kind != NotFinite::Turned) return end == 0 || end == id ? id : origin_of(recording, end);
    // An Inf that was made is the cause; one that is meant, or was given, is not.
    return end != 0 && recording.event(end).not_finite == NotFinite::Made ? end : id;
}

// Has no event before it made one of the kind?
bool is_first(const Recording& recording, const Event& event) {
    for (EventId id = 1; id < event.id; ++id) {
        const Event& other = recording.event(id);
        if (is_origin(other.not_finite) && (event.has_nan ? other.has_nan : other.has_inf)) return false;
    }
    return true;
}

struct Counts {
    std::int64_t events[3] = {};
    std::int64_t kinds[5] = {};
    std::int64_t all() const { return events[0] + events[1] + events[2]; }
    std::int64_t of(NotFinite kind) const { return kinds[static_cast<std::size_t>(kind)]; }
};

Counts count_events(const Recording& recording) {
    Counts counts;
    for (EventId id = 1; id <= recording.event_count(); ++id) {
        const Event& event = recording.event(id);
        ++counts.events[static_cast<std::size_t>(event.phase)];
        ++counts.kinds[static_cast<std::size_t>(event.not_finite)];
    }
    return counts;
}

Said extent_text(const Counts& counts) {
    const std::int64_t others = counts.of(NotFinite::Made) + counts.of(NotFinite::Turned) - 1;
    const std::int64_t passed = counts.of(NotFinite::PassedOn);
    Said text;
    if (others > 0) text += engine::said("; %1 other events make more", "; %1 other event makes more", others);
    if (passed > 0) text += engine::said("; %1 events pass it on", "; %1 event passes it on", passed);
    return text;
}

// The end of a run that is not finite though all in it are meant: the last event that made a value which nothing reads.
// Meant values that are ends are masks that have gone too far: a loss of a masked class, a score that is given back. 0.
EventId meant_end(const Recording& recording) {
    const EventId start = recording.backward_start() != nullptr ? recording.backward_start()->event : 0;
    // What is written in place, or through a view, goes on as another value of the same memory.
    std::set<std::uint64_t> used;
    for (auto id = static_cast<EventId>(recording.event_count()); id > 0; --id) {
        const Event& event = recording.event(id);
        const auto is_used = [&](ValueId value) {
            return value != 0 && used.contains(recording.value(value).storage_id);
        };
        // Of one whose other results are read (topk's indices) the rest may be of no use.
        const bool is_end = !event.outputs.empty() && std::none_of(event.outputs.begin(), event.outputs.end(), is_used);
        if (is_end && event.not_finite == NotFinite::Meant && bad_output(recording, event) != 0) return id;
        for (const ValueId value : event.outputs) {
            if (value != 0) used.insert(recording.value(value).storage_id);
        }
        // One without results only looks (item), and outputs are where backward starts.
        if (event.outputs.empty() || id == start) continue;
        for (const ValueId value : event.inputs) {
            if (value != 0) used.insert(recording.value(value).storage_id);
        }
    }
    return 0;
}

bool is_class_loss(std::string_view op) { return op.starts_with("cross_entropy") || op.starts_with("nll_loss"); }

// "cross_entropy in Net, net.py:9, gives a loss that is Inf: the target's class is masked (-Inf)".
Verdict explain_meant(const Recording& recording, EventId end) {
    const auto way = trace_origin(recording, end);
    EventId made = end;
    for (const OriginStep& step : way) {
        if (step.event == 0 || !is_class_loss(short_operator_name(recording.event(step.event).op))) continue;
        made = step.event;
        break;
    }
    const Event& event = recording.event(made);
    const std::string op(short_operator_name(event.op));
    Verdict verdict;
    verdict.severity = Severity::Error;
    set_place(verdict, event);
    const Said who = subject_text(op == "cross_entropy_loss" ? "cross_entropy" : op, event);
    const std::string what = event.has_nan ? "NaN" : "Inf";
    verdict.text = is_class_loss(op) ? engine::said("%1 gives a loss that is %2", who, what)
                                     : engine::said("%1 gives a result that is %2", who, what);
    if (is_class_loss(op) && number_argument(event, "label_smoothing").value_or(0) > 0) {
        verdict.text += engine::said(", for a class that label smoothing counts is masked (-Inf)");
        verdict.advice = engine::said("mask logits with a large finite number, or train without label smoothing");
        return verdict;
    }
    if (is_class_loss(op)) {
        verdict.text += engine::said(", for the target's class is masked (-Inf)");
        verdict.advice = engine::said("keep the target's class unmasked, or mask logits with a large finite number");
        return verdict;
    }
    const EventId mask = way.empty() ? 0 : way.back().event;
    if (mask == made)
        verdict.text += engine::said(", a constant of the program, and nothing makes it finite again");
    else if (mask != 0)
        verdict.text +=
            engine::said(", for the masked value of %1 reaches it",
                         said_in_row(short_operator_name(recording.event(mask).op), place_text(recording.event(mask))));
    else
        verdict.text += engine::said(", for a masked value of before the run reaches it");
    verdict.advice = engine::said("mask with a large finite number, or take the masked elements out before the end");
    return verdict;
}

// "backward was not searched: Backward is off": what a search for NaN and Inf has not seen.
std::vector<Said> unsearched(const RunFacts& facts) {
    std::vector<Said> all;
    if (!facts.has_backward) all.push_back(engine::said("backward was not searched: Backward is off"));
    if (!facts.left_out.empty()) {
        std::vector<Said> names;
        for (const std::string& name : facts.left_out)
            names.push_back(name.empty() ? engine::said("the model itself") : Said(name));
        all.push_back(engine::said("not searched, for it is unticked in Modules: %1", said_list(names, ", ")));
    }
    return all;
}

std::vector<Said> missed_breakpoints(const RunFacts& facts) {
    std::vector<Said> all;
    for (const int id : facts.missed_breakpoints) all.push_back(engine::said("breakpoint %1 was not met", id));
    return all;
}

void add_parts(Said& text, const std::vector<Said>& parts) {
    for (const Said& part : parts) {
        text += "; ";
        text += part;
    }
}

// A layer that gives nothing but zeros, and so no gradient to those before it: why a model of finite numbers does not
// train.
std::optional<GradientFinding> dead_layer(const Recording& recording, const RunFacts& facts) {
    if (facts.gradients.empty() || !starts_from_loss(recording)) return std::nullopt;
    for (GradientFinding& found : judge_gradients(facts.gradients, &recording)) {
        if (found.kind == GradientFinding::Kind::NoGradient && found.event != 0) return std::move(found);
    }
    return std::nullopt;
}

Verdict finite_end(const Recording& recording, const RunFacts& facts, const Counts& counts) {
    Verdict verdict;
    const bool is_backward = counts.events[1] > 0;
    const Said phases = is_backward ? engine::said("forward and backward") : engine::said("forward");
    if (!facts.has_statistics) {
        verdict.severity = Severity::Note;
        verdict.text = engine::said("finished %2: %1 events; NaN and Inf were not looked for: values are not recorded",
                                    "finished %2: %1 event; NaN and Inf were not looked for: values are not recorded",
                                    counts.all(), phases);
        return verdict;
    }
    verdict.text = facts.searched ? engine::said("no NaN or Inf in %1", phases)
                                  : engine::said("finished: %1 events in %2, no NaN or Inf",
                                                 "finished: %1 event in %2, no NaN or Inf", counts.all(), phases);
    const std::int64_t meant = counts.of(NotFinite::Meant);
    if (meant > 0)
        verdict.text += engine::said(" but those meant (constants of the program, in %1 events)",
                                     " but those meant (constants of the program, in %1 event)", meant);
    if (facts.searched) add_parts(verdict.text, unsearched(facts));
    const auto missed = missed_breakpoints(facts);
    add_parts(verdict.text, missed);
    if (!missed.empty() || (facts.searched && !unsearched(facts).empty())) verdict.severity = Severity::Note;
    if (const auto dead = dead_layer(recording, facts)) {
        verdict.severity = Severity::Warning;
        set_place(verdict, recording.event(dead->event));
        verdict.text = said_in_row(dead->text, "; ", verdict.text);
        verdict.advice = engine::said(
            "see what makes all that reaches it negative: a bias, a learning rate, the scale of the inputs");
    }
    return verdict;
}

}  // namespace

bool starts_from_loss(const Recording& recording) {
    return recording.backward_start() != nullptr && recording.backward_start()->is_loss;
}

Said Verdict::line() const { return advice.empty() ? text : said_in_row(text, ": ", advice); }

Said bad_before(const Recording& recording) {
    for (ValueId id = 1; id <= recording.value_count(); ++id) {
        const Value& value = recording.value(id);
        if (value.producer != 0 || value.name.empty() || !is_bad(value)) continue;
        const Statistics& s = *value.statistics;
        // Inf alone may be a mask; NaN is none.
        if (s.nan_count > 0)
            return engine::said("%2 holds %3 NaN of %1 elements", "%2 holds %3 NaN of %1 element", s.count, value.name,
                                s.nan_count);
        if (value.requires_grad)
            return engine::said("%2 holds %3 Inf of %1 elements", "%2 holds %3 Inf of %1 element", s.count, value.name,
                                s.inf_count);
    }
    return {};
}

EventId first_origin(const Recording& recording) {
    for (EventId id = 1; id <= recording.event_count(); ++id) {
        if (is_origin(recording.event(id).not_finite)) return id;
    }
    return 0;
}

EventId blamed_event(const Recording& recording) {
    const EventId start = recording.backward_start() != nullptr ? recording.backward_start()->event : 0;
    std::vector<bool> read(recording.value_count() + 1, false);
    for (EventId id = 1; id <= recording.event_count(); ++id) {
        const Event& event = recording.event(id);
        // Gradients end in parameters and inputs, and outputs where backward starts.
        if (event.op == "AccumulateGrad" || id == start) continue;
        // What gives its input back, as the gradient of an addition, is no reader of it.
        for (const ValueId value : event.inputs) {
            if (std::find(event.outputs.begin(), event.outputs.end(), value) == event.outputs.end()) read[value] = true;
        }
    }
    EventId with_inf = 0;
    for (EventId id = 1; id <= recording.event_count(); ++id) {
        const Event& event = recording.event(id);
        if (event.not_finite == NotFinite::None || event.not_finite == NotFinite::Meant) continue;
        for (const ValueId value : event.outputs) {
            if (read[value] || !is_bad(recording.value(value))) continue;
            if (recording.value(value).statistics->nan_count == 0) {
                if (with_inf == 0) with_inf = id;
                continue;
            }
            return origin_of(recording, id);
        }
    }
    return with_inf == 0 ? 0 : origin_of(recording, with_inf);
}

namespace {

Said origin_sentence(const Said& who, const Event& event, bool is_new) {
    const Said phase = said_in_phase(event.phase);
    if (event.not_finite == NotFinite::Turned) {
        if (event.has_nan)
            return is_new ? engine::said("%1 turns an Inf into the first NaN %2", who, phase)
                          : engine::said("%1 turns an Inf into a NaN %2", who, phase);
        return is_new ? engine::said("%1 turns an Inf into the first Inf %2", who, phase)
                      : engine::said("%1 turns an Inf into an Inf %2", who, phase);
    }
    if (event.has_nan)
        return is_new ? engine::said("%1 makes the first NaN %2", who, phase)
                      : engine::said("%1 makes a NaN %2", who, phase);
    return is_new ? engine::said("%1 makes the first Inf %2", who, phase)
                  : engine::said("%1 makes an Inf %2", who, phase);
}

}  // namespace

Verdict explain(const Recording& recording, EventId origin) {
    const Event& event = recording.event(origin);
    Verdict verdict;
    verdict.severity = Severity::Error;
    set_place(verdict, event);
    const Cause cause = cause_of(recording, event);
    verdict.text = origin_sentence(subject_text(cause.text, event), event, is_first(recording, event));
    verdict.advice = cause.advice;
    if (const Cause masked = masked_cause(recording, event); !masked.text.empty()) {
        verdict.text = said_in_row(verdict.text, "; ", masked.text);
        verdict.advice =
            verdict.advice.empty() ? masked.advice : engine::said("%1; or %2", verdict.advice, masked.advice);
    }
    return verdict;
}

namespace {

Verdict concluded(const Recording& recording, const RunFacts& facts) {
    const Counts counts = count_events(recording);
    const EventId blamed = blamed_event(recording);
    const EventId first = first_origin(recording);
    if (!facts.error.empty()) {
        Verdict verdict;
        verdict.severity = Severity::Error;
        verdict.text = facts.error;
        verdict.advice = facts.hint;
        verdict.source = facts.error_source;
        const auto last = static_cast<EventId>(recording.event_count());
        if (last != 0 && recording.event(last).failed) set_place(verdict, recording.event(last));
        // A failure may be what a NaN has led to.
        if (first != 0) verdict.text += engine::said("; before it %1 (#%2)", explain(recording, first).text, first);
        return verdict;
    }
    const Said before = bad_before(recording);
    const EventId meant = blamed == 0 ? meant_end(recording) : 0;
    if (meant == 0 && blamed == 0 && first == 0 && counts.of(NotFinite::PassedOn) == 0)
        return finite_end(recording, facts, counts);
    Verdict verdict;
    if (meant != 0) {
        verdict = explain_meant(recording, meant);
    } else if (blamed != 0 && recording.event(blamed).not_finite == NotFinite::Meant) {
        const Cause cause = cause_of(recording, recording.event(blamed));
        verdict.severity = Severity::Error;
        set_place(verdict, recording.event(blamed));
        verdict.text = engine::said("%1 gives a constant that is not finite, and results are not finite by it",
                                    subject_text(cause.text, recording.event(blamed)));
        verdict.text += extent_text(counts);
        verdict.advice = cause.advice;
    } else if (blamed != 0 && !is_origin(recording.event(blamed).not_finite)) {
        // It came in with what was there before the run.
        verdict.severity = Severity::Error;
        set_place(verdict, recording.event(blamed));
        verdict.text = before.empty() ? engine::said("a value of before the run is not finite before the run")
                                      : engine::said("%1 before the run", before);
        verdict.text += extent_text(counts);
        verdict.advice = engine::said("look at what gives it: the data, a checkpoint, or a step of training before");
    } else if (blamed != 0) {
        verdict = explain(recording, blamed);
        verdict.text += extent_text(counts);
    } else if (first != 0) {
        verdict = explain(recording, first);
        verdict.severity = Severity::Warning;
        verdict.text += engine::said("; outputs and gradients are finite again");
    } else {
        verdict.severity = Severity::Warning;
        verdict.text =
            before.empty()
                ? engine::said(
                      "values of before the run are not finite before the run; outputs and gradients are finite")
                : engine::said("%1 before the run; outputs and gradients are finite", before);
    }
    // Why they were so before the run is known where the source itself had trained.
    const bool is_of_before = meant == 0 && (blamed == 0 ? first == 0
                                                         : recording.event(blamed).not_finite != NotFinite::Meant &&
                                                               !is_origin(recording.event(blamed).not_finite));
    if (is_of_before && facts.opening != nullptr) {
        verdict.text = said_in_row(verdict.text, "; ", facts.opening->text);
        verdict.advice = facts.opening->advice;
        if (facts.opening->source.line > 0) verdict.source = facts.opening->source;
    }
    if (facts.searched) {
        verdict.text += engine::said("; no further one was met");
        add_parts(verdict.text, unsearched(facts));
    }
    add_parts(verdict.text, missed_breakpoints(facts));
    return verdict;
}

}  // namespace

Verdict conclude(const Recording& recording, const RunFacts& facts) {
    Verdict verdict = concluded(recording, facts);
    verdict.answers_search = facts.searched;
    return verdict;
}

Verdict conclude(const Recording& recording, const RunOptions& options, RunFacts facts) {
    facts.has_statistics = options.statistics;
    facts.has_backward = options.backward;
    facts.left_out.insert(facts.left_out.end(), options.left_out.begin(), options.left_out.end());
    return conclude(recording, facts);
}

Verdict conclude_training(const Said& wrong, const Recording& recording) {
    Verdict verdict;
    verdict.severity = Severity::Error;
    verdict.text = wrong;
    const EventId blamed = blamed_event(recording);
    const Said before = bad_before(recording);
    if (!before.empty()) verdict.text = engine::said("%1 before the step; %2", before, wrong);
    const EventId meant = blamed == 0 ? meant_end(recording) : 0;
    if (meant == 0 && (blamed == 0 || !is_origin(recording.event(blamed).not_finite))) return verdict;
    const Verdict cause = meant != 0 ? explain_meant(recording, meant) : explain(recording, blamed);
    set_place(verdict, recording.event(cause.event));
    verdict.text = said_in_row(cause.text, "; ", verdict.text);
    verdict.advice = cause.advice;
    return verdict;
}

}  // namespace loupe::session
