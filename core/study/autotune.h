// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/study/compile_mode.h"

namespace loupe::session {

// Fills in pipeline, graph and what was tried.
void autotune(CompiledMethod& compiled, const ir::Graph& graph, const nn::ModulePtr& module, const std::function<std::vector<IValue>()>& arguments);

}  // namespace loupe::session
