// SPDX-License-Identifier: GPL-3.0-or-later
// What was done in the window is kept: marked, asked for, saved, and there again in the next window.

#include <Qsci/qsciscintilla.h>
#include <sys/file.h>

#include <QAction>
#include <QCheckBox>
#include <QDir>
#include <QDirIterator>
#include <QDockWidget>
#include <QFile>
#include <QFileDialog>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMessageBox>
#include <QPushButton>
#include <QSettings>
#include <QShortcut>
#include <QStandardPaths>
#include <QTabBar>
#include <QTemporaryDir>
#include <QTest>
#include <QTreeWidget>
#include <QTreeWidgetItemIterator>

#include "app/window/banner.h"
#include "app/window/docks.h"
#include "app/window/keys_dialog.h"
#include "app/window/main_window.h"
#include "app/window/session_keeper.h"
#include "app/window/session_store.h"
#include "app/window/unsaved_question.h"
#include "core/session/queries/tensor.h"
#include "core/train/trainer.h"
#include "tests/views/patience.h"
#include "views/common/format.h"
#include "views/common/theme.h"
#include "views/graph/graph_view.h"
#include "views/memory/memory_view.h"
#include "views/source/source_view.h"
#include "views/tensor/tensor_view.h"
#include "views/watch/watch_model.h"
#include "views/watch/watch_view.h"

using namespace loupe;
using session::RunState;
using window::MainWindow;
using window::SessionStore;
using window::UnsavedQuestion;

namespace {

QString model(const char* name) {
    return QStringLiteral(LOUPE_SOURCE_DIR "/resources/models/%1.pt").arg(QLatin1String(name));
}

const char* const kSource =
    "import torch\n"
    "from torch import nn\n"
    "\n"
    "class Net(nn.Module):\n"
    "    def forward(self, x):\n"
    "        y = x.relu()\n"
    "        return y * 2\n"
    "\n"
    "example_inputs = (torch.ones(4, 3),)\n";

}  // namespace

class WindowKeepingTest : public QObject {
    Q_OBJECT

    std::unique_ptr<MainWindow> window_;
    std::unique_ptr<QTemporaryDir> folder_;

