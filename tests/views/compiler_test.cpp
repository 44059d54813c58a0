// SPDX-License-Identifier: GPL-3.0-or-later
// The compiler's panels: the pass that changed a result, kernels of fusion groups, the graph that a pipeline left under
// the debugger, constructor arguments and values in line.
#include <QTemporaryDir>
#include <QtTest>

#include "tests/views/patience.h"
#include "views/common/constructor_bar.h"
#include "views/common/theme.h"
#include "views/compile/compile_view.h"
#include "views/inputs/input_memory.h"
#include "views/inputs/inputs_view.h"
#include "views/kernels/kernels_view.h"
#include "views/memory/plan_view.h"
#include "views/passes/passes_view.h"
#include "views/source/source_view.h"

using namespace loupe;
using namespace loupe::views;

class CompilerTest : public QObject {
    Q_OBJECT

  private slots:
    // No pass changes the digits; with no tolerance at all, one does.
    void bisect() {
        SessionBridge bridge;
        PassesView view(bridge, nullptr);
        view.resize(1000, 600);
        view.show();
        view.choosePipeline(QStringLiteral("inference"));
        open(bridge, QStringLiteral(LOUPE_SOURCE_DIR "/resources/models/digits.pt"));
        QTRY_VERIFY(view.isSettled() && view.list()->topLevelItemCount() > 3);
        view.bisect()->start();
        QVERIFY(view.bisect()->isSearching());
        // How far it is, and which passes it may still be.
        session::PassBisectProgress progress;
        progress.passes = 12;
        progress.pass = "DCE";
        progress.left = 3;
        progress.low = 1000;
        progress.high = 2000;
        progress.runs.resize(1);
        view.bisect()->showProgress(progress);
        QVERIFY2(view.bisect()->verdict().contains(QStringLiteral("first 12 passes, to DCE")) &&
                     view.bisect()->verdict().contains(QStringLiteral("at most 3")),
                 view.bisect()->verdict().toUtf8());
        const QColor faint = Theme::instance().colour(Theme::Colour::Faint);
        QCOMPARE(view.list()->topLevelItem(2)->foreground(0).color(), faint);
        QTRY_VERIFY(!view.bisect()->isSearching());
        QVERIFY2(!view.bisect()->verdict().isEmpty(), "a sentence");
        session::PassBisect found;
        found.step = view.list()->topLevelItem(2)->data(0, Qt::UserRole).toInt();
        found.pass = view.list()->topLevelItem(2)->text(0).toStdString();
        found.verdict = "it was this one";
        found.runs = {{.passes = 9, .is_same = false, .worst = "out0", .max_abs = 0.5, .error = {}}};
        view.bisect()->show(found);
        QCOMPARE(view.list()->currentItem()->text(0).toStdString(), found.pass);
        QVERIFY(!view.list()->currentItem()->icon(0).isNull());
        QCOMPARE(view.bisect()->verdict(), QStringLiteral("it was this one"));
        // The name in the verdict leads back to the pass.
        found.verdict = found.pass + " changed the result";
        view.bisect()->show(found);
        view.list()->setCurrentItem(view.list()->topLevelItem(1));
        QVERIFY2(view.bisect()->label()->text().startsWith(QStringLiteral("<a href=\"%1\">").arg(found.step)),
                 view.bisect()->label()->text().toUtf8());
        emit view.bisect()->label()->linkActivated(QString::number(found.step));
        QCOMPARE(view.list()->currentItem()->text(0).toStdString(), found.pass);
        // Stopped on the way: nothing is claimed.
        view.bisect()->start();
        view.bisect()->button()->click();
        QTRY_VERIFY(!view.bisect()->isSearching());
    }

    void passesAreFound() {
        SessionBridge bridge;
        PassesView view(bridge, nullptr);
        session::PassTrace trace;
        trace.initial = std::make_shared<session::GraphModel>();
        for (const char* name : {"Inline", "ConstantFold", "FoldConvBatchNorm"}) {
            session::PassStep step;
            step.pass = name;
            step.changed = true;
            trace.steps.push_back(step);
        }
        trace.steps.back().error = "the graph is wrong: %5 is used before it is made";
        auto broken = std::make_shared<session::GraphModel>();
        broken->text = "graph():\n  %6 = aten::relu(%5)\n  return (%6)\n";
        trace.steps.back().graph = broken;
        view.showTrace(trace);
        view.filter()->setText(QStringLiteral("fold"));
        int shown = 0;
        for (int i = 0; i < view.list()->topLevelItemCount(); ++i) shown += !view.list()->topLevelItem(i)->isHidden();
        QCOMPARE(shown, 2);
        // What the failed one left can be read.
        view.list()->setCurrentItem(view.list()->topLevelItem(3));
        QVERIFY(view.after()->toPlainText().contains(QStringLiteral("aten::relu(%5)")));
    }

