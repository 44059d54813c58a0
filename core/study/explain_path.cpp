// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "core/autograd/grad_mode.h"
#include "core/autograd/observer.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/functions.h"
#include "core/record/not_finite.h"
#include "core/record/value_change.h"
#include "core/study/event_function.h"
#include "core/study/explain.h"
#include "core/study/share_groups.h"
#include "core/tensor/device_copy.h"
#include "core/tensor/element_walk.h"

namespace loupe::session {
namespace {

constexpr std::size_t kMostConstants = 16;

// Row-major.
std::vector<double> numbers_of(const Tensor& given) {
    const Tensor t = on_host(given);
    std::vector<double> out;
    out.reserve(static_cast<std::size_t>(t.numel()));
    visit_any_dtype(t.dtype(), [&]<typename T>(std::type_identity<T>) {
        if constexpr (!is_complex(scalar_type_of<T>)) {
            walk_elements<T>(t, true, [&](const T* data, std::int64_t n) {
                for (std::int64_t i = 0; i < n; ++i) out.push_back(static_cast<double>(data[i]));
            });
        }
    });
    return out;
}

double dot(const Tensor& gradient, const Tensor& elements) {
    const Tensor a = on_host(gradient);
    const Tensor b = on_host(elements);
    double sum = 0;
    if (a.dtype() == ScalarType::Float32 && b.dtype() == ScalarType::Float32 && a.is_contiguous() &&
        b.is_contiguous()) {
        const float* const slopes = a.data<float>();
        const float* const numbers = b.data<float>();
        for (std::int64_t i = 0; i < a.numel(); ++i)
            if (slopes[i] != 0) sum += static_cast<double>(slopes[i]) * static_cast<double>(numbers[i]);
        return sum;
    }
    for (const ShareTerm& term : terms_of(a, b)) sum += term.share();
    return sum;
}

// Back through the events, the last first: of every value the derivative of the number in it, along sources alone.
class Path {
  public:
    Path(const ExplainedRun& run, AskedElement asked)
        : run_(run), recording_(run.recording), kinds_(run.recording), choice_(kinds_), asked_(std::move(asked)) {}

    Explanation result() {
        Explanation& out = asked_.answer;
        const GradModeScope no_grad(false);
        const ObserverScope unobserved(nullptr);
        Tensor like = on_host(asked_.tensor);
        if (!is_floating(like.dtype()))
            throw Error(ErrorKind::Usage, "numbers without a derivative are explained step by step");
        if (like.element_size() < 4) like = fn::to_dtype(like, static_cast<std::int64_t>(ScalarType::Float32));
        add(out.value, one_hot(like, asked_.flat));
        while (!pending_.empty()) {
            const EventId id = pending_.begin()->first;
            step(id);
        }
        collect(out);
        return std::move(out);
    }

  private:
    struct Part {
        double share = 0;
        bool is_linear = true;
    };

    // --- what is to be done ---

    void add(ValueId id, const Tensor& gradient) {
        const auto [found, is_new] = gradients_.try_emplace(id, gradient);
        if (!is_new) found->second = fn::add(found->second, gradient, Scalar(1));
        pending_[recording_.value(id).producer].insert(id);
    }

    Tensor take(ValueId id) {
        const auto found = gradients_.find(id);
        if (found == gradients_.end()) return {};
        const Tensor gradient = found->second;
        gradients_.erase(found);
        return gradient;
    }

    void step(EventId id) {
        if (id == 0) {
            for (const ValueId value : pending_[0]) add_leaf(value, take(value));
            pending_.erase(id);
            return;
        }
        // Other views of the memory that the event wrote.
        std::set<ValueId> values = pending_[id];
        for (const ValueId value : values) {
            if (is_output(recording_, value)) continue;
            pending_[id].erase(value);
            pass_memory(value);
        }
        values = pending_[id];
        pending_.erase(id);
        if (values.empty()) return;
        const Event& event = recording_.event(id);
        TensorList gradients;
        double total = 0;
        for (const ValueId output : event.outputs) {
            gradients.push_back(take(output));
            if (gradients.back().defined()) total += dot(gradients.back(), run_.elements(output));
        }
        const bool is_random = random(event, gradients, total);
        if (!is_random) pass(event, gradients, total);
    }

    void leave(const Event& event, double share, bool is_linear) {
        Part& part = parts_[event.id];
        part.share += share;
        part.is_linear = part.is_linear && is_linear;
    }

    // --- the ways back ---

