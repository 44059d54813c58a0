// SPDX-License-Identifier: Apache-2.0
#pragma once
// Nested tensors out of pickles.

#include <string_view>

#include "core/formats/pickle/rebuilt_tensor.h"

namespace loupe {

// PyTorch's function and class of jagged tensors.
inline constexpr std::string_view kRebuildJagged = "torch.nested._internal.nested_tensor._rebuild_njt";
inline constexpr std::string_view kJaggedClass = "torch.nested._internal.nested_tensor.NestedTensor";

// Of _rebuild_njt's arguments: one dict of keywords. Both throw Error (File) when the parts do not fit each other;
// readers of plain weights get the values.
RebuiltTensor rebuild_jagged_tensor(const PickleNode::Elements& args, StorageSource& storages);
// Of torch._utils._rebuild_nested_tensor's: (buffer, sizes, strides, offsets).
RebuiltTensor rebuild_nested_tensor(const PickleNode::Elements& args, StorageSource& storages);

}  // namespace loupe
