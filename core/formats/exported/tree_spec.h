// SPDX-License-Identifier: Apache-2.0
#pragma once
// How the leaves of inputs and outputs nest: torch.utils._pytree's TreeSpec, as a program has it in JSON.

#include <optional>
#include <string>
#include <vector>

#include "core/formats/exported/program_json.h"
#include "core/ir/graph.h"
#include "core/value/ivalue.h"

namespace loupe::exported {

struct TreeSpec {
    enum class Kind { Leaf, Tuple, List, Dict, Named };
    Kind kind = Kind::Leaf;
    std::string name = {};                 // of a named tuple or dataclass: "modeling_outputs.CausalLMOutput"
    std::vector<IValue> keys = {};         // of a dict
    std::vector<std::string> fields = {};  // of a named tuple or dataclass
    std::vector<TreeSpec> children = {};
};

// text: "[1, {\"type\": ..., ...}]". named_tuples: treespec_namedtuple_fields of the program; may be null.
// Throws Error (File).
TreeSpec parse_tree_spec(std::string_view text, const JsonValue* named_tuples);

std::size_t leaf_count(const TreeSpec& spec);
// The leaves of a value that nests like that; nullopt for another.
std::optional<std::vector<IValue>> leaves_of(const TreeSpec& spec, const IValue& value);
// Nodes at the graph's insertion point that build the value from its leaves; next: the first leaf to take.
ir::Value* build_value(ir::Graph& graph, const TreeSpec& spec, const std::vector<ir::Value*>& leaves,
                       std::size_t& next);

}  // namespace loupe::exported
