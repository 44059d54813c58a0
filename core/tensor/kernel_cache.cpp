// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/kernel_cache.h"

#include <array>
#include <atomic>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

namespace loupe {
namespace {

thread_local const KernelCacheScope* thread_scope = nullptr;

struct Caches {
    std::mutex mutex;
    struct Cache {
        ListKernelCache list;
        DropKernelCache drop;
    };
    std::vector<Cache> all;

    // How many storages with such an id something was made from: most that are freed need no lock.
    static constexpr std::size_t kFilter = 4096;
    std::array<std::atomic<std::uint32_t>, kFilter> made_from{};
    std::mutex freed_mutex;
    std::vector<std::uint64_t> freed;
    std::atomic<bool> has_freed{false};

    std::atomic<std::uint32_t>& made(std::uint64_t storage) { return made_from[storage % kFilter]; }
};
Caches& caches() {
    static auto* const one = new Caches;  // outlives all threads
    return *one;
}

}  // namespace

KernelCacheScope::KernelCacheScope(std::string_view kernel, std::uint64_t of_storage)
    : ScopedValue(thread_scope, this), kernel_(kernel), of_storage_(of_storage) {}

const KernelCacheScope* kernel_cache_scope() { return thread_scope; }

void add_kernel_cache(ListKernelCache list, DropKernelCache drop) {
    const std::lock_guard lock(caches().mutex);
    caches().all.push_back({std::move(list), std::move(drop)});
}

void note_kernel_cache_of(std::uint64_t storage) { ++caches().made(storage); }
void end_kernel_cache_of(std::uint64_t storage) { --caches().made(storage); }

void note_freed_storage(std::uint64_t storage) noexcept {
    Caches& all = caches();
    if (all.made(storage).load(std::memory_order_relaxed) == 0) return;
    try {
        const std::lock_guard lock(all.freed_mutex);
        all.freed.push_back(storage);
        all.has_freed = true;
    } catch (const std::bad_alloc&) {  // then it stays until there is no room for it
    }
}

void drop_dead_kernel_caches() {
    Caches& all = caches();
    if (!all.has_freed.load(std::memory_order_relaxed)) return;
    std::vector<std::uint64_t> freed;
    {
        const std::lock_guard lock(all.freed_mutex);
        freed = std::exchange(all.freed, {});
        all.has_freed = false;
    }
    const std::lock_guard lock(all.mutex);
    for (const Caches::Cache& cache : all.all) cache.drop(freed);
}

void visit_kernel_caches(const std::function<void(const KernelCacheBlock&)>& visit) {
    const std::lock_guard lock(caches().mutex);
    for (const Caches::Cache& cache : caches().all) cache.list(visit);
}

}  // namespace loupe
