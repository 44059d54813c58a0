// SPDX-License-Identifier: Apache-2.0
#include "core/base/parallel.h"

#include <execinfo.h>
#include <omp.h>
#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>
#include <utility>
#include <vector>

#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#endif

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

using ParallelClock = std::chrono::steady_clock;

// What a team shares of a loop.
struct Loop {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    std::int64_t pieces = 0;
    void* context = nullptr;
    void (*body)(void*, std::int64_t, std::int64_t) = nullptr;
    int core = -1;                       // that it began on
    std::vector<ParallelPiece> watched;  // empty: nobody looks
    std::mutex mutex;
    std::exception_ptr failure;
};

// ThreadSanitizer does not see how libgomp's threads wait for each other: what was written before a team began is there
// in its threads, and what they wrote is there behind it.
#ifdef __SANITIZE_THREAD__
void let_go(Loop& loop) { __tsan_release(&loop); }
void take(Loop& loop) { __tsan_acquire(&loop); }
#define LOUPE_UNSEEN __attribute__((no_sanitize("thread")))
#else
void let_go(Loop&) {}
void take(Loop&) {}
#define LOUPE_UNSEEN
#endif

void run_piece(Loop& loop, std::int64_t index, std::int64_t threads) {
    take(loop);
    const std::int64_t team = std::min(threads, loop.pieces);
    if (index != 0 && index < team) leave_core(loop.core);
    const std::int64_t chunk = (loop.end - loop.begin + team - 1) / team;
    const std::int64_t from = loop.begin + index * chunk;
    const std::int64_t to = std::min(loop.end, from + chunk);
    if (from < to) {
        const bool is_watched = !loop.watched.empty();
        const auto started = is_watched ? ParallelClock::now() : ParallelClock::time_point();
        try {
            loop.body(loop.context, from, to);
        } catch (...) {
            const std::lock_guard lock(loop.mutex);
            if (!loop.failure) loop.failure = std::current_exception();
        }
        if (is_watched)
            loop.watched[static_cast<std::size_t>(index)] = {static_cast<int>(index), started, ParallelClock::now()};
    }
    let_go(loop);
}

// The whole team, also where there is less to do: libgomp ends the threads that a smaller one leaves out, and must
// start them again.
LOUPE_UNSEEN void run_team(Loop& loop) {
#pragma omp parallel
    run_piece(loop, omp_get_thread_num(), omp_get_num_threads());
}

}  // namespace

namespace detail {

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
    Loop loop;
    loop.begin = begin;
    loop.end = end;
    loop.pieces = pieces;
    loop.context = context;
    loop.body = body;
    loop.core = sched_getcpu();
    ParallelObserver* const observer = parallel_observer;
    loop.watched.resize(observer == nullptr ? 0 : static_cast<std::size_t>(pieces));
    let_go(loop);
    run_team(loop);
    take(loop);
    if (observer != nullptr) observer->on_loop(loop.watched);
    if (loop.failure) std::rethrow_exception(loop.failure);
}

}  // namespace detail
}  // namespace loupe
