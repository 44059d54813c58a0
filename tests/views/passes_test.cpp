// SPDX-License-Identifier: GPL-3.0-or-later
// IR and passes: the difference of two texts, and the panel.

#include <QTest>
#include <QTextBlock>
#include <QTextLayout>
#include <random>

#include "tests/views/patience.h"
#include "tests/views/sample_run.h"
#include "views/common/diff_text.h"
#include "views/passes/line_origins.h"
#include "views/passes/passes_view.h"

using namespace loupe;
using namespace loupe::views;

namespace {

std::shared_ptr<const session::GraphModel> graph(const std::string& text) {
    auto made = std::make_shared<session::GraphModel>();
    made->text = text;
    return made;
}

session::PassTrace trace() {
    session::PassTrace made;
    made.pipeline = "test";
    made.initial = graph(
        "graph(%x : Tensor):\n  %1 : int = prim::Constant[value=1]()\n  %2 : Tensor = aten::relu(%x)\n  return (%2)\n");
    session::PassStep idle;
    idle.pass = "Inline";
    idle.nodes_before = idle.nodes_after = 2;
    session::PassStep dce;
    dce.pass = "DCE";
    dce.changed = true;
    dce.nodes_before = 2;
    dce.nodes_after = 1;
    dce.graph = graph("graph(%x : Tensor):\n  %2 : Tensor = aten::relu(%x)\n  return (%2)\n");
    dce.came_from = {{0}, {2}, {3}};
    made.steps = {idle, dce};
    return made;
}

}  // namespace

class PassesTest : public QObject {
    Q_OBJECT

  private slots:
    void differencesHoldBothTexts() {
        std::mt19937 random(3);
        for (int round = 0; round < 200; ++round) {
            QStringList left;
            QStringList right;
            for (unsigned i = 0; i < random() % 30; ++i) left << QString::number(random() % 6);
            right = left;
            for (unsigned i = 0; i < random() % 8; ++i) {
                if (random() % 2 == 0 && !right.empty())
                    right.removeAt(static_cast<qsizetype>(random() % static_cast<unsigned>(right.size())));
                else
                    right.insert(static_cast<qsizetype>(random() % static_cast<unsigned>(right.size() + 1)),
                                 QString::number(random() % 6));
            }
            int next_left = 0;
            int next_right = 0;
            for (const DiffRow& row : diffLines(left, right)) {
                if (row.left >= 0) QCOMPARE(row.left, next_left++);
                if (row.right >= 0) QCOMPARE(row.right, next_right++);
                if (row.kind == DiffRow::Kind::Same) QCOMPARE(left[row.left], right[row.right]);
                if (row.kind == DiffRow::Kind::Added) QCOMPARE(row.left, -1);
                if (row.kind == DiffRow::Kind::Removed) QCOMPARE(row.right, -1);
            }
            QCOMPARE(next_left, static_cast<int>(left.size()));
            QCOMPARE(next_right, static_cast<int>(right.size()));
        }
    }

    // By provenance: another name of a value is no change.
    void nodesAreRemovedAddedAndChanged() {
        const QStringList left{QStringLiteral("graph(%x : Tensor):"), QStringLiteral("  %1 : Tensor = aten::relu(%x)"),
                               QStringLiteral("  %2 : Tensor = aten::dropout(%1)"),
                               QStringLiteral("  %3 : Tensor = aten::batch_norm(%2)"), QStringLiteral("  return (%3)")};
        const QStringList right{QStringLiteral("graph(%x : Tensor):"), QStringLiteral("  %7 : Tensor = aten::relu(%x)"),
                                QStringLiteral("  %8 : Tensor = aten::mul(%7)"),
                                QStringLiteral("  %9 : Tensor = aten::add(%8)"), QStringLiteral("  return (%9)")};
        const LineChanges changes = lineChanges(left, right, {{0}, {1}, {3}, {}, {4}});
        using Changes = std::map<int, GraphChange>;
        QCOMPARE(changes.left, (Changes{{2, GraphChange::Removed}, {3, GraphChange::Changed}}));
        QCOMPARE(changes.right, (Changes{{2, GraphChange::Changed}, {3, GraphChange::Added}}));
        QCOMPARE(sharedOrigins({{0}, {4}, {2}}, {{0}, {2, 4}, {7}}), (LineOrigins{{0}, {1, 2}, {}}));
    }

