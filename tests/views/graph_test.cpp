// SPDX-License-Identifier: GPL-3.0-or-later
// The Graph panel: what is drawn, where, and what the mouse and the keys do.

#include <QRandomGenerator>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <ctime>
#include <limits>

#include "tests/views/patience.h"
#include "tests/views/sample_run.h"
#include "views/events/event_model.h"
#include "views/events/events_view.h"
#include "views/graph/graph_view.h"
#include "views/graph/level_layout.h"
#include "views/graph/line_bundles.h"
#include "views/graph/module_map.h"

using namespace loupe;
using namespace loupe::views;
using session::GraphEdge;
using session::GraphModel;
using session::GraphNode;

namespace {

int addNode(GraphModel& model, int parent, const char* kind, const char* scope, bool is_group = false,
            bool is_plumbing = false) {
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
        model->edges = {{-1, conv, 0, 0, "%x", "Tensor"},    {conv, relu, 0, 0, "%1", "Tensor"},
                        {relu, list, 0, 0, "%2", "Tensor"},  {-1, list, 0, 1, "%x", "Tensor"},
                        {list, cat, 0, 0, "%3", "Tensor[]"}, {cat, -1, 0, 0, "%4", "Tensor"}};
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
    return std::any_of(level.edges.begin(), level.edges.end(),
                       [&](const GraphLevel::Edge& edge) { return edge.from == from && edge.to == to; });
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
            QVERIFY(result.centres[static_cast<std::size_t>(request.lines[i].from)].y() <
                    result.centres[static_cast<std::size_t>(request.lines[i].to)].y());
            QCOMPARE(result.curves[i].size() % 3, 1u);
        }
    }

    // A model of many modules, all open: chains of one to five boxes, some with a box that no line leads to.
    void manyLevelsAreLaidOutInOneProcess() {
        QRandomGenerator random(1);
        for (int i = 0; i < 1500; ++i) {
            LevelRequest request;
            const int count = random.bounded(1, 6);
            for (int box = 0; box < count; ++box) request.boxes.emplace_back(random.bounded(50, 200), 24);
            const int entry = count;
            request.boxes.emplace_back(2, 2);
            request.boxes.emplace_back(2, 2);
            int before = entry;
            for (int box = count > 1 ? random.bounded(2) : 0; box < count; ++box) {
                request.lines.push_back({before, box});
                before = box;
            }
            request.lines.push_back({before, entry + 1});
            request.first = {entry};
            request.last = {entry + 1};
            const LevelResult result = layoutLevel(request);
            QCOMPARE(result.centres.size(), request.boxes.size());
            // The ends are above and below all else.
            for (int box = 0; box < count; ++box) {
                const double y = result.centres[static_cast<std::size_t>(box)].y();
                QVERIFY(result.centres[static_cast<std::size_t>(entry)].y() < y &&
                        y < result.centres[static_cast<std::size_t>(entry) + 1].y());
            }
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

    void aModuleOfOneOperatorIsOneBox() {
        const Nested nested;
        auto index = std::make_shared<GraphIndex>(nested.model, false);
        QVERIFY(index->isGroup(nested.block) && !index->isGroup(nested.inner));
        QCOMPARE(index->onlyOperator(nested.inner), nested.conv);
        QCOMPARE(index->operatorOf(nested.inner), nested.conv);
        QCOMPARE(index->operatorOf(nested.relu), nested.relu);
        QCOMPARE(index->operatorOf(nested.block), -1);
        const std::atomic<bool> go{false};
        const auto scene = GraphLayouter(index).layout({nested.block, nested.inner}, go);
        const SceneBox* box = scene->find(nested.inner);
        QVERIFY(box && !box->is_group && !box->is_open && !scene->find(nested.conv));
        // With its constants shown it holds more.
        auto model = std::make_shared<GraphModel>(*nested.model);
        addNode(*model, nested.inner, "prim::Constant", "block.conv", false, true);
        QVERIFY(GraphIndex(model, true).isGroup(nested.inner));
        QVERIFY(!GraphIndex(model, false).isGroup(nested.inner));
        // A branch of one operator says that it is one.
        auto branches = std::make_shared<GraphModel>();
        const int choice = addNode(*branches, -1, "prim::If", "", true);
        const int then = addNode(*branches, choice, "then", "", true);
        addNode(*branches, then, "aten::relu", "");
        const GraphIndex control(branches, false);
        QVERIFY(control.isGroup(choice) && control.isGroup(then));
    }

    // As in a dense block: every box feeds all that come later.
    void longLinesAreBundled() {
        constexpr int kCount = 24;
        LevelRequest request;
        std::vector<int> values;
        for (int to = 0; to < kCount; ++to) {
            request.boxes.emplace_back(80, 24);
            for (int from = 0; from < to; ++from) {
                request.lines.push_back({from, to});
                values.push_back(from);
            }
        }
        const Bundles bundles = bundleLines(request, values);
        QVERIFY(bundles.lines.size() < 4 * kCount);  // of 276
        // Each line still leads from its box to its box.
        for (int id = 0; id < static_cast<int>(request.lines.size()); ++id) {
            int at = request.lines[static_cast<std::size_t>(id)].from;
            for (int step = 0; step < 2 * kCount && at != request.lines[static_cast<std::size_t>(id)].to; ++step) {
                for (const BundledLine& line : bundles.lines) {
                    if (line.from != at || std::find(line.lines.begin(), line.lines.end(), id) == line.lines.end())
                        continue;
                    at = line.to;
                    break;
                }
            }
            QCOMPARE(at, request.lines[static_cast<std::size_t>(id)].to);
        }
        // A line that skips a few boxes alone, and lines side by side, stay what they are.
        LevelRequest plain;
        plain.boxes.assign(5, QSizeF(80, 24));
        plain.lines = {{0, 1}, {0, 2}, {0, 3}, {1, 4}, {2, 4}, {3, 4}, {0, 4}};
        const Bundles same = bundleLines(plain, {0, 0, 0, 1, 2, 3, 0});
        QCOMPARE(same.waypoints, 0);
        QCOMPARE(same.lines.size(), plain.lines.size());
    }

    void valuesOfABundleComeInThroughOnePoint() {
        auto model = std::make_shared<GraphModel>();
        std::vector<int> makers;
        for (int i = 0; i < 6; ++i) makers.push_back(addNode(*model, -1, "aten::relu", ""));
        const int block = addNode(*model, -1, "Block", "block", true);
        const int cat = addNode(*model, block, "aten::cat", "block");
        const int other = addNode(*model, block, "aten::relu", "block");
        for (const int maker : makers) model->edges.push_back({maker, cat, 0, maker, "%v", "Tensor"});
        model->edges.push_back({cat, other, 0, 0, "%c", "Tensor"});
        model->edges.push_back({other, -1, 0, 0, "%y", "Tensor"});
        const std::atomic<bool> go{false};
        const auto scene = GraphLayouter(std::make_shared<GraphIndex>(model, false)).layout({block}, go);
        const auto inner = std::count_if(scene->lines.begin(), scene->lines.end(),
                                         [&](const SceneLine& line) { return line.group == block && line.to == cat; });
        QCOMPARE(inner, 1);
        for (const SceneLine& line : scene->lines) {
            if (line.group == block && line.to == cat) QCOMPARE(line.values.size(), 6u);
            if (line.group == -1 && line.to == block) {
                QVERIFY(line.concerns(line.from));
                QCOMPARE(line.curve.back().y(), scene->find(block)->rect.top());
            }
        }
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
            if (!scene || scene->boxes.size() != static_cast<std::size_t>(count))
                return std::numeric_limits<double>::quiet_NaN();
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
        QTest::mouseDClick(view.canvas(), Qt::LeftButton, {},
                           view.canvas()->screenRect(nested.block).center().toPoint());
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

    // Far off every box that is in sight is a tile, and what is too small for one is in its group's.
    void farOffThereAreTiles() {
        auto model = std::make_shared<GraphModel>();
        int before = -1;
        std::vector<int> blocks;
        std::vector<int> inside;
        for (int i = 0; i < 60; ++i) {
            blocks.push_back(addNode(*model, -1, "Block", ("layer." + std::to_string(i)).c_str(), true));
            for (int j = 0; j < 8; ++j) {
                const int op = addNode(*model, blocks.back(), "aten::conv2d", "layer");
                model->edges.push_back({before, op, 0, 0, "%x", "Tensor"});
                inside.push_back(before = op);
            }
        }
        model->inputs = {"x"};
        SessionBridge bridge;
        bridge.show(modelOf(model), nullptr);
        GraphView view(bridge, nullptr);
        view.resize(700, 600);
        view.show();
        view.openAll();
        QTRY_VERIFY(view.isSettled() && view.canvas()->scene().boxes.size() > 480);
        GraphCanvas& canvas = *view.canvas();
        canvas.fit();
        QVERIFY(canvas.isFar());
        QVERIFY(canvas.minimapPlace().isEmpty());  // all of it is in sight
        GraphTiling tiling = canvas.tiling();
        QVERIFY(tiling.tiles.size() < 70);
        const auto tileOf = [&](int node) { return tiling.of(canvas.scene().box_of.at(node)); };
        QCOMPARE(tileOf(inside[20]), tileOf(blocks[2]));
        for (const int block : blocks) {
            QVERIFY(tileOf(block)->rect.height() >= 2 && tileOf(block)->rect.width() >= 20);
            // Above the legend.
            QVERIFY(QRectF(canvas.rect()).adjusted(0, 0, 0, -GraphCanvas::kLegendHeight).contains(tileOf(block)->rect));
        }
        QTest::mouseClick(&canvas, Qt::LeftButton, {}, tileOf(blocks[30])->rect.center().toPoint());
        QCOMPARE(canvas.current(), blocks[30]);
        // The event that becomes current does not take the overview away.
        bridge.setCurrentNode(inside[7]);
        QVERIFY(canvas.isFar());
        QVERIFY(!view.grab().isNull());
        // Double click comes closer; then operators are tiles, or boxes, of their own.
        QTest::mouseDClick(&canvas, Qt::LeftButton, {}, tileOf(blocks[30])->rect.center().toPoint());
        tiling = canvas.tiling();
        QVERIFY(!canvas.isFar() || tileOf(inside[241]) != tileOf(blocks[30]));
        QVERIFY(QRectF(canvas.rect()).contains(canvas.screenRect(blocks[30]).center()));
        // Now there is a minimap: a click in it goes there.
        const QRect minimap = canvas.minimapPlace();
        QVERIFY(!minimap.isEmpty() && canvas.rect().contains(minimap));
        QTest::mouseClick(&canvas, Qt::LeftButton, {}, QPoint(minimap.center().x(), minimap.bottom() - 8));
        QVERIFY(QRectF(canvas.rect()).intersects(canvas.screenRect(blocks.back())));
        QVERIFY(!view.grab().isNull());
        canvas.setMinimapShown(false);
        QVERIFY(canvas.minimapPlace().isEmpty());
    }

    // What the engine reached is one event, whoever shows it.
    void panelsAgreeOnWhatIsReached() {
        SessionBridge bridge;
        GraphView graph(bridge, nullptr);
        EventsView events(bridge, nullptr);
        const auto marked = [&] {
            session::EventId found = 0;
            for (session::EventId id = 1; id <= bridge.eventCount(); ++id) {
                if (events.model().indexOf(id).data(EventModel::ReachedRole).toBool()) found = id;
            }
            return found;
        };
        bridge.open(QStringLiteral(LOUPE_SOURCE_DIR "/resources/models/digits.pt"));
        QTRY_COMPARE(bridge.status().state, session::RunState::Ready);
        QCOMPARE(graph.canvas()->reached(), -1);
        bridge.step(session::StepKind::Into);
        QTRY_VERIFY(bridge.isPaused());
        // Over a module at a time, to the end.
        int stops = 0;
        while (bridge.isPaused()) {
            const session::EventId before = bridge.status().reached;
            bridge.step(session::StepKind::Over);
            QTRY_VERIFY(bridge.status().state == session::RunState::Finished ||
                        (bridge.isPaused() && bridge.status().reached > before));
            if (!bridge.isPaused()) break;
            ++stops;
            QTRY_COMPARE(marked(), bridge.status().reached);
            QCOMPARE(graph.canvas()->reached(), bridge.recording()->event(bridge.status().reached).graph_node);
        }
        QVERIFY(stops > 0);
        QTRY_COMPARE(bridge.status().state, session::RunState::Finished);
        QTRY_COMPARE(marked(), 0u);
        QCOMPARE(graph.canvas()->reached(), -1);
    }

    // Lines carry sizes before a run, and others when the inputs change.
    void sizesAreThereBeforeARun() {
        SessionBridge bridge;
        GraphView view(bridge, nullptr);
        bridge.open(QStringLiteral(LOUPE_SOURCE_DIR "/resources/models/digits.pt"));
        QTRY_COMPARE(bridge.status().state, session::RunState::Ready);
        const auto& nodes = bridge.model()->graph->nodes;
        const auto conv = std::ranges::find_if(nodes, [](const auto& node) { return node.kind == "aten::conv2d"; });
        QVERIFY(conv != nodes.end());
        QTRY_COMPARE(view.metrics().portText(GraphPort{conv->id, 0}), QString("1x16x8x8"));
        QCOMPARE(view.metrics().portText(GraphPort{-1, 0}), QString("1x1x8x8"));
        std::vector<session::InputSpec> inputs(1);
        inputs[0].shape = {5, 1, 8, 8};
        bridge.setInputs(inputs);
        QTRY_COMPARE(view.metrics().portText(GraphPort{conv->id, 0}), QString("5x16x8x8"));
    }

    void theNoteFollowsTheSearch() {
        SessionBridge bridge;
        bridge.show(testing::sampleModel(), testing::sampleRun());
        GraphView view(bridge, nullptr);
        view.resize(500, 300);
        view.show();
        QTRY_VERIFY(view.isSettled());
        const QString before = view.note();
        auto* search = view.findChild<QLineEdit*>();
        search->setText(QStringLiteral("conv"));
        QCOMPARE(view.note(), QStringLiteral("3 found"));
        search->clear();
        QCOMPARE(view.note(), before);
        QVERIFY(view.canvas()->matches().empty());
    }

    // However narrow the panel is, each control can be reached, that for a reference too.
    void everyControlIsInSight() {
        SessionBridge bridge;
        GraphView view(bridge, nullptr);
        view.resize(320, 400);
        view.show();
        QTRY_VERIFY(view.isSettled());
        auto* ghosts = view.findChild<QToolButton*>(QStringLiteral("graphGhosts"));
        QVERIFY(ghosts != nullptr && ghosts->isHidden());
        ghosts->show();
        QTest::qWait(50);
        for (QWidget* control : view.findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly)) {
            if (!qobject_cast<QToolButton*>(control) && !qobject_cast<QComboBox*>(control) &&
                !qobject_cast<QLineEdit*>(control))
                continue;
            QVERIFY2(control->isVisible() && view.rect().contains(control->geometry()),
                     qPrintable(control->accessibleName()));
            QVERIFY(!control->accessibleName().isEmpty());
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
        // Of an unknown kind nothing is written over.
        const QString other = folder.filePath(QStringLiteral("notes.txt"));
        QFile notes(other);
        QVERIFY(notes.open(QIODevice::WriteOnly) && notes.write("mine") == 4);
        notes.close();
        QVERIFY(!view.exportTo(other).isEmpty());
        QCOMPARE(QFileInfo(other).size(), 4);
    }

    void valuesFlowToTheRightWhenAsked() {
        const auto index = std::make_shared<GraphIndex>(Nested().model, false);
        const Nested nested;
        const std::atomic<bool> never{false};
        const auto down = GraphLayouter(index).layout({nested.block}, never);
        const auto right = GraphLayouter(index, GraphFlow::Right).layout({nested.block}, never);
        QVERIFY(down && right);
        const auto rect = [](const Scene& scene, int node) { return scene.find(node)->rect; };
        for (const int node : {nested.inner, nested.relu, nested.cat})
            QCOMPARE(rect(*right, node).size(), rect(*down, node).size());
        QVERIFY(rect(*down, nested.inner).bottom() < rect(*down, nested.relu).top());
        QVERIFY(rect(*right, nested.inner).right() < rect(*right, nested.relu).left());
        QVERIFY(rect(*right, nested.block).right() < rect(*right, nested.cat).left());
        // The header stays above what is in the group.
        const QRectF block = rect(*right, nested.block);
        QVERIFY(block.contains(rect(*right, nested.inner)) && block.contains(rect(*right, nested.relu)));
        QVERIFY(rect(*right, nested.inner).top() - block.top() > 20);
        for (const SceneLine& line : right->lines) {
            QVERIFY(line.curve.front().x() <= line.curve.back().x() + 1);
            QVERIFY(QRectF({-30, -30}, right->size + QSizeF(60, 60)).contains(line.bounds));
        }
    }

    void waysBetweenNodes() {
        const Nested nested;
        const GraphIndex index(nested.model, false);
        QCOMPARE(index.waysBetween(nested.conv, nested.cat), (std::set<int>{nested.conv, nested.relu, nested.cat}));
        QCOMPARE(index.waysBetween(nested.cat, nested.conv), (std::set<int>{nested.conv, nested.relu, nested.cat}));
        QCOMPARE(index.reached(nested.block, false), (std::set<int>{nested.conv, nested.relu}));
        QCOMPARE(index.reached(nested.relu, true), (std::set<int>{nested.relu, nested.cat}));
        // Two that do not feed each other.
        auto model = std::make_shared<GraphModel>();
        const int left = addNode(*model, -1, "aten::relu", "");
        const int right = addNode(*model, -1, "aten::gelu", "");
        const int both = addNode(*model, -1, "aten::add", "");
        model->edges = {{left, both, 0, 0, "%a", "Tensor"}, {right, both, 0, 1, "%b", "Tensor"}};
        const GraphIndex forked(model, false);
        QVERIFY(forked.waysBetween(left, right).empty());
        QCOMPARE(forked.waysBetween(left, both), (std::set<int>{left, both}));

        SessionBridge bridge;
        bridge.show(modelOf(model), nullptr);
        GraphView view(bridge, nullptr);
        view.resize(600, 500);
        view.show();
        QTRY_VERIFY(view.isSettled() && view.canvas()->boxFor(both));
        const auto click = [&](int node, Qt::KeyboardModifiers keys) {
            QTest::mouseClick(view.canvas(), Qt::LeftButton, keys, view.canvas()->screenRect(node).center().toPoint());
        };
        const auto colour = [&](int node) {
            const QPointF at = view.canvas()->screenRect(node).bottomLeft() + QPointF(8, -4);
            return view.canvas()->grab().toImage().pixelColor(at.toPoint());
        };
        const QColor before = colour(right);
        click(left, {});
        click(both, Qt::ShiftModifier);
        QCOMPARE(view.canvas()->path(), (std::set<int>{left, both}));
        QVERIFY(colour(right) != before);  // faint
        QTest::keyClick(view.canvas(), Qt::Key_Escape);
        QVERIFY(view.canvas()->path().empty());
        QCOMPARE(colour(right), before);
        click(left, {});
        click(right, Qt::ShiftModifier);
        QVERIFY(view.canvas()->path().empty());
        QVERIFY(view.note().contains(QStringLiteral("no value")));
    }

    void zoomOpensAndCloses() {
        auto model = std::make_shared<GraphModel>();
        int before = -1;
        std::vector<int> blocks;
        for (int i = 0; i < 12; ++i) {
            blocks.push_back(addNode(*model, -1, "Block", ("layer." + std::to_string(i)).c_str(), true));
            for (int k = 0; k < 6; ++k) {
                const int op = addNode(*model, blocks.back(), "aten::relu", "layer");
                model->edges.push_back({before, op, 0, 0, "%x", "Tensor"});
                before = op;
            }
        }
        SessionBridge bridge;
        bridge.show(modelOf(model), nullptr);
        GraphView view(bridge, nullptr);
        view.resize(700, 600);
        view.show();
        QTRY_VERIFY(view.isSettled() && view.canvas()->boxFor(blocks[2]));
        QVERIFY(view.openGroups().empty());
        const auto zoom = [&](double factor, const auto& is_done) {
            for (int i = 0; i < 30 && !is_done(); ++i) {
                const SceneBox* box = view.canvas()->boxFor(blocks[2]);
                const QRectF rect = view.canvas()->screenRect(blocks[2]);
                view.canvas()->zoomAt(box->is_open ? rect.topLeft() : rect.center(), factor);
                QTest::qWait(1);
                if (!QTest::qWaitFor([&] { return view.isSettled(); }, 5000)) return;
            }
        };
        zoom(1.2, [&] { return view.openGroups().contains(blocks[2]); });
        QCOMPARE(view.openGroups(), std::set<int>{blocks[2]});
        // What is in it can be read, from its beginning.
        QVERIFY(!view.canvas()->isFar());
        const QRectF inside = view.canvas()->screenRect(blocks[2] + 1);
        QVERIFY(QRectF(view.canvas()->rect()).contains(inside));
        zoom(1 / 1.2, [&] { return view.openGroups().empty(); });
        QVERIFY(view.openGroups().empty());
        QVERIFY(QRectF(view.canvas()->rect()).contains(view.canvas()->screenRect(blocks[2]).center()));
        // What the user opened stays open.
        view.setOpen(blocks[2], true);
        QTRY_VERIFY(view.isSettled());
        zoom(1 / 1.2, [&] { return view.canvas()->zoom() < 0.03; });
        QCOMPARE(view.openGroups(), std::set<int>{blocks[2]});
    }

    void areasAreShares() {
        const QRectF into(10, 20, 300, 200);
        const std::vector<double> weights{6, 0, 6, 4, 3, 2, 2, 1, -1};
        const std::vector<QRectF> places = squarify(weights, into);
        for (std::size_t i = 0; i < weights.size(); ++i) {
            const QRectF& place = places[i];
            const double wanted = std::max(0.0, weights[i]) / 24 * into.width() * into.height();
            QVERIFY(std::abs(place.width() * place.height() - wanted) < 1e-6);
            if (wanted == 0) continue;
            QVERIFY(into.adjusted(-1e-6, -1e-6, 1e-6, 1e-6).contains(place));
            const double ratio = std::max(place.width() / place.height(), place.height() / place.width());
            QVERIFY2(ratio < 4, qPrintable(QString::number(ratio)));
            for (std::size_t j = 0; j < i; ++j)
                QVERIFY(
                    !places[j].adjusted(1e-6, 1e-6, -1e-6, -1e-6).intersects(place.adjusted(1e-6, 1e-6, -1e-6, -1e-6)));
        }
        QVERIFY(squarify({}, into).empty());
        QVERIFY(squarify({0, 0}, into)[1].isEmpty());
    }

    void modulesAreTilesOfAMap() {
        SessionBridge bridge;
        bridge.show(testing::sampleModel(), testing::sampleRun());
        GraphView view(bridge, nullptr);
        view.resize(700, 500);
        view.show();
        QTRY_VERIFY(view.isSettled());
        view.setMapShown(true);
        QVERIFY(view.isMapShown());
        QCOMPARE(view.map()->shownSize(), ModuleMapCanvas::Size::Time);
        double all = 0;
        for (const MapTile& tile : view.map()->tiles()) {
            if (tile.depth == 0) all += tile.share;
        }
        QVERIFY(std::abs(all - 1) < 1e-9);
        const std::vector<MapTile> tiles = view.map()->tiles();
        const auto leaf = std::find_if(tiles.begin(), tiles.end(), [](const MapTile& tile) { return !tile.is_frame; });
        QVERIFY(leaf != tiles.end());
        QTest::mouseClick(view.map(), Qt::LeftButton, {}, leaf->rect.center().toPoint());
        QCOMPARE(view.canvas()->current(), leaf->node);
        QTest::mouseDClick(view.map(), Qt::LeftButton, {}, leaf->rect.center().toPoint());
        QVERIFY(view.map()->zoom() > 1);
        const std::vector<MapTile> closer = view.map()->tiles();
        const auto grown =
            std::find_if(closer.begin(), closer.end(), [&](const MapTile& tile) { return tile.node == leaf->node; });
        QVERIFY(grown != closer.end() && grown->rect.width() > leaf->rect.width());
        QVERIFY(QRectF(view.map()->rect()).adjusted(-2, -2, 2, 2).contains(grown->rect));
        QTest::keyClick(view.map(), Qt::Key_Space);
        QCOMPARE(view.map()->zoom(), 1.0);
        for (int i = 0; i < 6; ++i) {
            view.setColouring(static_cast<GraphColouring>(i));
            QVERIFY(!view.grab().isNull());
        }
        // Without a run operators are counted.
        bridge.show(testing::sampleModel(), nullptr);
        QTRY_VERIFY(view.isSettled());
        QCOMPARE(view.map()->shownSize(), ModuleMapCanvas::Size::Operators);
        QVERIFY(!view.grab().isNull());
        view.setMapShown(false);
        QVERIFY(!view.isMapShown());
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
        QVERIFY(scene && scene->find(blocks[0])->title.endsWith(QStringLiteral("  x3")));
        // In the panel a node of a folded block is marked on the one that stands for it.
        SessionBridge bridge;
        GraphView view(bridge, nullptr);
        view.resize(600, 400);
        view.setFoldRepeats(true);
        bridge.show(modelOf(model), nullptr);
        QTRY_VERIFY(view.isSettled() && view.canvas()->boxFor(blocks[1]));
        QCOMPARE(view.canvas()->boxFor(blocks[1]), view.canvas()->boxFor(blocks[0]));
        view.setFoldRepeats(false);
        QTRY_VERIFY(view.isSettled() && view.canvas()->boxFor(blocks[1]) &&
                    view.canvas()->boxFor(blocks[1]) != view.canvas()->boxFor(blocks[0]));
    }
};

QTEST_MAIN(GraphTest)
#include "graph_test.moc"
