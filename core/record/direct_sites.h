// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which nodes of a traced graph stand for the calls of a run that is evaluated from source: the trace is of the same
// program, so its operators come in the same order while the run takes the same way.

#include <string_view>
#include <vector>

#include "core/model/model_info.h"

namespace loupe::session {

class DirectSites {
  public:
    explicit DirectSites(const GraphModel& graph) : graph_(graph) {
        for (const GraphNode& node : graph.nodes) {
            if (!node.is_group && node.kind.starts_with("aten::")) operators_.push_back(node.id);
        }
    }

    // The next node of that operator in that module; -1 when none is near.
    int next_operator(std::string_view name, std::string_view scope) {
        constexpr std::size_t kFurthest = 64;
        for (std::size_t i = next_; i < operators_.size() && i < next_ + kFurthest; ++i) {
            const GraphNode& node = at(operators_[i]);
            if (node.scope != scope || !is_kind(node.kind, name)) continue;
            next_ = i + 1;
            return node.id;
        }
        return -1;
    }

    // The group of the module's next call; of its last when there is no other.
    int next_group(std::string_view scope) const {
        const int from = next_ < operators_.size() ? operators_[next_] : static_cast<int>(graph_.nodes.size());
        int found = -1;
        for (const GraphNode& node : graph_.nodes) {
            if (node.scope != scope || !(node.is_group || graph_.edges.empty())) continue;
            if (found >= 0 && node.id > from) break;
            found = node.id;
        }
        return found;
    }

  private:
    const GraphNode& at(int id) const { return graph_.nodes[static_cast<std::size_t>(id)]; }
    // Traces see convolutions from inside.
    static bool is_kind(std::string_view kind, std::string_view name) {
        return kind == name || (kind == "aten::_convolution" && name.starts_with("aten::conv"));
    }

    const GraphModel& graph_;
    std::vector<int> operators_;
    std::size_t next_ = 0;
};

}  // namespace loupe::session
