// SPDX-License-Identifier: GPL-3.0-or-later
// The window, driven with mouse and keys on the shipped and the fixture models.

#include <Qsci/qsciscintilla.h>

#include <QAction>
#include <QClipboard>
#include <QDir>
#include <QDockWidget>
#include <QDropEvent>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMainWindow>
#include <QMenu>
#include <QMenuBar>
#include <QMimeData>
#include <QPointer>
#include <QPushButton>
#include <QRegularExpression>
#include <QSettings>
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
#include "app/window/source_permissions.h"
#include "app/window/weights_loader.h"
#include "core/session/queries/reset_parameters.h"
#include "core/session/queries/save_weights.h"
#include "core/session/queries/tensor.h"
#include "tests/views/cut_walk.h"
#include "tests/views/patience.h"
#include "views/common/elided_label.h"
#include "views/common/format.h"
#include "views/common/panel_output.h"
#include "views/common/theme.h"
#include "views/documentation/documentation_view.h"
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
#include "views/tables/plugin_table_view.h"

using namespace loupe;
using session::RunState;
using window::MainWindow;

namespace {

QString model(const char* name) {
    return QStringLiteral(LOUPE_SOURCE_DIR "/resources/models/%1.pt").arg(QLatin1String(name));
}
QString fixture(const char* name) {
    return QStringLiteral(LOUPE_SOURCE_DIR "/tests/fixtures/models/%1.pt").arg(QLatin1String(name));
}

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

class WindowTest : public QObject {
    Q_OBJECT

    std::unique_ptr<MainWindow> window_;

    /// The window's least width and what asks for it.
    QByteArray widest() const {
        const QWidget* most = nullptr;
        for (const QWidget* child : window_->findChildren<QWidget*>(Qt::FindDirectChildrenOnly)) {
            if (child->isVisible() && (!most || child->minimumSizeHint().width() > most->minimumSizeHint().width()))
                most = child;
        }
        return QByteArray::number(window_->minimumSizeHint().width()) + " for " +
               (most ? most->metaObject()->className() : "nothing");
    }

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
    /// Every change of the layout is in its place and known.
    void settle() const { QTRY_VERIFY(window_->docks().isSettled()); }
    // While a file is being opened there is no model, or still the one before.
    [[nodiscard]] bool shows(const QString& file) {
        return window_->bridge().model() && window_->bridge().model()->path == file.toStdString() &&
               state() == RunState::Ready;
    }
    void open(const QString& file) {
        window_->openFile(file);
        QTRY_VERIFY(shows(file));
    }

  private slots:
    void initTestCase() {
        QStandardPaths::setTestModeEnabled(true);
        QCoreApplication::setOrganizationName(QStringLiteral("TensorloupeTest"));
        views::Theme::instance().setMode(views::Theme::Mode::Dark);
    }
    void init() {
        QSettings().clear();
        QSettings().setValue(QStringLiteral("ask/runs"), false);  // see window_keeping_test
        window_ = std::make_unique<MainWindow>();
        window_->show();
        QVERIFY(QTest::qWaitForWindowExposed(window_.get(), kPatience));
        // Without a window manager nobody else makes it active.
        QApplication::setActiveWindow(window_.get());
    }
    void cleanup() { window_.reset(); }

    void everyPanelHasAMenuEntryWithATip() {
        for (const auto& entry : views::registry().entries()) {
            QAction* found = window_->findChild<QAction*>(QStringLiteral("action.panel.") + entry.description.id);
            QVERIFY2(found, qPrintable(entry.description.id));
            QVERIFY(found->toolTip().contains(entry.description.tip));
        }
    }
    void aTableOfAPluginHasAWindowOfItsOwn() {
        open(model("digits"));
        QAction* entry = nullptr;
        QTRY_VERIFY((entry = window_->findChild<QAction*>(QStringLiteral("action.table.example.parameters"))));
        QVERIFY(!entry->toolTip().isEmpty());
        entry->trigger();
        auto* view = window_->findChild<views::PluginTableView*>();
        QVERIFY(view && view->window() != window_.get() && view->window()->isVisible());
        QTRY_VERIFY(view->table()->rowCount() > 3);
        QVERIFY(view->note()->text().contains(QStringLiteral("parameters")));
        const auto elements = [&](int row) { return view->table()->item(row, 2)->text().toLongLong(); };
        const int last = view->table()->rowCount() - 1;
        QVERIFY(elements(0) >= elements(1) && elements(1) > elements(last));
        view->table()->sortItems(2, Qt::AscendingOrder);
        QVERIFY(elements(0) <= elements(1) && elements(0) < elements(last));
        const QString first = view->table()->item(0, 0)->text();
        open(model("lstm"));  // its own parameters
        QTRY_VERIFY(view->isSettled() && view->table()->item(0, 0)->text() != first);
        view->window()->close();
        QTRY_VERIFY(!window_->findChild<views::PluginTableView*>());
    }
    void disabledCommandsSayWhy() {
        QVERIFY(!action("run")->isEnabled());
        QVERIFY2(action("run")->toolTip().contains(QStringLiteral("no model is open")),
                 qPrintable(action("run")->toolTip()));
    }
    void keysAreThoseOfTheManual() {
        const std::pair<const char*, const char*> keys[] = {{"run", "F5"},
                                                            {"stop", "Shift+F5"},
                                                            {"breakpoint", "F9"},
                                                            {"step_over", "F10"},
                                                            {"step_into", "F11"},
                                                            {"step_out", "Shift+F11"},
                                                            {"step_back", "Shift+F10"},
                                                            {"run_here", "Ctrl+F10"},
                                                            {"run_nan", "F6"},
                                                            {"run_backward", "F7"},
                                                            {"origin", "Shift+F6"},
                                                            {"open", "Ctrl+O"},
                                                            {"palette", "Ctrl+Shift+P"},
                                                            {"find", "Ctrl+F"},
                                                            {"goto", "Ctrl+P"},
                                                            {"save", "Ctrl+S"},
                                                            {"maximise", "Ctrl+F11"},
                                                            {"keys", "Shift+F1"},
                                                            {"bookmark", "Ctrl+B"},
                                                            {"fit", "Space"},
                                                            {"undo", "Ctrl+Z"}};
        for (const auto& [id, key] : keys) QCOMPARE(action(id)->shortcut(), QKeySequence(QLatin1String(key)));
    }

