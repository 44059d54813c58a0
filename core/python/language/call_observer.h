// SPDX-License-Identifier: Apache-2.0
#pragma once
// Who hears of the calls of a program.

namespace loupe::python {

class Frame;

// Hears of each frame that begins and ends on this thread. Throws nothing.
class CallObserver {
  public:
    virtual ~CallObserver() = default;
    virtual void enter(const Frame& frame) = 0;
    virtual void leave(const Frame& frame, bool is_unwinding) = 0;
};
CallObserver* call_observer();

// Null: no calls are observed.
class CallObserverScope {
  public:
    explicit CallObserverScope(CallObserver* observer);
    ~CallObserverScope();
    CallObserverScope(const CallObserverScope&) = delete;
    CallObserverScope& operator=(const CallObserverScope&) = delete;

  private:
    CallObserver* const before_;
};

}  // namespace loupe::python
