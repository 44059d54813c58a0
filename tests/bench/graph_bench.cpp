// SPDX-License-Identifier: GPL-3.0-or-later
// How long the Graph panel takes for a model of 100,000 nodes: its index, its layout, and one frame at several zooms,
// panned over the graph, and of the map of modules; then the same with what only a reference has, which lacks a tenth
// of the operators and has another tenth beside. Prints a table; asserts nothing.

#include <QApplication>
#include <QElapsedTimer>
#include <QImage>
#include <QPainter>
#include <algorithm>
#include <cstdio>
#include <utility>

#include "views/common/theme.h"
#include "views/graph/add_ghosts.h"
#include "views/graph/graph_canvas.h"
#include "views/graph/module_map_canvas.h"

using namespace loupe;
using namespace loupe::views;

namespace {

struct Nodes {
    std::shared_ptr<session::GraphModel> model;
    std::vector<int> operators;  // in order; -1: it is the other's
};

// Blocks of ten operators in layers of a hundred blocks, one behind the other. Of a reference: in each block one is
// missing and one is another.
Nodes manyNodes(int count, bool is_reference = false) {
    static const char* const kinds[] = {"aten::conv2d", "aten::batch_norm", "aten::relu", "aten::add", "aten::linear"};
    auto model = std::make_shared<session::GraphModel>();
    const auto add = [&](int parent, const std::string& kind, const std::string& scope, bool is_group) {
        session::GraphNode node;
        node.id = static_cast<int>(model->nodes.size());
        node.parent = parent;
        node.kind = kind;
        node.label = kind;
        node.scope = scope;
        node.is_group = is_group;
        if (parent >= 0) model->nodes[static_cast<std::size_t>(parent)].children.push_back(node.id);
        model->nodes.push_back(node);
        return node.id;
    };
    int layer = -1;
    int block = -1;
    int before = -1;
    std::vector<int> operators;
    for (int i = 0; i < count; ++i) {
        const std::string scope = "layers." + std::to_string(i / 1000);
        if (i % 1000 == 0) layer = add(-1, "Layer", scope, true);
        if (i % 10 == 0) block = add(layer, "Block", scope + "." + std::to_string(i / 10 % 100), true);
        if (is_reference && i % 10 == 6) {
            operators.push_back(-1);
            continue;
        }
        const bool is_other = is_reference && i % 10 == 3;
        const int op = add(block, is_other ? "aten::gelu" : kinds[i % 5], scope, false);
        operators.push_back(op);
        model->edges.push_back({before, op, 0, 0, "%x", "Tensor"});
        if (i % 10 == 9 && i > 10) model->edges.push_back({op - 7, op, 0, 1, "%y", "Tensor"});
        before = op;
    }
    model->edges.push_back({before, -1, 0, 0, "%y", "Tensor"});
    model->inputs = {"x"};
    model->outputs = {"y"};
    return {model, std::move(operators)};
}

// As a comparison finds them: event i + 1 is operator i, on both sides.
GhostedGraph ghosted(const Nodes& own, const Nodes& reference) {
    session::RunDifferences differences;
    for (std::size_t i = 0; i < own.operators.size(); ++i) {
        session::EventDifference row;
        row.here = static_cast<session::EventId>(i + 1);
        const int there = reference.operators[i];
        const bool is_same = there >= 0 && i % 10 != 3;
        if (there >= 0) {
            session::ReferenceEvent event;
            event.op = reference.model->nodes[static_cast<std::size_t>(there)].kind;
            event.shape = {1, 64, 56, 56};
            event.dtype = "float32";
            event.seconds = 1e-5;
            event.graph_node = there;
            differences.reference_events.push_back(std::move(event));
            row.there = static_cast<session::EventId>(differences.reference_events.size());
        }
        if (!is_same && row.there != 0) {
            session::EventDifference alone;
            alone.there = std::exchange(row.there, 0);
            differences.events.push_back(alone);
        }
        differences.aligned += row.there != 0 ? 1 : 0;
        differences.events.push_back(std::move(row));
    }
    return addGhosts(own.model, *reference.model, differences,
                     [&](session::EventId event) { return own.operators[event - 1]; });
}

struct Frames {
    double median = 0;
    double worst = 0;
};

template <typename Move>
Frames frames(QWidget& widget, const Move& move) {
    constexpr int kFrames = 60;
    QImage image(widget.size(), QImage::Format_RGB32);
    std::vector<double> times;
    for (int i = 0; i < kFrames; ++i) {
        move(static_cast<double>(i) / kFrames);
        QElapsedTimer timer;
        timer.start();
        QPainter painter(&image);
        widget.render(&painter);
        painter.end();
        times.push_back(static_cast<double>(timer.nsecsElapsed()) * 1e-6);
    }
    std::sort(times.begin(), times.end());
    return {times[times.size() / 2], times.back()};
}

// Its layout both ways, and frames.
void time_layouts(const std::shared_ptr<const GraphIndex>& index, const session::GraphModel& model) {
    QElapsedTimer timer;
    const auto lap = [&] { return static_cast<double>(timer.nsecsElapsed()) * 1e-6; };
    std::set<int> all;
    for (const session::GraphNode& node : model.nodes) {
        if (node.is_group) all.insert(node.id);
    }
    for (const GraphFlow flow : {GraphFlow::Down, GraphFlow::Right}) {
        const std::atomic<bool> never{false};
        timer.restart();
        auto scene = GraphLayouter(index, flow).layout(all, never);
        const std::size_t boxes = scene->boxes.size();
        std::printf("\nlayout %s, all groups open: %.0f ms, %zu boxes, %zu lines\n",
                    flow == GraphFlow::Down ? "down" : "to the right", lap(), boxes, scene->lines.size());
        GraphCanvas canvas;
        canvas.resize(1440, 900);
        canvas.setMinimapShown(true);
        canvas.setScene(index, std::move(*scene), -1);
        const QSizeF size = canvas.scene().size;
        std::printf("%12s %14s %14s\n", "zoom", "median ms", "worst ms");
        for (const double zoom : {0.0, 0.02, 0.1, 0.3, 0.5, 1.0, 2.0}) {
            const Frames times = frames(canvas, [&](double part) {
                if (zoom == 0)
                    canvas.fit();
                else
                    canvas.setOutlook({zoom, QPointF(size.width() * (flow == GraphFlow::Down ? 0.5 : part),
                                                     size.height() * (flow == GraphFlow::Down ? part : 0.5))});
            });
            std::printf("%12s %14.2f %14.2f\n", zoom == 0 ? "all" : qPrintable(QString::number(zoom)), times.median,
                        times.worst);
        }
    }
}

}  // namespace

