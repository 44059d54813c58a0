// SPDX-License-Identifier: Apache-2.0
// A training that another program does: rows that the Python package wrote, rows of no good will, and a session that
// is attached to a program.
#include <QTemporaryDir>
#include <QtTest>
#include <nlohmann/json.hpp>
#include <random>

#include "core/base/error.h"
#include "core/record/compute_statistics.h"
#include "core/session/queries/gradients.h"
#include "core/session/queries/tensor.h"
#include "core/session/queries/watched_programs.h"
#include "core/session/session.h"
#include "core/session/training_follower.h"
#include "core/session/watched_programs.h"
#include "core/train/watched_training.h"
#include "tests/session/remote_session.h"
#include "tests/session/watched_program.h"

using namespace loupe;
using namespace loupe::session;
using namespace loupe::testing;

namespace {

const std::string kFixture = LOUPE_SOURCE_DIR "/tests/fixtures/watch/net.watch";
}  // namespace

class TestWatchedTraining : public QObject {
    Q_OBJECT

  private slots:
    void init() {
        folder_ = std::make_unique<QTemporaryDir>(QStringLiteral("/tmp/tlwXXXXXX"));
        qputenv("XDG_RUNTIME_DIR", folder_->path().toUtf8());
        qputenv("TMPDIR", folder_->path().toUtf8());
        QVERIFY(QDir(folder_->path()).mkdir(QStringLiteral("tensorloupe")));
        QVERIFY(QFile::setPermissions(folder_->filePath(QStringLiteral("tensorloupe")),
                                      QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
    }

    void reads_what_the_package_writes() {
        QVERIFY(is_watched_file(kFixture));
        const auto training = read_watched_file(kFixture);
        QCOMPARE(training->damaged(), 0);
        QVERIFY(training->has_ended());
        QCOMPARE(training->program().name, std::string("make_watched.py"));
        QVERIFY(training->program().optimizer.starts_with("SGD(lr=0.05"));
        const TrainingLog& log = *training->log();
        QCOMPARE(log.step_count(), std::size_t{30});
        const auto steps = log.steps();
        for (std::size_t i = 0; i < 30; ++i) {
            QCOMPARE(steps[i].step, static_cast<std::int64_t>(i + 1));
            QCOMPARE(steps[i].learning_rate, i < 10 ? 0.05 : i < 20 ? 0.025 : 0.0125);
            QCOMPARE(steps[i].is_recorded, i == 0 || i % 10 == 9);
            QCOMPARE(steps[i].gradient_norm < 0, !steps[i].is_recorded);
        }
        // The norm of all is that of the norms.
        const auto norms = log.norms_at(20);
        QCOMPARE(norms.size(), std::size_t{12});
        double sum = 0;
        for (const ParameterNorms& each : norms) sum += static_cast<double>(each.gradient) * each.gradient;
        QVERIFY(std::abs(std::sqrt(sum) - steps[19].gradient_norm) < 1e-4 * steps[19].gradient_norm);
        QCOMPARE(log.samples().size(), std::size_t{4});
        QCOMPARE(log.samples().back()->weights.size(), std::size_t{12});
        QCOMPARE(log.samples().back()->gradients.size(), std::size_t{12});
        QCOMPARE(training->model()->find_module("blocks.0.norm") > 0, true);
        const auto curves = log.reported();
        const auto has = [&](const char* tag) {
            return std::ranges::any_of(curves, [&](const ReportedCurve& curve) { return curve.tag == tag; });
        };
        QVERIFY(has("accuracy") && has("memory (MiB)/process") && has("step time (ms)"));
    }

    // What modules gave at the last step that was measured, with their elements.
    void elements_are_those_of_their_numbers() {
        const auto training = read_watched_file(kFixture);
        const auto recording = training->take_recording();
        QVERIFY(recording != nullptr && recording->model() != nullptr);
        QCOMPARE(recording->gradients().size(), std::size_t{12});
        int checked = 0;
        for (ValueId id = 1; id <= recording->recording()->value_count(); ++id) {
            const Value& value = recording->recording()->value(id);
            const Tensor elements = recording->elements(id);
            if (!elements.defined() || !value.statistics || !value.statistics->finite) continue;
            const Statistics own = compute_statistics(elements);
            QCOMPARE(own.count, value.statistics->count);
            QVERIFY(std::abs(own.finite->mean - value.statistics->finite->mean) < 1e-5);
            ++checked;
        }
        QCOMPARE(checked, 2);  // the convolution of the block and its norm
    }

    void a_line_that_is_cut_off_is_left_out() {
        const auto lines = fixture_lines();
        const QString path = folder_->filePath(QStringLiteral("cut.watch"));
        QFile file(path);
        QVERIFY(file.open(QFile::WriteOnly));
        for (std::size_t i = 0; i < 8; ++i) file.write((lines[i] + "\n").c_str());
        file.write(lines[8].substr(0, lines[8].size() / 2).c_str());
        file.close();
        const auto training = read_watched_file(path.toStdString());
        QCOMPARE(training->damaged(), 0);
        QVERIFY(!training->has_ended() && training->log()->step_count() > 0);
    }

    void later_programs_may_say_more() {
        WatchedTraining training(R"({"kind":"hello","format":1,"program":"t","mood":"good","nested":{"a":[1]}})");
        training.add(R"({"kind":"weather","sun":true})");
        training.add(R"({"kind":"steps","step":[1,2],"loss":[3.0,"inf"],"humidity":[1,2]})");
        QCOMPARE(training.damaged(), 0);
        QCOMPARE(training.log()->step_count(), std::size_t{2});
        QVERIFY(std::isinf(training.log()->steps()[1].loss));
        QVERIFY_THROWS_EXCEPTION(Error, WatchedTraining(R"({"kind":"hello","format":2})"));
    }

    void rows_of_no_good_will_data() {
        QTest::addColumn<QByteArray>("row");
        QTest::newRow("no JSON") << QByteArray("{");
        QTest::newRow("a list") << QByteArray("[1,2]");
        QTest::newRow("deep") << QByteArray(100'000, '[');
        QTest::newRow("step 0") << QByteArray(R"({"kind":"steps","step":[0],"loss":[1]})");
        QTest::newRow("a step of text") << QByteArray(R"({"kind":"steps","step":["1"],"loss":[1]})");
        QTest::newRow("a huge step") << QByteArray(R"({"kind":"steps","step":[18446744073709551615],"loss":[1]})");
        QTest::newRow("a loss of a list") << QByteArray(R"({"kind":"steps","step":[1],"loss":[[1]]})");
        QTest::newRow("no steps") << QByteArray(R"({"kind":"steps"})");
        QTest::newRow("norms of text") << QByteArray(
            R"({"kind":"sample","step":1,"gradient":{"a":1},"gradient_norm":{}})");
        QTest::newRow("statistics") << QByteArray(R"({"kind":"tensors","step":1,"weights":[["a",[1,2]]]})");
        QTest::newRow("units") << QByteArray(R"({"kind":"tensors","step":1,"units":[["a",5]]})");
        QTest::newRow("values") << QByteArray(R"({"kind":"values","step":1,"rows":{"events":[[]]}})");
        QTest::newRow("base64") << QByteArray(R"({"kind":"values","step":1,"rows":{},"elements":{"1":"\u00e4"}})");
        QTest::newRow("points") << QByteArray(R"({"kind":"curves","points":[[1,2,3]]})");
        QTest::newRow("memory") << QByteArray(R"({"kind":"memory","step":1,"bytes":{"a":[]}})");
        QTest::newRow("a model") << QByteArray(R"({"kind":"model","parameters":[],"model":{"modules":[]}})");
    }
    void rows_of_no_good_will() {
        QFETCH(QByteArray, row);
        WatchedTraining training(kHello);
        training.add(row.toStdString());
        QCOMPARE(training.damaged(), 1);
        training.add(R"({"kind":"steps","step":[5],"loss":[1]})");
        QCOMPARE(training.log()->step_count(), std::size_t{1});
        QVERIFY_THROWS_EXCEPTION(Error, {
            for (int i = 0; i < 200; ++i) training.add(row.toStdString());
        });
    }

    // Steps that come again, as of a rank that joins anew, are those that are there.
    void steps_come_once() {
        WatchedTraining training(kHello);
        training.add(steps_row(1, 10));
        training.add(steps_row(5, 10));
        QCOMPARE(training.log()->step_count(), std::size_t{14});
    }

    void elements_of_another_size_are_refused() {
        for (std::string line : fixture_lines()) {
            auto row = nlohmann::json::parse(line);
            if (row["kind"] != "values") continue;
            row["elements"]["1"] = "AAAA";
            WatchedTraining training(kHello);
            training.add(fixture_lines()[1]);
            training.add(row.dump());
            const auto recording = training.take_recording();
            QVERIFY(recording != nullptr);
            QVERIFY_THROWS_EXCEPTION(Error, recording->elements(1));
            return;
        }
    }

    // Damaged at random: whatever comes of it, it is counted, or said in one line.
    void damaged_rows() {
        const auto lines = fixture_lines();
        std::mt19937 random(1);
        const auto below = [&](std::size_t count) {
            return std::uniform_int_distribution<std::size_t>(0, count - 1)(random);
        };
        for (int round = 0; round < 300; ++round) {
            try {
                WatchedTraining training(lines.front());
                for (std::size_t i = 1; i < lines.size(); ++i) {
                    std::string line = lines[i];
                    for (std::size_t changes = below(3); changes > 0; --changes) {
                        const std::size_t at = below(line.size());
                        switch (below(4)) {
                            case 0:
                                line[at] = static_cast<char>(below(256));
                                break;
                            case 1:
                                line[at] = "0123456789-e.,[]{}\"n"[below(20)];
                                break;
                            case 2:
                                line.resize(at + 1);
                                break;
                            default:
                                line.insert(at, lines[below(lines.size())].substr(0, 20));
                        }
                    }
                    training.add(line);
                }
                if (const auto recording = training.take_recording()) {
                    for (ValueId id = 1; id <= recording->recording()->value_count(); ++id) {
                        try {
                            recording->elements(id);
                        } catch (const Error& error) {
                            QVERIFY(error.message().find('\n') == std::string::npos);
                        }
                    }
                }
            } catch (const Error& error) {
                QVERIFY2(error.message().find('\n') == std::string::npos, error.what());
            }
        }
    }

    void a_file_is_shown() {
        Heard heard;
        Session session(&heard);
        session.open(kFixture);
        session.wait_idle();
        QCOMPARE(session.status().state, RunState::Finished);
        QVERIFY(session.model() != nullptr && !session.model()->cannot_run.empty());
        QVERIFY(session.training() != nullptr);
        QCOMPARE(session.training()->step_count(), std::size_t{30});
        QVERIFY(session.recording()->value_count() == 2);
        TensorRequest request;
        request.value = 1;
        const auto tensor = answer_of(session, TensorQuery{request});
        QVERIFY2(tensor.error.empty(), tensor.error.c_str());
        QCOMPARE(answer_of(session, GradientsQuery{}).size(), std::size_t{12});
        // It runs elsewhere.
        session.run({});
        session.wait_idle();
        QCOMPARE(session.status().state, RunState::Failed);
        QVERIFY2(session.status().error.find("make_watched.py") != std::string::npos, session.status().error.c_str());
    }

    void a_program_is_attached_to_data() {
        QTest::addColumn<bool>("has_process");
        QTest::newRow("in this process") << false;
        QTest::newRow("in one of its own") << true;
    }
    void a_program_is_attached_to() {
        QFETCH(bool, has_process);
        std::optional<RemoteSessions> remote;
        if (has_process) remote.emplace();
        const std::string path = folder_->filePath(QStringLiteral("tensorloupe/7.sock")).toStdString();
        WatchedSocket program(path);
        Heard heard;
        Session session(&heard);
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
        // Curves grow, and what modules gave is the next recording.
        program.say(steps_row(11, 10));
        QTRY_COMPARE(session.training()->step_count(), std::size_t{20});
        for (const std::string& line : fixture_lines()) {
            if (line.starts_with(R"({"kind":"values")")) program.say(line);
        }
        program.say(steps_row(21, 1));
        QTRY_VERIFY(session.recording() != nullptr && session.recording()->value_count() == 2);
        TensorRequest request;
        request.value = 1;
        QVERIFY(answer_of(session, TensorQuery{request}).error.empty());

        session.pause();
        QCOMPARE(program.order(), std::string(R"({"do":"pause"})"));
        program.say(R"({"kind":"parked","step":21})");
        QTRY_COMPARE(session.status().state, RunState::Paused);
        QVERIFY(session.status().is_training);
        session.measure_every(5);
        QCOMPARE(program.order(), std::string(R"({"do":"every","every":5})"));
        session.record_step_of_program();
        QCOMPARE(program.order(), std::string(R"({"do":"record"})"));
        session.resume();
        QCOMPARE(program.order(), std::string(R"({"do":"continue"})"));
        program.say(R"({"kind":"running","step":21})");
        QTRY_COMPARE(session.status().state, RunState::Running);
        program.say(R"({"kind":"every","every":5})");
        program.say(R"({"kind":"recorded","step":22,"path":"run.step22.loupe"})");
        QTRY_COMPARE(session.training()->origin().program.recorded_in, std::string("run.step22.loupe"));
        QCOMPARE(session.training()->origin().program.every, std::int64_t{5});

        session.stop();
        QTRY_COMPARE(session.status().state, RunState::Finished);
        QVERIFY(program.is_left());
        QVERIFY(!session.training()->origin().program.is_live);
    }

    // A program that ends while it is parked leaves no session that waits for it.
    void a_program_that_ends() {
        const std::string path = folder_->filePath(QStringLiteral("tensorloupe/7.sock")).toStdString();
        WatchedSocket program(path);
        Session session;
        session.open(path);
        program.accept();
        program.say(kHello);
        program.say(fixture_lines()[1]);
        program.say(steps_row(1, 3));
        QTRY_VERIFY(session.training() != nullptr && session.training()->step_count() == 3);
        session.pause();
        program.order();
        program.say(R"({"kind":"parked","step":3})");
        QTRY_COMPARE(session.status().state, RunState::Paused);
        program.end();
        QTRY_COMPARE(session.status().state, RunState::Finished);
        QVERIFY(session.status().verdict != nullptr);
        QVERIFY(session.status().verdict->text.find("ended without a word behind step 3") != std::string::npos);
    }

    void programs_are_listed() {
        const std::string path = folder_->filePath(QStringLiteral("tensorloupe/7.sock")).toStdString();
        WatchedSocket program(path);
        std::thread answers([&] {
            program.accept();
            program.say(kHello.substr(0, kHello.size() - 1) + R"x(,"optimizer":"SGD(lr=0.1)"})x");
            program.is_left();
        });
        const auto found = list_watched_programs();
        answers.join();
        QCOMPARE(found.size(), std::size_t{1});
        QCOMPARE(found[0].name, std::string("7"));
        QCOMPARE(found[0].program.name, std::string("train.py"));
        QCOMPARE(found[0].program.optimizer, std::string("SGD(lr=0.1)"));
        QCOMPARE(found[0].socket, path);
        // Others may not put one there.
        QVERIFY(QFile::setPermissions(folder_->filePath(QStringLiteral("tensorloupe")),
                                      QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner | QFile::ReadOther));
        QVERIFY(list_watched_programs().empty());
        QVERIFY_THROWS_EXCEPTION(Error, find_watched_program("7"));
    }

  private:
    std::unique_ptr<QTemporaryDir> folder_;
};

QTEST_GUILESS_MAIN(TestWatchedTraining)
#include "test_watched_training.moc"
