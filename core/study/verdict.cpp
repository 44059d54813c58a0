// SPDX-License-Identifier: Apache-2.0
#include "core/study/verdict.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>

#include "core/base/counted.h"
#include "core/base/strings.h"
#include "core/record/not_finite.h"
#include "core/study/event_arguments.h"
#include "core/study/gradient_health.h"
#include "core/study/not_finite_cause.h"

namespace loupe::session {
namespace {

using Severity = Verdict::Severity;

std::string place_text(const Event& event) {
    std::string text;
    if (!event.scope.empty()) text += concat(" in ", event.scope);
    if (event.source_line > 0)
        text += concat(", ", std::filesystem::path(event.source_file).filename().string(), ":", event.source_line);
    return text;
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

std::string extent_text(const Counts& counts) {
    const std::int64_t others = counts.of(NotFinite::Made) + counts.of(NotFinite::Turned) - 1;
    const std::int64_t passed = counts.of(NotFinite::PassedOn);
    std::string text;
    if (others > 0) text += concat("; ", counted(others, "other event makes more", "other events make more"));
    if (passed > 0) text += concat("; ", counted(passed, "event passes it on", "events pass it on"));
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
    verdict.text =
        concat(op == "cross_entropy_loss" ? "cross_entropy" : op, place_text(event), event.source_line > 0 ? ", " : " ",
               "gives a ", is_class_loss(op) ? "loss" : "result", " that is ", event.has_nan ? "NaN" : "Inf");
    if (is_class_loss(op) && number_argument(event, "label_smoothing").value_or(0) > 0) {
        verdict.text += ", for a class that label smoothing counts is masked (-Inf)";
        verdict.advice = "mask logits with a large finite number, or train without label smoothing";
        return verdict;
    }
    if (is_class_loss(op)) {
        verdict.text += ", for the target's class is masked (-Inf)";
        verdict.advice = "keep the target's class unmasked, or mask logits with a large finite number";
        return verdict;
    }
    const EventId mask = way.empty() ? 0 : way.back().event;
    if (mask == made)
        verdict.text += ", a constant of the program, and nothing makes it finite again";
    else if (mask != 0)
        verdict.text += concat(", for the masked value of ", short_operator_name(recording.event(mask).op),
                               place_text(recording.event(mask)), " reaches it");
    else
        verdict.text += ", for a masked value of before the run reaches it";
    verdict.advice = "mask with a large finite number, or take the masked elements out before the end";
    return verdict;
}

// "backward was not searched: Backward is off": what a search for NaN and Inf has not seen.
std::vector<std::string> unsearched(const RunFacts& facts) {
    std::vector<std::string> all;
    if (!facts.has_backward) all.push_back("backward was not searched: Backward is off");
    if (!facts.left_out.empty())
        all.push_back(concat("not searched, for it is unticked in Modules: ", join(facts.left_out, ", ")));
    return all;
}

std::vector<std::string> missed_breakpoints(const RunFacts& facts) {
    std::vector<std::string> all;
    for (const int id : facts.missed_breakpoints) all.push_back(concat("breakpoint ", id, " was not met"));
    return all;
}

void append(std::string& text, const std::vector<std::string>& parts) {
    for (const std::string& part : parts) text += concat("; ", part);
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
    const std::string phases = is_backward ? "forward and backward" : "forward";
    if (!facts.has_statistics) {
        verdict.severity = Severity::Note;
        verdict.text = concat("finished ", phases, ": ", counted(counts.all(), "event", "events"),
                              "; NaN and Inf were not looked for: values are not recorded");
        return verdict;
    }
    verdict.text = concat(
        facts.searched ? "no NaN or Inf" : "finished",
        facts.searched ? concat(" in ", phases)
                       : concat(": ", counted(counts.all(), "event", "events"), " in ", phases, ", no NaN or Inf"));
    const std::int64_t meant = counts.of(NotFinite::Meant);
    if (meant > 0)
        verdict.text +=
            concat(" but those meant (constants of the program, in ", counted(meant, "event", "events"), ")");
    if (facts.searched) append(verdict.text, unsearched(facts));
    const auto missed = missed_breakpoints(facts);
    append(verdict.text, missed);
    if (!missed.empty() || (facts.searched && !unsearched(facts).empty())) verdict.severity = Severity::Note;
    if (const auto dead = dead_layer(recording, facts)) {
        verdict.severity = Severity::Warning;
        set_place(verdict, recording.event(dead->event));
        verdict.text = concat(dead->text, "; ", verdict.text);
        verdict.advice =
            "see what makes all that reaches it negative: a bias, a learning rate, the scale of the inputs";
    }
    return verdict;
}

}  // namespace

bool starts_from_loss(const Recording& recording) {
    return recording.backward_start() != nullptr && recording.backward_start()->is_loss;
}

std::string Verdict::line() const { return advice.empty() ? text : concat(text, ": ", advice); }

std::string bad_before(const Recording& recording) {
    for (ValueId id = 1; id <= recording.value_count(); ++id) {
        const Value& value = recording.value(id);
        if (value.producer != 0 || value.name.empty() || !is_bad(value)) continue;
        const Statistics& s = *value.statistics;
        // Inf alone may be a mask; NaN is none.
        if (s.nan_count > 0)
            return concat(value.name, " holds ", s.nan_count, " NaN of ", counted(s.count, "element", "elements"));
        if (value.requires_grad)
            return concat(value.name, " holds ", s.inf_count, " Inf of ", counted(s.count, "element", "elements"));
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

Verdict explain(const Recording& recording, EventId origin) {
    const Event& event = recording.event(origin);
    Verdict verdict;
    verdict.severity = Severity::Error;
    set_place(verdict, event);
    const Cause cause = cause_of(recording, event);
    const bool is_new = is_first(recording, event);
    const char* verb = event.not_finite == NotFinite::Turned ? "turns an Inf into " : "makes ";
    const char* which = event.has_nan ? (is_new ? "the first NaN" : "a NaN") : (is_new ? "the first Inf" : "an Inf");
    const std::string place = place_text(event);
    verdict.text =
        concat(cause.text, place, event.source_line > 0 ? ", " : " ", verb, which, " in ", phase_name(event.phase));
    verdict.advice = cause.advice;
    if (const Cause masked = masked_cause(recording, event); !masked.text.empty()) {
        verdict.text += concat("; ", masked.text);
        verdict.advice += concat(verdict.advice.empty() ? "" : "; or ", masked.advice);
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
        if (first != 0) verdict.text += concat("; before it ", explain(recording, first).text, " (#", first, ")");
        return verdict;
    }
    const std::string before = bad_before(recording);
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
        verdict.text = concat(
            cause.text, place_text(recording.event(blamed)), recording.event(blamed).source_line > 0 ? ", " : " ",
            "gives a constant that is not finite, and results are not finite by it", extent_text(counts));
        verdict.advice = cause.advice;
    } else if (blamed != 0 && !is_origin(recording.event(blamed).not_finite)) {
        // It came in with what was there before the run.
        verdict.severity = Severity::Error;
        set_place(verdict, recording.event(blamed));
        verdict.text = concat(before.empty() ? "a value of before the run is not finite" : before, " before the run",
                              extent_text(counts));
        verdict.advice = "look at what gives it: the data, a checkpoint, or a step of training before";
    } else if (blamed != 0) {
        verdict = explain(recording, blamed);
        verdict.text += extent_text(counts);
    } else if (first != 0) {
        verdict = explain(recording, first);
        verdict.severity = Severity::Warning;
        verdict.text += "; outputs and gradients are finite again";
    } else {
        verdict.severity = Severity::Warning;
        verdict.text = concat(before.empty() ? "values of before the run are not finite" : before,
                              " before the run; outputs and gradients are finite");
    }
    // Why they were so before the run is known where the source itself had trained.
    const bool is_of_before = meant == 0 && (blamed == 0 ? first == 0
                                                         : recording.event(blamed).not_finite != NotFinite::Meant &&
                                                               !is_origin(recording.event(blamed).not_finite));
    if (is_of_before && facts.opening != nullptr) {
        verdict.text += concat("; ", facts.opening->text);
        verdict.advice = facts.opening->advice;
        if (facts.opening->source.line > 0) verdict.source = facts.opening->source;
    }
    if (facts.searched) {
        verdict.text += "; no further one was met";
        append(verdict.text, unsearched(facts));
    }
    append(verdict.text, missed_breakpoints(facts));
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
    for (const std::string& name : options.left_out) facts.left_out.push_back(name.empty() ? "the model itself" : name);
    return conclude(recording, facts);
}

Verdict conclude_training(const std::string& wrong, const Recording& recording) {
    Verdict verdict;
    verdict.severity = Severity::Error;
    verdict.text = wrong;
    const EventId blamed = blamed_event(recording);
    const std::string before = bad_before(recording);
    if (!before.empty()) verdict.text = concat(before, " before the step; ", wrong);
    const EventId meant = blamed == 0 ? meant_end(recording) : 0;
    if (meant == 0 && (blamed == 0 || !is_origin(recording.event(blamed).not_finite))) return verdict;
    const Verdict cause = meant != 0 ? explain_meant(recording, meant) : explain(recording, blamed);
    set_place(verdict, recording.event(cause.event));
    verdict.text = concat(cause.text, "; ", verdict.text);
    verdict.advice = cause.advice;
    return verdict;
}

}  // namespace loupe::session
