// SPDX-License-Identifier: GPL-3.0-or-later
// What only a reference has, in the graph of the run: where it stands, how it looks, and what a click shows.

#include <QSignalSpy>
#include <QTest>
#include <atomic>

#include "tests/views/patience.h"
#include "tests/views/sample_run.h"
#include "views/common/comparison.h"
#include "views/graph/add_ghosts.h"
#include "views/graph/graph_view.h"
#include "views/graph/module_map.h"

using namespace loupe;
using namespace loupe::views;
using session::GraphModel;

namespace {

int add(GraphModel& model, int parent, const char* kind, const char* scope, bool is_group = false) {
    session::GraphNode node;
    node.id = static_cast<int>(model.nodes.size());
    node.parent = parent;
    node.kind = kind;
    node.label = is_group ? scope : std::string(kind).substr(6);
    node.scope = scope;
    node.is_group = is_group;
    if (parent >= 0) model.nodes[static_cast<std::size_t>(parent)].children.push_back(node.id);
    model.nodes.push_back(node);
    return node.id;
}

// The sample's graph with a dropout behind layer1.0's relu, and a module of two operators before fc. The sample's own
// operators are the events 1 to 6 of both runs.
struct Reference {
    std::shared_ptr<session::ModelInfo> model = std::make_shared<session::ModelInfo>(*testing::sampleModel());
    session::RunDifferences differences;
    int dropout, module, gelu, layer_norm;

    Reference() {
        auto graph = std::make_shared<GraphModel>();
        const auto sample = testing::sampleModel();
        const auto& own = sample->graph->nodes;
        std::vector<int> there;
        for (const session::GraphNode& node : own) {
            if (node.id == 3) dropout = add(*graph, -1, "aten::dropout", "layer1.0");
            if (node.id == 5) {
                module = add(*graph, -1, "Head", "head", true);
                gelu = add(*graph, module, "aten::gelu", "head");
                layer_norm = add(*graph, module, "aten::layer_norm", "head");
            }
            there.push_back(add(*graph, -1, node.kind.c_str(), node.scope.c_str()));
        }
        const auto connect = [&](int from, int to) { graph->edges.push_back({from, to, 0, 0, "%x", "Tensor"}); };
        connect(there[0], there[1]);
        connect(there[1], there[2]);
        connect(there[2], dropout);
        connect(dropout, there[3]);
        connect(there[3], there[4]);
        connect(there[4], gelu);
        connect(gelu, layer_norm);
        connect(layer_norm, there[5]);
        graph->text = "graph(%x):\n";
        model->graph = graph;
        differences.reference = 1;
        differences.aligned = 6;
        session::EventId next = 0;
        for (const session::GraphNode& node : graph->nodes) {
            if (node.is_group) continue;
            session::ReferenceEvent event;
            event.op = node.kind;
            event.scope = node.scope;
            event.shape = {1, 8};
            event.dtype = "float32";
            event.seconds = 1e-3;
            event.graph_node = node.id;
            differences.reference_events.push_back(event);
            const auto found = std::find(there.begin(), there.end(), node.id);
            session::EventDifference row;
            row.there = ++next;
            row.here = found == there.end() ? 0 : static_cast<session::EventId>(found - there.begin() + 1);
            differences.events.push_back(row);
        }
    }

    session::PinnedReference pinned() const {
        session::PinnedReference reference;
        reference.id = 1;
        reference.label = "other.pt";
        reference.model = model;
        return reference;
    }
};

}  // namespace

class GhostsTest : public QObject {
    Q_OBJECT

  private slots:
    void ghostsStandBetweenTheirNeighbours() {
        const Reference reference;
        const auto own = testing::sampleModel()->graph;
        const GhostedGraph merged = addGhosts(own, *reference.model->graph, reference.differences,
                                              [](session::EventId event) { return static_cast<int>(event) - 1; });
        QCOMPARE(merged.own, 6u);
        QCOMPARE(merged.ghosts.size(), 4u);  // dropout, the module and its two operators
        QCOMPARE(merged.ghosts[0].there, reference.dropout);
        QCOMPARE(merged.ghosts[0].event, session::EventId(4));
        QCOMPARE(merged.ghosts[0].after, 2);
        const GraphIndex index(merged, false);
        const GraphLevel& top = index.level(-1);
        QCOMPARE(top.children, (std::vector<int>{0, 1, 2, 6, 3, 4, 7, 5}));
        const auto has = [&](int from, int to) {
            return std::any_of(top.edges.begin(), top.edges.end(),
                               [&](const auto& edge) { return edge.from == from && edge.to == to; });
        };
        QVERIFY(has(2, 6) && has(6, 3) && has(4, 7) && has(7, 5));
        QVERIFY(has(2, 3));  // the run's own line stays
        QVERIFY(index.isGhost(6) && index.isGhost(7) && index.isGroup(7) && !index.isGhost(5));
        QCOMPARE(index.ghostCount(7), 2);
        QCOMPARE(index.operatorCount(7), 0);
        // The layout puts it between both.
        std::atomic<bool> cancelled = false;
        const auto scene = GraphLayouter(std::make_shared<GraphIndex>(merged, false)).layout({}, cancelled);
        QVERIFY(scene.has_value());
        const auto y = [&](int node) { return scene->find(node)->rect.center().y(); };
        QVERIFY(y(2) < y(6) && y(6) < y(3) && y(4) < y(7) && y(7) < y(5));
        cancelled = true;
        QVERIFY(!GraphLayouter(std::make_shared<GraphIndex>(merged, false)).layout({}, cancelled).has_value());
    }

