// SPDX-License-Identifier: Apache-2.0
// An engine far away goes on without a connection and is found again, by the same session and by the next one; what is
// wrong is said in one line.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <limits>
#include <random>
#include <span>

#include "core/base/error.h"
#include "core/session/queries/file_bytes.h"
#include "core/session/queries/list_folder.h"
#include "core/session/queries/tensor.h"
#include "core/session/remote/end_place.h"
#include "core/session/remote/engine_address.h"
#include "core/session/remote/greeting.h"
#include "core/session/remote/piece.h"
#include "core/session/remote/protocol.h"
#include "core/session/remote/rank_process.h"
#include "core/session/wire/wire.h"
#include "core/study/verdict.h"
#include "tests/session/far_sessions.h"

using namespace loupe;
using namespace loupe::session;

namespace {

using Clock = std::chrono::steady_clock;
const std::string kModels = LOUPE_SOURCE_DIR "/resources/models/";

std::int64_t milliseconds_since(Clock::time_point then) {
    return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - then).count();
}

// The line about a command that does this in place of ssh.
std::string said_of(const std::string& lines) {
    FarSessions far;
    far.script(lines);
    const auto place = far.place();
    Session session;
    if (!waits_for([&] { return session.engine_end().kind != EngineEnd::Kind::None; })) return "nothing";
    return session.engine_end().text;
}

RunOptions backward() {
    RunOptions options;
    options.backward = true;
    return options;
}

}  // namespace

class TestFarEngine : public QObject {
    Q_OBJECT

  private slots:
    void addresses();
    void commands_are_words();
    void runs_and_answers();
    void a_drop_is_gone_on_behind();
    void a_run_goes_on_without_a_connection();
    void a_question_that_waits_is_answered_behind_a_drop();
    void many_drops_lose_nothing();
    void the_next_session_finds_the_run();
    void a_training_is_found_whole();
    void a_second_user_is_told_and_may_take_over();
    void an_engine_that_dies_says_why();
    void an_engine_that_dies_comes_back_to_the_same_place();
    void what_it_died_with_is_said_behind_a_lost_connection();
    void places_are_not_trusted();
    void what_ssh_says_comes_as_one_line_data();
    void what_ssh_says_comes_as_one_line();
    void other_versions_are_refused();
    void lists_folders();
    void reads_and_writes_files();
    void pieces_are_not_trusted();
    void a_long_answer_is_given_up_for_the_next_of_its_tag();
    void elements_are_as_long_as_they_must_be();
    void a_question_that_ssh_asked_and_nobody_answered();
    void own_files_are_removed();
    void steps_soon_over_a_slow_line();
    void a_long_slice_keeps_nothing_waiting();
};

void TestFarEngine::addresses() {
    const auto parse = [](const char* text) { return parse_engine_address(text); };
    QCOMPARE(parse("ssh://ada@host.org:2222").ssh_host, std::string("ada@host.org"));
    QCOMPARE(parse("ssh://ada@host.org:2222").port, 2222);
    QCOMPARE(parse("host").text, std::string("ssh://host"));
    QCOMPARE(parse("ssh://host/second").engine, std::string("second"));
    QCOMPARE(parse("ssh://[::1]:22").ssh_host, std::string("::1"));
    QCOMPARE(parse("docker exec -i 'my box' tensorloupe-engine --stdio").command.size(), std::size_t{6});
    for (const char* wrong : {"", "ssh://", "ssh://-oProxyCommand=touch", "-oProxyCommand=x", "ssh://-x@host",
                              "ssh://host:0", "ssh://host:99999", "ssh://host:2x", "ssh://ho$(st)", "ssh://a;b",
                              "http://host", "ssh://host/../x", "ssh://host/-x", "run 'x", "ssh://user@-host"}) {
        QVERIFY_THROWS_EXCEPTION(Error, parse(wrong));
    }
}

