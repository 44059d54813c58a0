// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/model/program.h"
#include "core/study/compile_mode.h"

namespace loupe::session {

struct CompiledProgram {
    Ptr<ir::Graph> graph;
    CompileReport report;
};

// Compiles a method of the program and tells what came of it. arguments: made anew for every run. Throws as
// compile_method.
CompiledProgram compile_program(const std::shared_ptr<Program>& program, const CompileRequest& request,
                                const std::function<std::vector<IValue>()>& arguments);

// "captured as a graph of 12 nodes", "not captured: inputs are on the CPU"; empty where it is not tried.
std::string capture_note(const PreparedMethod& method);

}  // namespace loupe::session
