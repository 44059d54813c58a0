// SPDX-License-Identifier: GPL-3.0-or-later
// Runs in the window: inputs that are drawn or typed, NaNs, losses, checks, and runs that are saved.

#include <Qsci/qsciscintilla.h>

#include <QAction>
#include <QDir>
#include <QDockWidget>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMainWindow>
#include <QMenu>
#include <QMimeData>
#include <QPointer>
#include <QPushButton>
#include <QRegularExpression>
#include <QSettings>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QStatusBar>
#include <QTabBar>
#include <QTemporaryDir>
#include <QTest>
#include <QTextBrowser>
#include <QToolButton>
#include <QTreeView>
#include <QTreeWidget>
#include <cmath>

#include "app/window/banner.h"
#include "app/window/docks.h"
#include "app/window/main_window.h"
#include "app/window/program_recorder.h"
#include "app/window/weights_loader.h"
#include "tests/app/window_fixture.h"
#include "tests/views/patience.h"
#include "views/common/elided_label.h"
#include "views/common/format.h"
#include "views/common/theme.h"
#include "views/events/event_model.h"
#include "views/events/events_view.h"
#include "views/inputs/backward_form.h"
#include "views/inputs/drawing_pad.h"
#include "views/inputs/input_model.h"
#include "views/inputs/inputs_view.h"
#include "views/modules/module_model.h"
#include "views/modules/modules_view.h"
#include "views/passes/passes_view.h"
#include "views/registry.h"
#include "views/source/source_view.h"

using namespace loupe;
using session::RunState;
using testing::fixture;
using testing::model;

namespace {

// How long the GUI thread was away from its event loop at most.
class StallWatch : public QObject {
  public:
    StallWatch() {
        timer_.setInterval(5);
        connect(&timer_, &QTimer::timeout, this, [this] { longest_ = std::max(longest_, clock_.restart()); });
        clock_.start();
        timer_.start();
    }
    qint64 longest() const { return longest_; }

  private:
    QTimer timer_;
    QElapsedTimer clock_;
    qint64 longest_ = 0;
};

}  // namespace

class WindowRunsTest : public testing::WindowFixture {
    Q_OBJECT

  private slots:
    void initTestCase() { prepare(); }
    void init() { makeWindow(); }
    void cleanup() { window_.reset(); }

    // A source is a program too: the whole of it is recorded, and looked at in the same window.
    void aProgramIsRecordedWhole() {
        window::ProgramRecorder::setProgram(QStringLiteral(LOUPE_BINARY_DIR "/bin/tensorloupe-cli"));
        const QTemporaryDir folder;
        const QString file = folder.filePath(QStringLiteral("loop.py"));
        const auto write = [&](const char* end) {
            QFile out(file);
            QVERIFY(out.open(QIODevice::WriteOnly));
            out.write(
                "import torch\nmodel = torch.nn.Linear(2, 3)\nexample_inputs = (torch.ones(1, 2),)\n"
                "if __name__ == '__main__':\n    for step in range(3):\n"
                "        model(torch.ones(1, 2)).sum().backward()\n        print('step', step)\n");
            out.write(end);
        };
        for (const char* end : {"", "    raise ValueError('no more')\n"}) {
            write(end);
            open(file);
            QVERIFY(action("record_program")->isEnabled());
            window_->recordProgram(file, 1);
            QVERIFY(!action("record_program")->isEnabled());
            const auto isThere = [&] {
                const auto& shown = window_->bridge().model();
                return shown && QString::fromStdString(shown->recorded_in).endsWith(QLatin1String("/loop.loupe"));
            };
            QTRY_VERIFY_WITH_TIMEOUT(isThere() && window_->bridge().recording(), 60000);
            const session::Recording& recorded = *window_->bridge().recording();
            int linears = 0;
            for (session::EventId id = 1; id <= recorded.event_count(); ++id)
                linears += recorded.event(id).op == "aten::linear" || recorded.event(id).op == "aten::addmm";
            QCOMPARE(linears, 3);
            QVERIFY(
                std::ranges::any_of(window_->bridge().log(), [](const auto& line) { return line.text == "step 2"; }));
            // It goes with the window.
            QVERIFY(!QSettings()
                         .value(QStringLiteral("recentFiles"))
                         .toStringList()
                         .join(u'\n')
                         .contains(QLatin1String("loop.loupe")));
            settle();
            auto* banner = window_->findChild<window::Banner*>();
            if (*end != 0)
                QTRY_VERIFY2(banner->isVisible() && banner->message().contains(QLatin1String("ValueError: no more")),
                             qPrintable(banner->message()));
        }
    }

