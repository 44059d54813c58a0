// SPDX-License-Identifier: Apache-2.0
#pragma once
// Memory that was planned: where this thread's storages get theirs from instead of the allocator.

#include <cstddef>

#include "core/base/ref_counted.h"
#include "core/base/scoped_value.h"

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

class MemorySourceScope final : ScopedValue<MemorySource*> {
  public:
    explicit MemorySourceScope(MemorySource* source) : ScopedValue(detail::thread_memory_source, source) {}
};

}  // namespace loupe
