// SPDX-License-Identifier: Apache-2.0
#pragma once
// Checkpoints of PyTorch before 0.2: a tar archive with the files storages, tensors and pickle.

#include <span>

#include "core/formats/pickle/pickle_values.h"

namespace loupe {

// Throws Error (File) when it is damaged.
IValue read_tar_checkpoint(std::span<const std::byte> bytes, PickledClasses& classes);

}  // namespace loupe
