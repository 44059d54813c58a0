// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where a thread stands: the program that it runs, its innermost call, how deep calls may go.

#include <cstddef>
#include <cstdint>
#include <functional>

namespace loupe::python {

class Evaluator;
class Frame;
class TrackedList;

// Calls under way at most, as in CPython; sys.setrecursionlimit changes it. The stack of the thread is a limit too.
inline constexpr std::int64_t kRecursionLimit = 1000;

struct ThreadState {
    Frame* top = nullptr;
    // Of the program, which EvaluatorScope sets; null outside of programs.
    Evaluator* evaluator = nullptr;
    TrackedList* tracked = nullptr;
    const std::int64_t* recursion_limit = &kRecursionLimit;
    std::size_t depth = 0;         // of frames
    std::uintptr_t stack_end = 0;  // addresses below it are kept for handling the error
};
ThreadState& thread_state();
// Throws RecursionError when the native stack is nearly used up.
void check_stack();
// Runs body, which walks a tree of source text: on another thread where a generator, or deep recursion, leaves too
// little stack for the deepest one. It may not run Python.
void with_deep_stack(const std::function<void()>& body);
[[noreturn]] void throw_recursion_error();

}  // namespace loupe::python
