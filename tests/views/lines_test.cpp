// SPDX-License-Identifier: GPL-3.0-or-later
// Lines of the source, the graphs, kernels and assembly in the colours of the source.

#include <QScrollBar>
#include <QTest>

#include "tests/views/patience.h"
#include "tests/views/sample_run.h"
#include "views/lines/lines_view.h"

using namespace loupe;
using namespace loupe::views;

namespace {

std::shared_ptr<const session::GraphModel> graph(const char* text) {
    auto model = std::make_shared<session::GraphModel>();
    model->text = text;
    return model;
}

// Lines 3 and 5 of sample.py: two operators, which a pass fuses.
session::PassTrace trace() {
    session::PassTrace trace;
    trace.pipeline = "fusing";
    trace.places = {{"sample.py", 3, 0}, {"sample.py", 5, 0}};
    trace.initial = graph(
        "graph(%x : Tensor):\n  %1 : Tensor = aten::mul(%x)\n  %2 : Tensor = aten::relu(%1)\n"
        "  return (%2)\n");
    trace.initial_from_source = {{}, {0}, {1}, {}};
    session::PassStep step;
    step.pass = "Fuse";
    step.changed = true;
    step.graph = graph(
        "graph(%x : Tensor):\n  %2 : Tensor = prim::TensorExprGroup_0(%x)\n  return (%2)\n"
        "with prim::TensorExprGroup_0 = graph(%x : Tensor):\n  %1 : Tensor = aten::mul(%x)\n"
        "  %2 : Tensor = aten::relu(%1)\n  return (%2)\n");
    step.from_source = {{}, {0, 1}, {}, {}, {0}, {1}, {}};
    trace.steps = {step};
    return trace;
}

session::FusedGroups groups() {
    session::FusedGroupView group;
    group.name = "TensorExprGroup 0";
    group.graph = "graph(%x : Tensor):\n  %1 : Tensor = aten::mul(%x)\n  %2 : Tensor = aten::relu(%1)\n  return (%2)\n";
    group.places = {{}, {"sample.py", 3, 0}, {"sample.py", 5, 0}, {}};
    session::FusedKernelView kernel;
    kernel.backend = "llvm";
    kernel.expression = "%0: float32\n%1: float32 = Mul(%0, 2)\n%2: float32 = Relu(%1)\nreturn %2";
    kernel.from_graph = {{}, {1}, {2}};
    kernel.ir = "define void @fused() {\n  %m = fmul float %a, 2.0\n  %r = call float @max(float %m)\n}\n";
    kernel.ir_of = {-1, 1, 2, -1};
    kernel.assembly = "fused:\n\tmulps\t%xmm1, %xmm0\n\tmaxps\t%xmm2, %xmm0\n\tretq\n";
    kernel.assembly_of = {-1, 1, 2, -1};
    group.kernels = {kernel};
    session::FusedGroupView other = group;  // of a backend without machine code
    other.name = "TensorExprGroup 1";
    other.places[2] = {};
    other.kernels[0].backend = "portable";
    other.kernels[0].ir.clear();
    other.kernels[0].assembly.clear();
    return {.groups = {group, other}, .error = {}, .others = {}};
}

int rowOf(ListingPane* pane, const QString& words) {
    for (int row = 0; row < static_cast<int>(pane->lines().size()); ++row) {
        if (pane->lines()[static_cast<std::size_t>(row)].text.contains(words)) return row;
    }
    return -1;
}

}  // namespace

class LinesTest : public QObject {
    Q_OBJECT

  private slots:
    void functionsAreFoundByIndentation() {
        const auto found =
            functionsOf(QStringLiteral("import torch\n\nclass Net(Module):\n    def __init__(self):\n"
                                       "        pass\n\n    @export\n    def forward(\n        self,\n"
                                       "        x,\n    ):\n        def inner(y):\n            return y\n"
                                       "        return inner(x)\n\ndef last():\n    return 1\n"));
        QCOMPARE(found.size(), 4u);
        QCOMPARE(found[1].name, QStringLiteral("Net.forward"));
        QCOMPARE(std::pair(found[1].first, found[1].last), std::pair(8, 14));
        QCOMPARE(found[2].name, QStringLiteral("Net.forward.inner"));
        QCOMPARE(std::pair(found[3].first, found[3].last), std::pair(16, 17));
    }

