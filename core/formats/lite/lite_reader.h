// SPDX-License-Identifier: Apache-2.0
#pragma once
// Lite interpreter archives without code: their bytecode becomes graphs, so that they are run, shown and stepped like
// others.

#include "core/formats/model_file.h"

namespace loupe {

// A .ptl whose methods are bytecode.pkl only. Throws Error (File) when damaged, Error (Unsupported) for unknown
// instructions and bytecode versions.
ModelFile read_lite_archive(const Ptr<MappedFile>& file);

}  // namespace loupe