    void wrongInputsLeaveWhatWasRecorded() {
        open(model("digits"));
        auto inputs = window_->bridge().inputs();
        QVERIFY(!inputs.empty());
        inputs[0] = session::parse_input_spec("1x3x8x8");
        window_->bridge().setInputs(inputs);
        press(Qt::Key_F5);
        QTRY_COMPARE(state(), RunState::Failed);
        QVERIFY(!window_->bridge().status().error.empty());
        auto* banner = window_->findChild<window::Banner*>();
        QTRY_VERIFY(banner->isVisible());
        // Where it happened: the convolution is current, and the list and the graph say why.
        const auto& bridge = window_->bridge();
        QTRY_VERIFY(bridge.currentEvent() != 0);
        const auto& event = bridge.recording()->event(bridge.currentEvent());
        QVERIFY(event.failed);
        QCOMPARE(views::text(event.scope), QStringLiteral("features.conv1"));
        const auto& tree = view<views::EventsView>("events").tree();
        QTRY_VERIFY(tree.currentIndex().data(Qt::ToolTipRole).toString().contains(QStringLiteral("expected input")));
        // The way out.
        for (auto* link : banner->findChildren<QPushButton*>()) {
            if (link->text() == QStringLiteral("Change inputs")) QTest::mouseClick(link, Qt::LeftButton);
        }
        QVERIFY(!banner->isVisible());
        QTRY_VERIFY(testing::isActive(*window_) &&
                    window_->docks().focused() == window_->docks().view(QStringLiteral("inputs")));
    }

    // A tuple that PyTorch saved is the arguments, as on the command line.
    void aFileGivesAllInputs() {
        open(QStringLiteral(LOUPE_SOURCE_DIR "/tests/plugins/python/small_net.py"));
        auto& inputs = view<views::InputsView>("inputs");
        inputs.takeFile(QStringLiteral(LOUPE_SOURCE_DIR "/tests/fixtures/pytorch_recordings/inputs.pt"));
        QTRY_COMPARE(window_->bridge().inputs().at(0).shape, (session::Shape{2, 1, 11, 11}));
        press(Qt::Key_F5);
        QTRY_COMPARE(state(), RunState::Finished);
        QSignalSpy refused(&inputs, &views::InputsView::refused);
        inputs.takeFile(QStringLiteral("/nowhere/inputs.npz"));
        QTRY_COMPARE(refused.size(), 1);
        QCOMPARE(window_->bridge().inputs().at(0).shape, (session::Shape{2, 1, 11, 11}));
    }

    void theWindowStaysAwakeWhileTheModelRuns() {
        open(fixture("resnet18"));
        auto inputs = window_->bridge().inputs();
        inputs[0] = session::parse_input_spec("8x3x64x64");
        window_->bridge().setInputs(inputs);
        auto options = window_->bridge().runOptions();
        options.backward = true;
        window_->bridge().setRunOptions(options);
        settle();
        StallWatch watch;
        press(Qt::Key_F5);
        QElapsedTimer clock;
        clock.start();
        QTRY_COMPARE(state(), RunState::Finished);
        const qint64 run = clock.elapsed();
        qInfo("longest stall %lld ms in %lld", static_cast<long long>(watch.longest()), static_cast<long long>(run));
        // Figures are printed, not asserted; a window that stood still for as long as the model ran is broken.
        QVERIFY(watch.longest() < std::max<qint64>(2000, run / 2));
    }

