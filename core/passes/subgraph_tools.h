// SPDX-License-Identifier: Apache-2.0
#pragma once
// Grouping nodes into one node with a subgraph.

#include <functional>
#include <string_view>

#include "core/passes/alias_analysis.h"

namespace loupe::passes {

struct Grouping {
    ir::Symbol kind;        // of the nodes that are made
    std::string_view pass;  // for the provenance
    // May the node be in a group? Not called for nodes with blocks, effects or written memory.
    std::function<bool(const ir::Node*)> is_member;
    std::size_t fewest = 2;             // members of a group, constants not counted
    bool takes_scalar_tensors = false;  // constant tensors without dimensions are copied into groups too
    bool is_connected = true;           // a node joins only groups whose results it reads
    Ptr<Object> module = nullptr;  // the graph's first input, when known: writes to one attribute do not affect another
    bool takes_random = false;     // members may draw random numbers, in the order in which the block draws them
};

// Forms groups in the block and its inner blocks, as large as dependencies allow. A group replaces its last member; its
// results are the values used outside; constants are copied into it.
void form_groups(ir::Graph& graph, ir::Block* block, const Grouping& grouping);

// The nodes of the subgraph in place of a node that form_groups made.
void inline_group(ir::Node* node);

}  // namespace loupe::passes
