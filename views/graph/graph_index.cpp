// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/graph/graph_index.h"

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>

#include "views/common/at.h"

namespace loupe::views {

GraphIndex::GraphIndex(GhostedGraph graph, bool show_plumbing)
    : model_(std::move(graph.model)), own_(graph.own), ghosts_(std::move(graph.ghosts)) {
    const std::size_t count = model_->nodes.size();
    shown_.resize(count, 0);
    operators_.resize(count, 0);
    into_.resize(count);
    from_.resize(count);
    levels_.resize(count + 1);
    markShown(show_plumbing);
    if (hasGhosts()) orderGhosts();
    findOnlyOperators();
    link();
    for (const GraphLink& each : links_) lift(each);
    for (GraphLevel& level : levels_) mergeEdges(level);
}

// Several links of one value between the same two boxes are one line.
void GraphIndex::mergeEdges(GraphLevel& level) {
    std::map<std::tuple<int, int, GraphPort>, int> seen;
    std::vector<GraphLevel::Edge> edges;
    for (const auto& edge : level.edges) {
        const auto [found, is_new] = seen.try_emplace({edge.from, edge.to, edge.value}, static_cast<int>(edges.size()));
        if (is_new)
            edges.push_back(edge);
        else
            edges[at(found->second)].count += edge.count;
    }
    level.edges = std::move(edges);
}

void GraphIndex::foldRepeats() {
    const std::size_t count = model_->nodes.size();
    // Signature of a node and its contents, without names. Children have greater ids.
    std::vector<std::size_t> signatures(count, 0);
    for (std::size_t i = count; i-- > 0;) {
        const session::GraphNode& node = model_->nodes[i];
        std::size_t hash =
            std::hash<std::string>()(node.is_group && node.kind == node.label ? std::string() : node.kind);
        if (ghost(node.id) != nullptr) hash = ~hash;
        for (const int child : levels_[i + 1].children) hash = (hash * 1099511628211U) ^ signatures[at(child)];
        signatures[i] = hash;
    }
    repeats_.assign(count, 1);
    stand_in_.resize(count);
    for (std::size_t i = 0; i < count; ++i) stand_in_[i] = static_cast<int>(i);
    for (GraphLevel& level : levels_) fold(level, signatures);
}

void GraphIndex::fold(GraphLevel& level, const std::vector<std::size_t>& signatures) {
    const auto feeds = [&](int from, int to) {
        return std::any_of(level.edges.begin(), level.edges.end(),
                           [&](const auto& edge) { return edge.from == from && edge.to == to; });
    };
    std::vector<int> kept;
    int last = -1;  // of the row that kept.back() begins
    for (const int child : level.children) {
        const bool is_repeat =
            last >= 0 && holds(child) && signatures[at(child)] == signatures[at(last)] && feeds(last, child);
        if (is_repeat) {
            stand_in_[at(child)] = kept.back();
            ++repeats_[at(kept.back())];
        } else {
            kept.push_back(child);
        }
        last = holds(child) ? child : -1;
    }
    if (kept.size() == level.children.size()) return;
    level.children = std::move(kept);
    for (GraphLevel::Edge& edge : level.edges) {
        edge.from = standIn(edge.from);
        edge.to = standIn(edge.to);
    }
    std::erase_if(level.edges, [](const GraphLevel::Edge& edge) { return edge.from == edge.to; });
    mergeEdges(level);
}

void GraphIndex::markShown(bool show_plumbing) {
    if (hasGhosts()) ghost_operators_.assign(model_->nodes.size(), 0);
    // Children have greater ids than their group.
    for (std::size_t i = model_->nodes.size(); i-- > 0;) {
        const session::GraphNode& node = model_->nodes[i];
        const bool holds =
            std::any_of(node.children.begin(), node.children.end(), [&](int c) { return shown_[at(c)] != 0; });
        shown_[i] = holds || (!node.is_group && (show_plumbing || !node.is_plumbing));
        if (holds) {
            for (int child : node.children) operators_[i] += operators_[at(child)];
            for (int child : node.children) {
                if (hasGhosts()) ghost_operators_[i] += ghost_operators_[at(child)];
            }
        } else if (i >= own_) {
            ghost_operators_[i] = shown_[i];
        } else {
            operators_[i] = shown_[i];
        }
    }
    for (const session::GraphNode& node : model_->nodes) {
        if (shown_[at(node.id)] != 0) levels_[at(node.parent + 1)].children.push_back(node.id);
    }
}

// Each behind the node that it came behind: layouts take the order of a level for that of the program.
void GraphIndex::orderGhosts() {
    const auto key = [this](int node) {
        const Ghost* ghost = this->ghost(node);
        return ghost == nullptr ? std::pair(node, -1) : std::pair(ghost->after, node);
    };
    for (GraphLevel& level : levels_) {
        const bool has_any = std::any_of(level.children.begin(), level.children.end(),
                                         [this](int child) { return ghost(child) != nullptr; });
        if (has_any)
            std::stable_sort(level.children.begin(), level.children.end(),
                             [&](int a, int b) { return key(a) < key(b); });
    }
}

void GraphIndex::findOnlyOperators() {
    // Branches and loops with one operator are not merged into it.
    const auto is_control = [&](int id) { return id >= 0 && node(id).kind.starts_with("prim::"); };
    only_.assign(model_->nodes.size(), -1);
    for (std::size_t i = model_->nodes.size(); i-- > 0;) {
        const session::GraphNode& node = model_->nodes[i];
        const auto& inside = levels_[i + 1].children;
        if (inside.size() != 1 || operators_[i] + ghostCount(node.id) != 1 || is_control(node.id) ||
            is_control(node.parent))
            continue;
        only_[i] = holds(inside.front()) ? only_[at(inside.front())] : inside.front();
    }
}

void GraphIndex::link() {
    // Follows plumbing that is not drawn back to the operators that feed it.
    std::vector<std::vector<const session::GraphEdge*>> edges_into(model_->nodes.size());
    for (const session::GraphEdge& edge : model_->edges) {
        if (edge.to >= 0) edges_into[at(edge.to)].push_back(&edge);
    }
    const auto hidden = [&](int node) { return node >= 0 && shown_[at(node)] == 0; };
    for (const session::GraphEdge& edge : model_->edges) {
        if (hidden(edge.to)) continue;
        std::vector<const session::GraphEdge*> open{&edge};
        std::set<GraphPort> found;
        std::set<int> passed;
        while (!open.empty()) {
            const session::GraphEdge* next = open.back();
            open.pop_back();
            if (!hidden(next->from)) {
                found.insert({next->from, next->from_port});
            } else if (passed.insert(next->from).second) {
                for (const auto* inner : edges_into[at(next->from)]) open.push_back(inner);
            }
        }
        for (const GraphPort& port : found) {
            if (port.node < 0 && edge.to < 0) continue;
            const int index = static_cast<int>(links_.size());
            links_.push_back({port, edge.to, edge.to_port});
            if (port.node >= 0) from_[at(port.node)].push_back(index);
            if (edge.to >= 0) into_[at(edge.to)].push_back(index);
        }
    }
}

void GraphIndex::lift(const GraphLink& link) {
    // From the operator outwards; the last entry is the top's child.
    const auto path = [&](int node) {
        std::vector<int> all;
        for (; node >= 0; node = this->node(node).parent) all.push_back(node);
        return all;
    };
    std::vector<int> from = path(link.from.node);
    std::vector<int> to = path(link.to);
    while (!from.empty() && !to.empty() && from.back() == to.back()) {
        from.pop_back();
        to.pop_back();
    }
    if (from.empty() && to.empty()) return;
    // In groups that contain only one end, the edge ends at the border. The results of both branches of an `if` are
    // one value outside of it.
    GraphPort value = link.from;
    const auto leave = [&](int group) {
        if (node(group).kind == "prim::If") value.node = group;
    };
    for (std::size_t i = 0; i + 1 < from.size(); ++i) {
        leave(from[i]);
        levels_[at(from[i + 1] + 1)].edges.push_back({from[i], GraphLevel::kOutside, value, 1});
    }
    if (!from.empty()) leave(from.back());
    for (std::size_t i = 0; i + 1 < to.size(); ++i) {
        levels_[at(to[i + 1] + 1)].edges.push_back({GraphLevel::kOutside, to[i], value, 1});
    }
    const int outer = from.empty() ? GraphLevel::kOutside : from.back();
    const int inner = to.empty() ? GraphLevel::kOutside : to.back();
    const int level = !from.empty() ? node(outer).parent : node(inner).parent;
    levels_[at(level + 1)].edges.push_back({outer, inner, value, 1});
}

std::set<int> GraphIndex::reached(int node, bool forward) const {
    std::set<int> found;
    std::vector<int> next;
    const auto add = [&](int id) {
        if (id >= 0 && found.insert(id).second) next.push_back(id);
    };
    for (const session::GraphNode& each : model_->nodes) {
        if (shown_[at(each.id)] != 0 && !holds(each.id) && isInside(each.id, node)) add(each.id);
    }
    while (!next.empty()) {
        const int id = next.back();
        next.pop_back();
        for (const int link : forward ? from_[at(id)] : into_[at(id)])
            add(forward ? links_[at(link)].to : links_[at(link)].from.node);
    }
    return found;
}

std::set<int> GraphIndex::waysBetween(int a, int b) const {
    const auto ways = [&](int from, int to) {
        const std::set<int> behind = reached(from, true);
        const std::set<int> before = reached(to, false);
        std::set<int> both;
        std::set_intersection(behind.begin(), behind.end(), before.begin(), before.end(),
                              std::inserter(both, both.end()));
        return both;
    };
    const std::set<int> there = ways(a, b);
    return there.empty() ? ways(b, a) : there;
}

bool GraphIndex::isInside(int node, int group) const {
    for (; node >= 0; node = this->node(node).parent) {
        if (node == group) return true;
    }
    return false;
}

std::vector<int> GraphIndex::ancestors(int node) const {
    std::vector<int> all;
    for (node = this->node(node).parent; node >= 0; node = this->node(node).parent) all.push_back(node);
    return all;
}

std::vector<GraphLink> GraphIndex::linksInto(int id) const {
    std::vector<GraphLink> all;
    if (!holds(id)) {
        for (int index : into_[at(id)]) all.push_back(links_[at(index)]);
        return all;
    }
    for (int index : into_[at(id)]) all.push_back(links_[at(index)]);
    for (const GraphLink& each : links_) {
        if (each.to >= 0 && each.to != id && isInside(each.to, id) && !isInside(each.from.node, id))
            all.push_back(each);
    }
    return all;
}

std::vector<GraphLink> GraphIndex::linksFrom(int id) const {
    std::vector<GraphLink> all;
    if (!holds(id)) {
        for (int index : from_[at(id)]) all.push_back(links_[at(index)]);
        return all;
    }
    for (const GraphLink& each : links_) {
        if (each.from.node >= 0 && isInside(each.from.node, id) && !isInside(each.to, id)) all.push_back(each);
    }
    return all;
}

bool GraphIndex::isWorthOpening(int group) const {
    // Branches, loops and calls of a few operators are parts of a module, not modules.
    const auto& inside = level(group).children;
    return operatorCount(group) + ghostCount(group) > kFewOperators &&
           std::any_of(inside.begin(), inside.end(), [&](int child) { return holds(child); });
}

std::set<int> GraphIndex::defaultOpen(int max_boxes) const {
    std::set<int> open;
    std::vector<int> level = this->level(-1).children;
    int boxes = static_cast<int>(level.size());
    while (true) {
        // Level by level, so that equal groups look equal; groups of operators only stay closed.
        std::vector<int> next;
        for (int child : level) {
            if (!isWorthOpening(child)) continue;
            const auto& inside = this->level(child).children;
            next.insert(next.end(), inside.begin(), inside.end());
        }
        if (next.empty() || (boxes > 1 && boxes + static_cast<int>(next.size()) > max_boxes)) return open;
        for (int child : level) {
            if (isWorthOpening(child)) open.insert(child);
        }
        boxes += static_cast<int>(next.size());
        level = std::move(next);
    }
}

}  // namespace loupe::views
