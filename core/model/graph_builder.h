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
        const auto call = calls_.find(group);
        if (call == calls_.end()) return -1;
        const auto& [by_number, others] = call->second;
        if (site->id() < by_number.size() && by_number[site->id()].first == site) return by_number[site->id()].second;
        const auto found = others.find(site);
        return found == others.end() ? -1 : found->second;
    }
    void add(int group, const ir::Node* site, int node);

  private:
    // By the number of the site in its graph; where a graph inside it has the same number, by the site.
    struct Call {
        std::vector<std::pair<const ir::Node*, int>> by_number;
        std::unordered_map<const ir::Node*, int> others;
    };
    std::unordered_map<int, Call> calls_;
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

// root: the module whose method it is; null for a function. Unfolding ends at 1,000,000 nodes and 64 levels, so that
// hostile files end too.
BuiltGraph build_graph_model(const ir::Graph& graph, const nn::ModulePtr& root, const std::string& method);

// The module tree as boxes, for a model that no graph is known of.
std::shared_ptr<const GraphModel> build_module_graph(const nn::ModulePtr& root);

}  // namespace loupe::session
