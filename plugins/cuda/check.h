// SPDX-License-Identifier: Apache-2.0
#pragma once
// Errors of CUDA as the engine's.

#include <cuda_runtime_api.h>

namespace loupe::cuda {

// Throws Error (Run): "CUDA error: an illegal memory access was encountered (copying to cuda:0)". A context that an
// error has broken stays so: the message says it.
void check(cudaError_t status, const char* doing);

}  // namespace loupe::cuda
