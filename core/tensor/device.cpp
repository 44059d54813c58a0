// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/device.h"

#include <charconv>

#include "core/base/error.h"
#include "core/base/strings.h"

namespace loupe {

std::string device_name(Device device) {
    if (device.type == DeviceType::Cpu) return "cpu";
    return concat("cuda:", static_cast<int>(device.index));
}

Device parse_device(std::string_view text) {
    if (text == "cpu" || text == "cpu:0") return {};
    if (text == "cuda") return {DeviceType::Cuda, 0};
    if (text.starts_with("cuda:")) {
        int index = -1;
        const auto [end, failure] = std::from_chars(text.data() + 5, text.data() + text.size(), index);
        if (failure == std::errc{} && end == text.data() + text.size() && index >= 0 && index < 128) {
            return {DeviceType::Cuda, static_cast<std::int8_t>(index)};
        }
    }
    throw Error(ErrorKind::Usage, concat("unknown device '", text, "'"), {.hint = "devices are cpu, cuda, cuda:N"});
}

}  // namespace loupe
