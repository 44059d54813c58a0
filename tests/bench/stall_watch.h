// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// How long the main thread is away from its event loop.

#include <QTimer>
#include <algorithm>
#include <ctime>
#include <utility>

namespace loupe::bench {

struct Stall {
    double wall = 0;  // milliseconds
    double work = 0;  // of them, those that the main thread ran: what an idle machine would have taken
};

inline double now(clockid_t clock) {
    timespec time{};
    clock_gettime(clock, &time);
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
}

class StallWatch {
  public:
    StallWatch() {
        timer_.setInterval(1);
        QObject::connect(&timer_, &QTimer::timeout, [this] { note(); });
        timer_.start();
    }
    // Since the last call; starts anew.
    Stall take() {
        note();
        return std::exchange(longest_, {});
    }

  private:
    void note() {
        const Stall at{now(CLOCK_MONOTONIC), now(CLOCK_THREAD_CPUTIME_ID)};
        longest_.wall = std::max(longest_.wall, at.wall - last_.wall);
        longest_.work = std::max(longest_.work, at.work - last_.work);
        last_ = at;
    }

    QTimer timer_;
    Stall last_{now(CLOCK_MONOTONIC), now(CLOCK_THREAD_CPUTIME_ID)};
    Stall longest_;
};

}  // namespace loupe::bench