    void kernels() {
        SessionBridge bridge;
        KernelsView view(bridge, nullptr);
        session::FusedGroups groups;
        session::FusedGroupView group;
        group.name = "TensorExprGroup 0";
        group.scope = "mlp";
        group.operators = {"aten::mul", "aten::add"};
        group.graph = "graph(%0 : Tensor): ...";
        group.fused_seconds = 1e-3;
        group.unfused_seconds = 2e-3;
        group.bytes = 12'000'000;
        session::FusedKernelView kernel;
        kernel.backend = "llvm";
        kernel.expression = "%2: float32 = Mul(%0, %1)";
        kernel.ir = "define void @kernel";
        kernel.assembly = "vmulps %ymm0";
        group.kernels.push_back(kernel);
        groups.groups.push_back(group);
        view.showGroups(groups);
        QCOMPARE(view.list()->topLevelItem(0)->text(5), QStringLiteral("2.00x"));
        const auto labels = view.findChildren<QLabel*>();
        QVERIFY(std::ranges::any_of(
            labels, [](const QLabel* label) { return label->text().contains(QStringLiteral("12.0 GB/s")); }));
        QVERIFY(view.code()->toPlainText().contains(QStringLiteral("graph(%0")));
        const char* const pages[] = {"graph(", "Mul(%0", "", "define void", "vmulps"};
        for (int page : {1, 3, 4}) {
            view.pages()->setCurrentIndex(page);
            QVERIFY(view.code()->toPlainText().contains(QString::fromLatin1(pages[page])));
        }
        view.showGroups({});
        QVERIFY(view.code()->toPlainText().isEmpty());
    }

    // The graph that runs is the one that is shown, and its events are of its nodes; lines of the source stay known.
    void theOptimisedGraphIsDebugged() {
        SessionBridge bridge;
        open(bridge, QStringLiteral(LOUPE_SOURCE_DIR "/resources/models/digits.pt"));
        const auto read = bridge.model()->graph;
        session::RunOptions options = bridge.runOptions();
        options.pipeline = "inference";
        bridge.setRunOptions(options);
        bridge.run();
        waitFor(bridge, session::RunState::Finished);
        QTRY_COMPARE(bridge.model()->graph->pipeline, std::string("inference"));
        const auto graph = bridge.model()->graph;
        QVERIFY(graph->nodes.size() != read->nodes.size());
        int placed = 0;
        for (session::EventId id = 1; id <= bridge.recording()->event_count(); ++id) {
            const auto& event = bridge.recording()->event(id);
            if (event.graph_node < 0) continue;
            QCOMPARE(graph->nodes[static_cast<std::size_t>(event.graph_node)].kind, std::string(event.op));
            placed += event.source_line > 0;
        }
        QVERIFY(placed > 2);
        // A breakpoint on one of its nodes.
        int node = -1;
        for (const auto& each : graph->nodes) {
            if (each.kind.find("max_pool") != std::string::npos) node = each.id;
        }
        QVERIFY(node >= 0);
        bridge.toggleNodeBreakpoint(node);
        bridge.run();
        waitFor(bridge, session::RunState::Paused);
        QCOMPARE(bridge.status().next_node, node);
        bridge.session().stop();
        QTRY_VERIFY(!bridge.isBusy() && !bridge.isPaused());
        // Back to the graph as read: the breakpoint goes along.
        options.pipeline = "none";
        bridge.setRunOptions(options);
        bridge.run();
        waitFor(bridge, session::RunState::Paused);
        QCOMPARE(bridge.model()->graph->pipeline, std::string());
        QVERIFY(bridge.status().next_op.find("max_pool") != std::string::npos);
    }

