// SPDX-License-Identifier: Apache-2.0
#pragma once
// Models as llama.cpp keeps them: metadata by key, then named tensors, mostly of packed weights
// (https://github.com/ggml-org/ggml, docs/gguf.md). Versions 2 and 3, little-endian.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/base/file.h"
#include "core/base/ordered_json.h"
#include "core/formats/model_file.h"

namespace loupe {

struct GgufTensor {
    std::string name;
    std::vector<std::int64_t> shape;  // the slowest dimension first: the file has them in the other order
    std::string type;                 // "Q4_K"; "type 77" for a number that is not known
    // Views the file. float32 of packed rows where the type is one of blocks; uint8 [bytes to the next tensor] where
    // the type is not known.
    Tensor tensor;
    bool is_known = true;
};

struct GgufFile {
    std::uint32_t version = 0;
    OrderedJson metadata;  // by key, in the file's order
    std::vector<GgufTensor> tensors;
};

bool looks_like_gguf(const Ptr<MappedFile>& file);
// Throws Error (File) for one that is damaged, Unsupported for version 1 and for big-endian files.
GgufFile read_gguf(const Ptr<MappedFile>& file);
// The file's metadata alone.
OrderedJson read_gguf_metadata(const Ptr<MappedFile>& file);
// A line for each key, cut where it is long.
std::vector<std::string> gguf_notes(const OrderedJson& metadata);
// The tree of its tensors, with its metadata as attributes.
// why: it does not run.
ModelFile gguf_tree(GgufFile read, const std::string& why);

}  // namespace loupe
