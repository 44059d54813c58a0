// SPDX-License-Identifier: Apache-2.0
#pragma once
// Collective operations of a recording that has no rows of them: recordings of PyTorch by older packages, in which they
// are events of c10d:: and _c10d_functional:: operators.

#include <string>
#include <string_view>
#include <vector>

#include "core/record/recording.h"

namespace loupe::session {

// "all_reduce" of "c10d::allreduce_" and of "_c10d_functional::all_reduce"; empty: the operator is none.
std::string_view collective_operation(std::string_view op);

// By the events alone: groups are as good as the operators' arguments say them, sequences are counted, and the times of
// ends are not known.
std::vector<Collective> derive_collectives(const Recording& recording);

}  // namespace loupe::session