    void openRunBreakStepAndClose() {
        // From the start page, with the mouse.
        auto* card = window_->findChild<QPushButton*>(QStringLiteral("model.digits"));
        QVERIFY(card);
        QTest::mouseClick(card, Qt::LeftButton);
        QTRY_VERIFY(state() == RunState::Ready);
        QCOMPARE(window_->windowTitle().left(9), QStringLiteral("digits.pt"));
        auto& events = view<views::EventsView>("events");
        QTRY_VERIFY(events.isVisible());

        press(Qt::Key_F5);
        QTRY_COMPARE(state(), RunState::Finished);
        const auto forward = window_->bridge().eventCount();
        QVERIFY(forward > 10);
        QTRY_COMPARE(events.model().acceptedCount(), forward);

        // To backward: the first step is what it starts from, the next names its forward operator.
        press(Qt::Key_F7);
        QTRY_VERIFY(state() == RunState::Paused && window_->bridge().status().phase == session::RunPhase::Backward);
        press(Qt::Key_F10);
        QTRY_VERIFY(state() == RunState::Paused && window_->bridge().reachedEvent() == forward + 1);
        QTRY_COMPARE(window_->bridge().recording()->backward_start()->event, forward + 1);
        press(Qt::Key_F10);
        QTRY_VERIFY(state() == RunState::Paused && window_->bridge().reachedEvent() > forward + 1);
        const auto& recording = *window_->bridge().recording();
        const auto& event = recording.event(window_->bridge().reachedEvent());
        QCOMPARE(event.phase, session::RunPhase::Backward);
        QVERIFY(event.peer != 0 && event.peer <= forward);
        QCOMPARE(window_->bridge().currentEvent(), event.id);

        // Looking back does not move the engine.
        press(Qt::Key_F10, Qt::ShiftModifier);
        QCOMPARE(window_->bridge().currentEvent(), event.id - 1);
        QCOMPARE(window_->bridge().reachedEvent(), event.id);

        press(Qt::Key_F5, Qt::ShiftModifier);
        QTRY_VERIFY(state() != RunState::Paused && state() != RunState::Running);
        QVERIFY(window_->bridge().eventCount() > forward);  // what was recorded stays
        action("close")->trigger();
        QTRY_VERIFY(!window_->bridge().model());
        QTRY_VERIFY(window_->findChild<QWidget*>(QStringLiteral("startPage"))->isVisible());
    }

    void breakInAModuleDuringBackward() {
        open(fixture("resnet18"));
        session::Breakpoint breakpoint;
        breakpoint.kind = session::Breakpoint::Kind::Module;
        breakpoint.text = "layer2";
        breakpoint.phase = session::RunPhase::Backward;
        window_->bridge().addBreakpoint(breakpoint);
        auto options = window_->bridge().runOptions();
        options.backward = true;
        window_->bridge().setRunOptions(options);
        press(Qt::Key_F5);
        QTRY_COMPARE(state(), RunState::Paused);
        QCOMPARE(window_->bridge().status().phase, session::RunPhase::Backward);
        QVERIFY2(window_->bridge().status().next_scope.rfind("layer2", 0) == 0,
                 window_->bridge().status().next_scope.c_str());
        // Step, then look at a tensor: the current event follows.
        const auto before = window_->bridge().reachedEvent();
        press(Qt::Key_F11);
        QTRY_VERIFY(state() == RunState::Paused && window_->bridge().reachedEvent() > before);
        QVERIFY(window_->bridge().currentValue() != 0);
        const auto stepped = window_->bridge().reachedEvent();
        press(Qt::Key_F5);
        QTRY_VERIFY(state() == RunState::Finished ||
                    (state() == RunState::Paused && window_->bridge().reachedEvent() > stepped));
    }

    void f1OpensTheDocumentationOfTheCurrentNode() {
        open(model("digits"));
        press(Qt::Key_F5);
        QTRY_COMPARE(state(), RunState::Finished);
        window_->bridge().setCurrentModule(QStringLiteral("classifier.hidden"));
        auto& documentation = view<views::DocumentationView>("documentation");
        press(Qt::Key_F1);
        QTRY_VERIFY(documentation.isInSight());
        QCOMPARE(documentation.shown(), QStringLiteral("aten::linear"));
        QTRY_VERIFY(documentation.page().toPlainText().contains(QStringLiteral("A linear map of the last dimension.")));
    }

