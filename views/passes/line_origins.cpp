// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/passes/line_origins.h"

#include <QRegularExpression>
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

namespace {

// "aten::relu" of "%3 : Tensor = aten::relu(%2)"; empty for a line without one.
QString operatorOf(const QString& line) {
    static const QRegularExpression name(QStringLiteral("= ([a-z_]\\w*::\\w+)"));
    return name.match(line).captured(1);
}

}  // namespace

LineChanges lineChanges(const QStringList& left, const QStringList& right, const LineOrigins& from) {
    LineChanges changes;
    std::vector<char> is_kept(static_cast<std::size_t>(left.size()), 0);
    std::vector<char> is_used(static_cast<std::size_t>(left.size()), 0);
    for (int line = 0; line < right.size(); ++line) {
        const QString op = operatorOf(right[line]);
        if (op.isEmpty()) continue;
        bool is_same = false;
        bool has_origin = false;
        for (const int origin :
             line < static_cast<int>(from.size()) ? from[static_cast<std::size_t>(line)] : std::vector<int>()) {
            if (origin < 0 || origin >= left.size()) continue;
            const bool is_alike = operatorOf(left[origin]) == op;
            has_origin = true;
            is_same = is_same || is_alike;
            is_used[static_cast<std::size_t>(origin)] = 1;
            if (is_alike) is_kept[static_cast<std::size_t>(origin)] = 1;
        }
        if (!is_same) changes.right[line] = has_origin ? GraphChange::Changed : GraphChange::Added;
    }
    for (int line = 0; line < left.size(); ++line) {
        if (operatorOf(left[line]).isEmpty() || is_kept[static_cast<std::size_t>(line)] != 0) continue;
        changes.left[line] = is_used[static_cast<std::size_t>(line)] != 0 ? GraphChange::Changed : GraphChange::Removed;
    }
    return changes;
}

LineOrigins sharedOrigins(const LineOrigins& left, const LineOrigins& right) {
    std::map<int, std::vector<int>> by_origin;
    for (std::size_t line = 0; line < left.size(); ++line) {
        for (const int origin : left[line]) by_origin[origin].push_back(static_cast<int>(line));
    }
    LineOrigins out(right.size());
    for (std::size_t line = 0; line < right.size(); ++line) {
        for (const int origin : right[line]) {
            const auto& lines = by_origin[origin];
            out[line].insert(out[line].end(), lines.begin(), lines.end());
        }
        std::sort(out[line].begin(), out[line].end());
        out[line].erase(std::unique(out[line].begin(), out[line].end()), out[line].end());
    }
    return out;
}

}  // namespace loupe::views
