// SPDX-License-Identifier: Apache-2.0
#pragma once
// Observing what operators are made of: of a composed operator the calls inside are observed instead of the whole.

#include "core/autograd/observer.h"
#include "core/base/scoped_value.h"

namespace loupe {

class OperatorOpener {
  public:
    virtual ~OperatorOpener() = default;
    // The call is about to run. May block (a breakpoint) and throw Error (Cancelled).
    virtual void open_operator(const OperatorCall& call) = 0;
    // It has run: call.outputs are there. Else it threw.
    virtual void close_operator(const OperatorCall& call, bool has_run) = 0;
};

namespace detail {
extern thread_local OperatorOpener* thread_operator_opener;
}

// Null: calls are observed as one.
class OperatorOpenerScope final : ScopedValue<OperatorOpener*> {
  public:
    explicit OperatorOpenerScope(OperatorOpener* opener) : ScopedValue(detail::thread_operator_opener, opener) {}
};

// Runs the call when the thread has an opener and the operator is made of others; false: it did not run.
bool call_opened(OperatorCall call, IValue* results);

}  // namespace loupe
