// SPDX-License-Identifier: Apache-2.0
// What ends the process of an engine does not end its session: it says in one line what happened and where, keeps what
// was recorded, answers what was asked, and starts anew, back to the event. What an engine sends is not trusted.
#include <signal.h>

#include <atomic>
#include <random>

#include "core/base/error.h"
#include "core/session/queries/tensor.h"
#include "core/session/remote/channel.h"
#include "core/session/remote/greeting.h"
#include "core/session/remote/recording_stream.h"
#include "core/session/wire/wire.h"
#include "core/study/verdict.h"
#include "tests/session/remote_session.h"

using namespace loupe;
using namespace loupe::session;

namespace {

const std::string kModels = LOUPE_SOURCE_DIR "/resources/models/";
const std::string kFixtures = LOUPE_SOURCE_DIR "/tests/fixtures/models/";
const std::string kHere = LOUPE_SOURCE_DIR "/tests/session/";
const std::string kEngine = LOUPE_BINARY_DIR "/bin/tensorloupe-engine";

// A program in the folder that runs these lines of a shell.
std::filesystem::path script(const QTemporaryDir& folder, const std::string& lines) {
    const std::filesystem::path path = folder.filePath("engine").toStdString();
    std::ofstream(path) << "#!/bin/sh\n" << lines << "\n";
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path;
}

bool is_parked(Session& session) { return session.status().state == RunState::Paused; }

// Parks behind a few events, with a breakpoint and inputs of its own.
void park(Session& session) {
    session.open(kModels + "digits.pt");
    session.wait_idle();
    Breakpoint breakpoint;
    breakpoint.kind = Breakpoint::Kind::OperatorKind;
    breakpoint.text = "linear";
    session.add_breakpoint(breakpoint);
    session.set_inputs({parse_input_spec("5x1x8x8")});
    RunOptions options;
    options.backward = true;
    options.seed = 11;
    session.run(options);
    session.wait_idle();
}

EngineEnd wait_for_end(Session& session) {
    for (int i = 0; i < 1000 && session.engine_end().kind == EngineEnd::Kind::None; ++i) QTest::qWait(10);
    return session.engine_end();
}

// What an engine says that sends this behind its greeting.
EngineEnd end_with(const std::string& bytes) {
    QTemporaryDir folder;
    const auto file = folder.filePath("said").toStdString();
    std::ofstream(file, std::ios::binary) << engine_greeting() << "\n" << bytes;
    const RemoteSessions remote(script(folder, "cat '" + file + "'; exec sleep 30"));
    Session session;
    session.open(kModels + "digits.pt");
    session.wait_idle();
    return wait_for_end(session);
}

std::string frame(MessageKind kind, const std::string& bytes) {
    WireWriter out;
    out.number(static_cast<std::uint32_t>(kind));
    out.number(static_cast<std::uint32_t>(bytes.size()));
    return out.take() + bytes;
}

}  // namespace

class TestEngineEnds : public QObject {
    Q_OBJECT

  private slots:
    void killed_while_parked_keeps_all();
    void goes_back_to_the_event();
    void a_kept_run_comes_back_with_its_elements();
    void a_kept_training_goes_on();
    void goes_back_into_a_step_of_a_training();
    void dies_in_a_kernel_and_says_where();
    void is_stopped_in_a_kernel_that_hangs();
    void is_killed_while_it_opens_a_file();
    void is_killed_while_it_trains();
    void an_order_starts_another_one();
    void questions_are_answered();
    void questions_are_answered_while_it_ends();
    void a_program_that_is_not_there();
    void a_program_that_is_no_engine();
    void an_engine_of_another_version();
    void an_engine_of_another_build();
    void an_engine_that_ends_at_once();
    void a_stream_that_is_cut_off();
    void sizes_that_are_lies();
    void messages_that_are_lies();
    void damaged_bytes_end_in_one_line();
    void a_process_that_is_frozen_stalls_nothing();
};

