// SPDX-License-Identifier: GPL-3.0-or-later
// Traces of PyTorch's profiler in Timeline, and memory snapshots in Memory: fixtures/profiler, opened by the session.

#include <QAbstractItemModelTester>
#include <QTest>

#include "tests/views/patience.h"
#include "tests/views/sample_run.h"
#include "views/common/format.h"
#include "views/memory/memory_view.h"
#include "views/timeline/timeline_view.h"

using namespace loupe;
using namespace loupe::views;

namespace {

QString fixture(const char* name) {
    return QStringLiteral(LOUPE_SOURCE_DIR "/tests/fixtures/profiler/") + QLatin1String(name);
}

std::uint32_t find(const ProfileTrace& trace, std::string_view name) {
    for (std::uint32_t i = 0; i < trace.zones.size(); ++i)
        if (trace.name_of(trace.zones[i]) == name) return i;
    return ProfileZone::kNone;
}

std::size_t distinctColours(const QImage& image) {
    std::set<QRgb> colours;
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x) colours.insert(image.pixel(x, y));
    return colours.size();
}

}  // namespace

class ImportsTest : public QObject {
    Q_OBJECT

  private:
    void open(SessionBridge& bridge, const char* name) {
        Imports& imports = Imports::of(bridge);
        const std::size_t before = imports.traces().size() + imports.snapshots().size();
        imports.open(fixture(name), session::imported_kind(fixture(name).toStdString()));
        QTRY_COMPARE(imports.traces().size() + imports.snapshots().size(), before + 1);
    }

