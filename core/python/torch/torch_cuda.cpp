// SPDX-License-Identifier: Apache-2.0
#include "core/python/torch/torch_cuda.h"

#include "core/base/strings.h"
#include "core/ops/random/generator.h"
#include "core/python/language/arguments.h"
#include "core/python/language/error.h"
#include "core/python/torch/module_parts.h"
#include "core/python/torch/torch_objects.h"
#include "core/tensor/allocator.h"
#include "core/tensor/device_interface.h"

namespace loupe::python {
namespace {

int device_count() {
    const DeviceInterface* const devices = device_interface(DeviceType::Cuda);
    return devices == nullptr ? 0 : devices->count();
}
Device gpu(int index) { return Device{DeviceType::Cuda, static_cast<std::int8_t>(index)}; }

IValue is_available(CallArguments) { return device_count() > 0; }
IValue count(CallArguments) { return std::int64_t{device_count()}; }
IValue zero(CallArguments) { return std::int64_t{0}; }
IValue nothing(CallArguments) { return {}; }

void require_device() {
    if (device_count() == 0) throw_error("AssertionError", "Torch not compiled with CUDA enabled");
}
IValue initialise(CallArguments) {
    require_device();
    return {};
}
IValue current_device(CallArguments) {
    require_device();
    return std::int64_t{0};
}
// Work is given to the device that holds the tensors; "cuda" without a number is the first.
IValue set_device(CallArguments arguments) {
    require_device();
    const BoundArguments given(arguments, "set_device", {"device"});
    const Device device = device_of(given[0]);
    if (device.index != 0)
        throw_error("NotImplementedError", concat("set_device: name the device, as \"", device_name(device), "\""));
    return {};
}
IValue unknown(CallArguments) {
    require_device();
    throw_error("NotImplementedError", "what kind of GPU it is is not known here");
}

IValue synchronize(CallArguments arguments) {
    const BoundArguments given(arguments, "synchronize", {"device="});
    for (int i = 0; i < device_count(); ++i) {
        if (!given.has(0) || given[0].is_none() || device_of(given[0]) == gpu(i))
            device_interface(DeviceType::Cuda)->synchronize(gpu(i));
    }
    return {};
}
IValue empty_cache(CallArguments) {
    if (device_count() > 0) allocator_for(DeviceType::Cuda).trim();
    return {};
}
IValue seed(const IValue& value, int first, int end) {
    for (int i = first; i < std::min(end, device_count()); ++i)
        default_generator(gpu(i)).set_seed(static_cast<std::uint64_t>(value.to_int()));
    return {};
}
IValue manual_seed(CallArguments arguments) { return seed(arguments.positional.at(0), 0, 1); }
IValue manual_seed_all(CallArguments arguments) { return seed(arguments.positional.at(0), 0, device_count()); }

}  // namespace

void fill_cuda(PythonModule& module) {
    module.define("is_available", &is_available);
    module.define("is_initialized", &is_available);
    module.define("is_bf16_supported", &is_available);
    module.define("device_count", &count);
    module.define("current_device", &current_device);
    module.define("set_device", &set_device);
    module.define("init", &initialise);
    for (const char* name : {"get_device_name", "get_device_properties", "get_device_capability"})
        module.define(name, &unknown);
    for (const char* name : {"memory_allocated", "max_memory_allocated", "memory_reserved", "max_memory_reserved"})
        module.define(name, &zero);
    module.define("synchronize", &synchronize);
    module.define("empty_cache", &empty_cache);
    module.define("manual_seed", &manual_seed);
    module.define("manual_seed_all", &manual_seed_all);
    for (const char* name : {"reset_peak_memory_stats", "reset_max_memory_allocated", "ipc_collect"})
        module.define(name, &nothing);
    define_submodule(module, "amp", "torch.cuda.amp");
}

}  // namespace loupe::python
