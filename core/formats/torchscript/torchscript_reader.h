// SPDX-License-Identifier: Apache-2.0
#pragma once
// Opens files of torch.jit.save.

#include "core/formats/model_file.h"

namespace loupe {

// The module tree with its weights in the mapped file, its classes from the archive's code; methods are compiled when
// on first use. Files of the lite interpreter open too when they contain code.
// Throws Error: File when damaged, Unsupported when it needs features that the engine lacks, Compile when its code is
// no TorchScript.
ModelFile read_torchscript(const Ptr<MappedFile>& file);

}  // namespace loupe
