// SPDX-License-Identifier: Apache-2.0
// _devices: what torch/cuda.py and torch/_streams.py ask of the devices that plugins give.

#include "core/python/torch/torch_devices.h"

#include "core/base/strings.h"
#include "core/python/language/arguments.h"
#include "core/python/language/builtin_objects.h"
#include "core/python/language/error.h"
#include "core/python/language/operations.h"
#include "core/python/torch/require_device.h"
#include "core/python/torch/torch_call.h"
#include "core/python/torch/torch_objects.h"
#include "core/tensor/allocator.h"
#include "core/tensor/device_interface.h"
#include "core/tensor/pinned.h"

namespace loupe::python {

namespace {

Device device_argument(const CallArguments& arguments, std::size_t at = 0) {
    const Device device = device_of(arguments.positional.at(at));
    require_device(device);
    return device;
}
DeviceInterface& devices_of(const Device& device) {
    if (device.is_cpu()) throw_error("ValueError", "Expected a device other than the CPU");
    return *device_interface(device.type);
}
// A device, and what is asked about it.
struct Asked {
    explicit Asked(const CallArguments& given)
        : device(device_argument(given)), devices(devices_of(device)), arguments(given) {}
    std::int64_t number(std::size_t at) const { return to_index(arguments.positional.at(at)); }