    void aDigitIsDrawnAndRead() {
        open(model("digits"));
        auto& inputs = view<views::InputsView>("inputs");
        // The sample that ships is seen before anything runs.
        QTRY_VERIFY(!inputs.pad().picture().isEmpty() && inputs.pad().isDrawable());
        QTest::mouseClick(window_->findChild<QPushButton*>(QStringLiteral("clearPad")), Qt::LeftButton);
        QTRY_COMPARE(state(), RunState::Finished);
        // A one: a stroke down the middle.
        QWidget* pad = &inputs.pad();
        const int middle = pad->width() / 2;
        QTest::mousePress(pad, Qt::LeftButton, {}, {middle, 6});
        for (int y = 6; y < pad->height() - 5; y += 6) QTest::mouseMove(pad, {middle, y});
        QTest::mouseRelease(pad, Qt::LeftButton, {}, {middle, pad->height() - 6});
        QCOMPARE(inputs.model().specs().front().source, session::InputSpec::Source::File);
        QTRY_VERIFY2(inputs.answer().startsWith(QStringLiteral("Output: 1 (")), qPrintable(inputs.answer()));
        // It is still there when the model is opened again.
        const std::string drawn = inputs.model().specs().front().file;
        action("close")->trigger();
        QTRY_VERIFY(!window_->bridge().model());
        open(model("digits"));
        QTRY_VERIFY(!window_->bridge().inputs().empty() && window_->bridge().inputs().front().file == drawn);
    }

    // Drawn while the model still ran on what was there before: it runs once more, on the drawing.
    void whatIsDrawnDuringARunIsReadAfterIt() {
        QTemporaryDir folder;
        const QString source = folder.filePath(QStringLiteral("side.py"));
        QFile file(source);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(
            "import torch, torch.nn as nn\n"
            "class Side(nn.Module):\n"
            "    def forward(self, x):\n"
            "        for _ in range(3000):\n"
            "            x = x + 0.0\n"
            "        return torch.stack([x[..., :4].sum(), x[..., 4:].sum()]).unsqueeze(0)\n"
            "model = Side()\n"
            "example_inputs = (torch.zeros(1, 1, 8, 8),)\n");
        file.close();
        open(source);
        auto& inputs = view<views::InputsView>("inputs");
        QTRY_VERIFY(inputs.pad().isDrawable());
        bool isDrawn = false;
        QWidget* pad = &inputs.pad();
        connect(&window_->bridge(), &views::SessionBridge::statusChanged, pad, [&] {
            if (isDrawn || !window_->bridge().isBusy()) return;
            isDrawn = true;
            const int right = pad->width() - 8;
            QTest::mousePress(pad, Qt::LeftButton, {}, {right, 6});
            QTest::mouseMove(pad, {right, pad->height() / 2});
            QTest::mouseRelease(pad, Qt::LeftButton, {}, {right, pad->height() - 6});
        });
        // A run may be over before the window hears that it began.
        for (int i = 0; i < 50 && !isDrawn; ++i) {
            action("run")->trigger();
            QTRY_VERIFY(isDrawn || state() == RunState::Finished);
        }
        QVERIFY(isDrawn);
        QTRY_VERIFY2(inputs.answer().startsWith(QStringLiteral("Output: 1 (")), qPrintable(inputs.answer()));
    }

    void aTextIsTypedAndContinued() {
        open(model("gpt"));
        auto& inputs = view<views::InputsView>("inputs");
        auto* words = window_->findChild<QLineEdit*>(QStringLiteral("words"));
        QTRY_VERIFY(words->isVisible() && !words->text().isEmpty());
        words->selectAll();
        QTest::keyClicks(words, QStringLiteral("abcdefgh"));
        QTest::keyClick(words, Qt::Key_Return);
        QTRY_VERIFY2(inputs.answer().startsWith(QStringLiteral("Next: \u201ci\u201d")), qPrintable(inputs.answer()));
        QCOMPARE(inputs.model().specs().front().shape, (session::Shape{1, 8}));
    }

