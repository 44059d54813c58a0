// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda/current_device.h"

#include "plugins/cuda/check.h"

namespace loupe::cuda {

void use(Device device) {
    thread_local int current = -1;
    if (current == device.index) return;
    check(cudaSetDevice(device.index), "choosing the device");
    current = device.index;
}

}  // namespace loupe::cuda
