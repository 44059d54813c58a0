// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/tensor/tensor.h"

namespace loupe::session {

// The last two dimensions blurred by a Gaussian of that standard deviation in pixels, up to 3 of them, mirrored at the
// edges: torchvision.transforms.functional.gaussian_blur. As the input: its dtype and device.
Tensor blurred(const Tensor& image, double deviation);

}  // namespace loupe::session
