// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/tensor/device.h"

namespace loupe::cuda {

// Makes a device the calling thread's.
void use(Device device);

}  // namespace loupe::cuda
