// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a recorded training step leaves to be followed over steps.

#include <memory>

#include "core/nn/module.h"
#include "core/record/recorder.h"
#include "core/train/training.h"

namespace loupe::session {

// Statistics of parameters and their gradients as they are now, and of what each module gave in the recorded forward,
// with the units of rectifiers that gave only 0.
std::shared_ptr<const TrainingSample> sample_training(const nn::Module& module, const Recorder& recorder,
                                                      std::int64_t step);

}  // namespace loupe::session
