// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/tensor/device.h"
#include "plugins/cuda/device_number.h"

namespace loupe::cuda {

// Makes a device the calling thread's. Throws Error (Run) for one that an error has broken.
void use(Device device);
// Without a question whether it is broken.
void use_anyway(Device device);

}  // namespace loupe::cuda
