// SPDX-License-Identifier: Apache-2.0
#pragma once
// References to modules that do not keep them.

#include <memory>
#include <string>

#include "core/nn/module.h"

namespace loupe::nn {

// Among a module's methods: the one that marks its end. Copies of the module do not have it.
inline const std::string kEndMark = "__end_mark__";

// Holds the module's address as long as it lives, then null.
std::shared_ptr<Module* const> weak_reference(Module& module);

}  // namespace loupe::nn
