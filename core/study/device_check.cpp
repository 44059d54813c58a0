// SPDX-License-Identifier: Apache-2.0
#include "core/study/device_check.h"

#include <algorithm>
#include <cmath>

#include "core/autograd/engine.h"
#include "core/autograd/grad_mode.h"
#include "core/autograd/variable.h"
#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/dispatch.h"
#include "core/dispatch/fallback_observer.h"
#include "core/dispatch/functions.h"
#include "core/tensor/device_copy.h"

namespace loupe::session {
namespace {

// Results, and the gradients of the inputs that have one, by place of the call.
struct Computed {
    TensorList outputs;
    std::vector<Tensor> gradients;
};

class FallbackNote final : public FallbackObserver {
  public:
    bool fell_back = false;
    void on_fallback(const FallbackCost&) override { fell_back = true; }
};

bool is_floating_there(const Tensor& t) { return t.defined() && is_differentiable(t.dtype()); }

// The tensors of the call on a device, and as another dtype where they are floating.
RecordedCall placed(const RecordedCall& call, Device device, std::optional<ScalarType> dtype, bool with_gradients) {
    RecordedCall out = call;
    for (const TensorPlace& place : call.places) {
        Tensor t = detach(call.tensor(place));
        if (dtype && is_floating(t.dtype())) t = fn::to_dtype(t, static_cast<std::int64_t>(*dtype));
        // What is written in place is a copy.
        t = device.is_cpu() ? fn::clone(t, IValue()) : on_device(t, device);
        if (with_gradients && is_floating_there(t)) set_requires_grad(t, true);
        out.set_tensor(place, t);
    }
    return out;
}

TensorList tensors_of(const std::vector<IValue>& results) {
    TensorList out;
    for (const IValue& result : results) {
        if (result.is_tensor()) {
            out.push_back(result.to_tensor());
        } else if (result.is_list()) {
            for (const IValue& element : result.to_list().elements) {
                if (element.is_tensor()) out.push_back(element.to_tensor());
            }
        }
    }
    return out;
}

// An operator that writes to its argument is computed without a derivative.
bool writes_in_place(const Operator& op) {
    return std::ranges::any_of(op.schema.arguments, [](const Argument& a) {
        return (a.alias && a.alias->is_write) || (a.element_alias && a.element_alias->is_write);
    });
}

Computed compute(const RecordedCall& call, Device device, std::optional<ScalarType> dtype) {
    const bool with_gradients = !writes_in_place(*call.op);
    const GradModeScope mode(with_gradients);
    const RecordedCall there = placed(call, device, dtype, with_gradients);
    std::vector<IValue> results(call.op->result_count());
    call_operator(*call.op, there.arguments, results.data());
    Computed out;
    out.outputs = tensors_of(results);
    out.gradients.resize(call.places.size());
    if (with_gradients) {
        TensorList roots, cotangents, leaves;
        std::vector<std::size_t> places;
        for (const Tensor& t : out.outputs) {
            if (!t.defined() || !requires_grad(t)) continue;
            roots.push_back(t);
            cotangents.push_back(fn::ones_like(t));
        }
        for (std::size_t i = 0; i < call.places.size(); ++i) {
            const Tensor leaf = there.tensor(call.places[i]);
            if (!is_floating_there(leaf)) continue;
            leaves.push_back(leaf);
            places.push_back(i);
        }
        if (!roots.empty() && !leaves.empty()) {
            const TensorList found = gradients_of(roots, leaves, cotangents, {}, true);
            for (std::size_t i = 0; i < places.size(); ++i) out.gradients[places[i]] = found[i];
        }
    }
    const auto to_host = [](Tensor& t) {
        if (t.defined()) t = detach(on_host(t));
    };
    std::ranges::for_each(out.outputs, to_host);
    std::ranges::for_each(out.gradients, to_host);
    return out;
}

double greatest_error(const Tensor& t, const Tensor& exact) {
    return measure_difference(fn::to_dtype(t, static_cast<std::int64_t>(exact.dtype())), exact, {}).max_abs;
}

class Checked {
  public:
    Checked(const RecordedCall& call, Device device) : call_(call), cpu_(compute(call, Device{}, std::nullopt)) {
        FallbackNote note;
        FallbackObserver* const before = fallback_observer();
        set_fallback_observer(&note);
        try {
            there_ = compute(call, device, std::nullopt);
        } catch (...) {
            set_fallback_observer(before);
            throw;
        }
        set_fallback_observer(before);
        fell_back = note.fell_back;
    }

    bool fell_back = false;

    // Of the pair that is worst; no pair: nullopt.
    std::optional<Difference> outputs(bool& differs) {
        std::optional<Difference> worst;
        for (std::size_t i = 0; i < std::min(cpu_.outputs.size(), there_.outputs.size()); ++i)
            take(worst, there_.outputs[i], cpu_.outputs[i], differs,
                 [i](const Computed& exact) { return i < exact.outputs.size() ? exact.outputs[i] : Tensor(); });
        return worst;
    }
    std::optional<Difference> gradients(bool& differs, std::string& name) {
        std::optional<Difference> worst;
        for (std::size_t i = 0; i < call_.places.size(); ++i) {
            if (take(worst, there_.gradients[i], cpu_.gradients[i], differs,
                     [i](const Computed& exact) { return exact.gradients[i]; }))
                name = call_.places[i].name;
        }
        return worst;
    }

