// SPDX-License-Identifier: Apache-2.0
#pragma once
// torch.jit.trace: runs a module or function on example inputs and writes down the operators it calls.
//
//     const Trace trace = trace_module(model, {x});
//     run_method(trace.module, "forward", {y});

#include <functional>
#include <string>
#include <vector>

#include "core/ir/compilation_unit.h"
#include "core/nn/module.h"

namespace loupe::runtime {

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

// inputs: tensors, and lists, tuples and dicts of them; other values stay what they are, and are no inputs of the trace.
// Throws Error (Run) for results
// that are none of these and for a tensor from elsewhere that requires grad, and what running throws.
Trace trace_module(const nn::ModulePtr& module, std::vector<IValue> inputs, const TraceOptions& options = {});
// The same, with something else that runs the module.
using Traced = std::function<IValue(std::vector<IValue> inputs)>;
Trace trace_module(const nn::ModulePtr& module, const Traced& run, std::vector<IValue> inputs, const TraceOptions& options = {});
// name: "__torch__.f".
Trace trace_function(const std::string& name, const Traced& run, std::vector<IValue> inputs, const TraceOptions& options = {});

// More methods of the module that a trace was made of: PyTorch's trace_module. Submodules that they call too get further
// methods, forward1, ...
struct TracedMethod {
    std::string name;
    Traced run;
    std::vector<IValue> inputs;
};
Trace trace_methods(const nn::ModulePtr& module, std::vector<TracedMethod> methods, const TraceOptions& options = {});

// Compiled code that a program calls while it is traced stays a call: its control flow is not that of the example.
struct CompiledCall {
    const nn::Module* module = nullptr;  // of a method; null for a function
    ir::ScriptFunction* function = nullptr;
};
bool is_tracing();  // on this thread
// Runs it; where a trace is under way on this thread, as one node of that. inputs: without self.
IValue call_compiled(const CompiledCall& call, std::vector<IValue> inputs, const Traced& run);

// Those that the trace has.
std::vector<IValue> traced_inputs(std::vector<IValue> inputs);

// Runs both on the inputs; one line for everything that differs: results ("output 0 differs: max abs 0.5"), and where the
// operators part, with the source line. Empty: nothing does. In the mode that the module is in, so random operators
// differ unless the seed is set by `run`.
std::vector<std::string> check_trace(const Trace& trace, const Traced& run, const std::vector<IValue>& inputs, double rtol = 1e-5,
                                     double atol = 1e-8);

}  // namespace loupe::runtime
