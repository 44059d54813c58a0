// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "core/model/program.h"
#include "core/study/fused_groups.h"

namespace loupe::session {

// Runs the method after the request's pipeline and looks at each fusion group that it comes to. Parameters, gradients,
// buffers and random numbers are left as they were. Throws what preparing throws; what running throws stands in
// `error`.
FusedGroups find_fused_groups(const std::shared_ptr<Program>& program, const FusedGroupsRequest& request,
                              std::vector<IValue> arguments);

}  // namespace loupe::session
