// SPDX-License-Identifier: Apache-2.0
#pragma once
// Modules of Python's standard library that are written in C++. Those in Python are in library_*.cpp.

#include "core/python/language/object.h"

namespace loupe::python {

void fill_math(PythonModule& module);
void fill_typing(PythonModule& module);
void fill_random(PythonModule& module);
void fill_time(PythonModule& module);
void fill_sys(PythonModule& module);
void fill_os(PythonModule& module);
void fill_os_path(PythonModule& module);
void fill_warnings(PythonModule& module);
// A warning of the engine, to the program that runs on this thread; false when none does.
bool take_warning(std::string_view category, std::string_view message);
void fill_io(PythonModule& module);
void fill_re(PythonModule& module);
// What os and os.path do with files.
void fill_os_files(PythonModule& module);
void fill_os_path_files(PythonModule& module);
void fill_copy(PythonModule& module);
void fill_collections(PythonModule& module);
void fill_builtins(PythonModule& module);
void fill_native(PythonModule& module);  // what those in Python need

// The texts of library_*.cpp.
std::string_view collections_source();
std::string_view functools_source();
std::string_view itertools_source();
std::string_view dataclasses_source();
std::string_view enum_source();
// torch.utils.data and the modules in it; empty for another name.
std::string_view torch_data_source(std::string_view module);
std::string_view torch_distributions_source();
std::string_view torch_autograd_functional_source();
std::string_view torch_func_source();
std::string_view torch_swa_utils_source();
std::string_view torch_compile_source();
std::string_view torch_attention_source();
std::string_view argparse_source();
std::string_view standard_library_source(std::string_view module);  // empty for other names
std::string_view csv_source();
std::string_view statistics_source();
std::string_view tqdm_source();
std::string_view json_source();
std::string_view datetime_source();
std::string_view logging_source();
// Modules about files and about texts; empty for other names.
std::string_view file_library_source(std::string_view module);
std::string_view text_library_source(std::string_view module);
std::string_view re_source();

}  // namespace loupe::python
