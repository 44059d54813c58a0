// SPDX-License-Identifier: Apache-2.0
#pragma once
// Tensors of pickles that are not strided: sparse, quantised, nested, without elements.

#include <optional>
#include <string_view>

#include "core/formats/pickle/rebuilt_tensor.h"

namespace loupe {

// The result of torch._utils._rebuild_WHICH; nullopt for other functions. Coordinates stay sparse. Compressed rows
// become coordinates, quantised elements their float32 values, both with `kind` set. Throws Error (File) when the parts
// do not fit each other, Error (Unsupported) when there is no replacement.
std::optional<RebuiltTensor> rebuild_special_tensor(std::string_view which, const PickleNode::Elements& args,
                                                    StorageSource& storages);

}  // namespace loupe
