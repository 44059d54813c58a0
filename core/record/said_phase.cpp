// SPDX-License-Identifier: Apache-2.0
#include "core/record/said_phase.h"

namespace loupe::session {

Said said_in_phase(RunPhase phase) {
    switch (phase) {
        case RunPhase::Forward:
            return engine::said("in forward");
        case RunPhase::Backward:
            return engine::said("in backward");
        case RunPhase::Optimizer:
            break;
    }
    return engine::said("in optimizer");
}

}  // namespace loupe::session
