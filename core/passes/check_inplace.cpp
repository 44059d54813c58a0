// SPDX-License-Identifier: Apache-2.0
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/passes/graph_tools.h"
#include "core/passes/pass_list.h"

namespace loupe::passes {

const Pass kCheckInplace{
    "CheckInplace", "Refuses graphs with calls of Python functions that write to their inputs.",
    [](ir::Graph& graph, const PassContext&) {
        static const ir::Symbol kPythonOp = ir::Symbol::intern("prim::PythonOp");
        static const ir::Symbol kInplace = ir::Symbol::intern("inplace");
        for_each_node(graph.block(), [](ir::Node* node) {
            if (node->kind() != kPythonOp || !node->has_attribute(kInplace) || node->i(kInplace) == 0) return;
            const std::string name = node->has_attribute(ir::attr::name) ? node->s(ir::attr::name) : node->kind().str();
            throw Error(ErrorKind::Run, concat("inplace ", name, " not supported in the JIT"));
        });
    }};

}  // namespace loupe::passes
