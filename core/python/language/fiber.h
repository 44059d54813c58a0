// SPDX-License-Identifier: Apache-2.0
#pragma once
// A function on a stack of its own, which can stand still in the middle and go on later, on the same thread.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

namespace loupe::python {

class Fiber {
  public:
    // body must not throw.
    explicit Fiber(std::function<void()> body);
    // The body must have returned, or never have begun.
    ~Fiber();
    Fiber(const Fiber&) = delete;
    Fiber& operator=(const Fiber&) = delete;

    // From outside: runs the body until it suspends or returns.
    void resume();
    // From the body: goes back to who resumed.
    void suspend();
    bool is_done() const;
    std::uintptr_t stack_begin() const;  // its lowest address

    struct State;

  private:
    std::unique_ptr<State> state_;
};

}  // namespace loupe::python
