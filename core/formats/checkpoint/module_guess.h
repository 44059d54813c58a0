// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which layer of torch.nn has weights of these names and shapes.

#include <string>
#include <vector>

#include "core/formats/numpy/npy.h"

namespace loupe {

struct ModuleGuess {
    std::string class_name = "Module";  // "Conv2d"
    double confidence = 0;              // 0..1
    std::string reason;                 // "weight 64x3x7x7 without bias"
    // The constructor's arguments inferred from shapes: in_channels = 3.
    std::vector<std::pair<std::string, std::int64_t>> arguments = {};
};

// path: of the module, whose last part may be a hint ("layer1.0.bn1"). own: its tensors by name. children: names of its
// submodules. dimensions: those of the nearest convolution before it, 0 when there is none.
ModuleGuess guess_module(const std::string& path, const NamedTensors& own, const std::vector<std::string>& children,
                         int dimensions);

}  // namespace loupe
