// SPDX-License-Identifier: Apache-2.0
#pragma once
// Who observes allocations: one list a process, each for as long as a scope lives, on any number of threads at once.

#include "core/tensor/allocator.h"

namespace loupe {

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
