// SPDX-License-Identifier: GPL-3.0-or-later
// The window, driven with mouse and keys on the shipped and the fixture models: commands, files, sources.

#include <Qsci/qsciscintilla.h>

#include <QAction>
#include <QDir>
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
#include <QTextBlock>
#include <QTextBrowser>
#include <QToolButton>
#include <QTreeView>
#include <QTreeWidget>
#include <cmath>

#include "app/window/banner.h"
#include "app/window/docks.h"
#include "app/window/help_window.h"
#include "app/window/main_window.h"
#include "app/window/source_permissions.h"
#include "app/window/weights_loader.h"
#include "core/session/queries/reset_parameters.h"
#include "core/session/queries/save_weights.h"
#include "core/session/queries/tensor.h"
#include "tests/app/window_fixture.h"
#include "tests/views/patience.h"
#include "views/common/constructor_bar.h"
#include "views/common/elided_label.h"
#include "views/common/format.h"
#include "views/common/theme.h"
#include "views/documentation/documentation_view.h"
#include "views/events/event_model.h"
#include "views/events/events_view.h"
#include "views/inputs/input_model.h"
#include "views/inputs/inputs_view.h"
#include "views/modules/module_model.h"
#include "views/modules/modules_view.h"
#include "views/registry.h"
#include "views/source/source_view.h"
#include "views/tables/plugin_table_view.h"

using namespace loupe;
using session::RunState;
using testing::fixture;
using testing::model;

class WindowTest : public testing::WindowFixture {
    Q_OBJECT

  private slots:
    void initTestCase() { prepare(); }
    void init() { makeWindow(); }
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
    void guessesAreSaidWhereTheyAreSeen() {
        QTemporaryDir folder;
        const auto write = [&](const char* name, const char* source) {
            const QString path = folder.filePath(QLatin1String(name));
            QFile file(path);
            if (!file.open(QIODevice::WriteOnly)) qFatal("no file");
            file.write(source);
            return path;
        };
        const char* kClass =
            "import torch\nfrom torch import nn\n\n\nclass Net(nn.Module):\n    def __init__(self, wide):\n"
            "        super().__init__()\n        self.fc = nn.Linear(3, wide)\n\n    def forward(self, x):\n"
            "        return self.fc(x)\n";
        open(write("net.py", kClass));
        auto* banner = window_->findChild<window::Banner*>();
        QTRY_VERIFY(banner->isVisible());
        QVERIFY2(!banner->isError() && banner->message().contains(QStringLiteral("Net(wide=64) is guessed")) &&
                     banner->message().contains(QStringLiteral("so are its inputs")),
                 qPrintable(banner->message()));
        auto* link = banner->findChild<QPushButton*>();
        QVERIFY(link != nullptr);
        // The form lies below what a small panel shows.
        auto& form = view<views::InputsView>("inputs").constructors();
        QTest::mouseClick(link, Qt::LeftButton);
        QTRY_VERIFY(form.field(QStringLiteral("wide")) != nullptr &&
                    !form.field(QStringLiteral("wide"))->visibleRegion().isEmpty());
        QVERIFY(banner->isHidden());
        // A model that is said, with inputs that are not.
        open(write("built.py", (QByteArray(kClass) + "\n\nmodel = Net(5)\n").constData()));
        auto* state = window_->statusBar()->findChild<views::ElidedLabel*>(QStringLiteral("state"));
        QTRY_VERIFY2(state->text().contains(QStringLiteral("its inputs are guessed")), qPrintable(state->text()));
        QVERIFY(banner->isHidden());
        open(write("given.py",
                   (QByteArray(kClass) + "\n\nmodel = Net(5)\nexample_inputs = (torch.ones(2, 3),)\n").constData()));
        QTRY_VERIFY(!state->text().contains(QStringLiteral("guessed")));
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

    // Ctrl+F1, for every panel of the registry.
    void helpOpensAtThePanelInFocus() {
        open(model("digits"));
        for (const auto& entry : views::registry().entries()) {
            window_->docks().show(entry.description.id);
            QTRY_COMPARE(window_->docks().focused(), window_->docks().view(entry.description.id));
            action("panel_help")->trigger();
            auto* help = window_->findChild<window::HelpWindow*>();
            QVERIFY(help && help->isVisible());
            QCOMPARE(help->page(), QStringLiteral("panels"));
            const auto* text = help->findChild<QTextBrowser*>(QStringLiteral("helpText"));
            QCOMPARE(text->textCursor().block().text(), entry.description.title);
        }
        // A link of an example opens it in the window.
        auto* help = window_->findChild<window::HelpWindow*>();
        emit help->fileWanted(QStringLiteral(LOUPE_SOURCE_DIR "/resources/docs/examples/vanishing.py"));
        QTRY_VERIFY(window_->bridge().model() && window_->bridge().model()->path.ends_with("vanishing.py"));
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
        const bool has_stepped = QTest::qWaitFor(
            [&] { return state() == RunState::Paused && window_->bridge().reachedEvent() == forward + 1; }, kPatience);
        QVERIFY2(has_stepped, qPrintable(QStringLiteral("state %1, event %2 after %3 of forward, step over: %4")
                                             .arg(static_cast<int>(state()))
                                             .arg(window_->bridge().reachedEvent())
                                             .arg(forward)
                                             .arg(action("step_over")->toolTip())));
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
        auto* page = window_->findChild<QWidget*>(QStringLiteral("startPage"));
        QTRY_VERIFY(page->isVisible());
        // Who has a program rather than a file finds what to write in it.
        page->findChild<QPushButton*>(QStringLiteral("howToRecord"))->click();
        auto* help = window_->findChild<window::HelpWindow*>();
        QTRY_VERIFY(help != nullptr && help->isVisible());
        QCOMPARE(help->page(), QStringLiteral("guide"));
        help->close();
        QVERIFY(page->findChild<QPushButton*>(QStringLiteral("attachTraining"))->isEnabled());
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
        QTest::keyClicks(edit, QStringLiteral("memory"));
        QCOMPARE(list->currentItem()->text(), QStringLiteral("Show panel: Memory"));
        edit->clear();
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
};

QTEST_MAIN(WindowTest)
#include "window_test.moc"