    RunState state() const { return window_->bridge().status().state; }
    QAction* action(const char* id) const {
        return window_->findChild<QAction*>(QStringLiteral("action.%1").arg(QLatin1String(id)));
    }
    template <typename View>
    View& view(const char* id) const {
        return *static_cast<View*>(window_->docks().view(QLatin1String(id)));
    }
    void press(Qt::Key key, Qt::KeyboardModifiers modifiers = {}) const {
        QTRY_VERIFY(testing::isActive(*window_));
        QTest::keyClick(window_.get(), key, modifiers);
    }
    void settle() const { QTRY_VERIFY(window_->docks().isSettled()); }
    std::unique_ptr<MainWindow> makeWindow() const {
        auto window = std::make_unique<MainWindow>();
        window->show();
        [&] { QVERIFY(QTest::qWaitForWindowExposed(window.get(), kPatience)); }();
        QApplication::setActiveWindow(window.get());
        return window;
    }
    bool isOpen(const QString& file) const {
        return window_->bridge().model() && window_->bridge().model()->path == file.toStdString() &&
               state() == RunState::Ready;
    }
    void open(const QString& file) {
        window_->openFile(file);
        QTRY_VERIFY(isOpen(file));
    }
    QString source(const QByteArray& text = kSource) const {
        const QString path = folder_->filePath(QStringLiteral("net.py"));
        QFile file(path);
        [&] { QVERIFY(file.open(QIODevice::WriteOnly) && file.write(text) == text.size()); }();
        return path;
    }
    static QByteArray contents(const QString& path) {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    UnsavedQuestion* question() const { return window_->findChild<UnsavedQuestion*>(); }
    // Presses the button of that name in a dialog.
    static void answer(QWidget* dialog, const QString& button) {
        QVERIFY(dialog);
        for (auto* each : dialog->findChildren<QPushButton*>()) {
            if (each->text().remove(QLatin1Char('&')) != button) continue;
            QTest::mouseClick(each, Qt::LeftButton);
            return;
        }
        QFAIL(qPrintable(QStringLiteral("no button %1").arg(button)));
    }
    QString folderOf(const MainWindow&) const {
        const auto entries = QDir(SessionStore::root()).entryInfoList(QDir::Dirs | QDir::NoDotAndDotDot);
        return entries.isEmpty() ? QString() : entries.front().filePath();
    }
    // The session as a process that was killed leaves it: what is on the disk now, and no lock.
    QString leaveBehind(const QString& folder) const {
        const QString copy = SessionStore::root() + QStringLiteral("/killed");
        QDir().mkdir(copy);
        QFile::setPermissions(copy, QFileDevice::ReadOwner | QFileDevice::WriteOwner | QFileDevice::ExeOwner);
        for (const QFileInfo& file : QDir(folder).entryInfoList(QDir::Files))
            QFile::copy(file.filePath(), copy + QLatin1Char('/') + file.fileName());
        return copy;
    }
    QJsonObject stateIn(const QString& folder) const {
        const auto bytes = SessionStore::read(folder);
        return bytes ? QJsonDocument::fromJson(*bytes).object() : QJsonObject();
    }
    bool isWritten(const QString& folder, RunState state, qint64 events) const {
        const QJsonObject run = stateIn(folder)[QStringLiteral("run")].toObject();
        return run[QStringLiteral("state")].toInt() == static_cast<int>(state) &&
               run[QStringLiteral("events")].toInteger() == events &&
               !QDir(folder).entryList({QStringLiteral("*.events")}).isEmpty() &&
               !QDir(folder).entryList({QStringLiteral("*.values")}).isEmpty();
    }

  private slots:
    void initTestCase() {
        QCoreApplication::setAttribute(Qt::AA_DontUseNativeDialogs);
        QCoreApplication::setOrganizationName(QStringLiteral("TensorloupeTest"));
        QApplication::setQuitOnLastWindowClosed(false);
        views::Theme::instance().setMode(views::Theme::Mode::Dark);
    }
    void init() {
        QSettings().clear();
        QDir(SessionStore::root()).removeRecursively();
        folder_ = std::make_unique<QTemporaryDir>();
        window_ = makeWindow();
    }
    void cleanup() { window_.reset(); }

    // --- what is not saved

    void theTitleMarksAnEditAndCtrlSSavesIt() {
        const QString path = source();
        open(path);
        QVERIFY(!window_->isWindowModified());
        auto& source = view<views::SourceView>("source");
        window_->docks().show(QStringLiteral("source"));
        QTRY_VERIFY(source.isInSight());
        source.editor().insertAt(QStringLiteral("# more\n"), 0, 0);
        QTRY_VERIFY(window_->isWindowModified());
        QTRY_VERIFY(window_->saveTarget() == window::Unsaved::Source);
        press(Qt::Key_S, Qt::ControlModifier);
        QTRY_VERIFY(!window_->isWindowModified());
        QVERIFY(contents(path).startsWith("# more\n"));
        QVERIFY(!source.editor().isModified());
        // Its own writing is no other program's; the model is made anew before it runs.
        press(Qt::Key_F5);
        QTRY_COMPARE(state(), RunState::Finished);
        QVERIFY(window_->bridge().model()->sources.front().text.starts_with("# more\n"));
        QVERIFY(!window_->findChild<window::Banner*>()->isVisible());
        // An edit that is undone is none.
        source.editor().insertAt(QStringLiteral("# again\n"), 0, 0);
        QVERIFY(window_->bridge().sourceEdits().size() == 1);
        source.editor().undo();
        QVERIFY(window_->bridge().sourceEdits().empty());
    }

    void editsOfTwoFilesAreBothKept() {
        const QString other = folder_->filePath(QStringLiteral("parts.py"));
        QFile file(other);
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write("def twice(x):\n    return x * 2\n") > 0);
        file.close();
        const QString path = source(
            "import torch\nfrom torch import nn\nfrom parts import twice\n\nclass Net(nn.Module):\n    def "
            "forward(self, x):\n        return twice(x)\n\nexample_inputs = (torch.ones(2),)\n");
        open(path);
        auto& source = view<views::SourceView>("source");
        window_->bridge().setCurrentSource({path.toStdString(), 7, 0});
        QCOMPARE(source.currentFile(), path);
        source.editor().insertAt(QStringLiteral("# one\n"), 0, 0);
        window_->bridge().setCurrentSource({other.toStdString(), 2, 0});
        QCOMPARE(source.currentFile(), other);
        source.editor().insertAt(QStringLiteral("# two\n"), 0, 0);
        window_->bridge().setCurrentSource({path.toStdString(), 7, 0});
        QVERIFY(source.editor().text().startsWith(QStringLiteral("# one\n")));
        QCOMPARE(window_->bridge().sourceEdits().size(), std::size_t{2});
        QVERIFY(source.saveAndRun());
        QTRY_COMPARE(state(), RunState::Finished);
        QVERIFY(contents(path).startsWith("# one\n") && contents(other).startsWith("# two\n"));
    }

    void closingAsksForAnEdit() {
        const QString path = source();
        open(path);
        view<views::SourceView>("source").editor().insertAt(QStringLiteral("# more\n"), 0, 0);
        press(Qt::Key_Q, Qt::ControlModifier);
        QTRY_VERIFY(question() && question()->isVisible());
        QVERIFY(window_->isVisible());
        answer(question(), QStringLiteral("Cancel"));
        QTRY_VERIFY(!question());
        QVERIFY(window_->isVisible());
        press(Qt::Key_W, Qt::ControlModifier);
        QTRY_VERIFY(question());
        answer(question(), QStringLiteral("Save"));
        QTRY_VERIFY(!window_->bridge().model());
        QVERIFY(contents(path).startsWith("# more\n"));
        QVERIFY(!window_->isWindowModified());
        open(path);
        view<views::SourceView>("source").editor().insertAt(QStringLiteral("# no more\n"), 0, 0);
        window_->close();
        QTRY_VERIFY(question());
        answer(question(), QStringLiteral("Discard"));
        QTRY_VERIFY(!window_->isVisible());
        QVERIFY(!contents(path).contains("no more"));
    }

