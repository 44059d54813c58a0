// SPDX-License-Identifier: GPL-3.0-or-later
// The Timeline: the index against counting by hand, and the panel with the mouse.

#include <QPainter>
#include <QTest>
#include <random>

#include "core/record/recording_writer.h"
#include "tests/views/patience.h"
#include "tests/views/sample_run.h"
#include "views/timeline/timeline_view.h"

using namespace loupe;
using namespace loupe::views;

namespace {

// Two operators in the modules "a" and "b", forward and backward; the first sets its kernel up for 3 ms and takes 1 ms.
std::shared_ptr<const session::Recording> runOfModules() {
    session::RecordingWriter writer;
    double time = 0;
    const char* const scopes[] = {"a", "b"};
    session::Frame root;
    root.first_event = 1;
    writer.begin_frame(root);
    for (int i = 0; i < 2; ++i) {
        session::Frame frame;
        frame.parent = 1;
        frame.scope = writer.intern(scopes[i]);
        frame.first_event = writer.next_event();
        session::Event event;
        event.op = writer.intern("aten::relu");
        event.scope = frame.scope;
        event.frame = writer.begin_frame(frame);
        event.start = time;
        event.duration = 1e-3;
        event.is_cold = i == 0;
        if (i == 0) event.setup.seconds[static_cast<std::size_t>(Setup::Primitive)] = 3e-3F;
        time = event.end();
        writer.end_frame(event.frame, writer.add_event(event));
    }
    writer.end_frame(1, 2);
    for (int i = 1; i >= 0; --i) {
        session::Event event;
        event.phase = session::RunPhase::Backward;
        event.op = writer.intern("ReluBackward0");
        event.scope = writer.intern(scopes[i]);
        event.frame = static_cast<std::uint32_t>(i) + 2;
        event.peer = static_cast<session::EventId>(i) + 1;
        event.start = time;
        event.duration = 2e-3;
        time = event.end();
        writer.add_event(event);
        session::Event gradient = event;  // of a parameter of the module, in no call
        gradient.op = writer.intern("torch::autograd::AccumulateGrad");
        gradient.frame = 0;
        gradient.peer = 0;
        gradient.start = time;
        time = gradient.end();
        writer.add_event(gradient);
    }
    auto times = std::make_shared<session::OperatorTimes>();
    times->repeats = 5;
    for (int i = 0; i < 6; ++i) times->events.push_back({i * 1e-4, 1e-4, 0.9e-4, 1.2e-4});
    writer.set_warm_times(times);
    writer.finish();
    return writer.recording();
}

// What is drawn, to be looked at.
class NotedSurface : public TimelineSurface {
  public:
    void box(double, double, double, double, QRgb) override {}
    void frame(double, double, double, double, QRgb, double) override {}
    void line(double x0, double y0, double x1, double y1, QRgb) override {
        if (y0 != y1 && x0 != x1) hatches.push_back({x0, y0, x1 - x0, y1 - y0});
    }
    void text(double, double, QRgb, const QString& text) override { texts << text; }
    double textWidth(const QString& text) override { return 6.0 * static_cast<double>(text.size()); }

