// SPDX-License-Identifier: Apache-2.0
#include "core/plugin/plugin.h"

#include <dlfcn.h>

#include <filesystem>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "plugins/cuda/device.h"
#include "plugins/cuda/fuser/fuser.h"
#include "plugins/cuda/libraries.h"
#include "plugins/cuda/loops/kernel_loops.h"
#include "plugins/cuda/memory_table.h"
#include "plugins/cuda/operators/operators.h"

namespace loupe::cuda {
namespace {

// From lib/plugins/loupe_cuda.so to lib/cuda. It stays loaded: kernels point into it. Null when it cannot be loaded.
void* load(const char* name) {
    Dl_info own{};
    dladdr(reinterpret_cast<const void*>(&load), &own);
    const auto folder = std::filesystem::absolute(own.dli_fname).parent_path().parent_path();
    return dlopen((folder / "cuda" / name).c_str(), RTLD_NOW | RTLD_LOCAL);
}

LoupeCudaRegister load_libraries() {
    void* const library = load("loupe_cuda_libraries.so");
    const auto find = [&](const char* name) {
        void* const entry = library == nullptr ? nullptr : dlsym(library, name);
        if (entry == nullptr) throw Error(ErrorKind::Plugin, concat("cuBLAS or cuDNN cannot be loaded: ", dlerror()));
        return entry;
    };
    const auto entry = reinterpret_cast<LoupeCudaRegister>(find(kLoupeCudaRegister));
    reinterpret_cast<LoupeCudaRequireVersions>(find(kLoupeCudaRequireVersions))();
    return entry;
}

// Without cuFFT and cuSOLVER what they do is left to the CPU, as for any operator that has no kernel.
void register_solvers(const PluginRegistries& registries) {
    void* const library = load("loupe_cuda_solvers.so");
    void* const entry = library == nullptr ? nullptr : dlsym(library, kLoupeCudaRegister);
    if (entry != nullptr) reinterpret_cast<LoupeCudaRegister>(entry)(registries);
}

void register_all(const PluginRegistries& registries) {
    DeviceInterface& device = make_device();
    const LoupeCudaRegister register_libraries = load_libraries();
    registries.add_device(DeviceType::Cuda, device);
    register_loops(registries, DeviceType::Cuda, "cuda");
    register_operators(registries, DeviceType::Cuda, "cuda");
    register_libraries(registries);
    register_solvers(registries);
    registries.add_fuser(make_fuser());
    registries.add_table(memory_table());
}

}  // namespace
}  // namespace loupe::cuda

LOUPE_PLUGIN_EXPORT const loupe::PluginTable* loupe_plugin() {
    static constexpr loupe::PluginTable kTable{
        loupe::kPluginInterface, "cuda",
        "NVIDIA GPUs: elementwise loops and reductions, products by cuBLAS, convolutions by cuDNN, "
        "fused groups by NVRTC.",
        "an NVIDIA driver for CUDA 13, cuBLAS 13, cuDNN 9", loupe::cuda::register_all};
    return &kTable;
}