    void openingAnotherFileAsksForARun() {
        open(model("digits"));
        press(Qt::Key_F5);
        QTRY_COMPARE(state(), RunState::Finished);
        QTRY_VERIFY(window_->isWindowModified());
        window_->openFile(model("gpt"));
        QTRY_VERIFY(question());
        QCOMPARE(question()->chosen(), std::vector<window::Unsaved>{window::Unsaved::Run});
        QVERIFY(window_->bridge().model()->path == model("digits").toStdString());
        question()->findChild<QCheckBox*>(QStringLiteral("neverAskForRuns"))->setChecked(true);
        answer(question(), QStringLiteral("Discard"));
        QTRY_VERIFY(isOpen(model("gpt")));
        press(Qt::Key_F5);
        QTRY_COMPARE(state(), RunState::Finished);
        open(model("digits"));  // not asked again
        QVERIFY(!action("ask_for_runs")->isChecked());
    }

    void whatWasLearnedIsAskedFor() {
        open(model("digits"));
        session::TrainOptions options;
        options.data.path = LOUPE_SOURCE_DIR "/resources/models/digits_data.npz";
        options.max_steps = 3;
        window_->bridge().train(options);
        QTRY_COMPARE(state(), RunState::Finished);
        QTRY_VERIFY(window_->bridge().hasUnsavedTraining() && window_->isWindowModified());
        window_->docks().show(QStringLiteral("train"));
        QTRY_VERIFY(window_->saveTarget() == window::Unsaved::Training);
        window_->close();
        QTRY_VERIFY(question());
        QVERIFY(question()->chosen().front() == window::Unsaved::Training);
        answer(question(), QStringLiteral("Cancel"));
        QTRY_VERIFY(!question());
        QVERIFY(window_->isVisible());
    }

    // What was learned is saved, not the earlier step that is looked at.
    void theEndIsSavedFromAnEarlierStep() {
        open(model("digits"));
        session::TrainOptions options;
        options.data.path = LOUPE_SOURCE_DIR "/resources/models/digits_data.npz";
        options.max_steps = 5;
        auto& bridge = window_->bridge();
        bridge.train(options);
        QTRY_COMPARE(state(), RunState::Finished);
        bridge.lookAtStep(2);
        QTRY_COMPARE(state(), RunState::Paused);
        QTRY_VERIFY(bridge.isAtPastStep() && bridge.hasUnsavedTraining());
        const QString file = folder_->filePath(QStringLiteral("learned.pt"));
        window_->openFile(model("gpt"));
        QTRY_VERIFY(question());
        QTimer choice;  // while the dialog waits for an answer
        connect(&choice, &QTimer::timeout, this, [&] {
            auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
            if (!dialog) return;
            choice.stop();
            dialog->findChild<QLineEdit*>(QStringLiteral("fileNameEdit"))->setText(file);  // whatever folder it shows
            QMetaObject::invokeMethod(dialog, "accept");
        });
        choice.start(20);
        answer(question(), QStringLiteral("Save"));
        QTRY_VERIFY(isOpen(model("gpt")));
        QCOMPARE(session::read_training_checkpoint(file.toStdString(), {}).step, std::int64_t{5});
    }

    // --- a run is of the text in sight

    void aRunOfAnEditedSourceAsksOnce() {
        const QString path = source();
        open(path);
        auto& editor = view<views::SourceView>("source").editor();
        editor.setText(QString(QLatin1String(kSource)).replace(QLatin1String("x.relu()"), QLatin1String("x.exp()")));
        press(Qt::Key_F5);
        auto* box = [&] { return window_->findChild<QMessageBox*>(QStringLiteral("runEdited")); }();
        QVERIFY(box);
        QVERIFY(state() == RunState::Ready);  // nothing runs in silence
        answer(box, QStringLiteral("Save and run"));
        QTRY_COMPARE(state(), RunState::Finished);
        QCOMPARE(window_->bridge().recording()->event(1).op, std::string_view("aten::exp"));
        QVERIFY(contents(path).contains("x.exp()"));
        editor.setText(QString(QLatin1String(kSource)).replace(QLatin1String("x.relu()"), QLatin1String("x.tanh()")));
        press(Qt::Key_F11);
        QTRY_COMPARE(state(), RunState::Paused);
        QVERIFY(!window_->findChild<QMessageBox*>(QStringLiteral("runEdited")));
        press(Qt::Key_F5);
        QTRY_COMPARE(state(), RunState::Finished);
        QCOMPARE(window_->bridge().recording()->event(1).op, std::string_view("aten::tanh"));
    }