    void passesAreCheckedNumerically() {
        open(model("digits"));
        auto& passes = view<views::PassesView>("passes");
        window_->docks().show(QStringLiteral("passes"));
        passes.choosePipeline(QStringLiteral("freeze"));
        QTRY_VERIFY(passes.isSettled() && passes.list()->topLevelItemCount() > 2);
        QTest::mouseClick(window_->findChild<QWidget*>(QStringLiteral("checkPasses")), Qt::LeftButton);
        QTreeWidgetItem* last = nullptr;
        QTRY_VERIFY((last = passes.list()->topLevelItem(passes.list()->topLevelItemCount() - 1)) &&
                    !last->text(4).isEmpty());
        // Folding batch normalisation rounds differently, and no more.
        bool ok = false;
        const double difference = last->text(4).toDouble(&ok);
        QVERIFY2(ok && difference < 1e-4, qPrintable(last->text(4)));
        // Not while a run is parked.
        press(Qt::Key_F7);
        QTRY_COMPARE(state(), RunState::Paused);
        auto* button = window_->findChild<QWidget*>(QStringLiteral("checkPasses"));
        QVERIFY(!button->isEnabled());
        QVERIFY(button->toolTip().contains(QStringLiteral("stop it first")));
        press(Qt::Key_F5, Qt::ShiftModifier);
    }

    void aRunIsSavedAndOpenedAgain() {
        open(model("digits"));
        QVERIFY(!action("save_run")->isEnabled());
        press(Qt::Key_F7);
        QTRY_COMPARE(state(), RunState::Paused);
        press(Qt::Key_F5);
        QTRY_COMPARE(state(), RunState::Finished);
        QTRY_VERIFY(action("save_run")->isEnabled());
        const auto events = window_->bridge().eventCount();
        QTemporaryDir folder;
        const QString file = folder.filePath(QStringLiteral("run.loupe"));
        window_->saveRun(file);
        const auto isWritten = [this] {
            const auto& log = window_->bridge().log();
            return std::any_of(log.begin(), log.end(), [](const auto& entry) {
                return entry.text.find("was written to") != std::string::npos;
            });
        };
        QTRY_VERIFY(isWritten());
        action("close")->trigger();
        QTRY_VERIFY(!window_->bridge().model());
        window_->takeFile(file);
        QTRY_VERIFY(window_->bridge().model() && state() == RunState::Finished &&
                    window_->bridge().eventCount() == events);
        QTRY_COMPARE(view<views::EventsView>("events").model().acceptedCount(), events);
        window_->saveRun(folder.filePath(QStringLiteral("missing/run.loupe")));
        QTRY_VERIFY(window_->findChild<window::Banner*>()->isVisible());
    }

    // Bookmarks and notes go with a run that is given to others; its panels when they are asked for.
    void aRunIsSharedWithItsNotes() {
        open(model("digits"));
        action("run")->trigger();
        QTRY_COMPARE(state(), RunState::Finished);
        auto& bridge = window_->bridge();
        bridge.toggleBookmark(3);
        bridge.setNote(5, QStringLiteral("  here it begins "));
        bridge.setNote(7, QStringLiteral("x"));
        bridge.setNote(7, {});
        bridge.setNote(999999, QStringLiteral("nowhere"));
        auto& events = view<views::EventsView>("events").model();
        const auto flags = [&](session::EventId event) {
            return events.indexOf(event).siblingAtColumn(views::EventModel::Flags).data().toString();
        };
        QTRY_VERIFY(events.isCaughtUp());
        QCOMPARE(flags(5), QStringLiteral("here it begins"));
        QCOMPARE(flags(3), QStringLiteral("\u2605"));
        bridge.setCurrentEvent(4);
        window_->docks().show(QStringLiteral("source"));
        settle();
        QTemporaryDir folder;
        const QString file = folder.filePath(QStringLiteral("run.loupe"));
        window_->saveRun(file);
        QTRY_VERIFY(QFile::exists(file));
        QTRY_VERIFY(!bridge.hasUnsavedRun());
        action("close")->trigger();
        QTRY_VERIFY(!bridge.model());
        window_->docks().resetLayout();
        window_->openFile(file);
        QTRY_VERIFY(bridge.model() && bridge.notes().size() == 1);
        QCOMPARE(bridge.notes().at(5), QStringLiteral("here it begins"));
        QCOMPARE(bridge.bookmarks(), std::vector<session::EventId>{3});
        auto* banner = window_->findChild<window::Banner*>();
        QTRY_VERIFY(banner->isVisible());
        QVERIFY2(banner->message().contains(QStringLiteral("1 bookmark and 1 note")), qPrintable(banner->message()));
        QVERIFY(bridge.currentEvent() != 4);
        banner->findChildren<QPushButton*>().front()->click();
        QTRY_COMPARE(bridge.currentEvent(), session::EventId{4});
        QTRY_VERIFY(window_->docks().view(QStringLiteral("source"))->isVisible());
    }

