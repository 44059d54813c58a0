// SPDX-License-Identifier: Apache-2.0
#pragma once
// Models in several GGUF files, "model-00001-of-00009.gguf": each has its tensors, the first the metadata.

#include "core/formats/gguf/gguf.h"

namespace loupe {

struct GgufParts {
    Ptr<MappedFile> first;  // has the metadata
    GgufFile all;
};

// file: any of them, or one that is whole. Throws as read_gguf, and Error (File) where one is missing or belongs to
// another model.
GgufParts read_gguf_parts(const Ptr<MappedFile>& file);

}  // namespace loupe
