// SPDX-License-Identifier: Apache-2.0
#pragma once
// A checkpoint without its program, as a tree of modules: paths come from names of weights, types are guessed from
// shapes.

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "core/formats/numpy/npy.h"
#include "core/nn/module.h"

namespace loupe {

// Tensors of a type that the engine lacks: they stand as bytes.
struct ForeignWeight {
    std::string name;
    std::string type;                 // "F8_E4M3"
    std::vector<std::int64_t> shape;  // in the file
};

// The weights in a checkpoint, which is a dict of them, contains one, or is a pickled module.
struct CheckpointWeights {
    NamedTensors tensors{};
    std::vector<ForeignWeight> foreign{};
    // Tensors that share memory in the model are in the file under one of their names.
    bool has_shared_once = false;
    std::vector<std::string> module_paths{};  // of modules without weights too, from the metadata
    // By path, of a pickled module, in its order: "torch.nn.modules.conv.Conv2d".
    std::vector<std::pair<std::string, std::string>> classes{};
    std::string part{};                // where they were: "state_dict"; empty: the whole
    std::vector<std::string> notes{};  // other contents, and parts that were not read
};
// Classes in the file are not instantiated: they become notes. Throws Error as read_checkpoint, Error (File) when there
// are no weights.
CheckpointWeights read_checkpoint_weights(const std::filesystem::path& path);
// The same of a folder that torch.distributed.checkpoint wrote.
CheckpointWeights read_distributed_weights(const std::filesystem::path& folder);

// Drops "module." (DataParallel) or "_orig_mod." (torch.compile) when all names begin so. True when it did.
bool strip_wrapper_prefix(CheckpointWeights& weights);

// Each module has the attributes "guessed" (percent and reason) and its constructor's arguments inferred from shapes;
// the root has the notes as "note1", ... None has a forward.
nn::ModulePtr guess_module_tree(const CheckpointWeights& weights);

}  // namespace loupe
