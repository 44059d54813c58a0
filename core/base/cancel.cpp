// SPDX-License-Identifier: Apache-2.0
#include "core/base/cancel.h"

#include "core/base/error.h"

namespace loupe {
namespace {

thread_local const CancelFlag* thread_flag = nullptr;

}  // namespace

CancelScope::CancelScope(const CancelFlag* flag) : before_(thread_flag) { thread_flag = flag; }
CancelScope::~CancelScope() { thread_flag = before_; }

bool is_cancelled() { return thread_flag != nullptr && thread_flag->load(std::memory_order_relaxed); }

void check_cancelled() {
    if (is_cancelled()) throw Error(ErrorKind::Cancelled, "stopped");
}

}  // namespace loupe
