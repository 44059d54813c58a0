// SPDX-License-Identifier: Apache-2.0
#pragma once
// Calls of compiled code from a program, and its graphs as the program sees them.

#include <functional>
#include <vector>

#include "core/ir/function.h"
#include "core/value/callable.h"
#include "core/value/schema.h"

namespace loupe::python {

// The graph as an object: its text and its nodes' texts.
IValue graph_object(const Ptr<ir::Graph>& graph);
IValue inlined_graph(const ir::ScriptFunction& function);
IValue code_text(const ir::ScriptFunction& function);

// Arguments by the schema, behind those that are there already; converted. Throws RuntimeError.
std::vector<IValue> bound_arguments(const FunctionSchema& schema, std::size_t first, const CallArguments& given);
// Prints go where the program's go; errors inside have PyTorch's texts.
IValue run_script(const std::function<IValue()>& work);

}  // namespace loupe::python
