// SPDX-License-Identifier: Apache-2.0
#pragma once
// Who observes allocations: one list a process, each for as long as a scope lives, on any number of threads at once.

#include <cstddef>
#include <cstdint>

#include "core/tensor/device.h"
#include "core/tensor/memory_category.h"

namespace loupe {

// One allocation or free, as told to the observer of the thread that does it.
struct AllocationEvent {
    std::uint64_t storage_id = 0;  // unique in the process, never reused
    const void* address = nullptr;
    std::size_t bytes = 0;
    Device device;
    MemoryCategory category = MemoryCategory::Other;
    bool is_free = false;
};

// Told of every allocation and free. Frees may come from any thread.
class AllocationObserver {
  public:
    virtual ~AllocationObserver() = default;
    virtual void on_allocation(const AllocationEvent& event) noexcept = 0;
};
// Hands events to every observer that should see them; null while there is none.
AllocationObserver* allocation_observer();

// Observed from the constructor to the destructor. A thread that observes (a session's) has its allocations to itself and its own
// observers; those of threads without an observer are seen by all observers, and so is every free.
class AllocationObserverScope {
  public:
    explicit AllocationObserverScope(AllocationObserver& observer);
    AllocationObserverScope(const AllocationObserverScope&) = delete;
    AllocationObserverScope& operator=(const AllocationObserverScope&) = delete;
    // On any thread. No call to the observer is under way afterwards.
    ~AllocationObserverScope();

  private:
    AllocationObserver& observer_;
};

// Allocations of this thread are not observed while it lives; frees are.
class UnobservedAllocationScope {
  public:
    UnobservedAllocationScope();
    UnobservedAllocationScope(const UnobservedAllocationScope&) = delete;
    UnobservedAllocationScope& operator=(const UnobservedAllocationScope&) = delete;
    ~UnobservedAllocationScope();
};

}  // namespace loupe
