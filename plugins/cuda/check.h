// SPDX-License-Identifier: Apache-2.0
#pragma once
// Errors of CUDA as the engine's.

#include <cuda_runtime_api.h>

#include <string>

namespace loupe::cuda {

// Throws Error (Run): "CUDA error: an illegal memory access was encountered (copying to cuda:0)". An error that breaks
// the thread's device for this process is kept: use() says it from then on.
void check(cudaError_t status, const char* doing);

// Does an error leave the device unusable?
bool breaks_context(cudaError_t status);
// What broke the device; empty: nothing.
std::string why_lost(int device);

// CUDA_LAUNCH_BLOCKING, as for PyTorch: errors where they are made, at the cost of waiting for each kernel.
bool launches_block();

}  // namespace loupe::cuda
