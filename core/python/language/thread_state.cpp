// SPDX-License-Identifier: Apache-2.0
#include "core/python/language/thread_state.h"

#include <pthread.h>

#include "core/base/deep_thread.h"
#include "core/python/language/raise.h"

namespace loupe::python {
namespace {

constexpr std::uintptr_t kThreadReserve = 256 * 1024;  // of the thread's stack

std::uintptr_t find_stack_end() {
    pthread_attr_t attributes;
    void* low = nullptr;
    std::size_t size = 0;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return 0;
    pthread_attr_getstack(&attributes, &low, &size);
    pthread_attr_destroy(&attributes);
    return reinterpret_cast<std::uintptr_t>(low) + kThreadReserve;
}

}  // namespace

ThreadState& thread_state() {
    static thread_local ThreadState state;
    return state;
}

void check_stack() {
    ThreadState& thread = thread_state();
    if (thread.stack_end == 0) thread.stack_end = find_stack_end();
    if (reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) < thread.stack_end) throw_recursion_error();
}

void with_deep_stack(const std::function<void()>& body) {
    constexpr std::uintptr_t kNeeded = std::uintptr_t{4} << 20;
    const ThreadState& thread = thread_state();
    const std::uintptr_t stack_end = thread.stack_end != 0 ? thread.stack_end : find_stack_end();
    if (reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) > stack_end + kNeeded) return body();
    run_deep(body);
}

void throw_recursion_error() { throw_error("RecursionError", "maximum recursion depth exceeded"); }

}  // namespace loupe::python