    // A source is traced and checked from the panel; what is not in the trace leads to its line, here and in Source.
    void aSourceIsTraced() {
        QTemporaryDir folder;
        const QString path =
            write(folder, QStringLiteral("branch.py"),
                  "import torch\nfrom torch import nn\n\nclass Net(nn.Module):\n    def forward(self, x):\n        if "
                  "x.sum() > 0:\n            x = x * 2\n"
                  "        return x + 1\n\nmodel = Net().eval()\nexample_inputs = (torch.ones(4, 3),)\n");
        SessionBridge bridge;
        CompileView view(bridge, nullptr);
        SourceView source(bridge, nullptr);
        QVERIFY(!view.formButton(session::ModelForm::Traced)->isEnabled());
        open(bridge, path);
        QVERIFY(view.formButton(session::ModelForm::Evaluated)->isChecked());
        QVERIFY(source.constructors().isHidden());  // nobody asked
        view.formButton(session::ModelForm::Traced)->click();
        QTRY_VERIFY(bridge.model() && bridge.model()->form == session::ModelForm::Traced &&
                    bridge.status().state == session::RunState::Ready);
        QVERIFY(view.formButton(session::ModelForm::Traced)->isChecked());
        QVERIFY(view.list()->topLevelItem(0)->text(0).contains(QStringLiteral("Not in the trace: 1")));
        QTreeWidgetItem* note = view.list()->topLevelItem(0)->child(0);
        QCOMPARE(note->text(1), QStringLiteral("branch.py:6"));
        QString wanted;
        connect(&bridge, &SessionBridge::panelWanted, this, [&](const QString& id) { wanted = id; });
        emit view.list()->itemClicked(note, 0);
        QCOMPARE(bridge.currentSource().line, 6);
        QCOMPARE(wanted, QStringLiteral("source"));
        QVERIFY(source.valuesInLine().at(5).contains(QStringLiteral("Python boolean")));
        view.checkTrace();
        QTRY_VERIFY(view.isSettled());
        QVERIFY(view.list()->topLevelItem(1)->text(0).contains(QStringLiteral("differ")));
        // What cannot be is told, and the model stays as it was.
        SessionBridge archive;
        CompileView other(archive, nullptr);
        open(archive, QStringLiteral(LOUPE_SOURCE_DIR "/resources/models/digits.pt"));
        QVERIFY(!other.formButton(session::ModelForm::Scripted)->isEnabled());
        QVERIFY(other.formButton(session::ModelForm::Scripted)->toolTip().contains(QStringLiteral("script already")));
    }

    // Modes: what was measured and where the graph breaks stands in the panel; the compiled graph runs under the
    // debugger, its planned parts unfolded.
    void compileModes() {
        QTemporaryDir folder;
        qputenv("XDG_CACHE_HOME", folder.path().toUtf8());
        const QString path = write(folder, QStringLiteral("pick.py"),
                                   "import torch\nfrom torch import nn\n\nclass Pick(nn.Module):\n    def "
                                   "forward(self, x):\n        y = torch.relu(x) * 2\n        rows = torch.nonzero(y)\n"
                                   "        return torch.tanh(y).sum() + rows.sum()\n\nmodel = "
                                   "Pick().eval()\nexample_inputs = (torch.ones(3, 4),)\n");
        SessionBridge bridge;
        CompileView view(bridge, nullptr);
        open(bridge, path);
        // With backward too a run is timed beside eager, and what the mode does not do is explained.
        session::RunOptions options = bridge.runOptions();
        options.backward = true;
        bridge.setRunOptions(options);
        view.mode()->setCurrentText(QStringLiteral("default"));
        view.compile();
        QTRY_VERIFY(view.isSettled());
        QVERIFY2(view.summary()->text().contains(QStringLiteral("eager")), view.summary()->text().toUtf8());
        const QString unplanned = view.list()->topLevelItem(0)->text(0);
        QVERIFY2(unplanned.contains(QStringLiteral("memory is not planned: a backward pass")), unplanned.toUtf8());
        options.backward = false;
        bridge.setRunOptions(options);
        view.mode()->setCurrentText(QStringLiteral("max-autotune"));
        view.compile();
        QTRY_VERIFY(view.isSettled());
        QVERIFY2(view.summary()->text().contains(QStringLiteral("a run takes")), view.summary()->text().toUtf8());
        QStringList sections;
        for (int i = 0; i < view.list()->topLevelItemCount(); ++i) sections << view.list()->topLevelItem(i)->text(0);
        QVERIFY2(sections.contains(QStringLiteral("Graph breaks: 1")), sections.join('|').toUtf8());
        QVERIFY(!sections.filter(QStringLiteral("Measured, fastest first")).isEmpty());
        const int breaks = static_cast<int>(sections.indexOf(QStringLiteral("Graph breaks: 1")));
        QCOMPARE(view.list()->topLevelItem(breaks)->child(0)->text(1), QStringLiteral("pick.py:7"));
        const auto notCaptured = [&] {
            QTreeWidgetItem* const force = view.list()->topLevelItem(0);
            for (int i = 0; i < force->childCount(); ++i) {
                if (force->child(i)->text(0) == QLatin1String("Not captured: inputs are on the CPU")) return true;
            }
            return false;
        };
        QVERIFY(notCaptured());
        view.runCompiled();
        waitFor(bridge, session::RunState::Finished);
        QVERIFY(notCaptured());
        QCOMPARE(bridge.runOptions().compile_mode, std::string("max-autotune"));
        QVERIFY2(view.summary()->text().contains(QStringLiteral("a run takes")), "what was timed stays");
        const auto& graph = *bridge.model()->graph;
        QVERIFY(!graph.pipeline.empty());
        int planned = 0;
        for (session::EventId id = 1; id <= bridge.recording()->event_count(); ++id) {
            const auto& event = bridge.recording()->event(id);
            if (event.graph_node < 0) continue;
            const auto& node = graph.nodes[static_cast<std::size_t>(event.graph_node)];
            QCOMPARE(node.kind, std::string(event.op));
            planned +=
                node.parent >= 0 && graph.nodes[static_cast<std::size_t>(node.parent)].kind == "prim::StaticSubgraph";
        }
        QVERIFY(planned >= 1);  // how many depends on what was the fastest
    }