void TestEngineEnds::killed_while_parked_keeps_all() {
    const RemoteSessions remote;
    Heard heard;
    Session session(&heard);
    park(session);
    QVERIFY(is_parked(session));
    const EventId reached = session.status().reached;
    const auto recording = session.recording();
    const auto model = session.model();
    QCOMPARE(engine_processes().size(), std::size_t{1});
    ::kill(engine_processes().front(), SIGKILL);
    const EngineEnd end = wait_for_end(session);
    QCOMPARE(end.kind, EngineEnd::Kind::Killed);
    QCOMPARE(end.event, reached);
    QVERIFY(end.can_go_back);
    QVERIFY2(end.text.starts_with("the engine was killed behind event " + std::to_string(reached)), end.text.c_str());
    QCOMPARE(session.status().state, RunState::Failed);
    QCOMPARE(session.status().error, end.text);
    QVERIFY(session.recording() == recording);
    QCOMPARE(session.recording()->event_count(), std::size_t{reached});
    QVERIFY(session.model() == model);
    QTRY_COMPARE(heard.ends().size(), std::size_t{1});
    QCOMPARE(heard.lines().back().text, end.text);
    QCOMPARE(heard.lines().back().event, reached);
    QVERIFY(heard.lines().back().recording.lock() == recording);
    QCOMPARE(heard.states().back(), RunState::Failed);
    session.wait_idle();
    session.pause();
    session.stop();
    QCOMPARE(engine_processes().size(), std::size_t{0});
}

void TestEngineEnds::goes_back_to_the_event() {
    const RemoteSessions remote;
    Heard heard;
    Session session(&heard);
    park(session);
    const EventId reached = session.status().reached;
    const auto before = session.recording();
    const auto breakpoints = session.breakpoints();
    session.kill_engine();
    QCOMPARE(wait_for_end(session).kind, EngineEnd::Kind::Stopped);
    session.restart_engine(true);
    session.wait_idle();
    QVERIFY2(is_parked(session), session.status().error.c_str());
    QCOMPARE(session.engine_end().kind, EngineEnd::Kind::None);
    QCOMPARE(heard.ends().size(), std::size_t{2});
    QCOMPARE(session.status().reached, reached);
    QVERIFY(session.recording() != before);
    for (EventId id = 1; id <= reached; ++id) {
        QCOMPARE(session.recording()->event(id).op, before->event(id).op);
        const auto& made = session.recording()->event(id).outputs;
        for (std::size_t i = 0; i < made.size(); ++i) {
            const auto& mine = session.recording()->value(made[i]).statistics;
            const auto& its = before->value(before->event(id).outputs[i]).statistics;
            QCOMPARE(to_bytes(mine), to_bytes(its));
        }
    }
    QCOMPARE(session.inputs().at(0).shape.at(0), 5);
    QCOMPARE(session.run_options().seed, std::uint64_t{11});
    QCOMPARE(session.breakpoints().size(), breakpoints.size());
    QCOMPARE(session.breakpoints().at(0).text, breakpoints.at(0).text);
    session.resume();
    session.wait_idle();
    QCOMPARE(session.status().state, RunState::Paused);  // at the breakpoint, which is there again
}

void TestEngineEnds::a_kept_run_comes_back_with_its_elements() {
    const RemoteSessions remote;
    QTemporaryDir folder;
    Session session;
    session.keep_in(folder.path().toStdString());
    park(session);
    const auto before = session.recording();
    TensorRequest request;
    request.value = before->event(1).outputs.at(0);
    const TensorSlice expected = answer_of(session, TensorQuery{request});
    QVERIFY2(expected.error.empty(), expected.error.c_str());
    QTest::qWait(2500);  // what is kept is a second behind
    session.kill_engine();
    wait_for_end(session);
    QVERIFY(!answer_of(session, TensorQuery{request}).error.empty());
    session.restart_engine(false);
    session.wait_idle();
    QVERIFY(session.recording() != before);
    QCOMPARE(session.recording()->event_count(), before->event_count());
    const TensorSlice again = answer_of(session, TensorQuery{request});
    QVERIFY2(again.error.empty(), again.error.c_str());
    QCOMPARE(to_bytes(again), to_bytes(expected));
    // Kept further.
    session.run(session.run_options());
    session.wait_idle();
    QTest::qWait(2500);
    session.kill_engine();
    wait_for_end(session);
    session.restart_engine(false);
    session.wait_idle();
    const TensorSlice last = answer_of(session, TensorQuery{request});
    QVERIFY2(last.error.empty(), last.error.c_str());
    QCOMPARE(to_bytes(last.data), to_bytes(expected.data));  // of a storage of its own
}

