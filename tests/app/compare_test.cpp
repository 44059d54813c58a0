// SPDX-License-Identifier: GPL-3.0-or-later
// The mode in which panels show the run beside a reference.

#include <Qsci/qsciscintilla.h>

#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QLabel>
#include <QTableView>
#include <QTemporaryDir>
#include <QTextBlock>
#include <QToolButton>
#include <QTreeView>
#include <QTreeWidget>

#include "tests/app/window_fixture.h"
#include "views/common/comparison.h"
#include "views/common/text_diff.h"
#include "views/compare/compare_view.h"
#include "views/compare/layer_table_model.h"
#include "views/events/event_model.h"
#include "views/graph/graph_view.h"
#include "views/modules/module_model.h"
#include "views/passes/passes_view.h"
#include "views/source/source_view.h"
#include "views/tensor/beside_pictures.h"
#include "views/tensor/tensor_view.h"

using namespace loupe;
using namespace loupe::testing;

class CompareTest : public WindowFixture {
    Q_OBJECT

  private slots:
    void initTestCase() { prepare(); }
    void init() { makeWindow(); }
    void cleanup() { window_.reset(); }

    void aPinnedRunIsComparedWithTheNext() {
        pinFirst("perceptron");
        QCOMPARE(QString::fromStdString(comparison().current()->label), "run 1 of perceptron.pt");
        runModel("perceptron_planted");
        QTRY_VERIFY(comparison().differences());
        QVERIFY(comparison().headline().startsWith("first divergence: net.2, aten::linear #3"));
        press(Qt::Key_D, Qt::ControlModifier);
        QTRY_COMPARE(window_->bridge().currentEvent(), 3U);
        auto* label = window_->findChild<QLabel*>(QStringLiteral("reference"));
        QVERIFY(label->isVisible());
        QVERIFY(label->text().contains("compared with"));
        capture("divergence");
    }

