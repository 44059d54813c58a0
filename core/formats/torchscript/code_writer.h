// SPDX-License-Identifier: Apache-2.0
#pragma once
// TorchScript source from graphs: a script module's classes and methods in an archive.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/ir/compilation_unit.h"
#include "core/ir/source.h"
#include "core/nn/module.h"

namespace loupe {

struct WrittenCode {
    // "code/__torch__/torch/nn/modules/conv.py" and its text, in the order of the first visit.
    std::vector<std::pair<std::string, std::string>> files;
    // Origins of each file's ranges, by offset.
    std::vector<std::vector<ir::GeneratedFrom>> places;
    std::vector<IValue> constants;  // CONSTANTS.c0, ...
    std::int64_t version = 3;       // the highest that an operator needs
};

// The classes of the module and of all modules and objects inside it. Throws Error (Unsupported) for constructs without
// a source form.
WrittenCode write_code(const nn::Module& module);

// "k : Final[int] = 3" of the class, from the unit of its methods; a class without methods needs none.
const ir::CompilationUnit::Constants& final_constants(const ClassType& type);

// One method or function as PyTorch's .code shows it: "def forward(self,\n    x: Tensor) -> Tensor:\n  ...". A method's
// self has no type.
std::string code_of(const ir::ScriptFunction& function);

}  // namespace loupe
