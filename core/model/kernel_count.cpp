// SPDX-License-Identifier: Apache-2.0
#include "core/model/kernel_count.h"

#include <algorithm>
#include <vector>

#include "core/base/counted.h"
#include "core/base/strings.h"
#include "core/dispatch/registry.h"

namespace loupe::session {
namespace {

bool is_fusion_group(const std::string& kind) { return kind == "prim::TensorExprGroup" || kind == "prim::FusionGroup"; }

// A graph's model names operators without their overloads.
bool is_view(const std::string& kind) {
    const auto overloads = operators_named(kind);
    return !overloads.empty() &&
           std::all_of(overloads.begin(), overloads.end(), [](const Operator* each) { return each->is_view; });
}

}  // namespace

KernelCount count_kernels(const GraphModel& graph) {
    KernelCount count;
    std::vector<char> is_fused(graph.nodes.size(), 0);  // groups come before what is in them
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        const GraphNode& node = graph.nodes[i];
        const bool is_inside = node.parent >= 0 && is_fused[static_cast<std::size_t>(node.parent)] != 0;
        const bool begins = !is_inside && node.is_group && is_fusion_group(node.kind);
        is_fused[i] = is_inside || begins;
        if (begins) {
            ++count.kernels;
            ++count.fusion_groups;
        }
        if (node.is_group || node.is_plumbing || node.kind.starts_with("prim::")) continue;
        ++count.operators;
        if (!is_inside && !is_view(node.kind)) ++count.kernels;
    }
    return count;
}

std::string KernelCount::str() const {
    return concat(counted(kernels, "kernel"),
                  fusion_groups > 0 ? concat(" (", fusion_groups, " of fusion groups)") : std::string(), ", ",
                  counted(operators, "operator"));
}

}  // namespace loupe::session
