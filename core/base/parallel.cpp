// SPDX-License-Identifier: Apache-2.0
#include "core/base/parallel.h"

#include <omp.h>
#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <exception>

namespace loupe {

int thread_count() { return omp_in_parallel() ? 1 : omp_get_max_threads(); }

void set_thread_count(int count) { omp_set_num_threads(count > 0 ? count : omp_get_num_procs()); }

namespace {

// Where the scheduler has put two threads of a team on one core, one of them spins at the barrier while the other waits for
// the tick: milliseconds in place of microseconds, from region to region. The thread leaves the core of the one that began
// the region; after that it may run where it likes.
void leave_core(int core) {
    cpu_set_t allowed;
    if (sched_getcpu() != core || pthread_getaffinity_np(pthread_self(), sizeof allowed, &allowed) != 0 || CPU_COUNT(&allowed) < 2) return;
    cpu_set_t others = allowed;
    CPU_CLR(static_cast<std::size_t>(core), &others);
    if (pthread_setaffinity_np(pthread_self(), sizeof others, &others) == 0) pthread_setaffinity_np(pthread_self(), sizeof allowed, &allowed);
}

}  // namespace

namespace detail {

void run_parallel(std::int64_t begin, std::int64_t end, std::int64_t grain, void* context,
                  void (*body)(void*, std::int64_t, std::int64_t)) {
    const std::int64_t length = end - begin;
    const std::int64_t pieces = std::min<std::int64_t>(thread_count(), (length + grain - 1) / std::max<std::int64_t>(grain, 1));
    if (pieces <= 1) {
        body(context, begin, end);
        return;
    }
    std::exception_ptr failure;
    const int core = sched_getcpu();
#pragma omp parallel num_threads(static_cast<int>(pieces))
    {
        const std::int64_t team = omp_get_num_threads();
        const std::int64_t index = omp_get_thread_num();
        if (index != 0) leave_core(core);
        const std::int64_t chunk = (length + team - 1) / team;
        const std::int64_t from = begin + index * chunk;
        const std::int64_t to = std::min(end, from + chunk);
        if (from < to) {
            try {
                body(context, from, to);
            } catch (...) {
#pragma omp critical(loupe_parallel_failure)
                if (!failure) failure = std::current_exception();
            }
        }
    }
    if (failure) std::rethrow_exception(failure);
}

}  // namespace detail
}  // namespace loupe
