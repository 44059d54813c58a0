// SPDX-License-Identifier: Apache-2.0
#include "core/base/parallel.h"

#include <execinfo.h>
#include <omp.h>
#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/parallel_observer.h"
#include "core/base/setup_clock.h"
#include "core/base/strings.h"
#include "core/base/thread_limit.h"

namespace loupe {

namespace {

// How many threads could be started from this one. libgomp ends the program when it cannot start one.
thread_local int startable_threads = 1;

extern "C" void* wait_for_release(void* release) {
    static_cast<std::atomic<bool>*>(release)->wait(false);
    return nullptr;
}

// Starts a team's threads once, in advance: this thread's team then waits for work. Returns its size, this one
// included.
int start_team(int wanted) {
    if (wanted <= startable_threads || omp_in_parallel()) return wanted;
    // Ending threads need the unwinder, which the C library loads on first use, or aborts.
    void* frame = nullptr;
    if (backtrace(&frame, 1) == 0) return startable_threads;
    const SetupScope setup(Setup::Threads);
    std::atomic<bool> release{false};
    std::vector<pthread_t> trial;
    trial.reserve(static_cast<std::size_t>(wanted));
    for (int i = 1; i < wanted; ++i) {
        pthread_t thread{};
        if (pthread_create(&thread, nullptr, wait_for_release, &release) != 0) break;
        trial.push_back(thread);
    }
    release = true;
    release.notify_all();
    for (const pthread_t thread : trial) pthread_join(thread, nullptr);
    const int found = static_cast<int>(trial.size()) + 1;
#pragma omp parallel num_threads(found)
    {}
    startable_threads = std::max(startable_threads, found);
    return found;
}

}  // namespace

namespace {

thread_local ParallelObserver* parallel_observer = nullptr;

}  // namespace

ParallelObserver* set_parallel_observer(ParallelObserver* observer) {
    return std::exchange(parallel_observer, observer);
}

int most_threads() { return std::max(64, 4 * omp_get_num_procs()); }

int thread_count() { return omp_in_parallel() ? 1 : omp_get_max_threads(); }

void set_thread_count(int count) {
    if (count > most_threads()) {
        throw Error(ErrorKind::Usage,
                    concat(count, " threads are more than this machine can use: at most ", most_threads()),
                    {.hint = "0 takes all cores"});
    }
    const int wanted = count > 0 ? count : omp_get_num_procs();
    const int found = start_team(wanted);
    if (found < wanted && count > 0) {
        throw Error(ErrorKind::Run,
                    concat("cannot start ", count, " threads, only ", found,
                           ": no memory for their stacks, or a limit of the system"),
                    {.hint = "take fewer"});
    }
    omp_set_num_threads(found);
}

namespace {

// Where the scheduler has put two threads of a team on one core, one of them spins at the barrier while the other waits
// for the tick: milliseconds instead of microseconds per region. The thread is moved off the core of the one that began
// the region; afterwards it may run on any.
void leave_core(int core) {
    cpu_set_t allowed;
    if (sched_getcpu() != core || pthread_getaffinity_np(pthread_self(), sizeof allowed, &allowed) != 0 ||
        CPU_COUNT(&allowed) < 2)
        return;
    cpu_set_t others = allowed;
    CPU_CLR(static_cast<std::size_t>(core), &others);
    if (pthread_setaffinity_np(pthread_self(), sizeof others, &others) == 0)
        pthread_setaffinity_np(pthread_self(), sizeof allowed, &allowed);
}

}  // namespace

namespace detail {

using ParallelClock = std::chrono::steady_clock;

void run_parallel(std::int64_t begin, std::int64_t end, std::int64_t grain, void* context,
                  void (*body)(void*, std::int64_t, std::int64_t)) {
    const std::int64_t length = end - begin;
    const std::int64_t pieces =
        std::min<std::int64_t>(thread_count(), (length + grain - 1) / std::max<std::int64_t>(grain, 1));
    if (pieces <= 1) {
        body(context, begin, end);
        return;
    }
    if (thread_count() > startable_threads) {
        // Default of a thread without a limit: as many as can be started.
        const int wanted = thread_count();
        const int found = start_team(wanted);
        if (found < wanted) {
            omp_set_num_threads(found);
            run_parallel(begin, end, grain, context, body);
            return;
        }
    }
    std::exception_ptr failure;
    const int core = sched_getcpu();
    ParallelObserver* const observer = parallel_observer;
    std::vector<ParallelPiece> watched(observer == nullptr ? 0 : static_cast<std::size_t>(pieces));
    // The whole team, also where there is less to do: libgomp ends the threads that a smaller one leaves out, and must
    // start them again.
#pragma omp parallel
    {
        const std::int64_t team = std::min<std::int64_t>(omp_get_num_threads(), pieces);
        const std::int64_t index = omp_get_thread_num();
        if (index != 0 && index < team) leave_core(core);
        const std::int64_t chunk = (length + team - 1) / team;
        const std::int64_t from = begin + index * chunk;
        const std::int64_t to = std::min(end, from + chunk);
        if (from < to) {
            const auto started = watched.empty() ? ParallelClock::time_point() : ParallelClock::now();
            try {
                body(context, from, to);
            } catch (...) {
#pragma omp critical(loupe_parallel_failure)
                if (!failure) failure = std::current_exception();
            }
            if (!watched.empty())
                watched[static_cast<std::size_t>(index)] = {static_cast<int>(index), started, ParallelClock::now()};
        }
    }
    if (observer != nullptr) observer->on_loop(watched);
    if (failure) std::rethrow_exception(failure);
}

}  // namespace detail
}  // namespace loupe
