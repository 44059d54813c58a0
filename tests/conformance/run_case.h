// SPDX-License-Identifier: Apache-2.0
#pragma once
// One case through the reader, the interpreter and the autograd engine, as a user's file goes.

#include <functional>
#include <string>

#include "tests/conformance/case_archive.h"

namespace loupe::conformance {

// Empty when everything is as expected; else one line: what differs, or the error. op: the zip's name.
std::string run_operator_case(const CaseArchive& archive, const CaseEntry& entry, const std::string& op);
std::string run_module_case(const CaseArchive& archive, const CaseEntry& entry);

// What run answers, or the words of what it throws, on one line.
std::string one_line(const std::function<std::string()>& run);

}  // namespace loupe::conformance
