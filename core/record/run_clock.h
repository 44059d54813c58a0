// SPDX-License-Identifier: Apache-2.0
#pragma once
// Seconds since a run began, the pauses in which it was parked left out.

#include <algorithm>
#include <chrono>
#include <vector>

namespace loupe::session {

class RunClock {
  public:
    using Clock = std::chrono::steady_clock;
    using Time = Clock::time_point;

    Time began() const { return began_; }
    // The run began then: before any pause.
    void begin_at(Time began) { began_ = began; }
    // It stood still from then to now. Pauses come one after the other.
    void pause_since(Time from) {
        const Time to = Clock::now();
        pauses_.push_back({from, to});
        paused_ += seconds(to - from);
    }
    double paused() const { return paused_; }  // seconds
    double now() const { return seconds(Clock::now() - began_) - paused_; }
    // Of any time; negative before the run. Times in a pause are where it began.
    double at(Time time) const {
        double paused = paused_;
        for (auto pause = pauses_.rbegin(); pause != pauses_.rend() && time < pause->to; ++pause)
            paused -= seconds(pause->to - std::max(pause->from, std::min(time, pause->to)));
        return seconds(time - began_) - paused;
    }

  private:
    static double seconds(Clock::duration duration) { return std::chrono::duration<double>(duration).count(); }
    struct Pause {
        Time from;
        Time to;
    };
    Time began_ = Clock::now();
    std::vector<Pause> pauses_;
    double paused_ = 0;
};

}  // namespace loupe::session
