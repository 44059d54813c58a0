// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/device_interface.h"

#include <array>

namespace loupe {

bool detail::other_devices = false;

namespace {

std::array<DeviceInterface*, kDeviceTypes>& interfaces() {
    static std::array<DeviceInterface*, kDeviceTypes> table{};
    return table;
}

}  // namespace

DeviceInterface* device_interface(DeviceType type) { return interfaces()[static_cast<std::size_t>(type)]; }

void set_device_interface(DeviceType type, DeviceInterface* device) {
    interfaces()[static_cast<std::size_t>(type)] = device;
    detail::other_devices = detail::other_devices || device != nullptr;
}

void synchronize_devices() {
    for (std::size_t type = 0; type < kDeviceTypes; ++type) {
        DeviceInterface* const devices = interfaces()[type];
        for (int i = 0; devices != nullptr && i < devices->count(); ++i)
            devices->synchronize(Device{static_cast<DeviceType>(type), static_cast<std::int8_t>(i)});
    }
}

std::string_view device_type_name(DeviceType type) {
    switch (type) {
        case DeviceType::Cpu:
            return "cpu";
        case DeviceType::Cuda:
            return "cuda";
        case DeviceType::PrivateUse1:
            break;
    }
    const DeviceInterface* const device = device_interface(type);
    return device == nullptr ? "privateuseone" : device->name();
}

}  // namespace loupe
