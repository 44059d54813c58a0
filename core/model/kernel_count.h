// SPDX-License-Identifier: Apache-2.0
#pragma once
// How much a graph starts when it runs.

#include <string>

#include "core/base/fields.h"
#include "core/model/model_info.h"

namespace loupe::session {

// Of the graph as it stands: what is in a loop counts once, and both branches of an `if` count.
struct KernelCount {
    int operators = 0;      // those inside fusion groups too; without constants, lists and other plumbing
    int kernels = 0;        // operators that run one by one and make new memory (views do not), and fusion groups
    int fusion_groups = 0;  // of those

    // "14 kernels (3 of fusion groups), 21 operators"
    std::string str() const;
};
auto fields(Like<KernelCount> auto& it) { return std::tie(it.operators, it.kernels, it.fusion_groups); }

// Calls of modules and functions are unfolded in the model of a graph, so that of an eager model all operators count.
KernelCount count_kernels(const GraphModel& graph);

}  // namespace loupe::session
