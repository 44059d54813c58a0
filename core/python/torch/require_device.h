// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/tensor/device.h"

namespace loupe::python {

// Throws PyTorch's error where tensors cannot be on the device: RuntimeError where there is no driver for it,
// AcceleratorError where there are not that many.
void require_device(const Device& device);

}  // namespace loupe::python
