// SPDX-License-Identifier: Apache-2.0
#include "core/model/line_places.h"

#include <algorithm>

#include "core/model/shown_source.h"

namespace loupe::session {
namespace {

// As the printer does it.
class LineWalk {
  public:
    void walk(const ir::Graph& graph) {
        // Each input has a line of its own, the first with "graph(".
        skip(std::max<std::size_t>(1, graph.inputs().size()));
        std::vector<const ir::Node*> groups;
        walk(*graph.block(), groups);
        skip(1);  // "return (...)"
        for (const ir::Node* group : groups) {
            walk(*group->g(ir::attr::Subgraph));
            for (const auto& [attribute, value] : group->attributes()) {
                const auto* inner = std::get_if<Ptr<ir::Graph>>(&value);
                if (inner != nullptr && attribute != ir::attr::Subgraph) walk(**inner);
            }
        }
    }
    std::vector<const ir::Node*> take() { return std::move(lines_); }

  private:
    void skip(std::size_t count) { lines_.resize(lines_.size() + count, nullptr); }
    void walk(const ir::Block& block, std::vector<const ir::Node*>& groups) {
        for (const ir::Node* node : block.nodes()) {
            lines_.push_back(node);
            if (node->has_attribute(ir::attr::Subgraph)) groups.push_back(node);
            for (std::size_t b = 0; b < node->block_count(); ++b) {
                skip(1);  // "block0(...):"
                walk(*node->block_at(b), groups);
                skip(1);  // "-> (...)"
            }
        }
    }

    std::vector<const ir::Node*> lines_;
};

SourcePlace place_of_node(const ir::Node* node) {
    return node == nullptr ? SourcePlace() : place_of(shown_range(node->range()));
}

}  // namespace

std::vector<const ir::Node*> line_nodes(const ir::Graph& graph) {
    LineWalk lines;
    lines.walk(graph);
    return lines.take();
}

std::vector<SourcePlace> line_places(const ir::Graph& graph) {
    std::vector<SourcePlace> places;
    for (const ir::Node* node : line_nodes(graph)) places.push_back(place_of_node(node));
    return places;
}

int PlaceTable::add(const SourcePlace& place) {
    if (place.line <= 0) return -1;
    const auto [found, is_new] = numbers_.try_emplace({place.file, place.line}, static_cast<int>(places_.size()));
    if (is_new) places_.push_back(place);
    return found->second;
}

std::vector<std::vector<int>> lines_from_source(const ir::Graph& graph, PlaceTable& table,
                                                const std::vector<std::vector<int>>& came_from,
                                                const std::vector<std::vector<int>>& before) {
    std::vector<std::vector<int>> out;
    for (const ir::Node* node : line_nodes(graph)) {
        std::vector<int> places;
        const auto add = [&](int place) {
            if (place >= 0 && std::find(places.begin(), places.end(), place) == places.end()) places.push_back(place);
        };
        add(table.add(place_of_node(node)));
        if (out.size() < came_from.size()) {
            for (const int line : came_from[out.size()]) {
                if (line < 0 || static_cast<std::size_t>(line) >= before.size()) continue;
                for (const int place : before[static_cast<std::size_t>(line)]) add(place);
            }
        }
        out.push_back(std::move(places));
    }
    return out;
}

}  // namespace loupe::session
