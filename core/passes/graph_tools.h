// SPDX-License-Identifier: Apache-2.0
#pragma once
// Helpers of several passes.

#include <functional>
#include <optional>
#include <string>

#include "core/ir/graph.h"

namespace loupe::passes {

// Constant inputs by the schema's argument name; nullopt when it is no constant (or None, for the typed ones).
std::optional<IValue> constant_input(const ir::Node* node, std::string_view argument);
std::optional<bool> constant_bool(const ir::Value* value);
std::optional<std::int64_t> constant_int(const ir::Value* value);
std::optional<Tensor> constant_tensor(const ir::Value* value);
std::optional<double> constant_number(const ir::Value* value);  // an int or a float

// Visits all nodes, those in a node's blocks before it. The visit may destroy its node and make others before it.
void for_each_node(ir::Block* block, const std::function<void(ir::Node*)>& visit);

// Same kind, inputs, attributes and output types, no blocks: computes the same.
bool same_computation(const ir::Node* a, const ir::Node* b);
std::size_t computation_hash(const ir::Node* node);

// Removes nodes with unused outputs that have no effects, in all blocks; not writes whose memory is not read.
// Returns whether there were any.
bool remove_dead_code(ir::Graph& graph);
// Inlines a block of an If: its nodes move before the If, its results replace the outputs, the If is removed.
void inline_block_before(ir::Node* node, ir::Block* block);

// May it be a constant of a graph? No autograd history, no objects but those of freezing.
bool can_be_constant(const IValue& value);

}  // namespace loupe::passes
