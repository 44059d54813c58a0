// SPDX-License-Identifier: Apache-2.0
#include "core/study/explain.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numeric>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/record/not_finite.h"
#include "core/record/value_change.h"
#include "core/study/event_function.h"
#include "core/study/explain_causes.h"
#include "core/study/explained_forms.h"
#include "core/study/not_finite_cause.h"
#include "core/study/share_groups.h"
#include "core/tensor/device_copy.h"
#include "core/tensor/element_walk.h"

namespace loupe::session {
namespace {

constexpr double kRounding = 1e-4;  // of the magnitudes that were added up

bool is_near(double a, double b, double scale) { return std::abs(a - b) <= kRounding * (scale + std::abs(b)) + 1e-30; }

// The number of the random event among those of the run.
std::size_t draw_number(const Recording& recording, EventId event) {
    std::size_t number = 0;
    for (EventId id = 1; id <= event; ++id) {
        const Operator* op = find_operator(recording.event(id).op, recording.event(id).overload);
        if (op != nullptr && op->record->is_random) ++number;
    }
    return number;
}

class Step {
  public:
    Step(const ExplainedRun& run, AskedElement asked)
        : run_(run), recording_(run.recording), kinds_(run.recording), asked_(std::move(asked)), out_(asked_.answer) {}

    Explanation result() {
        const Value& value = recording_.value(out_.value);
        if (value.producer == 0) {
            given();
        } else if (!is_output(recording_, out_.value)) {
            memory();
        } else if (event().op == kChangeOperator) {
            changed();
        } else if (out_.phase == RunPhase::Forward) {
            forward();
        } else {
            backward();
        }
        conclude();
        return std::move(out_);
    }

  private:
    const Event& event() const { return recording_.event(out_.event); }

    // --- what has no operator ---

    void given() {
        out_.kind = ShareKind::Given;
        const std::string kind = kinds_.name(out_.value);
        out_.text = kind == "constant" ? engine::said("a constant of the program")
                    : kind == "input"  ? engine::said("an input of the run")
                    : kind == "weight" ? engine::said("a weight of the model")
                    : kind == "buffer" ? engine::said("a buffer of the model")
                                       : engine::said("there before it was read");
        if (kind != "gradient" && kind != "value") return;
        unknown(engine::said("it was there before the run"));
    }

    void memory() {
        const std::vector<ValueId> parts = added_gradients(recording_, out_.value);
        if (parts.size() > 1) return sum(parts);
        const SameMemory same = parts.size() == 1 ? SameMemory{parts.front(), asked_.flat}
                                                  : MemoryBefore(recording_, out_.value).find(asked_.flat);
        if (same.value == 0) return unknown(engine::said("nothing that was recorded wrote it"));
        out_.kind = ShareKind::Element;
        out_.text = engine::said("the same memory as another tensor wrote it");
        add_single("memory", same.value, same.flat);
    }

    void sum(const std::vector<ValueId>& parts) {
        out_.kind = ShareKind::Sum;
        out_.text = engine::said("the sum of %1 gradients, one of each reader",
                                 "the sum of %1 gradient, one of each reader", parts.size());
        for (const ValueId part : parts) add_single("gradient", part, asked_.flat);
    }

    void add_single(std::string argument, ValueId value, std::int64_t flat, ShareGroup::Role role = {}) {
        const Tensor t = run_.elements(value);
        if (!t.defined()) {
            out_.notes.push_back(engine::said("the elements of %1 were not kept", argument));
            return;
        }
        ShareTerm term{flat, element_at(t, flat), 1};
        add(role, std::move(argument), value, {term});
    }

    ShareGroup& add(ShareGroup::Role role, std::string argument, ValueId value, std::vector<ShareTerm> terms) {
        const Value& of = recording_.value(value);
        ShareGroup group = group_of(of.shape, std::move(terms), run_.most);
        group.role = role;
        group.argument = std::move(argument);
        group.value = value;
        group.name = of.name;
        group.event = of.producer;
        if (role == ShareGroup::Role::Source) out_.sources += group.share;
        return out_.groups.emplace_back(std::move(group));
    }

    void unknown(const Said& why) {
        out_.kind = ShareKind::Unknown;
        out_.text = why;
    }

    // --- forward ---

