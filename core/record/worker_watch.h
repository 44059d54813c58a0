// SPDX-License-Identifier: Apache-2.0
#pragma once
// What other threads than the recorder's do of an event: pieces of parallel loops.

#include <chrono>
#include <vector>

#include "core/base/parallel_observer.h"
#include "core/record/recording.h"

namespace loupe::session {

class WorkerWatch final : public ParallelObserver {
  public:
    // Spans that an event keeps: beyond them the last one of a thread grows.
    static constexpr std::size_t kMost = 64;
    // Seconds: shorter pauses of a thread are part of its work.
    static constexpr double kPause = 2e-6;

    ~WorkerWatch() override;

    // An event begins at this time, which is `now` of the run.
    void start(std::chrono::steady_clock::time_point began, double now);
    // It is over: the spans since.
    std::vector<WorkerSpan> stop();

    void on_loop(std::span<const ParallelPiece> pieces) override;

  private:
    ParallelObserver* before_ = nullptr;
    bool is_running_ = false;
    std::chrono::steady_clock::time_point began_;
    double now_ = 0;
    std::vector<WorkerSpan> spans_;
};

}  // namespace loupe::session