void TestFarEngine::commands_are_words() {
    const auto words = engine_command(parse_engine_address("ssh://ada@host:2222/b"), kSshCommand, false);
    QCOMPARE(words.front(), std::string("ssh"));
    const auto host = std::ranges::find(words, "ada@host");
    QVERIFY(host != words.end() && *(host - 1) == "--");
    QVERIFY(std::ranges::find(words, "BatchMode=yes") != words.end());
    QCOMPARE(words.back(), std::string("b"));
    QCOMPARE(split_words(R"(a 'b c' "d\"e" f\ g '')"), (std::vector<std::string>{"a", "b c", "d\"e", "f g", ""}));
    QVERIFY_THROWS_EXCEPTION(Error, engine_command(parse_engine_address("host"), "ssh somewhere", false));
    // Ranks are started there by the launcher.
    const auto ranks = far_launch_command(words, "mpirun -n {ranks} {engine} --stdio", 4);
    const std::vector<std::string> expected{"ada@host", "mpirun", "-n", "4", "tensorloupe-engine", "--stdio"};
    QVERIFY(std::ranges::equal(std::span(ranks).last(expected.size()), expected));
    QCOMPARE(ranks.size(), words.size() - 5 + expected.size() - 1);
    QVERIFY_THROWS_EXCEPTION(Error, far_launch_command({"ssh", "host"}, "mpirun -n {ranks} {engine}", 4));
}

void TestFarEngine::runs_and_answers() {
    FarSessions far;
    const auto place = far.place();
    Heard heard;
    Session session(&heard);
    session.open(kModels + "digits.pt");
    session.run(backward());
    session.wait_idle();
    QCOMPARE(session.status().state, RunState::Finished);
    QVERIFY(session.recording()->is_complete());
    TensorRequest request;
    request.value = 1;
    QVERIFY(answer_of(session, TensorQuery{request}).error.empty());
    QCOMPARE(place->state().kind, FarState::Kind::Connected);
    QVERIFY(waits_for([&] { return place->state().round_trip.has_value(); }));
    QVERIFY2(far.list().find("digits.pt, has run; ") != std::string::npos, far.list().c_str());
}

void TestFarEngine::a_drop_is_gone_on_behind() {
    FarSessions far;
    const auto place = far.place();
    std::atomic<int> losses{0};
    place->set_listener([&](const FarState& state) { losses += state.kind == FarState::Kind::Lost; });
    Session session;
    session.open(kModels + "digits.pt");
    RunOptions options = backward();
    options.pause_at_start = true;
    session.run(options);
    session.wait_idle();
    session.step(StepKind::Over);
    session.wait_idle();
    const auto recording = session.recording();
    const std::size_t before = recording->event_count();
    far.drop();
    QVERIFY(waits_for([&] { return losses > 0; }));
    // Ordered while nothing is connected.
    session.step(StepKind::Over);
    session.wait_idle();
    QCOMPARE(session.recording(), recording);
    QCOMPARE(recording->event_count(), before + 1);
    QCOMPARE(session.status().state, RunState::Paused);
    QCOMPARE(session.engine_end().kind, EngineEnd::Kind::None);
    place->set_listener({});
}

void TestFarEngine::a_run_goes_on_without_a_connection() {
    FarSessions far;
    const auto place = far.place();
    Session session;
    session.open(kModels + "digits.pt");
    TrainOptions options;
    options.epochs = 1'000'000;
    session.train(options);
    QVERIFY(waits_for([&] { return session.training() && session.training()->step_count() > 3; }));
    far.script("exit 255");  // the host is away
    far.drop();
    QVERIFY(waits_for([&] { return place->state().kind == FarState::Kind::Lost; }));
    const std::size_t seen = session.training()->step_count();
    QTest::qWait(1000);
    QCOMPARE(session.training()->step_count(), seen);
    far.script(far.engine_lines());
    place->reconnect_now();
    QVERIFY(waits_for([&] { return session.training()->step_count() > seen + 3; }));
    session.stop();
    session.wait_idle();
    const auto steps = session.training()->steps();
    for (std::size_t i = 0; i < steps.size(); ++i)
        QCOMPARE(steps[i].step, steps[0].step + static_cast<std::int64_t>(i));
}

void TestFarEngine::a_question_that_waits_is_answered_behind_a_drop() {
    FarSessions far;
    const auto place = far.place();
    Session session;
    session.open(kModels + "digits.pt");
    session.run(backward());
    session.wait_idle();
    far.script("exit 255");
    far.drop();
    QVERIFY(waits_for([&] { return place->state().kind == FarState::Kind::Lost; }));
    std::atomic<int> answers{0};
    TensorRequest request;
    request.value = 1;
    session.ask("a", TensorQuery{request}, [&](const auto& answer) { answers += answer.error.empty() ? 1 : 100; });
    QTest::qWait(200);
    QCOMPARE(answers.load(), 0);
    far.script(far.engine_lines());
    QVERIFY(waits_for([&] { return answers > 0; }));
    QTest::qWait(100);
    QCOMPARE(answers.load(), 1);
}