    void allSidesHaveTheColoursOfTheSource() {
        SessionBridge bridge;
        bridge.show(testing::sampleModel(), nullptr);
        LinesView view(bridge, nullptr);
        view.resize(1400, 500);
        view.show();
        view.showLines(trace(), groups());
        ListingPane* source = view.pane(LinesView::Source);
        QCOMPARE(source->lines()[2].keys, std::vector<int>{0});
        QVERIFY(!source->backgroundOf(3).isValid());  // nothing came from it
        const QColor mul = source->backgroundOf(2);
        const QColor relu = source->backgroundOf(4);
        QVERIFY(mul.isValid() && relu.isValid() && mul != relu);
        const std::pair<LinesView::Side, std::pair<const char*, const char*>> rows[] = {
            {LinesView::Before, {"aten::mul", "aten::relu"}},
            {LinesView::After, {"aten::mul", "aten::relu"}},
            {LinesView::Kernel, {"Mul(", "Relu("}},
            {LinesView::Assembly, {"mulps", "maxps"}}};
        for (const auto& [side, words] : rows) {
            ListingPane* pane = view.pane(side);
            QCOMPARE(pane->backgroundOf(rowOf(pane, QLatin1String(words.first))), mul);
            QCOMPARE(pane->backgroundOf(rowOf(pane, QLatin1String(words.second))), relu);
        }
        QVERIFY(!view.pane(LinesView::Assembly)
                     ->backgroundOf(rowOf(view.pane(LinesView::Assembly), QStringLiteral("retq")))
                     .isValid());
        view.kernelText()->setCurrentIndex(1);
        ListingPane* kernel = view.pane(LinesView::Kernel);
        QCOMPARE(kernel->backgroundOf(rowOf(kernel, QStringLiteral("fmul"))), mul);
        // Why there is none.
        QVERIFY(rowOf(kernel, QStringLiteral("portable runs this kernel")) >= 0);
        QVERIFY(rowOf(view.pane(LinesView::Assembly), QStringLiteral("no machine code")) >= 0);
        QVERIFY(!view.grab().isNull());
    }

    void whatIsPointedAtIsFoundInTheOthers() {
        SessionBridge bridge;
        bridge.show(testing::sampleModel(), nullptr);
        LinesView view(bridge, nullptr);
        view.resize(1400, 90);  // few rows are in sight
        view.show();
        session::FusedGroups many = groups();
        for (int i = 0; i < 60; ++i) {
            many.groups[0].kernels[0].assembly.insert(0, "\tnop\n");
            many.groups[0].kernels[0].assembly_of.insert(many.groups[0].kernels[0].assembly_of.begin(), -1);
        }
        view.showLines(trace(), many);
        ListingPane* assembly = view.pane(LinesView::Assembly);
        const int row = rowOf(assembly, QStringLiteral("maxps"));
        QVERIFY(!assembly->isInSight(row));
        emit view.pane(LinesView::Source)->pointed({1});
        QCOMPARE(assembly->marked(), std::set<int>{1});
        QTRY_VERIFY(assembly->isInSight(row));
        QVERIFY(assembly->backgroundOf(row).alpha() > assembly->backgroundOf(row - 1).alpha());
        emit view.pane(LinesView::Source)->pointed({});
        QVERIFY(assembly->marked().empty());
        view.pane(LinesView::Before)->choose(1);
        QCOMPARE(view.pane(LinesView::Source)->marked(), std::set<int>{0});
        emit view.pane(LinesView::Source)->pointed({});  // what was chosen stays
        QCOMPARE(view.pane(LinesView::Source)->marked(), std::set<int>{0});
    }

    void oneGroupOrFunctionAlone() {
        SessionBridge bridge;
        bridge.show(testing::sampleModel(), nullptr);
        LinesView view(bridge, nullptr);
        view.show();
        view.showLines(trace(), groups());
        view.groups()->setCurrentIndex(2);  // the other: line 3 alone
        QCOMPARE(view.pane(LinesView::Before)->lines().size(), 1u);
        QVERIFY(rowOf(view.pane(LinesView::Kernel), QStringLiteral("TensorExprGroup 0")) < 0);
        view.groups()->setCurrentIndex(0);
        QCOMPARE(view.pane(LinesView::Before)->lines().size(), 4u);
        QCOMPARE(view.functions()->count(), 2);
        QCOMPARE(view.functions()->itemText(1), QStringLiteral("Sample.forward"));
        view.functions()->setCurrentIndex(1);
        QCOMPARE(view.pane(LinesView::Source)->lines().front().number, 2);
        QCOMPARE(view.pane(LinesView::Before)->lines().size(), 2u);
    }
};

QTEST_MAIN(LinesTest)
#include "lines_test.moc"
