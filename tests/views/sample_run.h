// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A small model and a run of it, written by hand: what views are tested on.

#include <memory>

#include "core/model/model_info.h"
#include "core/record/recording.h"

namespace loupe::testing {

// ResNet's shape in little: conv1 (Conv2d), layer1 (Sequential) of layer1.0 and layer1.1 (each conv and relu), fc.
std::shared_ptr<const session::ModelInfo> sampleModel();

// Six operators forward, then the same backward, `repeats` times over. The output of layer1.1.conv holds a NaN.
std::shared_ptr<const session::Recording> sampleRun(int repeats = 1);
inline constexpr int kSampleOperators = 6;

}  // namespace loupe::testing
