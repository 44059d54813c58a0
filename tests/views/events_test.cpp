// SPDX-License-Identifier: GPL-3.0-or-later
// The Events panel: model, filter, selection.

#include <QAbstractItemModelTester>
#include <QJsonDocument>
#include <QLabel>
#include <QLineEdit>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <QTreeView>

#include "core/record/recording_writer.h"
#include "tests/views/patience.h"
#include "tests/views/sample_run.h"
#include "views/events/event_filter.h"
#include "views/events/event_model.h"
#include "views/events/events_view.h"

using namespace loupe;
using namespace loupe::views;

class EventsTest : public QObject {
    Q_OBJECT

    static QList<session::EventId> accepted(const QString& expression) {
        const auto run = testing::sampleRun();
        const EventFilter filter = EventFilter::parse(expression);
        QList<session::EventId> ids;
        for (session::EventId id = 1; id <= run->event_count(); ++id) {
            if (filter.accepts(*run, run->event(id))) ids += id;
        }
        return ids;
    }
    static QModelIndex child(const EventModel& model, std::initializer_list<int> rows) {
        QModelIndex index;
        for (const int row : rows) index = model.index(row, 0, index);
        return index;
    }

  private slots:
    // A run is over before its panels hear of it: the model has taken events that the bridge has not told of.
    void eventsThatComeWhileTheRecordingIsTaken() {
        session::RecordingWriter writer;
        SessionBridge bridge;
        // Before the panel is: called first.
        connect(&bridge, &SessionBridge::recordingChanged, &bridge, [&] {
            for (int i = 0; bridge.recording() && i < 10; ++i) {
                session::Event event;
                event.op = writer.intern("aten::relu");
                writer.add_event(std::move(event));
            }
        });
        EventsView view(bridge, nullptr);
        bridge.show(nullptr, writer.recording());
        QCOMPARE(bridge.eventCount(), std::size_t{0});
        QTRY_COMPARE(view.model().acceptedCount(), std::size_t{10});
        const auto labels = view.findChildren<QLabel*>();
        QVERIFY(std::any_of(labels.begin(), labels.end(),
                            [](const QLabel* label) { return label->text() == QStringLiteral("10 events"); }));
        QVERIFY(view.findChild<QLabel*>(QStringLiteral("emptyHint"))->text().isEmpty());
    }