    void changed() {
        out_.kind = ShareKind::Given;
        out_.text = engine::said("changed by hand: %1", join(event().arguments, ", "));
        out_.constant = out_.number;
    }

    void forward() {
        const Operator* op = find_operator(event().op, event().overload);
        if (op == nullptr) return unknown(engine::said("%1 is no operator with a record", event().op));
        RecordedCall call;
        try {
            call = recorded_call(recording_, event(), run_.elements);
        } catch (const Error& error) {
            if (error.kind() == ErrorKind::Cancelled) throw;
            return unknown(Said(error.message()));
        }
        if (op->record->is_random) return random(call);
        SourceChoice choice(kinds_);
        SourceChoice::Choice chosen;
        try {
            chosen = choice.of(event(), call);
            if (!is_floating(asked_.tensor.dtype())) chosen = integer_choice(call);
            if (!chosen.is_source.empty() && by_derivative(call, chosen)) return selectors(call, chosen.is_source);
        } catch (const Error& error) {
            if (error.kind() == ErrorKind::Cancelled) throw;
            out_.notes.push_back(engine::said("its derivative could not be computed: %1", error.message()));
            out_.groups.clear();
            out_.sources = 0;
        }
        read(call);
    }

    // Of an integer result: what has its dtype may have been moved, or added, as numbers.
    SourceChoice::Choice integer_choice(const RecordedCall& call) const {
        SourceChoice::Choice choice;
        for (const TensorPlace& place : call.places)
            choice.is_source.push_back(call.tensor(place).dtype() == asked_.tensor.dtype());
        const bool has_any = std::any_of(choice.is_source.begin(), choice.is_source.end(), [](bool b) { return b; });
        if (!has_any || asked_.tensor.dtype() == ScalarType::Bool) return {};
        choice.is_linear = true;
        return choice;
    }

    std::size_t output_number() const {
        const auto& outputs = event().outputs;
        return static_cast<std::size_t>(std::find(outputs.begin(), outputs.end(), out_.value) - outputs.begin());
    }

    // False: the element does not depend on them.
    bool by_derivative(const RecordedCall& call, const SourceChoice::Choice& chosen) {
        const std::size_t number = output_number();
        // The scale itself, where it is a result, is followed.
        scale_ = number == 0 ? EventFunction::Scale::Held : EventFunction::Scale::Followed;
        const EventFunction function = function_of(call, chosen.is_source);
        if (number >= function.outputs().size()) return false;
        const Tensor& result = function.outputs()[number];
        const TensorList gradients = function.pull(number, one_hot(result, asked_.flat));
        const bool has_any =
            std::any_of(gradients.begin(), gradients.end(), [](const Tensor& t) { return t.defined(); });
        if (!has_any) return false;
        const bool is_bad = !std::isfinite(out_.number);
        std::vector<std::vector<ShareTerm>> terms;
        for (std::size_t i = 0; i < gradients.size(); ++i)
            terms.push_back(terms_of(gradients[i], function.sources()[i].leaf));
        if (is_bad) terms = terms_of_bad(call, chosen.is_source, number, asked_.flat);
        // Flat there, as relu below 0: what it read says why.
        if (std::all_of(terms.begin(), terms.end(), [](const auto& each) { return each.empty(); })) return false;
        double scale = 0;
        std::size_t count = 0;
        for (std::size_t i = 0; i < terms.size(); ++i) {
            for (const ShareTerm& term : terms[i]) scale += std::abs(term.share());
            count += terms[i].size();
            if (terms[i].empty()) continue;
            add(ShareGroup::Role::Source, function.sources()[i].place.name, function.sources()[i].place.value,
                std::move(terms[i]));
        }
        judge(call, chosen, number, scale, count);
        if (out_.kind == ShareKind::Exact && !function.held().empty()) {
            out_.kind = ShareKind::Held;
            out_.notes.push_back(
                engine::said("%1 is held at what it was: a factor on all of its input would "
                             "change nothing, and shares by derivative add up to 0",
                             function.held()));
        }
        factors(call, chosen.is_source, number);
        if (is_bad) causes(call, chosen.is_linear);
        const double again = element_at(result, asked_.flat);
        if (std::isfinite(out_.number) && !is_near(again, out_.number, scale))
            out_.notes.push_back(
                engine::said("computed again it is %1, not %2", short_number(again), short_number(out_.number)));
        return true;
    }

