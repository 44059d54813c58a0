// SPDX-License-Identifier: GPL-3.0-or-later
// The window lives on, whatever is thrown or typed in it.

#include <QAbstractTableModel>
#include <QFile>
#include <QListView>
#include <QPainter>
#include <QPushButton>
#include <QStringListModel>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QThreadPool>
#include <QTimer>

#include "app/window/application.h"
#include "app/window/docks.h"
#include "app/window/main_window.h"
#include "core/session/queries/watch.h"
#include "tests/views/patience.h"
#include "views/common/expression_edit.h"
#include "views/common/failures.h"
#include "views/timeline/imgui_widget.h"
#include "views/watch/breakpoint_model.h"
#include "views/watch/watch_model.h"

using namespace loupe;
using session::Breakpoint;
using session::RunState;
using views::ExpressionEdit;
using window::MainWindow;

namespace {

class PaintThrower : public QWidget {
  public:
    using QWidget::QWidget;
    bool throws = true;

  protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        if (throws) throw std::runtime_error("thrown in painting");
        painter.fillRect(rect(), Qt::green);
    }
};

// Throws while a view draws it.
class ThrowingModel : public QStringListModel {
  public:
    using QStringListModel::QStringListModel;
    bool throws = true;
    QVariant data(const QModelIndex& index, int role) const override {
        if (throws && role == Qt::DisplayRole) throw std::runtime_error("thrown in a model");
        return QStringListModel::data(index, role);
    }
};

class Filter : public QObject {
  public:
    using QObject::QObject;
    bool eventFilter(QObject*, QEvent* event) override {
        if (event->type() == QEvent::KeyPress) throw std::runtime_error("thrown in a filter");
        return false;
    }
};

QColor colourIn(QWidget& widget) { return widget.grab().toImage().pixelColor(widget.rect().center()); }

}  // namespace

class RobustTest : public QObject {
    Q_OBJECT

    std::unique_ptr<MainWindow> window_;
    const QString source_ = QStringLiteral(LOUPE_SOURCE_DIR "/tests/session/conditions.py");

    QStringList logged(const QString& what) const {
        QStringList out;
        for (const auto& entry : window_->bridge().log()) {
            if (const QString line = QString::fromStdString(entry.text); line.contains(what)) out << line;
        }
        return out;
    }
    RunState state() const { return window_->bridge().status().state; }
    // Once: a run that was not saved would be asked about.
    void open(const QString& file) {
        if (window_->bridge().model() && window_->bridge().model()->path == file.toStdString()) return;
        window_->openFile(file);
        QTRY_VERIFY(window_->bridge().model() && window_->bridge().model()->path == file.toStdString() &&
                    state() == RunState::Ready);
    }
    QTableView* table(const char* panel, const char* name) {
        window_->docks().show(QLatin1String(panel));
        return window_->findChild<QTableView*>(QLatin1String(name));
    }
    ExpressionEdit* edit(QTableView* in, int row, int column) const {
        in->setCurrentIndex(in->model()->index(row, column));
        in->edit(in->model()->index(row, column));
        return in->findChild<ExpressionEdit*>();
    }
    static void typeOver(ExpressionEdit* edit, const QString& text) {
        edit->selectAll();
        QTest::keyClicks(edit, text);
    }

  private slots:
    void initTestCase() {
        window_ = std::make_unique<MainWindow>();
        window_->show();
        QVERIFY(QTest::qWaitForWindowExposed(window_.get()));
    }
    void cleanupTestCase() { window_.reset(); }

    // The menu of the menu bar lists every panel, also when nothing is open.
    void onTheStartPageNoPanelCanBeShown() {
        for (QDockWidget* dock : window_->docks().all()) {
            dock->toggleViewAction()->trigger();
            window_->docks().show(dock->objectName());
            QVERIFY2(dock->isHidden(), qPrintable(dock->objectName()));
        }
        open(source_);
        QTRY_VERIFY(window_->docks().isSettled());
        QDockWidget* first = window_->docks().all().front();
        QVERIFY(!first->isHidden());
        first->toggleViewAction()->trigger();
        QVERIFY(first->isHidden());
        QTRY_VERIFY(window_->bridge().undoStack()->canUndo());  // an edit of the layout when it has settled
        window_->bridge().undoStack()->undo();
        QTRY_VERIFY(!first->isHidden());
        window_->bridge().closeModel();
        QTRY_VERIFY(first->isHidden());
    }