    // The current event's row is in sight: also when its group was selected before, when the panel is shown or resized
    // later, and when the model has not taken the event yet.
    void theCurrentRowIsInSight() {
        SessionBridge bridge;
        EventsView view(bridge, nullptr);
        view.resize(700, 300);
        bridge.show(testing::sampleModel(), testing::sampleRun(4000));
        const auto isSeen = [&](session::EventId event) {
            const QModelIndex index = view.model().indexOf(event);
            return index.isValid() && view.tree().currentIndex() == index &&
                   view.tree().viewport()->rect().contains(view.tree().visualRect(index).center());
        };
        const auto last = static_cast<session::EventId>(bridge.eventCount());
        QVERIFY(!view.model().isCaughtUp());
        bridge.setCurrentEvent(last);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view, kPatience));
        QTRY_VERIFY(isSeen(last));
        // From a group that holds it.
        view.tree().setCurrentIndex(view.model().index(0, 0));
        QCOMPARE(bridge.currentEvent(), session::EventId{1});
        bridge.setCurrentEvent(4);
        QTRY_VERIFY(isSeen(4));
        bridge.setCurrentEvent(30);
        QTRY_VERIFY(isSeen(30));
        view.resize(700, 110);
        QTRY_VERIFY(isSeen(30));
        view.hide();
        view.resize(700, 200);
        bridge.setCurrentEvent(last - 3);
        view.show();
        view.comeIntoSight();
        QTRY_VERIFY(isSeen(last - 3));
        // Not against the user, who has scrolled away.
        view.tree().verticalScrollBar()->triggerAction(QAbstractSlider::SliderToMinimum);
        QTRY_VERIFY(!isSeen(last - 3));
        view.resize(700, 150);
        QCoreApplication::processEvents();
        QVERIFY(!isSeen(last - 3));
    }

    // The first event that ran with an edited source has a line above it, and says what was edited; so do the groups
    // around it, without a line.
    void anEditIsMarked() {
        session::RecordingWriter writer;
        for (int i = 0; i < 4; ++i) {
            session::Event event;
            event.op = writer.intern("aten::relu");
            event.scope = writer.intern(i < 2 ? "stem" : "head");
            writer.add_event(event);
        }
        writer.set_edit({3, {}, {"Head.forward", "halve"}, {"/somewhere/net.py", 30, 0}});
        writer.finish();
        EventModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setRecording(writer.recording());
        const QString says =
            QStringLiteral("From here on the edited source ran: changed: Head.forward, halve (net.py:30)");
        for (session::EventId id = 1; id <= 4; ++id) {
            const QModelIndex row = model.indexOf(id);
            QCOMPARE(row.data(EventModel::EditRole).toBool(), id == 3);
            QCOMPARE(row.data(Qt::ToolTipRole).toString().contains(says), id == 3);
            QCOMPARE(row.siblingAtColumn(EventModel::Flags).data().toString(),
                     id == 3 ? QStringLiteral("edit") : QString());
            QCOMPARE(row.siblingAtColumn(EventModel::Time).data(Qt::ToolTipRole).toString(),
                     id == 3 ? says : QString());
        }
        const QModelIndex head = model.indexOf(3).parent();
        const QModelIndex stem = model.indexOf(1).parent();
        QVERIFY(!head.data(EventModel::EditRole).toBool());
        QCOMPARE(head.siblingAtColumn(EventModel::Flags).data().toString(), QStringLiteral("edit"));
        QVERIFY(stem.siblingAtColumn(EventModel::Flags).data().toString().isEmpty());
        model.setFilter(EventFilter::parse(QStringLiteral("edited")));
        QCOMPARE(model.acceptedCount(), std::size_t{2});
        model.setRecording(testing::sampleRun());
        QCOMPARE(model.acceptedCount(), std::size_t{0});
    }

    void filterTerms_data() {
        QTest::addColumn<QString>("expression");
        QTest::addColumn<QList<session::EventId>>("ids");
        using Ids = QList<session::EventId>;
        QTest::newRow("empty") << QString() << Ids{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
        QTest::newRow("operator") << QStringLiteral("op:conv* phase:forward") << Ids{1, 2, 4};
        QTest::newRow("with namespace") << QStringLiteral("op:aten::linear") << Ids{6};
        QTest::newRow("module, not names that begin alike") << QStringLiteral("scope:layer1.1 phase:f") << Ids{4, 5};
        QTest::newRow("time") << QStringLiteral("time>2.5ms phase:forward") << Ids{2, 4};
        QTest::newRow("time in microseconds") << QStringLiteral("time<=100us") << Ids{5, 8};
        QTest::newRow("nan") << QStringLiteral("nan") << Ids{4};
        QTest::newRow("made") << QStringLiteral("made") << Ids{4};
        QTest::newRow("passed on") << QStringLiteral("passed") << Ids{};
        QTest::newRow("statistics") << QStringLiteral("absmax>=6") << Ids{6, 7};
        QTest::newRow("bytes") << QStringLiteral("bytes>1KiB") << Ids{};
        QTest::newRow("not") << QStringLiteral("!op:conv* phase:forward") << Ids{3, 5, 6};
        QTest::newRow("shape") << QStringLiteral("shape:1x8* id<3") << Ids{1, 2};
        QTest::newRow("plain word") << QStringLiteral("RELU phase:backward") << Ids{8, 10};
    }
    void filterTerms() {
        QFETCH(QString, expression);
        QFETCH(QList<session::EventId>, ids);
        QCOMPARE(accepted(expression), ids);
    }
    void filterSaysWhatItDoesNotUnderstand() {
        QVERIFY(EventFilter::parse(QStringLiteral("speed>3")).error().contains(QStringLiteral("speed")));
        QVERIFY(EventFilter::parse(QStringLiteral("time>fast")).error().contains(QStringLiteral("fast")));
        QVERIFY(EventFilter::parse(QStringLiteral("colour:red")).error().contains(QStringLiteral("colour")));
        QVERIFY(EventFilter::parse(QStringLiteral("op:a*b time>1ms nan")).error().isEmpty());
    }
    void quantities() {
        QCOMPARE(parseQuantity(QStringLiteral("1ms")), 1e-3);
        QCOMPARE(parseQuantity(QStringLiteral("2MiB")), 2097152.0);
        QCOMPARE(parseQuantity(QStringLiteral("-1.5e3")), -1500.0);
        QVERIFY(!parseQuantity(QStringLiteral("1 parsec")));
    }

    // Where no element is finite there is no number, and the distribution is hatched.
    void nothingFiniteHasNoNumbers() {
        session::RecordingWriter writer;
        for (const std::int64_t nan : {4, 1, 0}) {
            session::Value value;
            value.dtype = writer.intern("float32");
            value.shape = {4};
            session::Statistics statistics;
            statistics.count = 4;
            statistics.nan_count = nan;
            if (nan < 4) statistics.finite = session::FiniteStatistics{0, 2, 1, 1, 2, 1, 3};
            value.statistics = statistics;
            session::Event event;
            event.op = writer.intern("aten::log");
            event.outputs = {writer.add_value(std::move(value))};
            event.has_nan = nan > 0;
            writer.add_event(std::move(event));
        }
        writer.finish();
        EventModel model;
        model.setFlat(true);
        model.setRecording(writer.recording());
        QTRY_VERIFY(model.isCaughtUp());
        const auto cell = [&](int row, int column, int role = Qt::DisplayRole) {
            return model.index(row, column).data(role);
        };
        for (const int column : {EventModel::Min, EventModel::Max, EventModel::Mean, EventModel::Std}) {
            QCOMPARE(cell(0, column).toString(), QStringLiteral("no finite"));
            QVERIFY(cell(0, column, Qt::ToolTipRole).toString().startsWith(QStringLiteral("no finite values: 4 NaN")));
        }
        QCOMPARE(cell(0, EventModel::Distribution, EventModel::NotFiniteRole).toDouble(), 1.0);
        QCOMPARE(cell(1, EventModel::Max).toString(), QStringLiteral("2"));
        QVERIFY(cell(1, EventModel::Max, Qt::ToolTipRole).toString().startsWith(QStringLiteral("of the finite 75 %")));
        QCOMPARE(cell(1, EventModel::Distribution, EventModel::NotFiniteRole).toDouble(), 0.25);
        QCOMPARE(cell(2, EventModel::Distribution, EventModel::NotFiniteRole).toDouble(), 0.0);
        // A filter on a number that there is not lets nothing through.
        const EventFilter filter = EventFilter::parse(QStringLiteral("max<100"));
        QVERIFY(!filter.accepts(*writer.recording(), writer.recording()->event(1)));
        QVERIFY(filter.accepts(*writer.recording(), writer.recording()->event(2)));
    }

    void treeFollowsModules() {
        EventModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setRecording(testing::sampleRun());
        QCOMPARE(model.rowCount(), 2);
        QCOMPARE(child(model, {0}).data().toString(), QStringLiteral("Forward"));
        QCOMPARE(model.rowCount(child(model, {0})), 3);  // conv1, layer1, fc
        const QModelIndex layer = child(model, {0, 1});
        QCOMPARE(layer.data().toString(), QStringLiteral("layer1"));
        QCOMPARE(model.rowCount(layer), 2);
        const QModelIndex block = child(model, {0, 1, 0});
        QCOMPARE(model.rowCount(block), 2);  // the module call conv, then relu_
        QCOMPARE(child(model, {0, 1, 0, 1}).data().toString(), QStringLiteral("relu_"));
        QCOMPARE(layer.siblingAtColumn(EventModel::Time).data().toString(), QStringLiteral("7.30 ms"));
        QCOMPARE(layer.siblingAtColumn(EventModel::Flags).data().toString(), QStringLiteral("NaN made"));
        QVERIFY(model.contains(layer, 4));
        QVERIFY(!model.contains(layer, 6));
        // A backward event names its forward one.
        QCOMPARE(model.indexOf(7).siblingAtColumn(EventModel::Peer).data().toString(), QStringLiteral("#6"));
        QCOMPARE(model.indexOf(6).siblingAtColumn(EventModel::Peer).data().toString(), QStringLiteral("#7"));
    }
    void flatAndFiltered() {
        EventModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setRecording(testing::sampleRun());
        model.setFlat(true);
        QCOMPARE(model.rowCount(), 12);
        model.setFilter(EventFilter::parse(QStringLiteral("op:conv*")));
        QCOMPARE(model.rowCount(), 6);
        QCOMPARE(model.neighbour(1, 1), 2u);
        QCOMPARE(model.neighbour(2, 1), 4u);
        QCOMPARE(model.neighbour(3, 1), 4u);
        QCOMPARE(model.neighbour(3, -1), 2u);
        QCOMPARE(model.neighbour(1, -1), 0u);
    }
    void manyEventsStayFluid() {
        EventModel model;
        const auto run = testing::sampleRun(10000);  // 120,000 events
        qint64 longest = 0;
        QElapsedTimer timer;
        timer.start();
        model.setRecording(run);
        longest = timer.restart();
        while (!model.isCaughtUp()) {
            timer.restart();
            model.grow();
            longest = std::max(longest, timer.elapsed());
        }
        QCOMPARE(model.acceptedCount(), 120000u);
        qInfo("longest portion %lld ms", static_cast<long long>(longest));
    }

    void setUpAndFirstCallsAreMarked() {
        session::RecordingWriter writer;
        session::Event event;
        event.op = writer.intern("aten::conv2d");
        event.duration = 1e-3;
        event.setup.seconds[static_cast<std::size_t>(Setup::Primitive)] = 26e-3F;
        event.is_cold = true;
        writer.add_event(event);
        EventModel model;
        model.setFlat(true);
        model.setRecording(writer.recording());
        const QModelIndex cell = model.index(0, EventModel::Time);
        QCOMPARE(cell.data().toString(), QStringLiteral("1.00 ms"));  // without the set-up
        const QString tip = cell.data(Qt::ToolTipRole).toString();
        QVERIFY2(tip.contains(QStringLiteral("26")) && tip.contains(QStringLiteral("primitives")) &&
                     tip.contains(QStringLiteral("first recorded call")),
                 qPrintable(tip));
        QVERIFY(cell.data(EventModel::SetupRole).toDouble() > 1);
    }

    // The panel hands them over at every change of the run's state: only other ones are worth going through all rows.
    void theSameTimesChangeNothing() {
        EventModel model;
        model.setRecording(testing::sampleRun());
        QSignalSpy changed(&model, &EventModel::dataChanged);
        model.setTimes(nullptr);
        QCOMPARE(changed.count(), 0);
        auto times = std::make_shared<session::OperatorTimes>();
        times->events.resize(2);
        times->events[1].median = 0.25;
        model.setTimes(times);
        QCOMPARE(changed.count(), 1);
        QVERIFY(model.indexOf(2).siblingAtColumn(EventModel::Warm).data().toString().contains(QStringLiteral("250")));
        model.setTimes(times);
        QCOMPARE(changed.count(), 1);
        model.setTimes(nullptr);
        QCOMPARE(changed.count(), 2);
        QVERIFY(model.indexOf(2).siblingAtColumn(EventModel::Warm).data().toString().isEmpty());
    }

    void warmTimesAreColumns() {
        SessionBridge bridge;
        EventsView view(bridge, nullptr);
        view.resize(900, 400);
        view.show();
        bridge.open(QStringLiteral(LOUPE_SOURCE_DIR "/resources/models/digits.pt"));
        QTRY_VERIFY(bridge.status().state == session::RunState::Ready && bridge.model());
        auto* time = view.findChild<QToolButton*>(QStringLiteral("timeProperly"));
        QVERIFY(!time->isEnabled() && time->toolTip().contains(QStringLiteral("nothing has run")));
        bridge.run();
        QTRY_VERIFY(bridge.status().state == session::RunState::Finished && bridge.eventCount() > 0);
        QVERIFY(view.tree().isColumnHidden(EventModel::Warm));
        QTRY_VERIFY(time->isEnabled());
        time->click();
        QVERIFY(!time->isEnabled());
        QTRY_VERIFY_WITH_TIMEOUT(!bridge.isTiming(), kPatience);
        QVERIFY(bridge.warmTimes() != nullptr);
        QVERIFY(!view.tree().isColumnHidden(EventModel::Warm) && !view.tree().isColumnHidden(EventModel::Spread));
        const QModelIndex forward = view.tree().model()->index(0, EventModel::Warm);
        QVERIFY(!forward.data().toString().isEmpty());
        // Another run has none of its own.
        bridge.run();
        QTRY_VERIFY(view.tree().isColumnHidden(EventModel::Warm));
    }

    void selectionIsTheCurrentEvent() {
        SessionBridge bridge;
        EventsView view(bridge, nullptr);
        view.resize(900, 400);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view, kPatience));
        bridge.show(testing::sampleModel(), testing::sampleRun());
        bridge.setCurrentEvent(4);
        QCOMPARE(view.tree().currentIndex().data(EventModel::EventRole).toUInt(), 4u);
        QCOMPARE(bridge.currentModule(), QStringLiteral("layer1.1.conv"));
        QTest::keyClick(&view.tree(), Qt::Key_Down);
        QCOMPARE(bridge.currentEvent(), 5u);
        QTest::keyClick(&view.tree(), Qt::Key_Up);
        QTest::keyClick(&view.tree(), Qt::Key_Up);
        QCOMPARE(bridge.currentEvent(), 3u);
        // Left goes to the module call around it; the event inside stays current.
        QTest::keyClick(&view.tree(), Qt::Key_Left);
        QVERIFY(view.tree().currentIndex().data(EventModel::IsGroupRole).toBool());

        auto* filter = view.findChild<QLineEdit*>(QStringLiteral("filter"));
        QTest::keyClicks(filter, QStringLiteral("nan"));
        QTRY_COMPARE(view.model().acceptedCount(), 1u);
        // A peer is a link.
        const QModelIndex peer = view.model().indexOf(4).siblingAtColumn(EventModel::Peer);
        view.tree().scrollTo(peer);
        QTest::mouseClick(view.tree().viewport(), Qt::LeftButton, {}, view.tree().visualRect(peer).center());
        QCOMPARE(bridge.currentEvent(), 9u);
    }
    void backAndForward() {
        SessionBridge bridge;
        bridge.show(testing::sampleModel(), testing::sampleRun());
        for (const session::EventId event : {2u, 5u, 9u}) bridge.setCurrentEvent(event);
        bridge.goBack();
        bridge.goBack();
        QCOMPARE(bridge.currentEvent(), 2u);
        QVERIFY(!bridge.canGoBack());
        bridge.goForward();
        QCOMPARE(bridge.currentEvent(), 5u);
        bridge.setCurrentEvent(1);
        QVERIFY(!bridge.canGoForward());
    }

    void aRunIsExportedAsChromeTrace() {
        SessionBridge bridge;
        EventsView view(bridge, nullptr);
        bridge.show(testing::sampleModel(), testing::sampleRun());
        QTemporaryDir folder;
        const QString file = folder.filePath(QStringLiteral("trace.json"));
        view.writeTrace(file);
        QTRY_COMPARE(bridge.log().size(), 1u);
        QCOMPARE(bridge.log().front().level, SessionBridge::LogEntry::Level::Info);
        QFile written(file);
        QVERIFY(written.open(QIODevice::ReadOnly));
        QVERIFY(QJsonDocument::fromJson(written.readAll()).isObject());
        view.writeTrace(folder.filePath(QStringLiteral("missing/trace.json")));
        QTRY_COMPARE(bridge.log().size(), 2u);
        QCOMPARE(bridge.log().back().level, SessionBridge::LogEntry::Level::Error);
    }
};

QTEST_MAIN(EventsTest)
#include "events_test.moc"
