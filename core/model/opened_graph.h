// SPDX-License-Identifier: Apache-2.0
#pragma once
// The graph of a run with the calls of modules in it opened, so that the texts of two runs can be held against each
// other.

#include <memory>
#include <string>
#include <vector>

#include "core/base/fields.h"
#include "core/model/model_info.h"

namespace loupe::session {

class PreparedMethod;
class Program;

struct OpenedGraph {
    std::shared_ptr<const GraphModel> graph;  // null: not known, or there was none
    // By node of it the node of the graph that events know, -1 where there is none. Empty: nodes have the same numbers.
    std::vector<int> ran_as;
};
auto fields(Like<OpenedGraph> auto& it) { return std::tie(it.graph, it.ran_as); }

// Of both sides of a comparison; opened on both or on neither.
struct OpenedGraphs {
    std::string error;  // not empty: nothing else is valid
    OpenedGraph here;
    OpenedGraph there;
};
auto fields(Like<OpenedGraphs> auto& it) { return std::tie(it.error, it.here, it.there); }

// Of a method of the program; ran: its graph as it was run. What cannot be opened stays as it is.
OpenedGraph open_graph(const Program& program, const PreparedMethod& method, std::shared_ptr<const GraphModel> ran);

}  // namespace loupe::session
