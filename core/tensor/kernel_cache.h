// SPDX-License-Identifier: Apache-2.0
#pragma once
// Memory that kernels keep between calls (packed weights): it belongs to no run, and is listed in the memory account.

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "core/base/scoped_value.h"

namespace loupe {

struct KernelCacheBlock {
    std::uint64_t storage_id = 0;
    const void* address = nullptr;
    std::size_t bytes = 0;
    std::string_view kernel;       // "onednn packed weight"
    std::uint64_t of_storage = 0;  // the storage it was made from; 0: none
};

// In this scope allocations of the calling thread are a cache of that kernel.
class KernelCacheScope final : ScopedValue<const KernelCacheScope*> {
  public:
    KernelCacheScope(std::string_view kernel, std::uint64_t of_storage);

    std::string_view kernel() const { return kernel_; }
    std::uint64_t of_storage() const { return of_storage_; }

  private:
    std::string_view kernel_;
    std::uint64_t of_storage_;
};
// The calling thread's innermost scope; null: its allocations are no cache.
const KernelCacheScope* kernel_cache_scope();

// A cache lists its blocks on request, and drops those that were made from storages that have been freed, on any
// thread. It is never removed.
using ListKernelCache = std::function<void(const std::function<void(const KernelCacheBlock&)>&)>;
using DropKernelCache = std::function<void(std::span<const std::uint64_t> storages)>;
void add_kernel_cache(ListKernelCache list, DropKernelCache drop);

// A cache keeps what it made from this storage; it no longer does. Each as often as the other.
void note_kernel_cache_of(std::uint64_t storage);
void end_kernel_cache_of(std::uint64_t storage);
// By the storage that is freed: takes no cache's lock. Any thread.
void note_freed_storage(std::uint64_t storage) noexcept;
// What was made from storages that have been freed since. Any thread, not one that holds a cache's lock.
void drop_dead_kernel_caches();
void visit_kernel_caches(const std::function<void(const KernelCacheBlock&)>& visit);

}  // namespace loupe
