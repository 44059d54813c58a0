// SPDX-License-Identifier: Apache-2.0
#include "core/dispatch/autocast.h"

#include <algorithm>
#include <unordered_map>

#include "core/autograd/engine.h"
#include "core/autograd/grad_mode.h"
#include "core/autograd/variable.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/each_tensor.h"

namespace loupe {

constinit thread_local bool detail::autocast_on = false;

namespace {

struct State {
    AutocastSettings settings;
    int depth = 0;
    // The cast of a leaf, by its object, which is kept so that another does not get its address.
    std::unordered_map<const TensorImpl*, std::pair<Tensor, Tensor>> cache;
};
State& state() {
    thread_local State one;
    return one;
}

bool is_eligible(const Tensor& t, DeviceType device) {
    return t.defined() && t.device().type == device && is_floating(t.dtype()) && t.dtype() != ScalarType::Float64;
}

Tensor cast_to(const Tensor& t, ScalarType dtype, DeviceType device) {
    if (!is_eligible(t, device) || t.dtype() == dtype) return t;
    State& own = state();
    const auto convert = [&] { return gradient_arithmetic().cast(t, dtype); };
    const bool is_weight = dtype == own.settings.devices[static_cast<std::size_t>(device)].dtype &&
                           t.dtype() == ScalarType::Float32 && requires_grad(t) && is_leaf(t) &&
                           !autograd_meta(t)->view;
    if (!is_weight || !own.settings.cache_enabled) return convert();
    const auto known = own.cache.find(t.impl());
    if (known != own.cache.end()) return known->second.second;
    const Tensor converted = convert();
    own.cache.emplace(t.impl(), std::pair(t, converted));
    return converted;
}

ScalarType widest(const Operator& op, std::span<const IValue> arguments, ScalarType lower, DeviceType device) {
    ScalarType out = lower;
    each_tensor(op, arguments, [&](const Tensor& t) {
        if (is_eligible(t, device) && t.dtype() == ScalarType::Float32) out = ScalarType::Float32;
    });
    return out;
}

IValue cast_value(const IValue& value, ScalarType dtype, DeviceType device) {
    if (value.is_tensor()) return cast_to(value.to_tensor(), dtype, device);
    if (!value.is_list()) return value;
    auto list = make_ptr<ListObject>(value.to_list().element_type);
    for (const IValue& element : value.to_list().elements) {
        list->elements.push_back(element.is_tensor() ? IValue(cast_to(element.to_tensor(), dtype, device)) : element);
    }
    return list;
}

bool set_result_dtype(const Operator& op, std::span<const IValue> arguments, DeviceType device,
                      std::vector<IValue>& cast) {
    const auto place = op.schema.find_argument("dtype");
    if (!place || !arguments[*place].is_none() || !arguments[0].is_tensor() ||
        !is_eligible(arguments[0].to_tensor(), device))
        return false;
    cast.assign(arguments.begin(), arguments.end());
    cast[*place] = static_cast<std::int64_t>(ScalarType::Float32);
    return true;
}

// What PyTorch 2.15 takes.
bool is_supported(DeviceType device, ScalarType dtype) {
    return device != DeviceType::Cpu || dtype == ScalarType::BFloat16 || dtype == ScalarType::Float16;
}

void apply(const AutocastSettings& settings) {
    state().settings = settings;
    detail::autocast_on = std::ranges::any_of(settings.devices, [](const auto& each) { return each.enabled; });
}

}  // namespace

AutocastSettings::AutocastSettings() {
    devices[static_cast<std::size_t>(DeviceType::Cuda)].dtype = ScalarType::Float16;
}

const AutocastSettings& autocast_settings() { return state().settings; }
void set_autocast_settings(const AutocastSettings& settings) { apply(settings); }
void clear_autocast_cache() { state().cache.clear(); }

ScalarType default_autocast_dtype(DeviceType device) {
    return AutocastSettings().devices[static_cast<std::size_t>(device)].dtype;
}

std::string autocast_dtype_warning(DeviceType device, ScalarType dtype) {
    if (is_supported(device, dtype)) return {};
    return "In CPU autocast, but the target dtype is not supported. Disabling autocast.\nCPU Autocast only supports "
           "dtypes of torch.bfloat16, torch.float16 currently.";
}

AutocastScope::AutocastScope(DeviceType device, bool enabled, std::optional<ScalarType> dtype,
                             std::optional<bool> cache)
    : before_(state().settings) {
    AutocastSettings now = before_;
    auto& own = now.devices[static_cast<std::size_t>(device)];
    own.dtype = dtype.value_or(own.dtype);
    own.enabled = enabled && autocast_dtype_warning(device, own.dtype).empty();
    now.cache_enabled = cache.value_or(now.cache_enabled);
    ++state().depth;
    apply(now);
}
AutocastScope::AutocastScope(const AutocastSettings& settings) : before_(state().settings) {
    ++state().depth;
    apply(settings);
}
AutocastScope::~AutocastScope() {
    if (--state().depth == 0) clear_autocast_cache();
    apply(before_);
}

Autocast autocast_of(const Operator& op, DeviceType device) {
    return op.variant == OperatorVariant::Functional ? op.record->autocast.on(device) : Autocast::None;
}

bool detail::autocast_arguments(const Operator& op, std::span<const IValue> arguments, std::vector<IValue>& cast) {
    DeviceType device = DeviceType::Cpu;
    each_tensor(op, arguments, [&](const Tensor& t) {
        if (t.defined() && t.device().type != DeviceType::Cpu) device = t.device().type;
    });
    const auto& own = state().settings.devices[static_cast<std::size_t>(device)];
    if (!own.enabled) return false;
    const Autocast policy = autocast_of(op, device);
    switch (policy) {
        case Autocast::None:
            return false;
        case Autocast::Float32Result:
            return set_result_dtype(op, arguments, device, cast);
        case Autocast::Banned:
            throw Error(ErrorKind::Run,
                        "torch.nn.functional.binary_cross_entropy and torch.nn.BCELoss are unsafe to autocast.\nMany "
                        "models use a sigmoid layer "
                        "right before the binary cross entropy layer.\nIn this case, combine the two layers using "
                        "torch.nn.functional.binary_cross_entropy_with_logits\nor torch.nn.BCEWithLogitsLoss.  "
                        "binary_cross_entropy_with_logits "
                        "and BCEWithLogits are\nsafe to autocast.");
        default:
            break;
    }
    const AutocastOff off;
    const ScalarType dtype = policy == Autocast::Lower    ? own.dtype
                             : policy == Autocast::Widest ? widest(op, arguments, own.dtype, device)
                                                          : ScalarType::Float32;
    cast.clear();
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const bool holds_tensors = ((op.tensor_arguments | op.list_arguments) >> i & 1) != 0;
        cast.push_back(holds_tensors ? cast_value(arguments[i], dtype, device) : arguments[i]);
    }
    return true;
}

void detail::autocast_results(const Operator& op, std::span<const IValue> arguments, IValue* results) {
    if (!arguments[0].is_tensor()) return;
    const Tensor& first = arguments[0].to_tensor();
    if (autocast_of(op, first.device().type) != Autocast::Float32Kept) return;
    for (std::size_t i = 0; i < op.result_count(); ++i)
        if (results[i].is_tensor()) results[i] = cast_to(results[i].to_tensor(), first.dtype(), first.device().type);
}

}  // namespace loupe
