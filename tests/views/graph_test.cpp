// SPDX-License-Identifier: GPL-3.0-or-later
// The Graph panel: what is drawn, where, and what the mouse and the keys do.

#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <ctime>
#include <limits>

#include "tests/views/patience.h"
#include "tests/views/sample_run.h"
#include "views/graph/graph_view.h"
#include "views/graph/level_layout.h"

using namespace loupe;
using namespace loupe::views;
using session::GraphEdge;
using session::GraphModel;
using session::GraphNode;

namespace {

int addNode(GraphModel& model, int parent, const char* kind, const char* scope, bool is_group = false, bool is_plumbing = false) {
    GraphNode node;
    node.id = static_cast<int>(model.nodes.size());
    node.parent = parent;
    node.kind = kind;
    node.label = kind;
    node.scope = scope;
    node.is_group = is_group;
    node.is_plumbing = is_plumbing;
    if (parent >= 0) model.nodes[static_cast<std::size_t>(parent)].children.push_back(node.id);
    model.nodes.push_back(node);
    return node.id;
}

// x -> block(conv -> relu) -> cat([conv, x]) -> output, the list being plumbing.
struct Nested {
    std::shared_ptr<GraphModel> model = std::make_shared<GraphModel>();
    int block, inner, conv, relu, list, cat;
    Nested() {
        block = addNode(*model, -1, "Block", "block", true);
        inner = addNode(*model, block, "Conv2d", "block.conv", true);
        conv = addNode(*model, inner, "aten::conv2d", "block.conv");
        relu = addNode(*model, block, "aten::relu", "block");
        list = addNode(*model, -1, "prim::ListConstruct", "", false, true);
        cat = addNode(*model, -1, "aten::cat", "");
        model->inputs = {"x"};
        model->outputs = {"y"};
        model->edges = {{-1, conv, 0, 0, "%x", "Tensor"},  {conv, relu, 0, 0, "%1", "Tensor"}, {relu, list, 0, 0, "%2", "Tensor"},
                        {-1, list, 0, 1, "%x", "Tensor"},  {list, cat, 0, 0, "%3", "Tensor[]"}, {cat, -1, 0, 0, "%4", "Tensor"}};
    }
};

std::shared_ptr<GraphModel> chain(int count) {
    auto model = std::make_shared<GraphModel>();
    for (int i = 0; i < count; ++i) {
        addNode(*model, -1, "aten::relu", "");
        if (i > 0) model->edges.push_back({i - 1, i, 0, 0, "%v", "Tensor"});
        if (i > 2 && i % 7 == 0) model->edges.push_back({i - 3, i, 0, 1, "%v", "Tensor"});
    }
    return model;
}

std::shared_ptr<session::ModelInfo> modelOf(std::shared_ptr<const GraphModel> graph) {
    auto model = std::make_shared<session::ModelInfo>(*testing::sampleModel());
    model->graph = std::move(graph);
    return model;
}

bool hasEdge(const GraphLevel& level, int from, int to) {
    return std::any_of(level.edges.begin(), level.edges.end(), [&](const GraphLevel::Edge& edge) { return edge.from == from && edge.to == to; });
}

}  // namespace

class GraphTest : public QObject {
    Q_OBJECT

  private slots:
    void plumbingIsPassedThrough() {
        const Nested nested;
        const GraphIndex index(nested.model, false);
        QVERIFY(!index.isShown(nested.list));
        QCOMPARE(index.linksInto(nested.cat).size(), 2u);
        QVERIFY(hasEdge(index.level(-1), nested.block, nested.cat));
        QVERIFY(hasEdge(index.level(-1), GraphLevel::kOutside, nested.cat));
        const GraphIndex all(nested.model, true);
        QVERIFY(all.isShown(nested.list));
        QVERIFY(hasEdge(all.level(-1), nested.list, nested.cat));
    }

    void edgesAreLiftedToTheLevelOfTheirGroups() {
        const Nested nested;
        const GraphIndex index(nested.model, false);
        QVERIFY(hasEdge(index.level(-1), GraphLevel::kOutside, nested.block));
        QVERIFY(hasEdge(index.level(nested.block), nested.inner, nested.relu));
        QVERIFY(hasEdge(index.level(nested.block), GraphLevel::kOutside, nested.inner));
        QVERIFY(hasEdge(index.level(nested.block), nested.relu, GraphLevel::kOutside));
        QVERIFY(hasEdge(index.level(nested.inner), GraphLevel::kOutside, nested.conv));
        QCOMPARE(index.linksInto(nested.block).size(), 1u);
        QCOMPARE(index.operatorCount(nested.block), 2);
    }

