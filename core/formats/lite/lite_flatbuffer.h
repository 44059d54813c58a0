// SPDX-License-Identifier: Apache-2.0
#pragma once
// Lite interpreter models as FlatBuffers ("PTMF" at byte 4).

#include "core/formats/model_file.h"

namespace loupe {

// Throws Error (File) when damaged, Error (Unsupported) as read_lite_archive, and for objects that only
// code can restore.
ModelFile read_lite_flatbuffer(const Ptr<MappedFile>& file);

}  // namespace loupe
