// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/device.h"

#include <charconv>

#include "core/base/error.h"
#include "core/base/strings.h"

namespace loupe {

std::string_view device_type_constant(DeviceType type) {
    switch (type) {
        case DeviceType::Cpu:
            return "CPU";
        case DeviceType::Cuda:
            return "CUDA";
        case DeviceType::PrivateUse1:
            break;
    }
    return "PrivateUse1";
}

std::string device_name(Device device) {
    if (device.is_cpu()) return "cpu";
    return concat(device_type_name(device.type), ":", static_cast<int>(device.index));
}

Device parse_device(std::string_view text) {
    if (text == "cpu" || text == "cpu:0") return {};
    for (const DeviceType type : {DeviceType::Cuda, DeviceType::PrivateUse1}) {
        const std::string_view name = device_type_name(type);
        if (text == name) return {type, 0};
        if (!text.starts_with(name) || text.size() == name.size() || text[name.size()] != ':') continue;
        int index = -1;
        const char* const digits = text.data() + name.size() + 1;
        const auto [end, failure] = std::from_chars(digits, text.data() + text.size(), index);
        if (failure == std::errc{} && end == text.data() + text.size() && index >= 0 && index < 128)
            return {type, static_cast<std::int8_t>(index)};
    }
    throw Error(ErrorKind::Usage, concat("unknown device '", text, "'"), {.hint = "devices are cpu, cuda, cuda:N"});
}

}  // namespace loupe
