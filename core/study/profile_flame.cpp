// SPDX-License-Identifier: Apache-2.0
#include "core/study/profile_flame.h"

#include <algorithm>
#include <unordered_map>

#include "core/base/cancel.h"

namespace loupe::session {
namespace {

struct CallKey {
    std::uint32_t parent = 0;
    std::uint32_t name = 0;
    std::uint32_t category = 0;
    bool operator==(const CallKey&) const = default;
};
struct CallHash {
    std::size_t operator()(const CallKey& key) const {
        const std::uint64_t low = (std::uint64_t{key.parent} << 32) | key.name;
        return static_cast<std::size_t>((low ^ (std::uint64_t{key.category} << 20)) * 0x9e3779b97f4a7c15U);
    }
};

// Children by their totals, linked behind each other.
void link_children(FlameGraph& graph) {
    std::vector<std::uint32_t> order(graph.nodes.size() - 1);
    for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i + 1;
    std::ranges::stable_sort(order, {}, [&](std::uint32_t node) { return graph.nodes[node].total; });
    for (const std::uint32_t node : order) {
        FlameNode& parent = graph.nodes[graph.nodes[node].parent];
        graph.nodes[node].next = parent.first_child;
        parent.first_child = node;
    }
}

}  // namespace

FlameGraph flame_graph(const ProfileTrace& trace) {
    FlameGraph graph;
    graph.nodes.emplace_back();
    std::unordered_map<CallKey, std::uint32_t, CallHash> places;
    std::vector<std::uint32_t> node_of(trace.zones.size(), 0);
    std::vector<double> ends(trace.zones.size(), 0);  // a call ends with its caller
    const auto calls = std::ranges::count_if(
        trace.tracks, [&](const ProfileTrack& track) { return !trace.is_span(trace.zones[track.first]); });
    const bool has_several = calls > 1;
    for (std::uint32_t t = 0; t < trace.tracks.size(); ++t) {
        const ProfileTrack& track = trace.tracks[t];
        if (trace.is_span(trace.zones[track.first])) continue;
        std::uint32_t base = 0;
        if (has_several) {
            base = static_cast<std::uint32_t>(graph.nodes.size());
            FlameNode node;
            node.track = t;
            node.parent = 0;
            node.depth = 1;
            graph.nodes.push_back(node);
        }
        for (std::uint64_t i = track.first; i < track.first + track.count; ++i) {
            if (i % 65536 == 0) check_cancelled();
            const ProfileZone& zone = trace.zones[i];
            const bool is_outer = zone.parent == ProfileZone::kNone;
            const std::uint32_t parent = is_outer ? base : node_of[zone.parent];
            ends[i] = std::max(zone.start, is_outer ? zone.end() : std::min(zone.end(), ends[zone.parent]));
            const double seconds = ends[i] - zone.start;
            const auto [found, is_new] =
                places.try_emplace({parent, zone.name, zone.category}, static_cast<std::uint32_t>(graph.nodes.size()));
            if (is_new) {
                FlameNode node;
                node.name = zone.name;
                node.category = zone.category;
                node.parent = parent;
                node.depth = graph.nodes[parent].depth + 1;
                graph.depth = std::max(graph.depth, node.depth);
                graph.nodes.push_back(node);
            }
            node_of[i] = found->second;
            FlameNode& node = graph.nodes[found->second];
            ++node.count;
            node.total += seconds;
            if (is_outer) {
                graph.nodes[0].total += seconds;
                if (base != 0) graph.nodes[base].total += seconds;
            }
        }
    }
    for (FlameNode& node : graph.nodes) node.self = node.total;
    for (std::size_t i = 1; i < graph.nodes.size(); ++i)
        graph.nodes[graph.nodes[i].parent].self -= graph.nodes[i].total;
    for (FlameNode& node : graph.nodes) node.self = std::max(0.0, node.self);
    link_children(graph);
    return graph;
}

}  // namespace loupe::session
