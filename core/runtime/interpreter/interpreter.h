// SPDX-License-Identifier: Apache-2.0
#pragma once
// Runs graphs and script functions on the calling thread. Frames are module calls: ExecutionObserver is notified of
// them, and of every operator that touches tensors or has effects.
//
// Errors carry the operator, the module scope, the source line and the inputs of the innermost place.

#include <functional>
#include <string_view>
#include <vector>

#include "core/ir/function.h"
#include "core/runtime/interpreter/code.h"
#include "core/value/ivalue.h"

namespace loupe::runtime {

// Calls the function; missing trailing arguments take the schema's defaults, an int is converted to a float
// argument. Throws Error (Run) with PyTorch's messages for arguments that do not fit, and errors of the run.
IValue run_function(const ir::ScriptFunction& function, std::vector<IValue> arguments);
// Calls a method of an object, "forward" of a module with its hooks. arguments: without self.
IValue run_method(const Ptr<Object>& self, std::string_view method, std::vector<IValue> arguments);
// Calls another function instead of a module's forward, with the module's hooks around it.
IValue run_with_hooks(const Ptr<Object>& self, std::vector<IValue> arguments,
                      const std::function<IValue(std::vector<IValue>)>& forward);
// Pops the graph's inputs from the stack and pushes its outputs. Builds code each time; keep a Code to
// run a graph often.
void run_graph(const Ptr<const ir::Graph>& graph, Stack& stack);
// inputs: as many as the graph has. Returns its outputs. scope: the module path that frames start from.
std::vector<IValue> run_code(const Code& code, std::vector<IValue> inputs, std::string_view scope = {});
// The current source range of this thread's program; empty when it runs none.
ir::SourceRange current_range();
// The node at which this thread is running the code; null when it is not.
const ir::Node* current_node(const Code& code);

}  // namespace loupe::runtime