    void theSavedVersionSaysThatItRan() {
        const QString path = source();
        open(path);
        view<views::SourceView>("source").editor().setText(
            QString(QLatin1String(kSource)).replace(QLatin1String("x.relu()"), QLatin1String("x.exp()")));
        press(Qt::Key_F5);
        answer(window_->findChild<QMessageBox*>(QStringLiteral("runEdited")),
               QStringLiteral("Run the version on disk, without your edits"));
        QTRY_COMPARE(state(), RunState::Finished);
        QCOMPARE(window_->bridge().recording()->event(1).op, std::string_view("aten::relu"));
        auto* banner = window_->findChild<window::Banner*>();
        QTRY_VERIFY(banner->isVisible() && banner->message().contains(QStringLiteral("version on disk")));
        QVERIFY(!banner->isError());
        banner->findChildren<QPushButton*>().front()->click();
        QTRY_VERIFY(state() == RunState::Finished && window_->bridge().recording()->event(1).op == "aten::exp");
    }

    // A broken line is told of, and does not run as it was before.
    void aBrokenEditDoesNotRunTheOldText() {
        QSettings().setValue(QStringLiteral("run/saveEdits"), true);
        const QString path = source();
        open(path);
        auto& editor = view<views::SourceView>("source").editor();
        editor.setText(QString(QLatin1String(kSource)).replace(QLatin1String("x.relu()"), QLatin1String("x.relu( +")));
        press(Qt::Key_F5);
        QTRY_COMPARE(state(), RunState::Failed);
        QCOMPARE(window_->bridge().eventCount(), std::size_t{0});
        QVERIFY(editor.text().contains(QStringLiteral("x.relu( +")));
        press(Qt::Key_F5);  // nothing was edited since: it still does not
        QTest::qWait(50);
        QTRY_COMPARE(state(), RunState::Failed);
        QCOMPARE(window_->bridge().eventCount(), std::size_t{0});
    }

    // --- sessions

    void aParkedSessionComesBack() {
        window_->keepSession();
        open(model("digits"));
        session::Breakpoint breakpoint;
        breakpoint.kind = session::Breakpoint::Kind::Module;
        breakpoint.text = "classifier";
        breakpoint.condition = "absmax > 1e9";
        window_->bridge().addBreakpoint(breakpoint);
        view<views::WatchView>("watch").watches().setExpressions({QStringLiteral("classifier.hidden.out.absmax")});
        press(Qt::Key_F7);
        QTRY_COMPARE(state(), RunState::Paused);
        const auto before = window_->bridge().reachedEvent();
        press(Qt::Key_F10);
        QTRY_VERIFY(state() == RunState::Paused && window_->bridge().reachedEvent() > before);
        const auto events = static_cast<qint64>(window_->bridge().eventCount());
        window_->bridge().toggleBookmark(3);
        window_->bridge().setCurrentEvent(5);
        window_->docks().show(QStringLiteral("log"));
        settle();
        window_->findChild<QDockWidget*>(QStringLiteral("timeline"))->setFloating(true);
        settle();
        QTRY_VERIFY(!folderOf(*window_).isEmpty());  // written a moment later
        const QString own = folderOf(*window_);
        QTRY_VERIFY(isWritten(own, RunState::Paused, events));
        QTRY_VERIFY(stateIn(own)[QStringLiteral("current")].toObject()[QStringLiteral("event")].toInteger() == 5);
        QTest::qWait(1200);  // elements follow a second behind
        const QString killed = leaveBehind(own);
        const auto reached = window_->bridge().reachedEvent();
        const std::string next = window_->bridge().status().next_op;

        // Another window: the living one's session is not offered, the other is.
        auto first = std::exchange(window_, makeWindow());
        window_->keepSession();
        window_->restoreAtStart(false);
        auto* card = window_->findChild<QPushButton*>(QStringLiteral("restoreSession"));
        QVERIFY(card);
        QVERIFY2(card->accessibleDescription().contains(QStringLiteral("stopped before #%1").arg(reached + 1)),
                 qPrintable(card->accessibleDescription()));
        QVERIFY(card->accessibleDescription().contains(QStringLiteral("without being closed")));
        QTest::mouseClick(card, Qt::LeftButton);
        auto* banner = window_->findChild<window::Banner*>();
        QTRY_VERIFY(banner->isVisible());
        QVERIFY2(banner->message().startsWith(QStringLiteral("The session is restored")),
                 qPrintable(banner->message()));
        QVERIFY(!banner->isError());
        const auto& bridge = window_->bridge();
        QCOMPARE(static_cast<qint64>(bridge.eventCount()), events);
        QCOMPARE(state(), RunState::Ready);
        QCOMPARE(bridge.currentEvent(), session::EventId{5});
        QCOMPARE(bridge.bookmarks(), std::vector<session::EventId>{3});
        QCOMPARE(bridge.breakpoints().size(), std::size_t{1});
        QCOMPARE(bridge.breakpoints().front().text, std::string("classifier"));
        QCOMPARE(bridge.breakpoints().front().condition, std::string("absmax > 1e9"));
        QCOMPARE(view<views::WatchView>("watch").watches().expressions(),
                 QStringList{QStringLiteral("classifier.hidden.out.absmax")});
        settle();
        QVERIFY(window_->findChild<QDockWidget*>(QStringLiteral("timeline"))->isFloating());
        QVERIFY(window_->isWindowModified());
        // Elements are there as they were.
        session::TensorSlice was, is;
        session::TensorRequest request;
        request.value = bridge.recording()->event(5).outputs.front();
        first->bridge().ask(QStringLiteral("t"), session::TensorQuery{request}, this,
                            [&](const session::TensorSlice& slice) { was = slice; });
        window_->bridge().ask(QStringLiteral("t"), session::TensorQuery{request}, this,
                              [&](const session::TensorSlice& slice) { is = slice; });
        QTRY_VERIFY(!was.data.empty() && !is.data.empty());
        QVERIFY(was.data.front().elements == is.data.front().elements);
        // And on to the same place.
        first.reset();
        banner->findChildren<QPushButton*>().front()->click();
        QTRY_COMPARE(state(), RunState::Paused);
        QCOMPARE(bridge.reachedEvent(), reached);
        QCOMPARE(bridge.status().next_op, next);
        QVERIFY(!QFile::exists(killed + QStringLiteral("/restoring")));
    }

