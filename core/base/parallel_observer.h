// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which threads did the pieces of a parallel loop, and when: for a recording's timeline. Loops inside libraries
// (oneDNN, OpenBLAS) are not seen.

#include <chrono>
#include <span>

namespace loupe {

// What one thread of the team did of a loop.
struct ParallelPiece {
    int thread = 0;  // 0: the thread that began the loop
    std::chrono::steady_clock::time_point start;
    std::chrono::steady_clock::time_point end;  // start: it had nothing to do
};

class ParallelObserver {
  public:
    virtual ~ParallelObserver() = default;
    // Behind the loop, on the thread that began it; one piece a thread.
    virtual void on_loop(std::span<const ParallelPiece> pieces) = 0;
};

// Of loops that the calling thread begins; null: none. Returns the one before. Without one a loop reads no clock.
ParallelObserver* set_parallel_observer(ParallelObserver* observer);

}  // namespace loupe