    // In a module that both have; what did not run there, and runs with nothing in common, give none.
    void ghostsStandInTheModulesOfTheRun() {
        GraphModel own;
        const int block = add(own, -1, "Block", "encoder", true);
        const int relu = add(own, block, "aten::relu", "encoder");
        GraphModel there;
        const int other = add(there, -1, "Block", "body", true);
        const int first = add(there, other, "aten::relu", "body");
        const int extra = add(there, other, "aten::dropout", "body");
        add(there, other, "aten::gelu", "body");  // did not run
        there.edges = {{first, extra, 0, 0, "%1", "Tensor"}};
        session::RunDifferences differences;
        differences.aligned = 1;
        session::ModuleDifference module;
        module.here = "encoder";
        module.there = "body";
        differences.modules = {module};
        for (const int node : {first, extra}) {
            session::ReferenceEvent event;
            event.graph_node = node;
            differences.reference_events.push_back(event);
        }
        differences.events.resize(2);
        differences.events[0].here = 1;
        differences.events[0].there = 1;
        differences.events[1].there = 2;
        const auto model = std::make_shared<const GraphModel>(own);
        const auto nodeOf = [&](session::EventId) { return relu; };
        const GhostedGraph merged = addGhosts(model, there, differences, nodeOf);
        QCOMPARE(merged.ghosts.size(), 1u);
        QCOMPARE(merged.model->nodes[2].parent, block);
        const GraphIndex index(merged, false);
        QCOMPARE(index.operatorCount(block), 1);
        QCOMPARE(index.ghostCount(block), 1);
        std::atomic<bool> cancelled = false;
        const auto scene = GraphLayouter(std::make_shared<GraphIndex>(merged, false)).layout({}, cancelled);
        QVERIFY2(scene->find(block)->subtitle.contains(QStringLiteral("1 op, 1 only in the reference")),
                 scene->find(block)->subtitle.toUtf8());
        const auto tiles = mapTiles(
            index, [](int) { return 1.0; }, QRectF(0, 0, 400, 300), QRectF(0, 0, 400, 300));
        QVERIFY(std::any_of(tiles.begin(), tiles.end(), [](const MapTile& tile) { return tile.node == 2; }));
        differences.aligned = 0;
        QVERIFY(addGhosts(model, there, differences, nodeOf).ghosts.empty());
        QCOMPARE(addGhosts(model, there, differences, nodeOf).model, model);
    }

    void thePanelDrawsFindsAndHidesThem() {
        const Reference reference;
        SessionBridge bridge;
        bridge.show(testing::sampleModel(), testing::sampleRun());
        GraphView view(bridge, nullptr);
        view.resize(700, 900);
        view.show();
        QTRY_VERIFY(view.isSettled());
        Comparison& comparison = Comparison::of(bridge);
        comparison.show(reference.pinned(), reference.differences);
        QTRY_VERIFY(view.isSettled() && view.canvas()->scene().find(6) != nullptr);
        QCOMPARE(view.canvas()->changeOf(6), GraphChange::Removed);
        QVERIFY(view.canvas()->tipOf(6).contains(QStringLiteral("only in the reference")));
        QVERIFY(view.canvas()->tipOf(6).contains(QStringLiteral("1x8")));
        QVERIFY(!view.grab().isNull());
        // A click shows what it made there, and leaves the run's own event.
        bridge.setCurrentEvent(1);
        const int before = bridge.currentNode();
        const QSignalSpy wanted(&comparison, &Comparison::referenceEventWanted);
        view.canvas()->reveal(6);
        QTest::mouseClick(view.canvas(), Qt::LeftButton, {}, view.canvas()->screenRect(6).center().toPoint());
        QCOMPARE(wanted.size(), 1);
        QCOMPARE(wanted.front().front().value<session::EventId>(), session::EventId(4));
        QCOMPARE(view.canvas()->current(), 6);
        QCOMPARE(bridge.currentNode(), before);
        QVERIFY(!view.toggleBreakpoint());
        // Found by name, in its closed module too.
        view.findChild<QLineEdit*>()->setText(QStringLiteral("layer_norm"));
        QCOMPARE(view.note(), QStringLiteral("1 found"));
        view.setMapShown(true);
        QVERIFY(!view.map()->grab().isNull());
        view.setMapShown(false);
        view.setGhostsShown(false);
        QTRY_VERIFY(view.isSettled() && view.canvas()->scene().find(6) == nullptr);
        view.setGhostsShown(true);
        QTRY_VERIFY(view.isSettled() && view.canvas()->scene().find(6) != nullptr);
    }
};

QTEST_MAIN(GhostsTest)
#include "ghosts_test.moc"
