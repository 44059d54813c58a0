// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/fuzz/watchdog.h"

#include <pthread.h>
#include <signal.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>

namespace loupe::fuzz {
namespace {

// Of all threads, nanoseconds that they were ready to run and did not; 0 where the kernel does not count them.
std::uint64_t time_waited() {
    std::uint64_t sum = 0;
    std::error_code failure;
    for (const auto& task : std::filesystem::directory_iterator("/proc/self/task", failure)) {
        std::ifstream file(task.path() / "schedstat");
        std::uint64_t ran = 0;
        std::uint64_t waited = 0;
        if (file >> ran >> waited) sum += waited;
    }
    return sum;
}

}  // namespace

Watchdog::Watchdog(const std::atomic<unsigned>& steps, int seconds)
    : steps_(steps), seconds_(seconds), thread_([this, watched = ::pthread_self()] { watch(watched); }) {}

Watchdog::~Watchdog() {
    is_over_ = true;
    thread_.join();
}

void Watchdog::watch(pthread_t watched) {
    constexpr std::uint64_t kHalfSecond = 500'000'000;
    unsigned seen = 0;
    int quiet = 0;
    std::uint64_t waited = time_waited();
    while (!is_over_) {
        std::this_thread::sleep_for(std::chrono::seconds(1));
        const std::uint64_t now = time_waited();
        const bool is_starved = now > waited && now - waited > kHalfSecond;
        waited = now;
        if (seen != steps_) quiet = 0;
        seen = steps_;
        if (!is_starved) ++quiet;
        if (quiet < seconds_) continue;
        std::fprintf(stderr, "no step for %d s\n", quiet);
        ::pthread_kill(watched, SIGABRT);
        return;
    }
}

}  // namespace loupe::fuzz
