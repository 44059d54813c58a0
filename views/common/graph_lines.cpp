// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/common/graph_lines.h"

#include <QRegularExpression>

#include "views/common/format.h"

namespace loupe::views {

// "%4 : Tensor = aten::relu(%3)"
std::map<int, int> linesOfNodes(const session::GraphModel& graph) {
    static const QRegularExpression name(QStringLiteral("%[\\w.]+"));
    std::map<QString, int> line_of_value;
    const QStringList lines = text(graph.text).split(QLatin1Char('\n'));
    for (int line = 0; line < lines.size(); ++line) {
        const auto left = lines[line].left(lines[line].indexOf(QLatin1String(" = ")));
        if (left.size() == lines[line].size()) continue;
        for (auto match = name.globalMatch(left); match.hasNext();)
            line_of_value.emplace(match.next().captured(), line);
    }
    std::map<int, int> out;
    for (const auto& edge : graph.edges) {
        const auto found = line_of_value.find(text(edge.value));
        if (edge.from >= 0 && found != line_of_value.end()) out.emplace(edge.from, found->second);
    }
    return out;
}

}  // namespace loupe::views
