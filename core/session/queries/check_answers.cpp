// SPDX-License-Identifier: Apache-2.0
#include "core/session/check_answer.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/model/model_info.h"
#include "core/model/opened_graph.h"
#include "core/model/pass_trace.h"
#include "core/session/queries/attention_map.h"
#include "core/session/queries/run_tokens.h"
#include "core/session/tables.h"
#include "core/study/explanation.h"
#include "core/study/memory_plan.h"
#include "core/study/pass_bisect.h"
#include "core/study/reference.h"
#include "core/study/run_differences.h"
#include "core/study/studies/study.h"

namespace loupe::session {
namespace {

// Of rows without columns, which have no elements that could be counted.
constexpr std::int64_t kMostEmpty = std::int64_t{1} << 20;

[[noreturn]] void fail(const std::string& what) { throw Error(ErrorKind::File, "an answer with " + what); }

void check_size(std::int64_t rows, std::int64_t columns, std::size_t elements, std::int64_t each = 1) {
    const auto count = static_cast<std::int64_t>(elements);
    const std::int64_t most = std::max(count, kMostEmpty);
    if (rows < 0 || columns < 0 || rows > most || columns > most || rows * columns * each != count)
        fail(concat(elements, " elements in ", rows, " rows of ", columns));
}

void check_count(std::size_t count, std::size_t wanted, const char* what) {
    if (count != wanted) fail(concat(count, " ", what, " for ", wanted));
}
void check_count_if_any(std::size_t count, std::size_t wanted, const char* what) {
    if (count != 0) check_count(count, wanted, what);
}

// As the trees of files are (record/recording_file_reader.cpp): parents stand before their children, so that no cycle
// can be said.
template <typename Nodes>
void check_tree(const Nodes& nodes, const char* what) {
    const int count = static_cast<int>(nodes.size());
    const auto is_child = [&](int child, int of) {
        return child > of && child < count && nodes[static_cast<std::size_t>(child)].parent == of;
    };
    for (int i = 0; i < count; ++i) {
        const auto& node = nodes[static_cast<std::size_t>(i)];
        const auto is_its = [&](int child) { return is_child(child, i); };
        if (node.parent < -1 || node.parent >= i || !std::ranges::all_of(node.children, is_its))
            fail(concat(what, " that are no tree"));
        if constexpr (requires { node.blocks; }) {
            if (node.id != i || !std::ranges::all_of(node.blocks, is_its)) fail(concat(what, " in no order"));
        }
    }
}

void check_graph(const std::shared_ptr<const GraphModel>& graph) {
    if (graph == nullptr) return;
    check_tree(graph->nodes, "nodes");
    const auto is_end = [&](int node, int port, const std::vector<std::string>& names) {
        const bool is_known = node >= -1 && node < static_cast<int>(graph->nodes.size()) && port >= 0;
        return is_known && (node >= 0 || port < static_cast<int>(names.size()));
    };
    for (const GraphEdge& edge : graph->edges) {
        if (!is_end(edge.from, edge.from_port, graph->inputs) || !is_end(edge.to, edge.to_port, graph->outputs))
            fail("an edge between nodes that the graph lacks");
    }
}

void check_opened(const OpenedGraph& opened) {
    check_graph(opened.graph);
    check_count_if_any(opened.ran_as.size(), opened.graph == nullptr ? 0 : opened.graph->nodes.size(), "nodes");
}

}  // namespace

void check_model(const ModelInfo& model) {
    check_tree(model.modules, "modules");
    check_graph(model.graph);
}

void check_answer(const MemoryPlanReport& answer) { check_graph(answer.graph); }

void check_answer(const OpenedGraphs& answer) {
    check_opened(answer.here);
    check_opened(answer.there);
}

void check_answer(const PassBisect& answer) {
    check_graph(answer.before);
    check_graph(answer.after);
}

void check_answer(const PassTrace& answer) {
    check_graph(answer.initial);
    for (const PassStep& step : answer.steps) check_graph(step.graph);
}

void check_answer(const PinnedReference& answer) {
    if (answer.model != nullptr) check_model(*answer.model);
}

void check_answer(const TensorSlice& answer) {
    for (const TensorTile& tile : answer.data) {
        check_size(tile.rows, tile.columns, tile.elements.size());
        if (tile.rows != answer.data.front().rows || tile.columns != answer.data.front().columns)
            fail("tiles of several sizes");
    }
    check_count_if_any(answer.axes.size(), answer.shape.size(), "axes");
    for (const TensorSlice::Axis& axis : answer.axes) {
        if (axis.shown < -1 || axis.shown >= static_cast<int>(answer.sliced_shape.size()))
            fail(concat("an axis that is shown as ", axis.shown, " of ", answer.sliced_shape.size()));
    }
}

void check_answer(const TensorComparison& answer) {
    check_answer(answer.reference);
    check_answer(answer.difference);
}

void check_answer(const AttentionMap& answer) {
    const auto check = [](const AttentionTile& tile) {
        check_size(tile.rows, tile.columns, tile.weights.size());
        if (tile.row_step < 1 || tile.column_step < 1) fail("rows that stand for none");
    };
    check(answer.map);
    std::ranges::for_each(answer.heads, check);
}

void check_answer(const Explanation& answer) {
    for (const ShareGroup& group : answer.groups) {
        check_size(group.rows, group.columns, group.shares.size());
        check_count(group.elements.size(), group.shares.size(), "elements");
        check_count(group.to.size(), group.from.size(), "ends");
    }
}

void check_answer(const QueryTable& answer) {
    for (const auto& row : answer.rows) check_count(row.size(), answer.columns.size(), "texts");
}

void check_answer(const RunDifferences& answer) {
    for (const EventDifference& row : answer.events) {
        if (row.there > answer.reference_events.size())
            fail(concat("event ", row.there, " of ", answer.reference_events.size()));
    }
}

void check_answer(const RunTokensAnswer& answer) {
    if (answer.scored_row < -1 || answer.scored_row >= static_cast<int>(answer.rows.size()))
        fail(concat("scores of row ", answer.scored_row, " of ", answer.rows.size()));
}

void check_answer(const StudyResult& answer) {
    for (const StudyMap& map : answer.maps) {
        check_size(map.rows, map.columns, map.values.size());
        check_size(map.under.rows, map.under.columns, map.under.rgb.size(), 3);
    }
    for (const StudyTokens& tokens : answer.tokens)
        check_count_if_any(tokens.scores.size(), tokens.tokens.size(), "scores");
    for (const StudyWords& words : answer.words)
        check_count(words.cells.size(), words.rows.size() * words.columns.size(), "cells");
    for (const StudyTiles& tiles : answer.tiles) {
        for (const StudyTiles::Tile& tile : tiles.tiles) check_size(tiles.rows, tiles.columns, tile.values.size());
    }
    for (const StudyPoints& points : answer.points) {
        check_count(points.y.size(), points.x.size(), "heights");
        check_count_if_any(points.colour.size(), points.x.size(), "colours");
        check_count_if_any(points.labels.size(), points.x.size(), "labels");
        check_count_if_any(points.indices.size(), points.x.size(), "indices");
    }
}

}  // namespace loupe::session