    void aPanelThatASavedLayoutLacksJoinsTheOthersOfItsPlace() {
        // The layout of a program that had no such panel.
        QMainWindow old;
        for (const auto& entry : views::registry().entries()) {
            if (entry.description.id == QLatin1String("documentation")) continue;
            auto* dock = new QDockWidget(&old);
            dock->setObjectName(entry.description.id);
            old.addDockWidget(Qt::RightDockWidgetArea, dock);
        }
        window_.reset();
        QSettings().setValue(QStringLiteral("window/docks"), old.saveState(1));
        window_ = std::make_unique<MainWindow>();
        window_->show();
        QVERIFY(QTest::qWaitForWindowExposed(window_.get(), kPatience));
        QApplication::setActiveWindow(window_.get());
        open(model("digits"));
        auto* dock = window_->findChild<QDockWidget*>(QStringLiteral("documentation"));
        QVERIFY(dock && !dock->isFloating());
        const auto others = window_->tabifiedDockWidgets(dock);
        QVERIFY(std::any_of(others.begin(), others.end(),
                            [](const QDockWidget* other) { return other->objectName() == QLatin1String("tensor"); }));
    }

    void selectingAModuleMovesEveryPanel() {
        open(model("digits"));
        press(Qt::Key_F5);
        QTRY_COMPARE(state(), RunState::Finished);
        auto& events = view<views::EventsView>("events");
        QTRY_COMPARE(events.model().acceptedCount(), window_->bridge().eventCount());
        auto& modules = view<views::ModulesView>("modules");
        const QModelIndex index = modules.model().indexOfModule(QStringLiteral("classifier.hidden"));
        QVERIFY(index.isValid());
        modules.tree().scrollTo(index);
        QTest::mouseClick(modules.tree().viewport(), Qt::LeftButton, {}, modules.tree().visualRect(index).center());
        const auto& bridge = window_->bridge();
        QCOMPARE(views::text(bridge.recording()->event(bridge.currentEvent()).scope),
                 QStringLiteral("classifier.hidden"));
        QTRY_COMPARE(events.tree().currentIndex().data(views::EventModel::EventRole).toUInt(), bridge.currentEvent());
        // A bookmark, away, and back.
        const auto event = bridge.currentEvent();
        press(Qt::Key_B, Qt::ControlModifier);
        QCOMPARE(bridge.bookmarks(), std::vector<session::EventId>{event});
        window_->bridge().setCurrentEvent(1);
        press(Qt::Key_Left, Qt::AltModifier);
        QCOMPARE(bridge.currentEvent(), event);
    }

