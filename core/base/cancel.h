// SPDX-License-Identifier: Apache-2.0
#pragma once
// Stopping long work: the thread that does it looks at a flag that another thread sets.

#include <atomic>

namespace loupe {

using CancelFlag = std::atomic<bool>;

// Makes the flag the one that check_cancelled() of this thread looks at.
class CancelScope {
  public:
    explicit CancelScope(const CancelFlag* flag);
    CancelScope(const CancelScope&) = delete;
    CancelScope& operator=(const CancelScope&) = delete;
    ~CancelScope();

  private:
    const CancelFlag* before_;
};

bool is_cancelled();
// Throws Error (Cancelled) when the flag of this thread is set. Cheap enough for every iteration of a loop.
void check_cancelled();

}  // namespace loupe
