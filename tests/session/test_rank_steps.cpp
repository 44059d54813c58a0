// SPDX-License-Identifier: Apache-2.0
// Ranks under MPI that are stepped together, stop each on its own, wait for each other, and die.

#include <signal.h>

#include <QtTest>
#include <chrono>
#include <future>

#include "core/session/queries/gradients.h"
#include "core/session/queries/tensor.h"
#include "core/session/rank_run.h"
#include "core/session/remote/rank_guard.h"
#include "tests/session/rank_program.h"
#include "tests/session/remote_session.h"

using namespace loupe;
using namespace loupe::session;

namespace {

const std::string kPrograms = LOUPE_SOURCE_DIR "/tests/fixtures/ranks/";

int line_of(const char* program, const char* text) {
    QFile file(QString::fromStdString(kPrograms + program));
    if (!file.open(QIODevice::ReadOnly)) return 0;
    const QStringList lines = QString::fromUtf8(file.readAll()).split('\n');
    for (int i = 0; i < lines.size(); ++i) {
        if (lines[i].contains(QLatin1String(text))) return i + 1;
    }
    return 0;
}

Breakpoint at_line(const char* program, const char* text) {
    Breakpoint breakpoint;
    breakpoint.kind = Breakpoint::Kind::Line;
    breakpoint.text = kPrograms + program;
    breakpoint.line = line_of(program, text);
    return breakpoint;
}

// Of the last output: all elements are this number of ranks.
double last_mean(Session& session) {
    const auto recording = session.recording();
    const Event& last = recording->event(static_cast<EventId>(recording->event_count()));
    const auto& statistics = recording->value(last.outputs.at(0)).statistics;
    return statistics && statistics->finite ? statistics->finite->mean : -1;
}

// Of the gradient that a parameter has; NaN: it has none.
double gradient_mean(Session& session, const std::string& parameter) {
    for (const GradientRow& row : answer_of(session, GradientsQuery{})) {
        if (row.parameter == parameter && row.finite) return row.finite->mean_abs;
    }
    return std::nan("");
}

#define VERIFY_ALL(condition) QVERIFY2(condition, program.where().c_str())

}  // namespace

