// SPDX-License-Identifier: GPL-3.0-or-later
// The Source panel with a model source: stepped by line, edited, run again.
#include <Qsci/qsciscintilla.h>

#include <QTemporaryDir>
#include <QToolButton>
#include <QtTest>

#include "tests/views/patience.h"
#include "views/common/comparison.h"
#include "views/common/format.h"
#include "views/source/source_view.h"

using namespace loupe;
using namespace loupe::views;

namespace {

const char* const kSource =
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
    "        return y * 2\n"
    "\n"
    "example_inputs = (torch.ones(4, 3),)\n";

bool isReached(const session::Status& status, session::RunState state) { return status.state == state; }

}  // namespace

class SourceTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    QString path_;

    void waitFor(SessionBridge& bridge, session::RunState state) { QTRY_VERIFY(isReached(bridge.status(), state)); }

  private slots:
    void init() {
        path_ = folder_.filePath("net.py");
        QFile file(path_);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(kSource);
    }

    void aModelSourceIsEditable() {
        SessionBridge bridge;
        SourceView view(bridge, nullptr);
        bridge.open(path_);
        waitFor(bridge, session::RunState::Ready);
        QCOMPARE(view.currentFile(), path_);
        QVERIFY(!view.editor().isReadOnly());
        QCOMPARE(view.editor().text(), QString(kSource));
        QVERIFY(bridge.model()->graph->text.find("aten::linear") != std::string::npos ||
                bridge.model()->graph->text.find("CallMethod") != std::string::npos);
    }

    // The line that is about to run is marked.
    void steppingByLine() {
        SessionBridge bridge;
        SourceView view(bridge, nullptr);
        bridge.open(path_);
        waitFor(bridge, session::RunState::Ready);
        bridge.toggleLineBreakpoint(path_, 10);
        bridge.run();
        waitFor(bridge, session::RunState::Paused);
        QCOMPARE(bridge.status().next_source.line, 10);
        QVERIFY(view.editor().markersAtLine(9) != 0);
        bridge.step(session::StepKind::Over);
        QTRY_COMPARE(bridge.status().next_source.line, 11);
        QCOMPARE(bridge.status().reached, session::EventId{1});
        bridge.run();
        waitFor(bridge, session::RunState::Finished);
    }

    // An edit runs at once; a breakpoint stays on its line, which is another number now.
    void editingAndRunningAgain() {
        SessionBridge bridge;
        SourceView view(bridge, nullptr);
        bridge.open(path_);
        waitFor(bridge, session::RunState::Ready);
        bridge.toggleLineBreakpoint(path_, 11);
        view.editor().insertAt("        y = y.relu()\n", 10, 0);
        QVERIFY(view.editor().isModified());
        QElapsedTimer timer;
        timer.start();
        QVERIFY(view.saveAndRun());
        waitFor(bridge, session::RunState::Paused);
        qInfo("stopped %lld ms after the edit", timer.elapsed());
        QVERIFY(!view.editor().isModified());
        QCOMPARE(bridge.status().next_source.line, 12);
        QCOMPARE(bridge.breakpoints().front().line, 12);
        QCOMPARE(bridge.status().reached, session::EventId{2});
        QCOMPARE(views::text(bridge.recording()->event(2).op), QString("aten::relu"));
        bridge.run();
        waitFor(bridge, session::RunState::Finished);
    }

    // A run that failed is mended where it failed, compared with the run before, and taken back.
    void continuingWithAnEdit() {
        QFile file(path_);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(QByteArray(kSource).replace("return y * 2", "return y @ y"));
        file.close();
        SessionBridge bridge;
        SourceView view(bridge, nullptr);
        bridge.open(path_);
        waitFor(bridge, session::RunState::Ready);
        bridge.run();
        waitFor(bridge, session::RunState::Failed);
        QTRY_COMPARE(view.failedLine(), 10);
        auto* button = view.findChild<QToolButton*>("continue");
        QVERIFY(button->isHidden());
        const auto edit = [&](const QString& old, const QString& now) {
            QString words = view.editor().text();
            QVERIFY(words.contains(old));
            view.editor().selectAll();
            view.editor().replaceSelectedText(words.replace(old, now));
        };
        // What ran before, and what is no Python: nothing is lost.
        edit("nn.Linear(3, 2)", "nn.Linear(3, 4)");
        QVERIFY(!button->isHidden());
        button->click();
        QTRY_VERIFY2(view.continuedText().startsWith("`Net.__init__` changed: it ran before"),
                     qPrintable(view.continuedText()));
        edit("nn.Linear(3, 4)", "nn.Linear(3, 2)");
        edit("y @ y", "y @ (y");
        button->click();
        QTRY_COMPARE(view.failedLine(), 10);
        QCOMPARE(bridge.status().state, session::RunState::Failed);
        QVERIFY(!view.continuedText().contains('\n'));
        edit("y @ (y", "y @ y.T");
        button->click();
        waitFor(bridge, session::RunState::Finished);
        QTRY_VERIFY2(view.continuedText().startsWith("Continued at #1, from the start of Net.forward"),
                     qPrintable(view.continuedText()));
        QVERIFY(!view.editor().isModified());
        QVERIFY(button->isHidden());
        QTRY_VERIFY(Comparison::of(bridge).isOn());
        bridge.undoStack()->undo();
        waitFor(bridge, session::RunState::Failed);
        QTRY_VERIFY(view.editor().text().contains("y @ y\n"));
        QVERIFY(!view.editor().isModified());
    }

    // Another program wrote the file while the run is parked: it is not written over.
    void continuingDoesNotOverwrite() {
        SessionBridge bridge;
        SourceView view(bridge, nullptr);
        bridge.open(path_);
        waitFor(bridge, session::RunState::Ready);
        bridge.toggleLineBreakpoint(path_, 11);
        bridge.run();
        waitFor(bridge, session::RunState::Paused);
        QFile file(path_);
        QVERIFY(file.open(QIODevice::WriteOnly));
        const QByteArray other = QByteArray(kSource).replace("y * 2", "y * 3");
        file.write(other);
        file.close();
        view.editor().insertAt("        y = y + 1\n", 10, 0);
        view.continueWithEdit();
        QVERIFY2(view.continuedText().contains("changed by another program"), qPrintable(view.continuedText()));
        QCOMPARE(bridge.status().state, session::RunState::Paused);
        QVERIFY(view.editor().isModified());
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(file.readAll(), other);
    }

    // What shall be done when it is open again waits for that, not for the end of the run that is stopped for it.
    void openingAgainWhileARunIsParked() {
        SessionBridge bridge;
        SourceView view(bridge, nullptr);
        bridge.open(path_);
        waitFor(bridge, session::RunState::Ready);
        bridge.toggleLineBreakpoint(path_, 10);
        bridge.run();
        waitFor(bridge, session::RunState::Paused);
        bridge.removeBreakpoint(bridge.breakpoints().front().id);
        QFile file(path_);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(QByteArray(kSource).replace("return y * 2", "return y.relu()"));
        file.close();
        std::vector<std::string> texts;
        bridge.openAgainThen([&] {
            texts.push_back(bridge.model()->sources.front().text);
            bridge.run();
        });
        waitFor(bridge, session::RunState::Finished);
        QCOMPARE(texts.size(), std::size_t{1});
        QVERIFY(views::text(texts.front()).contains("return y.relu()"));
        QCOMPARE(views::text(bridge.recording()->event(2).op), QString("aten::relu"));
    }

    // Who is told that something is unsaved finds it so.
    void aRunIsUnsavedFromItsFirstEvent() {
        SessionBridge bridge;
        bridge.open(path_);
        waitFor(bridge, session::RunState::Ready);
        bridge.step(session::StepKind::Into);
        waitFor(bridge, session::RunState::Paused);
        QCOMPARE(bridge.eventCount(), std::size_t{0});
        bool was_unsaved = false;
        connect(&bridge, &SessionBridge::unsavedChanged, this, [&] { was_unsaved = bridge.hasUnsavedRun(); });
        bridge.run();
        waitFor(bridge, session::RunState::Finished);
        QVERIFY(was_unsaved);
    }

    // Another file, or Stop, takes the place of what was to be done.
    void openingAnotherGivesUpWhatWasToBeDone() {
        const QString other = folder_.filePath("other.py");
        QFile file(other);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(kSource);
        file.close();
        SessionBridge bridge;
        bridge.open(path_);
        waitFor(bridge, session::RunState::Ready);
        bool was_done = false;
        bridge.openAgainThen([&] { was_done = true; });
        bridge.open(other);
        QTRY_VERIFY(bridge.model() && views::text(bridge.model()->path) == other);
        waitFor(bridge, session::RunState::Ready);
        bridge.openAgainThen([&] { was_done = true; });
        bridge.stop();
        bridge.session().wait_idle();
        QCoreApplication::sendPostedEvents(&bridge);
        QVERIFY(!was_done);
    }

    // Edited by another program and opened again: a breakpoint goes with its line, the panel shows it there, and a
    // deleted one is told of. What stands in the panel and is not saved stays.
    void editedOutside() {
        SessionBridge bridge;
        SourceView view(bridge, nullptr);
        bridge.open(path_);
        waitFor(bridge, session::RunState::Ready);
        bridge.toggleLineBreakpoint(path_, 10);
        bridge.toggleLineBreakpoint(path_, 11);
        QVERIFY(view.editor().markersAtLine(9) != 0);
        const auto write = [&](const QString& words) {
            QFile file(path_);
            return file.open(QIODevice::WriteOnly) && file.write(words.toUtf8()) > 0;
        };
        const QString more = QString(kSource).replace("    def forward", "    # more\n    # lines\n    def forward");
        QVERIFY(write(more));
        bridge.open(path_);
        QTRY_COMPARE(view.editor().text(), more);
        waitFor(bridge, session::RunState::Ready);
        QCOMPARE(view.editor().markersAtLine(9), 0u);
        QVERIFY(view.editor().markersAtLine(11) != 0 && view.editor().markersAtLine(12) != 0);
        QVERIFY(write(
            QString(kSource).replace("        y = self.fc(x)\n        return y * 2\n", "        return self.fc(x)\n")));
        bridge.open(path_);
        QTRY_VERIFY(!view.editor().text().contains("y * 2"));
        waitFor(bridge, session::RunState::Ready);
        QCOMPARE(bridge.breakpoints().size(), std::size_t{1});
        QCOMPARE(bridge.breakpoints().front().line, 10);
        const auto& log = bridge.log();
        QVERIFY(std::any_of(log.begin(), log.end(), [](const auto& entry) {
            return entry.text.find("is gone with its line") != std::string::npos;
        }));
    }

    // While a file is edited the margin counts its lines as they stand there.
    void breakpointsInWhatIsEdited() {
        SessionBridge bridge;
        SourceView view(bridge, nullptr);
        bridge.open(path_);
        waitFor(bridge, session::RunState::Ready);
        bridge.toggleLineBreakpoint(path_, 10);
        view.editor().insertAt("import math\n", 1, 0);
        emit view.editor().marginClicked(0, 11, Qt::NoModifier);
        QCOMPARE(bridge.breakpoints().size(), std::size_t{2});
        QCOMPARE(bridge.breakpoints().front().line, 11);
        QCOMPARE(bridge.breakpoints().back().line, 12);
        emit view.editor().marginClicked(0, 10, Qt::NoModifier);
        QCOMPARE(bridge.breakpoints().size(), std::size_t{1});
        QVERIFY(view.saveAndRun());
        waitFor(bridge, session::RunState::Paused);
        QCOMPARE(bridge.status().next_source.line, 12);
    }

    // Files that it imports are sources too; an edit of one is in the next run.
    void importedFiles() {
        const QString other = folder_.filePath("parts.py");
        QFile part(other);
        QVERIFY(part.open(QIODevice::WriteOnly));
        part.write("def twice(x):\n    return x * 2\n");
        part.close();
        QFile file(path_);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(
            "import torch\nfrom torch import nn\nfrom parts import twice\n\nclass Net(nn.Module):\n    def "
            "forward(self, x):\n"
            "        return twice(x)\n\nexample_inputs = (torch.ones(2),)\n");
        file.close();
        SessionBridge bridge;
        SourceView view(bridge, nullptr);
        bridge.open(path_);
        waitFor(bridge, session::RunState::Ready);
        QCOMPARE(bridge.model()->sources.size(), std::size_t{2});
        bridge.setCurrentSource({other.toStdString(), 2, 0});
        QCOMPARE(view.currentFile(), other);
        view.editor().setText("def twice(x):\n    return x.exp()\n");
        QVERIFY(view.saveAndRun());
        waitFor(bridge, session::RunState::Finished);
        QCOMPARE(bridge.recording()->event(1).op, std::string_view("aten::exp"));
        QCOMPARE(bridge.recording()->event(1).source_line, 2);
        QCOMPARE(views::text(bridge.recording()->event(1).source_file), other);
    }

    // Parked before a line of one file, after an event of another: the line is shown, and the user may look elsewhere.
    void aRunParksBetweenFiles() {
        const QString other = folder_.filePath("parts.py");
        const auto write = [](const QString& path, const char* text) {
            QFile file(path);
            QVERIFY(file.open(QIODevice::WriteOnly));
            file.write(text);
        };
        write(other, "def twice(x):\n    return x * 2\n");
        write(
            path_,
            "import torch\nfrom torch import nn\nfrom parts import twice\n\nclass Net(nn.Module):\n    def "
            "forward(self, x):\n"
            "        x = twice(x)\n        x = twice(x)\n        return x + 1\n\nexample_inputs = (torch.ones(2),)\n");
        SessionBridge bridge;
        SourceView view(bridge, nullptr);
        bridge.open(path_);
        waitFor(bridge, session::RunState::Ready);
        bridge.toggleLineBreakpoint(path_, 8);
        bridge.run();
        waitFor(bridge, session::RunState::Paused);
        QTRY_COMPARE(bridge.currentEvent(), session::EventId{1});
        QCOMPARE(views::text(bridge.currentSource().file), other);
        QCOMPARE(view.currentFile(), path_);
        QVERIFY(view.editor().markersAtLine(7) != 0);
        auto* files = view.findChild<QComboBox*>(QStringLiteral("files"));
        QVERIFY(files != nullptr);
        files->setCurrentIndex(1 - files->currentIndex());
        QCOMPARE(view.currentFile(), other);
        QVERIFY(view.editor().markersAtLine(1) != 0);
        bridge.step(session::StepKind::Into);
        QTRY_COMPARE(bridge.status().next_source.file, other.toStdString());
        QTRY_COMPARE(view.currentFile(), other);
        bridge.toggleLineBreakpoint(path_, 8);
        bridge.run();
        waitFor(bridge, session::RunState::Finished);
        // An event takes the source to its line.
        bridge.setCurrentEvent(3);
        QCOMPARE(view.currentFile(), path_);
        bridge.setCurrentEvent(2);
        QCOMPARE(view.currentFile(), other);
    }

    // What gives no model can be mended where it stands.
    void aSourceWithoutAModelIsShown() {
        QFile file(path_);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(
            "from torch import nn\n\n\nclass Net(nn.Module):\n    def __init__(self, width):\n        "
            "super().__init__()\n        assert width == 3\n"
            "        self.fc = nn.Linear(width, 2)\n\n    def forward(self, x):\n        return self.fc(x)\n");
        file.close();
        SessionBridge bridge;
        SourceView view(bridge, nullptr);
        bridge.open(path_);
        waitFor(bridge, session::RunState::Failed);
        QVERIFY2(views::text(bridge.status().error).contains("Net needs constructor arguments"),
                 bridge.status().error.c_str());
        QVERIFY(view.editor().text().contains("class Net"));
        QVERIFY(!view.editor().isReadOnly());
        view.editor().append("\n\nmodel = Net(3)\n");
        QVERIFY(view.saveAndRun());
        waitFor(bridge, session::RunState::Finished);
        QCOMPARE(bridge.recording()->event(1).scope, std::string_view("fc"));
    }

    // After a failure what lines gave stays, and the line that failed is marked with what went wrong.
    void valuesAndTheLineStayAfterAFailure() {
        QFile file(path_);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(QByteArray(kSource).replace("return y * 2", "n = 3\n        return y.view(n, 5)"));
        file.close();
        SessionBridge bridge;
        SourceView view(bridge, nullptr);
        bridge.open(path_);
        waitFor(bridge, session::RunState::Ready);
        bridge.run();
        waitFor(bridge, session::RunState::Failed);
        QTRY_VERIFY(view.valuesInLine().contains(9) && view.valuesInLine().contains(10));
        QVERIFY(view.valuesInLine().at(9).startsWith("y = float32 4x2"));
        QCOMPARE(view.valuesInLine().at(10), QString("n = 3"));
        QVERIFY(view.editor().markersAtLine(11) != 0);
        QCOMPARE(view.failedLine(), 11);
        // An edit is of another text.
        view.editor().insertAt("        # so\n", 9, 0);
        QTRY_VERIFY(view.valuesInLine().empty());
        QCOMPARE(view.failedLine(), -1);
        view.editor().undo();
        QTRY_COMPARE(view.failedLine(), 11);
        QVERIFY(view.editor().markersAtLine(11) != 0);
    }

    // A source that cannot run says where; what was opened before is still there to be mended.
    void anErrorHasItsLine() {
        SessionBridge bridge;
        SourceView view(bridge, nullptr);
        bridge.open(path_);
        waitFor(bridge, session::RunState::Ready);
        view.editor().insertAt("broken = 1 +\n", 2, 0);
        QVERIFY(view.saveAndRun());
        waitFor(bridge, session::RunState::Failed);
        QTRY_VERIFY(!bridge.log().empty() && views::text(bridge.log().back().text).contains("net.py"));
        QVERIFY(view.editor().text().contains("broken = 1 +"));
        QVERIFY(!view.editor().isReadOnly());
        QVERIFY(view.editor().markersAtLine(2) != 0);
    }
};

QTEST_MAIN(SourceTest)
#include "source_test.moc"
