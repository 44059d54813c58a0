// SPDX-License-Identifier: Apache-2.0
#pragma once
// A model as it is after passes, to be written as a file.

#include <string>

#include "core/model/program.h"

namespace loupe::session {

struct WrittenModel {
    Ptr<ir::CompilationUnit> unit;  // owns what the module's own types do not
    nn::ModulePtr module;
};

// A script module whose method is what the pipeline (or passes with commas between) leaves of it; groups that passes
// made are opened again, since files hold operators. What was frozen is a module without attributes of its own. Throws
// as run_pipeline and Program::method.
WrittenModel model_after(const Program& program, const std::string& method, const std::string& pipeline);

}  // namespace loupe::session