    EventFunction function_of(const RecordedCall& call, const std::vector<bool>& is_source) const {
        return forward_function(call, is_source, EventFunction::Elements::AsTheyAre, scale_);
    }

    double result_of(const RecordedCall& call, const std::vector<bool>& is_source, std::size_t number,
                     double factor) const {
        const EventFunction function = function_of(scaled_call(call, is_source, factor), is_source);
        return element_at(function.outputs()[number], asked_.flat);
    }

    void judge(const RecordedCall& call, const SourceChoice::Choice& chosen, std::size_t number, double scale,
               std::size_t count) {
        const double left = out_.number - out_.sources;
        out_.remainder = left;
        out_.kind = ShareKind::Derivative;
        if (!std::isfinite(out_.number)) {
            out_.kind = chosen.is_linear ? ShareKind::Exact : ShareKind::Derivative;
            out_.remainder = 0;
            return;
        }
        const bool is_one = count == 1 && out_.groups.front().top.front().coefficient == 1;
        if (is_one && left == 0) {
            out_.kind = ShareKind::Element;
            return;
        }
        // A step function is flat everywhere, and so looks linear: its value at 0 tells.
        const double at_zero =
            is_near(left, 0, scale) && chosen.is_linear ? left : result_of(call, chosen.is_source, number, 0);
        if (!chosen.is_linear || !is_near(at_zero, left, scale)) return;
        out_.kind = ShareKind::Exact;
        // Rounding stays a remainder.
        const bool is_rounding = is_near(left, 0, scale);
        out_.constant = is_rounding ? 0 : at_zero;
        out_.remainder = left - out_.constant;
    }

    // What the sources were multiplied with: tensors by which the result changes too.
    void factors(const RecordedCall& call, const std::vector<bool>& is_source, std::size_t number) {
        for (std::size_t i = 0; i < call.places.size(); ++i) {
            if (is_source[i] || !is_floating(call.tensor(call.places[i]).dtype())) continue;
            std::vector<bool> alone(call.places.size(), false);
            alone[i] = true;
            std::vector<ShareTerm> terms;
            if (std::isfinite(out_.number)) {
                const EventFunction function = function_of(call, alone);
                const TensorList gradients = function.pull(number, one_hot(function.outputs()[number], asked_.flat));
                terms = terms_of(gradients.front(), function.sources().front().leaf);
            } else {
                terms = terms_of_bad(call, alone, number, asked_.flat).front();
            }
            if (terms.empty()) continue;
            add(ShareGroup::Role::Factor, call.places[i].name, call.places[i].value, std::move(terms));
        }
    }

    void causes(const RecordedCall&, bool is_linear) {
        out_.causes = causes_of(out_.groups, is_linear);
        if (!is_origin(event().not_finite)) return;
        const Cause cause = cause_of(recording_, event());
        if (!cause.text.empty() && !is_linear) out_.causes.push_back(cause.text);
    }

    // --- operators without a derivative ---

    // Where a tensor of this shape has the element that belongs to the result's.
    std::optional<std::int64_t> matching(const Shape& shape, const Operator& op) const {
        const Shape& result = recording_.value(out_.value).shape;
        const bool is_prefix = shape.size() <= result.size() && std::equal(shape.begin(), shape.end(), result.begin());
        if (is_prefix && op.family != "pointwise")
            return flat_of(shape, Shape(out_.index.begin(), out_.index.begin() + std::ssize(shape)));
        if (shape.size() > result.size()) return std::nullopt;
        Shape index(out_.index.end() - std::ssize(shape), out_.index.end());
        for (std::size_t d = 0; d < shape.size(); ++d) {
            if (shape[d] == 1)
                index[d] = 0;
            else if (shape[d] != result[result.size() - shape.size() + d])
                return std::nullopt;
        }
        return flat_of(shape, index);
    }

