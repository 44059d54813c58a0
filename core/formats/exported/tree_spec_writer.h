// SPDX-License-Identifier: Apache-2.0
#pragma once
// How inputs and outputs nest, as torch.utils._pytree.treespec_dumps writes it.

#include <string>
#include <vector>

#include "core/formats/exported/tree_spec.h"

namespace loupe::exported {

// Of the value's own containers; its leaves are added. A named tuple is a tuple: PyTorch reads its class only where it
// is registered.
std::string tree_text(const IValue& value, std::vector<IValue>& leaves);
// Of arguments, of which the last are given by name.
std::string in_spec_text(const std::vector<IValue>& arguments, const std::vector<std::string>& names,
                         std::size_t keywords);

}  // namespace loupe::exported
