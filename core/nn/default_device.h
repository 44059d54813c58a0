// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where this thread makes tensors and layers without a device argument: torch.set_default_device.

#include "core/tensor/device.h"

namespace loupe::nn {

Device default_device();
void set_default_device(Device device);

}  // namespace loupe::nn
