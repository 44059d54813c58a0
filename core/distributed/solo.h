// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/distributed/backend.h"

namespace loupe::distributed {

// Of the one rank of a program that no launcher started: copies, without a library.
Backend& solo_backend();

}  // namespace loupe::distributed
