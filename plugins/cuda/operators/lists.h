// SPDX-License-Identifier: Apache-2.0
#pragma once
// DeviceLoops::run_lists by the loops of loops/lists.h.

#include "core/kernels/list_runs.h"

namespace loupe::cuda {

bool run_lists(const ListCall& call);

}  // namespace loupe::cuda