    void levelsAreLaidOutWithoutOverlap_data() {
        QTest::addColumn<int>("count");
        QTest::newRow("dot") << 60;
        QTest::newRow("layers") << 600;
    }
    void levelsAreLaidOutWithoutOverlap() {
        QFETCH(int, count);
        LevelRequest request;
        for (int i = 0; i < count; ++i) {
            request.boxes.emplace_back(60 + i % 5 * 20, 24);
            if (i > 0) request.lines.push_back({i % 3 == 0 ? i / 2 : i - 1, i});
        }
        const LevelResult result = layoutLevel(request);
        QCOMPARE(result.centres.size(), request.boxes.size());
        QCOMPARE(result.curves.size(), request.lines.size());
        const auto rect = [&](std::size_t i) {
            QRectF box({}, request.boxes[i]);
            box.moveCenter(result.centres[i]);
            return box.adjusted(1, 1, -1, -1);
        };
        for (std::size_t i = 0; i < request.boxes.size(); ++i) {
            QVERIFY(QRectF({-1, -1}, result.size + QSizeF(2, 2)).contains(rect(i)));
            for (std::size_t j = 0; j < i; ++j) QVERIFY(!rect(i).intersects(rect(j)));
        }
        // Values flow downwards, and every curve is whole.
        for (std::size_t i = 0; i < request.lines.size(); ++i) {
            QVERIFY(result.centres[static_cast<std::size_t>(request.lines[i].from)].y() < result.centres[static_cast<std::size_t>(request.lines[i].to)].y());
            QCOMPARE(result.curves[i].size() % 3, 1u);
        }
    }

    void onlyOpenGroupsAreLaidOut() {
        const Nested nested;
        GraphLayouter layouter(std::make_shared<GraphIndex>(nested.model, false));
        const std::atomic<bool> go{false};
        auto closed = layouter.layout({}, go);
        QVERIFY(closed.has_value());
        QVERIFY(closed->find(nested.block) && !closed->find(nested.relu));
        auto open = layouter.layout({nested.block}, go);
        QVERIFY(open->find(nested.relu) && !open->find(nested.conv));
        QVERIFY(open->find(nested.block)->rect.contains(open->find(nested.relu)->rect));
        QVERIFY(open->find(inputBox(0)));
    }

    void layoutCanBeCancelled() {
        GraphLayouter layouter(std::make_shared<GraphIndex>(chain(100), false));
        const std::atomic<bool> stop{true};
        QVERIFY(!layouter.layout({}, stop).has_value());
    }

    // Eight times the nodes take far from 64 times the processor.
    void twentyThousandNodesAreLaidOutSoon() {
        const auto seconds = [](int count) {
            GraphLayouter layouter(std::make_shared<GraphIndex>(chain(count), false));
            const std::atomic<bool> go{false};
            const std::clock_t begin = std::clock();
            const auto scene = layouter.layout({}, go);
            if (!scene || scene->boxes.size() != static_cast<std::size_t>(count)) return std::numeric_limits<double>::quiet_NaN();
            return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
        };
        const double few = seconds(2500);
        const double many = seconds(20000);
        qInfo("%.3f s, %.3f s", few, many);
        QVERIFY2(many < 25 * std::max(few, 0.002), qPrintable(QString::number(many / few)));
    }

    void mouseAndKeys() {
        const Nested nested;
        SessionBridge bridge;
        bridge.show(modelOf(nested.model), nullptr);
        GraphView view(bridge, nullptr);
        view.resize(900, 700);
        view.show();
        QTRY_VERIFY(view.isSettled());
        QVERIFY(!view.canvas()->scene().boxes.empty());
        view.closeAll();
        QTRY_VERIFY(view.isSettled());
        QTest::mouseClick(view.canvas(), Qt::LeftButton, {}, view.canvas()->screenRect(nested.cat).center().toPoint());
        QCOMPARE(view.canvas()->current(), nested.cat);
        QTest::mouseDClick(view.canvas(), Qt::LeftButton, {}, view.canvas()->screenRect(nested.block).center().toPoint());
        QVERIFY(view.openGroups().contains(nested.block));
        QTRY_VERIFY(view.isSettled());
        QVERIFY(view.canvas()->scene().find(nested.relu));
        QTest::mouseClick(view.canvas(), Qt::LeftButton, {}, view.canvas()->screenRect(nested.relu).center().toPoint());
        QCOMPARE(view.canvas()->current(), nested.relu);
        QTest::keyClick(view.canvas(), Qt::Key_Up);
        QCOMPARE(view.canvas()->current(), nested.inner);
        QTest::keyClick(view.canvas(), Qt::Key_Minus);
        QVERIFY(!view.openGroups().contains(nested.block));
        QTRY_VERIFY(view.isSettled());
        view.canvas()->zoomAt({100, 100}, 3);
        QVERIFY(view.canvas()->zoom() > 1.5);
        QTest::keyClick(view.canvas(), Qt::Key_Space);
        QVERIFY(view.canvas()->zoom() < 1.5);
    }

