// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda/fuser/module.h"

#include <dlfcn.h>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "plugins/cuda/device.h"

namespace loupe::cuda {
namespace {

// The driver's library is there where a device is; this one is built and loaded without.
struct Driver {
    decltype(&cuModuleLoadData) load = nullptr;
    decltype(&cuModuleGetFunction) find = nullptr;
    decltype(&cuLaunchKernel) launch = nullptr;
    decltype(&cuFuncGetAttribute) attribute = nullptr;
    decltype(&cuOccupancyMaxActiveBlocksPerMultiprocessor) occupancy = nullptr;
    decltype(&cuGetErrorString) error = nullptr;

    Driver() {
        void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
        const auto find_symbol = [&]<typename F>(const char* name, F& function) {
            if (library != nullptr) function = reinterpret_cast<F>(dlsym(library, name));
            if (function == nullptr) throw Error(ErrorKind::Plugin, concat("the NVIDIA driver has no ", name));
        };
        find_symbol("cuModuleLoadData", load);
        find_symbol("cuModuleGetFunction", find);
        find_symbol("cuLaunchKernel", launch);
        find_symbol("cuFuncGetAttribute", attribute);
        find_symbol("cuOccupancyMaxActiveBlocksPerMultiprocessor", occupancy);
        find_symbol("cuGetErrorString", error);
    }
};
const Driver& driver() {
    static const Driver instance;
    return instance;
}

void check_driver(CUresult status, ErrorKind kind, const char* doing) {
    if (status == CUDA_SUCCESS) return;
    const char* text = nullptr;
    driver().error(status, &text);
    throw Error(kind, concat("CUDA error: ", text == nullptr ? "unknown" : text, " (", doing, ")"));
}

}  // namespace

CodeModule::CodeModule(const std::string& cubin, Device device) : device_(device) {
    use(device);
    check_driver(driver().load(&module_, cubin.data()), ErrorKind::Plugin, "loading a fused kernel");
}

CUfunction CodeModule::find(const std::string& function) const {
    CUfunction& found = functions_[function];
    if (found == nullptr)
        check_driver(driver().find(&found, module_, function.c_str()), ErrorKind::Plugin, "finding a fused kernel");
    return found;
}

void CodeModule::launch(const FusedLaunch& launch) const {
    use(device_);
    std::vector<std::int64_t> words = launch.words;
    void* arguments[] = {words.data()};
    check_driver(driver().launch(find(launch.function), launch.blocks, 1, 1, launch.threads, launch.lanes, 1, 0,
                                 stream_of(device_), arguments, nullptr),
                 ErrorKind::Run, "launching a fused kernel");
}

KernelResources CodeModule::resources(const std::string& function) const {
    const auto get = [&](CUfunction_attribute what) {
        int value = 0;
        check_driver(driver().attribute(&value, what, find(function)), ErrorKind::Run, "asking a kernel");
        return value;
    };
    return {get(CU_FUNC_ATTRIBUTE_NUM_REGS), get(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES),
            get(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)};
}

int CodeModule::blocks_at_once(const std::string& function, int threads) const {
    int blocks = 0;
    check_driver(driver().occupancy(&blocks, find(function), threads, 0), ErrorKind::Run, "asking a kernel");
    return blocks;
}

}  // namespace loupe::cuda