    void add_read(const RecordedCall& call, const TensorPlace& place, ShareGroup::Role role) {
        const Tensor t = call.tensor(place);
        if (t.is_sparse() || t.numel() == 0) return;
        const Shape& shape = recording_.value(place.value).shape;
        std::vector<ShareTerm> terms;
        if (const auto at = matching(shape, *call.op)) {
            terms.push_back({*at, element_at(t, *at), 0});
        } else {
            const std::int64_t n = std::min<std::int64_t>(t.numel(), 4096);
            for (std::int64_t i = 0; i < n; ++i) terms.push_back({i, element_at(t, i), 0});
        }
        add(role, place.name, place.value, std::move(terms)).count = std::ssize(terms);
        if (!matching(shape, *call.op))
            out_.groups.back().count = t.numel();
        else
            out_.groups.back().count = 1;
    }

    void read(const RecordedCall& call) {
        out_.kind = ShareKind::Read;
        out_.text = engine::said("%1 of what it read", short_operator_name(event().op));
        if (call.places.empty()) {
            out_.kind = ShareKind::Given;
            const std::string arguments =
                event().arguments.empty() ? std::string() : concat("(", join(event().arguments, ", "), ")");
            out_.text = engine::said("made by %1", concat(short_operator_name(event().op), arguments));
            out_.constant = out_.number;
            return;
        }
        for (const TensorPlace& place : call.places) add_read(call, place, ShareGroup::Role::Source);
        if (!std::isfinite(out_.number)) causes(call, false);
    }

    void selectors(const RecordedCall& call, const std::vector<bool>& is_source) {
        for (std::size_t i = 0; i < call.places.size(); ++i) {
            const ScalarType dtype = call.tensor(call.places[i]).dtype();
            if (!is_source[i] && !is_floating(dtype) && !is_complex(dtype))
                add_read(call, call.places[i], ShareGroup::Role::Selector);
        }
    }

    // --- random draws ---

    void random(const RecordedCall& call) {
        const std::size_t number = draw_number(recording_, out_.event);
        const Said draw = engine::said("random operator %1 of the run, seed %2", number, run_.seed);
        const TensorPlace* source = nullptr;
        for (const TensorPlace& place : call.places) {
            if (recording_.value(place.value).shape == recording_.value(out_.value).shape) source = &place;
        }
        const bool drops = !call.op->record->identity_without.empty() || call.op->full_name == "aten::native_dropout";
        if (!drops || source == nullptr) {
            out_.kind = ShareKind::Random;
            out_.text = engine::said("a random draw: %1", draw);
            out_.constant = out_.number;
            return;
        }
        const double element = element_at(call.tensor(*source), asked_.flat);
        const double coefficient = element == 0 ? 0 : out_.number / element;
        out_.kind = ShareKind::Exact;
        out_.text = out_.number == 0 && element != 0 ? engine::said("dropped: %1", draw)
                    : element == 0                   ? engine::said("of 0, kept or dropped: %1", draw)
                    : coefficient == 1               ? engine::said("passed on as it is")
                                       : engine::said("kept and scaled by %1: %2", short_number(coefficient), draw);
        if (out_.number != 0 && element == 0) {
            out_.kind = ShareKind::Random;
            out_.constant = out_.number;
        }
        add(ShareGroup::Role::Source, source->name, source->value, {{asked_.flat, element, coefficient}});
    }

    // --- backward ---

