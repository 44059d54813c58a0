// SPDX-License-Identifier: Apache-2.0
#pragma once
// Memory snapshots of PyTorch's allocators: what torch.cuda.memory._dump_snapshot writes, a pickle of plain values.

#include <span>

#include "core/base/file.h"
#include "core/formats/profiler/memory_snapshot.h"

namespace loupe {

// By its first bytes only.
bool is_memory_snapshot(std::span<const std::byte> bytes);

// Entries that are none are left out, and counted in the notes; so is what a file that was cut off lacks. Throws Error
// (File) for a file without any, Error (Cancelled).
MemorySnapshot read_memory_snapshot(const Ptr<MappedFile>& file);

}  // namespace loupe
