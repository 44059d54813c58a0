// SPDX-License-Identifier: Apache-2.0
#pragma once
// How hard a method is compiled: the modes of torch.compile.

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/ir/graph.h"
#include "core/nn/module.h"
#include "core/study/compilation.h"
#include "core/value/ivalue.h"

namespace loupe::session {

enum class CompileMode {
    Default,         // passes and fusion
    ReduceOverhead,  // and planned programs: memory in one block, kernels with their arguments in place
    MaxAutotune,     // and whatever of layouts, fusion and kernels was measured to be fastest, kept on disk
};
// Throws Error (Usage) for another name.
CompileMode parse_compile_mode(std::string_view name);

struct CompileOptions {
    CompileMode mode = CompileMode::Default;
    std::string pipeline = "none";  // in place of the mode's own passes; max-autotune chooses by itself
    bool backward = false;          // what gradients flow through stays as it is
    std::string method = "forward";
};

struct CompiledMethod {
    std::string pipeline;            // that was run, in words that run it again
    Ptr<ir::Graph> graph;
    std::vector<GraphBreak> breaks;  // what the interpreter runs as before, and why
    // Of max-autotune: what was measured, fastest first; and the kernels chosen for each planned part.
    std::vector<TriedPipeline> tried;
    std::vector<TunedPart> parts;
    std::string file;                // where it is kept
    bool is_from_disk = false;
    std::string complaint;           // about a file of measurements that was not used
};

// module: in the mode that it is to run in. arguments: without self, made anew for every run; used by max-autotune alone.
// Throws what passes and, in max-autotune, operators throw.
CompiledMethod compile_method(const CompileOptions& options, const ir::Graph& graph, const nn::ModulePtr& module,
                              const std::function<std::vector<IValue>()>& arguments);

// Where a graph that has been through its passes breaks.
std::vector<GraphBreak> list_breaks(const ir::Graph& graph);

// The file that max-autotune keeps what it measured in: by the graph, the arguments' shapes and the machine. Empty when
// there is no place for it. It is in $XDG_CACHE_HOME/tensorloupe/autotune.
std::string autotune_file(const ir::Graph& graph, const nn::ModulePtr& module, const std::vector<IValue>& arguments);

}  // namespace loupe::session
