// SPDX-License-Identifier: Apache-2.0
#pragma once
// Texts of a kernel's code whose lines know the line of the expression that they compute, from their debug locations;
// without the debug information itself.

#include <llvm/IR/Module.h>

#include <string>
#include <vector>

namespace loupe::llvm_fuser {

struct Listing {
    std::string text;
    std::vector<int> line_of;  // by line of the text: of the expression, from 0; -1: none alone
};

// The module loses its debug information.
Listing list_ir(llvm::Module& module);
// assembly: as the code generator wrote it, with its .loc directives.
Listing list_assembly(const std::string& assembly);

}  // namespace loupe::llvm_fuser