    void kernelsAreCounted() {
        SessionBridge bridge;
        bridge.show(testing::sampleModel(), nullptr);
        PassesView view(bridge, nullptr);
        view.resize(1000, 500);
        view.show();
        session::PassTrace one = trace();
        one.initial_kernels = {.operators = 9, .kernels = 7, .fusion_groups = 0};
        one.steps[0].kernels = one.initial_kernels;
        one.steps[1].kernels = {.operators = 9, .kernels = 3, .fusion_groups = 1};
        view.showTrace(one);
        QCOMPARE(view.list()->headerItem()->text(2), QStringLiteral("Kernels"));
        QCOMPARE(view.list()->topLevelItem(0)->text(2), QStringLiteral("7"));
        QCOMPARE(view.list()->topLevelItem(1)->text(2), QStringLiteral("7 \u2192 3"));
        const auto shows = [&](const QString& words) {
            const auto labels = view.findChildren<QLabel*>();
            return std::any_of(labels.begin(), labels.end(),
                               [&](const QLabel* label) { return label->text().contains(words); });
        };
        QVERIFY(shows(QStringLiteral("3 kernels (1 of fusion groups), 9 operators")));
        QVERIFY(shows(QStringLiteral("kernels 7 \u2192 3")));
    }

    void linesOfTwoPipelinesAreLinkedByWhereTheyCameFrom() {
        const session::PassTrace one = trace();
        QCOMPARE(lineOrigins(one, -1).size(), 5u);  // the text ends with a line break
        QCOMPARE(lineOrigins(one, 1), (LineOrigins{{0}, {2}, {3}}));
        // One that goes on: the relu is fused with what it was made of nothing.
        session::PassTrace two = trace();
        session::PassStep fuse;
        fuse.pass = "Fuse";
        fuse.changed = true;
        fuse.graph = graph("graph(%x : Tensor):\n  %4 : Tensor = prim::TensorExprGroup(%x)\n  return (%4)\n");
        fuse.came_from = {{0}, {1, 7}, {2}};  // 7: no line
        two.pipeline = "fusing";
        two.steps.push_back(fuse);
        const LineOrigins fused = lineOrigins(two, 2);
        QCOMPARE(fused, (LineOrigins{{0}, {2}, {3}}));
        QCOMPARE(linesFrom(fused, {2}), std::vector<int>{1});
        QVERIFY(linesFrom(fused, {1}).empty());
        QVERIFY(lineOrigins({}, 3).empty());

        SessionBridge bridge;
        bridge.show(testing::sampleModel(), nullptr);
        PassesView view(bridge, nullptr);
        view.resize(1000, 500);
        view.show();
        view.showTrace(one);
        view.showOther(two);
        QVERIFY(view.before()->toPlainText().contains(QStringLiteral("TensorExprGroup")));
        QVERIFY(view.after()->toPlainText().contains(QStringLiteral("aten::relu")));
        view.showOther({});
        QVERIFY(view.before()->toPlainText().contains(QStringLiteral("prim::Constant")));
    }