    void palettesFindCommandsAndModules() {
        open(model("digits"));
        press(Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
        const QPointer<QWidget> palette = window_->findChild<QWidget*>(QStringLiteral("chooser"));
        QVERIFY(palette);
        auto* edit = palette->findChild<QLineEdit*>();
        auto* list = palette->findChild<QListWidget*>();
        QVERIFY(list->count() > 25);
        QTest::keyClicks(edit, QStringLiteral("light theme"));
        QCOMPARE(list->count(), 1);
        QTest::keyClick(edit, Qt::Key_Return);
        QTRY_COMPARE(views::Theme::instance().mode(), views::Theme::Mode::Light);
        views::Theme::instance().setMode(views::Theme::Mode::Dark);

        QTRY_VERIFY(!palette);
        window_->openGoTo();
        QWidget* go = window_->findChild<QWidget*>(QStringLiteral("chooser"));
        QVERIFY(go);
        QTest::keyClicks(go->findChild<QLineEdit*>(), QStringLiteral("classifier.hidden"));
        QTest::keyClick(go->findChild<QLineEdit*>(), Qt::Key_Return);
        QTRY_COMPARE(window_->bridge().currentModule(), QStringLiteral("classifier.hidden"));
    }

    void brokenFilesAreToldOfAndTheWindowGoesOn() {
        QTemporaryDir folder;
        const QString broken = folder.filePath(QStringLiteral("broken.pt"));
        QFile whole(model("digits"));
        QVERIFY(whole.open(QIODevice::ReadOnly));
        QFile part(broken);
        QVERIFY(part.open(QIODevice::WriteOnly));
        part.write(whole.read(whole.size() / 2));
        part.close();
        window_->openFile(broken);
        auto* banner = window_->findChild<window::Banner*>();
        QTRY_VERIFY(banner->isVisible());
        QVERIFY2(banner->message().contains(QStringLiteral("broken.pt")), qPrintable(banner->message()));
        QVERIFY(!banner->message().contains(QLatin1Char('\n')));
        window_->openFile(folder.filePath(QStringLiteral("missing.pt")));
        QVERIFY(banner->message().contains(QStringLiteral("no such file")));
        open(model("digits"));
        QVERIFY(!banner->isVisible());
        press(Qt::Key_F5);
        QTRY_COMPARE(state(), RunState::Finished);
    }

    // What a source was kept from doing is said with its line, and permitted with a button; what it wrote can be kept.
    void aSourceIsKeptFromFilesUntilItIsAllowed() {
        const QTemporaryDir folder;
        const QString source = folder.filePath(QStringLiteral("own/net.py"));
        const QString log = folder.filePath(QStringLiteral("elsewhere/log.txt"));
        QVERIFY(QDir(folder.path()).mkpath(QStringLiteral("own")) &&
                QDir(folder.path()).mkpath(QStringLiteral("elsewhere")));
        const auto write = [](const QString& path, const QString& text) {
            QFile file(path);
            QVERIFY(file.open(QIODevice::WriteOnly));
            file.write(text.toUtf8());
        };
        write(source, QStringLiteral("import torch\ntry:\n    open('%1', 'w').write('x')\nexcept OSError:\n    "
                                     "pass\ntorch.save(torch.ones(2), 'kept.pt')\nmodel = torch.nn.Linear(2, 2)\n")
                          .arg(log));
        open(source);
        auto* banner = window_->findChild<window::Banner*>();
        QTRY_VERIFY(banner->isVisible());
        QVERIFY2(
            banner->message().contains(QStringLiteral("net.py:3 may not write")) && banner->message().contains(log),
            qPrintable(banner->message()));
        QVERIFY(!QFile::exists(log));
        // Its own folder is offered to be kept.
        const QString fresh = window_->permissions().folder();
        QVERIFY2(QFile::exists(fresh + QStringLiteral("/kept.pt")), qPrintable(fresh));
        QTRY_VERIFY(action("keep_written")->isEnabled());
        const QString to = folder.filePath(QStringLiteral("kept"));
        window_->permissions().copyWritten(to);
        QTRY_VERIFY(QFile::exists(to + QStringLiteral("/kept.pt")));
        window_->permissions().copyWritten(to);
        QTRY_VERIFY(banner->message().contains(QStringLiteral("is there already")));
        open(model("digits"));
        open(source);
        QTRY_VERIFY(banner->isVisible() && banner->message().contains(QStringLiteral("may not write")));
        const auto buttons = banner->findChildren<QPushButton*>();
        const auto allow = std::find_if(buttons.begin(), buttons.end(), [](const QPushButton* button) {
            return button->text().startsWith(QStringLiteral("Allow writing to "));
        });
        QVERIFY(allow != buttons.end());
        QTest::mouseClick(*allow, Qt::LeftButton);
        QTRY_VERIFY(QFile::exists(log));
        QTRY_VERIFY(shows(source));
        QVERIFY(!banner->isVisible() || !banner->message().contains(QStringLiteral("may not")));
        // Not caught, the refusal is why it does not open: the way out stands beside it.
        write(source, QStringLiteral("import torch\ntorch.load('/etc/hostname')\nmodel = torch.nn.Linear(2, 2)\n"));
        window_->openFile(source);
        QTRY_COMPARE(state(), RunState::Failed);
        QTRY_VERIFY(banner->isVisible());
        const auto offered = banner->findChildren<QPushButton*>();
        QVERIFY(std::any_of(offered.begin(), offered.end(), [](const QPushButton* button) {
            return button->text().startsWith(QStringLiteral("Allow reading "));
        }));
    }
    // A failure that comes later has another cause: what was refused before, and said, is not offered again.
    void aLaterFailureIsNoRefusal() {
        const QTemporaryDir folder;
        const QString source = folder.filePath(QStringLiteral("net.py"));
        QFile file(source);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(
            "import torch\ntry:\n    open('/etc/hostname').read()\nexcept OSError:\n    pass\n\n"
            "class Net(torch.nn.Module):\n    def forward(self, x):\n        return x.view(5, 7)\n\n"
            "model = Net()\nexample_inputs = (torch.ones(4, 3),)\n");
        file.close();
        open(source);
        auto* banner = window_->findChild<window::Banner*>();
        QTRY_VERIFY(banner->isVisible() && banner->message().contains(QStringLiteral("may not read")));
        const auto offered = [&](const char* words) {
            QList<QPushButton*> found;
            for (QPushButton* button : banner->findChildren<QPushButton*>()) {
                if (button->text().startsWith(QLatin1String(words))) found += button;
            }
            return found;
        };
        QCOMPARE(offered("Allow reading ").size(), 1);
        press(Qt::Key_F5);
        QTRY_COMPARE(state(), RunState::Failed);
        QTRY_VERIFY(banner->isVisible() && banner->isError());
        QTRY_VERIFY(offered("Allow").empty());
        QCOMPARE(offered("Show the line").size(), 1);
        QTest::mouseClick(offered("Show the line").front(), Qt::LeftButton);
        QTRY_COMPARE(window_->bridge().currentSource().line, 9);
    }
    // An error of many lines: the first in the banner, all of them when asked, a click on the place goes there.
    void errorsHaveDetails() {
        QTemporaryDir folder;
        const QString source = folder.filePath(QStringLiteral("net.py"));
        const auto write = [&](const char* words) {
            QFile file(source);
            QVERIFY(file.open(QIODevice::WriteOnly));
            file.write(words);
        };
        write(
            "import torch\nfrom torch import nn\n\nclass Net(nn.Module):\n    def forward(self, x):\n        y = "
            "torch.relu(x)\n        return y + missing\n\nmodel = Net()\n");
        open(source);
        auto* banner = window_->findChild<window::Banner*>();
        action("script")->trigger();
        QTRY_VERIFY(banner->isVisible());
        QVERIFY2(banner->message().contains(QStringLiteral("undefined value missing")) &&
                     !banner->message().contains(QLatin1Char('\n')),
                 qPrintable(banner->message()));
        QVERIFY(!banner->details().isVisible());
        QTest::mouseClick(banner->detailsButton(), Qt::LeftButton);
        QTRY_VERIFY(banner->details().isVisible() && banner->height() > banner->details().height());
        QVERIFY(banner->details().toPlainText().contains(QStringLiteral("<--- HERE")));
        QTextCursor place = banner->details().document()->find(QStringLiteral("HERE"));
        banner->details().setTextCursor(place);
        QTest::mouseClick(banner->details().viewport(), Qt::LeftButton, {},
                          banner->details().cursorRect(place).center());
        auto& view = this->view<views::SourceView>("source");
        QTRY_VERIFY(view.isInSight());
        QCOMPARE(window_->bridge().currentSource().line, 7);
        QVERIFY(view.editor().markersAtLine(6) != 0);
        // Of a text that is no program, from the banner's own button.
        write("import torch\nfrom torch import nn\nmodel = nn.Sequential(nn.ReLU(\n");
        action("reload")->trigger();
        QTRY_VERIFY(banner->isVisible() && state() == RunState::Failed);
        QVERIFY(!banner->details().isVisible() && banner->detailsButton()->isVisible());
        open(model("digits"));
        QVERIFY(!banner->isVisible());
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

    void whatIsDroppedIsOpenedOrFed() {
        const auto drop = [this](const QString& file) {
            QMimeData data;
            data.setUrls({QUrl::fromLocalFile(file)});
            QDragEnterEvent enter({200, 200}, Qt::CopyAction, &data, Qt::LeftButton, {});
            QApplication::sendEvent(window_.get(), &enter);
            if (!enter.isAccepted()) return false;
            QDropEvent event({200, 200}, Qt::CopyAction, &data, Qt::LeftButton, {});
            QApplication::sendEvent(window_.get(), &event);
            return true;
        };
        const QString image = QStringLiteral(LOUPE_SOURCE_DIR "/resources/models/digits_samples/7.png");
        QVERIFY(drop(image));
        QVERIFY(window_->findChild<window::Banner*>()->message().contains(QStringLiteral("open a model first")));
        QVERIFY(drop(model("digits")));
        QTRY_VERIFY(window_->bridge().model() && state() == RunState::Ready);
        QVERIFY(drop(image));
        QCOMPARE(window_->bridge().inputs().front().file, image.toStdString());
        QCOMPARE(window_->bridge().inputs().front().shape, (session::Shape{1, 1, 8, 8}));
        press(Qt::Key_F5);
        auto& inputs = view<views::InputsView>("inputs");
        QTRY_VERIFY2(inputs.answer().startsWith(QStringLiteral("Output: 7 (")), qPrintable(inputs.answer()));
        // An array that cannot be read is told of; the input stays.
        QTemporaryDir folder;
        const QString broken = folder.filePath(QStringLiteral("broken.npy"));
        QFile file(broken);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("no array");
        file.close();
        QVERIFY(drop(broken));
        QTRY_VERIFY(window_->findChild<window::Banner*>()->isVisible());
        QCOMPARE(window_->bridge().inputs().front().file, image.toStdString());
    }

    // Dropped on a model, a checkpoint is loaded into it; what does not fit changes nothing and is listed.
    void aCheckpointIsLoadedIntoTheModel() {
        QTemporaryDir folder;
        const QString source = folder.filePath(QStringLiteral("net.py"));
        const QString other = folder.filePath(QStringLiteral("other.py"));
        const auto write = [](const QString& name, const char* words) {
            QFile file(name);
            QVERIFY(file.open(QIODevice::WriteOnly));
            file.write(words);
        };
        write(source,
              "import torch, torch.nn as nn\nmodel = nn.Sequential(nn.Linear(4, 3), nn.ReLU(), nn.Linear(3, "
              "2))\nexample_inputs = (torch.ones(1, 4),)\n");
        write(other,
              "import torch, torch.nn as nn\nmodel = nn.Sequential(nn.Linear(4, 3), nn.ReLU(), nn.Identity(), "
              "nn.Linear(3, 2))\n");
        const auto save = [this](const QString& to) {
            std::string failure = "?";
            window_->bridge().ask(QStringLiteral("save"), session::SaveWeightsQuery{to.toStdString()}, window_.get(),
                                  [&failure](const std::string& words) { failure = words; });
            QTRY_COMPARE(failure, std::string());
        };
        const auto first = [this](const char* name) {
            session::TensorRequest request;
            request.name = name;
            std::optional<double> value;
            window_->bridge().ask(QStringLiteral("test"), session::TensorQuery{request}, window_.get(),
                                  [&](const session::TensorSlice& slice) {
                                      value = slice.data.empty() ? NAN : slice.data[0].elements[0];
                                  });
            return QTest::qWaitFor([&] { return value.has_value(); }, kPatience) ? *value : NAN;
        };
        auto* banner = window_->findChild<window::Banner*>();
        auto* load = window_->findChild<QAction*>(QStringLiteral("action.load_weights"));
        QVERIFY(load && !load->isEnabled() && load->toolTip().contains(QStringLiteral("no model is open")));
        open(source);
        QVERIFY(load->isEnabled());
        const QString good = folder.filePath(QStringLiteral("good.pt"));
        save(good);
        const double before = first("0.weight");
        window_->bridge().session().ask("reset", session::ResetParametersQuery{"", 9}, [](const std::string&) {});
        QVERIFY(first("0.weight") != before);
        window_->takeFile(good);
        QTRY_COMPARE(first("0.weight"), before);
        QVERIFY(shows(source));
        QVERIFY(!banner->isVisible());
        // Of another model: "3.weight" where this one has "2.weight".
        open(other);
        const QString bad = folder.filePath(QStringLiteral("bad.pth"));
        save(bad);
        open(source);
        const double now = first("0.weight");
        window_->bridge().session().ask("reset", session::ResetParametersQuery{"", 11}, [](const std::string&) {});
        const double reset = first("0.weight");
        QVERIFY(reset != now);
        window_->takeFile(bad);
        QTRY_VERIFY(banner->isVisible() && banner->message().contains(QStringLiteral("2 missing, 2 unexpected")));
        QCOMPARE(first("0.weight"), reset);
        const auto buttons = banner->findChildren<QPushButton*>();
        QCOMPARE(buttons.size(), 3);
        window_->weights().showDifferences();
        auto* list = window_->weights().list();
        QCOMPARE(list->topLevelItemCount(), 4);
        QCOMPARE(list->topLevelItem(0)->text(0), QStringLiteral("2.weight"));
        QCOMPARE(list->topLevelItem(0)->text(3), QStringLiteral("2x3"));
        for (auto* button : list->window()->findChildren<QPushButton*>()) {
            if (button->text() == QStringLiteral("Copy all")) button->click();
        }
        QTRY_VERIFY(QApplication::clipboard()->text().contains(
            QStringLiteral("Missing key(s) in state_dict: \"2.weight\", \"2.bias\"")));
        list->window()->hide();
        buttons[1]->click();  // what fits
        QTRY_VERIFY(first("0.weight") != reset);
        QTRY_VERIFY(banner->message().contains(QStringLiteral("2 of 4 tensors of bad.pth were loaded")));
    }

    // What a weight is computed from stands below its module; its tensors are links.
    void rulesOfTensorsAreShown() {
        QTemporaryDir folder;
        const QString source = folder.filePath(QStringLiteral("pruned.py"));
        QFile file(source);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(
            "import torch, torch.nn as nn, torch.nn.utils.prune as prune\nmodel = nn.Sequential(nn.Linear(4, "
            "5))\nprune.l1_unstructured(model[0], 'weight', amount=0.5)\n"
            "example_inputs = (torch.ones(1, 4),)\n");
        file.close();
        open(source);
        auto& modules = view<views::ModulesView>("modules");
        const auto rules =
            modules.model().match(modules.model().index(0, 0), Qt::DisplayRole,
                                  QStringLiteral("weight pruned by L1Unstructured, 50 % zero"), 1, Qt::MatchRecursive);
        QCOMPARE(rules.size(), 1);
        QCOMPARE(modules.model().rowCount(rules.front()), 2);
        const QModelIndex mask = modules.model().index(1, 0, rules.front());
        QCOMPARE(mask.data().toString(), QStringLiteral("weight_mask"));
        modules.tree().setCurrentIndex(mask);
        auto* title = view<views::View>("tensor").findChild<QLabel*>(QStringLiteral("tensorTitle"));
        QVERIFY(title);
        QTRY_VERIFY2(title->text().contains(QStringLiteral("0.weight_mask")), qPrintable(title->text()));
    }

    void layoutChangesAreUndone() {
        open(model("digits"));
        auto* log = window_->findChild<QDockWidget*>(QStringLiteral("log"));
        settle();
        QVERIFY(!action("undo")->isEnabled());
        // Another tab in front is no change.
        window_->docks().show(QStringLiteral("log"));
        settle();
        QVERIFY(!action("undo")->isEnabled());
        log->setFloating(true);
        QTRY_VERIFY(action("undo")->isEnabled());
        settle();
        press(Qt::Key_Z, Qt::ControlModifier);
        QTRY_VERIFY(!log->isFloating());
        settle();
        log->close();
        QTRY_VERIFY(action("undo")->isEnabled());
        settle();
        press(Qt::Key_Z, Qt::ControlModifier);
        QTRY_VERIFY(!log->isHidden());
        settle();
        press(Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
        QTRY_VERIFY(log->isHidden());
    }

    void emptyPanelsSayWhatToDo() {
        open(model("digits"));
        for (const char* id : {"events", "tensor"}) {
            auto* hint = window_->docks().view(QLatin1String(id))->findChild<QLabel*>(QStringLiteral("emptyHint"));
            QVERIFY(hint);
            QTRY_VERIFY2(hint->isVisible() && hint->text().contains(QStringLiteral("F5")), id);
        }
        press(Qt::Key_F5);
        QTRY_COMPARE(state(), RunState::Finished);
        for (const char* id : {"events", "tensor"}) {
            QTRY_VERIFY2(
                !window_->docks().view(QLatin1String(id))->findChild<QLabel*>(QStringLiteral("emptyHint"))->isVisible(),
                id);
        }
    }

    // Another program wrote the source: the window says so, and runs it when asked. Its own saving is no news.
    void aSourceChangedOutsideIsToldOf() {
        QTemporaryDir folder;
        const QString source = folder.filePath(QStringLiteral("net.py"));
        const auto write = [&](const QByteArray& last) {
            QFile file(source);
            QVERIFY(file.open(QIODevice::WriteOnly));
            file.write("import torch\nfrom torch import nn\nmodel = nn.Sequential(nn.Linear(4, 3), " + last +
                       ")\nexample_inputs = (torch.ones(1, 4),)\n");
        };
        write("nn.ReLU()");
        open(source);
        auto* banner = window_->findChild<window::Banner*>();
        write("nn.Tanh()");
        QTRY_VERIFY(banner->isVisible() &&
                    banner->message().contains(QStringLiteral("net.py was changed by another program")));
        QVERIFY(!banner->isError());
        banner->findChildren<QPushButton*>().front()->click();
        QTRY_COMPARE(state(), RunState::Finished);
        QCOMPARE(std::string(window_->bridge().recording()->event(2).op), std::string("aten::tanh"));
        QVERIFY(!banner->isVisible());
        auto& view = this->view<views::SourceView>("source");
        view.editor().append(QStringLiteral("# saved here\n"));
        QVERIFY(view.saveAndRun());
        QTRY_VERIFY(window_->bridge().model() &&
                    window_->bridge().model()->sources.front().text.find("# saved here") != std::string::npos &&
                    state() == RunState::Finished);
        write("nn.Sigmoid()");
        QTRY_VERIFY(banner->isVisible());
        action("reload")->trigger();
        QTRY_VERIFY(!banner->isVisible() && view.editor().text().contains(QStringLiteral("Sigmoid")));
    }

    // Of a window that grows or shrinks each column gets its share.
    void columnsKeepTheirShares() {
        open(model("digits"));
        settle();
        const auto width = [this](const char* id) { return window_->docks().view(QLatin1String(id))->width(); };
        const double left = width("modules");
        const double right = width("tensor");
        const double whole = window_->width();
        const auto height = [this] { return window_->docks().view(QStringLiteral("events"))->height(); };
        const double below = height();
        const double high = window_->height();
        for (const int to : {1100, 1400, 1200}) {
            window_->resize(to, to / 2 + 100);
            QTRY_VERIFY(window_->width() == to);
            settle();
            const QByteArray now = QStringLiteral("%1: %2 and %3, %4 high; of %5: %6 and %7, %8")
                                       .arg(to)
                                       .arg(width("modules"))
                                       .arg(width("tensor"))
                                       .arg(height())
                                       .arg(whole)
                                       .arg(left)
                                       .arg(right)
                                       .arg(below)
                                       .toUtf8();
            QVERIFY2(std::abs(width("modules") - left * to / whole) < 24 &&
                         std::abs(width("tensor") - right * to / whole) < 24,
                     now.constData());
            QVERIFY2(std::abs(height() - below * (to / 2 + 100) / high) < 40, now.constData());
        }
        // Nor does an error that comes and goes move them.
        const int before = height();
        for (int i = 0; i < 5; ++i) {
            window_->openFile(QStringLiteral("/nowhere/model.pt"));
            settle();
            window_->findChild<window::Banner*>()->dismiss();
            settle();
        }
        QVERIFY2(std::abs(height() - before) <= 8, qPrintable(QStringLiteral("%1, was %2").arg(height()).arg(before)));
    }

    /// The panels in front, and their sizes.
    QString sizes() const {
        QStringList all;
        for (const QDockWidget* dock : window_->docks().all()) {
            if (!dock->isHidden() && !dock->visibleRegion().isEmpty())
                all << QStringLiteral("%1 %2 x %3").arg(dock->objectName()).arg(dock->width()).arg(dock->height());
        }
        return all.join(QStringLiteral(", "));
    }

    // Not by a pixel, in a layout of the user's own, whatever the error shows meanwhile.
    void panelsGetTheirSizesBackWhenABannerGoes() {
        open(model("digits"));
        settle();
        auto* banner = window_->findChild<window::Banner*>();
        const auto dock = [this](const char* id) { return window_->findChild<QDockWidget*>(QLatin1String(id)); };
        for (const bool is_own : {false, true}) {
            if (is_own) {
                window_->resizeDocks({dock("graph"), dock("events")}, {180, 420}, Qt::Vertical);
                window_->resizeDocks({dock("modules"), dock("graph")}, {390, 400}, Qt::Horizontal);
                window_->addDockWidget(Qt::RightDockWidgetArea, dock("log"), Qt::Vertical);
                settle();
            }
            const QString before = sizes();
            for (int i = 0; i < 3; ++i) {
                banner->tell(QStringLiteral("An error"), {}, QString(QStringLiteral("line of details\n")).repeated(12));
                settle();
                QTRY_VERIFY(sizes() != before);
                QTest::mouseClick(banner->detailsButton(), Qt::LeftButton);
                settle();
                banner->tell(QString(QStringLiteral("a long message ")).repeated(40), {});
                settle();
                banner->dismiss();
                settle();
                QTRY_COMPARE(sizes(), before);
            }
        }
    }

    // The panel whose tab, or what takes no focus in it, was clicked last is the one that commands are about.
    void thePanelClickedLastIsTheOneActedUpon() {
        open(model("digits"));
        settle();
        window_->docks().show(QStringLiteral("modules"));
        const auto clickTab = [this](const QString& title) {
            for (QTabBar* bar : window_->findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly)) {
                for (int tab = 0; tab < bar->count(); ++tab) {
                    if (bar->tabText(tab) == title && bar->isVisible())
                        return QTest::mouseClick(bar, Qt::LeftButton, {}, bar->tabRect(tab).center());
                }
            }
        };
        clickTab(QStringLiteral("Memory"));
        QCOMPARE(window_->docks().focused(), window_->docks().view(QStringLiteral("memory")));
        QTRY_VERIFY(window_->docks().view(QStringLiteral("memory"))->isAncestorOf(QApplication::focusWidget()));
        auto* menu = window_->menuBar()->findChild<QMenu*>(QStringLiteral("panelMenu"));
        QVERIFY(menu);
        emit menu->aboutToShow();
        QMenu own;
        window_->docks().view(QStringLiteral("memory"))->addActions(own);
        QVERIFY(!own.actions().isEmpty());
        QCOMPARE(menu->actions().front()->text(), own.actions().front()->text());
        press(Qt::Key_F11, Qt::ControlModifier);
        settle();
        QTRY_VERIFY(!window_->findChild<QDockWidget*>(QStringLiteral("memory"))->isHidden());
        QVERIFY(window_->findChild<QDockWidget*>(QStringLiteral("modules"))->isHidden());
        press(Qt::Key_F11, Qt::ControlModifier);
        settle();
        // A button takes no focus by a click.
        auto* lock = window_->docks().view(QStringLiteral("events"))->findChild<QToolButton*>();
        clickTab(QStringLiteral("Events"));
        window_->docks().show(QStringLiteral("modules"));
        QVERIFY(lock && lock->isVisible());
        QTest::mousePress(lock, Qt::RightButton);
        QTest::mouseRelease(lock, Qt::RightButton);
        QCOMPARE(window_->docks().focused(), window_->docks().view(QStringLiteral("events")));
    }

    void noTextIsCut_data() {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QSize>("size");
        for (const char* name : {"digits", "gpt"}) {
            for (const QSize size : {QSize(1440, 900), QSize(1024, 700)})
                QTest::addRow("%s at %d", name, size.width()) << model(name) << size;
        }
    }
    void noTextIsCut() {
        QFETCH(QString, file);
        QFETCH(QSize, size);
        window_->resize(size);
        open(file);
        session::RunOptions options = window_->bridge().runOptions();
        options.backward = true;
        window_->bridge().setRunOptions(options);
        press(Qt::Key_F5);
        QTRY_COMPARE(state(), RunState::Finished);
        if (auto* banner = window_->findChild<window::Banner*>(); banner->isVisible()) banner->dismiss();
        QCOMPARE(window_->size(), size);
        QStringList cut;
        for (QDockWidget* dock : window_->docks().all()) {
            window_->docks().show(dock->objectName());
            settle();
            QTRY_VERIFY(dock->widget()->isVisible() && static_cast<views::View*>(dock->widget())->isSettled());
            QCoreApplication::processEvents();
            for (const QString& text : testing::cutTexts(*dock->widget()))
                cut << dock->objectName() + QStringLiteral(": ") + text;
        }
        QVERIFY2(cut.isEmpty(), qPrintable(cut.join(u'\n')));
    }

    void noModelMakesTheWindowWider() {
        QTest::failOnWarning(QRegularExpression(QStringLiteral("QPainter")));  // panels without any room draw nothing
        open(fixture("resnet18"));
        press(Qt::Key_F7);
        QTRY_COMPARE(state(), RunState::Paused);
        for (QDockWidget* dock : window_->docks().all()) {
            window_->docks().show(dock->objectName());
            QTRY_VERIFY2(dock->widget()->isVisible(), qPrintable(dock->objectName()));
        }
        settle();
        QVERIFY2(window_->minimumSizeHint().width() <= 1024, widest().constData());
        // Nor does a long word at the foot: an error, a scope of many modules.
        for (auto* label : window_->statusBar()->findChildren<views::ElidedLabel*>())
            label->setText(QString(400, QLatin1Char('m')));
        QCoreApplication::processEvents();
        QVERIFY2(window_->minimumSizeHint().width() <= 1024, widest().constData());
        press(Qt::Key_F5, Qt::ShiftModifier);
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
                    !last->text(3).isEmpty());
        // Folding batch normalisation rounds differently, and no more.
        bool ok = false;
        const double difference = last->text(3).toDouble(&ok);
        QVERIFY2(ok && difference < 1e-4, qPrintable(last->text(3)));
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

    void aTracedModelShowsTheCodeOfItsArchive() {
        // Its debug records hold the calls of the tracing program, which are no source.
        open(model("gpt"));
        auto& source = view<views::SourceView>("source");
        press(Qt::Key_F5);
        QTRY_COMPARE(state(), RunState::Finished);
        window_->bridge().setCurrentEvent(static_cast<session::EventId>(window_->bridge().eventCount()));
        QVERIFY2(source.currentFile().startsWith(QStringLiteral("code/")), qPrintable(source.currentFile()));
        QVERIFY(source.editor().text().contains(QStringLiteral("def forward(self")));
        QVERIFY(window_->bridge().currentSource().line > 0);
        QVERIFY(source.editor().markersAtLine(window_->bridge().currentSource().line - 1) != 0);
    }

    void everyPanelIsSavedAsAPictureAndRowsAreCopied() {
        open(model("digits"));
        press(Qt::Key_F5);
        QTRY_COMPARE(state(), RunState::Finished);
        QTemporaryDir folder;
        for (QDockWidget* dock : window_->docks().all()) {
            for (const char* ending : {"png", "svg", "pdf"}) {
                const QString file = folder.filePath(dock->objectName() + QLatin1Char('.') + QLatin1String(ending));
                QCOMPARE(views::savePanel(*dock->widget(), file), QString());
                QVERIFY2(QFileInfo(file).size() > 500, qPrintable(file));
            }
        }
        QVERIFY(views::savePanel(*window_, folder.filePath(QStringLiteral("missing/x.png")))
                    .contains(QStringLiteral("cannot write")));
        auto& modules = view<views::ModulesView>("modules");
        modules.tree().setFocus();
        QTRY_VERIFY(testing::isActive(*window_) && modules.tree().hasFocus() && action("copy")->isEnabled());
        modules.tree().setCurrentIndex(modules.model().indexOfModule(QStringLiteral("features")));
        QTest::keyClick(&modules.tree(), Qt::Key_C, Qt::ControlModifier);
        QTRY_VERIFY(QApplication::clipboard()->text().startsWith(QStringLiteral("features\tSequential")));
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

    void layoutIsRemembered() {
        open(model("digits"));
        auto* log = window_->findChild<QDockWidget*>(QStringLiteral("log"));
        log->setFloating(true);
        window_->close();
        window_ = std::make_unique<MainWindow>();
        window_->show();
        open(model("digits"));
        QTRY_VERIFY(window_->findChild<QDockWidget*>(QStringLiteral("log"))->isFloating());
        QCOMPARE(QSettings().value(QStringLiteral("recentFiles")).toStringList().value(0), model("digits"));
    }
};

QTEST_MAIN(WindowTest)
#include "window_test.moc"
