// SPDX-License-Identifier: Apache-2.0
// Recordings of several ranks held against each other: collectives, waits, clocks, and where values first differ.

#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

#include "core/base/error.h"
#include "core/session/rank_file_name.h"
#include "core/session/rank_files.h"
#include "core/study/ranks/derived_collectives.h"
#include "core/study/ranks/rank_events.h"
#include "core/study/ranks/rank_layers.h"
#include "core/study/ranks/rank_report.h"
#include "tests/session/rank_runs.h"

using namespace loupe;
using namespace loupe::session;
using namespace loupe::testing;

namespace {

bool has(const std::string& text, const char* part) {
    const bool found = text.find(part) != std::string::npos;
    if (!found) qWarning("'%s' lacks '%s'", text.c_str(), part);
    return found;
}

struct LoneWrite {
    double adds = 0;        // what it changes of the parameter
    bool is_first = false;  // in front of the first call of the module, which names the parameter
};

// Two steps of a program, whose operators name nothing, with a broadcast in front; rank 1 writes into the parameter
// once more, at line 40, and looks at it.
RankReport program_with(const LoneWrite& lone) {
    std::vector<RankSource> sources;
    for (int rank = 0; rank < 2; ++rank) {
        RankWriter w(rank, 2);
        double at = 3;
        const auto write = [&](const std::string& op, int line, const std::string& name = {}) {
            return w.event(RunPhase::Forward, op, line, {},
                           [&](EventId id) { return std::vector{w.value(name, at, id, 1)}; });
        };
        const auto write_alone = [&] {
            if (rank == 0) return;
            at += lone.adds;
            write("aten::add_", 40);
            write("aten::detach", 41);
        };
        w.collective("broadcast", write("c10d::broadcast_", 10), 1);
        if (lone.is_first) write_alone();
        // The block was made in the run: no allocation says that it is a parameter's.
        w.value("w", at, 0, 1, 0, true);
        for (int step = 0; step < 2; ++step) {
            const EventId launch = w.event(RunPhase::Backward, "c10d::allreduce_", 33, {},
                                           [&](EventId id) { return std::vector{w.value("", 7, id, 2)}; });
            w.collective("all_reduce", launch, 5 + step);
            at -= 0.5;
            write("SGD", 34);
            if (step == 0 && !lone.is_first) write_alone();
        }
        sources.push_back({w.finish(), "r", rank});
    }
    return study_ranks(join_ranks(sources));
}

std::string error_of(const std::vector<RankSource>& sources) {
    try {
        join_ranks(sources);
    } catch (const Error& error) {
        return error.message();
    }
    return {};
}

}  // namespace

class TestRanks : public QObject {
    Q_OBJECT

  private slots:
    void findsNothingWrong() {
        const RankReport report = study_ranks(ddp({{}, {}, {}, {}}));
        QCOMPARE(report.set.ranks.size(), std::size_t{4});
        QCOMPARE(report.matched.size(), std::size_t{3});
        for (const MatchedCollective& each : report.matched) QCOMPARE(each.members, (std::vector{0, 1, 2, 3}));
        QVERIFY(!report.is_wrong());
    }

    // --- what does not match ---

    void namesTheRankThatSkipsACollective() {
        const RankReport report = study_ranks(ddp({{}, {.skips_at = 1}, {}, {}}));
        QVERIFY(report.mismatch.has_value());
        QCOMPARE(report.mismatch->odd, std::vector{1});
        QVERIFY(has(report.mismatch->text, "all_reduce #3"));
        QVERIFY(has(report.mismatch->text, "missing on rank 1"));
        // And the update with its own gradient.
        QVERIFY(report.difference.has_value());
        QCOMPARE(report.difference->odd, std::vector{1});
        QCOMPARE(report.difference->name, std::string("w"));
        QVERIFY(has(report.difference->text, "from no collective"));
    }

