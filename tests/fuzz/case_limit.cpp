// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/case_limit.h"

#include <sys/time.h>
#include <unistd.h>

#include <csignal>

namespace loupe::fuzz {

void limit_case(unsigned seconds) {
    static const auto before = std::signal(SIGPROF, [](int) { ::raise(SIGALRM); });
    static_cast<void>(before);
    itimerval timer{};
    timer.it_value.tv_sec = static_cast<time_t>(seconds);
    ::setitimer(ITIMER_PROF, &timer, nullptr);
    ::alarm(10 * seconds);
}

}  // namespace loupe::fuzz
