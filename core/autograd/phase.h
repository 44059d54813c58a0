// SPDX-License-Identifier: Apache-2.0
#pragma once
// The phase that operators on this thread belong to when they are run one by one for an autograd node.

#include "core/autograd/observer.h"

namespace loupe {

namespace detail {
inline thread_local Phase thread_phase = Phase::Forward;
}
inline Phase current_phase() { return detail::thread_phase; }

class PhaseScope {
  public:
    explicit PhaseScope(Phase phase) : before_(detail::thread_phase) { detail::thread_phase = phase; }
    PhaseScope(const PhaseScope&) = delete;
    PhaseScope& operator=(const PhaseScope&) = delete;
    ~PhaseScope() { detail::thread_phase = before_; }

  private:
    Phase before_;
};

}  // namespace loupe
