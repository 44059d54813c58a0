// SPDX-License-Identifier: Apache-2.0
#include "app/cli/stop_signals.h"

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>

#include "core/base/temporary_name.h"

namespace loupe::cli {
namespace {

constexpr unsigned kSecondsToStop = 5;  // unless more is allowed

CancelFlag flag{false};
std::atomic<int> caught{0};
std::atomic<unsigned> seconds_to_stop{kSecondsToStop};
static_assert(CancelFlag::is_always_lock_free && std::atomic<int>::is_always_lock_free,
              "signal handlers take no locks");

extern "C" void end_now(int) {
    remove_temporary_names();
    const int number = caught;
    std::signal(number, SIG_DFL);
    ::raise(number);
}

extern "C" void stop_or_end(int number) {
    int none = 0;
    if (!caught.compare_exchange_strong(none, number)) return end_now(number);
    flag = true;
    ::alarm(seconds_to_stop);
}

void handle(int number, void (*handler)(int)) {
    struct sigaction before {};
    if (::sigaction(number, nullptr, &before) != 0 || before.sa_handler == SIG_IGN) return;
    struct sigaction action {};
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART | SA_NODEFER;
    ::sigemptyset(&action.sa_mask);
    ::sigaction(number, &action, nullptr);
}

}  // namespace

void catch_stop_signals() {
    for (const int number : {SIGHUP, SIGINT, SIGTERM}) handle(number, stop_or_end);
    handle(SIGALRM, end_now);
}

const CancelFlag& stop_flag() { return flag; }
int stop_signal() { return caught; }
void allow_time_to_stop() {
    seconds_to_stop = 0;
    ::alarm(0);
}

const char* stop_signal_name() {
    switch (caught.load()) {
        case SIGINT:
            return "Ctrl-C";
        case SIGHUP:
            return "SIGHUP";
        default:
            return "SIGTERM";
    }
}

void end_by_stop_signal() {
    ::alarm(0);
    std::signal(caught, SIG_DFL);
    ::raise(caught);
    std::_Exit(128 + caught);
}

}  // namespace loupe::cli
