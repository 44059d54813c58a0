// SPDX-License-Identifier: Apache-2.0
#pragma once
// cublasLt, as products/epilogues.h asks for it.

#include "plugins/cuda/products/epilogues.h"

namespace loupe::cuda {

// Of a device; throws Error (Run) when it cannot be started.
LtLibrary& lt_library(Device device);

}  // namespace loupe::cuda