    void namesTheOddOperation() {
        RankSet set = ddp({{}, {}, {}});
        set.ranks[2].collectives[1].operation = "broadcast";
        set.ranks[2].collectives[1].place = {"other.py", 7, 0};
        const auto found = first_mismatch(set, match_collectives(set));
        QVERIFY(found.has_value());
        QVERIFY(found->kind == CollectiveMismatch::Kind::Operation);
        QCOMPARE(found->odd, std::vector{2});
        QVERIFY(has(found->text, "ranks 0 and 1: all_reduce float32 4 (net.py:33)"));
        QVERIFY(has(found->text, "rank 2: broadcast float32 4 (other.py:7)"));
    }

    void namesDtypesShapesReductionsRootsAndMembers() {
        using Kind = CollectiveMismatch::Kind;
        const auto changed = [](const std::function<void(Collective&)>& change) {
            RankSet set = ddp({{}, {}, {}});
            change(set.ranks[1].collectives[2]);
            const auto found = first_mismatch(set, match_collectives(set));
            return found && found->odd == std::vector{1} ? found->kind : Kind::Missing;
        };
        QVERIFY(changed([](Collective& c) { c.dtype = "float16"; }) == Kind::Dtype);
        QVERIFY(changed([](Collective& c) { c.shapes = {{5}}; }) == Kind::Shapes);
        QVERIFY(changed([](Collective& c) { c.reduction = "MAX"; }) == Kind::Reduction);
        QVERIFY(changed([](Collective& c) { c.ranks = {0, 1}; }) == Kind::Members);
        RankSet set = ddp({{}, {}, {}});
        for (RankRun& run : set.ranks) {
            run.collectives[0].operation = "broadcast";
            run.collectives[0].peer = run.rank() == 1 ? 1 : 0;
        }
        const auto found = first_mismatch(set, match_collectives(set));
        QVERIFY(found && found->kind == Kind::Root && found->odd == std::vector{1});
    }

    void saysHowManyWereLeftOut() {
        RankSet set = ddp({{}, {}, {}}, 6);
        // Broadcasts between, so that the shift shows.
        for (RankRun& run : set.ranks) {
            for (std::size_t i = 1; i < run.collectives.size(); i += 2) run.collectives[i].operation = "broadcast";
        }
        auto& odd = set.ranks[1].collectives;
        odd.erase(odd.begin() + 2);
        for (std::size_t i = 2; i < odd.size(); ++i) odd[i].sequence = i + 1;
        const auto found = first_mismatch(set, match_collectives(set));
        QVERIFY(found.has_value());
        QVERIFY(has(found->text, "all_reduce #3"));
        QVERIFY(has(found->text, "as if rank 1 had left out 1 collective"));
    }

    void matchesMessagesByTheirEnds() {
        RankSet set = ddp({{}, {}}, 1);
        const auto message = [](const char* operation, int peer, std::uint64_t sequence, const char* dtype) {
            Collective each;
            each.group = "0";
            each.operation = operation;
            each.peer = peer;
            each.sequence = sequence;
            each.dtype = dtype;
            each.shapes = {{4}};
            return each;
        };
        set.ranks[0].collectives = {message("send", 1, 1, "float32"), message("recv", 1, 1, "float32")};
        set.ranks[1].collectives = {message("recv", 0, 1, "float32"), message("send", 0, 1, "float64")};
        const auto matched = match_collectives(set);
        QCOMPARE(matched.size(), std::size_t{2});
        QCOMPARE(matched[0].name(set), std::string("message #1 from rank 0 to 1"));
        const auto found = first_mismatch(set, matched);
        QVERIFY(found && found->kind == CollectiveMismatch::Kind::Dtype && found->collective == 1);
    }

