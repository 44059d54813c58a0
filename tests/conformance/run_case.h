// SPDX-License-Identifier: Apache-2.0
#pragma once
// One case through the reader, the interpreter and the autograd engine, as a user's file goes.

#include <functional>
#include <string>

#include "core/nn/module.h"
#include "tests/conformance/case_archive.h"

namespace loupe::conformance {

// Empty when everything is as expected; else one line: what differs, or the error. op: the zip's name.
// device: where the model and its inputs are put before it runs.
std::string run_operator_case(const CaseArchive& archive, const CaseEntry& entry, const std::string& op,
                              Device device = {});
// A module as the source has it, compiled as torch.jit.script does, or that written to an archive and read again.
enum class ModuleForm { Source, Scripted, Written };
std::string run_module_case(const CaseArchive& archive, const CaseEntry& entry, ModuleForm form, Device device = {});

// A module that is there already: loads the case's state, runs forward and backward, compares outputs, gradients and
// the state after. Throws what the module throws.
using ModuleForward = std::function<TensorList(const std::vector<IValue>& arguments)>;
std::string check_module(const CaseArchive& archive, const CaseEntry& entry, nn::Module& module,
                         const ModuleForward& forward, Device device = {});

// What run answers, or the words of what it throws, on one line.
std::string one_line(const std::function<std::string()>& run);

}  // namespace loupe::conformance
