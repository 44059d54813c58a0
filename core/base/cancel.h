// SPDX-License-Identifier: Apache-2.0
#pragma once
// Stopping long work: the thread that does it looks at a flag that another thread sets.

#include <atomic>
#include <chrono>

#include "core/base/scoped_value.h"

namespace loupe {

using CancelFlag = std::atomic<bool>;

// Makes the flag the one that check_cancelled() of this thread looks at.
class CancelScope final : ScopedValue<const CancelFlag*> {
  public:
    explicit CancelScope(const CancelFlag* flag);
};

// Ends what this thread does once it has taken too long: for work that a file, not the user, asked for.
class DeadlineScope final : ScopedValue<std::chrono::steady_clock::time_point> {
  public:
    explicit DeadlineScope(std::chrono::steady_clock::duration limit);
};

bool is_cancelled();
// Throws Error: Cancelled when the flag of this thread is set, Run when its deadline has passed. Cheap enough for every
// iteration of a loop.
void check_cancelled();

}  // namespace loupe
