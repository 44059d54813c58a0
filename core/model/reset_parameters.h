// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/nn/module.h"

namespace loupe::session {

// New first values for the parameters of the module and all below it, as the layers of torch.nn give them; classes read
// from a file count as the layers whose names they have. False when no layer there has parameters.
bool reset_tree(nn::Module& root);

}  // namespace loupe::session
