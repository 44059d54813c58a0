// SPDX-License-Identifier: Apache-2.0
#pragma once
// What tracing a program gives.

#include <functional>
#include <string>
#include <vector>

#include "core/ir/compilation_unit.h"
#include "core/nn/module.h"

namespace loupe::runtime {

// What runs the program that is traced.
using Traced = std::function<IValue(std::vector<IValue> inputs)>;

// Something of the program that the graph does not have: what was a number, a branch or a size while tracing stays so.
struct TraceWarning {
    std::string text;  // PyTorch's TracerWarning
    ir::SourceRange range;
};

struct Trace {
    Ptr<ir::CompilationUnit> unit;  // owns types and methods
    // A script module with the parameters, buffers and submodules of the one that was traced (the same tensors), and a
    // method "forward" for every module that was called. Null for a function.
    nn::ModulePtr module;
    nn::ModulePtr source;                   // the one that was traced
    ir::ScriptFunction* forward = nullptr;  // the module's, or the function
    std::vector<TraceWarning> warnings;     // each once
    IValue output;                          // of the run that was traced
    bool ties_sizes = true;                 // as TraceOptions says
};

struct TraceOptions {
    std::string class_name = {};  // "__torch__.Net"; empty: the module's own
    std::vector<std::string> argument_names = {};
    // Lists and dicts as results are refused, as by torch.jit.trace.
    bool strict = false;
    // Sizes that a program reads stay tied to its tensors (aten::size, prim::NumToTensor), so that the trace takes other
    // sizes too; else they are those of the example.
    bool ties_sizes = true;
};

// Compiled code that a program calls while it is traced stays a call: its control flow is not that of the example.
struct CompiledCall {
    const nn::Module* module = nullptr;  // of a method; null for a function
    ir::ScriptFunction* function = nullptr;
};

}  // namespace loupe::runtime
