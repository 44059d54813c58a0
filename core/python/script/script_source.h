// SPDX-License-Identifier: Apache-2.0
#pragma once
// The source of a function of a program, for its compilation.

#include "core/python/language/frame.h"
#include "core/script/compile.h"

namespace loupe::python {

struct FunctionSource {
    script::ParsedSource parsed;  // of its lines alone
    const script::Def* def = nullptr;
};

// Throws CompileError for what TorchScript does not have.
FunctionSource source_of(const FunctionObject& function);
// Its head with `pass` for a body: what is called as it is may hold what TorchScript does not have.
FunctionSource declaration_of(const FunctionObject& function);
// A name that the function reads: captured, of its module, or built in.
std::optional<IValue> visible_name(const FunctionObject& function, std::string_view name);
// "nn.Module": the first part as visible_name, the rest attributes.
std::optional<IValue> visible_path(const FunctionObject& function, std::string_view path);

}  // namespace loupe::python