// As many events as of an engine in this process, and an answer to each question.
void TestFarEngine::many_drops_lose_nothing() {
    constexpr int kSteps = 25;
    const auto step_through = [](Session& session, const std::function<void()>& between) {
        session.open(kModels + "digits.pt");
        RunOptions options = backward();
        options.pause_at_start = true;
        session.run(options);
        session.wait_idle();
        for (int i = 0; i < kSteps; ++i) {
            session.step(StepKind::Into);
            between();
            session.wait_idle();
        }
        return session.recording()->event_count();
    };
    Session local;
    const std::size_t expected = step_through(local, [] {});
    QVERIFY(expected > 5);
    FarSessions far;
    const auto place = far.place();
    Session session;
    std::atomic<int> answers{0};
    std::mt19937 random(3);
    const std::size_t events = step_through(session, [&] {
        TensorRequest request;
        request.value = 1;
        session.ask("q" + std::to_string(random()), TensorQuery{request}, [&](const auto&) { ++answers; });
        if (random() % 5 == 0) far.drop();
        QTest::qWait(static_cast<int>(random() % 20));
    });
    QCOMPARE(answers.load(), kSteps);
    QCOMPARE(session.engine_end().kind, EngineEnd::Kind::None);
    QCOMPARE(events, expected);
}

void TestFarEngine::the_next_session_finds_the_run() {
    FarSessions far;
    std::size_t events = 0;
    {
        const auto place = far.place();
        Session session;
        session.open(kModels + "digits.pt");
        Breakpoint breakpoint;
        breakpoint.kind = Breakpoint::Kind::OperatorKind;
        breakpoint.text = "linear";
        session.add_breakpoint(breakpoint);
        session.run(backward());
        session.wait_idle();
        QCOMPARE(session.status().state, RunState::Paused);
        events = session.recording()->event_count();
    }
    QVERIFY(waits_for([&] { return far.list().find("nobody has it") != std::string::npos; }));
    const auto place = far.place();
    Session session;
    QVERIFY(waits_for([&] { return session.status().state == RunState::Paused && session.recording(); }));
    QCOMPARE(session.recording()->event_count(), events);
    QVERIFY(session.model() != nullptr);
    QCOMPARE(session.breakpoints().size(), std::size_t{1});
    session.resume();
    session.wait_idle();
    QVERIFY(session.recording()->event_count() > events);
    TensorRequest request;
    request.value = 1;
    QVERIFY(answer_of(session, TensorQuery{request}).error.empty());
}

void TestFarEngine::a_training_is_found_whole() {
    FarSessions far;
    std::size_t steps = 0;
    {
        const auto place = far.place();
        Session session;
        session.open(kModels + "digits.pt");
        TrainOptions options;
        options.epochs = 1;
        options.max_steps = 20;
        session.train(options);
        session.wait_idle();
        steps = session.training()->step_count();
        QCOMPARE(steps, std::size_t{20});
    }
    const auto place = far.place();
    Session session;
    QVERIFY(waits_for([&] { return session.training() && session.training()->step_count() == steps; }));
}

void TestFarEngine::a_second_user_is_told_and_may_take_over() {
    FarSessions far;
    const auto first_place = far.place();
    Session first;
    first.open(kModels + "digits.pt");
    first.wait_idle();
    const auto second_place = far.place();
    Session second;
    QVERIFY(waits_for([&] { return second.engine_end().kind != EngineEnd::Kind::None; }));
    const std::string said = second.engine_end().text;
    QVERIFY2(said.starts_with("the engine 'test' is used by ") && said.find('@') != std::string::npos, said.c_str());
    QVERIFY(second_place->state().is_busy);
    QCOMPARE(first.engine_end().kind, EngineEnd::Kind::None);
    second_place->take_over_next();
    second.restart_engine(false);
    QVERIFY(waits_for([&] { return second.model() != nullptr; }));
    QVERIFY(waits_for([&] { return first.engine_end().kind != EngineEnd::Kind::None; }));
    QVERIFY2(first.engine_end().text.find("has taken the engine over") != std::string::npos,
             first.engine_end().text.c_str());
    // What the first one saw stays.
    QVERIFY(first.model() != nullptr);
}

