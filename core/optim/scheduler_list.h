// SPDX-License-Identifier: Apache-2.0
#pragma once
// Every scheduler: a file gives its records by one function, which is a line here and in scheduler_list.cpp.

#include <span>

#include "core/optim/scheduler.h"

namespace loupe::optim {

std::span<const SchedulerRecord> decay_schedules();
std::span<const SchedulerRecord> cycle_schedules();
std::span<const SchedulerRecord> composed_schedules();

}  // namespace loupe::optim
