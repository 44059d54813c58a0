// SPDX-License-Identifier: Apache-2.0
#pragma once
// Packages of AOTInductor (torch._inductor.aoti_compile_and_package): a .pt2 archive that holds compiled code instead
// of a program. Its sources, metadata and weights are shown; nothing in it is loaded or run.

#include <memory>
#include <vector>

#include "core/base/file.h"
#include "core/formats/archive/zip_reader.h"
#include "core/formats/checkpoint/checkpoint_tree.h"
#include "core/formats/model_file.h"
#include "core/ir/source.h"

namespace loupe::exported {

bool holds_compiled_code(const ZipReader& archive);

// Generated C++ and metadata, by their names in the archive below data/aotinductor.
std::vector<std::shared_ptr<const ir::Source>> compiled_sources(const ZipReader& archive);

// Weights that lie beside the code or in the library, under the names that they had in the module; of an archive with
// several models behind the model's. Notes say for which device and machine it was compiled, and what holds no weights.
// Throws Error (File, Unsupported).
CheckpointWeights read_compiled_weights(const ZipReader& archive);

// Has it code and no program?
bool is_compiled_package(const ZipReader& archive);

// A tree of modules guessed from the weights. Throws Error as read_compiled_weights.
ModelFile read_compiled_package(const ZipReader& archive);

}  // namespace loupe::exported
