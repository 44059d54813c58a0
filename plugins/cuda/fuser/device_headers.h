// SPDX-License-Identifier: Apache-2.0
#pragma once
// The headers that generated kernels include, as text: made when this is built (embed.cmake).

#include <span>

namespace loupe::cuda {

struct DeviceHeader {
    const char* name;  // as it is included: "plugins/cuda/loops/portable.h"
    const char* text;
};
std::span<const DeviceHeader> device_headers();

}  // namespace loupe::cuda