    void currentEventIsMarkedAndShown() {
        SessionBridge bridge;
        bridge.show(testing::sampleModel(), testing::sampleRun());
        GraphView view(bridge, nullptr);
        view.resize(500, 300);
        view.show();
        QTRY_VERIFY(view.isSettled());
        bridge.setCurrentEvent(6);
        QCOMPARE(view.canvas()->current(), 5);
        QVERIFY(QRectF(view.canvas()->rect()).contains(view.canvas()->screenRect(5).center()));
        for (int i = 0; i < 5; ++i) {
            view.setColouring(static_cast<GraphColouring>(i));
            QVERIFY(!view.grab().isNull());
        }
    }

    void exports() {
        SessionBridge bridge;
        bridge.show(testing::sampleModel(), testing::sampleRun());
        GraphView view(bridge, nullptr);
        QTRY_VERIFY(view.isSettled());
        QTemporaryDir folder;
        for (const char* ending : {"svg", "png", "pdf"}) {
            const QString file = folder.filePath(QStringLiteral("graph.") + QLatin1String(ending));
            QCOMPARE(view.exportTo(file), QString());
            QVERIFY(QFileInfo(file).size() > 500);
        }
        QVERIFY(!view.exportTo(folder.filePath(QStringLiteral("no/such/folder.svg"))).isEmpty());
    }

    void identicalLayersAreDrawnOnceWhenAsked() {
        // Three blocks of conv and relu, one behind the other, then one with another inside.
        auto model = std::make_shared<GraphModel>();
        int before = -1;
        std::vector<int> blocks;
        for (int i = 0; i < 4; ++i) {
            const int block = addNode(*model, -1, "Block", ("layer." + std::to_string(i)).c_str(), true);
            model->nodes.back().label = std::to_string(i);
            const int conv = addNode(*model, block, "aten::conv2d", "layer");
            const int relu = addNode(*model, block, i == 3 ? "aten::gelu" : "aten::relu", "layer");
            model->edges.push_back({before, conv, 0, 0, "%x", "Tensor"});
            model->edges.push_back({conv, relu, 0, 0, "%c", "Tensor"});
            before = relu;
            blocks.push_back(block);
        }
        model->edges.push_back({before, -1, 0, 0, "%y", "Tensor"});
        model->inputs = {"x"};
        model->outputs = {"y"};
        auto index = std::make_shared<GraphIndex>(model, false);
        QCOMPARE(index->level(-1).children.size(), 4u);
        index->foldRepeats();
        QCOMPARE(index->level(-1).children, (std::vector<int>{blocks[0], blocks[3]}));
        QCOMPARE(index->repeats(blocks[0]), 3);
        QCOMPARE(index->repeats(blocks[3]), 1);
        QCOMPARE(index->standIn(blocks[2]), blocks[0]);
        QVERIFY(hasEdge(index->level(-1), blocks[0], blocks[3]));
        QVERIFY(!hasEdge(index->level(-1), blocks[0], blocks[0]));
        const std::atomic<bool> never{false};
        const auto scene = GraphLayouter(index).layout({}, never);
        QVERIFY(scene && scene->find(blocks[0])->title.endsWith(QStringLiteral("\u00d73")));
        // In the panel a node of a folded block is marked on the one that stands for it.
        SessionBridge bridge;
        GraphView view(bridge, nullptr);
        view.resize(600, 400);
        view.setFoldRepeats(true);
        bridge.show(modelOf(model), nullptr);
        QTRY_VERIFY(view.isSettled() && view.canvas()->boxFor(blocks[1]));
        QCOMPARE(view.canvas()->boxFor(blocks[1]), view.canvas()->boxFor(blocks[0]));
        view.setFoldRepeats(false);
        QTRY_VERIFY(view.isSettled() && view.canvas()->boxFor(blocks[1]) && view.canvas()->boxFor(blocks[1]) != view.canvas()->boxFor(blocks[0]));
    }
};

QTEST_MAIN(GraphTest)
#include "graph_test.moc"