    std::vector<QRectF> hatches;
    QStringList texts;
};

}  // namespace

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
        const std::pair<double, double> windows[] = {
            {0, time}, {time * 0.3, time * 0.31}, {time * 0.5, time * 0.50001}, {-1, -0.5}};
        for (const auto& [from, to] : windows) {
            std::size_t expected = 0;
            for (std::size_t i = 0; i < lane.size(); ++i)
                expected += lane.zone(i).end >= from && lane.zone(i).start <= to;
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

    // What the host took to give a device its work stands in a row of its own, what the device did in another, each
    // when it was.
    void devicesHaveTheirRows() {
        session::RecordingWriter writer;
        for (int i = 0; i < 3; ++i) {
            session::Event event;
            event.op = writer.intern("aten::relu");
            event.start = i * 1e-3;
            event.duration = 5e-4;
            if (i > 0) {
                event.device.device = writer.intern("test:0");
                event.device.launch = 1e-5 * i;
                event.device.given = 6e-4 + 1e-4 * i;
            }
            writer.add_event(event);
        }
        writer.finish();
        const auto recording = writer.recording();
        TimelineIndex index;
        index.reset(recording.get());
        index.update(3);
        // The operator on the CPU and two launches.
        QCOMPARE(index.host().size(), std::size_t{3});
        QCOMPARE(index.host().zone(2).id, 3u);
        QVERIFY(std::abs(index.host().zone(2).end - 8.2e-4) < 1e-9);
        QCOMPARE(index.streams().size(), std::size_t{1});
        QCOMPARE(index.streams().front().lane.size(), std::size_t{2});
        QCOMPARE(index.streams().front().lane.zone(1).start, 2e-3);
        QVERIFY(index.launchOf(1) == nullptr && std::abs(index.launchOf(3)->start - 8e-4) < 1e-9);
        const TimelineStatistics all = index.statistics(0, 3e-3);
        QVERIFY(std::abs(all.streams.front().busy - 1e-3) < 1e-9);
        TimelineState state;
        state.to = 3e-3;
        state.current = 3;
        NotedSurface surface;
        TimelineDrawing(index, state, 800, 300).draw(surface);
        QVERIFY(surface.texts.contains(QStringLiteral("Engine")) && surface.texts.contains(QStringLiteral("test:0")));
        QVERIFY(!surface.texts.contains(QStringLiteral("Forward")));
        // The tip of the kernel tells the gap.
        state.mouse_x = TimelineDrawing(index, state, 800, 300).xOf(2.2e-3);
        for (double y = 20; y < 120 && !surface.texts.join(QLatin1Char(' ')).contains(QStringLiteral("begins"));
             y += 6) {
            state.mouse_y = y;
            TimelineDrawing(index, state, 800, 300).draw(surface);
        }
        const QString said = surface.texts.join(QLatin1Char('\n'));
        QVERIFY2(said.contains(QStringLiteral("; test:0 begins 1.18 ms later")), qPrintable(said));
    }

    // Streams have a row each; where one does nothing it says what it waited for.
    void streamsSayWhatTheyWaitFor() {
        struct Work {
            const char* op;
            const char* device;
            double given, launch, start, duration;  // ms
        };
        constexpr const char* kOwn = "test:1";
        constexpr const char* kSide = "test:1, stream 1";
        const Work works[] = {
            {"aten::mm", kOwn, 0.1, 0.05, 0.2, 1.0},         // to 1.2
            {"aten::_to_copy", kSide, 0.3, 0.05, 0.4, 1.6},  // to 2.0
            {"aten::add", kOwn, 0.5, 0.05, 2.01, 0.5},       // given early: held by the copy, to 2.51
            {"aten::item", "", 2.0, 0, 2.0, 1.5},            // of the CPU, to 3.5
            {"aten::relu", kOwn, 3.6, 0.05, 3.7, 0.3},       // given late: the host was at item, to 4.0
            {"aten::mul", kSide, 3.65, 0.05, 4.01, 0.5},     // held by relu
            {"aten::neg", kOwn, 3.7, 0.05, 6.0, 0.1},        // had been given, and nothing is known
        };
        session::RecordingWriter writer;
        for (const Work& work : works) {
            session::Event event;
            event.op = writer.intern(work.op);
            event.start = work.start * 1e-3;
            event.duration = work.duration * 1e-3;
            event.device.device = writer.intern(work.device);
            event.device.launch = work.launch * 1e-3;
            event.device.given = work.launch > 0 ? work.given * 1e-3 : 0;
            writer.add_event(event);
        }
        writer.finish();
        const auto recording = writer.recording();
        TimelineIndex index;
        index.reset(recording.get());
        index.update(std::size(works));
        QCOMPARE(index.streams().size(), std::size_t{2});
        const TimelineIndex::Stream &own = index.streams()[0], &side = index.streams()[1];
        QCOMPARE(own.waits.size(), std::size_t{3});
        QVERIFY(own.waits[0].what == StreamWait::For::Copy);
        QCOMPARE(own.waits[0].event, session::EventId{2});
        QVERIFY(std::abs(own.waits[0].seconds() - 0.81e-3) < 1e-9);
        QVERIFY(own.waits[1].what == StreamWait::For::Host);
        QCOMPARE(own.waits[1].event, session::EventId{4});
        QVERIFY(own.waits[2].what == StreamWait::For::Unknown || own.waits[2].what == StreamWait::For::Stream);
        QCOMPARE(side.waits.size(), std::size_t{1});
        QVERIFY(side.waits[0].what == StreamWait::For::Stream);
        QCOMPARE(side.waits[0].event, session::EventId{5});
        // Events of two streams are where they were, though the later began before.
        QVERIFY(std::abs(index.zoneOf(6).start - 4.01e-3) < 1e-9);
        TimelineState state;
        state.to = 7e-3;
        NotedSurface surface;
        TimelineDrawing drawing(index, state, 800, 300);
        state.mouse_x = drawing.xOf(1.6e-3);
        for (double y = 20; y < 120; y += 3) {
            state.mouse_y = y;
            drawing.draw(surface);
        }
        const QString said = surface.texts.join(QLatin1Char('\n'));
        QVERIFY2(said.contains(QStringLiteral("test:1 idle for 810")), qPrintable(said));
        QVERIFY2(said.contains(QStringLiteral("waits for the copy #2")), qPrintable(said));
    }

    // Threads of parallel loops have low rows below.
    void workersHaveTheirRows() {
        session::RecordingWriter writer;
        session::Event event;
        event.op = writer.intern("aten::relu");
        event.start = 1e-3;
        event.duration = 1e-3;
        event.workers = {{1, 1.1e-3, 1.5e-3}, {1, 1.6e-3, 1.9e-3}, {3, 1.1e-3, 1.9e-3}};
        writer.add_event(event);
        writer.finish();
        const auto recording = writer.recording();
        TimelineIndex index;
        index.reset(recording.get());
        index.update(1);
        QCOMPARE(index.workers().size(), std::size_t{3});
        QCOMPARE(index.workers()[0].size(), std::size_t{2});
        QCOMPARE(index.workers()[1].size(), std::size_t{0});
        TimelineState state;
        state.to = 2e-3;
        NotedSurface surface;
        TimelineDrawing drawing(index, state, 800, 300);
        drawing.draw(surface);
        QVERIFY(surface.texts.contains(QStringLiteral("Workers")));
        QVERIFY(drawing.hit(drawing.xOf(1.3e-3), 50).has_value());
    }

    // What loaders did stands in rows of its own: the loop's waiting, then a row a worker; a click there selects
    // nothing.
    void loadersHaveTheirRows() {
        session::RecordingWriter writer;
        for (int i = 0; i < 2; ++i) {
            session::Event event;
            event.op = writer.intern("aten::relu");
            event.start = 4e-3 + i * 2e-3;
            event.duration = 2e-3;
            writer.add_event(event);
        }
        using data::LoadKind;
        writer.add_load({LoadKind::Worker, 1, 0, 4, -2e-3, 3.9e-3, true});
        writer.add_load({LoadKind::Wait, 1, 0, 4, 0, 4e-3, true});
        writer.add_load({LoadKind::Worker, 1, 1, 5, 1e-3, 6e-3, true});
        writer.add_load({LoadKind::Worker, 1, 0, 6, 3.9e-3, 8e-3, false});
        writer.finish();
        const auto recording = writer.recording();
        TimelineIndex index;
        index.reset(recording.get());
        index.update(2);
        QVERIFY(index.takeLoads());
        QVERIFY(!index.takeLoads());
        QCOMPARE(index.begin(), 0.0);
        QCOMPARE(index.loaders().size(), std::size_t{3});
        QVERIFY(index.loaders()[0].is_loop && !index.loaders()[1].is_loop);
        QCOMPARE(index.loaders()[1].lane.size(), std::size_t{2});
        QVERIFY(std::abs(index.statistics(1e-3, 9e-3).waited - 3e-3) < 1e-9);
        TimelineState state;
        state.to = 8e-3;
        NotedSurface surface;
        TimelineDrawing drawing(index, state, 900, 320);
        drawing.draw(surface);
        for (const char* text : {"Loading", "Loader 0", "Loader 1", "waits for 4", "batch 5", "batch 6"})
            QVERIFY2(surface.texts.contains(QLatin1String(text)), text);
        const auto tipAt = [&](const session::LoadSpan& wanted, double time) {
            for (double y = 0; y < 320; y += 2) {
                const auto hit = drawing.hit(drawing.xOf(time), y);
                if (!hit || hit->load == nullptr || hit->load->batch != wanted.batch || hit->load->kind != wanted.kind)
                    continue;
                if (hit->event != 0 || hit->frame != 0) return QStringLiteral("selects");
                state.mouse_x = drawing.xOf(time);
                state.mouse_y = y;
                NotedSurface tip;
                drawing.draw(tip);
                return tip.texts.join(QLatin1Char('|'));
            }
            return QString();
        };
        const QString waiting = tipAt(recording->loads()[1], 2e-3);
        QVERIFY2(waiting.contains(QStringLiteral("waits for batch 4|4.00 ms until loader 0 had it")),
                 qPrintable(waiting));
        const QString made = tipAt(recording->loads()[0], 1e-3);
        QVERIFY2(
            made.contains(QStringLiteral("Loader 0: batch 4|5.90 ms, made ahead on a thread of its own|begun 2.00 ms "
                                         "before the run")),
            qPrintable(made));
        const QString open = tipAt(recording->loads()[3], 7e-3);
        QVERIFY2(open.contains(QStringLiteral("not over when the run was")), qPrintable(open));
        // Warm times are of another run.
        index.reset(recording.get(), std::make_shared<session::OperatorTimes>());
        index.update(2);
        QVERIFY(!index.takeLoads() && index.loaders().empty());
    }

    // A line where the edited source took hold; the tip of the event says what changed.
    void anEditIsMarked() {
        session::RecordingWriter writer;
        for (int i = 0; i < 3; ++i) {
            session::Event event;
            event.op = writer.intern("aten::relu");
            event.start = i * 1e-3;
            event.duration = 1e-3;
            writer.add_event(event);
        }
        writer.set_edit({2, "Net.forward", {"Net.forward"}, {"/somewhere/net.py", 12, 0}});
        writer.finish();
        TimelineIndex index;
        const auto recording = writer.recording();
        index.reset(recording.get());
        index.update(1);
        QVERIFY(index.edit() == nullptr);  // not yet
        index.update(3);
        TimelineState state;
        state.to = 3e-3;
        state.mouse_x = 0;
        TimelineDrawing drawing(index, state, 900, 300);
        state.mouse_x = drawing.xOf(1.5e-3);
        state.mouse_y = TimelineDrawing::kAxis + 10;
        NotedSurface surface;
        drawing.draw(surface);
        QVERIFY(surface.texts.contains(QStringLiteral("edit")));
        QVERIFY2(surface.texts.contains(
                     QStringLiteral("From here on the edited source ran: Net.forward began again (net.py:12)")),
                 qPrintable(surface.texts.join(QLatin1Char('\n'))));
    }

    // Blocks that begin and end are marks at the event that did it; merged ones add up.
    void blocksAreMarked() {
        session::RecordingWriter writer;
        for (int i = 0; i < 4; ++i) {
            session::Event event;
            event.op = writer.intern("aten::relu");
            event.start = i * 1e-3;
            event.duration = 1e-3;
            writer.add_event(event);
        }
        session::Allocation block;
        block.bytes = 100;
        const std::vector<std::pair<session::EventId, session::EventId>> lives{{0, 2}, {1, 2}, {1, 0}, {3, 4}};
        for (const auto& [allocated, freed] : lives) {
            block.allocated = allocated;
            block.freed = freed;
            writer.add_allocation(block);
        }
        writer.finish();
        const auto recording = writer.recording();
        TimelineIndex index;
        index.reset(recording.get());
        index.update(4);
        QCOMPARE(index.allocated().lane().size(), std::size_t{0});
        index.markMemory();
        const Lane& made = index.allocated().lane();
        QCOMPARE(made.size(), std::size_t{2});
        QCOMPARE(made.zone(0).id, 1u);
        QCOMPARE(index.allocated().bytes({0, 0, 0, 1}), std::int64_t{200});
        QCOMPARE(index.allocated().count({0, 0, 0, 2}), std::uint64_t{3});
        QCOMPARE(index.freed().lane().zone(0).end, 2e-3);
        QCOMPARE(index.freed().bytes({0, 0, 0, 2}), std::int64_t{300});
        QCOMPARE(index.freed().greatest(), std::int64_t{200});
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
            for (int i = column * 100; i < (column + 1) * 100; ++i)
                most = std::max(most, static_cast<double>((i * 37) % 1009));
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
        QCOMPARE(QString::fromStdString(all.kinds.front().op).contains(QStringLiteral("onvolution")) ||
                     all.kinds.front().op == "aten::conv2d",
                 true);
        // Half of the first zone.
        const TimelineStatistics half = index.statistics(0, 1e-3);
        QCOMPARE(half.count, 1u);
        QVERIFY(std::abs(half.seconds - 1e-3) < 1e-12);
    }

    // Nowhere two texts over each other, nor one that something covers a part of.
    void labelsKeepApart() {
        class Page : public TimelineSurface {
          public:
            void box(double x0, double y0, double x1, double y1, QRgb colour) override {
                if (qAlpha(colour) < 255) return;
                const QRectF area(QPointF(x0, y0), QPointF(x1, y1));
                std::erase_if(texts, [&](const auto& each) { return area.contains(each.first); });
                for (const auto& [place, words] : texts) {
                    if (area.intersects(place)) cut << words;
                }
            }
            void frame(double, double, double, double, QRgb, double) override {}
            void line(double, double, double, double, QRgb) override {}
            void text(double x, double y, QRgb, const QString& words) override {
                const QRectF place(x, y, textWidth(words), 12);
                for (const auto& [other, text] : texts) {
                    if (other.intersects(place)) cut << text + QStringLiteral(" | ") + words;
                }
                texts.emplace_back(place, words);
            }
            double textWidth(const QString& words) override { return 6.5 * static_cast<double>(words.size()); }

            std::vector<std::pair<QRectF, QString>> texts;
            QStringList cut;
        };
        for (const auto& recording : {runOfModules(), testing::sampleRun(40)}) {
            TimelineIndex index;
            index.reset(recording.get());
            index.update(recording->event_count());
            for (const double width : {260.0, 480.0, 700.0, 1100.0}) {
                for (const double height : {90.0, 150.0, 300.0}) {
                    for (const double share : {1.0, 0.4, 0.03, 1e-4}) {
                        TimelineState state;
                        state.from = index.end() * (1 - share) * 0.61;
                        state.to = state.from + index.end() * share;
                        state.note_right = 60;
                        Page page;
                        TimelineDrawing drawing(index, state, width, height);
                        drawing.draw(page);
                        QVERIFY2(page.cut.isEmpty(), qPrintable(QStringLiteral("%1 x %2, %3: %4")
                                                                    .arg(width)
                                                                    .arg(height)
                                                                    .arg(share)
                                                                    .arg(page.cut.join(QStringLiteral("; ")))));
                        // Marks of the axis differ.
                        QSet<QString> marks;
                        for (const auto& [place, words] : page.texts) {
                            if (place.top() != 3) continue;
                            QVERIFY2(!marks.contains(words), qPrintable(words));
                            marks += words;
                        }
                    }
                }
            }
        }
    }

    void setUpIsApart() {
        const auto recording = runOfModules();
        TimelineIndex index;
        index.reset(recording.get());
        index.update(recording->event_count());
        const Zone first = index.zoneOf(1);
        QVERIFY(std::abs(first.end - first.start - 4e-3) < 1e-9 && std::abs(first.setup - 3e-3) < 1e-9);
        const TimelineStatistics stretch = index.statistics(0, first.end);
        QVERIFY(std::abs(stretch.seconds - 1e-3) < 1e-9 && std::abs(stretch.setup - 3e-3) < 1e-9);
        TimelineState state;
        state.to = index.end();
        TimelineDrawing drawing(index, state, 1000, 300);
        NotedSurface surface;
        drawing.draw(surface);
        QVERIFY(!surface.hatches.empty());
        for (const QRectF& hatch : surface.hatches)
            QVERIFY(hatch.left() >= drawing.xOf(0) - 0.01 &&
                    hatch.right() <= drawing.xOf(first.start + first.setup) + 0.01);
        QVERIFY(surface.texts.filter(QStringLiteral("first run")).size() == 1);
        // By warm times there is none, and the axis is theirs.
        TimelineIndex warm;
        warm.reset(recording.get(), recording->warm_times());
        warm.update(recording->event_count());
        QVERIFY(std::abs(warm.end() - 6e-4) < 1e-9);
        QCOMPARE(warm.zoneOf(1).setup, 0.0);
        state.to = warm.end();
        NotedSurface settled;
        TimelineDrawing(warm, state, 1000, 300).draw(settled);
        QVERIFY(settled.hatches.empty());
        QVERIFY(settled.texts.filter(QStringLiteral("median of 5")).size() == 1);
    }

    void modulesHaveTheirRowInBackward() {
        const auto recording = runOfModules();
        TimelineIndex index;
        index.reset(recording.get());
        index.update(recording->event_count());
        QCOMPARE(index.frames().size(), 2u);
        const Lane& modules = index.frames()[1];
        QCOMPARE(modules.size(), 4u);
        const std::uint32_t expected[] = {2, 3, 3, 2};  // a, b, then b, a
        for (std::size_t i = 0; i < 4; ++i) {
            QCOMPARE(modules.zone(i).id, expected[i]);
            QCOMPARE((modules.zone(i).colour & TimelineIndex::kBackward) != 0, i >= 2);
        }
        // What adds up the gradient of a parameter goes with its module.
        QCOMPARE(modules.zone(2).end, index.zoneOf(4).end);
        QCOMPARE(modules.zone(3).end, index.zoneOf(6).end);
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
