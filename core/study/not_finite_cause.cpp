// SPDX-License-Identifier: Apache-2.0
#include "core/study/not_finite_cause.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <set>

#include "core/base/strings.h"
#include "core/dispatch/registry.h"
#include "core/ops/notes.h"
#include "core/record/not_finite.h"
#include "core/study/event_arguments.h"

namespace loupe::session {

namespace {

using When = NotFiniteNote::When;

const Value* tensor_of(const Recording& recording, const Event& forward, int place) {
    const auto& values = place < 0 ? forward.outputs : forward.inputs;
    const std::size_t index = place < 0 ? 0 : static_cast<std::size_t>(place);
    return index < values.size() ? &recording.value(values[index]) : nullptr;
}

std::int64_t elements_of(const Value& value) {
    std::int64_t n = 1;
    for (const std::int64_t size : value.shape) n *= size;
    return n;
}

bool reads_inf(const Recording& recording, const Event& event) {
    const auto holds = [&](ValueId id) {
        const auto& statistics = recording.value(id).statistics;
        return statistics && statistics->inf_count > 0;
    };
    return names_constant(event, "inf") || std::any_of(event.inputs.begin(), event.inputs.end(), holds);
}

// Of the finite elements; nullopt when there are none.
struct Range {
    double least = 0;
    double magnitude = 0;
};
std::optional<Range> range_of(const Statistics& s) {
    if (!s.finite) return std::nullopt;
    return Range{s.finite->min, s.finite->abs_max};
}

// An element that the operator read of one of its tensors: of the bad one, where that is known.
std::optional<double> element_of(const Event& event, int place) {
    const auto index = static_cast<std::size_t>(place);
    const bool is_known = place >= 0 && index < event.read_for_bad.size() && !std::isnan(event.read_for_bad[index]);
    return is_known ? std::optional(event.read_for_bad[index]) : std::nullopt;
}

// Base and exponent of a power, of which either may be a number, and either a tensor.
struct Power {
    std::optional<double> base;
    std::optional<double> exponent;
};
Power power_of(const Event& event, const Event& forward) {
    const auto base = number_argument(forward, "self");
    const auto exponent = number_argument(forward, "exponent");
    return {base ? base : element_of(event, 0), exponent ? exponent : element_of(event, base ? 0 : 1)};
}

// Of a power; nullopt where the event does not say.
std::optional<double> least_exponent(const Recording& recording, const Event& event, const Event& forward) {
    if (const auto exponent = power_of(event, forward).exponent) return exponent;
    // Of a base that is a number the exponent is the only tensor.
    const Value* exponent = tensor_of(recording, forward, number_argument(forward, "self") ? 0 : 1);
    if (exponent == nullptr || !exponent->statistics) return std::nullopt;
    const auto range = range_of(*exponent->statistics);
    return range ? std::optional(range->least) : std::nullopt;
}

// Does what the note asks for hold, as far as the recording knows?
bool holds(const NotFiniteNote& note, const Recording& recording, const Event& event, const Event& forward) {
    if (note.makes == NotFiniteNote::Makes::Nan && !event.has_nan) return false;
    if (note.makes == NotFiniteNote::Makes::Inf && !event.has_inf) return false;
    if (note.when == When::Always) return event.not_finite != NotFinite::Turned;
    if (note.when == When::Infinite)
        return event.not_finite == NotFinite::Turned && (reads_inf(recording, event) || reads_inf(recording, forward));
    const Value* value = tensor_of(recording, forward, note.tensor);
    if (value == nullptr || event.not_finite == NotFinite::Turned) return false;
    if (note.when == When::Nothing) return elements_of(*value) == 0;
    if (note.when == When::Alone) {
        const Value* result = tensor_of(recording, forward, -1);
        return result != nullptr && elements_of(*value) <= elements_of(*result);
    }
    // Of the element that failed where it is known, else of all.
    const std::optional<double> element = element_of(event, note.tensor);
    if (!element && !value->statistics) return false;
    const bool has_zero = element ? *element == 0 : value->statistics->zero_count > 0;
    if (note.when == When::Zero) return has_zero;
    if (note.when == When::ZeroBase) {
        const auto exponent = least_exponent(recording, event, forward);
        const auto base = number_argument(forward, "self");
        const bool is_at_zero = base ? *base == 0 : has_zero;
        // The slope in the base has an exponent of 1 less; a base that is a number has none.
        return is_at_zero && exponent && *exponent < (event.phase == RunPhase::Backward && !base ? 1 : 0);
    }
    const std::optional<Range> range =
        element ? std::optional(Range{*element, std::abs(*element)}) : range_of(*value->statistics);
    if (!range) return false;
    switch (note.when) {
        case When::Negative:
            return range->least < 0;
        case When::BelowOne:
            return range->least < 1;
        case When::AtMinusOne:
            return range->least <= -1;
        case When::BeyondOne:
            return range->magnitude > 1;
        case When::AtOne:
            return range->magnitude >= 1;
        case When::Great:
            return range->magnitude > 80;
        default:
            return false;
    }
}

std::string number_text(double value) {
    char out[32];
    std::snprintf(out, sizeof out, "%.4g", value);
    return out;
}

// " (0 to the power of -1)" of the element that failed; empty for other operators.
Said power_text(const Event& event, const Event& forward) {
    if (short_operator_name(forward.op).find("pow") == std::string_view::npos) return {};
    const Power power = power_of(event, forward);
    if (!power.base || !power.exponent) return {};
    return engine::said(" (%1 to the power of %2)", number_text(*power.base), number_text(*power.exponent));
}

double greatest_read(const Recording& recording, const Event& event) {
    double greatest = 0;
    for (const ValueId id : event.inputs) {
        const auto& statistics = recording.value(id).statistics;
        const auto range = statistics ? range_of(*statistics) : std::nullopt;
        if (range) greatest = std::max(greatest, range->magnitude);
    }
    return greatest;
}

// The largest number of the dtype; 0 where it is so great that other causes come first.
double narrow_range(std::string_view dtype) { return dtype == "float16" ? 65504 : 0; }

struct DtypeRange {
    std::string_view name;
    double largest;
    double smallest;  // above 0
};
// Narrow ones first.
constexpr DtypeRange kRanges[] = {{"float16", 65504, 5.9604644775390625e-08},
                                  {"bfloat16", 3.3895313892515355e38, 9.183549615799121e-41},
                                  {"float32", 3.4028234663852886e38, 1.401298464324817e-45},
                                  {"float64", 1.7976931348623157e308, 5e-324}};
const DtypeRange* range_of_dtype(std::string_view dtype) {
    const auto* found =
        std::find_if(std::begin(kRanges), std::end(kRanges), [&](const DtypeRange& r) { return r.name == dtype; });
    return found == std::end(kRanges) ? nullptr : found;
}

// Numbers that fit into the dtype they come from, not into the one they go to.
std::optional<Cause> overflowing_cast(const Recording& recording, const Event& event, const Value& bad) {
    constexpr std::string_view kCasts[] = {"to",
                                           "_to_copy",
                                           "copy_",
                                           "copy",
                                           "float",
                                           "half",
                                           "double",
                                           "bfloat16",
                                           "type_as",
                                           "_autocast_to_reduced_precision",
                                           "_autocast_to_full_precision"};
    const bool is_cast =
        std::find(std::begin(kCasts), std::end(kCasts), short_operator_name(event.op)) != std::end(kCasts);
    const DtypeRange* to = range_of_dtype(bad.dtype);
    if (!is_cast || to == nullptr || event.phase == RunPhase::Backward) return std::nullopt;
    for (const ValueId id : event.inputs) {
        const DtypeRange* from = id == 0 ? nullptr : range_of_dtype(recording.value(id).dtype);
        if (from == nullptr || from->largest <= to->largest) continue;
        return Cause{engine::said("a cast from %1 to %2 of numbers beyond the largest %2 (%3)", from->name, to->name,
                                  number_text(to->largest)),
                     to->name == "float16"
                         ? engine::said("keep it in %1, cast to bfloat16, or scale the values down before the cast (a "
                                        "loss: torch.amp.GradScaler)",
                                        from->name)
                         : engine::said("keep it in %1, or scale the values down before the cast", from->name)};
    }
    return std::nullopt;
}

// A constant above 0 and not above `most` among what the event's inputs were made with: the eps of x + eps.
std::optional<double> small_constant(const Recording& recording, const Event& event, double most, int depth = 3) {
    for (const ValueId id : event.inputs) {
        const EventId producer = id == 0 ? 0 : recording.value(id).producer;
        if (producer == 0 || producer >= event.id || recording.event(producer).phase == RunPhase::Backward) continue;
        const Event& maker = recording.event(producer);
        const auto is_small = [&](std::optional<double> number) {
            return number && std::abs(*number) > 0 && std::abs(*number) <= most;
        };
        for (const std::string_view name : {"other", "min", "eps", "value"}) {
            if (const auto number = number_argument(maker, name); is_small(number)) return number;
        }
        for (const ValueId read : maker.inputs) {
            const Value& value = recording.value(read);
            const bool is_number = read != 0 && value.producer == 0 && value.shape.empty() && value.statistics;
            const auto range = is_number ? range_of(*value.statistics) : std::nullopt;
            if (range && is_small(range->magnitude)) return range->magnitude;
        }
        if (depth > 1) {
            if (const auto found = small_constant(recording, maker, most, depth - 1)) return found;
        }
    }
    return std::nullopt;
}

// An eps that is 0 in the dtype of the numbers it is added to, or so small that what is divided by it overflows.
void name_lost_eps(Cause& cause, const Recording& recording, const Event& forward, bool is_at_zero) {
    const Value* value = tensor_of(recording, forward, 0);
    const DtypeRange* range = value == nullptr ? nullptr : range_of_dtype(value->dtype);
    if (range == nullptr || range->name == "float64") return;
    const auto eps = small_constant(recording, forward, is_at_zero ? range->smallest / 2 : 1 / range->largest);
    if (!eps) return;
    cause.text += is_at_zero ? engine::said(" (%1 is 0 in %2, whose smallest number is %3)", number_text(*eps),
                                            range->name, number_text(range->smallest))
                             : engine::said(" (by an eps of %1)", number_text(*eps));
    const std::string wider = range->name == "float32" ? "float64" : "float32";
    cause.advice = range->name == "float16"
                       ? engine::said("use a larger eps, such as 1e-4, or compute this part in %1", wider)
                       : engine::said("use a larger eps, or compute this part in %1", wider);
}

// A step of backward in which a derivative that is not finite meets a gradient of 0: the event, or one of its
// derivative. 0.
EventId masked_backward(const Recording& recording, const Event& event) {
    const auto is_masked = [&](const Event& step) {
        if (step.phase != RunPhase::Backward || !step.has_nan) return false;
        bool has_zero = false;
        for (const ValueId id : step.inputs) {
            const auto& statistics = recording.value(id).statistics;
            if (!statistics) continue;
            if (statistics->has_nan_or_inf()) return false;
            has_zero = has_zero || statistics->zero_count > 0;
        }
        return has_zero;
    };
    if (event.phase == RunPhase::Backward) return is_masked(event) ? event.id : 0;
    for (EventId id = event.id + 1; id <= recording.event_count(); ++id) {
        if (recording.event(id).peer == event.id && is_masked(recording.event(id))) return id;
    }
    return 0;
}

// The operator by which elements of a result are left out soon behind it: "where"; empty.
std::string selection_behind(const Recording& recording, const Event& forward) {
    constexpr std::string_view kSelections[] = {"where",  "masked_fill", "masked_fill_", "masked_select",
                                                "index",  "index_put_",  "nan_to_num",   "masked_scatter",
                                                "gather", "index_select"};
    constexpr int kSteps = 12;
    std::set<std::uint64_t> reached;
    for (const ValueId id : forward.outputs) reached.insert(recording.value(id).storage_id);
    int steps = 0;
    for (EventId id = forward.id + 1; id <= recording.event_count() && steps < kSteps; ++id) {
        const Event& event = recording.event(id);
        if (event.phase != RunPhase::Forward) break;
        const bool reads = std::any_of(event.inputs.begin(), event.inputs.end(), [&](ValueId value) {
            return value != 0 && reached.contains(recording.value(value).storage_id);
        });
        if (!reads) continue;
        ++steps;
        const std::string_view name = short_operator_name(event.op);
        if (std::find(std::begin(kSelections), std::end(kSelections), name) != std::end(kSelections))
            return std::string(name);
        for (const ValueId value : event.outputs) reached.insert(recording.value(value).storage_id);
    }
    return {};
}

}  // namespace

Cause cause_of(const Recording& recording, const Event& event) {
    const bool is_backward = event.phase == RunPhase::Backward;
    const bool has_peer = is_backward && event.peer != 0 && event.peer < event.id;
    const Event& forward = has_peer ? recording.event(event.peer) : event;
    const std::string op(short_operator_name(has_peer ? forward.op : event.op));
    const Value* bad = bad_output(recording, event) != 0 ? &recording.value(bad_output(recording, event)) : nullptr;
    const double range = bad != nullptr ? narrow_range(bad->dtype) : 0;
    const bool is_overflow = event.not_finite == NotFinite::Made && event.has_inf && !event.has_nan;
    if (is_overflow && bad != nullptr) {
        if (auto cast = overflowing_cast(recording, event, *bad)) return *std::move(cast);
    }
    Cause any;
    if (const Operator* known = find_operator(forward.op, forward.overload)) {
        for (const NotFiniteNote& note : not_finite_notes(*known)) {
            const bool is_here =
                note.in == NotFiniteNote::In::Either || (note.in == NotFiniteNote::In::Backward) == is_backward;
            if (!is_here || !holds(note, recording, event, forward)) continue;
            any = {said_in_row(engine::listed(note.cause), power_text(event, forward)), engine::listed(note.advice)};
            // A narrow dtype is the nearer cause of what would be in range otherwise.
            if (note.when == When::Always && range > 0) break;
            if (note.when == When::Zero || note.when == When::ZeroBase) name_lost_eps(any, recording, forward, true);
            return any;
        }
    }
    if (range > 0 && is_overflow) {
        Cause overflow{is_backward ? engine::said("%1 backward beyond the largest %2 (65504)", op, bad->dtype)
                                   : engine::said("%1 beyond the largest %2 (65504)", op, bad->dtype),
                       engine::said("run it in bfloat16 or float32, or scale the values down (in training the loss: "
                                    "torch.amp.GradScaler)")};
        name_lost_eps(overflow, recording, forward, false);
        return overflow;
    }
    if (!any.text.empty()) return any;
    const std::string name = is_backward ? std::string(event.op) : op;
    if (event.not_finite == NotFinite::Turned)
        return {name, engine::said("0 \u00b7 Inf and Inf \u2212 Inf are NaN: see where the Inf comes from (Go to "
                                   "origin)")};
    if (is_overflow && greatest_read(recording, event) > 1e15)
        return {
            engine::said("%1 of numbers up to %2 overflows and", name, python_repr(greatest_read(recording, event))),
            engine::said("bring the numbers down before it: normalise or clip them, or lower the learning rate")};
    return {name, {}};
}

Cause masked_cause(const Recording& recording, const Event& event) {
    const EventId step = masked_backward(recording, event);
    if (step == 0) return {};
    const EventId peer = recording.event(step).peer;
    const Event* forward = peer != 0 && peer < step ? &recording.event(peer) : nullptr;
    const std::string by = forward == nullptr ? std::string() : selection_behind(recording, *forward);
    Cause cause;
    cause.text = by.empty() ? engine::said("the gradient there is 0, and 0 \u00b7 Inf is NaN")
                            : engine::said("the gradient there is 0 (%1 leaves it out), and 0 \u00b7 Inf is NaN", by);
    cause.advice = forward == nullptr
                       ? engine::said(
                             "give it a safe input where the mask leaves it out, as well as choosing behind "
                             "it: torch.where(mask, x, 1)")
                       : engine::said(
                             "give %1 a safe input where the mask leaves it out, as well as choosing behind "
                             "it: torch.where(mask, x, 1)",
                             short_operator_name(forward->op));
    return cause;
}

}  // namespace loupe::session
