// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/graph/level_layout.h"

#include <algorithm>
#include <cstdio>
#include <mutex>
#include <numeric>
#include <string>

#include "views/common/at.h"

// graphviz's headers are C and redefine names of ours when they come first.
extern "C" {
#include <graphviz/gvc.h>
}

namespace loupe::views {
namespace {

constexpr double kNodeGap = 26;
constexpr double kRankGap = 36;
constexpr double kPointsPerInch = 72;

std::vector<QPointF> straight(QPointF from, QPointF to) {
    const double bend = std::max(12.0, std::abs(to.y() - from.y()) * 0.4);
    return {from, from + QPointF(0, bend), to - QPointF(0, bend), to};
}

// --- dot

char* text(const char* s) { return const_cast<char*>(s); }

void set(void* object, const char* name, const std::string& value) {
    agsafeset(object, text(name), text(value.c_str()), text(""));
}

struct Context {
    std::mutex mutex;
    GVC_t* gvc = nullptr;

    GVC_t* get() {
        if (gvc == nullptr) {
            agseterr(AGMAX);  // dot's remarks on crowded lines are not for the user
            gvc = gvContext();
        }
        return gvc;
    }
};

Context& context() {
    static Context one;
    return one;
}

// Pins boxes to the first or last rank: by invisible edges from a node above all and to one below. Subgraphs with
// rank=source and rank=sink would do the same, but after some hundred of them in one process dot of graphviz 2.43 uses
// freed edges. It also connects all boxes.
void holdEnds(const LevelRequest& request, Agraph_t* graph, const std::vector<Agnode_t*>& nodes) {
    std::vector<char> is_fed(request.boxes.size(), 0);
    std::vector<char> feeds(request.boxes.size(), 0);
    for (const auto& line : request.lines) {
        is_fed[at(line.to)] = 1;
        feeds[at(line.from)] = 1;
    }
    int count = 0;
    const auto end = [&](const char* name) {
        Agnode_t* node = agnode(graph, text(name), 1);
        for (const char* size : {"width", "height"}) set(node, size, "0.01");
        set(node, "fixedsize", "true");
        set(node, "style", "invis");
        return node;
    };
    const auto join = [&](Agnode_t* from, Agnode_t* to, const char* weight, const char* length) {
        Agedge_t* edge = agedge(graph, from, to, text(("h" + std::to_string(count++)).c_str()), 1);
        set(edge, "style", "invis");
        set(edge, "weight", weight);
        set(edge, "minlen", length);
    };
    Agnode_t* above = end("above");
    Agnode_t* below = end("below");
    for (const int box : request.first) join(above, nodes[at(box)], "100", "1");
    for (const int box : request.last) join(nodes[at(box)], below, "100", "1");
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const int box = static_cast<int>(i);
        const auto is_in = [&](const std::vector<int>& list) {
            return std::find(list.begin(), list.end(), box) != list.end();
        };
        if (is_fed[i] == 0 && !is_in(request.first)) join(above, nodes[i], "0", request.first.empty() ? "1" : "2");
        if (feeds[i] == 0 && !is_in(request.last)) join(nodes[i], below, "0", request.last.empty() ? "1" : "2");
    }
}

Agraph_t* buildGraph(const LevelRequest& request, std::vector<Agnode_t*>& nodes, std::vector<Agedge_t*>& edges) {
    Agraph_t* graph = agopen(text("level"), Agdirected, nullptr);
    set(graph, "rankdir", "TB");
    set(graph, "nodesep", std::to_string(kNodeGap / kPointsPerInch));
    set(graph, "ranksep", std::to_string(kRankGap / kPointsPerInch));
    set(graph, "splines", request.lines.size() > 600 ? "line" : "spline");
    set(graph, "nslimit", "4");
    set(graph, "nslimit1", "4");
    set(graph, "mclimit", request.boxes.size() > 120 ? "0.3" : "1");
    set(graph, "outputorder", "nodesfirst");
    for (std::size_t i = 0; i < request.boxes.size(); ++i) {
        Agnode_t* node = agnode(graph, text(("n" + std::to_string(i)).c_str()), 1);
        set(node, "shape", "box");
        set(node, "label", " ");
        set(node, "fixedsize", "true");
        set(node, "width", std::to_string(request.boxes[i].width() / kPointsPerInch));
        set(node, "height", std::to_string(request.boxes[i].height() / kPointsPerInch));
        nodes.push_back(node);
    }
    for (const auto& line : request.lines) {
        Agedge_t* edge = agedge(graph, nodes[at(line.from)], nodes[at(line.to)],
                                text(("e" + std::to_string(edges.size())).c_str()), 1);
        set(edge, "arrowhead", "none");
        set(edge, "weight", "2");
        edges.push_back(edge);
    }
    holdEnds(request, graph, nodes);
    return graph;
}

LevelResult layoutWithDot(const LevelRequest& request) {
    Context& shared = context();
    const std::lock_guard lock(shared.mutex);
    std::vector<Agnode_t*> nodes;
    std::vector<Agedge_t*> edges;
    Agraph_t* graph = buildGraph(request, nodes, edges);
    LevelResult result;
    const bool done = gvLayout(shared.get(), graph, "dot") == 0;
    if (done) {
        // The nodes above and below are no part of the picture.
        boxf bounds = GD_bb(graph);
        double top = -1e300;
        double bottom = 1e300;
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            top = std::max(top, ND_coord(nodes[i]).y + request.boxes[i].height() / 2);
            bottom = std::min(bottom, ND_coord(nodes[i]).y - request.boxes[i].height() / 2);
        }
        bounds.UR.y = top;
        bounds.LL.y = bottom;
        const auto point = [&](pointf p) { return QPointF(p.x - bounds.LL.x, bounds.UR.y - p.y); };
        result.size = QSizeF(bounds.UR.x - bounds.LL.x, bounds.UR.y - bounds.LL.y);
        for (Agnode_t* node : nodes) result.centres.push_back(point(ND_coord(node)));
        for (std::size_t i = 0; i < edges.size(); ++i) {
            std::vector<QPointF> curve;
            if (const splines* all = ED_spl(edges[i]); all != nullptr && all->size > 0) {
                const bezier& first = all->list[0];
                for (std::size_t p = 0; p < static_cast<std::size_t>(first.size); ++p)
                    curve.push_back(point(first.list[p]));
            }
            const QPointF from = result.centres[at(request.lines[i].from)];
            const QPointF to = result.centres[at(request.lines[i].to)];
            if (curve.size() < 4) curve = straight(from, to);
            // dot returns lines against the ranks from the lower box to the upper.
            if (from.y() > to.y() && curve.front().y() < curve.back().y()) std::reverse(curve.begin(), curve.end());
            result.curves.push_back(std::move(curve));
        }
        gvFreeLayout(shared.get(), graph);
    }
    agclose(graph);
    return result;
}

