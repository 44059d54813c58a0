// SPDX-License-Identifier: GPL-3.0-or-later
// Several ranks in one window: which one is current, the panel Ranks, lanes, cells and maps, on recordings in files.

#include <qcustomplot.h>

#include <QAbstractItemModelTester>
#include <QHeaderView>
#include <QListWidget>
#include <QTemporaryDir>
#include <QTest>
#include <QTreeView>

#include "core/record/recording_file.h"
#include "tests/session/rank_runs.h"
#include "tests/views/patience.h"
#include "views/common/ranks.h"
#include "views/events/event_model.h"
#include "views/events/events_view.h"
#include "views/gradient_flow/gradient_flow_view.h"
#include "views/memory/memory_view.h"
#include "views/memory/rank_memory_model.h"
#include "views/modules/module_model.h"
#include "views/modules/modules_view.h"
#include "views/ranks/collective_model.h"
#include "views/ranks/rank_model.h"
#include "views/ranks/ranks_view.h"
#include "views/timeline/rank_lanes.h"
#include "views/timeline/timeline_view.h"

using namespace loupe;
using namespace loupe::views;
using loupe::testing::DdpFaults;

namespace {

// step.loupe, step.rank1.loupe, ... of a small model; the first is returned.
QString writeRanks(const QTemporaryDir& folder, const std::vector<DdpFaults>& faults) {
    session::ModelInfo model;
    model.title = "net";
    model.path = "net.py";
    model.modules.emplace_back();
    model.modules.front().class_name = "Net";
    model.sources.push_back({"net.py", "import torch\n", true});
    for (std::size_t rank = 0; rank < faults.size(); ++rank) {
        const auto recording = testing::ddp_rank(static_cast<int>(rank), static_cast<int>(faults.size()), faults[rank]);
        std::vector<session::GradientRow> gradients(1);
        gradients[0].parameter = "w";
        gradients[0].shape = {4};
        gradients[0].has_gradient = true;
        gradients[0].finite = session::GradientRow::Magnitudes{1, 2, static_cast<double>(rank + 1)};
        gradients[0].event = 2;
        const QString name = rank == 0 ? QStringLiteral("step.loupe") : QStringLiteral("step.rank%1.loupe").arg(rank);
        session::write_recording(folder.filePath(name).toStdString(), model, *recording, gradients, {},
                                 [](session::ValueId) { return Tensor(); });
    }
    return folder.filePath(QStringLiteral("step.loupe"));
}

}  // namespace

class RanksTest : public QObject {
    Q_OBJECT

  private:
    std::unique_ptr<QTemporaryDir> folder_;  // of one test: all that lies beside each other is one run
    std::unique_ptr<SessionBridge> bridge_;

    void open(const std::vector<DdpFaults>& faults) {
        folder_ = std::make_unique<QTemporaryDir>();
        bridge_ = std::make_unique<SessionBridge>();
        Ranks::of(*bridge_);
        bridge_->open(writeRanks(*folder_, faults));
        QTRY_VERIFY(Ranks::of(*bridge_).report() != nullptr &&
                    Ranks::of(*bridge_).report()->set.ranks.size() == faults.size());
        QTRY_VERIFY(bridge_->eventCount() > 0);
    }

  private slots:
    void cleanup() { bridge_.reset(); }

