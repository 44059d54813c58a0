// SPDX-License-Identifier: GPL-3.0-or-later
// Several ranks in one window: which one is current, the panel Ranks, lanes, cells and maps, on recordings in files.

#include <qcustomplot.h>
#include <signal.h>

#include <QAbstractItemModelTester>
#include <QFileInfo>
#include <QHeaderView>
#include <QListWidget>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>
#include <QTreeView>
#include <algorithm>
#include <functional>
#include <optional>

#include "core/record/recording_file.h"
#include "core/session/queries/save_tensor.h"
#include "core/session/queries/save_weights.h"
#include "core/session/queries/tensor.h"
#include "core/session/rank_steps.h"
#include "core/session/remote/rank_process.h"
#include "tests/session/rank_program.h"
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

const std::string kPrograms = LOUPE_SOURCE_DIR "/tests/fixtures/ranks/";

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

    // Ranks that mpirun starts, each with the program open.
    void start(std::size_t count, const std::string& program) {
        bridge_ = std::make_unique<SessionBridge>();
        Ranks::of(*bridge_);
        const auto process = std::make_shared<session::RankProcess>(
            session::launch_command(session::kLaunchCommand, count, LOUPE_BINARY_DIR "/bin/tensorloupe-engine"), count);
        bridge_->startRanks(
            count,
            [process](std::size_t rank, session::SessionListener* listener) {
                return std::make_unique<session::Session>(*process, rank, listener);
            },
            process, [process] { process->kill(); });
        for (std::size_t seat = 0; seat < count; ++seat) bridge_->sessionAt(seat).open(kPrograms + program);
        QTRY_VERIFY(all({session::RunState::Ready}));
    }
    bool all(const std::vector<session::RunState>& states) const {
        for (std::size_t seat = 0; seat < bridge_->seatCount(); ++seat) {
            if (std::ranges::find(states, bridge_->statusAt(seat).state) == states.end()) return false;
        }
        return true;
    }
    static QString stateOf(RanksView& view, int row) {
        return view.ranks().model()->index(row, RankModel::State).data().toString();
    }
    // What the reply says; "no reply": none comes.
    template <typename Ask>
    std::string saved(const Ask& ask) {
        std::optional<std::string> said;
        ask(std::function<void(std::string)>([&](const std::string& reply) { said = reply; }));
        for (int i = 0; i < kPatience / 10 && !said; ++i) QTest::qWait(10);
        return said.value_or("no reply");
    }
    QStringList savedAll(const QString& file) {
        std::optional<QStringList> said;
        Ranks::of(*bridge_).saveAll(file, {}, bridge_.get(), [&](const QStringList& failures) { said = failures; });
        for (int i = 0; i < kPatience / 10 && !said; ++i) QTest::qWait(10);
        return said.value_or(QStringList{QStringLiteral("no reply")});
    }
    static int rankIn(const QString& file) {
        return session::RecordingFile(file.toStdString()).recording()->rank()->rank;
    }
    // A line a rank, for messages.
    static QString where(RanksView& view) {
        QStringList lines;
        for (int row = 0; row < view.ranks().model()->rowCount(); ++row) lines << stateOf(view, row);
        return lines.join(QLatin1Char('\n'));
    }
    bool hasLogged(const QRegularExpression& line) const {
        return std::ranges::any_of(bridge_->log(), [&](const SessionBridge::LogEntry& entry) {
            return line.match(QString::fromStdString(entry.text)).hasMatch();
        });
    }

  private slots:
    void initTestCase() { qputenv("LOUPE_RANK_PATIENCE", "2"); }
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
    // Engines that run: steps take all of them along, whichever is current, and the panel says where each is.
    void ranksThatRunStepTogether() {
        bridge_ = std::make_unique<SessionBridge>();
        Ranks& ranks = Ranks::of(*bridge_);
        QVERIFY(!ranks.steps());
        const std::vector<std::string> command{LOUPE_BINARY_DIR "/bin/tensorloupe-engine", "--stdio", "--ranks", "2"};
        const auto process = std::make_shared<session::RankProcess>(command, 2);
        bridge_->startRanks(
            2,
            [process](std::size_t rank, session::SessionListener* listener) {
                return std::make_unique<session::Session>(*process, rank, listener);
            },
            process, [process] { process->kill(); });
        QVERIFY(ranks.steps());
        for (std::size_t seat = 0; seat < 2; ++seat)
            bridge_->sessionAt(seat).open(LOUPE_SOURCE_DIR "/resources/models/digits.pt");
        const auto are = [&](session::RunState state) {
            return bridge_->statusAt(0).state == state && bridge_->statusAt(1).state == state;
        };
        QTRY_VERIFY(are(session::RunState::Ready));
        RanksView view(*bridge_, nullptr);
        bridge_->step(session::StepKind::Into);
        for (int steps = 0; steps < 4; ++steps) {
            QTRY_VERIFY(are(session::RunState::Paused) && ranks.steps()->is_settled());
            QVERIFY(ranks.steps()->place(0).has_value());
            QVERIFY(ranks.steps()->place(0) == ranks.steps()->place(1));
            for (int row = 0; row < 2; ++row) {
                const QString said = view.ranks().model()->index(row, RankModel::State).data().toString();
                QVERIFY2(said.startsWith(QLatin1String("parked before ")), qPrintable(said));
            }
            bridge_->setCurrentSeat(static_cast<std::size_t>(steps % 2));
            bridge_->step(session::StepKind::Into);
        }
        QTRY_VERIFY(are(session::RunState::Paused) && ranks.steps()->is_settled());
        // To one alone: the other is then said to be elsewhere, and comes along again.
        bridge_->setOrdersAllRanks(false);
        bridge_->setCurrentSeat(1);
        bridge_->step(session::StepKind::Into);
        QTRY_VERIFY(bridge_->isPaused() && ranks.steps()->place(0) != ranks.steps()->place(1));
        bridge_->setOrdersAllRanks(true);
        bridge_->step(session::StepKind::Into);
        QTRY_VERIFY(ranks.steps()->is_settled() && ranks.steps()->place(0) == ranks.steps()->place(1));
        bridge_->run();
        QTRY_VERIFY(are(session::RunState::Finished));
        QVERIFY(!ranks.hasParked() && !ranks.hasRunning());
    }
    // Rank 0 is the one that the window's pipe begins at; it dies like any other.
    void rankZeroDiesAndTheOthersAreThere() {
        NEEDS_MPI();
        start(3, "equal.py");
        Ranks& ranks = Ranks::of(*bridge_);
        RanksView view(*bridge_, nullptr);
        bridge_->run();
        QTRY_VERIFY(all({session::RunState::Finished}));
        ::kill(static_cast<pid_t>(bridge_->recordingAt(0)->rank()->pid), SIGKILL);
        QTRY_COMPARE(ranks.deadSeat(), 0);
        const QString said = stateOf(view, 0);
        QVERIFY2(said.contains(QLatin1String("the engine was killed")), qPrintable(said));
        const QString last = QStringLiteral("its last collective: all_reduce SUM float32 [2, 4] (number 1, equal.py:");
        QVERIFY2(said.contains(last), qPrintable(said));
        QVERIFY(bridge_->recordingAt(0)->event_count() > 0);
        for (std::size_t seat = 1; seat < 3; ++seat) {
            ranks.goTo(seat);
            std::optional<session::TensorSlice> slice;
            session::TensorQuery query;
            query.request.value = 1;
            bridge_->ask<session::TensorQuery>(QStringLiteral("slice"), query, bridge_.get(),
                                               [&](const session::TensorSlice& answer) { slice = answer; });
            QTRY_VERIFY(slice.has_value());
            QVERIFY2(slice->error.empty(), slice->error.c_str());
        }
        // Orders do not bring it back, and what is said of it stays.
        for (int i = 0; i < 2; ++i) {
            bridge_->run();
            QTRY_VERIFY2(stateOf(view, 0).contains(QLatin1String("start all ranks again")),
                         qPrintable(stateOf(view, 0)));
            QVERIFY2(stateOf(view, 0).contains(QLatin1String("by signal 9")), qPrintable(stateOf(view, 0)));
            QCOMPARE(ranks.deadSeat(), 0);
        }
    }
    // One rank computes for ever in its own code: the panel and the log name it, with its last event and since when.
    void aRankThatHangsIsNamedAndStopped() {
        NEEDS_MPI();
        start(3, "hangs.py");
        RanksView view(*bridge_, nullptr);
        bridge_->run();
        const QRegularExpression waits(
            QStringLiteral(R"(^waits in all_reduce SUM float32 \[2, 4\] \(number 1, hangs\.py:20\) for [1-9]\d* s: )"
                           R"(rank 1 computes, for .*behind aten::linear at event \d+ \(.*hangs\.py:16\))"));
        for (const int row : {0, 2}) QTRY_VERIFY2(waits.match(stateOf(view, row)).hasMatch(), qPrintable(where(view)));
        const QRegularExpression line(
            QStringLiteral(R"(^rank 0 waits in all_reduce .* since \d+ s: rank 1 computes, for .*at event \d+)"));
        QTRY_VERIFY2(hasLogged(line), qPrintable(where(view)));
        bridge_->stop();
        QTRY_VERIFY2(all({session::RunState::Ready}), qPrintable(where(view)));
        QVERIFY(bridge_->recordingAt(1)->event_count() > 0);
        // Nothing of it is left.
        for (std::size_t seat = 0; seat < 3; ++seat) bridge_->sessionAt(seat).open(kPrograms + "equal.py");
        QTRY_VERIFY(all({session::RunState::Ready}));
        bridge_->run();
        QTRY_VERIFY2(all({session::RunState::Finished}), qPrintable(where(view)));
    }
    void aRankThatLeavesACollectiveOutIsNamed() {
        NEEDS_MPI();
        start(2, "leaves.py");
        RanksView view(*bridge_, nullptr);
        bridge_->run();
        QTRY_VERIFY2(bridge_->statusAt(1).state == session::RunState::Finished &&
                         bridge_->statusAt(0).state == session::RunState::Failed,
                     qPrintable(where(view)));
        const QString said = stateOf(view, 0);
        QVERIFY2(said.contains(QLatin1String("all_reduce")) && said.contains(QLatin1String("rank 1")),
                 qPrintable(said));
    }
    // Each rank's process writes what it holds; of one that has died the window writes what had come.
    void savesFromEveryRank() {
        NEEDS_MPI();
        const QTemporaryDir folder;
        const auto path = [&](const char* name) { return folder.filePath(QLatin1String(name)); };
        start(2, "equal.py");
        bridge_->run();
        QTRY_VERIFY(all({session::RunState::Finished}));
        bridge_->setCurrentSeat(1);
        QCOMPARE(saved([&](auto reply) { bridge_->saveRecording(path("one.loupe"), {}, bridge_.get(), reply); }),
                 std::string());
        QCOMPARE(rankIn(path("one.loupe")), 1);
        QCOMPARE(saved([&](auto reply) {
                     bridge_->ask<session::SaveWeightsQuery>({}, {path("one.safetensors").toStdString()}, bridge_.get(),
                                                             reply);
                 }),
                 std::string());
        QVERIFY(QFileInfo(path("one.safetensors")).size() > 0);
        session::TensorRequest value;
        value.value = 1;
        QCOMPARE(saved([&](auto reply) {
                     bridge_->ask<session::SaveTensorQuery>({}, {value, path("one.npy").toStdString()}, bridge_.get(),
                                                            reply);
                 }),
                 std::string());
        QVERIFY(QFileInfo(path("one.npy")).size() > 0);
        QCOMPARE(savedAll(path("step.loupe")), QStringList());
        QCOMPARE(rankIn(path("step.loupe")), 0);
        QCOMPARE(rankIn(path("step.rank1.loupe")), 1);
        const std::size_t events = bridge_->recordingAt(0)->event_count();
        ::kill(static_cast<pid_t>(bridge_->recordingAt(0)->rank()->pid), SIGKILL);
        QTRY_COMPARE(Ranks::of(*bridge_).deadSeat(), 0);
        QCOMPARE(savedAll(path("left.loupe")), QStringList());
        const session::RecordingFile left(path("left.loupe").toStdString());
        QCOMPARE(left.recording()->event_count(), events);
        // With the statistics that had come with them.
        std::size_t with_statistics = 0;
        for (session::ValueId id = 1; id <= left.recording()->value_count(); ++id) {
            const bool had_come = static_cast<bool>(bridge_->recordingAt(0)->value(id).statistics);
            QCOMPARE(static_cast<bool>(left.recording()->value(id).statistics), had_come);
            if (had_come) ++with_statistics;
        }
        QVERIFY(with_statistics > 0);
        QCOMPARE(rankIn(path("left.rank1.loupe")), 1);
        // A place that cannot be written is one line, of the rank that it is of.
        const QStringList failures = savedAll(path("none/step.loupe"));
        QCOMPARE(failures.size(), 2);
        QVERIFY2(failures.join(' ').contains(QLatin1String("rank 1: ")), qPrintable(failures.join('\n')));
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