    void anEditedSourceComesBackEdited() {
        const QString path = source();
        window_->keepSession();
        open(path);
        window_->bridge().toggleLineBreakpoint(path, 7);
        auto& editor = view<views::SourceView>("source").editor();
        editor.insertAt(QStringLiteral("        y = y.exp()\n"), 6, 0);
        emit editor.marginClicked(0, 5, Qt::NoModifier);
        QCOMPARE(window_->bridge().breakpoints().front().line, 8);
        QTRY_VERIFY(!folderOf(*window_).isEmpty());  // written a moment later
        const QString own = folderOf(*window_);
        QTRY_VERIFY(stateIn(own)[QStringLiteral("edits")].toObject().contains(path) &&
                    stateIn(own)[QStringLiteral("breakpoints")].toArray().size() == 2);
        leaveBehind(own);
        window_.reset();
        window_ = makeWindow();
        window_->keepSession();
        window_->restoreAtStart(true);
        QTRY_VERIFY(window_->findChild<window::Banner*>()->isVisible());
        auto& again = view<views::SourceView>("source").editor();
        QTRY_VERIFY(again.text().contains(QStringLiteral("y.exp()")));
        QVERIFY(again.isModified() && window_->isWindowModified());
        QCOMPARE(contents(path), QByteArray(kSource));
        QCOMPARE(window_->bridge().breakpoints().size(), std::size_t{2});
        QCOMPARE(window_->bridge().breakpoints().front().line, 8);
        QVERIFY(again.markersAtLine(7) != 0);
    }

    // They wait for their own file, in the window and across windows; the log has its times.
    void breakpointsOfAnotherFileWaitForIt() {
        session::Breakpoint breakpoint;
        breakpoint.kind = session::Breakpoint::Kind::Module;
        breakpoint.text = "classifier";
        window_->keepSession();
        open(model("digits"));
        window_->bridge().addBreakpoint(breakpoint);
        open(model("gpt"));
        QVERIFY(window_->bridge().breakpoints().empty());
        window_->bridge().addLog({.text = "a mark", .scope = {}, .source = {}});
        const auto told = window_->bridge().log().back().time;
        QVERIFY(told > 0);
        QTRY_VERIFY(!folderOf(*window_).isEmpty());  // written a moment later
        const QString own = folderOf(*window_);
        const auto hasMark = [&] {
            const auto log = stateIn(own)[QStringLiteral("log")].toArray();
            return std::any_of(log.begin(), log.end(), [](const auto& entry) {
                return entry.toObject()[QStringLiteral("text")].toString() == QStringLiteral("a mark");
            });
        };
        QTRY_VERIFY(hasMark());
        QCOMPARE(stateIn(own)[QStringLiteral("breakpointsElsewhere")].toObject().size(), 1);
        const QString killed = leaveBehind(own);
        window_.reset();
        window_ = makeWindow();
        window_->keepSession();
        window_->keeper().restore(killed);
        QTRY_VERIFY(!window_->keeper().isRestoring());
        const auto& log = window_->bridge().log();
        QVERIFY(std::any_of(log.begin(), log.end(),
                            [&](const auto& entry) { return entry.text == "a mark" && entry.time == told; }));
        QVERIFY(window_->bridge().breakpoints().empty());
        open(model("digits"));
        QCOMPARE(window_->bridge().breakpoints().size(), std::size_t{1});
        QCOMPARE(window_->bridge().breakpoints().front().text, std::string("classifier"));
    }

