// SPDX-License-Identifier: Apache-2.0
// torch.autocast, torch.cuda.amp, torch.cpu.amp: mixed precision.

#include "core/base/strings.h"
#include "core/dispatch/autocast.h"
#include "core/ops/numbers/warnings.h"
#include "core/optim/grad_scaler.h"
#include "core/python/language/arguments.h"
#include "core/python/language/context_manager.h"
#include "core/python/language/error.h"
#include "core/python/language/evaluator.h"
#include "core/python/language/operations.h"
#include "core/python/torch/module_parts.h"
#include "core/python/torch/torch_call.h"
#include "core/python/torch/torch_module.h"
#include "core/python/torch/torch_objects.h"
#include "core/python/torch/torch_optim.h"
#include "core/tensor/device_interface.h"

namespace loupe::python {
namespace {

// ---- autocast

struct AutocastArguments {
    DeviceType device = DeviceType::Cpu;
    std::optional<ScalarType> dtype;
    bool enabled = true;
    std::optional<bool> cache;
};

bool has_devices(DeviceType type) {
    const DeviceInterface* const devices = device_interface(type);
    return devices != nullptr && devices->count() > 0;
}

ScopeParts autocast_scope(AutocastArguments given) {
    if (given.device == DeviceType::Cuda && given.enabled && !has_devices(DeviceType::Cuda)) {
        warn("User provided device_type of 'cuda', but CUDA is not available. Disabling");
        given.enabled = false;
    }
    const auto dtype = given.dtype.value_or(autocast_settings().devices[static_cast<std::size_t>(given.device)].dtype);
    if (const std::string problem = autocast_dtype_warning(given.device, dtype); !problem.empty()) {
        warn(problem);
        given.enabled = false;
    }
    const auto open = [given, dtype] {
        return std::make_shared<AutocastScope>(given.device, given.enabled, dtype, given.cache);
    };
    return {open, [] { return IValue(); }};
}

std::optional<bool> optional_truth(const BoundArguments& given, std::size_t index) {
    if (!given.has(index) || given[index].is_none()) return std::nullopt;
    return truth(given[index]);
}
std::optional<ScalarType> optional_dtype(const BoundArguments& given, std::size_t index) {
    return given.has(index) && !given[index].is_none() ? dtype_of(given[index]) : std::nullopt;
}

ScopeParts autocast(CallArguments arguments) {
    const BoundArguments given(arguments, "__init__", {"device_type", "dtype=", "enabled=", "cache_enabled="});
    const std::string device = str(given[0]);
    // A device that is no part of the engine goes by its plugin's name.
    const bool is_other = has_devices(DeviceType::PrivateUse1) && device == device_type_name(DeviceType::PrivateUse1);
    if (device != "cpu" && device != "cuda" && !is_other) {
        throw_error("RuntimeError", "User specified autocast device_type must be 'cuda' or 'cpu'");
    }
    const DeviceType type = is_other ? DeviceType::PrivateUse1 : device == "cpu" ? DeviceType::Cpu : DeviceType::Cuda;
    return autocast_scope({type, optional_dtype(given, 1), given.truth_or(2, true), optional_truth(given, 3)});
}

template <DeviceType Type>
ScopeParts device_autocast(CallArguments arguments) {
    const BoundArguments given(arguments, "__init__", {"enabled=", "dtype=", "cache_enabled="});
    return autocast_scope({Type, optional_dtype(given, 1).value_or(default_autocast_dtype(Type)),
                           given.truth_or(0, true), optional_truth(given, 2)});
}

ClassPtr autocast_class() {
    static const ClassPtr cls = make_scope_class("autocast", "torch.amp.autocast_mode", {}, autocast);
    return cls;
}
template <DeviceType Type>
ClassPtr device_autocast_class() {
    static const ClassPtr cls = make_scope_class(
        "autocast", Type == DeviceType::Cpu ? "torch.cpu.amp.autocast_mode" : "torch.cuda.amp.autocast_mode",
        {autocast_class()}, device_autocast<Type>);
    return cls;
}

template <DeviceType Type>
IValue is_enabled(CallArguments) {
    return autocast_settings().devices[static_cast<std::size_t>(Type)].enabled;
}
template <DeviceType Type>
IValue get_dtype(CallArguments) {
    return dtype_object(autocast_settings().devices[static_cast<std::size_t>(Type)].dtype);
}
template <DeviceType Type>
IValue set_enabled(CallArguments arguments) {
    AutocastSettings settings = autocast_settings();
    settings.devices[static_cast<std::size_t>(Type)].enabled = truth(arguments.positional.at(0));
    set_autocast_settings(settings);
    return {};
}
template <DeviceType Type>
IValue set_dtype(CallArguments arguments) {
    AutocastSettings settings = autocast_settings();
    if (const auto dtype = dtype_of(arguments.positional.at(0)))
        settings.devices[static_cast<std::size_t>(Type)].dtype = *dtype;
    set_autocast_settings(settings);
    return {};
}
IValue set_cache_enabled(CallArguments arguments) {
    AutocastSettings settings = autocast_settings();
    settings.cache_enabled = truth(arguments.positional.at(0));
    set_autocast_settings(settings);
    return {};
}

// ---- GradScaler

class ScalerObject final : public Instance {
  public:
    using Instance::Instance;
    Ptr<optim::GradScaler> scaler;
    void clear_references() override {
        Instance::clear_references();
        scaler = nullptr;
    }
};

ScalerObject& object_of(const IValue& value) {
    auto* self = object_as<ScalerObject>(value);
    if (self == nullptr || !self->scaler) throw_type_error("the method of a GradScaler needs one as self");
    return *self;
}
optim::GradScaler& scaler_of(const CallArguments& arguments) {
    return *object_of(arguments.positional.empty() ? IValue() : arguments.positional[0]).scaler;
}

optim::Optimizer* optimizer_in(const IValue& value) {
    const auto* object = object_as<OptimizerObject>(value);
    return object != nullptr ? object->optimizer.get() : nullptr;
}

// arguments: self, then what GradScaler takes beside a device.
IValue init_scaler_on(Device device, CallArguments arguments) {
    const BoundArguments given(
        arguments, "__init__",
        {"self", "init_scale=", "growth_factor=", "backoff_factor=", "growth_interval=", "enabled="});
    optim::GradScalerOptions options;
    const auto number = [&](std::size_t i, double otherwise) { return given.has(i) ? to_float(given[i]) : otherwise; };
    options.init_scale = number(1, options.init_scale);
    options.growth_factor = number(2, options.growth_factor);
    options.backoff_factor = number(3, options.backoff_factor);
    options.growth_interval = given.int_or(4, options.growth_interval);
    options.enabled = given.truth_or(5, true);
    if (options.enabled && device.type == DeviceType::Cuda && !has_devices(DeviceType::Cuda)) {
        warn("torch.cuda.amp.GradScaler is enabled, but CUDA is not available.  Disabling.");
        options.enabled = false;
    }
    auto* self = object_as<ScalerObject>(given[0]);
    if (self == nullptr) throw_type_error("the method of a GradScaler needs one as self");
    self->scaler = with_python_errors([&] { return make_ptr<optim::GradScaler>(options); });
    return {};
}

IValue init_scaler(CallArguments arguments) { return init_scaler_on({DeviceType::Cuda}, std::move(arguments)); }
// torch.amp's takes the device first.
IValue init_device_scaler(CallArguments arguments) {
    Device device{DeviceType::Cuda};
    if (arguments.positional.size() > 1) {
        device = device_of(arguments.positional[1]);
        arguments.positional.erase(arguments.positional.begin() + 1);
    }
    std::erase_if(arguments.keywords, [&device](const auto& keyword) {
        if (keyword.first != "device") return false;
        device = device_of(keyword.second);
        return true;
    });
    return init_scaler_on(device, std::move(arguments));
}

IValue scale(CallArguments arguments) {
    const BoundArguments given(arguments, "scale", {"self", "outputs"});
    return with_python_errors([&] { return object_of(given[0]).scaler->scale(given[1]); });
}
IValue unscale(CallArguments arguments) {
    const BoundArguments given(arguments, "unscale_", {"self", "optimizer"});
    optim::GradScaler& scaler = *object_of(given[0]).scaler;
    if (optim::Optimizer* optimizer = optimizer_in(given[1])) with_python_errors([&] { scaler.unscale_(*optimizer); });
    return {};
}
// Through the optimiser's own step, which its class may have replaced.
IValue step(CallArguments arguments) {
    if (arguments.positional.size() < 2) throw_type_error("step() missing 1 required positional argument: 'optimizer'");
    optim::GradScaler& scaler = scaler_of(arguments);
    const IValue optimizer = arguments.positional[1];
    arguments.positional.erase(arguments.positional.begin(), arguments.positional.begin() + 2);
    if (optim::Optimizer* own = optimizer_in(optimizer); own != nullptr && scaler.is_enabled()) {
        return with_python_errors([&] { return scaler.step(*own); });
    }
    return call_method(optimizer, "step", std::move(arguments));
}
IValue update(CallArguments arguments) {
    const BoundArguments given(arguments, "update", {"self", "new_scale="});
    const auto scale = given.has(1) && !given[1].is_none() ? std::optional(to_float(given[1])) : std::nullopt;
    with_python_errors([&] { object_of(given[0]).scaler->update(scale); });
    return {};
}

ClassPtr scaler_class() {
    static const ClassPtr cls = [] {
        auto out = make_ptr<ClassObject>("GradScaler", "torch.cuda.amp.grad_scaler", std::vector<ClassPtr>{});
        out->set_builtin([](ClassObject& of, CallArguments&) -> ClassObject::Made {
            return {IValue::other(make_ptr<ScalerObject>(ClassPtr(&of))), false};
        });
        out->define("__init__", init_scaler);
        out->define("scale", scale);
        out->define("unscale_", unscale);
        out->define("step", step);
        out->define("update", update);
        out->define("is_enabled", [](CallArguments a) { return IValue(scaler_of(a).is_enabled()); });
        out->define("get_scale", [](CallArguments a) { return IValue(scaler_of(a).current_scale()); });
        out->define("get_growth_factor", [](CallArguments a) { return IValue(scaler_of(a).options().growth_factor); });
        out->define("get_backoff_factor",
                    [](CallArguments a) { return IValue(scaler_of(a).options().backoff_factor); });
        out->define("get_growth_interval",
                    [](CallArguments a) { return IValue(scaler_of(a).options().growth_interval); });
        out->define("state_dict", [](CallArguments a) { return scaler_of(a).state_dict(); });
        out->define("load_state_dict", [](CallArguments a) {
            const BoundArguments given(a, "load_state_dict", {"self", "state_dict"});
            with_python_errors([&] { object_of(given[0]).scaler->load_state_dict(given[1]); });
            return IValue();
        });
        return ClassPtr(out);
    }();
    return cls;
}

ClassPtr device_scaler_class() {
    static const ClassPtr cls = [] {
        auto out = make_ptr<ClassObject>("GradScaler", "torch.amp.grad_scaler", std::vector<ClassPtr>{scaler_class()});
        out->set_builtin(nullptr);
        out->define("__init__", init_device_scaler);
        return ClassPtr(out);
    }();
    return cls;
}

}  // namespace

namespace {

// torch.amp.custom_fwd: a decorator, with or without arguments, that is written in Python.
NativeCallable::Body custom_of(const char* name) {
    return [name](CallArguments arguments) {
        return call(get_attribute(Evaluator::current()->import_module("torch.amp.autocast_mode"), name),
                    std::move(arguments));
    };
}

}  // namespace

void fill_cuda_amp(PythonModule& module) {
    module.define("autocast", IValue::other(device_autocast_class<DeviceType::Cuda>()));
    module.define("GradScaler", IValue::other(scaler_class()));
    module.define("custom_fwd", custom_of("cuda_custom_fwd"));
    module.define("custom_bwd", custom_of("cuda_custom_bwd"));
}
void fill_cpu_amp(PythonModule& module) {
    module.define("autocast", IValue::other(device_autocast_class<DeviceType::Cpu>()));
}
void fill_cpu(PythonModule& module) {
    define_submodule(module, "amp", "torch.cpu.amp");
    module.define("is_available", [](CallArguments) { return IValue(true); });
    module.define("device_count", [](CallArguments) { return IValue(std::int64_t{1}); });
    module.define("current_device", [](CallArguments) { return IValue("cpu"); });
    module.define("synchronize", [](CallArguments) { return IValue(); });
}
void fill_amp(PythonModule& module) {
    module.define("custom_fwd", custom_of("custom_fwd"));
    module.define("custom_bwd", custom_of("custom_bwd"));
    module.define("autocast", IValue::other(autocast_class()));
    module.define("GradScaler", IValue::other(device_scaler_class()));
    module.define("is_autocast_available", [](CallArguments a) {
        const BoundArguments given(a, "is_autocast_available", {"device_type"});
        return IValue(str(given[0]) == "cpu");
    });
}

void define_autocast(PythonModule& module) {
    module.define("autocast", IValue::other(autocast_class()));
    // PyTorch 2's take the device's type.
    module.define("is_autocast_enabled", [](CallArguments a) {
        const BoundArguments given(a, "is_autocast_enabled", {"device_type="});
        return given.has(0) && str(given[0]) == "cpu" ? is_enabled<DeviceType::Cpu>({})
                                                      : is_enabled<DeviceType::Cuda>({});
    });
    module.define("get_autocast_dtype", [](CallArguments a) {
        const BoundArguments given(a, "get_autocast_dtype", {"device_type"});
        return str(given[0]) == "cpu" ? get_dtype<DeviceType::Cpu>({}) : get_dtype<DeviceType::Cuda>({});
    });
    module.define("set_autocast_dtype", [](CallArguments a) {
        const BoundArguments given(a, "set_autocast_dtype", {"device_type", "dtype"});
        const CallArguments dtype{{given[1]}, {}};
        return str(given[0]) == "cpu" ? set_dtype<DeviceType::Cpu>(dtype) : set_dtype<DeviceType::Cuda>(dtype);
    });
    module.define("is_autocast_cpu_enabled", is_enabled<DeviceType::Cpu>);
    module.define("get_autocast_gpu_dtype", get_dtype<DeviceType::Cuda>);
    module.define("get_autocast_cpu_dtype", get_dtype<DeviceType::Cpu>);
    module.define("set_autocast_enabled", [](CallArguments a) {
        if (a.positional.size() < 2) return set_enabled<DeviceType::Cuda>(std::move(a));
        const bool is_cpu = str(a.positional[0]) == "cpu";
        const CallArguments enabled{{a.positional[1]}, {}};
        return is_cpu ? set_enabled<DeviceType::Cpu>(enabled) : set_enabled<DeviceType::Cuda>(enabled);
    });
    module.define("set_autocast_cpu_enabled", set_enabled<DeviceType::Cpu>);
    module.define("set_autocast_gpu_dtype", set_dtype<DeviceType::Cuda>);
    module.define("set_autocast_cpu_dtype", set_dtype<DeviceType::Cpu>);
    module.define("is_autocast_cache_enabled", [](CallArguments) { return IValue(autocast_settings().cache_enabled); });
    module.define("set_autocast_cache_enabled", set_cache_enabled);
    module.define("clear_autocast_cache", [](CallArguments) {
        clear_autocast_cache();
        return IValue();
    });
}

}  // namespace loupe::python
