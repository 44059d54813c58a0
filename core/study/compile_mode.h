// SPDX-License-Identifier: Apache-2.0
#pragma once
// How hard a method is compiled: the modes of torch.compile.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/ir/graph.h"
#include "core/nn/module.h"
#include "core/study/compiled_method.h"
#include "core/value/ivalue.h"

namespace loupe::session {

enum class CompileMode {
    Default,         // passes and fusion
    ReduceOverhead,  // and planned programs: memory in one block, kernels with their arguments in place
    MaxAutotune,     // and whatever of layouts, fusion and kernels was measured to be fastest, kept on disk
};
// Throws Error (Usage) for another name.
CompileMode parse_compile_mode(std::string_view name);

// Why a run so would have no memory planned; empty: it has, as far as the graph does not break. The one answer of all
// that compile and plan.
std::string why_not_planned(CompileMode mode, bool backward, bool training);

struct CompileOptions {
    CompileMode mode = CompileMode::Default;
    std::string pipeline = "none";  // in place of the mode's own passes; max-autotune chooses by itself
    bool backward = false;          // what gradients flow through stays as it is
    std::string method = "forward";
};

// module: in the mode that it is to run in. arguments: without self, made anew for every run; used by max-autotune
// alone. Throws what passes and, in max-autotune, operators throw.
CompiledMethod compile_method(const CompileOptions& options, const ir::Graph& graph, const nn::ModulePtr& module,
                              const std::function<std::vector<IValue>()>& arguments);

}  // namespace loupe::session