    void keepsGroupsApart() {
        RankSet set = ddp({{}, {}, {}, {}}, 2);
        for (RankRun& run : set.ranks) {
            Collective& each = run.collectives[1];
            each.group = run.rank() < 2 ? "1" : "2";
            each.sequence = 1;
            each.ranks = run.rank() < 2 ? std::vector{0, 1} : std::vector{2, 3};
        }
        const auto matched = match_collectives(set);
        QCOMPARE(matched.size(), std::size_t{3});
        QVERIFY(!first_mismatch(set, matched));
    }

    // --- waits and clocks ---

    void saysWhoCameLate() {
        const RankReport report = study_ranks(ddp({{}, {}, {.late = 2}, {.late = 1}}));
        QCOMPARE(report.times[0].last, 2);
        QVERIFY(std::abs(report.times[0].late_by - 1) < 1e-9);
        QVERIFY(std::abs(report.times[0].waited - 5) < 1e-9);  // 2 + 2 + 1
        QCOMPARE(report.waits[2].times_last, 3);
        QVERIFY(std::abs(report.waits[2].made_wait - 15) < 1e-9);
        QVERIFY(std::abs(report.waits[3].waited - 3) < 1e-9);
        QVERIFY(report.waits[2].waited < 1e-9);
    }

    void alignsClocksByTheEndsOfCollectives() {
        std::vector<DdpFaults> faults(3);
        faults[1] = {.late = 2, .clock = 300, .host = "there"};
        faults[2] = {.clock = -40, .host = "elsewhere"};
        const RankReport report = study_ranks(ddp(faults, 9));
        QVERIFY(report.clocks[1].source == RankClock::Source::Completions);
        QVERIFY(std::abs(report.clocks[1].offset + 300) < 1e-9);
        QVERIFY(std::abs(report.clocks[2].offset - 40) < 1e-9);
        QCOMPARE(report.times[0].last, 1);
    }

    // One end that was noticed late shifts nothing, and none ends before the last has come.
    void alignsClocksRobustly() {
        std::vector<DdpFaults> faults(2);
        faults[1] = {.clock = 7, .host = "there"};
        RankSet set = ddp(faults, 9);
        for (const std::size_t odd : {1, 4}) *set.ranks[1].collectives[odd].completed += 3;
        const auto clocks = align_clocks(set, match_collectives(set));
        QVERIFY(std::abs(clocks[1].offset + 7) < 1e-9);
    }

    // A recorder that leaves its own work out of the times makes a clock that lags more and more.
    void followsAClockThatDrifts() {
        RankSet set = ddp({{}, {}}, 20);
        for (std::size_t i = 0; i < set.ranks[1].collectives.size(); ++i) {
            Collective& each = set.ranks[1].collectives[i];
            const double lag = 0.5 * static_cast<double>(i);
            for (auto* time : {&each.completed, &each.waited_from, &each.waited_until}) **time -= lag;
            each.launched -= lag;
        }
        const auto clocks = align_clocks(set, match_collectives(set));
        QVERIFY(!clocks[1].anchors.empty());
        const double own = *set.ranks[1].collectives[10].completed;
        QVERIFY(std::abs(clocks[1].common(own) - *set.ranks[0].collectives[10].completed) < 1e-9);
    }

    void doesNotBelieveAHostWhoseClockWasSet() {
        RankSet set = ddp({{}, {}}, 3);
        set.ranks[1].facts.began += 1e6;
        const auto clocks = align_clocks(set, match_collectives(set));
        QVERIFY(clocks[1].source == RankClock::Source::Completions);
        QVERIFY(std::abs(clocks[1].offset) < 1e-9);
    }

    // --- where values first differ ---

    void namesTheLearningRate() {
        const RankReport report = study_ranks(ddp({{}, {}, {.learning_rate = 0.2}, {}}));
        QVERIFY(!report.mismatch);
        QVERIFY(report.difference.has_value());
        QCOMPARE(report.difference->odd, std::vector{2});
        QCOMPARE(report.difference->name, std::string("w"));
        QCOMPARE(report.difference->spot.event, EventId{3});
        QCOMPARE(report.difference->cause.event, EventId{3});
        QCOMPARE(report.difference->cause.place.line, 34);
        QVERIFY(has(report.difference->text, "alpha=-0.200000 on rank 2"));
    }

