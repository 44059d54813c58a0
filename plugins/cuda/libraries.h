// SPDX-License-Identifier: Apache-2.0
#pragma once
// Kernels that call NVIDIA's libraries. They are in a shared library of their own, which is loaded when there is a
// device: lib/cuda/loupe_cuda_libraries.so.

#include "core/plugin/plugin.h"

// Throws Error (Plugin) where the libraries that were found are not of the versions that they are called for.
using LoupeCudaRequireVersions = void (*)();
inline constexpr const char* kLoupeCudaRequireVersions = "loupe_cuda_require_versions";

using LoupeCudaRegister = void (*)(const loupe::PluginRegistries& registries);
inline constexpr const char* kLoupeCudaRegister = "loupe_cuda_register";
