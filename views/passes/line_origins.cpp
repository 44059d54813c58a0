// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/passes/line_origins.h"

#include <algorithm>

namespace loupe::views {

LineOrigins lineOrigins(const session::PassTrace& trace, int step) {
    LineOrigins now;
    if (!trace.initial) return now;
    const auto lines = std::count(trace.initial->text.begin(), trace.initial->text.end(), '\n') + 1;
    for (int line = 0; line < lines; ++line) now.push_back({line});
    const int last = std::min(step, static_cast<int>(trace.steps.size()) - 1);
    for (int i = 0; i <= last; ++i) {
        const session::PassStep& pass = trace.steps[static_cast<std::size_t>(i)];
        if (!pass.graph) continue;
        LineOrigins next(pass.came_from.size());
        for (std::size_t line = 0; line < next.size(); ++line) {
            for (const int from : pass.came_from[line]) {
                if (from < 0 || from >= static_cast<int>(now.size())) continue;
                const auto& origins = now[static_cast<std::size_t>(from)];
                next[line].insert(next[line].end(), origins.begin(), origins.end());
            }
            std::sort(next[line].begin(), next[line].end());
            next[line].erase(std::unique(next[line].begin(), next[line].end()), next[line].end());
        }
        now = std::move(next);
    }
    return now;
}

std::vector<int> linesFrom(const LineOrigins& of, const std::vector<int>& origins) {
    std::vector<int> lines;
    for (std::size_t line = 0; line < of.size(); ++line) {
        const bool is_from = std::any_of(of[line].begin(), of[line].end(), [&](int origin) {
            return std::binary_search(origins.begin(), origins.end(), origin);
        });
        if (is_from) lines.push_back(static_cast<int>(line));
    }
    return lines;
}

int countOperators(const session::GraphModel& graph) {
    return static_cast<int>(std::count_if(graph.nodes.begin(), graph.nodes.end(), [](const session::GraphNode& node) {
        return !node.is_group && !node.is_plumbing && !node.kind.starts_with("prim::Call");
    }));
}

}  // namespace loupe::views
