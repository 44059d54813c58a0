// SPDX-License-Identifier: Apache-2.0
// Engines of several ranks behind one process: channels over one pipe, a session each, orders to all, and what stays
// when the process ends.

#include <unistd.h>

#include <QFile>
#include <QTemporaryDir>
#include <QtTest>
#include <atomic>
#include <chrono>
#include <thread>

#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/distributed/world.h"
#include "core/session/remote/byte_mux.h"
#include "core/session/remote/greeting.h"
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

// Of channel 0.
std::string piece(const std::string& bytes) {
    std::string head(8, '\0');
    for (std::size_t i = 0; i < 4; ++i) head[4 + i] = static_cast<char>(bytes.size() >> (8 * i));
    return head + bytes;
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

    // A channel that is not read takes what there is room for, and the others go on.
    void aChannelThatIsNotReadStopsNoOther() {
        Pair pair = connected(2, 2);
        auto slow = pair.near->take(0), slow_end = pair.far->take(0);
        auto quick = pair.near->take(1), quick_end = pair.far->take(1);
        const std::string large(16 * ByteMux::kWindow, 'x');
        std::atomic<bool> is_written{false};
        std::thread writer([&] {
            slow->write(MessageKind::Answer, large);
            is_written = true;
        });
        for (int i = 0; i < 200; ++i) {
            const std::string event(30000, static_cast<char>('a' + i % 26));
            QVERIFY(quick->write(MessageKind::Growth, event));
            const auto read = quick_end->read();
            QVERIFY(read && read->bytes == event);
        }
        QVERIFY(!is_written);  // it is longer than all that may be on its way
        const auto message = slow_end->read();
        QVERIFY(message && message->bytes == large);
        writer.join();
        slow.reset();
        slow_end.reset();
        quick.reset();
        quick_end.reset();
        std::thread ending([&pair] { pair.far.reset(); });
        pair.near.reset();
        ending.join();
    }
    void moreThanThereIsRoomForEndsAll() {
        int to[2], from[2];
        QVERIFY(::pipe(to) == 0 && ::pipe(from) == 0);
        ByteMux mux{FileHandle(to[0]), FileHandle(from[1]), std::size_t{2}};
        FileHandle ours(to[1]);
        const FileHandle theirs(from[0]);
        std::string piece(8 + ByteMux::kMostBytes, '\0');
        piece[6] = 1;  // 65536 bytes of channel 0
        std::thread writer([&] {
            for (std::size_t sent = 0; sent < 3 * ByteMux::kWindow; sent += ByteMux::kMostBytes) {
                if (::write(ours.get(), piece.data(), piece.size()) < 0) break;
            }
            ours.reset();
        });
        QTRY_COMPARE(mux.failure(), std::string("more bytes of rank 0 than there is room for"));
        mux.stop();
        std::string left(1 << 16, '\0');
        while (::read(to[0], left.data(), left.size()) > 0) continue;
        writer.join();
    }
    // Room that was not asked for is no room.
    void aGrantOfNothingEndsAll() {
        int to[2], from[2];
        QVERIFY(::pipe(to) == 0 && ::pipe(from) == 0);
        ByteMux mux{FileHandle(to[0]), FileHandle(from[1]), std::size_t{1}};
        const FileHandle ours(to[1]), theirs(from[0]);
        const char grant[8] = {0, 0, 0, char(0x80), 1, 0, 0, 0};
        QCOMPARE(::write(ours.get(), grant, 8), ssize_t{8});
        QTRY_COMPARE(mux.failure(), std::string("rank 0 has taken more than it was sent"));
        mux.stop();
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

    // What it said is cut off where it died: how it ended counts.
    void aRankThatDiesInTheMiddleOfAMessage() {
        const QTemporaryDir folder;
        QFile said(folder.filePath("said"));
        QVERIFY(said.open(QIODevice::WriteOnly));
        const std::string bytes = rank_greeting(1) + "\n" + piece(engine_greeting() + "\n") +
                                  piece(std::string("\x08\0\0\0\x64\0\0\0abc", 11)) + piece({});
        QCOMPARE(said.write(bytes.data(), static_cast<qint64>(bytes.size())), static_cast<qint64>(bytes.size()));
        said.close();
        const std::string script = "cat '" + said.fileName().toStdString() +
                                   "'; echo 'rank 0 was ended by signal 11 (Segmentation fault) in aten::mm at event 3 "
                                   "(a.py:5); its last collective: barrier (number 2, a.py:4)' >&2; cat > /dev/null";
        RankProcess process({"sh", "-c", script}, 1);
        Session session(process, 0, nullptr);
        QTRY_VERIFY(session.engine_end().kind != EngineEnd::Kind::None);
        const EngineEnd end = session.engine_end();
        QVERIFY2(end.kind == EngineEnd::Kind::Crashed, end.text.c_str());
        QCOMPARE(end.signal, 11);
        QVERIFY2(end.text.find("SIGSEGV") != std::string::npos, end.text.c_str());
        QVERIFY2(end.text.find("; its last collective: barrier (number 2, a.py:4)") != std::string::npos,
                 end.text.c_str());
        process.kill();
    }

    void saysWhatTheLauncherDid() {
        QVERIFY(error_of({"no-such-launcher"}, 2).find("there is no no-such-launcher in PATH") != std::string::npos);
        QVERIFY(error_of({"echo", "hello"}, 2).find("starts no engines of ranks: it said 'hello'") !=
                std::string::npos);
        QVERIFY(error_of({"true"}, 2).find("ended before its engines had begun") != std::string::npos);
        QVERIFY(error_of(engines(3), 2).find("started 3 ranks instead of 2") != std::string::npos);
    }
    // As mpirun is, which cannot start a program that is not there.
    void aSilentLauncherIsNotWaitedFor() {
        CancelFlag flag = false;
        std::thread user([&flag] {
            std::this_thread::sleep_for(std::chrono::milliseconds(200));
            flag = true;
        });
        const CancelScope scope(&flag);
        const auto begun = std::chrono::steady_clock::now();
        ErrorKind kind = ErrorKind::Internal;
        try {
            RankProcess({"sleep", "100"}, 2);
        } catch (const Error& error) {
            kind = error.kind();
        }
        user.join();
        QCOMPARE(kind, ErrorKind::Cancelled);
        QVERIFY(std::chrono::steady_clock::now() - begun < std::chrono::seconds(20));
    }
    // Engines of one process: a run that begins in one forgets the groups of its own program.
    void programsOfOneProcessAreApart() {
        using distributed::World;
        const distributed::ProgramScope program;
        World& world = World::instance();
        world.begin("gloo", std::chrono::minutes(1));
        world.note_launch();
        bool is_apart = false;
        std::thread([&is_apart] {
            const distributed::ProgramScope other;
            World& same = World::instance();
            is_apart = same.group() == nullptr && same.launched() == 0;
            for (int run = 0; run < 100; ++run) {
                same.begin("gloo", std::chrono::minutes(1));
                is_apart = is_apart && same.group() != nullptr;
                same.begin_run(true);
                is_apart = is_apart && same.group() == nullptr;
            }
        }).join();
        QVERIFY(is_apart);
        QVERIFY(world.group() != nullptr);
        QCOMPARE(world.launched(), std::uint64_t{1});
        world.begin_run(false);
        QCOMPARE(world.launched(), std::uint64_t{0});
        world.end(nullptr);
    }
    void fillsInTheCommand() {
        QCOMPARE(launch_command("srun -n {ranks}  {engine} --stdio", 8, "/opt/engine"),
                 (std::vector<std::string>{"srun", "-n", "8", "/opt/engine", "--stdio"}));
        QVERIFY_THROWS_EXCEPTION(Error, launch_command("mpirun -n 4 {engine}", 8, "/opt/engine"));
        QVERIFY_THROWS_EXCEPTION(Error, launch_command("mpirun -n {ranks}", 8, "/opt/engine"));
    }
};

QTEST_GUILESS_MAIN(TestRankProcess)
#include "test_rank_process.moc"
