// SPDX-License-Identifier: Apache-2.0
#pragma once
// A thread with a stack that programs can recurse on: Python's recursion, and trees of source text, run on the native
// stack. Address space alone is taken; memory is when it is used.

#include <pthread.h>

#include <functional>
#include <memory>

namespace loupe {

class DeepThread {
  public:
    // Not started.
    DeepThread() = default;
    DeepThread(const DeepThread&) = delete;
    DeepThread& operator=(const DeepThread&) = delete;
    // join() must have been called.
    ~DeepThread() = default;

    // Once. body must not throw. Where there is no address space for a deep stack, a stack of the system's size. Throws
    // std::system_error when no thread can be made.
    void start(std::function<void()> body);
    void join();

  private:
    std::unique_ptr<std::function<void()>> body_;
    pthread_t thread_{};
};

// Lets the stack of the process's first thread, which grows as it is used, grow further. Called at the start of main.
void allow_deep_stack();

// Runs body on a deep stack and waits for it. What it throws is thrown here.
void run_deep(const std::function<void()>& body);

}  // namespace loupe
