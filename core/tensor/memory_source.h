// SPDX-License-Identifier: Apache-2.0
#pragma once
// Planned memory, from which this thread's storages allocate instead of the allocator.

#include <cstddef>

#include "core/base/ref_counted.h"
#include "core/base/scoped_value.h"

namespace loupe {

class MemorySource {
  public:
    virtual ~MemorySource() = default;
    // CPU memory, aligned to 64 bytes, owned by `owner`; null: the allocator allocates.
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
