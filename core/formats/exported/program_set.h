// SPDX-License-Identifier: Apache-2.0
#pragma once
// Several programs of one archive as one model.

#include <string>
#include <vector>

#include "core/formats/model_file.h"

namespace loupe::exported {

struct NamedProgram {
    std::string name;  // in the archive
    ModelFile model;   // in the unit of the set
};

// A module that holds each program's module, and has a method that calls it, under the program's name; what no name in
// a program can have becomes '_'. The first program's method comes first.
ModelFile join_programs(std::vector<NamedProgram> programs, const Ptr<ir::CompilationUnit>& unit);

}  // namespace loupe::exported