class TestRankSteps : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase() { qputenv("LOUPE_RANK_PATIENCE", "3"); }

    void aDeathIsALineThatIsRead() {
        RankDeath death;
        death.rank = 3;
        death.signal = SIGKILL;
        death.last_collective = "all_reduce SUM float32 [3] (number 1, a.py:5)";
        death.place = {17, true, "aten::mm", {}, "/a (b)/train.py", 9, 0};
        const std::string line = line_of(death);
        QCOMPARE(line, std::string("rank 3 was ended by signal 9 (Killed) in aten::mm at event 17 (/a (b)/train.py:9); "
                                   "its last collective: all_reduce SUM float32 [3] (number 1, a.py:5)"));
        const auto read = read_rank_death(line);
        QVERIFY(read);
        QCOMPARE(line_of(*read), line);
        QCOMPARE(read->place.file, death.place.file);
        const auto plain = read_rank_death("rank 1 ended with status 3 behind aten::mm at event 4");
        QVERIFY(plain && plain->exit_status == 3 && plain->place.event == 4 && !plain->place.is_under_way);
        RankDeath behind;
        behind.rank = 2;
        behind.exit_status = 3;
        behind.gone = 1;
        behind.last_collective = "barrier";
        QCOMPARE(line_of(behind),
                 std::string("rank 2 ended with status 3 behind the end of rank 1; its last collective: barrier"));
        QCOMPARE(read_rank_death(line_of(behind))->gone, 1);
        behind.place = {17, true, "aten::mm", {}, "/a/train.py", 9, 0};
        QCOMPARE(read_rank_death(line_of(behind))->place.event, EventId{17});
        QCOMPARE(read_rank_death(line_of(behind))->gone, 1);
        QVERIFY(!read_rank_death("rank 1 waits"));
        QVERIFY(!read_rank_death("frank 1 ended with status 3"));
    }

    // Also behind the trace of a new input, and behind a run that has left out its backward.
    void reducedGradientsComeInEveryRun_data() {
        QTest::addColumn<int>("ranks");
        QTest::addRow("1") << 1;
        QTest::addRow("2") << 2;
    }
    void reducedGradientsComeInEveryRun() {
        QFETCH(const int, ranks);
        std::unique_ptr<RankProgram> program;
        std::unique_ptr<Session> alone;
        std::vector<Session*> all;
        if (ranks == 1) {
            alone = std::make_unique<Session>();
            alone->open(kPrograms + "ddp.py");
            alone->wait_idle();
            all.push_back(alone.get());
        } else {
            if (!has_mpi()) QSKIP("mpirun or the plugin mpi is not there");
            program = std::make_unique<RankProgram>(2, kPrograms + "ddp.py");
            all = {&program->at(0), &program->at(1)};
        }
        for (const bool backward : {true, false, true, true}) {
            RunOptions options;
            options.backward = backward;
            for (Session* each : all) each->run(options);
            for (Session* each : all) {
                each->wait_idle();
                QVERIFY2(each->status().state == RunState::Finished, each->status().error.c_str());
                if (backward) QCOMPARE(gradient_mean(*each, "module.weight"), ranks == 1 ? 3.0 : 4.5);
            }
        }
    }

    // A run that needs no other rank may be over, and the next begun, before the others have heard of it.
    void runsThatMeetNobodyArePassedOver_data() {
        QTest::addColumn<int>("ranks");
        QTest::addRow("2") << 2;
        QTest::addRow("4") << 4;
    }
    void runsThatMeetNobodyArePassedOver() {
        NEEDS_MPI();
        QFETCH(const int, ranks);
        RankProgram program(static_cast<std::size_t>(ranks), kPrograms + "ddp.py");
        for (int round = 0; round < 20; ++round) {
            for (const bool backward : {false, false, true}) {
                RunOptions options;
                options.backward = backward;
                for (std::size_t i = 0; i < program.size(); ++i) program.at(i).run(options);
                VERIFY_ALL(program.until([&] { return program.all_are(RunState::Finished); }));
                for (std::size_t i = 0; i < program.size(); ++i) program.at(i).wait_idle();
            }
            QCOMPARE(gradient_mean(program.at(0), "module.weight"), ranks == 2 ? 4.5 : 7.5);
        }
    }

    void equalRanksParkTogether_data() {
        QTest::addColumn<int>("ranks");
        QTest::addRow("2") << 2;
        QTest::addRow("4") << 4;
    }
    void equalRanksParkTogether() {
        NEEDS_MPI();
        QFETCH(int, ranks);
        RankProgram program(static_cast<std::size_t>(ranks), kPrograms + "equal.py");
        VERIFY_ALL(program.begins());
        int steps = 0;
        for (const StepKind kind : {StepKind::Over, StepKind::Into, StepKind::Over, StepKind::Into}) {
            for (std::size_t i = 1; i < program.size(); ++i) QCOMPARE(program.place(i), program.place(0));
            program.steps().step(0, kind);
            VERIFY_ALL(program.settles());
            VERIFY_ALL(program.all_are(RunState::Paused));
            ++steps;
        }
        while (program.all_are(RunState::Paused) && steps < 60) {
            for (std::size_t i = 1; i < program.size(); ++i) QCOMPARE(program.place(i), program.place(0));
            program.steps().step(0, StepKind::Over);
            VERIFY_ALL(program.settles());
            ++steps;
        }
        VERIFY_ALL(program.until([&] { return program.all_are(RunState::Finished); }));
        QVERIFY(steps > 6);
        for (std::size_t i = 0; i < program.size(); ++i) QCOMPARE(last_mean(program.at(i)), static_cast<double>(ranks));
    }

    // The others run to where the rank that is shown has come; what one does more is passed on the way.
    void aRankThatDoesMoreIsTakenAlong() {
        NEEDS_MPI();
        RankProgram program(2, kPrograms + "unequal.py");
        VERIFY_ALL(program.begins(1));
        for (int steps = 0; steps < 40 && program.all_are(RunState::Paused); ++steps) {
            QCOMPARE(program.place(0), program.place(1));
            program.steps().step(1, StepKind::Over);
            VERIFY_ALL(program.settles());
        }
        VERIFY_ALL(program.until([&] { return program.all_are(RunState::Finished); }));
        QCOMPARE(program.at(0).recording()->event_count(), program.at(1).recording()->event_count() + 2);
    }

    // Where the one that is shown does more, the others stay at the next place that all have, and say so.
    void othersWaitWhileTheLeaderDoesMore() {
        NEEDS_MPI();
        RankProgram program(4, kPrograms + "unequal.py");
        VERIFY_ALL(program.begins());
        int apart = 0, together = 0;
        for (int steps = 0; steps < 40 && program.status(0).state == RunState::Paused; ++steps) {
            const bool is_one = program.place(1) == program.place(0);
            (is_one ? together : apart) += 1;
            for (std::size_t i = 1; i < program.size(); ++i) {
                VERIFY_ALL(program.status(i).state == RunState::Paused);
                QCOMPARE(program.place(i), program.place(1));
                QVERIFY(is_one || program.steps().standing_text(i).find("ahead of rank 0") == 0);
            }
            program.steps().step(0, StepKind::Over);
            VERIFY_ALL(program.settles());
        }
        QVERIFY2(apart == 2, std::to_string(apart).c_str());
        QVERIFY(together > 3);
        VERIFY_ALL(program.until([&] { return program.all_are(RunState::Finished); }));
        for (std::size_t i = 0; i < program.size(); ++i) QCOMPARE(last_mean(program.at(i)), 4.0);
    }

    // A breakpoint on one: the others come to its place, and all step on from there.
    void aBreakpointOnOneParksAll_data() {
        QTest::addColumn<int>("ranks");
        QTest::addRow("2") << 2;
        QTest::addRow("4") << 4;
    }
    void aBreakpointOnOneParksAll() {
        NEEDS_MPI();
        QFETCH(int, ranks);
        RankProgram program(static_cast<std::size_t>(ranks), kPrograms + "unequal.py");
        program.at(1).add_breakpoint(at_line("unequal.py", "return y.relu()"));
        program.go_on();
        VERIFY_ALL(program.until([&] { return program.status(1).state == RunState::Paused; }));
        VERIFY_ALL(program.settles());
        QVERIFY(program.status(1).stopped_at_breakpoint != 0);
        QCOMPARE(program.place(1).collectives, std::uint64_t{1});
        program.go_on();
        VERIFY_ALL(program.until([&] { return program.all_are(RunState::Finished); }));
        for (std::size_t i = 0; i < program.size(); ++i) QCOMPARE(last_mean(program.at(i)), static_cast<double>(ranks));
    }
    void breakpointsOnAllParkAll() {
        NEEDS_MPI();
        RankProgram program(2, kPrograms + "unequal.py");
        for (std::size_t i = 0; i < program.size(); ++i)
            program.at(i).add_breakpoint(at_line("unequal.py", "x = self.fc2(x)"));
        program.go_on();
        VERIFY_ALL(program.until([&] { return program.all_are(RunState::Paused) && program.steps().is_settled(); }));
        QCOMPARE(program.place(0), program.place(1));
        QCOMPARE(program.place(0).line, line_of("unequal.py", "x = self.fc2(x)"));
        program.go_on();
        VERIFY_ALL(program.until([&] { return program.all_are(RunState::Finished); }));
    }

    // One is parked, the other waits for it in a collective and says for whom; steps take both on.
    void oneIsParkedWhileOthersWait() {
        NEEDS_MPI();
        RankProgram program(2, kPrograms + "unequal.py");
        VERIFY_ALL(program.begins(1));
        program.steps().let_go();
        program.at(0).resume();  // an order to this rank alone
        VERIFY_ALL(program.until([&] { return waits_in_collective(program.status(0)); }));
        const std::string said = program.status(0).progress;
        QVERIFY2(said.find("waits in all_reduce SUM float32 [2, 4] (number 1, unequal.py:") == 0, said.c_str());
        VERIFY_ALL(program.until(
            [&] { return program.status(0).progress.find("rank 1 is parked before") != std::string::npos; }));
        // Longer than its patience: nothing fails.
        QTest::qSleep(4000);
        QVERIFY(waits_in_collective(program.status(0)));
        for (int steps = 0; steps < 30 && program.status(1).state == RunState::Paused; ++steps) {
            program.steps().step(1, StepKind::Over);
            VERIFY_ALL(program.settles());
        }
        VERIFY_ALL(program.until([&] { return program.status(1).state == RunState::Finished; }));
        VERIFY_ALL(program.until([&] {
            if (program.status(0).state == RunState::Paused) program.at(0).resume();
            return program.all_are(RunState::Finished);
        }));
        QCOMPARE(last_mean(program.at(0)), 2.0);
    }

    // Of a run that was stopped in the middle of a collective the next one has nothing.
    void stopAndRunAgain() {
        NEEDS_MPI();
        RankProgram program(2, kPrograms + "unequal.py");
        for (int round = 0; round < 3; ++round) {
            VERIFY_ALL(program.begins(1));
            program.steps().let_go();
            program.at(0).resume();
            VERIFY_ALL(program.until([&] { return waits_in_collective(program.status(0)); }));
            for (std::size_t i = 0; i < program.size(); ++i) program.at(i).stop();
            VERIFY_ALL(program.until([&] { return program.all_are(RunState::Ready); }));
        }
        program.go_on();
        VERIFY_ALL(program.until([&] { return program.all_are(RunState::Finished); }));
        for (std::size_t i = 0; i < program.size(); ++i) QCOMPARE(last_mean(program.at(i)), 2.0);
        // And the source anew, with its process group.
        for (std::size_t i = 0; i < program.size(); ++i) program.at(i).open(kPrograms + "equal.py");
        for (std::size_t i = 0; i < program.size(); ++i) program.at(i).wait_idle();
        program.work();
        program.go_on();
        VERIFY_ALL(program.until([&] { return program.all_are(RunState::Finished); }));
    }

    // A rank that is killed is named with what it did; the others stay, with their values. Rank 0 is one of them.
    void aRankThatDiesIsNamed_data() {
        QTest::addColumn<int>("ranks");
        QTest::addColumn<std::size_t>("dies");
        QTest::addColumn<int>("signal");
        QTest::addRow("killed, of 2") << 2 << std::size_t{1} << SIGKILL;
        QTest::addRow("crashed, of 4") << 4 << std::size_t{1} << SIGSEGV;
        QTest::addRow("rank 0 killed, of 2") << 2 << std::size_t{0} << SIGKILL;
        QTest::addRow("rank 0 crashed, of 4") << 4 << std::size_t{0} << SIGSEGV;
    }
    void aRankThatDiesIsNamed() {
        NEEDS_MPI();
        QFETCH(int, ranks);
        QFETCH(int, signal);
        QFETCH(std::size_t, dies);
        RankProgram program(static_cast<std::size_t>(ranks), kPrograms + "unequal.py");
        kill_while_others_wait(program, dies, signal);
        if (QTest::currentTestFailed()) return;
        for (std::size_t i = 0; i < program.size(); ++i) {
            if (i == dies) continue;
            VERIFY_ALL(program.until([&] { return program.status(i).state == RunState::Failed; }, 10000));
            const std::string why = "rank " + std::to_string(dies) + " has ended";
            QVERIFY2(program.status(i).error.find(why) != std::string::npos, program.status(i).error.c_str());
            QVERIFY(program.at(i).engine_end().kind == EngineEnd::Kind::None);
            VERIFY_ALL(has_elements(program.at(i), 1));
        }
        QVERIFY(program.at(dies).recording()->event_count() > 0);
        // And run again without it: they say so, and stay.
        const std::size_t left = dies == 0 ? 1 : 0;
        program.at(left).run({});
        VERIFY_ALL(program.until([&] { return program.status(left).state == RunState::Failed; }, 20000));
        VERIFY_ALL(has_elements(program.at(left), 1));
    }

    // Of machines with no socket in common, which is as if they were several: all goes over letters, through rank 0.
    void ranksElsewhereGoOverLetters() {
        NEEDS_MPI();
        const Elsewhere elsewhere;
        RankProgram program(3, kPrograms + "equal.py");
        VERIFY_ALL(program.begins());
        program.steps().step(0, StepKind::Over);
        VERIFY_ALL(program.settles());
        program.go_on();
        VERIFY_ALL(program.until([&] { return program.all_are(RunState::Finished); }));
        for (std::size_t i = 0; i < program.size(); ++i) {
            QCOMPARE(last_mean(program.at(i)), 3.0);
            VERIFY_ALL(has_elements(program.at(i), 1));
        }
    }
    // Their letters end with it; what was recorded stays.
    void ranksElsewhereEndWithRankZero() {
        NEEDS_MPI();
        const Elsewhere elsewhere;
        RankProgram program(2, kPrograms + "unequal.py");
        kill_while_others_wait(program, 0, SIGKILL);
        if (QTest::currentTestFailed()) return;
        VERIFY_ALL(program.until([&] { return program.at(1).engine_end().kind != EngineEnd::Kind::None; }, 20000));
        QVERIFY(program.at(1).recording()->event_count() > 0);
    }

  private:
    // As if no rank could reach rank 0's folder.
    struct Elsewhere {
        Elsewhere() { qputenv("TENSORLOUPE_RUNTIME", "/dev/null/none"); }
        ~Elsewhere() { qunsetenv("TENSORLOUPE_RUNTIME"); }
    };

    // One is parked behind its first operator, the others wait for it in a collective; then it ends.
    void kill_while_others_wait(RankProgram& program, std::size_t dies, int signal) {
        VERIFY_ALL(program.begins(dies));
        program.steps().step(dies, StepKind::Over);
        VERIFY_ALL(program.settles());
        program.steps().let_go();
        for (std::size_t i = 0; i < program.size(); ++i) {
            if (i != dies) program.at(i).resume();
        }
        for (std::size_t i = 0; i < program.size(); ++i)
            VERIFY_ALL(i == dies || program.until([&] { return waits_in_collective(program.status(i)); }));
        ::kill(static_cast<pid_t>(program.at(dies).recording()->rank()->pid), signal);
        VERIFY_ALL(program.until([&] { return program.at(dies).engine_end().kind != EngineEnd::Kind::None; }, 10000));
        const EngineEnd end = program.at(dies).engine_end();
        QCOMPARE(end.signal, signal);
        QVERIFY2(end.event > 0, end.text.c_str());
    }
    static bool has_elements(Session& session, ValueId value) {
        // Outlives this call where the answer comes late.
        const auto answered = std::make_shared<std::promise<TensorSlice>>();
        auto answer = answered->get_future();
        TensorQuery query;
        query.request.value = value;
        session.ask("slice", query, [answered](TensorSlice slice) { answered->set_value(std::move(slice)); });
        return answer.wait_for(std::chrono::seconds(10)) == std::future_status::ready && answer.get().error.empty();
    }
};

QTEST_GUILESS_MAIN(TestRankSteps)
#include "test_rank_steps.moc"
