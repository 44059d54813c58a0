// SPDX-License-Identifier: Apache-2.0
#pragma once
// GraphModel from a method's graph, unfolded along module and function calls.

#include <memory>
#include <string>
#include <unordered_map>

#include "core/ir/graph.h"
#include "core/model/model_info.h"
#include "core/nn/module.h"

namespace loupe::session {

// From a node of the IR, as reached through a chain of calls, to the node of the GraphModel.
class SiteMap {
  public:
    static constexpr int kTop = -1;
    // group: the call that is being run (kTop: the method itself). -1 when it is unknown.
    int find(int group, const ir::Node* site) const {
        const auto found = nodes_.find({group, site});
        return found == nodes_.end() ? -1 : found->second;
    }
    void add(int group, const ir::Node* site, int node) { nodes_[{group, site}] = node; }

  private:
    struct Hash {
        std::size_t operator()(const std::pair<int, const ir::Node*>& key) const {
            return std::hash<const ir::Node*>()(key.second) * 31 + static_cast<std::size_t>(key.first + 1);
        }
    };
    std::unordered_map<std::pair<int, const ir::Node*>, int, Hash> nodes_;
};

struct BuiltGraph {
    std::shared_ptr<const GraphModel> model;
    SiteMap sites;
    // What a run would fail at, if it got there: operators that the engine lacks, each with the first place that needs
    // it, and functions that cannot be compiled.
    struct Missing {
        std::string schema;  // "aten::foo(Tensor self) -> Tensor"; empty for a function
        std::string line;    // "unsupported operator aten::foo(Tensor self) -> Tensor, used in layer1.0 (foo.py:12)"
    };
    std::vector<Missing> missing;
};

// root: the module whose method it is; null for a function. Unfolding ends at 200,000 nodes and 64 levels, so that
// hostile files end too.
BuiltGraph build_graph_model(const ir::Graph& graph, const nn::ModulePtr& root, const std::string& method);

// The module tree as boxes, for a model that no graph is known of.
std::shared_ptr<const GraphModel> build_module_graph(const nn::ModulePtr& root);

}  // namespace loupe::session
