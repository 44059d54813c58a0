// SPDX-License-Identifier: Apache-2.0
#pragma once
// Stands in for kernels on this thread: to find out shapes without computing, and to write down which operators a
// computation (a derivative above all) is made of.

#include "core/dispatch/registry.h"

namespace loupe {

class OperatorStandIn {
  public:
    virtual ~OperatorStandIn() = default;
    // In place of the kernel of an operator that is not composite. False: the kernel runs.
    virtual bool run(const Operator& op, std::span<const IValue> arguments, IValue* results) = 0;
    // After either has run; histories are not set yet.
    virtual void after(const Operator&, std::span<const IValue>, const IValue*) {}
};

namespace detail {
extern thread_local OperatorStandIn* thread_stand_in;
}

class StandInScope {
  public:
    explicit StandInScope(OperatorStandIn* stand_in) : before_(detail::thread_stand_in) {
        detail::thread_stand_in = stand_in;
    }
    StandInScope(const StandInScope&) = delete;
    StandInScope& operator=(const StandInScope&) = delete;
    ~StandInScope() { detail::thread_stand_in = before_; }

  private:
    OperatorStandIn* before_;
};

}  // namespace loupe