    void namesTheRankThatBringsNan() {
        const RankReport report = study_ranks(ddp({{}, {}, {.nan_at = 1}, {}}));
        QVERIFY(report.not_finite.has_value());
        QCOMPARE(report.not_finite->from, std::vector{2});
        QCOMPARE(report.not_finite->event, EventId{4});
        QVERIFY(has(report.not_finite->text, "rank 2 brings NaN or Inf into all_reduce #2"));
    }

    void namesTheWriteThatOneRankDoesAlone() {
        for (const bool is_first : {false, true}) {
            const RankReport report = program_with({.adds = 1, .is_first = is_first});
            QVERIFY(report.difference.has_value());
            QCOMPARE(report.difference->name, std::string("w"));
            QCOMPARE(report.difference->odd, std::vector{1});
            QCOMPARE(report.difference->spot.place.line, 40);
            QVERIFY(has(report.difference->text, "parameter w differs on rank 1 from rank 0 after event #"));
        }
    }

    void oneRankMayWriteMoreOften() {
        for (const bool is_first : {false, true})
            QVERIFY(!program_with({.adds = 0, .is_first = is_first}).difference.has_value());
    }

    void localGradientsAndInputsMayDiffer() {
        const RankReport report = study_ranks(ddp({{}, {}}));  // gradients are 5 + rank
        QVERIFY(!report.difference);
    }

    void asksForABroadcastWhereNoParameterWasEverEqual() {
        const RankReport report = study_ranks(ddp({{}, {.weight = 3}}));
        QVERIFY(report.difference && report.difference->kind == RankDifference::Kind::NeverEqual);
        QVERIFY(has(report.difference->text, "were the weights broadcast"));
    }

    void aResultOfAnAllReduceMustBeOneForAll() {
        RankWriter ranks[] = {RankWriter(0, 2), RankWriter(1, 2)};
        std::vector<RankSource> sources;
        for (int rank = 0; rank < 2; ++rank) {
            RankWriter& w = ranks[rank];
            const ValueId given = w.value("", 1, 0, 1);
            const EventId launch = w.event(RunPhase::Forward, "c10d::allreduce_", 33, {given},
                                           [&](EventId id) { return std::vector{w.value("", 2 + rank, id, 1)}; });
            w.collective("all_reduce", launch, 1);
            sources.push_back({w.finish(), "r", rank});
        }
        const RankReport report = study_ranks(join_ranks(sources));
        QVERIFY(report.difference && report.difference->kind == RankDifference::Kind::Result);
        QVERIFY(has(report.difference->text, "the result of all_reduce #1 differs"));
    }

    void sumsMayBeAddedUpInAnotherOrder() {
        Statistics a = numbers(3);
        Statistics b = a;
        b.finite->mean += 1e-16 * 4;
        QVERIFY(compare_statistics(a, b) == Agreement::Equal);
        b.finite->mean += 1e-9;
        QVERIFY(compare_statistics(a, b) == Agreement::Different);
        b = a;
        b.finite->max = std::nextafter(b.finite->max, 10);
        QVERIFY(compare_statistics(a, b) == Agreement::Different);
    }

    // Elements decide where numbers differ in their last digits, and say how far apart two values are.
    void elementsHaveTheLastWord() {
        const auto same = [](std::size_t, ValueId) { return tensor_of({1.0F, 2.0F}, {2}); };
        QVERIFY(!study_ranks(ddp({{}, {.learning_rate = 0.2}}), same).difference);
        const auto other = [](std::size_t place, ValueId value) {
            return tensor_of({1.0F, static_cast<float>(value > 1 ? place : 0)}, {2});
        };
        const RankReport report = study_ranks(ddp({{}, {.learning_rate = 0.2}}), other);
        QVERIFY(report.difference && report.difference->elements);
        QCOMPARE(report.difference->elements->max_abs, 1.0);
    }

