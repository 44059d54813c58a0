// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/kernel_cache.h"

#include <mutex>
#include <vector>

namespace loupe {
namespace {

thread_local const KernelCacheScope* thread_scope = nullptr;

struct Caches {
    std::mutex mutex;
    std::vector<ListKernelCache> all;
};
Caches& caches() {
    static auto* const one = new Caches;  // outlives all threads
    return *one;
}

}  // namespace

KernelCacheScope::KernelCacheScope(std::string_view kernel, std::uint64_t of_storage)
    : ScopedValue(thread_scope, this), kernel_(kernel), of_storage_(of_storage) {}

const KernelCacheScope* kernel_cache_scope() { return thread_scope; }

void add_kernel_cache(ListKernelCache list) {
    const std::lock_guard lock(caches().mutex);
    caches().all.push_back(std::move(list));
}

void visit_kernel_caches(const std::function<void(const KernelCacheBlock&)>& visit) {
    const std::lock_guard lock(caches().mutex);
    for (const ListKernelCache& list : caches().all) list(visit);
}

}  // namespace loupe
