// SPDX-License-Identifier: Apache-2.0
#pragma once
// Memory for storages.

#include <cstddef>

#include "core/tensor/device.h"
#include "core/tensor/memory_category.h"

namespace loupe {

// Allocates memory on one type of device. Blocks are aligned to 64 bytes.
class Allocator {
  public:
    virtual ~Allocator() = default;
    // Throws Error (Run, "out of memory: ...") when it cannot.
    virtual void* allocate(std::size_t bytes, Device device) = 0;
    virtual void release(void* block, std::size_t bytes, Device device) noexcept = 0;
    // Returns cached memory to the system.
    virtual void trim() {}
};

// The allocator of a device type; the CPU's keeps freed blocks for reuse. Throws Error (Run) when no plugin gives this
// type of device.
Allocator& allocator_for(DeviceType type);

// Refuses allocations over this many bytes with an error instead of driving the machine into swap.
// Default: the physical memory of the machine.
void set_allocation_limit(std::size_t bytes);

}  // namespace loupe
