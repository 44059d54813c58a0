// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <pthread.h>

#include <atomic>
#include <thread>

namespace loupe::fuzz {

// Ends the program (SIGABRT, on the thread that made the watchdog) when `steps` has stood still for that long. Seconds
// that the program spent waiting for a processor do not count: machines are shared.
class Watchdog {
  public:
    Watchdog(const std::atomic<unsigned>& steps, int seconds);
    ~Watchdog();
    Watchdog(const Watchdog&) = delete;
    Watchdog& operator=(const Watchdog&) = delete;

  private:
    void watch(pthread_t watched);

    const std::atomic<unsigned>& steps_;
    const int seconds_;
    std::atomic<bool> is_over_{false};
    std::thread thread_;
};

}  // namespace loupe::fuzz