    // Those of the window before are of what was looked at then.
    void aRestoredSessionReplacesTheBreakpoints() {
        const auto ofModule = [](const char* path) {
            session::Breakpoint breakpoint;
            breakpoint.kind = session::Breakpoint::Kind::Module;
            breakpoint.text = path;
            return breakpoint;
        };
        window_->keepSession();
        open(model("digits"));
        window_->bridge().addBreakpoint(ofModule("classifier"));
        QTRY_VERIFY(!folderOf(*window_).isEmpty());  // written a moment later
        const QString own = folderOf(*window_);
        QTRY_COMPARE(stateIn(own)[QStringLiteral("breakpoints")].toArray().size(), 1);
        const QString killed = leaveBehind(own);
        window_.reset();
        window_ = makeWindow();
        window_->keepSession();
        open(model("gpt"));
        window_->bridge().addBreakpoint(ofModule("elsewhere"));
        window_->keeper().restore(killed);
        QVERIFY(window_->keeper().isRestoring());
        QTRY_VERIFY(!window_->keeper().isRestoring());
        QCOMPARE(window_->bridge().breakpoints().size(), std::size_t{1});
        QCOMPARE(window_->bridge().breakpoints().front().text, std::string("classifier"));
    }

    void closingKeepsTheSessionToo() {
        QSettings().setValue(QStringLiteral("ask/runs"), false);
        QSettings().setValue(QStringLiteral("session/restoreAtStart"), true);
        window_->keepSession();
        open(model("digits"));
        press(Qt::Key_F5);
        QTRY_COMPARE(state(), RunState::Finished);
        const auto events = window_->bridge().eventCount();
        press(Qt::Key_Q, Qt::ControlModifier);
        QTRY_VERIFY(!window_->isVisible());
        window_.reset();
        window_ = makeWindow();
        window_->keepSession();
        window_->restoreAtStart(false);  // as it is set
        QTRY_COMPARE(window_->bridge().eventCount(), events);
        QTRY_VERIFY(!window_->keeper().isRestoring());
        // A model that is closed leaves nothing to restore.
        action("close")->trigger();
        QTRY_VERIFY(!window_->bridge().model());
        QTRY_VERIFY(QDir(SessionStore::root()).entryList(QDir::Dirs | QDir::NoDotAndDotDot).isEmpty());
    }

    // The banner over the restored panels takes its room, and gives it back to them.
    void aRestoredLayoutHasItsSizes() {
        window_->keepSession();
        open(model("digits"));
        settle();
        auto* centre = window_->findChild<QDockWidget*>(QStringLiteral("graph"));
        auto* bottom = window_->findChild<QDockWidget*>(QStringLiteral("events"));
        window_->resizeDocks({centre, bottom}, {centre->height() + 60, bottom->height() - 60}, Qt::Vertical);
        settle();
        session::Breakpoint breakpoint;
        breakpoint.kind = session::Breakpoint::Kind::OperatorKind;
        breakpoint.text = "relu*";
        breakpoint.condition = "absmax >= 0";
        window_->bridge().addBreakpoint(breakpoint);
        press(Qt::Key_F5);
        QTRY_COMPARE(state(), RunState::Paused);
        QVERIFY(window_->bridge().isParkedBehind());
        settle();
        const int below = bottom->height();
        const int above = centre->height();
        const auto reached = window_->bridge().reachedEvent();
        QTRY_VERIFY(!folderOf(*window_).isEmpty());
        const QString own = folderOf(*window_);
        QTRY_VERIFY(isWritten(own, RunState::Paused, static_cast<qint64>(window_->bridge().eventCount())));
        leaveBehind(own);
        window_.reset();
        window_ = makeWindow();
        window_->keepSession();
        window_->restoreAtStart(true);
        auto* banner = window_->findChild<window::Banner*>();
        QTRY_VERIFY(banner->isVisible());
        QVERIFY2(banner->message().contains(QStringLiteral("stopped after #%1").arg(reached)),
                 qPrintable(banner->message()));
        settle();
        banner->dismiss();
        settle();
        bottom = window_->findChild<QDockWidget*>(QStringLiteral("events"));
        centre = window_->findChild<QDockWidget*>(QStringLiteral("graph"));
        QTRY_COMPARE(bottom->height(), below);
        QTRY_COMPARE(centre->height(), above);
    }

