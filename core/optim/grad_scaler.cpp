// SPDX-License-Identifier: Apache-2.0
#include "core/optim/grad_scaler.h"

#include <cmath>
#include <vector>

#include "core/autograd/grad_mode.h"
#include "core/autograd/variable.h"
#include "core/base/strings.h"
#include "core/base/typed_error.h"
#include "core/dispatch/functions.h"
#include "core/tensor/device_copy.h"
#include "core/tensor/sparse.h"

namespace loupe::optim {
namespace {

[[noreturn]] void fail_assertion(std::string message) { throw TypedError("AssertionError", std::move(message)); }

// Multiplies by the factor, each device's in one kernel; was all of it finite?
bool unscale(const TensorList& gradients, float factor) {
    bool is_finite = true;
    TensorList left = gradients;
    while (!left.empty()) {
        const Device device = left.front().device();
        TensorList here;
        std::erase_if(left, [&](const Tensor& t) {
            if (t.device() == device) here.push_back(t);
            return t.device() == device;
        });
        const auto number = [&](float value) {
            const Tensor t = empty({}, ScalarType::Float32);
            *t.data<float>() = value;
            return on_device(t, device);
        };
        static const Operator& op = detail::operator_or_throw("aten::_amp_foreach_non_finite_check_and_unscale_");
        const Tensor found = number(0);
        const IValue arguments[] = {here, found, number(factor)};
        call_operator(op, arguments, nullptr);
        if (item(found).to_double() != 0) is_finite = false;
    }
    return is_finite;
}

Tensor values_of(const Tensor& gradient) {
    return is_coordinate(gradient) ? coordinate_parts(gradient).values : gradient;
}

}  // namespace

GradScaler::GradScaler(const GradScalerOptions& options) : options_(options), scale_(options.init_scale) {
    if (!options.enabled) return;
    if (!(options.growth_factor > 1)) fail_assertion("The growth factor must be > 1.0.");
    if (!(options.backoff_factor < 1)) fail_assertion("The backoff factor must be < 1.0.");
}

Tensor GradScaler::scaled(const Tensor& t) {
    has_scaled_ = true;
    // A tensor of one element, as PyTorch has it: outputs in half precision are float32 then.
    const Dims sizes{1};
    const Tensor factor = empty(span_of(sizes), ScalarType::Float32);
    *factor.data<float>() = static_cast<float>(scale_);
    return fn::mul(t, fn::to_copy(factor, IValue(), IValue(), t.device(), IValue(), false, IValue()));
}

IValue GradScaler::scale(const IValue& outputs) {
    if (!options_.enabled) return outputs;
    if (outputs.is_tensor()) return scaled(outputs.to_tensor());
    if (!outputs.is_list() && !outputs.is_tuple())
        fail_with_value("outputs must be a Tensor or an iterable of Tensors");
    std::vector<IValue> elements = outputs.is_list() ? outputs.to_list().elements : outputs.to_tuple().elements;
    for (IValue& element : elements) element = scale(element);
    if (outputs.is_tuple()) return make_ptr<TupleObject>(std::move(elements));
    auto list = make_ptr<ListObject>(outputs.to_list().element_type);
    list->elements = std::move(elements);
    return list;
}

void GradScaler::check_scaled(std::string_view function) const {
    if (has_scaled_) return;
    fail_assertion(concat("Attempted ", function,
                          " but _scale is None.  This may indicate your script did not use scaler.scale(loss or "
                          "outputs) earlier in the iteration."));
}

void GradScaler::unscale_(Optimizer& optimizer) {
    if (!options_.enabled) return;
    check_scaled("unscale_");
    OptimizerState& own = states_[&optimizer];
    if (own.stage == Stage::Unscaled) {
        throw Error(ErrorKind::Run, "unscale_() has already been called on this optimizer since the last update().");
    }
    if (own.stage == Stage::Stepped) throw Error(ErrorKind::Run, "unscale_() is being called after step().");
    const GradModeScope no_grad(false);
    const auto factor = static_cast<float>(1 / scale_);
    TensorList gradients;
    own.is_checked = false;
    own.found_infinity = false;
    for (const IValue& group : optimizer.param_groups()->elements) {
        for (const Tensor& parameter : parameters_of(group.to_dict())) {
            const Tensor gradient = grad_of(parameter);
            if (!gradient.defined()) continue;
            if (gradient.dtype() == ScalarType::Float16) fail_with_value("Attempting to unscale FP16 gradients.");
            own.is_checked = true;
            gradients.push_back(values_of(gradient));
        }
    }
    own.found_infinity = !unscale(gradients, factor);
    own.stage = Stage::Unscaled;
}

IValue GradScaler::step(Optimizer& optimizer) {
    if (!options_.enabled) return optimizer.step();
    check_scaled("step");
    OptimizerState& own = states_[&optimizer];
    if (own.stage == Stage::Stepped)
        throw Error(ErrorKind::Run, "step() has already been called since the last update().");
    if (own.stage == Stage::Ready) unscale_(optimizer);
    if (!own.is_checked) fail_assertion("No inf checks were recorded for this optimizer.");
    const IValue result = own.found_infinity ? IValue() : optimizer.step();
    own.stage = Stage::Stepped;
    return result;
}

void GradScaler::update(std::optional<double> new_scale) {
    if (!options_.enabled) return;
    check_scaled("update");
    if (new_scale) {
        scale_ = *new_scale;
    } else {
        bool is_checked = false, found_infinity = false;
        for (const auto& [optimizer, state] : states_) {
            is_checked = is_checked || state.is_checked;
            found_infinity = found_infinity || state.found_infinity;
        }
        if (!is_checked) fail_assertion("No inf checks were recorded prior to update.");
        if (found_infinity) {
            scale_ *= options_.backoff_factor;
            growth_tracker_ = 0;
        } else if (++growth_tracker_ == options_.growth_interval) {
            // A scale that would not be finite in float32 stays.
            const auto grown = static_cast<float>(scale_ * options_.growth_factor);
            if (std::isfinite(grown)) scale_ = static_cast<double>(grown);
            growth_tracker_ = 0;
        }
    }
    states_.clear();
}

IValue GradScaler::state_dict() const {
    auto out = make_ptr<DictObject>(types::any(), types::any());
    if (!options_.enabled) return out;
    out->set("scale", scale_);
    out->set("growth_factor", options_.growth_factor);
    out->set("backoff_factor", options_.backoff_factor);
    out->set("growth_interval", options_.growth_interval);
    out->set("_growth_tracker", growth_tracker_);
    return out;
}

void GradScaler::load_state_dict(const IValue& state) {
    if (!options_.enabled) return;
    const DictObject& saved = state.to_dict();
    if (saved.size() == 0) {
        throw Error(
            ErrorKind::Run,
            "The source state dict is empty, possibly because it was saved from a disabled instance of GradScaler.");
    }
    const Options values(saved);
    scale_ = options_.init_scale = values.number("scale");
    options_.growth_factor = values.number("growth_factor");
    options_.backoff_factor = values.number("backoff_factor");
    options_.growth_interval = values["growth_interval"].to_int();
    growth_tracker_ = values["_growth_tracker"].to_int();
}

}  // namespace loupe::optim