void TestFarEngine::an_engine_that_dies_says_why() {
    FarSessions far;
    const auto place = far.place();
    Session session;
    session.open(kModels + "digits.pt");
    session.run(backward());
    session.wait_idle();
    const auto recording = session.recording();
    const std::size_t events = recording->event_count();
    ::kill(far.engine_pid(), SIGSEGV);
    QVERIFY(waits_for([&] { return session.engine_end().kind != EngineEnd::Kind::None; }));
    QVERIFY2(session.engine_end().text.find("far: the engine died: SIGSEGV") != std::string::npos,
             session.engine_end().text.c_str());
    QCOMPARE(session.recording()->event_count(), events);
    // Another one, with the same model.
    session.restart_engine(false);
    QVERIFY(waits_for([&] { return session.status().state == RunState::Ready; }));
    session.wait_idle();  // its inputs and its run come behind it
    session.run(backward());
    session.wait_idle();
    QCOMPARE(session.status().state, RunState::Finished);
    // And while the connection is away.
    far.script("exit 255");
    const pid_t engine = far.engine_pid();
    far.drop();
    QVERIFY(waits_for([&] { return place->state().kind == FarState::Kind::Lost; }));
    ::kill(engine, SIGKILL);
    QTest::qWait(300);
    far.script(far.engine_lines());
    QVERIFY(waits_for([&] { return session.engine_end().kind != EngineEnd::Kind::None; }));
    QVERIFY2(session.engine_end().text.find("has ended") != std::string::npos, session.engine_end().text.c_str());
}

void TestFarEngine::an_engine_that_dies_comes_back_to_the_same_place() {
    FarSessions far;
    const auto place = far.place();
    Session session;
    const auto dies = [&] {
        ::kill(far.engine_pid(), SIGSEGV);
        return waits_for([&] { return session.engine_end().kind != EngineEnd::Kind::None; });
    };
    session.open(kModels + "digits.pt");
    TrainOptions training;
    training.epochs = 1;
    training.max_steps = 12;
    session.train(training);
    session.wait_idle();
    QCOMPARE(session.training()->step_count(), std::size_t{12});
    RunOptions options = backward();
    options.pause_at_start = true;
    session.run(options);
    session.wait_idle();
    // A step into a module runs no operator.
    for (int i = 0; i < 40 && session.status().reached < 3; ++i) {
        session.step(StepKind::Into);
        session.wait_idle();
    }
    const EventId reached = session.status().reached;
    QVERIFY(reached > 1);
    const auto before = session.recording();
    QVERIFY(dies());
    QVERIFY2(session.engine_end().text.find("SIGSEGV behind event " + std::to_string(reached)) != std::string::npos,
             session.engine_end().text.c_str());
    QVERIFY(session.engine_end().can_go_back);
    session.restart_engine(true);
    QVERIFY(waits_for([&] { return session.status().state == RunState::Paused; }));
    session.wait_idle();
    QCOMPARE(session.status().reached, reached);
    QVERIFY(session.recording() != before);
    // With the weights that were trained.
    const auto mean = [&](const Recording& recording) {
        return recording.value(recording.event(reached).outputs.front()).statistics->finite->mean;
    };
    QCOMPARE(mean(*session.recording()), mean(*before));
    session.resume();
    session.wait_idle();
    QCOMPARE(session.status().state, RunState::Finished);
    const std::size_t events = session.recording()->event_count();
    QTest::qWait(1500);  // the journal's
    // Without going back: what was there is there.
    const auto last = session.recording();
    QVERIFY(dies());
    session.restart_engine(false);
    QVERIFY(waits_for([&] {
        const auto now = session.recording();
        return now != nullptr && now != last && now->event_count() == events;
    }));
    session.wait_idle();
    QCOMPARE(session.training()->step_count(), std::size_t{12});
    TensorRequest request;
    request.value = session.recording()->event(reached).outputs.front();
    const auto slice = answer_of(session, TensorQuery{request});
    QVERIFY2(slice.error.empty(), slice.error.c_str());
}

void TestFarEngine::what_it_died_with_is_said_behind_a_lost_connection() {
    FarSessions far;
    const auto place = far.place();
    Session session;
    session.open(kModels + "digits.pt");
    session.wait_idle();
    const pid_t engine = far.engine_pid();
    far.script("exit 255");
    far.drop();
    QVERIFY(waits_for([&] { return place->state().kind == FarState::Kind::Lost; }));
    ::kill(engine, SIGSEGV);
    QVERIFY(waits_for([&] { return far.list().find("no engine") != std::string::npos; }));
    far.script(far.engine_lines());
    QVERIFY(waits_for([&] { return session.engine_end().kind != EngineEnd::Kind::None; }));
    QVERIFY2(session.engine_end().text.find("the engine died: SIGSEGV") != std::string::npos,
             session.engine_end().text.c_str());
    session.restart_engine(false);
    QVERIFY(waits_for([&] { return session.status().state == RunState::Ready; }));
}

