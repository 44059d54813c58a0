// SPDX-License-Identifier: Apache-2.0
#pragma once
// Python's standard library: modules written in C++ are in the .cpp files of their names, those in Python in .py files.

#include <span>
#include <string_view>
#include <vector>

#include "core/python/language/object.h"

namespace loupe::python {

std::vector<ModuleRecord> standard_modules();
// Those in Python, made of the .py files by embed_python.cmake.
std::span<const ModuleRecord> standard_modules_in_python();

// What to say to `import numpy`: "use torch.tensor(...)". Empty when nothing is known.
std::string_view replacement_for_module(std::string_view name);

// A warning of the engine, to the program that runs on this thread; false when none does.
bool take_warning(std::string_view category, std::string_view message);

void fill_builtins(PythonModule& module);
void fill_collections(PythonModule& module);
void fill_io(PythonModule& module);
void fill_json(PythonModule& module);
void fill_math(PythonModule& module);
void fill_native(PythonModule& module);  // what those in Python need
void fill_os(PythonModule& module);
void fill_os_path(PythonModule& module);
void fill_pcg64(PythonModule& module);
void fill_random(PythonModule& module);
void fill_re(PythonModule& module);
void fill_sys(PythonModule& module);
void fill_time(PythonModule& module);
void fill_typing(PythonModule& module);
void fill_warnings(PythonModule& module);
void fill_zlib(PythonModule& module);

}  // namespace loupe::python
