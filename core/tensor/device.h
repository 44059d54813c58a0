// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where a tensor's memory is. What the engine asks of each type of device: core/tensor/device_interface.h.

#include <cstdint>
#include <string>
#include <string_view>

namespace loupe {

// PrivateUse1 is PyTorch's type for a device that is no part of the engine; a plugin gives it a name.
enum class DeviceType : std::int8_t { Cpu = 0, Cuda = 1, PrivateUse1 = 2 };
inline constexpr int kDeviceTypes = 3;

struct Device {
    DeviceType type = DeviceType::Cpu;
    std::int8_t index = 0;

    bool is_cpu() const { return type == DeviceType::Cpu; }
    friend bool operator==(const Device&, const Device&) = default;
};

namespace detail {
extern bool other_devices;
}
// Has a plugin registered a device? Until one has, every tensor is on the CPU and calls ask no further.
inline bool any_device_but_cpu() { return detail::other_devices; }

// "cpu", "cuda", or the name that the plugin of PrivateUse1 gave ("privateuseone" without one).
std::string_view device_type_name(DeviceType type);
// As PyTorch's C++ spells it in printed tensors: "CPU", "CUDA", "PrivateUse1".
std::string_view device_type_constant(DeviceType type);
// "cpu", "cuda:0".
std::string device_name(Device device);
// "cpu", "cuda", "cuda:1"; throws Error (Usage) on anything else.
Device parse_device(std::string_view text);

}  // namespace loupe
