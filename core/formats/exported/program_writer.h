// SPDX-License-Identifier: Apache-2.0
#pragma once
// Writes models as torch.export.save of PyTorch 2.12 to 2.15 does, for torch.export.load.

#include "core/base/file.h"
#include "core/formats/format_writer.h"

namespace loupe {

// request.options: "dynamic" is "arg0:0=batch", as often as there are such sizes: size 0 of the first input may differ.
// request.examples: needed, one an argument. Throws Error (Unsupported) with the operator and the source line for what
// a program cannot say, Error (Usage) for options and missing inputs, Error (File).
void write_exported_program(const WriteRequest& request, const FileTarget& target);

}  // namespace loupe