    void opensAllThatLieBesideIt() {
        open({{}, {}, {.learning_rate = 0.2}});
        QCOMPARE(bridge_->seatCount(), std::size_t{3});
        QCOMPARE(bridge_->currentSeat(), std::size_t{0});
        QCOMPARE(bridge_->rankAt(2), 2);
        QVERIFY(bridge_->recording()->rank()->rank == 0);
    }
    void keepsTheEventFromRankToRank() {
        open({{}, {}});
        bridge_->setCurrentEvent(5);
        Ranks::of(*bridge_).step(1);
        QCOMPARE(bridge_->currentSeat(), std::size_t{1});
        QCOMPARE(bridge_->recording()->rank()->rank, 1);
        QCOMPARE(bridge_->currentEvent(), session::EventId{5});
        bridge_->toggleBookmark(5);
        Ranks::of(*bridge_).step(1);
        QCOMPARE(bridge_->currentSeat(), std::size_t{0});
        QVERIFY(bridge_->bookmarks().empty());
        Ranks::of(*bridge_).step(-1);
        QCOMPARE(bridge_->bookmarks().size(), std::size_t{1});
    }
    void anotherFileIsOneProcessAgain() {
        open({{}, {}});
        QFile::copy(folder_->filePath(QStringLiteral("step.rank1.loupe")),
                    folder_->filePath(QStringLiteral("alone.loupe")));
        bridge_->open(folder_->filePath(QStringLiteral("alone.loupe")));
        QCOMPARE(bridge_->seatCount(), std::size_t{1});
        QTRY_VERIFY(bridge_->recording() && bridge_->recording()->rank()->rank == 1);
        QVERIFY(!Ranks::of(*bridge_).report());
    }
    void thePanelNamesTheRankAndGoesThere() {
        open({{}, {}, {.learning_rate = 0.2}});
        RanksView view(*bridge_, nullptr);
        view.resize(1000, 300);
        view.show();
        const QAbstractItemModelTester ranks(view.ranks().model());
        const QAbstractItemModelTester collectives(view.collectives().model());
        QTRY_COMPARE(view.findings().count(), 1);
        const QString said = view.findings().item(0)->text();
        QVERIFY2(said.contains(QLatin1String("parameter w differs on rank 2")), qPrintable(said));
        emit view.findings().itemActivated(view.findings().item(0));
        QCOMPARE(bridge_->currentSeat(), std::size_t{2});
        QCOMPARE(bridge_->currentEvent(), session::EventId{3});
        QCOMPARE(bridge_->currentSource().line, 34);
        QCOMPARE(view.ranks().model()->rowCount(), 3);
        QCOMPARE(view.collectives().model()->rowCount(), 3);
        emit view.ranks().clicked(view.ranks().model()->index(1, 0));
        QCOMPARE(bridge_->currentSeat(), std::size_t{1});
    }
    void aCollectiveLeadsToWhoCameLast() {
        open({{}, {.late = 2}});
        RanksView view(*bridge_, nullptr);
        const QModelIndex row = view.collectives().model()->index(1, CollectiveModel::Last);
        QCOMPARE(row.data().toString(), QStringLiteral("rank 1"));
        emit view.collectives().clicked(row);
        QCOMPARE(bridge_->currentSeat(), std::size_t{1});
        QCOMPARE(bridge_->currentEvent(), session::EventId{5});
    }
    void eventsHaveACellARank() {
        open({{}, {}, {.nan_at = 1}});
        EventsView view(*bridge_, nullptr);
        QVERIFY(!view.tree().isColumnHidden(EventModel::OnRanks));
        const RankCells cells = Ranks::of(*bridge_).cellsOf(4);
        QCOMPARE(cells.size(), std::size_t{3});
        QVERIFY(cells[0].kind == RankCell::Kind::Number);
        QVERIFY(cells[2].kind == RankCell::Kind::NotFinite);
        const auto accepted = [&](const char* expression) {
            EventModel model;
            model.setRecording(bridge_->recording());
            model.setFilter(EventFilter::parse(QLatin1String(expression),
                                               [&](session::EventId id) { return Ranks::of(*bridge_).cellsOf(id); }));
            return model.acceptedCount();
        };
        QCOMPARE(accepted("ranks:nan"), std::size_t{2});  // the gradient and its sum, as the test makes them
        QCOMPARE(accepted("ranks:missing"), std::size_t{0});
        QCOMPARE(accepted("rank:2"), std::size_t{9});
        QVERIFY(EventFilter::parse(QStringLiteral("ranks:other")).error().contains(QLatin1String("ranks:differ")));
    }
    void gradientsStandARowARank() {
        open({{}, {}, {}});
        GradientFlowView view(*bridge_, nullptr);
        view.resize(900, 300);
        view.show();
        view.setMeasure(GradientFlowView::Measure::RankNorms);
        QTRY_COMPARE(view.rankRows().size(), std::size_t{3});
        QTRY_COMPARE(view.rankRows()[2].size(), std::size_t{1});
        QCOMPARE(view.rankRows()[2][0].finite->norm, 3.0);
    }
    void lanesGoToARankAndItsEvent() {
        open({{}, {.late = 2}});
        TimelineView view(*bridge_, nullptr);
        view.resize(1000, 300);
        view.show();
        RankLanes& lanes = *view.lanes();
        QTRY_VERIFY(lanes.isVisible());
        const auto& launch = Ranks::of(*bridge_).report()->times[0].ranks[1];
        const QRectF lane = lanes.laneRect(1);
        QTest::mouseClick(
            &lanes, Qt::LeftButton, {},
            QPoint(static_cast<int>(lanes.xOf(launch->arrived)) + 1, static_cast<int>(lane.bottom() - 6)));
        QCOMPARE(bridge_->currentSeat(), std::size_t{1});
        QCOMPARE(bridge_->currentEvent(), session::EventId{2});
        lanes.zoomTo(14, 16);
        QVERIFY(lanes.to() - lanes.from() < 3);
        lanes.fit();
        QVERIFY(lanes.to() - lanes.from() > 20);
    }
    void memoryHasARowARank() {
        open({{}, {}});
        RankMemoryModel model(*bridge_, nullptr);
        const QAbstractItemModelTester tester(&model);
        QCOMPARE(model.rowCount(), 2);
        model.goToPeak(model.index(1, 0));
        QCOMPARE(bridge_->currentSeat(), std::size_t{1});
    }
};

QTEST_MAIN(RanksTest)
#include "ranks_test.moc"