    // A loss is typed in Inputs with its target; the first event of backward, and the header of the gradients, say it.
    void backwardStartsFromTheLossThatIsChosen() {
        open(model("digits"));
        window_->docks().show(QStringLiteral("inputs"));
        auto& form = view<views::InputsView>("inputs").backwardForm();
        QTRY_VERIFY(testing::isActive(*window_));
        form.kind()->setFocus();
        form.kind()->lineEdit()->selectAll();
        QTest::keyClicks(form.kind()->lineEdit(), QStringLiteral("cross_entropy"));
        QTest::keyClick(form.kind()->lineEdit(), Qt::Key_Return);
        QTRY_VERIFY(form.detail()->hasFocus());
        QTest::keyClicks(form.detail(), QStringLiteral("[3]"));
        QTest::keyClick(form.detail(), Qt::Key_Return);
        QVERIFY(window_->bridge().runOptions().backward);
        press(Qt::Key_F5);
        QTRY_COMPARE(state(), RunState::Finished);
        const auto recording = window_->bridge().recording();
        const session::BackwardStart* start = recording->backward_start();
        QVERIFY(start != nullptr);
        QCOMPARE(views::text(start->text), QStringLiteral("CrossEntropyLoss(), target [3]"));
        QCOMPARE(views::text(recording->event(start->event).op),
                 QStringLiteral("backward from: CrossEntropyLoss(), target [3]"));
        window_->docks().show(QStringLiteral("gradient_flow"));
        const auto* header = window_->findChild<QLabel*>(QStringLiteral("backwardStart"));
        QTRY_VERIFY2(header->text().contains(QStringLiteral("CrossEntropyLoss(), target [3]")),
                     qPrintable(header->text()));
        // A class that there is not is said where it was typed, in PyTorch's words.
        window_->docks().show(QStringLiteral("inputs"));
        form.detail()->setFocus();
        form.detail()->selectAll();
        QTest::keyClicks(form.detail(), QStringLiteral("[12]"));
        QTest::keyClick(form.detail(), Qt::Key_Return);
        press(Qt::Key_F5);
        QTRY_COMPARE(state(), RunState::Failed);
        QTRY_VERIFY2(form.error().contains(QStringLiteral("Target 12 is out of bounds.")), qPrintable(form.error()));
        // What was chosen is there again with the model.
        open(model("lstm"));
        QCOMPARE(form.kind()->currentText(), QStringLiteral("sum of outputs"));
        open(model("digits"));
        QTRY_COMPARE(form.detail()->text(), QStringLiteral("[12]"));
    }

    void aRunToANanStopsBehindTheOperatorThatMadeIt() {
        open(fixture("makes_nan"));
        window_->docks().show(QStringLiteral("log"));
        press(Qt::Key_F6);
        QTRY_COMPARE(state(), RunState::Paused);
        // Its row is in sight when the panel is shown later, beside the banner that tells of it.
        window_->docks().show(QStringLiteral("events"));
        auto& events = view<views::EventsView>("events");
        QTRY_VERIFY(events.tree().currentIndex().data(views::EventModel::EventRole).toUInt() ==
                    window_->bridge().reachedEvent());
        QTRY_VERIFY(
            events.tree().viewport()->rect().contains(events.tree().visualRect(events.tree().currentIndex()).center()));
        QVERIFY(window_->bridge().recording()->event(window_->bridge().reachedEvent()).has_nan);
        const auto labels = window_->statusBar()->findChildren<QLabel*>();
        const auto says = [&](const char* words) {
            return std::any_of(labels.begin(), labels.end(),
                               [&](const QLabel* label) { return label->text().contains(QLatin1String(words)); });
        };
        QTRY_VERIFY(says("after log"));
        press(Qt::Key_F10);
        QTRY_VERIFY(says(", before "));
        press(Qt::Key_F5, Qt::ShiftModifier);
    }

