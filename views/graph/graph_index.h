// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A model's graph prepared for drawing: without plumbing, edges lifted to the level of their group.

#include <memory>
#include <set>
#include <vector>

#include "core/model/model_info.h"
#include "views/graph/ghosted_graph.h"

namespace loupe::views {

// A value: its node (-1: an input of the method) and output index.
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

// The contents of one group, or of the top: its children, and edges between them. `kOutside` is the border.
struct GraphLevel {
    static constexpr int kOutside = -1;
    struct Edge {
        int from = kOutside;  // child of the level, or kOutside: the value enters over the border
        int to = kOutside;    // likewise: it leaves
        GraphPort value;
        int count = 1;  // number of operators' edges merged into it
    };
    std::vector<int> children;
    std::vector<Edge> edges;
};

class GraphIndex {
  public:
    // Groups with no more operators are closed at first.
    static constexpr int kFewOperators = 4;

    GraphIndex(GhostedGraph graph, bool show_plumbing);
    GraphIndex(std::shared_ptr<const session::GraphModel> model, bool show_plumbing)
        : GraphIndex(GhostedGraph(std::move(model)), show_plumbing) {}

    // Folds a chain of equal groups into its first, see repeats(). Once, before use.
    void foldRepeats();
    // Number of groups folded into the drawn one; 1 for most.
    int repeats(int node) const { return repeats_.empty() ? 1 : repeats_[static_cast<std::size_t>(node)]; }
    // The node that is drawn for this one: itself, unless folded.
    int standIn(int node) const {
        return node < 0 || stand_in_.empty() ? node : stand_in_[static_cast<std::size_t>(node)];
    }

    const session::GraphModel& model() const { return *model_; }
    const session::GraphNode& node(int id) const { return model_->nodes[static_cast<std::size_t>(id)]; }
    // -1 for the top. Groups without drawn contents are not among the children.
    const GraphLevel& level(int group) const { return levels_[static_cast<std::size_t>(group + 1)]; }
    bool isShown(int node) const { return shown_[static_cast<std::size_t>(node)]; }
    // Can be opened: contains more than one operator.
    bool isGroup(int node) const { return holds(node) && only_[static_cast<std::size_t>(node)] < 0; }
    // Does it have drawn contents?
    bool holds(int node) const { return !level(node).children.empty(); }
    // The only operator of a module, which is drawn as one box. Else -1.
    int onlyOperator(int node) const { return only_[static_cast<std::size_t>(node)]; }
    // The node's operator, or the only one in it; -1 for a group.
    int operatorOf(int node) const { return holds(node) ? onlyOperator(node) : node; }
    int operatorCount(int group) const { return operators_[static_cast<std::size_t>(group)]; }
    // Nodes that only a reference has come behind the model's own.
    int ownCount() const { return static_cast<int>(own_); }
    bool hasGhosts() const { return !ghosts_.empty(); }
    const std::vector<Ghost>& ghosts() const { return ghosts_; }
    // Null: a node of the model.
    const Ghost* ghost(int node) const {
        const bool is_one = node >= ownCount() && static_cast<std::size_t>(node) < own_ + ghosts_.size();
        return is_one ? &ghosts_[static_cast<std::size_t>(node) - own_] : nullptr;
    }
    bool has(int node) const { return node >= 0 && static_cast<std::size_t>(node) < model_->nodes.size(); }
    // Only the reference has it: the node, or all that is drawn in it.
    bool isGhost(int node) const { return node >= 0 && operatorCount(node) == 0 && ghostCount(node) > 0; }
    // Operators in it that only the reference has.
    int ghostCount(int group) const { return ghosts_.empty() ? 0 : ghost_operators_[static_cast<std::size_t>(group)]; }
    // Links of an operator, or for a group those that cross its border.
    std::vector<GraphLink> linksInto(int node) const;
    std::vector<GraphLink> linksFrom(int node) const;
    // Operators on which the node's depend, by their values, or that depend on them; the node's own too.
    std::set<int> reached(int node, bool forward) const;
    // Operators on the ways from one to the other, whichever comes first; empty: there is none.
    std::set<int> waysBetween(int a, int b) const;
    bool isInside(int node, int group) const;
    // Groups around the node, the innermost first.
    std::vector<int> ancestors(int node) const;
    // Groups that are open at first: as many levels as stay clear, from the outside in.
    std::set<int> defaultOpen(int max_boxes) const;

  private:
    void fold(GraphLevel& level, const std::vector<std::size_t>& signatures);
    void mergeEdges(GraphLevel& level);
    bool isWorthOpening(int group) const;
    void markShown(bool show_plumbing);
    void orderGhosts();
    void findOnlyOperators();
    void link();
    void lift(const GraphLink& link);

    std::shared_ptr<const session::GraphModel> model_;
    std::size_t own_;
    std::vector<Ghost> ghosts_;
    std::vector<int> ghost_operators_;  // by node; empty without ghosts
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
