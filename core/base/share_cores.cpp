// SPDX-License-Identifier: Apache-2.0
#include "core/base/share_cores.h"

#include <omp.h>

#include <atomic>
#include <thread>

namespace loupe {
namespace {

// With more there is one for the window whatever the engine does, and spinning is faster.
constexpr int kFewCores = 4;

}  // namespace

// libgomp spins for 300,000 turns at a barrier, but for 100 when it manages more threads than there are cores: a team that
// has nothing to do makes them more. It has no function that says so, and reads its environment before main().
void share_cores() {
    static std::atomic<bool> done = false;
    if (done.exchange(true) || omp_get_num_procs() > kFewCores) return;
    std::thread([] {
        std::atomic<int> present = 0;
#pragma omp parallel num_threads(omp_get_num_procs() + 1)
        ++present;
        std::atomic<bool> never = false;
        never.wait(false);
    }).detach();
}

}  // namespace loupe
