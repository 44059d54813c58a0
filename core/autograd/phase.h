// SPDX-License-Identifier: Apache-2.0
#pragma once
// The phase of operators that this thread runs for an autograd node.

#include "core/autograd/observer.h"
#include "core/base/scoped_value.h"

namespace loupe {

namespace detail {
inline thread_local Phase thread_phase = Phase::Forward;
}
inline Phase current_phase() { return detail::thread_phase; }

class PhaseScope final : ScopedValue<Phase> {
  public:
    explicit PhaseScope(Phase phase) : ScopedValue(detail::thread_phase, phase) {}
};

}  // namespace loupe
