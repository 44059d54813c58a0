// SPDX-License-Identifier: Apache-2.0
#pragma once
// The compiler of fused groups for CUDA devices.

#include "core/runtime/fuse/fused_kernel.h"

namespace loupe::cuda {

runtime::FuserBackend make_fuser();

}  // namespace loupe::cuda
