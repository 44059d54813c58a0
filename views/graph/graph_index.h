// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A model's graph made ready for drawing: plumbing left out, edges lifted to the level of the group they stand in.

#include <memory>
#include <set>
#include <vector>

#include "core/model/model_info.h"

namespace loupe::views {

// Something an operator makes: its node (-1: an input of the method) and which output.
struct GraphPort {
    int node = -1;
    int port = 0;
    friend auto operator<=>(const GraphPort&, const GraphPort&) = default;
};

// An edge between operators that are drawn.
struct GraphLink {
    GraphPort from;
    int to = -1;  // -1: an output of the method
    int to_port = 0;
};

// What is inside one group, or at the top: children of it, and edges between them. `kOutside` stands for the border.
struct GraphLevel {
    static constexpr int kOutside = -1;
    struct Edge {
        int from = kOutside;  // child of the level, or kOutside: the value comes in over the border
        int to = kOutside;    // likewise: it leaves
        GraphPort value;
        int count = 1;        // how many edges of operators it stands for
    };
    std::vector<int> children;
    std::vector<Edge> edges;
};

class GraphIndex {
  public:
    // Groups with no more are one box at first.
    static constexpr int kFewOperators = 4;

    GraphIndex(std::shared_ptr<const session::GraphModel> model, bool show_plumbing);

    // Draws a row of groups that are built alike and feed one another as its first, see repeats(). Once, before it is used.
    void foldRepeats();
    // How many groups the drawn one stands for; 1 for most.
    int repeats(int node) const { return repeats_.empty() ? 1 : repeats_[static_cast<std::size_t>(node)]; }
    // The node that is drawn instead of this one: itself, but for those that were folded away.
    int standIn(int node) const { return node < 0 || stand_in_.empty() ? node : stand_in_[static_cast<std::size_t>(node)]; }

    const session::GraphModel& model() const { return *model_; }
    const session::GraphNode& node(int id) const { return model_->nodes[static_cast<std::size_t>(id)]; }
    // -1 for the top. Groups without anything to draw are not among the children.
    const GraphLevel& level(int group) const { return levels_[static_cast<std::size_t>(group + 1)]; }
    bool isShown(int node) const { return shown_[static_cast<std::size_t>(node)]; }
    // Can be opened: holds more than an operator.
    bool isGroup(int node) const { return holds(node) && only_[static_cast<std::size_t>(node)] < 0; }
    // Anything that is drawn stands in it.
    bool holds(int node) const { return !level(node).children.empty(); }
    // Of a module that is one operator and nothing else, that operator: it is one box, not a box in a box. Else -1.
    int onlyOperator(int node) const { return only_[static_cast<std::size_t>(node)]; }
    // The operator that the node is, or all that it holds; -1 of a group.
    int operatorOf(int node) const { return holds(node) ? onlyOperator(node) : node; }
    int operatorCount(int group) const { return operators_[static_cast<std::size_t>(group)]; }
    // Links of an operator, or for a group those that cross its border.
    std::vector<GraphLink> linksInto(int node) const;
    std::vector<GraphLink> linksFrom(int node) const;
    bool isInside(int node, int group) const;
    // Groups around the node, the innermost first.
    std::vector<int> ancestors(int node) const;
    // What is open at first: enough levels that the model is understood at a glance, from the outside in.
    std::set<int> defaultOpen(int max_boxes) const;

  private:
    void fold(GraphLevel& level, const std::vector<std::size_t>& signatures);
    void mergeEdges(GraphLevel& level);
    bool isWorthOpening(int group) const;
    void markShown(bool show_plumbing);
    void findOnlyOperators();
    void link();
    void lift(const GraphLink& link);

    std::shared_ptr<const session::GraphModel> model_;
    std::vector<char> shown_;
    std::vector<int> operators_;
    std::vector<int> only_;  // see onlyOperator()
    std::vector<int> repeats_;
    std::vector<int> stand_in_;
    std::vector<GraphLink> links_;
    std::vector<std::vector<int>> into_;  // by node: indices of links_
    std::vector<std::vector<int>> from_;
    std::vector<GraphLevel> levels_;
};

}  // namespace loupe::views