    // A run whose numbers are none does not end green: the cause is told, and leads to its place.
    void aRunFullOfNanEndsWithItsCause() {
        const QString file = QStringLiteral(LOUPE_SOURCE_DIR "/tests/fixtures/sources/nanback.py");
        open(file);
        auto options = window_->bridge().runOptions();
        options.backward = true;
        window_->bridge().setRunOptions(options);
        press(Qt::Key_F5);
        QTRY_COMPARE(state(), RunState::Finished);
        auto* banner = window_->findChild<window::Banner*>();
        QTRY_VERIFY(banner->isVisible());
        QVERIFY2(banner->message().startsWith(
                     QStringLiteral("sqrt at 0 in length, nanback.py:10, makes the first NaN in backward")),
                 qPrintable(banner->message()));
        const auto* shown = window_->statusBar()->findChild<QLabel*>(QStringLiteral("state"));
        QVERIFY2(shown->text().startsWith(QStringLiteral("Finished: sqrt at 0")), qPrintable(shown->text()));
        auto* list = window_->findChild<QListWidget*>(QStringLiteral("logList"));
        QVERIFY(list->item(list->count() - 1)->text().contains(QStringLiteral("sqrt at 0 in length")));
        // From the last red row back to the origin.
        const auto& recording = *window_->bridge().recording();
        session::EventId last = 0;
        for (session::EventId id = 1; id <= recording.event_count(); ++id) {
            if (recording.event(id).not_finite == session::NotFinite::PassedOn) last = id;
        }
        window_->bridge().setCurrentEvent(1);
        QVERIFY(!action("origin")->isEnabled());
        window_->bridge().setCurrentEvent(last);
        press(Qt::Key_F6, Qt::ShiftModifier);
        QTRY_COMPARE(recording.event(window_->bridge().currentEvent()).op, std::string_view("SqrtBackward0"));
        QVERIFY(list->item(list->count() - 1)->text().contains(QStringLiteral("(made here)")));
        auto& events = view<views::EventsView>("events");
        const QModelIndex row = events.model().indexOf(window_->bridge().currentEvent());
        QCOMPARE(row.siblingAtColumn(views::EventModel::Flags).data().toString(), QStringLiteral("NaN made"));
        // A finite run is green again, and the search says what it has not seen.
        options.backward = false;
        window_->bridge().setRunOptions(options);
        press(Qt::Key_F6);
        QTRY_VERIFY(state() == RunState::Finished &&
                    shown->text().contains(QStringLiteral("backward was not searched: Backward is off")));
        QTRY_VERIFY(banner->isVisible());
        const auto links = banner->findChildren<QPushButton*>();
        const auto more = std::find_if(links.begin(), links.end(), [](const QPushButton* link) {
            return link->text() == QStringLiteral("Search backward too");
        });
        QVERIFY(more != links.end());
        QTest::mouseClick(*more, Qt::LeftButton);
        QTRY_COMPARE(state(), RunState::Paused);
        QCOMPARE(window_->bridge().recording()->event(window_->bridge().reachedEvent()).op,
                 std::string_view("SqrtBackward0"));
        QTRY_VERIFY(banner->isVisible() && banner->message().startsWith(QStringLiteral("sqrt at 0 in length")));
        press(Qt::Key_F6);
        QTRY_COMPARE(state(), RunState::Finished);
        QTRY_VERIFY2(banner->message().contains(QStringLiteral("no further one was met")),
                     qPrintable(banner->message()));
    }
};

QTEST_MAIN(WindowRunsTest)
#include "window_runs_test.moc"
