// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/graph/add_ghosts.h"

#include <algorithm>
#include <map>

#include "views/common/at.h"
#include "views/graph/graph_index.h"

namespace loupe::views {
namespace {

using session::GraphEdge;
using session::GraphModel;
using session::GraphNode;
using session::ReferenceEvent;

bool isControl(const GraphNode& node) { return node.kind.starts_with("prim::"); }

class Merger {
  public:
    Merger(std::shared_ptr<const GraphModel> own, const GraphModel& reference,
           const session::RunDifferences& differences, const std::function<int(session::EventId)>& nodeOf)
        : own_(std::move(own)), there_(reference), differences_(differences), out_(own_) {
        const std::size_t count = there_.nodes.size();
        pair_.assign(count, kNone);
        event_.assign(count, 0);
        place_.assign(count, kNone);
        matched_.assign(count, 0);
        ghosts_.assign(count, 0);
        if (differences_.aligned > 0) findPairs(nodeOf);
    }

    GhostedGraph merge() {
        countInside();
        if (std::none_of(ghosts_.begin(), ghosts_.end(), [](int count) { return count > 0; })) return out_;
        findPlaces();
        merged_ = std::make_shared<GraphModel>(*own_);
        for (const GraphNode& node : there_.nodes) {
            if (pair_[at(node.id)] >= 0) last_ = pair_[at(node.id)];
            if (isGhost(node.id)) add(node.id);
        }
        addEdges();
        out_.model = merged_;
        return std::move(out_);
    }

  private:
    static constexpr int kNone = -1;
    static constexpr int kElsewhere = -2;  // it has a partner, which no node stands for

    void findPairs(const std::function<int(session::EventId)>& nodeOf) {
        const int nodes = static_cast<int>(there_.nodes.size());
        for (const session::EventDifference& row : differences_.events) {
            if (row.there == 0 || row.there > differences_.reference_events.size()) continue;
            const ReferenceEvent& event = differences_.reference_events[row.there - 1];
            if (event.phase != session::RunPhase::Forward || event.graph_node < 0 || event.graph_node >= nodes)
                continue;
            event_[at(event.graph_node)] = row.there;
            if (row.here == 0) continue;
            const int node = nodeOf(row.here);
            const bool is_known = node >= 0 && node < static_cast<int>(own_->nodes.size());
            pair_[at(event.graph_node)] = is_known ? node : kElsewhere;
        }
    }

    bool isGhost(int node) const {
        const GraphNode& each = there_.nodes[at(node)];
        return event_[at(node)] != 0 && pair_[at(node)] == kNone && !each.is_group && !each.is_plumbing;
    }

    // Children have greater ids than their group.
    void countInside() {
        for (std::size_t i = there_.nodes.size(); i-- > 0;) {
            const GraphNode& node = there_.nodes[i];
            if (pair_[i] != kNone) ++matched_[i];
            if (isGhost(node.id)) ++ghosts_[i];
            if (node.parent < 0) continue;
            matched_[at(node.parent)] += matched_[i];
            ghosts_[at(node.parent)] += ghosts_[i];
        }
    }

    std::string pathHere(const GraphNode& group) const {
        const auto found = paths_.find(group.scope);
        return found == paths_.end() ? group.scope : found->second;
    }

    // Groups that stand for one another: around aligned nodes, else by the modules' paths.
    void findPlaces() {
        for (const session::ModuleDifference& module : differences_.modules) {
            if (module.presence == session::Presence::Both) paths_[module.there] = module.here;
        }
        for (const GraphNode& node : there_.nodes) {
            if (pair_[at(node.id)] < 0) continue;
            for (int outer = node.parent; outer >= 0; outer = there_.nodes[at(outer)].parent) {
                if (place_[at(outer)] == kNone)
                    place_[at(outer)] = partnerAround(there_.nodes[at(outer)], pair_[at(node.id)]);
            }
        }
        std::map<std::string, int> by_path;
        for (const GraphNode& node : own_->nodes) {
            if (node.is_group && !isControl(node)) by_path.try_emplace(node.scope, node.id);
        }
        for (const GraphNode& group : there_.nodes) {
            if (!group.is_group || isControl(group) || ghosts_[at(group.id)] == 0 || place_[at(group.id)] != kNone)
                continue;
            const bool is_gone = paths_.find(group.scope) == paths_.end() && matched_[at(group.id)] == 0;
            const auto found = by_path.find(pathHere(group));
            if (!is_gone && found != by_path.end()) place_[at(group.id)] = found->second;
        }
    }
    int partnerAround(const GraphNode& group, int node) const {
        for (int outer = own_->nodes[at(node)].parent; outer >= 0; outer = own_->nodes[at(outer)].parent) {
            const GraphNode& own = own_->nodes[at(outer)];
            const bool is_alike = isControl(group) ? own.kind == group.kind && own.label == group.label
                                                   : !isControl(own) && own.scope == pathHere(group);
            if (is_alike) return outer;
        }
        return kNone;
    }