    void backward() {
        if (event().op.starts_with("backward from")) {
            out_.kind = ShareKind::Given;
            out_.text = std::string(event().op);
            out_.constant = out_.number;
            return;
        }
        if (out_.phase == RunPhase::Optimizer) return unknown(engine::said("the optimiser wrote it"));
        if (event().op == "AccumulateGrad" && !event().inputs.empty() && event().inputs.front() != 0) {
            out_.kind = ShareKind::Element;
            out_.text = engine::said("the gradient of the leaf");
            return add_single("grad", event().inputs.front(), asked_.flat);
        }
        try {
            const EventFunction function = backward_function(recording_, event(), run_.elements);
            const std::size_t number = output_number();
            const Tensor& result = function.outputs()[number];
            const TensorList gradients = function.pull(number, one_hot(result, asked_.flat));
            double scale = 0;
            std::size_t count = 0;
            for (std::size_t i = 0; i < gradients.size(); ++i) {
                std::vector<ShareTerm> terms = terms_of(gradients[i], function.sources()[i].leaf);
                for (const ShareTerm& term : terms) scale += std::abs(term.share());
                count += terms.size();
                if (!terms.empty())
                    add(ShareGroup::Role::Source, function.sources()[i].place.name, function.sources()[i].place.value,
                        std::move(terms));
            }
            out_.kind = ShareKind::Exact;
            out_.remainder = std::isfinite(out_.number) ? out_.number - out_.sources : 0;
            if (!is_near(out_.remainder, 0, scale)) out_.kind = ShareKind::Derivative;
            const bool is_one = count == 1 && out_.groups.front().top.front().coefficient == 1;
            if (is_one && out_.remainder == 0) out_.kind = ShareKind::Element;
            if (event().peer != 0)
                out_.notes.push_back(engine::said("coefficients are of the forward, #%1 %2", event().peer,
                                                  recording_.event(event().peer).op));
            if (!std::isfinite(out_.number)) {
                out_.causes = causes_of(out_.groups, true);
                const Cause cause = cause_of(recording_, event());
                if (!cause.text.empty()) out_.causes.push_back(cause.text);
                if (const Cause masked = masked_cause(recording_, event()); !masked.text.empty())
                    out_.causes.push_back(masked.text);
            }
        } catch (const Error& error) {
            if (error.kind() == ErrorKind::Cancelled) throw;
            unknown(Said(error.message()));
            for (const ValueId id : event().inputs) {
                const bool is_alike = id != 0 && recording_.value(id).shape == recording_.value(out_.value).shape;
                if (is_alike) add_single("grad", id, asked_.flat, ShareGroup::Role::Selector);
            }
        }
    }

    // --- the sentence ---

    void conclude() {
        const Operator* made_by = out_.event == 0 ? nullptr : find_operator(event().op, event().overload);
        const ExplainedForm* form = made_by == nullptr ? nullptr : explained_form(made_by->full_name);
        if (form != nullptr && !form->note.empty() && out_.kind == ShareKind::Derivative)
            out_.notes.push_back(engine::listed(form->note));
        std::stable_sort(out_.groups.begin(), out_.groups.end(), [](const ShareGroup& a, const ShareGroup& b) {
            if (a.role != b.role) return a.role < b.role;
            return std::abs(a.share) > std::abs(b.share);
        });
        if (!out_.text.empty()) return;
        std::int64_t count = 0;
        for (const ShareGroup& group : out_.groups) count += group.role == ShareGroup::Role::Source ? group.count : 0;
        const std::string op = out_.event == 0 ? std::string() : std::string(short_operator_name(event().op));
        if (out_.kind == ShareKind::Element && !out_.groups.empty()) {
            out_.text = engine::said("%1 gives %2", op,
                                     element_name(out_.groups.front(), out_.groups.front().top.front().index));
            return;
        }
        out_.text = count == 0 ? engine::said("%1: nothing that it read changes this element", op)
                               : engine::said("%2 of %1 elements", "%2 of %1 element", count, op);
    }