    void panelsComeBackAsTheyWere() {
        window_->keepSession();
        open(model("digits"));
        auto& graph = view<views::GraphView>("graph");
        QTRY_VERIFY(graph.isSettled() && !graph.openGroups().empty());
        graph.closeAll();
        graph.setColouring(views::GraphColouring::Memory);
        QTRY_VERIFY(graph.isSettled());
        graph.canvas()->zoomAt(QPointF(40, 40), 1.7);
        const auto outlook = graph.canvas()->outlook();
        QVERIFY(outlook);
        view<views::MemoryView>("memory").showSide(views::MemoryView::Side::Categories);
        view<views::TensorView>("tensor").setDisplay(views::TensorView::Display::Line);
        press(Qt::Key_Q, Qt::ControlModifier);
        QTRY_VERIFY(!window_->isVisible());
        window_.reset();
        window_ = makeWindow();
        window_->keepSession();
        window_->restoreAtStart(true);
        QTRY_VERIFY(window_->bridge().model() && !window_->keeper().isRestoring());
        auto& again = view<views::GraphView>("graph");
        QTRY_VERIFY(again.isSettled());
        QVERIFY(again.openGroups().empty());
        QCOMPARE(again.canvas()->colouring(), views::GraphColouring::Memory);
        QVERIFY(again.canvas()->outlook());
        QVERIFY(std::abs(again.canvas()->outlook()->zoom - outlook->zoom) < 1e-6);
        QCOMPARE(view<views::MemoryView>("memory").side(), views::MemoryView::Side::Categories);
        const auto kept = view<views::TensorView>("tensor").keptState();
        QCOMPARE(kept[QStringLiteral("display")].toInt(), static_cast<int>(views::TensorView::Display::Line));
    }

    void aDamagedSessionIsOneLine() {
        for (const QByteArray& state : {QByteArray("{\"version\":1, \"model\""),
                                        QByteArray("{\"version\":1,\"model\":{\"path\":\"/nowhere/net.py\"}}"),
                                        QByteArray("[]"), QByteArray(1000, '\xff')}) {
            window_.reset();
            QDir(SessionStore::root()).removeRecursively();
            const QString folder = SessionStore::root() + QStringLiteral("/damaged");
            QDir().mkpath(folder);
            QVERIFY(SessionStore::write(folder, state));
            window_ = makeWindow();
            window_->keepSession();
            window_->restoreAtStart(true);
            auto* banner = window_->findChild<window::Banner*>();
            QTRY_VERIFY(banner->isVisible());
            QVERIFY2(banner->message().startsWith(QStringLiteral("The last session cannot be restored")),
                     qPrintable(banner->message()));
            QVERIFY(window_->findChild<QWidget*>(QStringLiteral("startPage"))->isVisible());
            open(model("digits"));
        }
    }

    // Whatever stands in it: no crash, and either a session or a line.
    void aSessionFileIsNotTrusted() {
        window_->keepSession();
        open(model("digits"));
        press(Qt::Key_F5);
        QTRY_COMPARE(state(), RunState::Finished);
        QTRY_VERIFY(!folderOf(*window_).isEmpty());  // written a moment later
        const QString own = folderOf(*window_);
        QTRY_VERIFY(isWritten(own, RunState::Finished, static_cast<qint64>(window_->bridge().eventCount())));
        QJsonObject forged = stateIn(own);
        const QString path = model("digits");
        forged[QStringLiteral("bookmarks")] = QJsonArray{-1, 1e18, 7, 99999, QStringLiteral("x")};
        forged[QStringLiteral("breakpoints")] =
            QJsonArray{QJsonObject{{QStringLiteral("kind"), 99}},
                       QJsonObject{{QStringLiteral("kind"), 0}, {QStringLiteral("node"), 1 << 30}},
                       QJsonObject{{QStringLiteral("kind"), 1},
                                   {QStringLiteral("text"), QStringLiteral("conv*")},
                                   {QStringLiteral("condition"), QStringLiteral("absmax > x")}},
                       5};
        forged[QStringLiteral("current")] =
            QJsonObject{{QStringLiteral("event"), 1e15}, {QStringLiteral("node"), 1 << 30}};
        forged[QStringLiteral("panels")] = QJsonObject{
            {QStringLiteral("docks"), QStringLiteral("AAAA")},
            {QStringLiteral("window"), QStringLiteral("////")},
            {QStringLiteral("views"),
             QJsonObject{{QStringLiteral("events"), QJsonObject{{QStringLiteral("columns.0"), QStringLiteral("AAAA")},
                                                                {QStringLiteral("text.0"), 5}}}}}};
        forged[QStringLiteral("edits")] = QJsonObject{{QStringLiteral("/etc/passwd"), QStringLiteral("x")}};
        forged[QStringLiteral("inputs")] = QJsonObject{{QStringLiteral("inputs"), QJsonArray{1, 2, 3}}};
        forged[QStringLiteral("log")] =
            QJsonArray{QJsonObject{{QStringLiteral("level"), 77}, {QStringLiteral("event"), 1e15}}};
        const QString killed = leaveBehind(own);
        QVERIFY(SessionStore::write(killed, QJsonDocument(forged).toJson()));
        window_.reset();
        window_ = makeWindow();
        window_->keepSession();
        window_->restoreAtStart(true);
        auto* banner = window_->findChild<window::Banner*>();
        QTRY_VERIFY(banner->isVisible());
        QVERIFY(window_->bridge().model()->path == path.toStdString());
        QCOMPARE(window_->bridge().bookmarks(), std::vector<session::EventId>{7});
        QCOMPARE(window_->bridge().breakpoints().size(), std::size_t{0});
        QVERIFY(window_->bridge().sourceEdits().empty());
        press(Qt::Key_F5);
        QTRY_COMPARE(state(), RunState::Finished);
    }