    void differencesAreShort() {
        const auto rows = diffLines({QStringLiteral("a"), QStringLiteral("b"), QStringLiteral("c")},
                                    {QStringLiteral("a"), QStringLiteral("c"), QStringLiteral("d")});
        const auto same =
            std::count_if(rows.begin(), rows.end(), [](const DiffRow& row) { return row.kind == DiffRow::Kind::Same; });
        QCOMPARE(same, 2);
        const auto changed = diffLines({QStringLiteral("%1 : Tensor = aten::relu(%x)")},
                                       {QStringLiteral("%7 : Tensor = aten::relu(%x)")});
        QCOMPARE(changed.size(), 1u);
        QVERIFY(changed.front().kind == DiffRow::Kind::Changed);
    }

    void panel() {
        SessionBridge bridge;
        PassesView view(bridge, nullptr);
        view.resize(1000, 500);
        view.show();
        view.showTrace(trace());
        // The graph as read, and the one pass that changed it.
        QCOMPARE(view.list()->topLevelItemCount(), 2);
        QCOMPARE(view.list()->currentItem()->text(0), QStringLiteral("DCE"));
        QCOMPARE(view.before()->blockCount(), view.after()->blockCount());
        QVERIFY(view.before()->toPlainText().contains(QStringLiteral("prim::Constant")));
        QVERIFY(!view.after()->toPlainText().contains(QStringLiteral("prim::Constant")));
        // Line 1 after came from line 2 before.
        emit view.after()->lineChosen(1);
        QVERIFY(!view.before()->extraSelections().empty());
        view.list()->setCurrentItem(view.list()->topLevelItem(0));
        QCOMPARE(view.before()->toPlainText(), view.after()->toPlainText());
    }

    void onlyLinesInSightAreColoured() {
        QStringList lines;
        std::vector<DiffRow> rows;
        for (int i = 0; i < 5000; ++i) {
            lines << QStringLiteral("  %2 : Tensor = aten::relu(%x)");
            rows.push_back({DiffRow::Kind::Same, i, i});
        }
        DiffText text(DiffText::Side::Left);
        text.resize(600, 300);
        text.setRows(lines, rows);
        text.grab();
        const auto coloured = [&](int line) {
            return !text.document()->findBlockByNumber(line).layout()->formats().empty();
        };
        QVERIFY(coloured(0) && coloured(5));
        QVERIFY(!coloured(4990));
        text.moveCursor(QTextCursor::End);
        text.grab();
        QVERIFY(coloured(4990));
    }

    void graphsAreDrawnAndNodesFollowed() {
        auto traced = trace();
        // One node, relu, on line 2 before and line 1 after.
        const auto drawn = [](const session::GraphModel& model) {
            auto copy = std::make_shared<session::GraphModel>(model);
            session::GraphNode relu;
            relu.id = 0;
            relu.kind = "aten::relu";
            relu.label = "relu";
            copy->nodes = {relu};
            copy->inputs = {"x"};
            copy->outputs = {"2"};
            copy->edges = {{-1, 0, 0, 0, "%x", "Tensor"}, {0, -1, 0, 0, "%2", "Tensor"}};
            return copy;
        };
        traced.initial = drawn(*traced.initial);
        traced.steps[1].graph = drawn(*traced.steps[1].graph);
        SessionBridge bridge;
        PassesView view(bridge, nullptr);
        view.resize(1000, 500);
        view.show();
        view.showTrace(traced);
        view.showAsGraph(true);
        QTRY_VERIFY(view.isSettled() && view.graphAfter()->canvas()->boxFor(0) &&
                    view.graphBefore()->canvas()->boxFor(0));
        QCOMPARE(view.graphBefore()->lineOf(0), 2);
        QCOMPARE(view.graphAfter()->lineOf(0), 1);
        // A click on a node marks what it came from.
        QTest::mouseClick(view.graphAfter()->canvas(), Qt::LeftButton, {},
                          view.graphAfter()->canvas()->screenRect(0).center().toPoint());
        QCOMPARE(view.graphAfter()->canvas()->current(), 0);
        QCOMPARE(view.graphBefore()->canvas()->matches(), std::set<int>{0});
    }
};

QTEST_MAIN(PassesTest)
#include "passes_test.moc"
