// SPDX-License-Identifier: Apache-2.0
#pragma once
// A handle of the simulated cuBLAS.

#include <cublas_v2.h>

struct cublasContext {
    cudaStream_t stream = nullptr;
    cublasMath_t math = CUBLAS_DEFAULT_MATH;
    bool has_workspace = false;  // that was given, rather than its own
};