    // A process that was killed is not gone at once.
    void aLockThatIsFreedLaterIsWaitedFor() {
        const QString folder = SessionStore::root() + QStringLiteral("/dying");
        QDir().mkpath(folder);
        QVERIFY(
            SessionStore::write(folder, "{\"version\":1,\"model\":{\"path\":\"" + model("digits").toUtf8() + "\"}}"));
        QFile lock(folder + QStringLiteral("/lock"));
        QVERIFY(lock.open(QIODevice::ReadWrite));
        QCOMPARE(::flock(lock.handle(), LOCK_EX), 0);
        window_->keepSession();
        window_->restoreAtStart(false);
        QVERIFY(!window_->findChild<QPushButton*>(QStringLiteral("restoreSession")));
        lock.close();
        QTRY_VERIFY(window_->findChild<QPushButton*>(QStringLiteral("restoreSession")));
    }

    void oldSessionsAreCleaned() {
        for (int i = 0; i < 12; ++i) {
            const QString folder = SessionStore::root() + QStringLiteral("/old-%1").arg(i);
            QDir().mkpath(folder);
            QVERIFY(SessionStore::write(folder, "{}"));
            QFile file(folder + QStringLiteral("/state.json"));
            QVERIFY(file.open(QIODevice::ReadWrite));
            file.setFileTime(QDateTime::currentDateTime().addDays(-4 * i), QFileDevice::FileModificationTime);
        }
        QFile foreign(SessionStore::root() + QStringLiteral("/old-11/thesis.txt"));
        QVERIFY(foreign.open(QIODevice::WriteOnly));
        foreign.close();
        SessionStore().clean();
        QVERIFY(QFile::exists(SessionStore::root() + QStringLiteral("/old-0/state.json")));
        QVERIFY(QFile::exists(SessionStore::root() + QStringLiteral("/old-7/state.json")));
        QVERIFY(!QFile::exists(SessionStore::root() + QStringLiteral("/old-8")));
        QVERIFY(foreign.exists());  // what is not the program's stays
    }

    // --- an engine that was killed

    void whatIsShownIsThereAfterARestart() {
        window_.reset();
        QDir().mkpath(SessionStore::root());
        session::Session::set_engine_program(LOUPE_BINARY_DIR "/bin/tensorloupe-engine",
                                             {SessionStore::root().toStdString()});
        window_ = makeWindow();
        session::Session::set_engine_program({});
        window_->keepSession();
        open(source());
        press(Qt::Key_F5);
        QTRY_COMPARE(state(), RunState::Finished);
        auto& bridge = window_->bridge();
        bridge.setCurrentEvent(1);
        bridge.setBookmarks({2});
        bridge.setNote(1, QStringLiteral("here"));
        session::Breakpoint breakpoint;
        breakpoint.kind = session::Breakpoint::Kind::OperatorKind;
        breakpoint.text = "aten::mul";
        breakpoint.condition = "absmax > 1e9";
        bridge.session().add_breakpoint(breakpoint);
        const QString module = bridge.currentModule();
        const auto value = bridge.currentValue();
        QTest::qWait(2500);  // what is kept is a second behind
        bridge.session().kill_engine();
        auto* banner = window_->findChild<window::Banner*>();
        QTRY_VERIFY(banner->isVisible() && state() == RunState::Failed);
        bridge.setCurrentEvent(1);  // its death showed where it was
        answer(banner, QStringLiteral("Restart"));
        // The run is there, nothing is parked in it.
        QTRY_VERIFY(state() == RunState::Ready && bridge.eventCount() > 0);
        QTRY_COMPARE(bridge.currentEvent(), session::EventId{1});
        QCOMPARE(bridge.currentValue(), value);
        QCOMPARE(bridge.currentModule(), module);
        QCOMPARE(bridge.bookmarks(), std::vector<session::EventId>{2});
        QCOMPARE(bridge.notes().at(1), QStringLiteral("here"));
        QCOMPARE(bridge.breakpoints().size(), std::size_t{1});
        QCOMPARE(bridge.breakpoints()[0].condition, std::string("absmax > 1e9"));
    }
};

QTEST_MAIN(WindowKeepingTest)
#include "window_keeping_test.moc"