// --- layers

LevelResult layoutInLayers(const LevelRequest& request) {
    const std::vector<int> rank = ranksOf(request);
    const int deepest = rank.empty() ? 0 : *std::max_element(rank.begin(), rank.end());
    std::vector<std::vector<int>> layers(at(deepest) + 1);
    for (std::size_t i = 0; i < rank.size(); ++i) layers[at(rank[i])].push_back(static_cast<int>(i));
    std::vector<std::vector<int>> before(request.boxes.size());
    for (const auto& line : request.lines) {
        if (rank[at(line.from)] < rank[at(line.to)]) before[at(line.to)].push_back(line.from);
    }
    LevelResult result;
    result.centres.resize(request.boxes.size());
    double y = 0;
    double left = 0;
    double right = 0;
    for (auto& layer : layers) {
        // Each box below the centre of its inputs, as far as its neighbours leave room.
        std::vector<std::pair<double, int>> wanted;
        double height = 0;
        for (int box : layer) {
            double x = 0;
            for (int feed : before[at(box)]) x += result.centres[at(feed)].x();
            if (!before[at(box)].empty()) x /= static_cast<double>(before[at(box)].size());
            wanted.emplace_back(x, box);
            height = std::max(height, request.boxes[at(box)].height());
        }
        std::stable_sort(wanted.begin(), wanted.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
        double edge = -1e300;
        double shift = 0;
        for (auto& [x, box] : wanted) {
            const double half = request.boxes[at(box)].width() / 2;
            const double placed = std::max(x, edge + half);
            shift += placed - x;
            result.centres[at(box)] = QPointF(placed, y + height / 2);
            edge = placed + half + kNodeGap;
        }
        shift /= static_cast<double>(std::max<std::size_t>(1, wanted.size()));
        for (auto& [x, box] : wanted) {
            result.centres[at(box)].rx() -= shift;
            const double half = request.boxes[at(box)].width() / 2;
            left = std::min(left, result.centres[at(box)].x() - half);
            right = std::max(right, result.centres[at(box)].x() + half);
        }
        y += height + kRankGap;
    }
    for (QPointF& centre : result.centres) centre.rx() -= left;
    result.size = QSizeF(right - left, std::max(0.0, y - kRankGap));
    for (const auto& line : request.lines) {
        const QPointF from = result.centres[at(line.from)] + QPointF(0, request.boxes[at(line.from)].height() / 2);
        const QPointF to = result.centres[at(line.to)] - QPointF(0, request.boxes[at(line.to)].height() / 2);
        result.curves.push_back(straight(from, to));
    }
    return result;
}

}  // namespace

std::vector<int> ranksOf(const LevelRequest& request) {
    const std::size_t count = request.boxes.size();
    const int first_waypoint = static_cast<int>(count) - request.waypoints;
    std::vector<int> waits(count, 0);
    std::vector<std::vector<int>> next(count);
    for (const auto& line : request.lines) {
        // A loop's back edge does not push its start down.
        if (line.from >= line.to && line.from < first_waypoint && line.to < first_waypoint &&
            std::find(request.first.begin(), request.first.end(), line.from) == request.first.end() &&
            std::find(request.last.begin(), request.last.end(), line.to) == request.last.end()) {
            continue;
        }
        next[at(line.from)].push_back(line.to);
        ++waits[at(line.to)];
    }
    std::vector<int> rank(count, 0);
    std::vector<int> ready;
    for (std::size_t i = 0; i < count; ++i) {
        if (waits[i] == 0) ready.push_back(static_cast<int>(i));
    }
    for (std::size_t i = 0; i < ready.size(); ++i) {
        for (int to : next[at(ready[i])]) {
            rank[at(to)] = std::max(rank[at(to)], rank[at(ready[i])] + 1);
            if (--waits[at(to)] == 0) ready.push_back(to);
        }
    }
    const int deepest = count == 0 ? 0 : *std::max_element(rank.begin(), rank.end());
    for (int box : request.last) rank[at(box)] = deepest;
    return rank;
}

LevelResult layoutLevel(const LevelRequest& request) {
    if (request.boxes.empty()) return {};
    if (request.boxes.size() <= kMaxForDot) {
        LevelResult result = layoutWithDot(request);
        if (!result.centres.empty()) return result;
    }
    return layoutInLayers(request);
}

}  // namespace loupe::views