    // --- a rank that stopped ---

    void namesTheRankThatHangs() {
        std::vector<RankSource> sources;
        for (int rank = 0; rank < 3; ++rank) {
            if (rank == 1) {
                sources.push_back({ddp_rank(1, 3, {.hangs_at = 1}), "1", 1});
                continue;
            }
            RankWriter w(rank, 3);
            for (int step = 0; step < 2; ++step) {
                const EventId launch = w.event(RunPhase::Backward, "c10d::allreduce_", 33, {},
                                               [](EventId) { return std::vector<ValueId>(); });
                w.collective("all_reduce", launch, step == 0 ? 15 : std::nan(""));
            }
            sources.push_back({w.finish(false), "r", rank});
        }
        const RankReport report = study_ranks(join_ranks(sources));
        QVERIFY(report.ends[0].state == RankEnd::State::Waiting);
        QCOMPARE(report.ends[0].waits_for, std::vector{1});
        QVERIFY(has(report.ends[1].text, "rank 1 has not reached all_reduce #2 (net.py:33), in which others wait"));
        QVERIFY(has(report.ends[1].text, "its last event is #4 mm (net.py:20)"));
        QVERIFY(!report.mismatch);  // it goes on: it may come yet
        QCOMPARE(report.findings.size(), std::size_t{1});
        QCOMPARE(report.findings[0].spot.rank, 1);
    }

    // --- what does not fit together ---

    void namesMissingSiblings() {
        const RankSet set = join_ranks({{ddp_rank(0, 4), "0", 0}, {ddp_rank(2, 4), "2", 2}});
        QCOMPARE(set.missing, (std::vector{1, 3}));
        QVERIFY(has(set.problems.at(0), "no recording of ranks 1 and 3 of 4"));
    }
    void refusesTwoOfOneRank() {
        QVERIFY(has(error_of({{ddp_rank(1, 2), "a.loupe", 0}, {ddp_rank(1, 2), "b.loupe", 1}}),
                    "a.loupe and b.loupe are both of rank 1"));
    }
    void namesOtherWorldSizesAndOtherRuns() {
        RankWriter a(0, 2);
        RankWriter b(1, 3);
        b.facts().program = "run 2";
        const RankSet set = join_ranks({{a.finish(), "a", 0}, {b.finish(), "b", 1}});
        QVERIFY(has(set.problems.at(0), "different runs"));
        QVERIFY(has(set.problems.at(1), "do not agree in how many they are (rank 0: 2; rank 1: 3)"));
    }
    // Ids beyond what is there, ranks that nobody is, the same collective twice: nothing is read that is not there.
    void readsNothingThatIsNotThere() {
        RankSet set = ddp({{}, {}}, 2);
        Collective odd = set.ranks[0].collectives[0];
        odd.event = 4000000000U;
        odd.waited_by = 4000000001U;
        odd.ranks = {0, 1, 77};
        set.ranks[0].collectives.push_back(odd);
        odd.operation = "recv";
        odd.peer = 99;
        set.ranks[1].collectives.push_back(odd);
        odd.operation = "send";
        odd.peer = -1;
        set.ranks[1].collectives.push_back(odd);
        study_ranks(set);
        QCOMPARE(RankEvents(set).on(0, 1234567, 1), EventId{0});
    }

    // --- the same event, the same layer ---

