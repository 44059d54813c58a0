// SPDX-License-Identifier: Apache-2.0
#include "core/record/device_work.h"

#include "core/base/strings.h"

namespace loupe::session {

std::string DeviceWork::text() const {
    if (device.empty()) return {};
    if (fell_back)
        return concat(device, ", ran on the CPU: ", format_bytes(static_cast<double>(copied_bytes)), " copied in ",
                      format_seconds(copy_seconds));
    return concat(device, ", launched in ", format_seconds(launch));
}

}  // namespace loupe::session