void TestFarEngine::places_are_not_trusted() {
    RunningPlace::Facts place;
    place.event = 17;
    place.is_under_way = true;
    place.op = "aten::conv2d";
    place.scope = "a|b\n";
    place.line = 3;
    const std::string line = end_place_line(place);
    const auto read = read_end_place(line);
    QVERIFY(read && read->event == 17 && read->is_under_way && read->op == "aten::conv2d" && read->scope == "a?b?");
    QVERIFY(line.find('\n') == std::string::npos);
    for (const std::string& wrong : {std::string(), line + "|x", line.substr(0, 40), std::string("the engine died"),
                                     std::string("tensorloupe-engine was at|-1|0|0|0|||"),
                                     std::string("tensorloupe-engine was at|99999999999|0|0|0|||")})
        QVERIFY2(!read_end_place(wrong), wrong.c_str());
}

void TestFarEngine::what_ssh_says_comes_as_one_line_data() {
    QTest::addColumn<QString>("lines");
    QTest::addColumn<QString>("said");
    QTest::newRow("host") << "echo 'ssh: Could not resolve hostname nohost: Name or service not known' >&2; exit 255"
                          << "far: ssh: Could not resolve hostname nohost: Name or service not known";
    QTest::newRow("refused") << "echo 'ssh: connect to host far port 1: Connection refused' >&2; exit 255"
                             << "far: ssh: connect to host far port 1: Connection refused";
    QTest::newRow("key")
        << "echo 'ada@far: Permission denied (publickey).' >&2; exit 255"
        << "far takes none of the keys and passwords that ssh offers: ada@far: Permission denied (publickey).";
    QTest::newRow("host key") << "echo 'Host key verification failed.' >&2; exit 255"
                              << "far: its key is not known here or has changed: connect once with ssh in a terminal, "
                                 "and see that the key is right";
    QTest::newRow("not found") << "echo 'bash: line 1: tensorloupe-engine: command not found' >&2; exit 127"
                               << "far: tensorloupe-engine was not found there: bash: line 1: tensorloupe-engine: "
                                  "command not found";
    QTest::newRow("silent") << "exit 7"
                            << "far: the command ended with status 7";
    QTest::newRow("no engine") << "echo 'Welcome to the cluster'; exit 0"
                               << "far: it said nothing";
}

void TestFarEngine::what_ssh_says_comes_as_one_line() {
    QFETCH(const QString, lines);
    QFETCH(const QString, said);
    QCOMPARE(QString::fromStdString(said_of(lines.toStdString())), said);
}

void TestFarEngine::other_versions_are_refused() {
    const std::string other = said_of("echo 'motd'; echo 'tensorloupe-engine 99.1 abc def'; exec sleep 30");
    QVERIFY2(other.starts_with("the engine on far is of version 99.1 and this program of "), other.c_str());
    const std::string own = engine_greeting();
    const std::string before = own.substr(0, own.rfind(' '));
    const std::string protocol = said_of("echo '" + before + " 0000'; exec sleep 30");
    QVERIFY2(protocol.starts_with("the engine on far says its messages in another way"), protocol.c_str());
    // Another build of the same.
    QCOMPARE(why_not_taken_from("far", before.substr(0, before.rfind(' ')) + " other " + protocol_id()), std::string());
}

