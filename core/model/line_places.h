// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which lines of a model's source each line of a printed graph came from.

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/ir/graph.h"
#include "core/model/model_info.h"

namespace loupe::session {

// The node of each line of the printed graph; null for lines without one. The graphs inside groups are printed behind
// it.
std::vector<const ir::Node*> line_nodes(const ir::Graph& graph);

// For each line of the printed graph: where its node stands in the source; line 0 for one that has no place.
std::vector<SourcePlace> line_places(const ir::Graph& graph);

// Places by number, each once.
class PlaceTable {
  public:
    // -1 for a place without a line.
    int add(const SourcePlace& place);
    std::vector<SourcePlace> take() { return std::move(places_); }

  private:
    std::vector<SourcePlace> places_;
    std::map<std::pair<std::string, int>, int> numbers_;
};

// For each line of the printed graph: numbers of the places that it came from, its node's own first. came_from: for
// each line those of the graph before that it came from (the graphs inside groups have none); before: their places.
std::vector<std::vector<int>> lines_from_source(const ir::Graph& graph, PlaceTable& table,
                                                const std::vector<std::vector<int>>& came_from = {},
                                                const std::vector<std::vector<int>>& before = {});

}  // namespace loupe::session
