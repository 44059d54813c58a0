// SPDX-License-Identifier: Apache-2.0
#pragma once
// Losses of two elements, by name: the kernels of devices know them too. Includes nothing of the engine.

#include <cstdint>

namespace loupe {

enum class LossOp : std::uint8_t { Mse, SmoothL1, Huber, SoftMargin };

}  // namespace loupe
