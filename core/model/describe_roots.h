// SPDX-License-Identifier: Apache-2.0
#pragma once
// The module tree of a program whose models were seen when they were called.

#include "core/model/model_info.h"
#include "core/nn/module.h"

namespace loupe::session {

// Into a model without modules: the first is the root, the others stand below it under their names. Without any there
// is a root that has nothing.
void describe_roots(const nn::Named<nn::ModulePtr>& roots, ModelInfo& model);

}  // namespace loupe::session
