// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/fuse/fuser_backends.h"

#include <mutex>

#include "core/runtime/fuse/portable_fuser.h"

namespace loupe::runtime {
namespace {

struct Registry {
    std::mutex mutex;
    std::vector<FuserBackend> backends{{"portable", &compile_portable}};
};
Registry& registry() {
    static Registry instance;
    return instance;
}

}  // namespace

void add_fuser(FuserBackend backend) {
    const std::scoped_lock lock(registry().mutex);
    registry().backends.insert(registry().backends.begin(), std::move(backend));
}

std::vector<FuserBackend> fusers() {
    const std::scoped_lock lock(registry().mutex);
    return registry().backends;
}

}  // namespace loupe::runtime
