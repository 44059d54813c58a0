// SPDX-License-Identifier: Apache-2.0
#include "core/study/flame_difference.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "core/base/cancel.h"
#include "core/study/profile_of_recording.h"
#include "core/study/profile_statistics.h"

namespace loupe::session {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// "thread 4242 (python)" any thread of that name.
std::string without_numbers(std::string_view name) {
    std::string out;
    for (const char c : name)
        if (!is_digit(c)) out += c;
    return out;
}

class FlameMerge {
  public:
    FlameMerge() {
        out_.nodes.emplace_back();
        out_.nodes.front().name = text("all");
        out_.nodes.front().category = text("");
    }

    void add(const ProfileTrace& trace, const FlameGraph& graph, bool is_there, bool has_tracks) {
        std::vector<std::uint32_t> place(graph.nodes.size(), 0);  // where a node of the graph is
        const std::uint32_t only_track = has_tracks ? lone_track(trace, graph) : FlameNode::kNone;
        std::map<std::string, int> same;  // tracks of one name
        std::uint32_t base = 0;
        if (only_track != FlameNode::kNone) {
            base = track_node(trace, only_track, same);
            count(base, graph.nodes.front(), is_there);
        }
        for (std::uint32_t i = 0; i < graph.nodes.size(); ++i) {
            if (i % 65536 == 0) check_cancelled();
            const FlameNode& node = graph.nodes[i];
            if (i == 0) {
                place[i] = base;
                count(0, node, is_there);
                continue;
            }
            const std::uint32_t parent = place[node.parent];
            if (node.track != FlameNode::kNone)
                place[i] = has_tracks ? track_node(trace, node.track, same) : parent;
            else
                place[i] =
                    node_of(parent, text(matching_name(trace.texts[node.name])), kind(trace.texts[node.category]));
            if (place[i] != parent) count(place[i], node, is_there);
        }
    }

    FlameDifference finish() {
        std::vector<std::uint32_t> order(out_.nodes.size() - 1);
        for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i + 1;
        std::ranges::stable_sort(order, {}, [&](std::uint32_t node) { return out_.nodes[node].width(); });
        for (const std::uint32_t node : order) {
            FlamePair& parent = out_.nodes[out_.nodes[node].parent];
            out_.nodes[node].next = parent.first_child;
            parent.first_child = node;
        }
        return std::move(out_);
    }

  private:
    // The track of a graph that has one only, and no node for it.
    static std::uint32_t lone_track(const ProfileTrace& trace, const FlameGraph& graph) {
        if (graph.nodes.size() < 2 || graph.nodes[1].track != FlameNode::kNone) return FlameNode::kNone;
        for (std::uint32_t i = 0; i < trace.tracks.size(); ++i)
            if (!trace.is_span(trace.zones[trace.tracks[i].first])) return i;
        return FlameNode::kNone;
    }

    std::uint32_t text(std::string_view value) {
        const auto [found, is_new] =
            numbers_.try_emplace(std::string(value), static_cast<std::uint32_t>(out_.texts.size()));
        if (is_new) out_.texts.emplace_back(value);
        return found->second;
    }
    std::uint32_t kind(std::string_view category) {
        return text(category == kOperatorCategory ? std::string_view("cpu_op") : category);
    }

    std::uint32_t track_node(const ProfileTrace& trace, std::uint32_t number, std::map<std::string, int>& same) {
        const ProfileTrack& track = trace.tracks[number];
        std::string name = without_numbers(track.process);
        name += " \u00b7 ";
        name += track.name.starts_with("stream") ? std::string(track.name) : without_numbers(track.name);
        const int before = same[name]++;
        if (before > 0) name += " #" + std::to_string(before + 1);
        const std::uint32_t node = node_of(0, text(name), text(""));
        out_.nodes[node].is_call = false;
        return node;
    }

    std::uint32_t node_of(std::uint32_t parent, std::uint32_t name, std::uint32_t category) {
        const auto [found, is_new] =
            places_.try_emplace(std::tuple(parent, name, category), static_cast<std::uint32_t>(out_.nodes.size()));
        if (is_new) {
            FlamePair node;
            node.name = name;
            node.category = category;
            node.is_call = true;
            node.parent = parent;
            node.depth = out_.nodes[parent].depth + 1;
            out_.depth = std::max(out_.depth, node.depth);
            out_.nodes.push_back(node);
        }
        return found->second;
    }

    void count(std::uint32_t at, const FlameNode& from, bool is_there) {
        FlamePair& node = out_.nodes[at];
        (is_there ? node.count_there : node.count_here) += from.count;
        (is_there ? node.total_there : node.total_here) += from.total;
        (is_there ? node.self_there : node.self_here) += from.self;
    }

    FlameDifference out_;
    std::unordered_map<std::string, std::uint32_t> numbers_;
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::uint32_t> places_;
};

bool has_track_nodes(const FlameGraph& graph) {
    return graph.nodes.size() > 1 && graph.nodes[1].track != FlameNode::kNone;
}

}  // namespace

std::string FlameDifference::path_of(std::uint32_t node, std::size_t most) const {
    std::string out = name_of(nodes[node]);
    std::size_t shown = 0;
    for (std::uint32_t at = nodes[node].parent; at != FlameNode::kNone && at != 0; at = nodes[at].parent) {
        if (++shown > most) return "\u2026 \u203a " + out;
        out = name_of(nodes[at]) + " \u203a " + out;
    }
    return out;
}

FlameDifference compare_flames(const ProfileTrace& here, const FlameGraph& of_here, const ProfileTrace& there,
                               const FlameGraph& of_there) {
    const bool has_tracks = has_track_nodes(of_here) || has_track_nodes(of_there);
    FlameMerge merge;
    merge.add(here, of_here, false, has_tracks);
    merge.add(there, of_there, true, has_tracks);
    return merge.finish();
}

std::vector<std::uint32_t> most_changed(const FlameDifference& difference, std::size_t most) {
    std::vector<std::uint32_t> order;
    for (std::uint32_t i = 1; i < difference.nodes.size(); ++i)
        if (difference.nodes[i].is_call && difference.nodes[i].self_change() != 0) order.push_back(i);
    const auto by_change = [&](std::uint32_t node) { return std::abs(difference.nodes[node].self_change()); };
    const std::size_t shown = std::min(most, order.size());
    std::ranges::partial_sort(order, order.begin() + static_cast<std::ptrdiff_t>(shown), std::ranges::greater(),
                              by_change);
    order.resize(shown);
    return order;
}

}  // namespace loupe::session
