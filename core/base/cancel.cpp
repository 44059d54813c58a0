// SPDX-License-Identifier: Apache-2.0
#include "core/base/cancel.h"

#include <algorithm>

#include "core/base/error.h"

namespace loupe {
namespace {

using Clock = std::chrono::steady_clock;

constexpr Clock::time_point kNever = Clock::time_point::max();
constexpr unsigned kCallsPerLook = 256;  // at the clock, which costs more than the call

thread_local const CancelFlag* thread_flag = nullptr;
thread_local Clock::time_point thread_deadline = kNever;
thread_local unsigned calls = 0;

}  // namespace

CancelScope::CancelScope(const CancelFlag* flag) : ScopedValue(thread_flag, flag) {}

// The earlier of two deadlines counts.
DeadlineScope::DeadlineScope(Clock::duration limit)
    : ScopedValue(thread_deadline, std::min(thread_deadline, Clock::now() + limit)) {}

bool is_cancelled() { return thread_flag != nullptr && thread_flag->load(std::memory_order_relaxed); }

void check_cancelled() {
    if (is_cancelled() || (thread_deadline != kNever && ++calls % kCallsPerLook == 0)) check_cancelled_now();
}

void check_cancelled_now() {
    if (is_cancelled()) throw Error(ErrorKind::Cancelled, "stopped");
    if (Clock::now() > thread_deadline) throw Error(ErrorKind::Run, "did not end in the time it is given");
}

}  // namespace loupe
