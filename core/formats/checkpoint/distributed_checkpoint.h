// SPDX-License-Identifier: Apache-2.0
#pragma once
// Checkpoints of torch.distributed.checkpoint: a folder with .metadata and files of parts (__0_0.distcp), as each rank
// wrote them.

#include <filesystem>
#include <string>
#include <vector>

#include "core/value/ivalue.h"

namespace loupe {

class PickledClasses;

// Is it a folder with a .metadata?
bool is_distributed_checkpoint(const std::filesystem::path& folder);
// Those that are there, .metadata first.
std::vector<std::filesystem::path> files_of_distributed_checkpoint(const std::filesystem::path& folder);

struct DistributedCheckpoint {
    IValue value;                    // the nested dicts that were saved, with whole tensors
    std::vector<std::string> notes;  // of what could not be read
};
// classes: of the values that are no tensors. Throws Error (File) when a file is
// missing or damaged, Error (Unsupported).
DistributedCheckpoint read_distributed_checkpoint(const std::filesystem::path& folder, PickledClasses& classes);

}  // namespace loupe