    void findsTheSameEvent() {
        RankWriter a(0, 2);
        RankWriter b(1, 2);
        const auto none = [](EventId) { return std::vector<ValueId>(); };
        for (RankWriter* w : {&a, &b}) {
            w->event(RunPhase::Forward, "aten::mm", 1, {}, none);
            if (w == &b) w->event(RunPhase::Forward, "aten::randn", 2, {}, none);
            w->event(RunPhase::Forward, "aten::mm", 1, {}, none);
        }
        const RankSet set = join_ranks({{a.finish(), "a", 0}, {b.finish(), "b", 1}});
        const RankEvents events(set);
        QCOMPARE(events.on(0, 2, 1), EventId{3});
        QCOMPARE(events.on(1, 2, 0), EventId{0});
    }
    void showsGradientsByLayerAndRank() {
        const RankSet set = ddp({{}, {}, {.nan_at = 2}});
        const auto rows = gradient_layers(set);
        QCOMPARE(rows.size(), std::size_t{1});
        QCOMPARE(rows[0].name, std::string("w"));
        QVERIFY(rows[0].differs);
        QCOMPARE(rows[0].cells[2].number(LayerMeasure::NotFinite), 0.25);
        QCOMPARE(rows[0].cells[0].event, EventId{8});
    }

    // --- files and older recordings ---

    void findsSiblingsByName() {
        const QTemporaryDir folder;
        for (const char* name : {"a.loupe", "a.rank1.loupe", "a.rank10.loupe", "a.rank2.loupe", "b.loupe",
                                 "a.rankx.loupe", "a.rank3.txt"}) {
            QFile file(folder.filePath(name));
            QVERIFY(file.open(QIODevice::WriteOnly));
        }
        for (const char* asked : {"a.loupe", "a.rank2.loupe"}) {
            std::vector<int> named;
            for (const RankFile& each : rank_files(folder.filePath(asked).toStdString())) named.push_back(each.named);
            QCOMPARE(named, (std::vector{0, 1, 2, 10}));
        }
        QCOMPARE(rank_files(folder.filePath("b.loupe").toStdString()).size(), std::size_t{1});
        QCOMPARE(rank_files("/no/such/folder/x.loupe").size(), std::size_t{1});
    }
    void namesSiblings() {
        QCOMPARE(rank_file("a/step.loupe", 0), std::filesystem::path("a/step.loupe"));
        QCOMPARE(rank_file("a/step.loupe", 2), std::filesystem::path("a/step.rank2.loupe"));
        QCOMPARE(rank_file("step.rank0.loupe", 12), std::filesystem::path("step.rank12.loupe"));
        QCOMPARE(rank_file("a.b/step", 1), std::filesystem::path("a.b/step.rank1"));
        for (const RankFile& each : rank_files(rank_file("/no/such/step.loupe", 3))) QCOMPARE(each.named, 3);
    }
    void derivesCollectivesFromEvents() {
        RankWriter w(0, 2);
        const ValueId bucket = w.value("", 1, 0, 1);
        const auto none = [](EventId) { return std::vector<ValueId>(); };
        w.event(RunPhase::Forward, "aten::mm", 1, {bucket}, none);
        w.event(RunPhase::Backward, "c10d::allreduce_", 33, {bucket}, none, {"reduce_op=<ScriptObject>"});
        w.event(RunPhase::Forward, "c10d::broadcast_", 29, {bucket}, none, {"root_rank=1"});
        w.event(RunPhase::Forward, "c10d::send", 40, {bucket}, none, {"dst=1", "tag=0"});
        w.event(RunPhase::Forward, "c10d::send", 41, {bucket}, none, {"dst=1", "tag=0"});
        const auto found = derive_collectives(*w.finish());
        QCOMPARE(found.size(), std::size_t{4});
        QCOMPARE(found[0].operation, std::string("all_reduce"));
        QCOMPARE(found[0].sequence, std::uint64_t{1});
        QCOMPARE(found[0].reduction, std::string());
        QCOMPARE(found[1].sequence, std::uint64_t{2});
        QCOMPARE(found[1].peer, 1);
        QCOMPARE(found[3].sequence, std::uint64_t{2});
        QCOMPARE(found[3].peer, 1);
        QCOMPARE(found[2].event, EventId{4});
    }
};

QTEST_APPLESS_MAIN(TestRanks)
#include "test_ranks.moc"
