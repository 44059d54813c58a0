// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda/current_device.h"

#include "core/base/error.h"
#include "core/base/strings.h"
#include "plugins/cuda/check.h"

namespace loupe::cuda {
void use_anyway(Device device) {
    if (current_device() == device.index) return;
    check(cudaSetDevice(device.index), "choosing the device");
    note_current_device(device.index);
}

void use(Device device) {
    if (const std::string why = why_lost(device.index); !why.empty())
        throw Error(ErrorKind::Run,
                    concat("cuda:", static_cast<int>(device.index), " was lost: ", why,
                           ": the device takes no more work in this process"),
                    {.hint = "restart the engine, or run on the CPU"});
    use_anyway(device);
}

}  // namespace loupe::cuda
