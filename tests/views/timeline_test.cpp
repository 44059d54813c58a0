// SPDX-License-Identifier: GPL-3.0-or-later
// The Timeline: the index against counting by hand, and the panel with the mouse.

#include <QPainter>
#include <QTest>
#include <random>

#include "tests/views/patience.h"
#include "tests/views/sample_run.h"
#include "views/timeline/timeline_view.h"

using namespace loupe;
using namespace loupe::views;

class TimelineTest : public QObject {
    Q_OBJECT

  private slots:
    void everyVisibleZoneIsDrawnOnce() {
        std::mt19937 random(7);
        std::uniform_real_distribution<double> length(1e-6, 1e-3);
        Lane lane;
        double time = 0;
        for (std::uint32_t i = 0; i < 20000; ++i) {
            const double end = time + length(random);
            lane.add({time, end, i, 0});
            time = end + (i % 3 == 0 ? length(random) : 0);
        }
        const std::pair<double, double> windows[] = {{0, time}, {time * 0.3, time * 0.31}, {time * 0.5, time * 0.50001}, {-1, -0.5}};
        for (const auto& [from, to] : windows) {
            std::size_t expected = 0;
            for (std::size_t i = 0; i < lane.size(); ++i) expected += lane.zone(i).end >= from && lane.zone(i).start <= to;
            const double smallest = (to - from) / 500;
            std::size_t exact = 0;
            lane.visit(from, to, 0, [&](const Lane::Piece& piece) { exact += piece.count; });
            QCOMPARE(exact, expected);
            // Merged: no fewer zones, no more pieces than there are pixels for, in order.
            std::size_t merged = 0;
            std::size_t pieces = 0;
            double last = -1e300;
            lane.visit(from, to, smallest, [&](const Lane::Piece& piece) {
                QVERIFY(piece.start >= last - 1e-12);
                last = piece.start;
                merged += piece.count;
                ++pieces;
            });
            QVERIFY(merged >= expected);
            QVERIFY(pieces <= 1100);
        }
    }

    void zoneAtATime() {
        Lane lane;
        lane.add({1, 2, 10, 0});
        lane.add({3, 4, 11, 0});
        QCOMPARE(lane.at(1.5), 0u);
        QCOMPARE(lane.at(2.5), lane.size());
        QCOMPARE(lane.at(3.5), 1u);
        QCOMPARE(lane.at(0.5), lane.size());
        lane.extendLast(6);
        QCOMPARE(lane.at(5), 1u);
    }

    void curveKeepsTheGreatest() {
        Curve curve;
        for (int i = 0; i < 5000; ++i) curve.add(i, (i * 37) % 1009);
        const auto all = curve.sample(0, 5000, 50);
        for (int column = 0; column < 50; ++column) {
            double most = column == 0 ? 0 : ((column * 100 - 1) * 37) % 1009;
            for (int i = column * 100; i < (column + 1) * 100; ++i) most = std::max(most, static_cast<double>((i * 37) % 1009));
            QCOMPARE(all[static_cast<std::size_t>(column)], most);
        }
    }

    void statisticsOfAStretch() {
        const auto recording = testing::sampleRun(3);
        TimelineIndex index;
        index.reset(recording.get());
        index.update(recording->event_count());
        const TimelineStatistics all = index.statistics(0, index.end() + 1);
        QCOMPARE(all.count, recording->event_count());
        QVERIFY(std::abs(all.seconds - index.end()) < 1e-9);
        QCOMPARE(QString::fromStdString(all.kinds.front().op).contains(QStringLiteral("onvolution")) || all.kinds.front().op == "aten::conv2d", true);
        // Half of the first zone.
        const TimelineStatistics half = index.statistics(0, 1e-3);
        QCOMPARE(half.count, 1u);
        QVERIFY(std::abs(half.seconds - 1e-3) < 1e-12);
    }

    void aClickSelectsTheEvent() {
        SessionBridge bridge;
        bridge.show(testing::sampleModel(), testing::sampleRun());
        TimelineView view(bridge, nullptr);
        view.resize(900, 260);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view, kPatience));
        TimelineDrawing drawing(view.index(), view.state(), view.canvas()->width(), view.canvas()->height());
        const auto& event = bridge.recording()->event(4);
        const int x = static_cast<int>(drawing.xOf(event.start + event.duration / 2));
        int y = 0;
        while (y < 200 && !drawing.hit(x, y)) ++y;
        QVERIFY(drawing.hit(x, y).has_value());
        QTest::mouseClick(view.canvas(), Qt::LeftButton, {}, QPoint(x, y + 4));
        QCOMPARE(bridge.currentEvent(), 4u);
        QTest::keyClick(view.canvas(), Qt::Key_Right);
        QCOMPARE(bridge.currentEvent(), 5u);
        const double before = view.state().to - view.state().from;
        QTest::keyClick(view.canvas(), Qt::Key_W);
        QVERIFY(view.state().to - view.state().from < before);
        QTest::keyClick(view.canvas(), Qt::Key_Space);
        QVERIFY(std::abs(view.state().to - view.state().from - before) < 1e-12);
        QTest::mousePress(view.canvas(), Qt::RightButton, {}, QPoint(200, 40));
        QTest::mouseMove(view.canvas(), QPoint(300, 40));
        QTest::mouseMove(view.canvas(), QPoint(500, 40));
        QTest::mouseRelease(view.canvas(), Qt::RightButton, {}, QPoint(500, 40));
        QVERIFY(!view.grab().isNull());
    }
};

QTEST_MAIN(TimelineTest)
#include "timeline_test.moc"