int main(int argc, char** argv) {
    qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication app(argc, argv);
    Theme::instance().setMode(Theme::Mode::Dark);
    constexpr int kNodes = 100'000;
    const Nodes own = manyNodes(kNodes);
    QElapsedTimer timer;
    const auto lap = [&] { return static_cast<double>(timer.nsecsElapsed()) * 1e-6; };
    timer.start();
    const auto index = std::make_shared<GraphIndex>(own.model, false);
    std::printf("index of %d operators: %.0f ms\n", kNodes, lap());
    time_layouts(index, *own.model);
    GraphColours colours;
    colours.setIndex(index);
    ModuleMapCanvas map(colours, [](int) { return QString(); });
    map.resize(1440, 900);
    map.setIndex(index);
    std::printf("\nmap of modules\n%12s %14s %14s\n", "zoom", "median ms", "worst ms");
    for (const double zoom : {1.0, 4.0, 16.0, 64.0, 256.0}) {
        map.fit();
        const Frames times = frames(map, [&](double part) {
            map.fit();
            map.zoomAt({1440 * part, 900 * part}, zoom);
        });
        std::printf("%12g %14.2f %14.2f\n", zoom, times.median, times.worst);
    }
    const Nodes reference = manyNodes(kNodes, true);
    timer.restart();
    GhostedGraph merged = ghosted(own, reference);
    std::printf("\nghosts of a reference: %zu added in %.0f ms\n", merged.ghosts.size(), lap());
    timer.restart();
    const auto with_ghosts = std::make_shared<GraphIndex>(merged, false);
    std::printf("index with them: %.0f ms\n", lap());
    time_layouts(with_ghosts, *merged.model);
    return 0;
}
