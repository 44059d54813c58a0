// SPDX-License-Identifier: Apache-2.0
#pragma once
// Opens what torch.jit.save writes.

#include "core/formats/model_file.h"

namespace loupe {

// The module tree with its weights in the mapped file, its classes from the archive's code; methods are compiled when
// they are first wanted. Files of the lite interpreter open too when they hold code.
// Throws Error: File when damaged, Unsupported when it needs what the engine lacks, Compile when its code is no
// TorchScript.
ModelFile read_torchscript(const Ptr<MappedFile>& file);

}  // namespace loupe