    Device device;
    DeviceInterface& devices;
    const CallArguments& arguments;
};

IValue make_stream(CallArguments arguments) {
    const Asked asked(arguments);
    return with_python_errors(
        [&] { return IValue(asked.devices.make_stream(asked.device, static_cast<int>(asked.number(1)))); });
}
IValue current_stream(CallArguments arguments) {
    const Asked asked(arguments);
    return asked.devices.current_stream(asked.device);
}
IValue use_stream(CallArguments arguments) {
    const Asked asked(arguments);
    with_python_errors([&] { asked.devices.use_stream(asked.device, asked.number(1)); });
    return {};
}
IValue synchronize_stream(CallArguments arguments) {
    const Asked asked(arguments);
    with_python_errors([&] { asked.devices.synchronize_stream(asked.device, asked.number(1)); });
    return {};
}
IValue synchronize(CallArguments arguments) {
    const Asked asked(arguments);
    with_python_errors([&] { asked.devices.synchronize(asked.device); });
    return {};
}
IValue is_idle(CallArguments arguments) {
    const Asked asked(arguments);
    return with_python_errors([&] { return IValue(asked.devices.is_idle(asked.device, asked.number(1))); });
}
IValue native_stream(CallArguments arguments) {
    const Asked asked(arguments);
    return static_cast<std::int64_t>(asked.devices.native_stream(asked.device, asked.number(1)));
}

// (tensor, stream's number)
IValue note_use(CallArguments arguments) {
    const Tensor t = arguments.positional.at(0).to_tensor();
    if (t.device().is_cpu() || t.storage() == nullptr) return {};
    devices_of(t.device()).note_use(t.storage()->address(), t.device(), to_index(arguments.positional.at(1)));
    return {};
}

// --- events

class MarkObject final : public Instance {
  public:
    using Instance::Instance;
    Device device;
    std::unique_ptr<DeviceEvent> event;
};
MarkObject& mark_of(const IValue& value) {
    auto* const mark = object_as<MarkObject>(value);
    if (mark == nullptr || !mark->event) throw_type_error("a mark of a device is needed");
    return *mark;
}
// A call of `of` while the stream is the thread's.
template <typename Call>
void on_stream(const CallArguments& arguments, Call call) {
    MarkObject& mark = mark_of(arguments.positional.at(0));
    with_python_errors([&] {
        const StreamScope scope(devices_of(mark.device), mark.device, to_index(arguments.positional.at(1)));
        call(*mark.event);
    });
}

ClassPtr mark_class() {
    static const ClassPtr cls = [] {
        auto out = make_ptr<ClassObject>("Mark", "_devices", std::vector<ClassPtr>{});
        out->set_builtin([](ClassObject& of, CallArguments& arguments) -> ClassObject::Made {
            auto made = make_ptr<MarkObject>(ClassPtr(&of));
            made->device = device_argument(arguments);
            made->event = with_python_errors([&] { return devices_of(made->device).make_event(made->device); });
            return {IValue::other(std::move(made)), true};
        });
        out->define("record", [](CallArguments arguments) {
            on_stream(arguments, [](DeviceEvent& event) { event.record(); });
            return IValue();
        });
        out->define("hold", [](CallArguments arguments) {
            on_stream(arguments, [](DeviceEvent& event) { event.hold_stream(); });
            return IValue();
        });
        out->define("is_reached", [](CallArguments arguments) {
            return with_python_errors([&] { return IValue(mark_of(arguments.positional.at(0)).event->is_reached()); });
        });
        out->define("wait", [](CallArguments arguments) {
            with_python_errors([&] { mark_of(arguments.positional.at(0)).event->wait(); });
            return IValue();
        });
        out->define("milliseconds_since", [](CallArguments arguments) {
            return with_python_errors([&] {
                return IValue(mark_of(arguments.positional.at(0))
                                  .event->milliseconds_since(*mark_of(arguments.positional.at(1)).event));
            });
        });
        return ClassPtr(out);
    }();
    return cls;
}

// --- memory

// {"allocation.all.current": 3, ...}
IValue memory_statistics(CallArguments arguments) {
    const Asked asked(arguments);
    const DeviceMemoryStatistics figures = asked.devices.memory_statistics(asked.device);
    auto out = make_ptr<DictObject>(types::any(), types::any());
    constexpr std::string_view kPools[] = {"all", "small_pool", "large_pool"};
    const auto put = [&](std::string_view name, const PoolFigures& pools) {
        for (std::size_t i = 0; i < pools.size(); ++i) {
            const auto set = [&](std::string_view part, std::int64_t value) {
                out->set(concat(name, ".", kPools[i], ".", part), value);
            };
            set("current", pools[i].current);
            set("peak", pools[i].peak);
            set("allocated", pools[i].allocated);
            set("freed", pools[i].freed);
        }
    };
    put("allocation", figures.allocation);
    put("segment", figures.segment);
    put("active", figures.active);
    put("inactive_split", figures.inactive_split);
    put("allocated_bytes", figures.allocated_bytes);
    put("reserved_bytes", figures.reserved_bytes);
    put("active_bytes", figures.active_bytes);
    put("inactive_split_bytes", figures.inactive_split_bytes);
    put("requested_bytes", figures.requested_bytes);
    out->set("num_alloc_retries", figures.retries);
    out->set("num_ooms", figures.out_of_memory);
    out->set("num_sync_all_streams", figures.waits_for_streams);
    out->set("num_device_alloc", figures.device_allocations);
    out->set("num_device_free", figures.device_frees);
    return out;
}

IValue dictionary(std::initializer_list<std::pair<const char*, IValue>> entries) {
    auto out = make_ptr<DictObject>(types::any(), types::any());
    for (const auto& [name, value] : entries) out->set(std::string(name), value);
    return out;
}
IValue list_of(std::vector<IValue> elements) {
    auto out = make_ptr<ListObject>(types::any());
    out->elements = std::move(elements);
    return out;
}

// As torch.cuda.memory_snapshot() has them.
IValue memory_segments(CallArguments arguments) {
    const Asked asked(arguments);
    std::vector<IValue> segments;
    for (const DeviceSegment& segment : asked.devices.memory_segments(asked.device)) {
        std::vector<IValue> blocks;
        std::int64_t used = 0;
        auto address = static_cast<std::int64_t>(segment.address);
        for (const DeviceSegment::Block& block : segment.blocks) {
            const auto bytes = static_cast<std::int64_t>(block.bytes);
            blocks.push_back(dictionary({{"address", address},
                                         {"size", bytes},
                                         {"state", std::string(block.is_free ? "inactive" : "active_allocated")}}));
            used += block.is_free ? 0 : bytes;
            address += bytes;
        }
        segments.push_back(dictionary(
            {{"device", std::int64_t{asked.device.index}},
             {"address", static_cast<std::int64_t>(segment.address)},
             {"total_size", static_cast<std::int64_t>(segment.bytes)},
             {"allocated_size", used},
             {"active_size", used},
             {"stream", segment.stream},
             {"segment_type", std::string(segment.is_small ? "small" : "large")},
             {"segment_pool_id", make_ptr<TupleObject>(std::vector<IValue>{segment.pool.first, segment.pool.second})},
             {"blocks", list_of(std::move(blocks))}}));
    }
    return list_of(std::move(segments));
}

IValue memory_room(CallArguments arguments) {
    const Asked asked(arguments);
    const DeviceMemoryRoom room = with_python_errors([&] { return asked.devices.memory_room(asked.device); });
    return make_ptr<TupleObject>(
        std::vector<IValue>{static_cast<std::int64_t>(room.free), static_cast<std::int64_t>(room.total)});
}
IValue reset_peak(CallArguments arguments) {
    const Asked asked(arguments);
    asked.devices.reset_peak_memory(asked.device);
    return {};
}
IValue trim(CallArguments arguments) {
    const Asked asked(arguments);
    with_python_errors([&] { asked.devices.allocator().trim(); });
    return {};
}

// --- settings

template <bool DeviceMathSettings::*kSetting>
IValue get_setting(CallArguments) {
    return device_math().*kSetting;
}
template <bool DeviceMathSettings::*kSetting>
IValue set_setting(CallArguments arguments) {
    DeviceMathSettings settings = device_math();
    settings.*kSetting = truth(arguments.positional.at(0));
    set_device_math(settings);
    return {};
}

// Of a type by its name; 0 where there is no plugin for it.
IValue count(CallArguments arguments) {
    const IValue& type = arguments.positional.at(0);
    const DeviceInterface* const devices = device_interface(device_of(type).type);
    return std::int64_t{devices == nullptr ? 0 : devices->count()};
}
IValue pins_memory(CallArguments) { return pinning_devices() != nullptr; }
IValue require(CallArguments arguments) {
    require_device(device_of(arguments.positional.at(0)));
    return {};
}

}  // namespace

void fill_devices(PythonModule& module) {
    module.define("count", &count);
    module.define("require", &require);
    module.define("make_stream", &make_stream);
    module.define("current_stream", &current_stream);
    module.define("use_stream", &use_stream);
    module.define("synchronize_stream", &synchronize_stream);
    module.define("synchronize", &synchronize);
    module.define("is_idle", &is_idle);
    module.define("native_stream", &native_stream);
    module.define("note_use", &note_use);
    module.define("Mark", IValue::other(mark_class()));
    module.define("memory_statistics", &memory_statistics);
    module.define("memory_segments", &memory_segments);
    module.define("memory_room", &memory_room);
    module.define("reset_peak", &reset_peak);
    module.define("trim", &trim);
    module.define("pins_memory", &pins_memory);
    module.define("products_in_tf32", &get_setting<&DeviceMathSettings::products_in_tf32>);
    module.define("set_products_in_tf32", &set_setting<&DeviceMathSettings::products_in_tf32>);
    module.define("convolutions_in_tf32", &get_setting<&DeviceMathSettings::convolutions_in_tf32>);
    module.define("set_convolutions_in_tf32", &set_setting<&DeviceMathSettings::convolutions_in_tf32>);
    module.define("tries_algorithms", &get_setting<&DeviceMathSettings::tries_algorithms>);
    module.define("set_tries_algorithms", &set_setting<&DeviceMathSettings::tries_algorithms>);
}

}  // namespace loupe::python
