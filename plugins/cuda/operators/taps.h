// SPDX-License-Identifier: Apache-2.0
#pragma once
// DeviceLoops::apply_taps by the loops of loops/taps.h.

#include "core/kernels/device_loops.h"

namespace loupe::cuda {

bool apply_taps(const Tensor& to, const Tensor& from, std::span<const DimTaps> dims);

}  // namespace loupe::cuda
