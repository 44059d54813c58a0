// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/device_graphs.h"

#include <atomic>

namespace loupe {
namespace {

std::int64_t next_pool() {
    static std::atomic<std::int64_t> last = 0;
    return ++last;
}

}  // namespace

MemoryPoolId new_graph_pool() { return {next_pool(), 0}; }
MemoryPoolId new_pool_handle() { return {0, next_pool()}; }

}  // namespace loupe