    void pass_memory(ValueId value) {
        const Tensor gradient = take(value);
        const std::vector<ValueId> parts = added_gradients(recording_, value);
        if (!parts.empty()) {
            for (const ValueId part : parts) add(part, gradient);
            return;
        }
        const MemoryBefore memory(recording_, value);
        std::map<ValueId, Tensor> before;
        double lost = 0;
        for (const ShareTerm& term : terms_of(gradient, gradient)) {
            const SameMemory same = memory.find(term.flat);
            if (same.value == 0) {
                lost += term.coefficient * element_at(run_.elements(value), term.flat);
                continue;
            }
            Tensor& to = before[same.value];
            const Shape& shape = recording_.value(same.value).shape;
            if (!to.defined()) to = zeros(IntSpan(shape), ScalarType::Float64);
            to.data<double>()[same.flat] += term.coefficient;
        }
        for (const auto& [id, share] : before)
            add(id, fn::to_dtype(share, static_cast<std::int64_t>(gradient.dtype())));
        if (lost != 0) leave(recording_.event(recording_.value(value).producer), lost, false);
    }

    // A dropout has chosen: what it made of each element is its coefficient.
    bool random(const Event& event, const TensorList& gradients, double total) {
        const Operator* op = find_operator(event.op, event.overload);
        if (op == nullptr || !op->record->is_random) return false;
        const bool drops = !op->record->identity_without.empty() && !event.inputs.empty() && event.inputs[0] != 0;
        const Tensor from = drops ? run_.elements(event.inputs[0]) : Tensor();
        const Tensor made = drops ? run_.elements(event.outputs[0]) : Tensor();
        if (!from.defined() || !made.defined() || from.numel() != made.numel() || !gradients[0].defined()) {
            leave(event, total, true);
            return true;
        }
        const std::vector<double> before = numbers_of(from), after = numbers_of(made), slope = numbers_of(gradients[0]);
        const Tensor back = zeros(gradients[0].sizes(), ScalarType::Float64);
        for (std::size_t i = 0; i < before.size(); ++i)
            back.data<double>()[i] = before[i] == 0 ? 0 : slope[i] * after[i] / before[i];
        add(event.inputs[0], fn::to_dtype(back, static_cast<std::int64_t>(gradients[0].dtype())));
        return true;
    }

    void pass(const Event& event, const TensorList& gradients, double total) {
        try {
            if (event.op == kChangeOperator)
                leave(event, total, true);
            else if (event.phase == RunPhase::Forward)
                pass_forward(event, gradients, total);
            else if (event.op == "AccumulateGrad" && event.inputs.size() == 1 && event.inputs[0] != 0)
                add(event.inputs[0], gradients[0]);
            else if (event.phase == RunPhase::Backward && !event.op.starts_with("backward from"))
                pass_through(event, backward_function(recording_, event, run_.elements), true, gradients, total);
            else
                leave(event, total, true);
        } catch (const Error& error) {
            if (error.kind() == ErrorKind::Cancelled) throw;
            leave(event, total, false);
            if (notes_.size() < 4)
                notes_.push_back(engine::said("#%1 %2 is not followed: %3", event.id, event.op, error.message()));
        }
    }

    void pass_forward(const Event& event, const TensorList& gradients, double total) {
        const RecordedCall call = recorded_call(recording_, event, run_.elements);
        const SourceChoice::Choice chosen = choice_.of(event, call);
        if (chosen.is_source.empty()) return leave(event, total, true);
        const bool is_of_first = std::none_of(gradients.begin() + std::min<std::ptrdiff_t>(1, std::ssize(gradients)),
                                              gradients.end(), [](const Tensor& t) { return t.defined(); });
        const EventFunction function =
            forward_function(call, chosen.is_source, EventFunction::Elements::AsTheyAre,
                             is_of_first ? EventFunction::Scale::Held : EventFunction::Scale::Followed);
        if (!function.held().empty()) ++held_;
        pass_through(event, function, chosen.is_linear, gradients, total);
        note_chosen(event, call, chosen, gradients);
    }

    void pass_through(const Event& event, const EventFunction& function, bool is_linear, const TensorList& gradients,
                      double total) {
        const TensorList pulled = function.pull_all(gradients);
        double followed = 0;
        for (std::size_t i = 0; i < pulled.size(); ++i) {
            if (!pulled[i].defined()) continue;
            followed += dot(pulled[i], function.sources()[i].leaf);
            add(function.sources()[i].place.value, pulled[i]);
        }
        if (total != followed) leave(event, total - followed, is_linear);
    }

