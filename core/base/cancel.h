// SPDX-License-Identifier: Apache-2.0
#pragma once
// Cancelling long work: its thread polls a flag that another thread sets.

#include <atomic>
#include <chrono>

#include "core/base/scoped_value.h"

namespace loupe {

using CancelFlag = std::atomic<bool>;

// Sets the flag that this thread's check_cancelled() polls.
class CancelScope final : ScopedValue<const CancelFlag*> {
  public:
    explicit CancelScope(const CancelFlag* flag);
};

// Deadline of this thread's work, for work that a file and not the user requested.
class DeadlineScope final : ScopedValue<std::chrono::steady_clock::time_point> {
  public:
    explicit DeadlineScope(std::chrono::steady_clock::duration limit);
};

bool is_cancelled();
// Throws Error: Cancelled when the flag of this thread is set, Run when its deadline has passed. Cheap enough for every
// iteration of a loop.
void check_cancelled();
// The same for what waits between its looks: the clock is read each time.
void check_cancelled_now();

}  // namespace loupe
