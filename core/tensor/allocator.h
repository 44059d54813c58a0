// SPDX-License-Identifier: Apache-2.0
#pragma once
// Memory for storages: who gives it, and what observers see of it.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/tensor/device.h"

namespace loupe {

// What a block of memory is for.
enum class MemoryCategory : std::int8_t {
    Parameter,
    Buffer,
    Activation,
    SavedForBackward,
    Gradient,
    Workspace,
    Input,
    Other,
};
inline constexpr int kMemoryCategories = 8;
std::string_view memory_category_name(MemoryCategory category);  // "saved for backward"

// The category that allocations of this thread get while the object lives.
class MemoryCategoryScope {
  public:
    explicit MemoryCategoryScope(MemoryCategory category);
    MemoryCategoryScope(const MemoryCategoryScope&) = delete;
    MemoryCategoryScope& operator=(const MemoryCategoryScope&) = delete;
    ~MemoryCategoryScope();

  private:
    MemoryCategory before_;
};
MemoryCategory current_memory_category();

// Gives memory on one kind of device. Blocks are aligned to 64 bytes.
class Allocator {
  public:
    virtual ~Allocator() = default;
    // Throws Error (Run, "out of memory: ...") when it cannot.
    virtual void* allocate(std::size_t bytes, Device device) = 0;
    virtual void release(void* block, std::size_t bytes, Device device) noexcept = 0;
    // Gives cached memory back to the system.
    virtual void trim() {}
};

// The allocator of a device type; the CPU's keeps freed blocks for reuse. Throws Error when no plugin gave one.
Allocator& allocator_for(DeviceType type);
// Plugins register theirs at start; it must outlive the process's tensors.
void set_allocator(DeviceType type, Allocator* allocator);

// Refuses allocations over this many bytes with an error instead of driving the machine into swap.
// Default: the physical memory of the machine.
void set_allocation_limit(std::size_t bytes);

// One allocation or free, as observers see it.
struct AllocationEvent {
    std::uint64_t storage_id = 0;  // unique in the process, never reused
    const void* address = nullptr;
    std::size_t bytes = 0;
    Device device;
    MemoryCategory category = MemoryCategory::Other;
    bool is_free = false;
};

// Called for allocations and frees while an AllocationObserverScope of it lives (allocation_observers.h). Frees may
// come from any thread.
class AllocationObserver {
  public:
    virtual ~AllocationObserver() = default;
    virtual void on_allocation(const AllocationEvent& event) noexcept = 0;
};
// The list of all observers, which calls those that an allocation concerns; null when there are none.
AllocationObserver* allocation_observer();

}  // namespace loupe
