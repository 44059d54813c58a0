// SPDX-License-Identifier: Apache-2.0
#include "core/model/graph_dot.h"

#include "core/base/strings.h"
#include "core/value/ivalue.h"

namespace loupe::session {
namespace {

class DotWriter {
  public:
    explicit DotWriter(const GraphModel& graph) : graph_(graph) {}

    std::string write() {
        out_ = "digraph model {\n  node [shape=box];\n";
        for (const GraphNode& node : graph_.nodes) {
            if (node.parent < 0) add(node, 1);
        }
        for (const GraphEdge& edge : graph_.edges) add(edge);
        return out_ + "}\n";
    }

  private:
    bool is_drawn(int id) const {
        if (id < 0) return true;
        const GraphNode& node = graph_.nodes[static_cast<std::size_t>(id)];
        return !node.is_plumbing && !node.is_group;
    }

    void add(const GraphNode& node, std::size_t depth) {
        if (node.is_plumbing) return;
        const std::string indent(depth * 2, ' ');
        if (!node.is_group) out_ += concat(indent, "n", node.id, " [label=", loupe::quoted(node.label), "];\n");
        if (node.children.empty()) return;
        out_ +=
            concat(indent, "subgraph cluster_", node.id, " {\n", indent, "  label=", loupe::quoted(node.label), ";\n");
        for (const int child : node.children) add(graph_.nodes[static_cast<std::size_t>(child)], depth + 1);
        out_ += indent + "}\n";
    }

    std::string end_of(int node, int port, const std::vector<std::string>& names) const {
        return node >= 0 ? concat("n", node) : loupe::quoted("%" + names.at(static_cast<std::size_t>(port)));
    }

    void add(const GraphEdge& edge) {
        if (!is_drawn(edge.from) || !is_drawn(edge.to)) return;
        out_ += concat("  ", end_of(edge.from, edge.from_port, graph_.inputs), " -> ",
                       end_of(edge.to, edge.to_port, graph_.outputs), " [label=", loupe::quoted(edge.value), "];\n");
    }

    const GraphModel& graph_;
    std::string out_;
};

}  // namespace

std::string graph_dot(const GraphModel& graph) { return DotWriter(graph).write(); }

}  // namespace loupe::session