    const ExplainedRun& run_;
    const Recording& recording_;
    ValueKinds kinds_;
    AskedElement asked_;
    Explanation out_;
    EventFunction::Scale scale_ = EventFunction::Scale::Followed;
};

}  // namespace

// --- shared ---

void fill_event(const Recording& recording, EventId id, Explanation& out) {
    out.event = id;
    if (id == 0) return;
    const Event& event = recording.event(id);
    out.op = event.op;
    out.scope = event.scope;
    out.source_file = event.source_file;
    out.source_line = event.source_line;
    out.phase = event.phase;
}

AskedElement asked_element(const ExplainedRun& run, ValueId value, const Shape& index) {
    if (value == 0 || value > run.recording.value_count())
        throw Error(ErrorKind::Usage, "this value is of a run that is gone");
    const Value& asked = run.recording.value(value);
    const auto flat = flat_of(asked.shape, index);
    if (!flat)
        throw Error(ErrorKind::Usage,
                    concat("no element ", index_text(index), ": the value is ", shape_text(asked.shape)));
    AskedElement out;
    out.flat = *flat;
    out.tensor = run.elements(value);
    if (!out.tensor.defined())
        throw Error(ErrorKind::Usage, "the elements of this value were not kept",
                    {.hint = "run again with values recorded"});
    if (out.tensor.is_sparse()) throw Error(ErrorKind::Unsupported, "elements of sparse tensors are not explained");
    out.answer.value = value;
    out.answer.name = asked.name;
    out.answer.index = index_of(asked.shape, *flat);
    out.answer.number = element_at(out.tensor, *flat);
    fill_event(run.recording, asked.producer, out.answer);
    return out;
}

Shape telling_index(const Tensor& given) {
    const Tensor t = on_host(given);
    std::int64_t best = 0;
    double greatest = -1;
    const auto rank = [](double number) {
        return std::isnan(number)   ? HUGE_VAL
               : std::isinf(number) ? std::numeric_limits<double>::max()
                                    : std::abs(number);
    };
    visit_any_dtype(t.dtype(), [&]<typename T>(std::type_identity<T>) {
        std::int64_t flat = 0;
        walk_elements<T>(t, true, [&](const T* data, std::int64_t n) {
            for (std::int64_t i = 0; i < n; ++i, ++flat) {
                double number = 0;
                if constexpr (is_complex(scalar_type_of<T>))
                    number = std::abs(std::complex<double>(data[i]));
                else
                    number = static_cast<double>(data[i]);
                if (rank(number) <= greatest) continue;
                greatest = rank(number);
                best = flat;
            }
        });
    });
    return index_of(Shape(t.sizes().begin(), t.sizes().end()), best);
}

bool is_output(const Recording& recording, ValueId value) {
    const EventId producer = recording.value(value).producer;
    if (producer == 0) return false;
    const auto& outputs = recording.event(producer).outputs;
    return std::find(outputs.begin(), outputs.end(), value) != outputs.end();
}

MemoryBefore::MemoryBefore(const Recording& recording, ValueId id) : recording_(recording), id_(id) {
    const Value& value = recording.value(id);
    for (ValueId before = id - 1; before > 0; --before) {
        const Value& other = recording.value(before);
        if (other.storage_id == value.storage_id && other.dtype == value.dtype) before_.push_back(before);
    }
}

SameMemory MemoryBefore::find(std::int64_t flat) const {
    const Value& value = recording_.value(id_);
    const Shape index = index_of(value.shape, flat);
    std::int64_t address = value.offset;
    for (std::size_t d = 0; d < index.size() && d < value.strides.size(); ++d) address += index[d] * value.strides[d];
    for (const ValueId before : before_) {
        const Value& other = recording_.value(before);
        // Strides from the largest: what is left behind the last is 0 where the tensor has the address.
        std::vector<std::size_t> order(other.shape.size());
        std::iota(order.begin(), order.end(), 0U);
        std::sort(order.begin(), order.end(),
                  [&](std::size_t a, std::size_t b) { return other.strides[a] > other.strides[b]; });
        std::int64_t left = address - other.offset;
        Shape at(other.shape.size(), 0);
        for (const std::size_t d : order) {
            if (other.strides[d] <= 0 || left < 0) continue;
            at[d] = std::min(left / other.strides[d], other.shape[d] - 1);
            left -= at[d] * other.strides[d];
        }
        if (left == 0) return {before, flat_of(other.shape, at).value_or(0)};
    }
    return {};
}

std::vector<ValueId> added_gradients(const Recording& recording, ValueId sum) {
    // The first event that read it tells of which forward value it is the gradient.
    for (EventId id = 1; id <= recording.event_count(); ++id) {
        const Event& reader = recording.event(id);
        if (reader.phase != RunPhase::Backward) continue;
        const auto at = std::find(reader.inputs.begin(), reader.inputs.end(), sum);
        if (at == reader.inputs.end()) continue;
        std::vector<ValueId> of = {recording.value(sum).gradient_of};
        if (reader.peer != 0 && reader.peer < reader.id) {
            const auto& outputs = recording.event(reader.peer).outputs;
            of.insert(of.end(), outputs.begin(), outputs.end());
        }
        std::vector<ValueId> parts;
        for (ValueId value = 1; value < sum; ++value) {
            const Value& part = recording.value(value);
            const bool is_part = part.gradient_of != 0 && part.producer < id && is_output(recording, value) &&
                                 part.shape == recording.value(sum).shape &&
                                 std::find(of.begin(), of.end(), part.gradient_of) != of.end();
            if (is_part) parts.push_back(value);
        }
        return parts;
    }
    return {};
}

Explanation explain_element(const ExplainedRun& run, ValueId value, const Shape& index) {
    return Step(run, asked_element(run, value, index)).result();
}

}  // namespace loupe::session
