// SPDX-License-Identifier: Apache-2.0
#pragma once
// Passes, and their list. Only the pass manager runs one; names are PyTorch's.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/ir/graph.h"

namespace loupe::passes {

// Inputs of a pass besides the graph.
struct PassContext {
    // The module that is the graph's first input, for passes that read its attributes; null when there is none.
    Ptr<Object> module;
    // The operator version of the file that the graph is from, for the pass that replaces old operators.
    std::optional<std::int64_t> operator_version = std::nullopt;
    // Types of the graph's inputs, in order, for the pass that propagates shapes; null or missing: their own.
    std::vector<TypePtr> input_types = {};
};

struct Pass {
    std::string_view name;     // "ConstantPropagation"
    std::string_view summary;  // one sentence
    void (*run)(ir::Graph& graph, const PassContext& context) = nullptr;
};

// In the order of this folder's list, then those that were added.
std::span<const Pass* const> all_passes();
// Adds an external pass (of a plugin, a test): at start, before passes run. It must outlive the process.
// Throws Error (Usage) when its name exists.
void register_pass(const Pass& pass);
const Pass* find_pass(std::string_view name);  // null when there is none

}  // namespace loupe::passes
