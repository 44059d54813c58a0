// SPDX-License-Identifier: Apache-2.0
#pragma once
// The modules of scripting: torch.jit, and what it has in Python.

#include <span>
#include <vector>

#include "core/python/language/object.h"

namespace loupe::python {

std::vector<ModuleRecord> script_modules();
void fill_torch_export_native(PythonModule& module);  // for torch/export.py
// Made of the .py files by embed_python.cmake.
std::span<const ModuleRecord> script_modules_in_python();

}  // namespace loupe::python
