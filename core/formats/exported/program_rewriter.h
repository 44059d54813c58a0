// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/file.h"
#include "core/formats/exported/program_parts.h"
#include "core/nn/module.h"

namespace loupe::exported {

// A program that was read and not changed but for the values of its tensors, with its own graph. False when it cannot
// be written like that: it is of an older schema, holds objects, or its tensors have other dtypes now.
bool rewrite_program(const ProgramParts& parts, const nn::ModulePtr& module, const FileTarget& target);

}  // namespace loupe::exported