    // The plan of the digits' graph lies in one block; what a run would take otherwise is told from its recording.
    void memoryPlan() {
        SessionBridge bridge;
        PlanView view(bridge, nullptr);
        view.resize(1000, 300);
        view.setVisible(true);
        open(bridge, QStringLiteral(LOUPE_SOURCE_DIR "/resources/models/digits.pt"));
        session::MemoryPlanReport report;
        session::PlannedPart part;
        part.steps.resize(4);
        part.steps[1].op = "aten::relu";
        part.buffers = {{.use = session::PlannedMemory::Use::Value, .bytes = 64, .offset = 0, .first = 0, .last = 1},
                        {.use = session::PlannedMemory::Use::Value, .bytes = 64, .offset = 64, .first = 1, .last = 3}};
        part.block_bytes = 128;
        report.parts.push_back(part);
        report.breaks.push_back(
            {.graph_node = 1, .op = "aten::nonzero", .scope = "pick", .source = {}, .reason = "depends on elements"});
        view.show(report);
        // Later and higher is right and up.
        const QRect first = view.picture()->boxOf(0);
        const QRect second = view.picture()->boxOf(1);
        QVERIFY(second.left() > first.left() && second.bottom() < first.bottom());
        QCOMPARE(view.picture()->bufferAt(first.center()), 0);
        QCOMPARE(view.breaks()->topLevelItem(0)->text(2), QStringLiteral("depends on elements"));
        view.plan();
        QTRY_VERIFY(view.isSettled());
        session::RunOptions options = bridge.runOptions();
        options.backward = true;
        bridge.setRunOptions(options);
        bridge.run();
        waitFor(bridge, session::RunState::Finished);
        QTRY_VERIFY(view.change()->count() > 3);
        view.change()->setCurrentIndex(1);
        QVERIFY2(view.forecast().contains(QStringLiteral("peak")), view.forecast().toUtf8());
        QVERIFY(!view.forecast().contains(QStringLiteral("measured")));
        // Without warm kernels there is no time; with them there is.
        QVERIFY2(view.forecast().contains(QStringLiteral("time not predicted: none of the ")) &&
                     view.forecast().contains(QStringLiteral("Predict")),
                 view.forecast().toUtf8());
        view.findChild<QToolButton*>(QStringLiteral("whatIfPredict"))->click();
        QTRY_VERIFY(view.isSettled());
        QVERIFY2(view.forecast().contains(QStringLiteral("predicted peak")) &&
                     !view.forecast().contains(QStringLiteral("not predicted")),
                 view.forecast().toUtf8());
        view.measureButton()->click();
        QVERIFY(!view.measureButton()->isEnabled());
        QTRY_VERIFY(view.isSettled());
        QVERIFY2(view.forecast().contains(QStringLiteral("predicted peak")) &&
                     view.forecast().contains(QStringLiteral("; measured")),
                 view.forecast().toUtf8());
        // What was measured of one change is not shown under another.
        QVERIFY(view.change()->isEnabled());
        view.measureButton()->click();
        QVERIFY(!view.change()->isEnabled());
        view.change()->setCurrentIndex(2);
        QTRY_VERIFY(view.isSettled());
        QVERIFY2(!view.forecast().contains(QStringLiteral("; measur")), view.forecast().toUtf8());
        QVERIFY(view.change()->isEnabled());
        view.change()->setCurrentIndex(0);
        QVERIFY(!view.measureButton()->isEnabled());
    }