    void panelsGainTheirColumnsAndLoseThem() {
        auto* events = window_->findChild<QTreeView*>(QStringLiteral("eventTree"));
        auto* modules = window_->findChild<QTreeView*>(QStringLiteral("moduleTree"));
        QVERIFY(events->isColumnHidden(views::EventModel::FirstDifference));
        QVERIFY(modules->isColumnHidden(views::ModuleModel::FirstDifference));
        pinFirst("perceptron");
        runModel("perceptron_planted");
        QTRY_VERIFY(comparison().differences());
        QVERIFY(!events->isColumnHidden(views::EventModel::FirstDifference));
        QVERIFY(!modules->isColumnHidden(views::ModuleModel::FirstDifference));
        auto* model = static_cast<views::EventModel*>(events->model());
        const QAbstractItemModelTester tester(model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        const QModelIndex third = model->indexOf(3);
        QCOMPARE(third.siblingAtColumn(views::EventModel::Partner).data().toString(), QStringLiteral("\u2260 #3"));
        QVERIFY(third.siblingAtColumn(views::EventModel::LastDifference).data().toString().endsWith("dB"));
        const QModelIndex first = model->indexOf(1);
        QCOMPARE(first.siblingAtColumn(views::EventModel::LastDifference).data().toString(), QStringLiteral("equal"));
        auto* tree = static_cast<views::ModuleModel*>(modules->model());
        const QModelIndex planted = tree->indexOfModule(QStringLiteral("net.2"));
        QVERIFY(planted.siblingAtColumn(views::ModuleModel::FirstDifference).data().toDouble() > 0.01);
        action("unpin")->trigger();
        QVERIFY(events->isColumnHidden(views::EventModel::FirstDifference));
        QVERIFY(!comparison().isOn());
    }

    void theGraphIsColouredAndComesBack() {
        auto* colours = view<views::GraphView>("graph").findChild<QComboBox*>();
        const int before = colours->currentIndex();
        pinFirst("residual");
        QCOMPARE(colours->currentIndex(), static_cast<int>(views::GraphColouring::Difference));
        runModel("residual_planted");
        QTRY_VERIFY(comparison().differences());
        capture("graph");
        action("unpin")->trigger();
        QCOMPARE(colours->currentIndex(), before);
    }

    void aTensorStandsBesideItsPartner() {
        pinFirst("perceptron");
        runModel("perceptron_planted");
        QTRY_VERIFY(comparison().differences());
        auto& tensor = view<views::TensorView>("tensor");
        window_->docks().show(QStringLiteral("tensor"));
        window_->bridge().setCurrentEvent(3);
        auto* beside = tensor.findChild<views::BesidePictures*>();
        QTRY_VERIFY(beside->isOn());
        QVERIFY(!beside->difference()->isHidden());
        auto* note = tensor.findChild<QLabel*>(QStringLiteral("besideNote"));
        QTRY_VERIFY2(note->text().startsWith("from run 1 of perceptron.pt: max abs 2.5e-01"), qPrintable(note->text()));
        tensor.setDisplay(views::TensorView::Display::HeatMap);
        capture("tensor");
        const QPointF middle(beside->reference()->width() / 2.0, beside->reference()->height() / 2.0);
        QVERIFY2(beside->describe(middle).contains("difference"), qPrintable(beside->describe(middle)));
        action("unpin")->trigger();
        QTRY_VERIFY(!beside->isOn());
    }

    void severalReferencesAreATable() {
        pinFirst("perceptron");
        session::ReferenceSource source;
        source.kind = session::ReferenceSource::Kind::Variant;
        source.dtype = "bfloat16";
        comparison().pin(source);
        QTRY_COMPARE(comparison().references().size(), 2U);
        source.kind = session::ReferenceSource::Kind::File;
        source.dtype.clear();
        source.file = LOUPE_SOURCE_DIR "/tests/fixtures/compare/perceptron_planted.pt2";
        comparison().pin(source);
        QTRY_COMPARE(comparison().references().size(), 3U);
        QTRY_COMPARE(comparison().all().size(), 3U);
        window_->docks().show(QStringLiteral("compare"));
        auto* layers = window_->findChild<QTableView*>(QStringLiteral("compareLayers"));
        const QAbstractItemModelTester tester(layers->model(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        QTRY_COMPARE(layers->model()->columnCount(), views::LayerTableModel::FirstReference + 3);
        QVERIFY(layers->model()->rowCount() >= 5);
        capture("table");
        auto* choice = view<views::CompareView>("compare").findChild<QComboBox*>(QStringLiteral("reference"));
        QCOMPARE(choice->count(), 3);
    }

    void whatOnlyOneHasIsListedAndAlignedByHand() {
        pinFirst("deeper");
        runModel("perceptron");
        QTRY_VERIFY(comparison().differences());
        auto* changes = window_->findChild<QTreeWidget*>(QStringLiteral("compareChanges"));
        QCOMPARE(comparison().differences()->only_there, 2);
        QVERIFY(changes->topLevelItemCount() >= 2);
        const auto before = comparison().differences();
        comparison().setMends({{session::AlignmentMend::Kind::Apart, "forward net.0 aten::linear 1", {}}});
        QTRY_VERIFY(comparison().differences() != before);
        QCOMPARE(comparison().differences()->only_there, 3);
        const auto mended = comparison().differences();
        action("undo")->trigger();
        QTRY_VERIFY(comparison().differences() != mended);
        QCOMPARE(comparison().differences()->only_there, 2);
    }

    void gradientsMemoryAndTimelineShowBoth() {
        pinFirst("residual", true);
        runModel("residual_planted", true);
        QTRY_VERIFY(comparison().differences());
        QVERIFY(comparison().differences()->backward);
        for (const char* panel : {"gradient_flow", "memory", "timeline"}) {
            window_->docks().show(QLatin1String(panel));
            settle();
            capture(panel);
        }
        for (int tab = 0; tab < 4; ++tab) {
            window_->docks().show(QStringLiteral("compare"));
            view<views::CompareView>("compare").setTab(static_cast<views::CompareView::Tab>(tab));
            settle();
            capture(qPrintable(QStringLiteral("tab%1").arg(tab)));
        }
    }

    // An earlier run of the same source, before it was edited.
    void sourcesStandSideBySide() {
        QTemporaryDir folder;
        const QString path = folder.filePath("net.py");
        runSource(path, kSource);
        action("pin_run")->trigger();
        QTRY_VERIFY(comparison().isOn());
        auto& source = view<views::SourceView>("source");
        window_->docks().show(QStringLiteral("source"));
        auto* beside = source.findChild<QToolButton*>(QStringLiteral("besideReference"));
        QVERIFY(!beside->isHidden());
        beside->click();
        QCOMPARE(source.differences().summary(), QStringLiteral("both are the same, 14 lines"));
        runSource(path, QByteArray(kSource)
                                .replace("y.relu()", "y.tanh()")
                                .replace("nn.Linear(3, 2)", "nn.Linear(3, 2, bias=False)") +
                            "# more\n");
        QTRY_VERIFY(comparison().differences());
        QTRY_COMPARE(source.differences().changed(), 3);
        QCOMPARE(source.differences().summary(), QStringLiteral("3 lines differ"));
        QVERIFY(source.differsFromReference());
        capture("source");
        // From one difference to the next, and round.
        auto& pair = source.differences().pair();
        auto* right = source.differences().right();
        right->setFocus();
        QTest::keyClick(right, Qt::Key_Down, Qt::AltModifier);
        const int first = pair.currentRow();
        QTest::keyClick(right, Qt::Key_Down, Qt::AltModifier);
        QVERIFY(pair.currentRow() > first);
        QTest::keyClick(right, Qt::Key_Down, Qt::AltModifier);
        QTest::keyClick(right, Qt::Key_Down, Qt::AltModifier);
        QCOMPARE(pair.currentRow(), first);
        QTest::keyClick(right, Qt::Key_Up, Qt::AltModifier);
        QVERIFY(pair.currentRow() > first);
        // A click makes the line's event current; a line of the reference, that of its partner.
        chooseLine(*right, 10);
        QCOMPARE(QString::fromStdString(std::string(current().op)), QStringLiteral("aten::tanh"));
        chooseLine(*source.differences().left(), 11);
        QCOMPARE(QString::fromStdString(std::string(current().op)), QStringLiteral("aten::mul"));
        action("unpin")->trigger();
        QVERIFY(beside->isHidden());
        QVERIFY(source.editor().isVisible());
    }

    void graphsStandSideBySide() {
        pinFirst("deeper");
        runModel("perceptron");
        QTRY_VERIFY(comparison().differences());
        auto& passes = view<views::PassesView>("passes");
        window_->docks().show(QStringLiteral("passes"));
        passes.showBeside(true);
        QTRY_VERIFY(passes.isSettled() && passes.differences().changed() > 0);
        QVERIFY(passes.differences().summary().endsWith("differ"));
        capture("ir");
        // A line's node is current, and the line of its partner is marked.
        chooseLine(*passes.after(), lineWith(*passes.after(), "aten::relu"));
        QCOMPARE(QString::fromStdString(std::string(current().op)), QStringLiteral("aten::relu"));
        window_->bridge().setCurrentEvent(1);
        chooseLine(*passes.before(), lineWith(*passes.before(), "aten::relu"));
        QCOMPARE(QString::fromStdString(std::string(current().op)), QStringLiteral("aten::relu"));
        runModel("deeper");
        QTRY_VERIFY(comparison().differences());
        QTRY_VERIFY(passes.differences().summary().startsWith("both are the same"));
    }

    void arraysHaveNoTexts() {
        runModel("perceptron");
        session::ReferenceSource source;
        source.kind = session::ReferenceSource::Kind::File;
        source.file = LOUPE_SOURCE_DIR "/tests/fixtures/compare/perceptron_activations.npz";
        comparison().pin(source);
        QTRY_VERIFY(comparison().isOn());
        auto& panel = view<views::SourceView>("source");
        window_->docks().show(QStringLiteral("source"));
        panel.showBeside(true);
        QCOMPARE(panel.differences().note(),
                 QStringLiteral("perceptron_activations.npz holds arrays: it has no source"));
        QVERIFY(!panel.differsFromReference());
        QVERIFY(!view<views::PassesView>("passes").hasReference());
    }

    void aFileThatIsNoReferenceSaysWhy() {
        runModel("perceptron");
        session::ReferenceSource source;
        source.kind = session::ReferenceSource::Kind::File;
        source.file = LOUPE_SOURCE_DIR "/tests/fixtures/compare/pairs.npz";
        comparison().pin(source);
        QTRY_VERIFY(!comparison().failure().isEmpty());
        QVERIFY2(comparison().failure().contains("none of its"), qPrintable(comparison().failure()));
        QVERIFY(!comparison().isOn());
    }

  private:
    static constexpr const char* kSource =
        "import torch\n"
        "from torch import nn\n"
        "\n"
        "class Net(nn.Module):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        "        self.fc = nn.Linear(3, 2)\n"
        "\n"
        "    def forward(self, x):\n"
        "        y = self.fc(x)\n"
        "        y = y.relu()\n"
        "        return y * 2\n"
        "\n"
        "example_inputs = (torch.ones(4, 3),)\n";

    void runSource(const QString& path, const QByteArray& source) {
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(source);
        file.close();
        open(path);
        window_->bridge().run();
        QTRY_COMPARE(state(), RunState::Finished);
    }

    session::Event current() { return window_->bridge().recording()->event(window_->bridge().currentEvent()); }

    static int lineWith(const views::DiffText& side, const char* word) {
        for (QTextBlock block = side.document()->firstBlock(); block.isValid(); block = block.next()) {
            if (block.text().contains(QLatin1String(word))) return side.lineOfRow(block.blockNumber());
        }
        return -1;
    }

    // As a click does: with the focus in it.
    static void chooseLine(views::DiffText& side, int line) {
        side.setFocus();
        QTextCursor cursor = side.textCursor();
        cursor.setPosition(side.document()->findBlockByNumber(side.rowOfLine(line)).position());
        side.setTextCursor(cursor);
    }

    views::Comparison& comparison() { return views::Comparison::of(window_->bridge()); }

    void runModel(const char* name, bool backward = false) {
        open(QStringLiteral(LOUPE_SOURCE_DIR "/tests/fixtures/compare/%1.pt").arg(QLatin1String(name)));
        session::InputSpec input;
        input.source = session::InputSpec::Source::File;
        const bool is_residual = QLatin1String(name).startsWith(QLatin1String("residual"));
        input.file = std::string(LOUPE_SOURCE_DIR "/tests/fixtures/compare/") +
                     (is_residual ? "residual" : "perceptron") + ".in.npz";
        input.key = "arg0";
        window_->bridge().setInputs({input});
        auto options = window_->bridge().runOptions();
        options.backward = backward;
        window_->bridge().setRunOptions(options);
        window_->bridge().run();
        QTRY_COMPARE(state(), RunState::Finished);
    }

    void pinFirst(const char* name, bool backward = false) {
        runModel(name, backward);
        action("pin_run")->trigger();
        QTRY_VERIFY(comparison().isOn());
    }

    // A picture to be looked at, where the environment names a folder for them.
    void capture(const char* name) {
        const QString folder = qEnvironmentVariable("LOUPE_CAPTURE");
        if (folder.isEmpty()) return;
        QTest::qWait(300);
        window_->grab().save(QStringLiteral("%1/compare_%2.png").arg(folder, QLatin1String(name)));
    }
};

QTEST_MAIN(CompareTest)
#include "compare_test.moc"
