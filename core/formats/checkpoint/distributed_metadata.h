// SPDX-License-Identifier: Apache-2.0
#pragma once
// The file .metadata of torch.distributed.checkpoint: which values a checkpoint has, and where their parts are
// (torch.distributed.checkpoint.metadata). Of its pickle only the classes of that format are read; none is called.

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "core/tensor/tensor.h"

namespace loupe {

// Bytes of a file in the checkpoint's folder: a file of torch.save.
struct StoredPlace {
    std::string file;  // a plain name
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
};

// A block of a tensor.
struct StoredBlock {
    std::vector<std::int64_t> offsets;
    std::vector<std::int64_t> sizes;
    StoredPlace place;
};

struct StoredTensor {
    std::string name;
    std::optional<ScalarType> dtype;  // nullopt: the engine has none
    std::string dtype_name;           // "torch.float8_e4m3fn"
    std::vector<std::int64_t> sizes;
    std::vector<StoredBlock> blocks;  // those with elements cover all of it, each element once
};

struct StoredValue {
    std::string name;
    StoredPlace place;
};

// Keys that lead to a value in the nested dicts that were saved.
using StoredPath = std::vector<std::variant<std::string, std::int64_t>>;

struct DistributedMetadata {
    std::vector<StoredTensor> tensors;
    std::vector<StoredValue> values;  // that are no tensors
    std::map<std::string, StoredPath> paths;
};

// Throws Error (File) when it is damaged, no such metadata, or its blocks do not make up their tensors; Error
// (Unsupported) for parts that are compressed.
DistributedMetadata parse_distributed_metadata(std::span<const std::byte> pickle);

}  // namespace loupe