void TestFarEngine::lists_folders() {
    QTemporaryDir folder;
    const std::filesystem::path root = std::filesystem::canonical(folder.path().toStdString());
    std::filesystem::create_directory(root / "sub");
    std::ofstream(root / "b.pt") << "12345";
    std::ofstream(root / "A.PT") << "1";
    std::ofstream(root / "c.txt") << "1";
    std::ofstream(root / ".hidden") << "1";
    std::filesystem::create_symlink("round", root / "round");
    std::filesystem::create_directory_symlink("..", root / "sub" / "up");
    Session session;
    FolderPage page = answer_of(session, ListFolderQuery{.path = root.string()});
    QCOMPARE(page.path, root.string());
    QCOMPARE(page.parent, root.parent_path().string());
    QCOMPARE(page.total, std::uint64_t{5});
    QCOMPARE(page.entries[0].name, std::string("sub"));
    QCOMPARE(page.entries[0].kind, session::FolderEntry::Kind::Folder);
    QCOMPARE(page.entries[2].bytes, std::int64_t{5});
    QVERIFY(page.entries[2].changed > 0);
    QCOMPARE(page.entries[4].kind, session::FolderEntry::Kind::Broken);
    page = answer_of(session, ListFolderQuery{.path = root.string(), .patterns = {"*.pt"}});
    QCOMPARE(page.total, std::uint64_t{3});
    page = answer_of(session, ListFolderQuery{.path = (root / "sub/up/sub/up/b.pt").string()});
    QCOMPARE(page.path, root.string());
    QCOMPARE(page.file, std::string("b.pt"));
    page = answer_of(session, ListFolderQuery{.path = (root / "sub").string()});
    QVERIFY(page.file.empty());
    page = answer_of(session, ListFolderQuery{.path = (root / "round").string()});
    QVERIFY2(page.error.find("Too many levels of symbolic links") != std::string::npos, page.error.c_str());
    page = answer_of(session, ListFolderQuery{.path = "/not/there"});
    QCOMPARE(page.error, std::string("/not/there: No such file or directory"));
    std::filesystem::permissions(root / "sub", std::filesystem::perms::none);
    page = answer_of(session, ListFolderQuery{.path = root.string()});
    if (::geteuid() != 0) {
        QVERIFY(!page.entries[0].is_readable);
        page = answer_of(session, ListFolderQuery{.path = (root / "sub").string()});
        QVERIFY(page.error.find("Permission denied") != std::string::npos);
    }
    std::filesystem::permissions(root / "sub", std::filesystem::perms::owner_all);
    // A page of very many.
    std::filesystem::create_directory(root / "many");
    for (int i = 0; i < 100'000; ++i) {
        const auto name = root / "many" / (std::to_string(1'000'000 + i) + ".pt");
        ::close(::open(name.c_str(), O_CREAT | O_WRONLY, 0600));
    }
    const auto before = Clock::now();
    page = answer_of(session, ListFolderQuery{.path = (root / "many").string(), .first = 50'000, .count = 200});
    const auto took = milliseconds_since(before);
    qInfo("a page of 100,000 files: %lld ms", static_cast<long long>(took));
    QCOMPARE(page.total, std::uint64_t{100'000});
    QCOMPARE(page.entries.size(), std::size_t{200});
    QCOMPARE(page.entries[0].name, std::string("1050000.pt"));
}

void TestFarEngine::reads_and_writes_files() {
    QTemporaryDir folder;
    const std::string file = folder.filePath("x").toStdString();
    Session session;
    QCOMPARE(answer_of(session, WriteFileQuery{.path = file, .bytes = "hello "}), std::string());
    QCOMPARE(answer_of(session, WriteFileQuery{.path = file, .bytes = "you", .first = 6}), std::string());
    QVERIFY(!answer_of(session, WriteFileQuery{.path = file, .bytes = "you", .first = 60}).empty());
    FileBytes read = answer_of(session, ReadFileQuery{.path = file, .first = 6, .count = 2});
    QCOMPARE(read.bytes, std::string("yo"));
    QCOMPARE(read.size, std::uint64_t{9});
    QVERIFY(!answer_of(session, ReadFileQuery{.path = "/dev/zero"}).error.empty());
    QVERIFY(!answer_of(session, ReadFileQuery{.path = folder.path().toStdString()}).error.empty());
    const session::FileFacts facts = answer_of(session, LookAtFileQuery{.path = kModels + "digits.pt"});
    QVERIFY(facts.exists && !facts.is_folder && facts.bytes > 0);
    QVERIFY(!answer_of(session, LookAtFileQuery{.path = "/not/there"}).exists);
}

void TestFarEngine::pieces_are_not_trusted() {
    PieceMaker maker;
    const std::string noise(200'000, 'x');
    maker.put(MessageKind::Status, "short");
    maker.put(MessageKind::Answer, noise);
    std::string random_bytes;
    std::mt19937 random(5);
    for (int i = 0; i < 100'000; ++i) random_bytes += static_cast<char>(random());
    maker.put(MessageKind::Answer, random_bytes);
    maker.put(MessageKind::Log, "later");
    std::vector<std::string> pieces;
    while (!maker.is_empty()) pieces.push_back(maker.take());
    QCOMPARE(maker.bytes(), std::size_t{0});
    PieceReader reader;
    std::vector<Message> got;
    for (const std::string& piece : pieces) {
        if (auto message = reader.take(piece)) got.push_back(std::move(*message));
    }
    QCOMPARE(got.size(), std::size_t{4});
    QCOMPARE(got[0].bytes, std::string("short"));
    QVERIFY(got[2].kind == MessageKind::Log);  // before the long one
    QCOMPARE(got[3].bytes, random_bytes);
    for (int round = 0; round < 2000; ++round) {
        PieceReader damaged;
        try {
            for (std::string piece : pieces) {
                if (random() % 4 == 0)
                    piece[random() % std::min<std::size_t>(piece.size(), 24)] = static_cast<char>(random());
                if (random() % 20 == 0) piece.resize(random() % piece.size());
                damaged.take(piece);
            }
        } catch (const Error& error) {
            QVERIFY(error.kind() == ErrorKind::File);
        }
    }
}

void TestFarEngine::a_long_answer_is_given_up_for_the_next_of_its_tag() {
    std::mt19937 random(5);
    const auto noise = [&](int count) {
        std::string bytes;
        for (int i = 0; i < count; ++i) bytes += static_cast<char>(random());
        return bytes;
    };
    const std::string first = noise(100'000), second = noise(90'000), other = noise(80'000);
    PieceMaker maker;
    std::vector<std::string> pieces;
    maker.put_last(MessageKind::Answer, first, "a", {MessageKind::DroppedQuestion, "1"});
    maker.put_last(MessageKind::Answer, other, "b", {MessageKind::DroppedQuestion, "2"});
    for (int i = 0; i < 2; ++i) pieces.push_back(maker.take());
    // One that has begun, then one that has not.
    maker.put_last(MessageKind::Answer, second, "a", {MessageKind::DroppedQuestion, "3"});
    maker.put_last(MessageKind::Answer, "short", "b", {MessageKind::DroppedQuestion, "4"});
    while (!maker.is_empty()) pieces.push_back(maker.take());
    QCOMPARE(maker.bytes(), std::size_t{0});
    PieceReader reader;
    std::vector<Message> got;
    std::size_t bytes = 0;
    for (const std::string& piece : pieces) {
        bytes += piece.size();
        if (auto message = reader.take(piece)) got.push_back(std::move(*message));
    }
    QCOMPARE(got.size(), std::size_t{4});
    QVERIFY(got[0].kind == MessageKind::DroppedQuestion && got[0].bytes == "1");
    QVERIFY(got[1].kind == MessageKind::DroppedQuestion && got[1].bytes == "2");
    QCOMPARE(got[2].bytes, std::string("short"));
    QCOMPARE(got[3].bytes, second);
    QVERIFY(bytes < 130'000);
    QVERIFY_THROWS_EXCEPTION(Error, PieceReader().take(std::string(1, '\x09')));  // had not begun

    FarSessions far({LOUPE_BINARY_DIR "/tests/loupe_slow_link", "10", "1000000"});
    const auto place = far.place();
    QTemporaryDir folder;
    const std::string file = folder.filePath("noise").toStdString();
    const std::string long_one = noise(3'000'000);
    std::ofstream(file, std::ios::binary) << long_one;
    Session session;
    session.open(kModels + "digits.pt");
    session.wait_idle();
    std::atomic<int> first_answers{0}, last_answers{0};
    session.ask("same", ReadFileQuery{.path = file}, [&](const FileBytes&) { ++first_answers; });
    QTest::qWait(400);
    session.ask("same", ReadFileQuery{.path = file, .first = 5, .count = 50'000},
                [&](const FileBytes& answer) { last_answers += answer.bytes == long_one.substr(5, 50'000) ? 1 : 100; });
    QVERIFY(waits_for([&] { return last_answers > 0; }));
    session.wait_idle();
    QCOMPARE(first_answers.load(), 0);
    QCOMPARE(last_answers.load(), 1);
    QVERIFY(waits_for([&] { return place->state().bytes_received > 0; }));
    QVERIFY2(place->state().bytes_received < 2'000'000, std::to_string(place->state().bytes_received).c_str());
}

void TestFarEngine::elements_are_as_long_as_they_must_be() {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const std::vector<double> floats{0.1F, -0.0, nan, std::numeric_limits<float>::infinity(), 3e-45F};
    const std::vector<double> doubles{0.1, 1e300, 1.0};
    QCOMPARE(to_bytes(floats).size(), 1 + 8 + 4 * floats.size());
    QCOMPARE(to_bytes(doubles).size(), 1 + 8 + 8 * doubles.size());
    for (const auto& row : {floats, doubles, std::vector<double>()}) {
        const auto read = from_bytes<std::vector<double>>(to_bytes(row));
        QCOMPARE(read.size(), row.size());
        QVERIFY(row.empty() || std::memcmp(read.data(), row.data(), 8 * row.size()) == 0);
    }
    QVERIFY_THROWS_EXCEPTION(Error, from_bytes<std::vector<double>>(to_bytes(doubles).substr(0, 20)));
}

// No other one is tried before the user wants it.
void TestFarEngine::a_question_that_ssh_asked_and_nobody_answered() {
    FarSessions far;
    const auto place = far.place();
    Session session;
    session.open(kModels + "digits.pt");
    session.wait_idle();
    const std::string tries = (far.folder() / "tries").string();
    far.script("echo x >> '" + tries + "'; echo '" + kQuestionNotAnswered + "' >&2; exit 255");
    far.drop();
    QVERIFY(waits_for([&] { return place->state().kind == FarState::Kind::Lost && std::filesystem::exists(tries); }));
    QVERIFY(waits_for([&] { return place->state().next_try == Clock::time_point::max(); }));
    QVERIFY(place->state().text.find(kQuestionNotAnswered) != std::string::npos);
    far.script(far.engine_lines());
    QTest::qWait(600);
    QCOMPARE(place->state().kind, FarState::Kind::Lost);
    place->reconnect_now();
    QVERIFY(waits_for([&] { return place->state().kind == FarState::Kind::Connected; }));
    session.run(backward());
    session.wait_idle();
    QCOMPARE(session.status().state, RunState::Finished);
}

void TestFarEngine::own_files_are_removed() {
    Session session;
    const FileBytes own = answer_of(session, OwnFileQuery{"model.pt"});
    QCOMPARE(answer_of(session, WriteFileQuery{.path = own.bytes, .bytes = "hello"}), std::string());
    QVERIFY(std::filesystem::exists(own.bytes));
    QTemporaryDir folder;
    const std::string other = folder.filePath("model.pt").toStdString();
    std::ofstream(other) << "x";
    // Only of its own folder, whatever is named.
    QCOMPARE(answer_of(session, RemoveOwnFileQuery{other}), std::string());
    QVERIFY(std::filesystem::exists(other));
    QVERIFY(!std::filesystem::exists(own.bytes));
    QVERIFY(!answer_of(session, RemoveOwnFileQuery{".."}).empty());
}

void TestFarEngine::steps_soon_over_a_slow_line() {
    FarSessions far({LOUPE_BINARY_DIR "/tests/loupe_slow_link", "50", "1000000"});
    const auto place = far.place();
    Session session;
    session.open(kModels + "digits.pt");
    RunOptions options = backward();
    options.pause_at_start = true;
    session.run(options);
    session.wait_idle();
    std::int64_t worst = 0;
    int events = 0;
    for (int i = 0; i < 8 && session.status().state == RunState::Paused; ++i) {
        const std::size_t before = session.recording()->event_count();
        const auto begin = Clock::now();
        session.step(StepKind::Into);
        // A step into a module runs no operator.
        while (session.recording()->event_count() == before && milliseconds_since(begin) < 1000) QTest::qWait(1);
        if (session.recording()->event_count() != before) {
            ++events;
            worst = std::max(worst, milliseconds_since(begin));
        }
        session.wait_idle();
    }
    QVERIFY(events > 1);
    qInfo("a step at 100 ms there and back, 1 MB/s: at most %lld ms until its event is there",
          static_cast<long long>(worst));
}

void TestFarEngine::a_long_slice_keeps_nothing_waiting() {
    FarSessions far({LOUPE_BINARY_DIR "/tests/loupe_slow_link", "50", "1000000"});
    const auto place = far.place();
    QTemporaryDir folder;
    const std::string file = folder.filePath("noise").toStdString();
    std::mt19937 random(5);
    std::string noise;
    for (int i = 0; i < 3'000'000; ++i) noise += static_cast<char>(random());
    std::ofstream(file, std::ios::binary) << noise;
    Session session;
    session.open(kModels + "digits.pt");
    session.wait_idle();
    std::atomic<bool> has_come{false};
    session.ask("long", ReadFileQuery{.path = file},
                [&](const FileBytes& answer) { has_come = answer.bytes == noise; });
    QTest::qWait(500);
    std::int64_t worst = 0;
    for (int i = 0; i < 5; ++i) {
        const auto begin = Clock::now();
        std::atomic<bool> is_there{false};
        session.ask("short", LookAtFileQuery{.path = file}, [&](const session::FileFacts&) { is_there = true; });
        while (!is_there && milliseconds_since(begin) < 5000) QTest::qWait(1);
        worst = std::max(worst, milliseconds_since(begin));
        QVERIFY(!has_come);
    }
    qInfo("a short answer beside a long one at 100 ms, 1 MB/s: at most %lld ms", static_cast<long long>(worst));
    QVERIFY(waits_for([&] { return has_come.load(); }));
}

QTEST_GUILESS_MAIN(TestFarEngine)
#include "test_far_engine.moc"
