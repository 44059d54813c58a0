// SPDX-License-Identifier: Apache-2.0
// Programs that are watched on the machine of an engine far away: listed, attached to, and followed when the connection
// drops.
#include <atomic>
#include <optional>

#include "core/session/queries/gradients.h"
#include "core/session/queries/tensor.h"
#include "core/session/queries/watched_programs.h"
#include "tests/session/far_sessions.h"
#include "tests/session/watched_program.h"

using namespace loupe;
using namespace loupe::session;
using namespace loupe::testing;

class TestFarWatched : public QObject {
    Q_OBJECT

  private slots:
    void init() {
        folder_ = std::make_unique<QTemporaryDir>();
        QVERIFY(QDir(folder_->path()).mkdir(QStringLiteral("tensorloupe")));
        QVERIFY(QFile::setPermissions(folder_->filePath(QStringLiteral("tensorloupe")),
                                      QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
        qputenv("XDG_RUNTIME_DIR", folder_->path().toUtf8());
    }
    void cleanup() { qunsetenv("XDG_RUNTIME_DIR"); }

    void programs_are_listed() {
        const std::string path = socket("7");
        WatchedSocket program(path);
        // One of a program that was killed, and one of none.
        { const WatchedSocket killed(socket("8")); }
        std::ofstream(socket("9")) << "no socket";
        FarSessions far({LOUPE_BINARY_DIR "/tests/loupe_slow_link", "10", "1000000"});
        const auto place = far.place();
        Session session;
        std::thread answers([&] {
            program.accept();
            program.say(kHello.substr(0, kHello.size() - 1) + R"x(,"optimizer":"SGD(lr=0.1)"})x");
            program.is_left();
        });
        const auto found = answer_of(session, WatchedProgramsQuery{});
        answers.join();
        QCOMPARE(found.size(), std::size_t{1});
        QCOMPARE(found[0].name, std::string("7"));
        QCOMPARE(found[0].program.name, std::string("train.py"));
        QCOMPARE(found[0].program.optimizer, std::string("SGD(lr=0.1)"));
        QCOMPARE(found[0].socket, path);
        QCOMPARE(watched_programs_named(found, "train.py").size(), std::size_t{1});
        QVERIFY(watched_programs_named(found, "other.py").empty());
    }

    // What a list waits for keeps no run waiting.
    void a_list_waits_for_no_run() {
        FarSessions far;
        const auto place = far.place();
        Session session;
        session.open(LOUPE_SOURCE_DIR "/resources/models/digits.pt");
        TrainOptions options;
        options.epochs = 1'000'000;
        session.train(options);
        QVERIFY(waits_for([&] { return session.training() && session.training()->step_count() > 3; }));
        QVERIFY(answer_of(session, WatchedProgramsQuery{}).empty());
        QCOMPARE(session.status().state, RunState::Running);
        session.stop();
        session.wait_idle();
    }

    void a_program_is_attached_to() {
        const std::string path = socket("7");
        WatchedSocket program(path);
        FarSessions far({LOUPE_BINARY_DIR "/tests/loupe_slow_link", "10", "1000000"});
        const auto place = far.place();
        Session session;
        session.open(path);
        program.accept();
        program.say(kHello);
        program.say(fixture_lines()[1]);
        program.say(steps_row(1, 10));
        QTRY_VERIFY(session.training() != nullptr && session.training()->step_count() == 10);
        QCOMPARE(session.status().state, RunState::Running);
        QVERIFY(session.status().is_training);
        QVERIFY(session.training()->origin().program.is_live);
        QCOMPARE(session.training()->origin().program.name, std::string("train.py"));
        for (const std::string& line : fixture_lines()) {
            if (line.starts_with(R"({"kind":"values")")) program.say(line);
        }
        program.say(steps_row(11, 1));
        QTRY_VERIFY(session.recording() != nullptr && session.recording()->value_count() == 2);
        TensorRequest request;
        request.value = 1;
        QVERIFY(answer_of(session, TensorQuery{request}).error.empty());

        session.pause();
        QCOMPARE(program.order(), std::string(R"({"do":"pause"})"));
        program.say(R"({"kind":"parked","step":11})");
        QTRY_COMPARE(session.status().state, RunState::Paused);
        session.record_step_of_program();
        QCOMPARE(program.order(), std::string(R"({"do":"record"})"));
        session.resume();
        QCOMPARE(program.order(), std::string(R"({"do":"continue"})"));
        program.say(R"({"kind":"running","step":11})");
        QTRY_COMPARE(session.status().state, RunState::Running);

        // It is followed while nothing is connected.
        far.script("exit 255");
        far.drop();
        QTRY_COMPARE(place->state().kind, FarState::Kind::Lost);
        program.say(steps_row(12, 10));
        far.script(far.engine_lines());
        place->reconnect_now();
        QTRY_COMPARE(session.training()->step_count(), std::size_t{21});
        session.stop();
        QTRY_COMPARE(session.status().state, RunState::Finished);
        QVERIFY(program.is_left());
    }

    void a_program_that_has_gone_is_said() {
        const std::string path = socket("8");
        { const WatchedSocket killed(path); }
        FarSessions far;
        const auto place = far.place();
        Session session;
        session.open(path);
        QTRY_COMPARE(session.status().state, RunState::Failed);
        QVERIFY2(session.status().error.find("no program listens there (Connection refused)") != std::string::npos,
                 session.status().error.c_str());
        QVERIFY(session.status().error.find('\n') == std::string::npos);
        // It takes the next.
        session.open(LOUPE_SOURCE_DIR "/resources/models/digits.pt");
        session.wait_idle();
        QCOMPARE(session.status().state, RunState::Ready);
    }

  private:
    std::string socket(const char* name) const {
        return folder_->filePath(QStringLiteral("tensorloupe/%1.sock").arg(QLatin1String(name))).toStdString();
    }

    std::unique_ptr<QTemporaryDir> folder_;
};

QTEST_GUILESS_MAIN(TestFarWatched)
#include "test_far_watched.moc"
