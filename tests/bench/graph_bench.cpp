// SPDX-License-Identifier: GPL-3.0-or-later
// How long the Graph panel takes for a model of 100,000 nodes: its index, its layout, and one frame at several zooms,
// panned over the graph, and of the map of modules. Prints a table; asserts nothing.

#include <QApplication>
#include <QElapsedTimer>
#include <QImage>
#include <QPainter>
#include <algorithm>
#include <cstdio>

#include "views/common/theme.h"
#include "views/graph/graph_canvas.h"
#include "views/graph/module_map_canvas.h"

using namespace loupe;
using namespace loupe::views;

namespace {

// Blocks of ten operators in layers of a hundred blocks, one behind the other.
std::shared_ptr<session::GraphModel> manyNodes(int count) {
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
    for (int i = 0; i < count; ++i) {
        const std::string scope = "layers." + std::to_string(i / 1000);
        if (i % 1000 == 0) layer = add(-1, "Layer", scope, true);
        if (i % 10 == 0) block = add(layer, "Block", scope + "." + std::to_string(i / 10 % 100), true);
        const int op = add(block, kinds[i % 5], scope, false);
        model->edges.push_back({before, op, 0, 0, "%x", "Tensor"});
        if (i % 10 == 9 && i > 10) model->edges.push_back({op - 7, op, 0, 1, "%y", "Tensor"});
        before = op;
    }
    model->edges.push_back({before, -1, 0, 0, "%y", "Tensor"});
    model->inputs = {"x"};
    model->outputs = {"y"};
    return model;
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

}  // namespace

int main(int argc, char** argv) {
    qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication app(argc, argv);
    Theme::instance().setMode(Theme::Mode::Dark);
    constexpr int kNodes = 100'000;
    const auto model = manyNodes(kNodes);
    QElapsedTimer timer;
    const auto lap = [&] { return static_cast<double>(timer.nsecsElapsed()) * 1e-6; };
    timer.start();
    const auto index = std::make_shared<GraphIndex>(model, false);
    std::printf("index of %d operators: %.0f ms\n", kNodes, lap());
    std::set<int> all;
    for (const session::GraphNode& node : model->nodes) {
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
    return 0;
}
