// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "core/ir/graph.h"

namespace loupe::passes {

// Runs a node whose inputs are all constants: its results. nullopt when its kind cannot run here, has effects, depends
// on more than its inputs, or fails.
std::optional<std::vector<IValue>> evaluate(const ir::Node* node);

// The results of a node that builds or unpacks containers or queries types; nullopt for other nodes.
std::optional<std::vector<IValue>> evaluate_structure(const ir::Node* node, const std::vector<IValue>& inputs);

}  // namespace loupe::passes