void TestEngineEnds::a_kept_training_goes_on() {
    const RemoteSessions remote;
    QTemporaryDir folder;
    Session session;
    session.keep_in(folder.path().toStdString());
    session.open(kModels + "digits.pt");
    TrainOptions options;
    options.epochs = 1000;
    session.train(options);
    QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(folder.filePath("training.pt")), 60'000);
    session.kill_engine();
    wait_for_end(session);
    session.restart_engine(false);
    session.wait_idle();
    QVERIFY2(session.status().state != RunState::Failed, session.status().error.c_str());
    QVERIFY(session.training() != nullptr);
    const auto done = session.training()->step_count();
    QVERIFY(done > 0);
    session.train_on(options);
    QTRY_VERIFY_WITH_TIMEOUT(session.training()->step_count() > done + 3, 60'000);
    session.stop();
    session.wait_idle();
}

// Into the step that it ended in: from what is kept of the training, and where nothing was kept yet from its beginning.
void TestEngineEnds::goes_back_into_a_step_of_a_training() {
    const RemoteSessions remote;
    for (const bool is_kept : {true, false}) {
        QTemporaryDir folder;
        Session session;
        if (is_kept) session.keep_in(folder.path().toStdString());
        session.open(kModels + "digits.pt");
        TrainOptions options;
        options.epochs = 1000;
        options.seed = 5;
        session.train(options);
        if (is_kept) QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(folder.filePath("training.pt")), 60'000);
        QTRY_VERIFY_WITH_TIMEOUT(session.training() != nullptr && session.training()->step_count() > 12, 60'000);
        ::kill(engine_processes().front(), SIGKILL);
        const EngineEnd end = wait_for_end(session);
        QVERIFY(end.can_go_back);
        const auto before = session.training();
        const QRegularExpression text("in step (\\d+) of the training");
        const auto found = text.match(QString::fromStdString(end.text));
        QVERIFY2(found.hasMatch(), end.text.c_str());
        const auto step = found.captured(1).toLongLong();
        // Events that are there are of a step that was recorded before.
        QVERIFY2(end.event == 0 || !end.op.empty(), end.text.c_str());
        // Of steps that were done it has not heard of the last few.
        QVERIFY(step > static_cast<qint64>(before->step_count()));
        session.restart_engine(true);
        QTRY_VERIFY_WITH_TIMEOUT(session.status().state == RunState::Paused, 60'000);
        QVERIFY(session.status().is_training);
        QCOMPARE(session.status().training_step, std::int64_t{step});
        QVERIFY(session.status().next_op.size() > 0);
        // The steps until there are those of before.
        const auto now = session.training();
        QCOMPARE(now->step_count(), static_cast<std::size_t>(step - 1));
        for (const std::size_t i : {std::size_t{0}, std::size_t{11}, before->step_count() - 1})
            QCOMPARE(now->steps()[i].loss, before->steps()[i].loss);
        session.stop();
        session.wait_idle();
    }
}

void TestEngineEnds::dies_in_a_kernel_and_says_where() {
    const RemoteSessions remote;
    Session session;
    session.open(kHere + "slow_kernel.py");
    RunOptions options;
    options.inputs = {parse_input_spec("2x4")};
    session.run(options);
    const auto runs_eigh = [&] {
        const auto recording = session.recording();
        return recording != nullptr && recording->event_count() > 0 &&
               recording->event(static_cast<EventId>(recording->event_count())).op == "aten::add";
    };
    QTRY_VERIFY_WITH_TIMEOUT(runs_eigh(), 60'000);
    QTest::qWait(300);
    const auto count = session.recording()->event_count();
    ::kill(engine_processes().front(), SIGSEGV);
    const EngineEnd end = wait_for_end(session);
    QCOMPARE(end.kind, EngineEnd::Kind::Crashed);
    QCOMPARE(end.signal, SIGSEGV);
    QVERIFY2(end.op == "aten::linalg_eigh", end.text.c_str());
    QCOMPARE(std::size_t{end.event}, count + 1);
    const std::string expected =
        "the engine died: SIGSEGV in aten::linalg_eigh at event " + std::to_string(count + 1) + " (slow_kernel.py:14)";
    QCOMPARE(end.text, expected);
    QCOMPARE(session.recording()->event_count(), count);
}

void TestEngineEnds::is_stopped_in_a_kernel_that_hangs() {
    const RemoteSessions remote;
    Session session;
    session.open(kHere + "slow_kernel.py");
    RunOptions options;
    options.inputs = {parse_input_spec("2x4")};
    session.run(options);
    QTRY_VERIFY_WITH_TIMEOUT(session.recording() != nullptr && session.recording()->event_count() > 5, 60'000);
    QElapsedTimer timer;
    timer.start();
    session.kill_engine();
    const EngineEnd end = wait_for_end(session);
    QVERIFY2(timer.elapsed() < 1000, std::to_string(timer.elapsed()).c_str());
    QCOMPARE(end.kind, EngineEnd::Kind::Stopped);
    QVERIFY2(end.text.starts_with("the engine was stopped"), end.text.c_str());
}

void TestEngineEnds::is_killed_while_it_opens_a_file() {
    const RemoteSessions remote;
    QTemporaryDir folder;
    const auto source = folder.filePath("endless.py").toStdString();
    std::ofstream(source) << "while True:\n    pass\n";
    Session session;
    session.open(source);
    QTRY_COMPARE_WITH_TIMEOUT(session.status().state, RunState::Opening, 60'000);
    ::kill(engine_processes().front(), SIGBUS);
    QCOMPARE(wait_for_end(session).text, std::string("the engine died: SIGBUS while a file was opened"));
    QVERIFY(session.model() == nullptr);
    session.open(kModels + "digits.pt");
    session.wait_idle();
    QCOMPARE(session.status().state, RunState::Ready);
}

void TestEngineEnds::is_killed_while_it_trains() {
    const RemoteSessions remote;
    Session session;
    session.open(kModels + "digits.pt");
    TrainOptions options;
    options.epochs = 1000;
    session.train(options);
    QTRY_VERIFY_WITH_TIMEOUT(session.training() != nullptr && session.training()->step_count() > 5, 60'000);
    ::kill(engine_processes().front(), SIGKILL);
    const EngineEnd end = wait_for_end(session);
    QVERIFY2(end.text.find(" of the training") != std::string::npos, end.text.c_str());
    QVERIFY(session.training() != nullptr && session.training()->step_count() > 5);
    session.restart_engine(false);
    session.wait_idle();
    QCOMPARE(session.status().state, RunState::Ready);
    QVERIFY(session.training() != nullptr);  // still to be seen
}

void TestEngineEnds::an_order_starts_another_one() {
    const RemoteSessions remote;
    Session session;
    park(session);
    session.kill_engine();
    wait_for_end(session);
    session.run(session.run_options());
    session.wait_idle();
    QVERIFY2(is_parked(session), session.status().error.c_str());
    session.kill_engine();
    wait_for_end(session);
    // Another model: the breakpoints of the first wait for it.
    session.open(kFixtures + "endless.pt");
    session.wait_idle();
    QCOMPARE(session.status().state, RunState::Ready);
    QTRY_COMPARE(session.breakpoints().size(), std::size_t{0});
    QCOMPARE(session.breakpoints_elsewhere().size(), std::size_t{1});
    // And opened by the next engine it has them again.
    session.kill_engine();
    wait_for_end(session);
    session.open(kModels + "digits.pt");
    session.wait_idle();
    QTRY_COMPARE(session.breakpoints().size(), std::size_t{1});
    QCOMPARE(session.breakpoints_elsewhere().size(), std::size_t{0});
}

void TestEngineEnds::questions_are_answered() {
    const RemoteSessions remote;
    Session session;
    session.open(kHere + "slow_kernel.py");
    session.wait_idle();
    RunOptions options;
    options.inputs = {parse_input_spec("2x4")};
    session.run(options);
    QTRY_COMPARE_WITH_TIMEOUT(session.status().state, RunState::Running, 60'000);
    TensorRequest request;
    request.value = 1;
    std::promise<TensorSlice> answer;
    session.ask("test", TensorQuery{request}, [&](TensorSlice slice) { answer.set_value(std::move(slice)); });
    QTest::qWait(100);
    session.kill_engine();
    QVERIFY(answer.get_future().get().error.find("the engine was stopped") != std::string::npos);
    wait_for_end(session);
    QVERIFY(answer_of(session, TensorQuery{request}).error.find("the engine was stopped") != std::string::npos);
}

// Each of them, whether the engine has it, it is on its way, or the end comes before it is sent.
void TestEngineEnds::questions_are_answered_while_it_ends() {
    const RemoteSessions remote;
    Session session;
    for (int round = 0; round < 10; ++round) {
        session.restart_engine(false);
        session.wait_idle();
        std::atomic<int> asked{0};
        std::atomic<int> answered{0};
        std::atomic<bool> is_over{false};
        std::thread asking([&] {
            while (!is_over) {
                ++asked;
                session.ask(std::to_string(asked), TensorQuery{}, [&answered](const TensorSlice&) { ++answered; });
            }
        });
        QTest::qWait(5);
        session.kill_engine();
        const EngineEnd end = wait_for_end(session);
        is_over = true;
        asking.join();
        QVERIFY(end.kind != EngineEnd::Kind::None);
        QTRY_COMPARE_WITH_TIMEOUT(answered.load(), asked.load(), 20'000);
    }
}

void TestEngineEnds::a_program_that_is_not_there() {
    const RemoteSessions remote("/nowhere/engine");
    Session session;
    session.open(kModels + "digits.pt");
    session.wait_idle();
    const EngineEnd end = wait_for_end(session);
    QCOMPARE(end.kind, EngineEnd::Kind::Refused);
    QCOMPARE(end.text, std::string("the engine /nowhere/engine does not start: No such file or directory"));
    QCOMPARE(session.status().error, end.text);
}

void TestEngineEnds::a_program_that_is_no_engine() {
    QTemporaryDir folder;
    const RemoteSessions remote(script(folder, "echo 'Permission denied, please try again.'; exec sleep 30"));
    Session session;
    const EngineEnd end = wait_for_end(session);
    QCOMPARE(end.kind, EngineEnd::Kind::Refused);
    QCOMPARE(end.text, std::string("the engine's program is none: it said 'Permission denied, please try again.'"));
}

void TestEngineEnds::an_engine_of_another_version() {
    QTemporaryDir folder;
    const RemoteSessions remote(script(folder, "echo 'tensorloupe-engine 99.1 abc'; exec sleep 30"));
    Session session;
    const EngineEnd end = wait_for_end(session);
    QCOMPARE(end.kind, EngineEnd::Kind::Refused);
    QVERIFY2(end.text.starts_with("the engine is of version 99.1 and this program of "), end.text.c_str());
}

void TestEngineEnds::an_engine_of_another_build() {
    QTemporaryDir folder;
    const std::string other = engine_greeting() + "0";
    const RemoteSessions remote(script(folder, "echo '" + other + "'; exec sleep 30"));
    Session session;
    const EngineEnd end = wait_for_end(session);
    QCOMPARE(end.kind, EngineEnd::Kind::Refused);
    QVERIFY2(end.text.starts_with("the engine was built from other sources"), end.text.c_str());
}

void TestEngineEnds::an_engine_that_ends_at_once() {
    QTemporaryDir folder;
    const RemoteSessions remote(script(folder, "exit 3"));
    Session session;
    const EngineEnd end = wait_for_end(session);
    QCOMPARE(end.kind, EngineEnd::Kind::Refused);
    QCOMPARE(end.exit_status, 3);
    QVERIFY2(!end.text.empty() && end.text.find('\n') == std::string::npos, end.text.c_str());
}

void TestEngineEnds::a_stream_that_is_cut_off() {
    for (const int size : {100, 1000, 20'000, 60'000}) {
        QTemporaryDir folder;
        const RemoteSessions remote(script(folder, "'" + kEngine + "' --stdio | head -c " + std::to_string(size)));
        Session session;
        session.open(kModels + "digits.pt");
        RunOptions options;
        options.backward = true;
        session.run(options);
        session.wait_idle();
        const EngineEnd end = wait_for_end(session);
        QVERIFY(end.kind == EngineEnd::Kind::Damaged || end.kind == EngineEnd::Kind::Exited);
        QVERIFY2(end.text.find('\n') == std::string::npos, end.text.c_str());
        QCOMPARE(session.status().state, RunState::Failed);
    }
}

void TestEngineEnds::sizes_that_are_lies() {
    WireWriter header;
    header.number(static_cast<std::uint32_t>(MessageKind::Status));
    header.number(std::uint32_t{0xffffffff});
    QCOMPARE(end_with(header.take()).text,
             std::string("what the engine sent was damaged (a message of 4294967295 bytes), so it was ended"));
    header = {};
    header.number(std::uint32_t{12345});
    header.number(std::uint32_t{0});
    QCOMPARE(end_with(header.take()).text,
             std::string("what the engine sent was damaged (12345 is no kind of message), so it was ended"));
    // Of a row with more elements than there are bytes.
    WireWriter row;
    row.number(std::uint64_t{1});
    row.number(std::uint64_t{1} << 60);
    const EngineEnd end = end_with(frame(MessageKind::Growth, row.take()));
    QCOMPARE(end.kind, EngineEnd::Kind::Damaged);
    QVERIFY2(end.text.find("elements in") != std::string::npos, end.text.c_str());
}

void TestEngineEnds::messages_that_are_lies() {
    QCOMPARE(end_with(frame(MessageKind::ShowRecording, to_bytes(NumberMessage{7}))).text,
             std::string("what the engine sent was damaged (a recording that was not sent), so it was ended"));
    QCOMPARE(end_with(frame(MessageKind::Answer, to_bytes(ReplyMessage{7, "x", false}))).kind,
             EngineEnd::Kind::Damaged);
    QCOMPARE(end_with(frame(MessageKind::Order, "")).kind, EngineEnd::Kind::Damaged);
    RecordingGrowth growth;
    growth.number = 1;
    growth.events.emplace_back().outputs = {17};
    QCOMPARE(end_with(frame(MessageKind::Growth, to_bytes(growth))).text,
             std::string("what the engine sent was damaged (a recording that refers to value 17 of 0), so it was "
                         "ended"));
    growth.events.clear();
    growth.savings.push_back({5, 1, "x"});
    QCOMPARE(end_with(frame(MessageKind::Growth, to_bytes(growth))).kind, EngineEnd::Kind::Damaged);
}

// Real messages with a few bytes changed: whatever comes of it, the session lives and says so in a line, or takes it.
void TestEngineEnds::damaged_bytes_end_in_one_line() {
    std::mt19937 random(7);
    RecordingGrowth growth;
    growth.number = 1;
    Value& value = growth.values.emplace_back();
    value.dtype = "float32";
    value.shape = value.strides = {2, 3};
    growth.events.emplace_back().outputs = {1};
    growth.frames.emplace_back();
    growth.allocations.emplace_back();
    std::string good = frame(MessageKind::Growth, to_bytes(growth)) + frame(MessageKind::Status, to_bytes(Status()));
    for (int i = 0; i < 8; ++i) {
        std::string bytes = good;
        for (int flips = 0; flips < 3; ++flips) bytes[random() % bytes.size()] = static_cast<char>(random());
        QTemporaryDir folder;
        const auto file = folder.filePath("said").toStdString();
        std::ofstream(file, std::ios::binary) << engine_greeting() << "\n" << bytes;
        const RemoteSessions remote(script(folder, "cat '" + file + "'"));
        Session session;
        const EngineEnd end = wait_for_end(session);
        QVERIFY(end.kind != EngineEnd::Kind::None);
        QVERIFY2(end.text.find('\n') == std::string::npos, end.text.c_str());
    }
}

void TestEngineEnds::a_process_that_is_frozen_stalls_nothing() {
    const RemoteSessions remote;
    Heard heard;
    Session session(&heard);
    park(session);
    const pid_t child = engine_processes().front();
    ::kill(child, SIGSTOP);
    QElapsedTimer timer;
    timer.start();
    for (int i = 0; i < 1000; ++i) {
        session.set_inputs({parse_input_spec("5x1x8x8")});
        session.step(StepKind::Over);
        session.status();
    }
    QVERIFY2(timer.elapsed() < 2000, std::to_string(timer.elapsed()).c_str());
    const auto has_warned = [&] {
        const auto lines = heard.lines();
        return !lines.empty() && lines.back().text.find("has not answered for 5 seconds") != std::string::npos;
    };
    QTRY_VERIFY_WITH_TIMEOUT(has_warned(), 15'000);
    session.kill_engine();
    QCOMPARE(wait_for_end(session).kind, EngineEnd::Kind::Stopped);
}

QTEST_GUILESS_MAIN(TestEngineEnds)
#include "test_engine_ends.moc"