    // The merged node that stands for a group of the reference, or for the nearest one around it; -1: the top.
    int placeOf(int group) {
        if (group < 0) return -1;
        int& place = place_[at(group)];
        if (place >= 0) return place;
        const int parent = placeOf(there_.nodes[at(group)].parent);
        if (matched_[at(group)] > 0) return parent;
        return place_[at(group)] = append(there_.nodes[at(group)], parent, {.there = group, .after = last_});
    }

    int append(const GraphNode& node, int parent, Ghost ghost) {
        GraphNode copy = node;
        copy.id = static_cast<int>(merged_->nodes.size());
        copy.parent = parent;
        copy.is_plumbing = false;
        copy.children.clear();
        copy.blocks.clear();
        if (parent >= 0) merged_->nodes[at(parent)].children.push_back(copy.id);
        merged_->nodes.push_back(copy);
        out_.ghosts.push_back(std::move(ghost));
        return copy.id;
    }

    void add(int id) {
        const GraphNode& node = there_.nodes[at(id)];
        const session::EventId event = event_[at(id)];
        const ReferenceEvent& ran = differences_.reference_events[event - 1];
        const int parent = placeOf(node.parent);
        place_[at(id)] = append(node, parent, {id, event, ran.shape, ran.dtype, ran.seconds, ran.bytes, last_});
        for (int outer = parent; outer >= static_cast<int>(out_.own); outer = merged_->nodes[at(outer)].parent) {
            Ghost& around = out_.ghosts[at(outer) - out_.own];
            around.seconds += ran.seconds;
            around.bytes += ran.bytes;
        }
    }

    // Where a node of the reference stands in the merged graph; -1: nowhere.
    int standIn(int node) const { return isGhost(node) ? place_[at(node)] : std::max(pair_[at(node)], -1); }

    void addEdges() {
        const GraphIndex index(std::shared_ptr<const GraphModel>(std::shared_ptr<void>(), &there_), false);
        const int inputs = static_cast<int>(own_->inputs.size());
        const auto connect = [&](const GraphLink& link, int from, int to) {
            GraphEdge edge;
            edge.from = from;
            edge.to = to;
            edge.from_port = link.from.port;
            edge.to_port = link.to_port;
            edge.type = "Tensor";
            merged_->edges.push_back(std::move(edge));
        };
        for (const GraphNode& node : there_.nodes) {
            if (!isGhost(node.id)) continue;
            const int ghost = place_[at(node.id)];
            for (const GraphLink& link : index.linksInto(node.id)) {
                if (link.from.node < 0 && link.from.port < inputs) connect(link, -1, ghost);
                if (link.from.node < 0) continue;
                if (const int from = standIn(link.from.node); from >= 0) connect(link, from, ghost);
            }
            for (const GraphLink& link : index.linksFrom(node.id)) {
                if (link.to < 0) connect(link, ghost, -1);
                if (link.to < 0 || isGhost(link.to)) continue;
                if (const int to = standIn(link.to); to >= 0) connect(link, ghost, to);
            }
        }
    }

    std::shared_ptr<const GraphModel> own_;
    const GraphModel& there_;
    const session::RunDifferences& differences_;
    GhostedGraph out_;
    std::shared_ptr<GraphModel> merged_;
    std::vector<int> pair_;                // by node of the reference: the own one
    std::vector<session::EventId> event_;  // likewise: as it ran there
    std::vector<int> place_;               // likewise: the node of the merged graph that stands for it
    std::vector<int> matched_;             // aligned nodes in it
    std::vector<int> ghosts_;
    std::map<std::string, std::string> paths_;  // of the reference's modules: the own ones
    int last_ = -1;                             // the own node that the ghost comes behind
};

}  // namespace

GhostedGraph addGhosts(std::shared_ptr<const GraphModel> own, const GraphModel& reference,
                       const session::RunDifferences& differences, const std::function<int(session::EventId)>& nodeOf) {
    return Merger(std::move(own), reference, differences, nodeOf).merge();
}

}  // namespace loupe::views
