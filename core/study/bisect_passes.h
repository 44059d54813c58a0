// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "core/ir/graph.h"
#include "core/nn/module.h"
#include "core/study/pass_bisect.h"
#include "core/value/ivalue.h"

namespace loupe::session {

// arguments: made anew for every run, since a graph may write to them, and with the same elements every time. Buffers
// and plain attributes of the module are afterwards as they were. Throws Error (Usage) for an unknown pipeline and when
// two runs of the graph as it is differ by themselves, and what running it throws. progress: called before each run of
// a graph; may be empty.
PassBisect bisect_passes(const PassBisectOptions& options, const ir::Graph& graph, const nn::ModulePtr& module,
                         const std::function<std::vector<IValue>()>& arguments,
                         const std::function<void(PassBisectProgress)>& progress = {});

}  // namespace loupe::session
