// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace loupe {

enum class DeviceType : std::int8_t { Cpu = 0, Cuda = 1 };
inline constexpr int kDeviceTypes = 2;

struct Device {
    DeviceType type = DeviceType::Cpu;
    std::int8_t index = 0;

    friend bool operator==(const Device&, const Device&) = default;
};

// "cpu", "cuda:0".
std::string device_name(Device device);
// "cpu", "cuda", "cuda:1"; throws Error (Usage) on anything else.
Device parse_device(std::string_view text);

}  // namespace loupe
