// SPDX-License-Identifier: Apache-2.0
#pragma once
// Tensors of pickles whose elements do not lie in one storage by strides: sparse, quantised, without elements.

#include <optional>
#include <string_view>

#include "core/formats/pickle/rebuilt_tensor.h"

namespace loupe {

// What torch._utils._rebuild_WHICH makes of its arguments; nullopt when it is none of these. Coordinates are held as
// such. Compressed rows come as coordinates, quantised elements as the float32 numbers they stand for, both with `kind`
// said. Throws Error (File) when the parts do not fit each other, Error (Unsupported) when nothing stands for the tensor.
std::optional<RebuiltTensor> rebuild_special_tensor(std::string_view which, const PickleNode::Elements& args, StorageSource& storages);

}  // namespace loupe