    // Rows of a weight that integers chose: each has the share of its row.
    void note_chosen(const Event& event, const RecordedCall& call, const SourceChoice::Choice& chosen,
                     const TensorList& gradients) {
        const bool is_table = std::any_of(call.places.begin(), call.places.end(), [&](const TensorPlace& place) {
            return kinds_.is_of_model(place.value) &&
                   chosen.is_source[static_cast<std::size_t>(&place - call.places.data())];
        });
        if (!is_table || gradients.empty() || !gradients[0].defined()) return;
        const Shape& made = recording_.value(event.outputs[0]).shape;
        for (const TensorPlace& place : call.places) {
            const Tensor ids = call.tensor(place);
            const Shape& shape = recording_.value(place.value).shape;
            const bool is_prefix = is_integral(ids.dtype()) && !shape.empty() && shape.size() < made.size() &&
                                   std::equal(shape.begin(), shape.end(), made.begin());
            if (!is_prefix || ids.numel() == 0) continue;
            std::vector<double>& shares = chosen_[place.value];
            shares.resize(static_cast<std::size_t>(ids.numel()), 0);
            const std::int64_t width = gradients[0].numel() / ids.numel();
            for (const ShareTerm& term : terms_of(gradients[0], run_.elements(event.outputs[0])))
                shares[static_cast<std::size_t>(term.flat / width)] += term.share();
        }
    }

    // --- the end ---

    void add_leaf(ValueId id, const Tensor& gradient) {
        const Tensor t = run_.elements(id);
        ShareGroup group = group_of(recording_.value(id).shape, terms_of(gradient, t), run_.most);
        group.argument = kinds_.name(id);
        group.value = id;
        group.name = recording_.value(id).name;
        asked_.answer.sources += group.share;
        if (group.count > 0) asked_.answer.groups.push_back(std::move(group));
    }

    void collect(Explanation& out) {
        std::vector<ShareGroup> constants;
        for (const auto& [id, part] : parts_) {
            (part.is_linear ? out.constant : out.remainder) += part.share;
            ShareGroup group;
            group.role = ShareGroup::Role::Constant;
            group.argument = part.is_linear ? "constant" : "remainder";
            const Event& event = recording_.event(id);
            group.name = concat(short_operator_name(event.op), event.scope.empty() ? "" : concat(" in ", event.scope));
            group.event = id;
            group.share = part.share;
            constants.push_back(std::move(group));
        }
        for (const auto& [id, shares] : chosen_) {
            const Tensor ids = run_.elements(id);
            std::vector<ShareTerm> terms;
            for (std::size_t i = 0; i < shares.size(); ++i)
                terms.push_back({static_cast<std::int64_t>(i), 1, shares[i]});
            ShareGroup group = group_of(recording_.value(id).shape, std::move(terms), run_.most);
            for (ElementShare& share : group.top) share.element = element_at(ids, *flat_of(group.shape, share.index));
            group.role = ShareGroup::Role::Selector;
            group.argument = "indices";
            group.value = id;
            group.name = recording_.value(id).name;
            group.event = recording_.value(id).producer;
            out.groups.push_back(std::move(group));
        }
        const auto by_share = [](const ShareGroup& a, const ShareGroup& b) {
            if (a.role != b.role) return a.role < b.role;
            return std::abs(a.share) > std::abs(b.share);
        };
        std::stable_sort(constants.begin(), constants.end(), by_share);
        if (constants.size() > kMostConstants) constants.resize(kMostConstants);
        out.groups.insert(out.groups.end(), constants.begin(), constants.end());
        std::stable_sort(out.groups.begin(), out.groups.end(), by_share);
        const bool is_exact =
            std::all_of(parts_.begin(), parts_.end(), [](const auto& p) { return p.second.is_linear; });
        out.kind = !is_exact ? ShareKind::Derivative : held_ > 0 ? ShareKind::Held : ShareKind::Exact;
        out.notes = notes_;
        if (held_ > 0)
            out.notes.push_back(engine::said("the scale of %1 normalisations is held at what it was",
                                             "the scale of %1 normalisation is held at what it was", held_));
        const auto leaves =
            static_cast<std::size_t>(std::count_if(out.groups.begin(), out.groups.end(), [](const ShareGroup& g) {
                return g.role == ShareGroup::Role::Source;
            }));
        out.text = engine::said("all the way back to %1 inputs, weights and constants",
                                "all the way back to %1 input, weight or constant", leaves);
    }

    const ExplainedRun& run_;
    const Recording& recording_;
    ValueKinds kinds_;
    SourceChoice choice_;
    AskedElement asked_;
    std::map<ValueId, Tensor> gradients_;
    std::map<EventId, std::set<ValueId>, std::greater<>> pending_;
    std::map<EventId, Part> parts_;                  // what events add, or derivatives leave
    std::map<ValueId, std::vector<double>> chosen_;  // of integers that chose rows
    std::vector<Said> notes_;
    std::size_t held_ = 0;  // normalisations that were passed with their scale held
};

}  // namespace

Explanation explain_to_inputs(const ExplainedRun& run, ValueId value, const Shape& index) {
    return Path(run, asked_element(run, value, index)).result();
}

}  // namespace loupe::session
