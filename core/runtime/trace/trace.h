// SPDX-License-Identifier: Apache-2.0
#pragma once
// The result of tracing a program.

#include <functional>
#include <string>
#include <vector>

#include "core/ir/compilation_unit.h"
#include "core/nn/module.h"

namespace loupe::runtime {

// Runs the traced program.
using Traced = std::function<IValue(std::vector<IValue> inputs)>;

// A part of the program that the graph lacks: numbers, branches or sizes of the example are constants.
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
    std::string class_name = {};  // "__torch__.Net"; empty: the module's
    std::vector<std::string> argument_names = {};
    // Lists and dicts as results are refused, as by torch.jit.trace.
    bool strict = false;
    // Sizes that a program reads stay tied to its tensors (aten::size, prim::NumToTensor), so that the trace is valid
    // for other sizes too; else they are constants of the example.
    bool ties_sizes = true;
};

// Compiled code that a traced program calls stays a call, with its control flow.
struct CompiledCall {
    const nn::Module* module = nullptr;  // of a method; null for a function
    ir::ScriptFunction* function = nullptr;
};

}  // namespace loupe::runtime
