// SPDX-License-Identifier: GPL-3.0-or-later
// Where panels stand and how large they are, what fits into the window, and that all of it is remembered.

#include <Qsci/qsciscintilla.h>

#include <QAction>
#include <QCheckBox>
#include <QClipboard>
#include <QDialogButtonBox>
#include <QDir>
#include <QDirIterator>
#include <QDockWidget>
#include <QDropEvent>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMainWindow>
#include <QMenu>
#include <QMenuBar>
#include <QMessageBox>
#include <QMimeData>
#include <QPointer>
#include <QPushButton>
#include <QRegularExpression>
#include <QSettings>
#include <QShortcut>
#include <QStandardPaths>
#include <QStatusBar>
#include <QTabBar>
#include <QTemporaryDir>
#include <QTest>
#include <QTextBrowser>
#include <QToolButton>
#include <QTreeView>
#include <QTreeWidget>
#include <QTreeWidgetItemIterator>
#include <cmath>

#include "app/window/banner.h"
#include "app/window/docks.h"
#include "app/window/keys_dialog.h"
#include "app/window/main_window.h"
#include "app/window/session_store.h"
#include "tests/app/window_fixture.h"
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
#include "views/inputs/input_model.h"
#include "views/inputs/inputs_view.h"
#include "views/modules/module_model.h"
#include "views/modules/modules_view.h"
#include "views/passes/passes_view.h"
#include "views/registry.h"
#include "views/source/source_view.h"
#include "views/watch/watch_model.h"
#include "views/watch/watch_view.h"

using namespace loupe;
using session::RunState;
using testing::fixture;
using testing::model;
using window::MainWindow;

class WindowLayoutTest : public testing::WindowFixture {
    Q_OBJECT

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

    /// The panels in front, and their sizes.
    QString sizes() const {
        QStringList all;
        for (const QDockWidget* dock : window_->docks().all()) {
            if (!dock->isHidden() && !dock->visibleRegion().isEmpty())
                all << QStringLiteral("%1 %2 x %3").arg(dock->objectName()).arg(dock->width()).arg(dock->height());
        }
        return all.join(QStringLiteral(", "));
    }

  private slots:
    void initTestCase() { prepare(); }
    void init() { makeWindow(); }
    void cleanup() { window_.reset(); }

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