    void argumentsOfCalls() {
        using Pairs = std::vector<std::pair<QString, QString>>;
        const QString call = QStringLiteral("Net(3, depth=[1, 2], norm='a, b', f=lambda x: x == 1)");
        QCOMPARE(argumentsOf(call), (Pairs{{QString(), QStringLiteral("3")},
                                           {QStringLiteral("depth"), QStringLiteral("[1, 2]")},
                                           {QStringLiteral("norm"), QStringLiteral("'a, b'")},
                                           {QStringLiteral("f"), QStringLiteral("lambda x: x == 1")}}));
        QVERIFY(argumentsOf(QStringLiteral("Net")).empty());
    }

    void constructorArgumentsAndValuesInLine() {
        QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("net.py"));
        {
            QFile file(path);
            QVERIFY(file.open(QIODevice::WriteOnly));
            file.write(
                "import torch\nfrom torch import nn\n\nclass Net(nn.Module):\n    def __init__(self, wide, "
                "scale=2.0):\n        super().__init__()\n"
                "        self.fc = nn.Linear(3, wide)\n        self.scale = scale\n\n    def forward(self, x):\n       "
                " y = self.fc(x)\n        return y * self.scale\n\n"
                "example_inputs = (torch.ones(4, 3),)\n");
        }
        SessionBridge bridge;
        SourceView view(bridge, nullptr);
        view.resize(700, 500);
        view.show();
        InputsView inputs(bridge, nullptr);
        inputs.resize(380, 560);
        inputs.show();
        bridge.open(path);
        // What was guessed stands in the form of the panel Inputs, to be changed.
        ConstructorBar& form = inputs.constructors();
        QTRY_VERIFY(form.isVisible());
        QVERIFY(view.constructors().isHidden());
        QVERIFY2(form.why().contains(QStringLiteral("guessed (names and uses)")), qPrintable(form.why()));
        QVERIFY(form.field(QStringLiteral("wide")) != nullptr);
        QCOMPARE(form.field(QStringLiteral("wide"))->text(), QStringLiteral("64"));
        QCOMPARE(form.expression(), QStringLiteral("Net(wide=64)"));
        QCOMPARE(form.field(QStringLiteral("scale"))->placeholderText(), QStringLiteral("2.0"));
        form.field(QStringLiteral("wide"))->setText(QStringLiteral("5"));
        form.field(QStringLiteral("scale"))->setText(QStringLiteral("3.0"));
        QCOMPARE(form.expression(), QStringLiteral("Net(5, 3.0)"));
        form.field(QStringLiteral("wide"))->clear();
        QCOMPARE(form.expression(), QStringLiteral("Net(scale=3.0)"));
        form.field(QStringLiteral("wide"))->setText(QStringLiteral("7"));
        form.build();
        waitFor(bridge, session::RunState::Ready);
        QCOMPARE(recallConstructor(path), QStringLiteral("Net(7, 3.0)"));
        QCOMPARE(form.field(QStringLiteral("wide"))->text(), QStringLiteral("7"));
        bridge.toggleLineBreakpoint(path, 12);
        bridge.run();
        waitFor(bridge, session::RunState::Paused);
        QTRY_VERIFY(view.valuesInLine().contains(10));
        const QString values = QStringList(view.valuesInLine().at(10)).join(QLatin1Char(' '));
        QVERIFY2(values.contains(QStringLiteral("y = float32 4x7")), qPrintable(values));
        bridge.run();
        waitFor(bridge, session::RunState::Finished);
        QTRY_VERIFY(view.valuesInLine().empty());
    }

  private:
    static QString write(const QTemporaryDir& folder, const QString& name, const char* text) {
        QFile file(folder.filePath(name));
        if (!file.open(QIODevice::WriteOnly)) return {};
        file.write(text);
        return file.fileName();
    }
    void open(SessionBridge& bridge, const QString& file) {
        bridge.open(file);
        waitFor(bridge, session::RunState::Ready);
    }
    void waitFor(SessionBridge& bridge, session::RunState state) { QTRY_VERIFY(bridge.status().state == state); }
};

QTEST_MAIN(CompilerTest)
#include "compiler_test.moc"
