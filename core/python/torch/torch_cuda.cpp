// SPDX-License-Identifier: Apache-2.0
#include "core/python/torch/torch_cuda.h"

#include "core/base/strings.h"
#include "core/ops/random/generator.h"
#include "core/python/language/arguments.h"
#include "core/python/language/builtin_objects.h"
#include "core/python/language/error.h"
#include "core/python/torch/require_device.h"
#include "core/python/torch/torch_call.h"
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

void require_device() { python::require_device(gpu(0)); }
IValue ipc_collect(CallArguments) {
    require_device();
    return {};
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
// The device that an optional argument names: an index, a name, a torch.device; the first where it names none.
Device named(const IValue& value) {
    require_device();
    if (value.is_none()) return gpu(0);
    const Device device = value.is_int() ? gpu(static_cast<int>(value.to_int())) : device_of(value);
    if (device.type != DeviceType::Cuda)
        throw_error("ValueError", concat("Expected a cuda device, but got: ", device_name(device)));
    if (device.index < 0 || device.index >= device_count()) throw_error("AssertionError", "Invalid device id");
    return device;
}
Device named(CallArguments arguments, const char* function) {
    const BoundArguments given(arguments, function, {"device="});
    return named(given.has(0) ? given[0] : IValue());
}
DeviceProperties properties_of(Device device) { return device_interface(DeviceType::Cuda)->properties(device); }

IValue get_device_name(CallArguments arguments) { return properties_of(named(arguments, "get_device_name")).name; }
IValue get_device_capability(CallArguments arguments) {
    const DeviceProperties found = properties_of(named(arguments, "get_device_capability"));
    return make_ptr<TupleObject>(std::vector<IValue>{found.major, found.minor});
}
IValue get_device_properties(CallArguments arguments) {
    static const ClassPtr cls = make_named_tuple_class(
        "_CudaDeviceProperties", "torch.cuda", {"name", "major", "minor", "total_memory", "multi_processor_count"}, {});
    const DeviceProperties found = properties_of(named(arguments, "get_device_properties"));
    CallArguments fields;
    fields.positional = {found.name, found.major, found.minor, static_cast<std::int64_t>(found.total_memory),
                         found.processors};
    return instantiate(*cls, std::move(fields));
}

template <std::size_t DeviceMemoryUse::*kFigure>
IValue memory(CallArguments arguments) {
    if (device_count() == 0) return std::int64_t{0};
    return static_cast<std::int64_t>(device_interface(DeviceType::Cuda)->memory_use(named(arguments, "memory")).*
                                     kFigure);
}
IValue synchronize(CallArguments arguments) {
    const BoundArguments given(arguments, "synchronize", {"device="});
    require_device();
    for (int i = 0; i < device_count(); ++i) {
        if (!given.has(0) || given[0].is_none() || device_of(given[0]) == gpu(i))
            with_python_errors([&] { device_interface(DeviceType::Cuda)->synchronize(gpu(i)); });
    }
    return {};
}
IValue empty_cache(CallArguments) {
    if (device_count() > 0) with_python_errors([] { allocator_for(DeviceType::Cuda).trim(); });
    return {};
}
IValue seed(const IValue& value, int first, int end) {
    for (int i = first; i < std::min(end, device_count()); ++i)
        default_generator(gpu(i)).set_seed(static_cast<std::uint64_t>(value.to_int()));
    return {};
}
IValue manual_seed(CallArguments arguments) { return seed(arguments.positional.at(0), 0, 1); }
IValue manual_seed_all(CallArguments arguments) { return seed(arguments.positional.at(0), 0, device_count()); }

constexpr int kAllDevices = 128;
template <int kEnd>
IValue new_seed(CallArguments) {
    const auto drawn = static_cast<std::int64_t>(default_generator(Device{}).draw_seed());
    return seed(drawn, 0, kEnd);
}

}  // namespace

void fill_cuda(PythonModule& module) {
    module.define("is_available", &is_available);
    module.define("is_initialized", &is_available);
    module.define("_initialized", IValue(device_count() > 0));
    module.define("is_bf16_supported", &is_available);
    module.define("device_count", &count);
    module.define("current_device", &current_device);
    module.define("set_device", &set_device);
    module.define("init", &initialise);
    module.define("get_device_name", &get_device_name);
    module.define("get_device_capability", &get_device_capability);
    module.define("get_device_properties", &get_device_properties);
    module.define("memory_allocated", &memory<&DeviceMemoryUse::used>);
    module.define("max_memory_allocated", &memory<&DeviceMemoryUse::most_used>);
    module.define("memory_reserved", &memory<&DeviceMemoryUse::reserved>);
    module.define("max_memory_reserved", &memory<&DeviceMemoryUse::most_reserved>);
    module.define("synchronize", &synchronize);
    module.define("empty_cache", &empty_cache);
    module.define("manual_seed", &manual_seed);
    module.define("manual_seed_all", &manual_seed_all);
    module.define("seed", &new_seed<1>);
    module.define("seed_all", &new_seed<kAllDevices>);
    module.define("ipc_collect", &ipc_collect);
}

}  // namespace loupe::python
