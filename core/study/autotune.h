// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/nn/module.h"
#include "core/study/compiled_method.h"
#include "core/value/ivalue.h"

namespace loupe::session {

// Fills in pipeline, graph and what was tried.
void autotune(CompiledMethod& compiled, const ir::Graph& graph, const nn::ModulePtr& module,
              const std::function<std::vector<IValue>()>& arguments);

// The file that max-autotune keeps what it measured in: by the graph, the arguments' shapes and the machine. Empty when
// there is no place for it. It is in $XDG_CACHE_HOME/tensorloupe/autotune.
std::string autotune_file(const ir::Graph& graph, const nn::ModulePtr& module, const std::vector<IValue>& arguments);

}  // namespace loupe::session
