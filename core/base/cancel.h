// SPDX-License-Identifier: Apache-2.0
#pragma once
// Stopping long work: the thread that does it looks at a flag that another thread sets.

#include <atomic>
#include <chrono>

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

// Ends what this thread does once it has taken too long: for work that a file, not the user, asked for.
class DeadlineScope {
  public:
    explicit DeadlineScope(std::chrono::steady_clock::duration limit);
    DeadlineScope(const DeadlineScope&) = delete;
    DeadlineScope& operator=(const DeadlineScope&) = delete;
    ~DeadlineScope();

  private:
    std::chrono::steady_clock::time_point before_;
};

bool is_cancelled();
// Throws Error: Cancelled when the flag of this thread is set, Run when its deadline has passed. Cheap enough for every
// iteration of a loop.
void check_cancelled();

}  // namespace loupe