  private:
    // Is it the worst so far?
    template <typename Exact>
    bool take(std::optional<Difference>& worst, const Tensor& there, const Tensor& here, bool& differs, Exact exact) {
        if (!there.defined() || !here.defined() || !std::ranges::equal(there.sizes(), here.sizes())) return false;
        const Difference found = measure_difference(there, here, tolerance_of(there.dtype(), here.dtype()));
        const bool is_beyond = !found.is_close() && !is_rounding(there, here, found, exact);
        const bool is_worse = !worst || (is_beyond && !differs) || found.max_abs > worst->max_abs;
        differs = differs || is_beyond;
        if (is_worse) worst = found;
        return is_worse;
    }

    // Both are as far from what is exact.
    template <typename Exact>
    bool is_rounding(const Tensor& there, const Tensor& here, const Difference& found, Exact pick) {
        if (found.not_finite > 0 || !is_floating(here.dtype()) || here.dtype() == ScalarType::Float64) return false;
        try {
            if (!exact_) exact_ = compute(call_, Device{}, ScalarType::Float64);
        } catch (const Error& error) {
            if (error.kind() == ErrorKind::Cancelled) throw;
            return false;  // it takes no float64
        }
        const Tensor exact = pick(*exact_);
        if (!exact.defined() || !std::ranges::equal(exact.sizes(), here.sizes())) return false;
        constexpr double kTimes = 4;
        return greatest_error(there, exact) <= kTimes * greatest_error(here, exact);
    }

    const RecordedCall& call_;
    Computed cpu_, there_;
    std::optional<Computed> exact_;
};

OperatorOnDevice check(const Recording& recording, const Event& event, const ElementsOf& elements, Device device) {
    OperatorOnDevice out;
    out.event = event.id;
    out.op = event.op;
    out.scope = event.scope;
    try {
        const RecordedCall call = recorded_call(recording, event, elements);
        if (call.op->record->is_random) {
            out.why = "it draws numbers";
            return out;
        }
        if (call.places.empty()) {
            out.why = "it reads no tensor";
            return out;
        }
        Checked checked(call, device);
        out.fell_back = checked.fell_back;
        out.output = checked.outputs(out.differs);
        bool gradient_differs = false;
        out.gradient = checked.gradients(gradient_differs, out.gradient_of);
        if (!gradient_differs) out.gradient_of.clear();
        out.differs = out.differs || gradient_differs;
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::Cancelled) throw;
        out.why = error.message();
        // What the CPU does and the device does not is a difference too.
        out.differs = error.kind() == ErrorKind::Run;
    }
    return out;
}

}  // namespace

Said OperatorOnDevice::text() const {
    if (!why.empty()) return why;
    if (!gradient_of.empty()) return engine::said("gradient of %1: %2", gradient_of, difference_text(*gradient));
    return output ? difference_text(*output) : engine::said("nothing was compared");
}

const OperatorOnDevice* DeviceCheck::first() const {
    const auto found = std::ranges::find_if(operators, &OperatorOnDevice::differs);
    return found == operators.end() ? nullptr : &*found;
}

Said DeviceCheck::headline() const {
    if (const OperatorOnDevice* const wrong = first()) {
        const std::string place =
            concat("#", wrong->event, " ", wrong->op, wrong->scope.empty() ? "" : concat(" (", wrong->scope, ")"));
        const Said text = wrong->text();
        if (differing == 1) return engine::said("first operator that differs on %1: %2: %3", device, place, text);
        return engine::said("first operator that differs on %1: %2: %3; %4 more", device, place, text, differing - 1);
    }
    if (compared == 0) return engine::said("no operator could be computed on %1", device);
    if (fallbacks == 0)
        return engine::said("each operator alone gives on %1 what it gives on the CPU: %2 compared", device, compared);
    return engine::said(
        "each operator alone gives on %1 what it gives on the CPU: %2 compared, %3 of which have no kernel there",
        device, compared, fallbacks);
}

DeviceCheck check_device(const Recording& recording, const ElementsOf& elements, Device device) {
    DeviceCheck out;
    out.device = device_name(device);
    if (!elements) return out;
    for (EventId id = 1; id <= recording.event_count(); ++id) {
        check_cancelled();
        const Event& event = recording.event(id);
        if (event.phase != RunPhase::Forward || event.failed) continue;
        out.operators.push_back(check(recording, event, elements, device));
        const OperatorOnDevice& found = out.operators.back();
        out.compared += found.output || found.differs ? 1 : 0;
        out.differing += found.differs ? 1 : 0;
        out.fallbacks += found.fell_back ? 1 : 0;
    }
    return out;
}

}  // namespace loupe::session
