// SPDX-License-Identifier: Apache-2.0
#include "core/formats/checkpoint/weights_tree.h"

#include "core/base/strings.h"

namespace loupe {

ModelFile weights_tree(CheckpointWeights weights, const std::string& description) {
    strip_wrapper_prefix(weights);
    ModelFile model;
    model.unit = make_ptr<ir::CompilationUnit>();
    model.module = guess_module_tree(weights);
    model.format = concat(description, ", modules guessed from names and shapes");
    return model;
}

}  // namespace loupe
