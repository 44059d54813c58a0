// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a caller may ask for at most.

#include "core/base/thread_limit.h"

namespace loupe::session {

using loupe::most_threads;

}  // namespace loupe::session
