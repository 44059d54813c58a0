// SPDX-License-Identifier: Apache-2.0
// Engines of several ranks behind one process: channels over one pipe, a session each, orders to all, and what stays
// when the process ends.

#include <unistd.h>

#include <QtTest>
#include <chrono>

#include "core/base/error.h"
#include "core/session/remote/byte_mux.h"
#include "core/session/remote/rank_process.h"
#include "core/session/session.h"
#include "tests/session/remote_session.h"

using namespace loupe;
using namespace loupe::session;

namespace {

const std::string kModels = LOUPE_SOURCE_DIR "/resources/models/";
const std::string kEngine = LOUPE_BINARY_DIR "/bin/tensorloupe-engine";

struct Pair {
    std::unique_ptr<ByteMux> near;
    std::unique_ptr<ByteMux> far;
};
Pair connected(std::size_t channels, std::size_t far_channels) {
    int to[2], from[2];
    if (::pipe(to) != 0 || ::pipe(from) != 0) throw Error(ErrorKind::Internal, "no pipe");
    return {std::make_unique<ByteMux>(FileHandle(from[0]), FileHandle(to[1]), channels),
            std::make_unique<ByteMux>(FileHandle(to[0]), FileHandle(from[1]), far_channels)};
}

std::vector<std::string> engines(std::size_t ranks) { return {kEngine, "--stdio", "--ranks", std::to_string(ranks)}; }

std::string error_of(const std::vector<std::string>& command, std::size_t ranks) {
    try {
        RankProcess process(command, ranks);
    } catch (const Error& error) {
        return error.message();
    }
    return {};
}

}  // namespace

class TestRankProcess : public QObject {
    Q_OBJECT

  private slots:
    void channelsAreApart() {
        Pair pair = connected(3, 3);
        std::vector<std::unique_ptr<Channel>> here, there;
        for (std::size_t i = 0; i < 3; ++i) {
            here.push_back(pair.near->take(i));
            there.push_back(pair.far->take(i));
        }
        const std::string large(300000, 'x');
        std::thread writer([&] {
            for (std::size_t i = 0; i < 3; ++i) {
                here[i]->write_greeting("rank " + std::to_string(i));
                here[i]->write(MessageKind::Order, large + std::to_string(i));
            }
            here[1]->close_out();
        });
        for (const std::size_t i : {0, 1, 2}) {
            QCOMPARE(there[i]->read_greeting(), "rank " + std::to_string(i));
            const auto message = there[i]->read();
            QVERIFY(message && message->bytes == large + std::to_string(i));
        }
        QVERIFY(!there[1]->read());  // its end alone
        writer.join();
        there[2]->write(MessageKind::Status, "back");
        QCOMPARE(here[2]->read()->bytes, std::string("back"));
        // One that is taken already, and one that there is none of, have ended.
        QVERIFY(!pair.near->take(0)->read());
        QVERIFY(!pair.near->take(7)->read());
        here.clear();
        there.clear();
        std::thread ending([&pair] { pair.far.reset(); });
        pair.near.reset();
        ending.join();
    }
    void aRankThatIsNoneEndsAll() {
        Pair pair = connected(4, 2);
        auto wrong = pair.near->take(3);
        wrong->write(MessageKind::Order, "lies");
        auto first = pair.far->take(0);
        QVERIFY(!first->read());
        QTRY_COMPARE(pair.far->failure(), std::string("bytes of rank 3 of 2"));
        wrong.reset();
        first.reset();
        pair.near->stop();
        pair.far->stop();
    }

    void eachRankIsAWholeEngine() {
        RankProcess process(engines(3), 3);
        QCOMPARE(process.size(), std::size_t{3});
        std::vector<std::unique_ptr<Session>> sessions;
        for (std::size_t rank = 0; rank < 3; ++rank)
            sessions.push_back(std::make_unique<Session>(process, rank, nullptr));
        for (const auto& each : sessions) each->open(kModels + "digits.pt");
        RunOptions options;
        options.pause_at_start = true;
        for (const auto& each : sessions) each->wait_idle();
        for (const auto& each : sessions) each->run(options);
        // All park at the same place, step together, and go on.
        for (const auto& each : sessions) {
            each->wait_idle();
            QVERIFY(each->status().state == RunState::Paused);
            QCOMPARE(each->status().next_op, sessions.front()->status().next_op);
        }
        for (const auto& each : sessions) each->step(StepKind::Over);
        for (const auto& each : sessions) {
            each->wait_idle();
            QVERIFY(each->status().reached > 0);
            QCOMPARE(each->status().reached, sessions.front()->status().reached);
        }
        sessions[1]->resume();
        sessions[1]->wait_idle();
        QVERIFY(sessions[1]->status().state == RunState::Finished);
        QVERIFY(sessions[0]->status().state == RunState::Paused);
        QVERIFY(sessions[1]->recording()->event_count() > 1);
    }
    // What was recorded of all stays when the process is gone.
    void endsTogether() {
        auto process = std::make_unique<RankProcess>(engines(2), 2);
        Heard heard[2];
        std::vector<std::unique_ptr<Session>> sessions;
        for (std::size_t rank = 0; rank < 2; ++rank)
            sessions.push_back(std::make_unique<Session>(*process, rank, &heard[rank]));
        for (const auto& each : sessions) {
            each->open(kModels + "digits.pt");
            each->run({});
            each->wait_idle();
        }
        process->kill();
        for (std::size_t rank = 0; rank < 2; ++rank) {
            QTRY_VERIFY(sessions[rank]->engine_end().kind != EngineEnd::Kind::None);
            QVERIFY(sessions[rank]->recording()->event_count() > 0);
        }
        sessions.clear();
    }

    void saysWhatTheLauncherDid() {
        QVERIFY(error_of({"no-such-launcher"}, 2).find("there is no no-such-launcher in PATH") != std::string::npos);
        QVERIFY(error_of({"echo", "hello"}, 2).find("starts no engines of ranks: it said 'hello'") !=
                std::string::npos);
        QVERIFY(error_of({"true"}, 2).find("ended before its engines had begun") != std::string::npos);
        QVERIFY(error_of(engines(3), 2).find("started 3 ranks instead of 2") != std::string::npos);
    }
    void fillsInTheCommand() {
        QCOMPARE(launch_command("srun -n {ranks}  {engine} --stdio", 8, "/opt/engine"),
                 (std::vector<std::string>{"srun", "-n", "8", "/opt/engine", "--stdio"}));
        QVERIFY_EXCEPTION_THROWN(launch_command("mpirun -n 4 {engine}", 8, "/opt/engine"), Error);
        QVERIFY_EXCEPTION_THROWN(launch_command("mpirun -n {ranks}", 8, "/opt/engine"), Error);
    }
};

QTEST_GUILESS_MAIN(TestRankProcess)
#include "test_rank_process.moc"
