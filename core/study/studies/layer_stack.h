// SPDX-License-Identifier: Apache-2.0
#pragma once
// The layers of a transformer, one on the other, found by how a model runs: modules numbered 0, 1, ... below one
// parent, each called once, all giving tensors of the same sizes.

#include <string>
#include <vector>

#include "core/study/studies/study_record.h"

namespace loupe::session {

struct LayerStack {
    std::vector<std::string> paths;  // "model.layers.0", ...
    Tensor input;                    // of the first
    TensorList outputs;              // one for each
    IValue result;                   // of the model
};

bool has_numbered_modules(const ModelInfo& info);
// Runs the model once. Of several stacks the one with the most parameters whose outputs have as many places as the
// result, [..., places, vocabulary]. Throws Error (Run) where there is none.
LayerStack find_layers(const StudySubject& subject);

}  // namespace loupe::session
