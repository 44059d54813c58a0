// SPDX-License-Identifier: Apache-2.0
#pragma once
// torch.export programs (.pt2) as models: torch.export.load, without Python.

#include <string>

#include "core/base/file.h"
#include "core/formats/model_file.h"

namespace loupe {

// The program's graph as `forward` of a module whose tree, classes and names are those of the module that was exported.
// Throws Error (File, Unsupported, Cancelled).
ModelFile read_exported_program(const Ptr<MappedFile>& file);

namespace exported {
// The program's own JSON. Throws Error (File, Unsupported).
std::string program_text(const Ptr<MappedFile>& file);
}  // namespace exported

}  // namespace loupe
