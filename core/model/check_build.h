// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/model/build.h"

namespace loupe::session {

// Makes each layer and calls it on zeros, in eval mode; random numbers are left as they were. On the engine's thread.
BuildCheck check_build(const BuildRequest& request);

}  // namespace loupe::session
