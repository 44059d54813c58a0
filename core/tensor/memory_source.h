// SPDX-License-Identifier: Apache-2.0
#pragma once
// Memory that was planned: where this thread's storages get theirs from instead of the allocator.

#include <cstddef>

#include "core/base/ref_counted.h"

namespace loupe {

class MemorySource {
  public:
    virtual ~MemorySource() = default;
    // Memory on the CPU, aligned to 64 bytes, that `owner` keeps; null: the allocator gives it.
    virtual void* take(std::size_t bytes, Ptr<RefCounted>& owner) = 0;
};

namespace detail {
extern thread_local MemorySource* thread_memory_source;
}

class MemorySourceScope {
  public:
    explicit MemorySourceScope(MemorySource* source) : before_(detail::thread_memory_source) { detail::thread_memory_source = source; }
    MemorySourceScope(const MemorySourceScope&) = delete;
    MemorySourceScope& operator=(const MemorySourceScope&) = delete;
    ~MemorySourceScope() { detail::thread_memory_source = before_; }

  private:
    MemorySource* before_;
};

}  // namespace loupe
