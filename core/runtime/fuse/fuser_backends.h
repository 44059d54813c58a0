// SPDX-License-Identifier: Apache-2.0
#pragma once
// The backends of fusion: the portable one, and those of plugins.

#include <vector>

#include "core/runtime/fuse/fused_kernel.h"

namespace loupe::runtime {

// For plugins, at start: tried before those that exist.
void add_fuser(FuserBackend backend);
// In the order in which they are tried; the last, "portable", accepts every expression.
std::vector<FuserBackend> fusers();

}  // namespace loupe::runtime
