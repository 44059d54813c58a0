// SPDX-License-Identifier: Apache-2.0
#pragma once
// torch.jit.trace: runs a module or function on example inputs and records the operators it calls.
//
//     const Trace trace = trace_module(model, {x});
//     run_method(trace.module, "forward", {y});

#include <string>
#include <vector>

#include "core/runtime/trace/trace.h"

namespace loupe::runtime {

// inputs: tensors, and lists, tuples and dicts of them; other values are constants and no inputs of the trace.
// Throws Error (Run) for results of other types and for a captured tensor that requires
// grad, and errors of the run.
Trace trace_module(const nn::ModulePtr& module, std::vector<IValue> inputs, const TraceOptions& options = {});
// The same, with a custom runner of the module.
Trace trace_module(const nn::ModulePtr& module, const Traced& run, std::vector<IValue> inputs,
                   const TraceOptions& options = {});
// name: "__torch__.f".
Trace trace_function(const std::string& name, const Traced& run, std::vector<IValue> inputs,
                     const TraceOptions& options = {});

// More methods of a traced module: PyTorch's trace_module. Submodules that they call too get further
// methods, forward1, ...
struct TracedMethod {
    std::string name;
    Traced run;
    std::vector<IValue> inputs;
};
Trace trace_methods(const nn::ModulePtr& module, std::vector<TracedMethod> methods, const TraceOptions& options = {});

bool is_tracing();  // on this thread
// Runs it; inside a trace on this thread, as one node of that trace. inputs: without self.
IValue call_compiled(const CompiledCall& call, std::vector<IValue> inputs, const Traced& run);

// Those that are inputs of the trace.
std::vector<IValue> traced_inputs(std::vector<IValue> inputs);

// Runs both on the inputs; one line per difference: results ("output 0 differs: max abs 0.5"), and where the
// operators diverge, with the source line. Empty: no difference. In the module's current mode, so random operators
// differ unless `run` sets the seed.
std::vector<std::string> check_trace(const Trace& trace, const Traced& run, const std::vector<IValue>& inputs,
                                     double rtol = 1e-5, double atol = 1e-8);

}  // namespace loupe::runtime