    // Scaled by 200 or 300 % a screen of 1440 x 900 is that small: columns side by side would show nothing.
    void aSmallWindowHasFewerGroups() {
        const auto beside = [this](const char* id) {
            QStringList all;
            for (const QDockWidget* each :
                 window_->tabifiedDockWidgets(window_->findChild<QDockWidget*>(QLatin1String(id))))
                all << each->objectName();
            return all;
        };
        window_->resize(720, 450);
        open(model("digits"));
        settle();
        QCOMPARE(beside("modules"), QStringList{QStringLiteral("inputs")});
        QVERIFY(beside("graph").contains(QLatin1String("tensor")));
        QVERIFY(!beside("graph").contains(QLatin1String("events")));
        press(Qt::Key_F5);
        QTRY_COMPARE(state(), RunState::Finished);
        for (const char* id : {"inputs", "tensor", "graph"}) {
            window_->docks().show(QLatin1String(id));
            settle();
            const QStringList cut = testing::cutTexts(*window_->docks().view(QLatin1String(id)));
            QVERIFY2(cut.isEmpty(), qPrintable(QLatin1String(id) + QStringLiteral(": ") + cut.join(u'\n')));
        }
        window_->resize(480, 300);
        window_->docks().resetLayout();
        settle();
        QVERIFY(beside("graph").contains(QLatin1String("events")) &&
                beside("graph").contains(QLatin1String("modules")));
        window_->resize(1440, 900);
        window_->docks().resetLayout();
        settle();
        QVERIFY(beside("inputs").isEmpty());
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
            // What the panel reads on the engine's thread may come late, and gets its room then.
            QStringList texts;
            static_cast<void>(QTest::qWaitFor(
                [&] {
                    texts = testing::cutTexts(*dock->widget());
                    return texts.isEmpty();
                },
                5000));
            for (const QString& text : texts) cut << dock->objectName() + QStringLiteral(": ") + text;
        }
        QVERIFY2(cut.isEmpty(), qPrintable(cut.join(u'\n')));
    }

    // Whichever panel is in front, and whatever went wrong: the row in the middle keeps its share.
    void aFailedRunLeavesTheRowsAsTheyAre() {
        QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("net.py"));
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(
            "import torch\n"
            "from torch import nn\n\n"
            "class Net(nn.Module):\n"
            "    def __init__(self):\n"
            "        super().__init__()\n"
            "        self.out = nn.Linear(8, 3)\n\n"
            "    def forward(self, x):\n"
            "        return self.out(x[:, 1:])\n\n"
            "model = Net()\n"
            "example_inputs = (torch.ones(4, 8),)\n");
        file.close();
        window_->resize(1440, 900);
        open(path);
        settle();
        press(Qt::Key_F5);
        QTRY_COMPARE(state(), RunState::Failed);
        for (QDockWidget* dock : window_->docks().all()) {
            const QString name = dock->objectName();
            QVERIFY2(dock->minimumSizeHint().height() < 320,
                     qPrintable(name + QString(": %1").arg(dock->minimumSizeHint().height())));
        }
        for (const char* name : {"source", "graph", "events", "compare", "log", "source"}) {
            window_->docks().show(QLatin1String(name));
            settle();
            QTest::qWait(300);
            for (QDockWidget* dock : window_->docks().all()) {
                if (dock->visibleRegion().isEmpty() || dock->isFloating()) continue;
                QVERIFY2(dock->height() > 150, qPrintable(QString("%1 is in front: %2 has %3 px")
                                                              .arg(QLatin1String(name), dock->objectName())
                                                              .arg(dock->height())));
            }
        }
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

    void enterOnACardOpensIt() {
        auto* card = window_->findChild<QPushButton*>(QStringLiteral("model.digits"));
        QVERIFY(card);
        QTRY_VERIFY(testing::isActive(*window_));
        card->setFocus();
        QTest::keyClick(card, Qt::Key_Return);
        QTRY_VERIFY(shows(model("digits")));
    }

    void aLongMessageIsNotClipped() {
        auto* banner = window_->findChild<window::Banner*>();
        banner->tell(QStringLiteral("short"), {});
        QTRY_VERIFY(banner->isVisible());
        QTest::qWait(20);
        const int low = banner->height();
        const QString message = QStringLiteral(
                                    "aten::linear: the last dimension of the input is 576 and the weight expects 999: "
                                    "make it in_features=576 ")
                                    .repeated(3) +
                                QStringLiteral("end");
        banner->tell(message, {{QStringLiteral("Show the line"), [] {}}, {QStringLiteral("Change inputs"), [] {}}});
        QTRY_VERIFY(banner->height() > low);
        const auto labels = banner->findChildren<QLabel*>();
        QVERIFY(std::any_of(labels.begin(), labels.end(), [](const QLabel* label) {
            return label->isVisible() && label->text().endsWith(QStringLiteral("end"));
        }));
        QCOMPARE(banner->message(), message);
    }

    void aPanelIsMaximisedAndBack() {
        open(model("digits"));
        settle();
        const auto shown = [this] {
            QStringList all;
            for (const QDockWidget* dock : window_->docks().all()) {
                if (!dock->isHidden()) all += dock->objectName();
            }
            return all;
        };
        const QStringList before = shown();
        auto* tensor = window_->findChild<QDockWidget*>(QStringLiteral("tensor"));
        const QSize size = tensor->size();
        window_->docks().show(QStringLiteral("tensor"));
        press(Qt::Key_F11, Qt::ControlModifier);
        settle();
        QCOMPARE(shown(), QStringList{QStringLiteral("tensor")});
        QTRY_VERIFY(tensor->width() > window_->width() * 9 / 10);
        QVERIFY(action("maximise")->isChecked());
        QVERIFY(!action("undo")->isEnabled());  // no change of the layout
        press(Qt::Key_F11, Qt::ControlModifier);
        settle();
        QCOMPARE(shown(), before);
        QTRY_VERIFY(std::abs(tensor->width() - size.width()) < 40);
        // With the mouse: on its tab, and back on its title.
        QTabBar* bar = nullptr;
        int tab = -1;
        for (auto* each : window_->findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly)) {
            for (int i = 0; i < each->count(); ++i) {
                if (each->tabText(i) != QStringLiteral("Events") || !each->isVisible()) continue;
                bar = each;
                tab = i;
            }
        }
        QVERIFY(bar);
        QTest::mouseDClick(bar, Qt::LeftButton, {}, bar->tabRect(tab).center());
        QTRY_VERIFY(window_->docks().isMaximised());
        settle();
        QCOMPARE(shown(), QStringList{QStringLiteral("events")});
        auto* events = window_->findChild<QDockWidget*>(QStringLiteral("events"));
        QTest::mouseDClick(events, Qt::LeftButton, {}, QPoint(40, 6));
        QTRY_VERIFY(!window_->docks().isMaximised());
        settle();
        QCOMPARE(shown(), before);
        // A panel that is asked for is shown among the others.
        window_->docks().toggleMaximised(QStringLiteral("events"));
        settle();
        window_->docks().show(QStringLiteral("memory"));
        settle();
        QCOMPARE(shown(), before);
    }

    void everyKeyStandsInTheList() {
        open(model("digits"));
        press(Qt::Key_F1, Qt::ShiftModifier);
        auto* dialog = window_->findChild<window::KeysDialog*>();
        QVERIFY(dialog && dialog->isVisible());
        QStringList keys;
        QStringList commands;
        for (QTreeWidgetItemIterator row(dialog->list()); *row; ++row) {
            commands += (*row)->text(0);
            keys += (*row)->text(1).split(QStringLiteral(", "));
        }
        for (const QAction* each : window_->findChildren<QAction*>()) {
            if (!each->objectName().startsWith(QStringLiteral("action."))) continue;
            for (const QKeySequence& key : each->shortcuts())
                QVERIFY2(keys.contains(key.toString(QKeySequence::NativeText)), qPrintable(each->objectName()));
            const QString name = each->text().remove(QLatin1Char('&')).remove(QStringLiteral("\u2026"));
            QVERIFY2(commands.contains(name), qPrintable(name));
        }
        for (const QDockWidget* dock : window_->docks().all()) {
            for (const QShortcut* each : dock->findChildren<QShortcut*>())
                QVERIFY(keys.contains(each->key().toString(QKeySequence::NativeText)));
        }
        dialog->search()->setText(QStringLiteral("next nan"));
        int shown = 0;
        for (QTreeWidgetItemIterator row(dialog->list(), QTreeWidgetItemIterator::NotHidden); *row; ++row)
            shown += (*row)->childCount() == 0;
        QCOMPARE(shown, 1);
    }

    void aPaletteWithoutHitsSaysSo() {
        window_->openPalette();
        auto* chooser = window_->findChild<QDialog*>(QStringLiteral("chooser"));
        QVERIFY(chooser);
        chooser->findChild<QLineEdit*>()->setText(QStringLiteral("zzzz"));
        auto* list = chooser->findChild<QListWidget*>();
        QCOMPARE(list->count(), 1);
        QVERIFY2(list->item(0)->text().contains(QStringLiteral("zzzz")), qPrintable(list->item(0)->text()));
        QTest::keyClick(chooser->findChild<QLineEdit*>(), Qt::Key_Return);  // nothing to choose
        chooser->close();
    }

    void theThemeInUseIsMarked() {
        QVERIFY(action("theme_dark")->isChecked() && !action("theme_light")->isChecked());
        action("theme_light")->trigger();
        QVERIFY(!action("theme_dark")->isChecked() && action("theme_light")->isChecked());
        action("theme_dark")->trigger();
        QVERIFY(action("theme_dark")->isChecked());
    }

    void buttonsOfDialogsHaveNoIcons() {
        const QDialogButtonBox box(QDialogButtonBox::Ok | QDialogButtonBox::Discard | QDialogButtonBox::Cancel);
        for (QAbstractButton* button : box.buttons()) QVERIFY2(button->icon().isNull(), qPrintable(button->text()));
        QMessageBox question(QMessageBox::NoIcon, {}, QStringLiteral("?"), QMessageBox::Save | QMessageBox::Cancel);
        question.show();
        for (QAbstractButton* button : question.buttons())
            QVERIFY2(button->icon().isNull(), qPrintable(button->text()));
    }

    void theWindowStandsOnTheScreen() {
        window_.reset();
        window_ = std::make_unique<MainWindow>();
        window_->resize(9000, 9000);
        window_->move(300, 300);
        window_->show();
        QTRY_VERIFY2(window_->screen()->availableGeometry().contains(window_->frameGeometry()), "outside");
    }
};

QTEST_MAIN(WindowLayoutTest)
#include "window_layout_test.moc"
