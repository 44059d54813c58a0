// SPDX-License-Identifier: Apache-2.0
#pragma once
// Kernels that call NVIDIA's libraries. They are in shared libraries of their own, which are loaded when there is a
// device: lib/cuda/loupe_cuda_libraries.so (cuBLAS, cuDNN, NCCL) and, where it can be, loupe_cuda_solvers.so (cuFFT,
// cuSOLVER).

#include "core/plugin/plugin.h"

// Of the first. Throws Error (Plugin) where the libraries that were found are not of the versions that they are called
// for.
using LoupeCudaRequireVersions = void (*)();
inline constexpr const char* kLoupeCudaRequireVersions = "loupe_cuda_require_versions";

using LoupeCudaRegister = void (*)(const loupe::PluginRegistries& registries);
inline constexpr const char* kLoupeCudaRegister = "loupe_cuda_register";
