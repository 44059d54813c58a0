// SPDX-License-Identifier: Apache-2.0
#include "core/dispatch/bound_kernel.h"

#include <mutex>
#include <unordered_map>

namespace loupe {
namespace {

struct Bindings {
    std::mutex mutex;
    std::unordered_map<KernelFunction, BindFunction> by_kernel;
};
Bindings& bindings() {
    static Bindings instance;
    return instance;
}

}  // namespace

void register_binding(KernelFunction kernel, BindFunction bind) {
    const std::scoped_lock lock(bindings().mutex);
    bindings().by_kernel[kernel] = bind;
}

BindFunction find_binding(KernelFunction kernel) {
    const std::scoped_lock lock(bindings().mutex);
    const auto found = bindings().by_kernel.find(kernel);
    return found == bindings().by_kernel.end() ? nullptr : found->second;
}

}  // namespace loupe
