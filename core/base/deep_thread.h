// SPDX-License-Identifier: Apache-2.0
#pragma once
// A thread with a stack that programs can recurse on: Python's recursion, and trees of source text, run on the native
// stack. Reserves address space; memory is committed when used.

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

// Raises the limit of the main thread's stack. Called at the start of main.
void allow_deep_stack();

// Runs body on a deep stack and waits for it; rethrows its exceptions.
void run_deep(const std::function<void()>& body);

// Runs both, on two threads where that is worth one more and one can be had; rethrows the exception of the first, else
// of the second.
void run_both(bool on_two_threads, const std::function<void()>& first, const std::function<void()>& second);

}  // namespace loupe