    void aDamagedFileThatIsDroppedIsTold() {
        const QTemporaryDir folder;
        const QString damaged = folder.filePath(QStringLiteral("damaged.pt"));
        QFile file(damaged);
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write("PK\x03\x04 no archive") > 0);
        file.close();
        window_->takeFile(damaged);
        QTRY_COMPARE(state(), RunState::Failed);
        QVERIFY(QString::fromStdString(window_->bridge().status().error).contains(QStringLiteral("truncated")));
    }

    void whatASlotThrowsGoesToTheLog() {
        auto* button = new QPushButton(QStringLiteral("throws"), window_.get());
        button->setObjectName(QStringLiteral("thrower"));
        button->show();
        connect(button, &QPushButton::clicked, this, [] { throw std::runtime_error("thrown in a slot"); });
        QTest::mouseClick(button, Qt::LeftButton);
        QTRY_COMPARE(logged(QStringLiteral("thrown in a slot")).size(), 1);
        QVERIFY2(logged(QStringLiteral("thrown in a slot"))[0].contains(QStringLiteral("QPushButton thrower")),
                 qPrintable(logged(QStringLiteral("thrown in a slot"))[0]));
        // Again and again is one line more at the tenth time.
        for (int i = 0; i < 9; ++i) QTest::mouseClick(button, Qt::LeftButton);
        QTRY_COMPARE(logged(QStringLiteral("thrown in a slot")).size(), 2);
        QVERIFY(!button->isDown());
        delete button;
    }

    void whatTimersAndQueuedCallsThrowGoesToTheLog() {
        QTimer::singleShot(0, this, [] { throw std::runtime_error("thrown in a timer"); });
        QTRY_COMPARE(logged(QStringLiteral("thrown in a timer")).size(), 1);
        QMetaObject::invokeMethod(
            this, [] { throw std::runtime_error("thrown in a queued call"); }, Qt::QueuedConnection);
        QTRY_COMPARE(logged(QStringLiteral("thrown in a queued call")).size(), 1);
        QTimer::singleShot(0, this, [] { throw 7; });
        QTRY_COMPARE(logged(QStringLiteral("no std::exception")).size(), 1);
        QTimer::singleShot(0, this, [] { throw std::bad_alloc(); });
        QTRY_COMPARE(logged(QStringLiteral("out of memory")).size(), 1);
    }

    void whatAnEventFilterThrowsGoesToTheLog() {
        QPushButton button(window_.get());
        Filter filter;
        button.installEventFilter(&filter);
        button.show();
        QTest::keyClick(&button, Qt::Key_A);
        QTRY_COMPARE(logged(QStringLiteral("thrown in a filter")).size(), 1);
    }

    void whatPaintingThrowsLeavesTheScreenWhole() {
        PaintThrower painted;
        painted.resize(60, 60);
        painted.show();
        QTRY_VERIFY(!logged(QStringLiteral("thrown in painting")).empty());
        painted.throws = false;
        painted.update();
        QTRY_COMPARE(colourIn(painted), QColor(Qt::green));
        ThrowingModel model(QStringList{QStringLiteral("a"), QStringLiteral("b")});
        QListView list;
        list.setModel(&model);
        list.show();
        QTRY_VERIFY(!logged(QStringLiteral("thrown in a model")).empty());
        model.throws = false;
        list.viewport()->update();
        QTest::qWait(50);
        QVERIFY(!list.grab().isNull());
    }

    void whatWorkersThrowGoesToTheLog() {
        QThreadPool::globalInstance()->start(
            [] { views::guarded(QStringLiteral("a worker"), [] { throw std::runtime_error("thrown in a worker"); }); });
        QTRY_COMPARE(logged(QStringLiteral("thrown in a worker")).size(), 1);
        QVERIFY(logged(QStringLiteral("thrown in a worker"))[0].contains(QStringLiteral("a worker")));
    }

    void whatRepliesOfTheEngineThrowGoesToTheLog() {
        open(source_);
        auto& bridge = window_->bridge();
        // On the engine's thread, of an exception that the engine does not know, and in the window's.
        bridge.session().ask("t", session::WatchQuery{"x", 0},
                             [](const std::string&) { throw std::runtime_error("thrown in a reply"); });
        QTRY_COMPARE(logged(QStringLiteral("thrown in a reply")).size(), 1);
        bridge.session().ask("t", session::WatchQuery{"x", 0}, [](const std::string&) { throw 7; });
        QTRY_VERIFY(!logged(QStringLiteral("no std::exception")).empty());
        bridge.ask(QStringLiteral("u"), session::WatchQuery{QStringLiteral("x").toStdString(), 0}, this,
                   [](const std::string&) { throw std::runtime_error("thrown in the window"); });
        QTRY_COMPARE(logged(QStringLiteral("thrown in the window")).size(), 1);
        QCOMPARE(state(), RunState::Ready);
        bridge.run();
        QTRY_COMPARE(state(), RunState::Finished);
    }

    void whatDrawingOfTheTimelineThrowsGoesToTheLog() {
        if (!views::ImGuiWidget::isAvailable()) QSKIP("no OpenGL here");
        int frames = 0;
        views::ImGuiWidget widget([&] {
            if (++frames < 3) throw std::runtime_error("thrown in a frame");
        });
        widget.resize(80, 80);
        widget.show();
        QTRY_VERIFY((widget.update(), frames > 5));
        QVERIFY(!logged(QStringLiteral("thrown in a frame")).empty());
    }

    void aMistypedConditionIsSaidInPlace() {
        open(source_);
        auto& bridge = window_->bridge();
        bridge.toggleLineBreakpoint(source_, 26);
        QTableView* breakpoints = table("watch", "breakpointTable");
        QTRY_COMPARE(breakpoints->model()->rowCount(), 1);
        ExpressionEdit* condition = edit(breakpoints, 0, views::BreakpointModel::Condition);
        QVERIFY(condition != nullptr);
        typeOver(condition, QStringLiteral("absmax > x"));
        QTest::keyClick(condition, Qt::Key_Return);
        QVERIFY(condition->isVisible());
        QVERIFY2(condition->shownProblem().startsWith(QStringLiteral("'x' is no number")),
                 qPrintable(condition->shownProblem()));
        QVERIFY(bridge.breakpoints()[0].condition.empty());
        typeOver(condition, QStringLiteral("i == 1"));
        QVERIFY(condition->isAcceptable());
        QTest::keyClick(condition, Qt::Key_Return);
        QTRY_COMPARE(QString::fromStdString(bridge.breakpoints()[0].condition), QStringLiteral("i == 1"));
        bridge.run();
        QTRY_COMPARE(state(), RunState::Paused);
        QCOMPARE(bridge.status().next_source.line, 26);
        // Escape keeps the old text; so does the model, whatever it is given.
        ExpressionEdit* again = edit(breakpoints, 0, views::BreakpointModel::Condition);
        typeOver(again, QStringLiteral("absmax >"));
        QTest::keyClick(again, Qt::Key_Escape);
        QCOMPARE(QString::fromStdString(bridge.breakpoints()[0].condition), QStringLiteral("i == 1"));
        QVERIFY(!breakpoints->model()->setData(breakpoints->model()->index(0, views::BreakpointModel::Condition),
                                               QStringLiteral("absmax > x"), Qt::EditRole));
        Breakpoint wrong = bridge.breakpoints()[0];
        wrong.condition = "absmax > x";
        bridge.updateBreakpoint(wrong);
        QCOMPARE(QString::fromStdString(bridge.breakpoints()[0].condition), QStringLiteral("i == 1"));
        QVERIFY(!logged(QStringLiteral("was not taken")).empty());
        bridge.session().stop();
        QTRY_VERIFY(state() != RunState::Paused && state() != RunState::Running);
    }

    // What is typed when a run begins: it counts when it is right, else it stays and is said not to count.
    void aRunKeepsWhatIsTyped() {
        open(source_);
        auto& bridge = window_->bridge();
        if (bridge.breakpoints().empty()) bridge.toggleLineBreakpoint(source_, 26);
        Breakpoint plain = bridge.breakpoints()[0];  // another test may have set it
        plain.condition.clear();
        bridge.updateBreakpoint(plain);
        QTableView* breakpoints = table("watch", "breakpointTable");
        QTRY_COMPARE(breakpoints->model()->rowCount(), 1);
        ExpressionEdit* condition = edit(breakpoints, 0, views::BreakpointModel::Condition);
        typeOver(condition, QStringLiteral("i =="));
        QAction* run = window_->findChild<QAction*>(QStringLiteral("action.run"));
        run->trigger();
        QTRY_COMPARE(state(), RunState::Paused);
        QCOMPARE(condition->text(), QStringLiteral("i =="));
        QVERIFY(condition->isVisible() && !condition->isAcceptable());
        QVERIFY(bridge.breakpoints()[0].condition.empty());
        QVERIFY(!logged(QStringLiteral("the condition 'i ==' is not in force")).empty());
        typeOver(condition, QStringLiteral("i == 2"));
        run->trigger();
        QTRY_VERIFY(state() == RunState::Paused && bridge.status().why.find("i == 2") != std::string::npos);
        QCOMPARE(bridge.breakpoints()[0].condition, std::string("i == 2"));
        bridge.session().stop();
        QTRY_VERIFY(state() != RunState::Paused && state() != RunState::Running);
    }

    void conditionsAreCompleted() {
        QTableView* breakpoints = table("watch", "breakpointTable");
        ExpressionEdit* condition = edit(breakpoints, 0, views::BreakpointModel::Condition);
        typeOver(condition, QStringLiteral("absm"));
        QVERIFY(condition->isCompleting());
        QTest::keyClick(QApplication::activePopupWidget(), Qt::Key_Down);
        QTest::keyClick(QApplication::activePopupWidget(), Qt::Key_Return);
        QTRY_VERIFY2(condition->text() == QStringLiteral("absmax") || condition->text() == QStringLiteral("absmean"),
                     qPrintable(condition->text()));
        typeOver(condition, QStringLiteral("absmax > 1 and par"));
        QVERIFY(condition->isCompleting());  // `parts`, of the source
        QTest::keyClick(QApplication::activePopupWidget(), Qt::Key_Escape);
        QTest::keyClick(condition, Qt::Key_Escape);
    }

    void watchesSayWhatTheyDoNotKnow() {
        QTableView* watches = table("watch", "watchTable");
        ExpressionEdit* watch = edit(watches, watches->model()->rowCount() - 1, views::WatchModel::Expression);
        QVERIFY(watch != nullptr);
        typeOver(watch, QStringLiteral("inner.fc.out.absmx"));
        QTest::keyClick(watch, Qt::Key_Return);
        QVERIFY2(watch->shownProblem().contains(QStringLiteral("inner.fc has no 'out.absmx'")),
                 qPrintable(watch->shownProblem()));
        typeOver(watch, QStringLiteral("inner.fc.out.absmax"));
        QVERIFY2(watch->isAcceptable(), qPrintable(watch->problem().text));
        QTest::keyClick(watch, Qt::Key_Return);
        QTRY_COMPARE(watches->model()->index(0, 0).data().toString(), QStringLiteral("inner.fc.out.absmax"));
    }
};

int main(int argc, char** argv) {
    QCoreApplication::setAttribute(Qt::AA_ShareOpenGLContexts);
    window::Application app(argc, argv);
    RobustTest test;
    return QTest::qExec(&test, argc, argv);
}
#include "robust_test.moc"