  private slots:
    void a_trace_is_shown_as_what_it_is() {
        SessionBridge bridge;
        TimelineView view(bridge, nullptr);
        view.resize(1000, 420);
        view.show();
        open(bridge, "layers.json");
        QCOMPARE(view.source()->currentText(), QStringLiteral("layers.json"));
        TraceCanvas* canvas = view.traces()->canvas();
        QVERIFY(canvas->isVisible());
        const ProfileTrace& trace = *canvas->index().trace();
        const std::uint32_t kernel = find(trace, "ampere_sgemm_64x32_sliced1x4_tn");
        canvas->select(kernel);
        auto* details = view.findChild<QTextBrowser*>(QStringLiteral("zoneDetails"));
        QVERIFY(details->isVisible());
        const QString shown = details->toPlainText();
        for (const char* part : {"stream 7", "registers per thread", "ac2g from", "cudaLaunchKernel", "31.5"})
            QVERIFY2(shown.contains(QLatin1String(part)), qPrintable(shown));
        QVERIFY(canvas->drawing().rowOf(kernel) > 0);
        QVERIFY(distinctColours(canvas->grab().toImage()) > 8);
    }
    void a_counter_keeps_its_value_to_the_end() {
        SessionBridge bridge;
        TimelineView view(bridge, nullptr);
        open(bridge, "layers.json");
        const TraceIndex& index = view.traces()->canvas()->index();
        QCOMPARE(index.counters().front().curve.sample(0, index.end(), 10).back(), 262144.0);
    }
    void search_walks_from_match_to_match() {
        SessionBridge bridge;
        TimelineView view(bridge, nullptr);
        view.resize(1000, 420);
        view.show();
        open(bridge, "layers.json");
        QCOMPARE(view.traces()->search(QStringLiteral("memcpy dtoh")), QStringLiteral("2 matches"));
        const ProfileTrace& trace = *view.traces()->canvas()->index().trace();
        std::vector<double> starts;
        for (int i = 0; i < 3; ++i) {
            view.traces()->nextMatch();
            const ProfileZone& zone = trace.zones[*view.traces()->canvas()->state().selected];
            QCOMPARE(trace.category_of(zone), std::string_view("gpu_memcpy"));
            starts.push_back(zone.start);
        }
        QVERIFY(starts[0] < starts[1]);
        QCOMPARE(starts[0], starts[2]);
    }
    void operators_are_added_up_and_compared() {
        SessionBridge bridge;
        TimelineView view(bridge, nullptr);
        view.resize(1000, 420);
        view.show();
        open(bridge, "layers.json");
        open(bridge, "perceptron.json.gz");
        view.setForm(TracePane::Form::Operators);
        TotalsModel* model = view.traces()->totals();
        QAbstractItemModelTester tester(model);
        QVERIFY(!model->isOfTwo());
        QVERIFY(model->rowCount() > 30);
        QVERIFY(view.traces()->csv().startsWith(QStringLiteral("Operator,Category,Calls,Total,Self")));
        view.other()->setCurrentIndex(view.other()->findText(QStringLiteral("with layers.json")));
        QVERIFY(model->isOfTwo());
        QCOMPARE(model->columnCount(), static_cast<int>(TotalsModel::kDifferenceColumns));
        double last = 1e300;
        for (int row = 0; row < model->rowCount(); ++row) {
            const double change = model->index(row, TotalsModel::Change).data(TotalsModel::kSortRole).toDouble();
            QVERIFY(change <= last);
            last = change;
        }
    }
    void the_run_is_compared_with_a_trace() {
        SessionBridge bridge;
        TimelineView view(bridge, nullptr);
        view.resize(1000, 420);
        view.show();
        bridge.open(QStringLiteral(LOUPE_SOURCE_DIR "/tests/fixtures/models/mlp.pt"));
        QTRY_COMPARE(bridge.status().state, session::RunState::Ready);
        bridge.run();
        QTRY_COMPARE(bridge.status().state, session::RunState::Finished);
        view.setForm(TracePane::Form::Operators);
        TotalsModel* model = view.traces()->totals();
        QTRY_VERIFY(model->rowCount() > 0);
        QVERIFY(!model->isOfTwo());
        open(bridge, "perceptron.json.gz");
        view.showSource(QString());
        view.other()->setCurrentIndex(view.other()->findText(QStringLiteral("with perceptron.json.gz")));
        QVERIFY(model->isOfTwo());
        bool has_both = false;
        for (int row = 0; row < model->rowCount(); ++row)
            has_both |= model->difference(row).count_here > 0 && model->difference(row).count_there > 0;
        QVERIFY(has_both);
        Imports::of(bridge).closeTrace(fixture("perceptron.json.gz"));
        QVERIFY(!model->isOfTwo());
    }
    void flame_graphs_of_two_are_one() {
        SessionBridge bridge;
        TimelineView view(bridge, nullptr);
        view.resize(1000, 420);
        view.show();
        open(bridge, "layers.json");
        open(bridge, "perceptron.json.gz");
        view.setForm(TracePane::Form::Flame);
        FlameCanvas* flame = view.traces()->flame();
        QVERIFY(flame->difference() == nullptr && !view.traces()->changedTable()->isVisible());
        view.other()->setCurrentIndex(view.other()->findText(QStringLiteral("with layers.json")));
        QVERIFY(flame->difference() != nullptr && view.traces()->changedTable()->isVisible());
        // A row shows its stack.
        QAbstractItemModel* rows = view.traces()->changedTable()->model();
        QVERIFY(rows->rowCount() > 5);
        view.traces()->changedTable()->setCurrentIndex(rows->index(2, 0));
        QVERIFY(flame->zoomed() != 0);
        // Orange where B takes longer, green where A does.
        QVERIFY(tendencyColour(1) != tendencyColour(-1) && tendencyColour(0.001) == tendencyColour(0));
        QVERIFY(distinctColours(flame->grab().toImage()) > 3);
        view.other()->setCurrentIndex(0);
        QVERIFY(flame->difference() == nullptr);
    }
    void a_run_is_kept_to_be_compared() {
        SessionBridge bridge;
        TimelineView view(bridge, nullptr);
        view.resize(1000, 420);
        view.show();
        bridge.open(QStringLiteral(LOUPE_SOURCE_DIR "/tests/fixtures/models/mlp.pt"));
        QTRY_COMPARE(bridge.status().state, session::RunState::Ready);
        bridge.run();
        QTRY_COMPARE(bridge.status().state, session::RunState::Finished);
        view.setForm(TracePane::Form::Flame);
        auto* keep = view.findChild<QToolButton*>(QStringLiteral("keepRun"));
        QTRY_VERIFY(keep->isVisible() && keep->isEnabled());
        keep->click();
        // What is shown stays the run; the kept one is what it is compared with.
        QCOMPARE(view.source()->currentData().toString(), QString());
        QCOMPARE(view.other()->currentText(), QStringLiteral("with run 1"));
        bridge.run();
        QTRY_COMPARE(bridge.status().state, session::RunState::Finished);
        QTRY_VERIFY(view.traces()->flame()->difference() != nullptr);
        const session::FlameDifference& found = *view.traces()->flame()->difference();
        for (const session::FlamePair& pair : found.nodes) QCOMPARE(pair.count_here, pair.count_there);
    }
    void streams_say_how_far_they_are_used() {
        SessionBridge bridge;
        TimelineView view(bridge, nullptr);
        view.resize(1000, 420);
        view.show();
        open(bridge, "layers.json");
        TraceCanvas* canvas = view.traces()->canvas();
        const TraceIndex& index = canvas->index();
        std::size_t streams = 0;
        for (const TraceIndex::Track& track : index.tracks()) {
            const session::StreamUse* use = index.useOf(track.number);
            QCOMPARE(use != nullptr, index.trace()->tracks[track.number].is_device);
            if (use == nullptr) continue;
            ++streams;
            QVERIFY(use->busy > 0 && use->share() < 1 && use->longest_gap > 0 && use->launch_to_start.has_value());
        }
        QCOMPARE(streams, std::size_t{2});
        const QImage before = canvas->grab().toImage();
        canvas->selectRange(index.end() * 0.2, index.end() * 0.6);
        QVERIFY(canvas->grab().toImage() != before);
    }
    void flame_graph_zooms() {
        SessionBridge bridge;
        TimelineView view(bridge, nullptr);
        view.resize(1000, 420);
        view.show();
        open(bridge, "layers.json");
        view.setForm(TracePane::Form::Flame);
        FlameCanvas* flame = view.traces()->flame();
        QVERIFY(flame->isVisible());
        const auto root = flame->nodeAt({500, 8});
        QCOMPARE(root, std::optional<std::uint32_t>(0));
        const auto below = flame->nodeAt({20, 27});
        QVERIFY(below && *below != 0);
        QTest::mouseClick(flame, Qt::LeftButton, {}, {20, 27});
        QCOMPARE(flame->zoomed(), *below);
        QTest::mouseClick(flame, Qt::LeftButton, {}, {20, 27});
        QCOMPARE(flame->zoomed(), std::uint32_t{0});
    }
    void a_snapshot_shows_its_peak_and_who_holds_it() {
        SessionBridge bridge;
        MemoryView view(bridge, nullptr);
        view.resize(1000, 420);
        view.show();
        open(bridge, "after.pickle");
        SnapshotPane* pane = view.snapshots();
        QVERIFY(pane->isVisible());
        QAbstractItemModelTester tester(pane->holders());
        const QModelIndex first = pane->holders()->index(0, HolderModel::Where);
        QCOMPARE(first.data().toString(), QStringLiteral("model.py:31 log_loss"));
        QCOMPARE(pane->bands()->pinnedStep(), pane->snapshot()->histories.front().peak);
        pane->table()->setCurrentIndex(pane->table()->model()->index(0, 0));
        QVERIFY(pane->details()->toPlainText().contains(QStringLiteral("train.py:20 main")));
        QVERIFY(distinctColours(pane->bands()->grab().toImage()) > 10);
    }
    void a_band_is_the_block_that_it_shows() {
        SessionBridge bridge;
        MemoryView view(bridge, nullptr);
        view.resize(1000, 420);
        view.show();
        open(bridge, "before.pickle");
        SnapshotBands* bands = view.snapshots()->bands();
        const session::SnapshotHistory& history = view.snapshots()->snapshot()->histories.front();
        const QSize size(400, 200);
        BandRange range = bands->range();
        // Every block of the picture, against adding up by hand.
        for (int column = 5; column < 400; column += 37) {
            const std::uint32_t step = bands->picture().stepOf(range, 400, column);
            for (int row = 3; row < 200; row += 11) {
                const std::uint32_t found = bands->picture().blockAt(range, size, {column, row});
                const double wanted = range.bottom + (200 - row - 0.5) / 200 * (range.top - range.bottom);
                const auto least = static_cast<std::int64_t>(std::ceil((range.top - range.bottom) / 200));
                double bytes = 0;
                std::uint32_t expected = BandPicture::kNone;
                for (std::uint32_t i = 0; i < history.blocks.size() && expected == BandPicture::kNone; ++i) {
                    const session::HeldBlock& block = history.blocks[i];
                    if (block.from > step || block.to <= step || block.size < least) continue;
                    bytes += static_cast<double>(block.size);
                    if (wanted < bytes) expected = i;
                }
                if (expected == BandPicture::kNone && wanted < static_cast<double>(history.active[step]))
                    expected = BandPicture::kSmall;
                QCOMPARE(found, expected);
            }
        }
    }
    void segments_show_blocks_and_holes() {
        SessionBridge bridge;
        MemoryView view(bridge, nullptr);
        view.resize(1000, 420);
        view.show();
        open(bridge, "after.pickle");
        SnapshotPane* pane = view.snapshots();
        pane->showSide(SnapshotPane::Side::Segments);
        const SegmentMap::Sums& sums = pane->segments()->sums();
        const session::SnapshotHistory& history = pane->snapshot()->histories.front();
        QCOMPARE(sums.active, history.active[history.peak]);
        QCOMPARE(sums.reserved, history.reserved[history.peak]);
        QVERIFY(sums.largest_hole > 0);
        const std::int64_t block = pane->segments()->blockAt({12, 14});
        QVERIFY(block >= 0);
        QTest::mouseClick(pane->segments()->viewport(), Qt::LeftButton, {}, {12, 14});
        QCOMPARE(pane->bands()->pinnedBlock(), static_cast<std::uint32_t>(block));
        QVERIFY(pane->details()->isVisible());
    }
    void two_snapshots_are_compared() {
        SessionBridge bridge;
        MemoryView view(bridge, nullptr);
        view.resize(1000, 420);
        view.show();
        open(bridge, "after.pickle");
        open(bridge, "before.pickle");
        view.other()->setCurrentIndex(view.other()->findText(QStringLiteral("with after.pickle")));
        HolderModel* model = view.snapshots()->holders();
        QVERIFY(model->isOfTwo());
        QAbstractItemModelTester tester(model);
        QCOMPARE(model->index(0, HolderModel::DWhere).data().toString(), QStringLiteral("model.py:31 log_loss"));
        QCOMPARE(model->index(0, HolderModel::Word).data().toString(), QStringLiteral("added"));
        Imports::of(bridge).closeSnapshot(fixture("before.pickle"));
        QVERIFY(!model->isOfTwo());
        QCOMPARE(view.source()->currentText(), QStringLiteral("after.pickle"));
        Imports::of(bridge).closeSnapshot(fixture("after.pickle"));
        QVERIFY(!view.snapshots()->isVisible());
    }
    void what_cannot_be_read_is_said() {
        SessionBridge bridge;
        QString said;
        connect(&Imports::of(bridge), &Imports::failed, this, [&](const QString& why) { said = why; });
        Imports::of(bridge).open(QStringLiteral(LOUPE_SOURCE_DIR "/tests/fixtures/profiler/expected.json"),
                                 session::ImportedKind::ProfileTrace);
        QTRY_VERIFY(said.contains(QStringLiteral("expected.json")));
        QVERIFY(Imports::of(bridge).reading().isEmpty());
    }
};

QTEST_MAIN(ImportsTest)
#include "imports_test.moc"
