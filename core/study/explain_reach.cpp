// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "core/autograd/grad_mode.h"
#include "core/autograd/observer.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/functions.h"
#include "core/study/event_function.h"
#include "core/study/explain.h"
#include "core/study/share_groups.h"
#include "core/tensor/device_copy.h"

namespace loupe::session {
namespace {

constexpr std::size_t kMostReached = 4096;  // values that are listed

// Forward through the events: of every value its derivative by the one element.
class Reach {
  public:
    Reach(const ExplainedRun& run, AskedElement asked)
        : run_(run), recording_(run.recording), asked_(std::move(asked)) {}

    Explanation result() {
        Explanation& out = asked_.answer;
        const ObserverScope unobserved(nullptr);
        Tensor like = on_host(asked_.tensor);
        if (!is_floating(like.dtype()))
            throw Error(ErrorKind::Usage, "what integers choose has no derivative: explain what they chose");
        if (like.element_size() < 4) like = fn::to_dtype(like, static_cast<std::int64_t>(ScalarType::Float32));
        tangents_[out.value] = one_hot(like, asked_.flat);
        for (EventId id = std::max<EventId>(out.event, 0) + 1; id <= recording_.event_count(); ++id) {
            const Event& event = recording_.event(id);
            if (event.phase != RunPhase::Forward) break;
            if (reads(event)) pass(event);
        }
        out.kind = is_whole_ ? ShareKind::Derivative : ShareKind::Unknown;
        const Said elements = engine::said("%1 elements", "%1 element", elements_);
        out.text = out.groups.empty()
                       ? engine::said("nothing in this run depends on it")
                       : engine::said("reaches %2 of %1 values", "reaches %2 of %1 value", out.groups.size(), elements);
        return std::move(out);
    }

  private:
    Tensor tangent_of(ValueId id) {
        if (id == 0) return {};
        if (const auto found = tangents_.find(id); found != tangents_.end()) return found->second;
        if (recording_.value(id).producer != 0 && !is_output(recording_, id)) return from_memory(id);
        return {};
    }

    // Another view of memory that was reached.
    Tensor from_memory(ValueId id) {
        const Value& value = recording_.value(id);
        const bool is_reached = std::any_of(tangents_.begin(), tangents_.end(), [&](const auto& each) {
            return recording_.value(each.first).storage_id == value.storage_id;
        });
        if (!is_reached) return {};
        const MemoryBefore memory(recording_, id);
        const Tensor out = zeros(IntSpan(value.shape), ScalarType::Float64);
        for (std::int64_t i = 0; i < out.numel(); ++i) {
            const SameMemory same = memory.find(i);
            const auto found = same.value == 0 ? tangents_.end() : tangents_.find(same.value);
            if (found != tangents_.end()) out.data<double>()[i] = element_at(found->second, same.flat);
        }
        return tangents_[id] = out;
    }

    bool reads(const Event& event) {
        return std::any_of(event.inputs.begin(), event.inputs.end(),
                           [&](ValueId id) { return tangent_of(id).defined(); });
    }

    void pass(const Event& event) {
        try {
            const Operator* op = find_operator(event.op, event.overload);
            if (op != nullptr && op->record->is_random) return pass_dropout(event);
            const RecordedCall call = recorded_call(recording_, event, run_.elements);
            std::vector<bool> is_source;
            for (const TensorPlace& place : call.places)
                is_source.push_back(is_floating(call.tensor(place).dtype()) && tangent_of(place.value).defined());
            const EventFunction function = forward_function(call, is_source);
            TensorList tangents;
            for (const FunctionSource& source : function.sources()) tangents.push_back(tangent_of(source.place.value));
            const TensorList pushed = function.push(tangents);
            for (std::size_t i = 0; i < std::min(pushed.size(), event.outputs.size()); ++i)
                if (pushed[i].defined()) note(event, event.outputs[i], pushed[i]);
        } catch (const Error& error) {
            if (error.kind() == ErrorKind::Cancelled) throw;
            is_whole_ = false;
            if (asked_.answer.notes.size() < 4)
                asked_.answer.notes.push_back(
                    engine::said("#%1 %2 is not followed: %3", event.id, event.op, error.message()));
        }
    }

    void pass_dropout(const Event& event) {
        const Tensor from = run_.elements(event.inputs[0]);
        const Tensor made = run_.elements(event.outputs[0]);
        const Tensor tangent = tangent_of(event.inputs[0]);
        if (!from.defined() || !made.defined() || !tangent.defined() || from.numel() != made.numel()) return;
        const Tensor out = zeros(made.sizes(), ScalarType::Float64);
        for (const ShareTerm& term : terms_of(tangent, from))
            out.data<double>()[term.flat] =
                term.element == 0 ? 0 : term.coefficient * element_at(made, term.flat) / term.element;
        note(event, event.outputs[0], out);
    }

    void note(const Event& event, ValueId id, const Tensor& tangent) {
        const Tensor made = run_.elements(id);
        std::vector<ShareTerm> terms = terms_of(tangent, made.defined() ? made : tangent);
        if (terms.empty()) return;
        tangents_[id] = tangent;
        elements_ += terms.size();
        if (asked_.answer.groups.size() >= kMostReached) return;
        // A coefficient is the derivative; the share is what the element itself does to first order.
        for (ShareTerm& term : terms) term.element = asked_.answer.number;
        ShareGroup group = group_of(recording_.value(id).shape, std::move(terms), run_.most);
        for (ElementShare& share : group.top)
            if (made.defined()) share.element = element_at(made, *flat_of(group.shape, share.index));
        group.role = ShareGroup::Role::Reached;
        group.argument = std::string(event.op);
        group.value = id;
        group.name = recording_.value(id).name;
        group.event = event.id;
        asked_.answer.groups.push_back(std::move(group));
    }

    const ExplainedRun& run_;
    const Recording& recording_;
    AskedElement asked_;
    std::unordered_map<ValueId, Tensor> tangents_;
    std::size_t elements_ = 0;
    bool is_whole_ = true;
};

}  // namespace

Explanation explain_reach(const ExplainedRun& run, ValueId value, const Shape& index) {
    return Reach(run, asked_element(run, value, index)).result();
}

}  // namespace loupe::session
