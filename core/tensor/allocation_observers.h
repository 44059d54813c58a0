// SPDX-License-Identifier: Apache-2.0
#pragma once
// Observers of allocations: a list of the process, each for a scope, on any number of threads at once.

#include <cstddef>
#include <cstdint>

#include "core/tensor/device.h"
#include "core/tensor/memory_category.h"

namespace loupe {

// One allocation or free, for the observers of its thread.
struct AllocationEvent {
    std::uint64_t storage_id = 0;  // unique in the process, never reused
    const void* address = nullptr;
    std::size_t bytes = 0;
    Device device;
    MemoryCategory category = MemoryCategory::Other;
    bool is_free = false;
};

// Notified of every allocation and free. Frees may come from any thread.
class AllocationObserver {
  public:
    virtual ~AllocationObserver() = default;
    virtual void on_allocation(const AllocationEvent& event) noexcept = 0;
};
// Passes events to the observers; null while there is none.
AllocationObserver* allocation_observer();

// Observes from the constructor to the destructor. Allocations of a thread with observers (a session's) are seen by
// these only; allocations of other threads, and every free, by all observers.
class AllocationObserverScope {
  public:
    explicit AllocationObserverScope(AllocationObserver& observer);
    AllocationObserverScope(const AllocationObserverScope&) = delete;
    AllocationObserverScope& operator=(const AllocationObserverScope&) = delete;
    // On any thread. Afterwards no call to the observer is running.
    ~AllocationObserverScope();

  private:
    AllocationObserver& observer_;
};

// In this scope allocations of this thread are not observed; frees are.
class UnobservedAllocationScope {
  public:
    UnobservedAllocationScope();
    UnobservedAllocationScope(const UnobservedAllocationScope&) = delete;
    UnobservedAllocationScope& operator=(const UnobservedAllocationScope&) = delete;
    ~UnobservedAllocationScope();
};

}  // namespace loupe
