// SPDX-License-Identifier: Apache-2.0
// An engine in the background, far away, writes nowhere but into its own folders and where its user permits. What is
// saved elsewhere is opened for it there, and put in its place as of an engine on this machine.
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>

#include "core/base/restricted_thread.h"
#include "core/formats/numpy/npy.h"
#include "core/session/queries/file_bytes.h"
#include "core/session/queries/keep_written.h"
#include "core/session/queries/save_recording.h"
#include "core/session/queries/save_tensor.h"
#include "core/session/queries/save_weights.h"
#include "core/session/queries/studies.h"
#include "core/session/remote/frame_head.h"
#include "core/session/remote/greeting.h"
#include "core/session/remote/link_messages.h"
#include "core/session/remote/messages.h"
#include "core/session/wire/wire.h"
#include "tests/session/far_sessions.h"
#include "tests/session/written_files.h"

using namespace loupe;
using namespace loupe::session;
namespace fs = std::filesystem;

namespace {

std::string frame(std::uint32_t kind, const std::string& bytes, std::uint32_t size) {
    std::array<char, kFrameHead> head{};
    put_number(head.data(), kind);
    put_number(head.data() + 4, size);
    return std::string(head.data(), head.size()) + bytes;
}
std::string frame(MessageKind kind, const std::string& bytes) {
    return frame(static_cast<std::uint32_t>(kind), bytes, static_cast<std::uint32_t>(bytes.size()));
}

// What the front says to that: on stdout behind the greeting, and on stderr.
struct FrontSaid {
    std::string out;
    std::string errors;
    bool has_ended = false;
};
FrontSaid front_said(const std::string& bytes) {
    QProcess front;
    front.start(QString::fromStdString(kFarEngine), {"--stdio", "--stay", "--engine", "test"});
    QByteArray out;
    while (!out.contains('\n') && front.waitForReadyRead(30000)) out += front.readAllStandardOutput();
    front.write(QByteArray::fromStdString(bytes));
    front.waitForBytesWritten();
    FrontSaid said;
    said.has_ended = front.waitForFinished(30000);
    out += front.readAllStandardOutput();
    said.out = out.mid(out.indexOf('\n') + 1).toStdString();
    said.errors = front.readAllStandardError().toStdString();
    front.kill();
    front.waitForFinished();
    return said;
}

}  // namespace

class TestFarWrites : public QObject {
    Q_OBJECT

  private slots:
    void writes_nowhere_else();
    void saves_where_its_user_says();
    void what_cannot_be_written_is_said();
    void what_ends_it_leaves_no_part_of_a_file();
    void a_save_is_finished_behind_a_drop();
    void a_permission_names_the_option();
    void writes_where_the_command_says();
    void a_folder_that_is_none_is_said();
    void keeps_what_a_source_wrote();
    void takes_its_own_folder_away();
    void hostile_frames_data();
    void hostile_frames();
    void what_nobody_opened_is_not_written();
};

void TestFarWrites::writes_nowhere_else() {
    if (RestrictedThread::version() == 0) QSKIP("this kernel has no Landlock");
    QTemporaryDir other;
    FarSessions far;
    const auto place = far.place();
    Session session;
    run_digits(session);
    QTRY_VERIFY(!names_in(far.folder() / "test.kept").empty());
    // A place like any other.
    session.keep_in(other.path().toStdString());
    session.run({});
    session.wait_idle();
    QTest::qWait(1500);
    QVERIFY(names_in(other.path().toStdString()).empty());
    const std::string file = other.filePath("x").toStdString();
    std::ofstream(file) << "x";
    const std::string why = answer_of(session, WriteFileQuery{.path = file, .bytes = "y", .first = 1});
    QVERIFY2(why.find("Permission denied") != std::string::npos, why.c_str());
    QCOMPARE(text_of(file), std::string("x"));
}

void TestFarWrites::saves_where_its_user_says() {
    QTemporaryDir folder;
    FarSessions far;
    const auto place = far.place();
    Session session;
    run_digits(session);
    const fs::path recording = folder.filePath("run.loupe").toStdString();
    const fs::path weights = folder.filePath("weights.safetensors").toStdString();
    const fs::path tensor = folder.filePath("value.npy").toStdString();
    // One that is there: its mode stays, and a link to it is followed.
    std::ofstream(folder.filePath("kept").toStdString()) << "of before, and longer than nothing";
    ::chmod(folder.filePath("kept").toStdString().c_str(), 0604);
    fs::create_symlink("kept", tensor);
    QCOMPARE(answer_of(session, SaveRecordingQuery{.file = recording}), std::string());
    QCOMPARE(answer_of(session, SaveWeightsQuery{.file = weights}), std::string());
    const ValueId value = session.recording()->event(1).outputs.front();
    TensorRequest what;
    what.value = value;
    QCOMPARE(answer_of(session, SaveTensorQuery{.what = what, .file = tensor}), std::string());
    QVERIFY(std::ranges::equal(read_npy(tensor).sizes(), session.recording()->value(value).shape));
    const fs::path arrays = folder.filePath("study.npz").toStdString();
    const StudyResult study = answer_of(session, StudyQuery{.name = "pca", .file = arrays});
    QVERIFY2(study.error.empty(), study.error.c_str());
    QVERIFY(!read_npz(arrays).empty());
    const fs::path text = folder.filePath("text").toStdString();
    QCOMPARE(answer_of(session, WriteFileQuery{.path = text, .bytes = "hello"}), std::string());
    QCOMPARE(text_of(text), std::string("hello"));
    struct stat facts {};
    QCOMPARE(::lstat(folder.filePath("kept").toStdString().c_str(), &facts), 0);
    QVERIFY(S_ISREG(facts.st_mode));
    QCOMPARE(facts.st_mode & 0777, mode_t{0604});
    QVERIFY(fs::is_symlink(tensor));
    QCOMPARE(names_in(folder.path().toStdString()).size(), std::size_t{6});
    // They are what they are of an engine in this process.
    set_far_place(nullptr);
    Session other;
    other.open(recording);
    other.wait_idle();
    QVERIFY(other.recording() != nullptr);
    QCOMPARE(other.recording()->event_count(), session.recording()->event_count());
    Session local;
    local.open(kModels + "digits.pt");
    local.wait_idle();
    const fs::path same = folder.filePath("same.safetensors").toStdString();
    QCOMPARE(answer_of(local, SaveWeightsQuery{.file = same}), std::string());
    QVERIFY(text_of(weights) == text_of(same));
}

void TestFarWrites::what_cannot_be_written_is_said() {
    QTemporaryDir folder;
    FarSessions far;
    const auto place = far.place();
    Session session;
    const std::string nothing =
        answer_of(session, SaveRecordingQuery{.file = folder.filePath("none.loupe").toStdString()});
    QVERIFY2(nothing.find("nothing was recorded") != std::string::npos, nothing.c_str());
    run_digits(session);
    for (const char* name : {"/missing/run.loupe", "/"}) {
        const std::string why = answer_of(session, SaveRecordingQuery{.file = folder.path().toStdString() + name});
        QVERIFY2(why.find("cannot write") != std::string::npos, why.c_str());
        QVERIFY2(why.find('\n') == std::string::npos, why.c_str());
    }
    // Of an extension that is none: the file of before stays.
    const fs::path kept = folder.filePath("weights.xyz").toStdString();
    std::ofstream(kept) << "kept";
    QVERIFY(!answer_of(session, SaveWeightsQuery{.file = kept}).empty());
    QCOMPARE(text_of(kept), std::string("kept"));
    QCOMPARE(names_in(folder.path().toStdString()).size(), std::size_t{1});
}

void TestFarWrites::what_ends_it_leaves_no_part_of_a_file() {
    QTemporaryDir folder;
    FarSessions far;
    const auto place = far.place();
    Session session;
    run_digits(session);
    const fs::path file = folder.filePath("run.loupe").toStdString();
    std::ofstream(file) << "of before";
    const pid_t engine = far.engine_pid();
    ::kill(engine, SIGSTOP);
    auto answer = std::make_shared<std::promise<std::string>>();
    session.ask("save", SaveRecordingQuery{.file = file}, [answer](std::string given) { answer->set_value(given); });
    QTest::qWait(300);
    ::kill(engine, SIGKILL);
    const std::string why = answer->get_future().get();
    QVERIFY2(why.find("the engine was killed") != std::string::npos, why.c_str());
    QCOMPARE(text_of(file), std::string("of before"));
    QCOMPARE(names_in(folder.path().toStdString()).size(), std::size_t{1});
}

void TestFarWrites::a_save_is_finished_behind_a_drop() {
    QTemporaryDir folder;
    FarSessions far;
    const auto place = far.place();
    Session session;
    run_digits(session);
    const fs::path file = folder.filePath("run.loupe").toStdString();
    std::ofstream(file) << "of before";
    const pid_t engine = far.engine_pid();
    // It has the question, and has not begun.
    ::kill(engine, SIGSTOP);
    std::atomic<int> answers{0}, wrong{0};
    session.ask("save", SaveRecordingQuery{.file = file}, [&](const std::string& why) {
        wrong += why.empty() ? 0 : 1;
        ++answers;
    });
    QTest::qWait(500);
    QCOMPARE(text_of(file), std::string("of before"));
    far.script("exit 255");  // the host is away
    far.drop();
    QVERIFY(waits_for([&] { return place->state().kind == FarState::Kind::Lost; }));
    ::kill(engine, SIGCONT);
    waits_for([&] { return text_of(file) != "of before"; }, 5);
    QCOMPARE(answers.load(), 0);
    far.script(far.engine_lines());
    place->reconnect_now();
    QVERIFY(waits_for([&] { return answers > 0; }));
    QCOMPARE(answers.load(), 1);
    QCOMPARE(wrong.load(), 0);
    QCOMPARE(names_in(folder.path().toStdString()).size(), std::size_t{1});
    set_far_place(nullptr);
    Session other;
    other.open(file);
    other.wait_idle();
    QVERIFY(other.recording() != nullptr);
    QCOMPARE(other.recording()->event_count(), session.recording()->event_count());
    // And the next one, over the new connection.
    QCOMPARE(answer_of(session, SaveRecordingQuery{.file = folder.filePath("next.loupe").toStdString()}),
             std::string());
}

void TestFarWrites::a_permission_names_the_option() {
    if (RestrictedThread::version() == 0) QSKIP("this kernel has no Landlock");
    QTemporaryDir folder;
    QTemporaryDir other;
    const fs::path written = other.filePath("out.txt").toStdString();
    const fs::path source = writing_source(folder, written);
    FarSessions far;
    const auto place = far.place();
    Heard heard;
    Session session(&heard);
    session.permit_source(source, {.read = {}, .write = {other.path().toStdString()}});
    session.open(source);
    session.wait_idle();
    QVERIFY(!fs::exists(written));
    const std::string option = "--may-write " + other.path().toStdString();
    const auto lines = heard.lines();
    const auto said =
        std::ranges::find_if(lines, [&](const auto& line) { return line.text.find(option) != std::string::npos; });
    QVERIFY(said != lines.end());
    QCOMPARE(said->level, SessionListener::LogEntry::Level::Warning);
    QVERIFY2(said->text.find('\n') == std::string::npos, said->text.c_str());
}

void TestFarWrites::writes_where_the_command_says() {
    QTemporaryDir folder;
    QTemporaryDir other;
    const fs::path written = other.filePath("out.txt").toStdString();
    const fs::path source = writing_source(folder, written);
    FarSessions far;
    far.script(far.engine_lines() + " --may-write '" + other.path().toStdString() + "'");
    const auto place = far.place();
    Heard heard;
    Session session(&heard);
    session.permit_source(source, {.read = {}, .write = {other.path().toStdString()}});
    session.open(source);
    session.wait_idle();
    QCOMPARE(text_of(written), std::string("written\n"));
    for (const auto& line : heard.lines())
        QVERIFY2(line.text.find("--may-write") == std::string::npos, line.text.c_str());
}

void TestFarWrites::a_folder_that_is_none_is_said() {
    FarSessions far;
    far.script(far.engine_lines() + " --may-write /not/there");
    const auto place = far.place();
    Session session;
    QVERIFY(waits_for([&] { return session.engine_end().kind != EngineEnd::Kind::None; }));
    QCOMPARE(session.engine_end().text, std::string("far: tensorloupe-engine: --may-write /not/there: no such folder"));
}

void TestFarWrites::keeps_what_a_source_wrote() {
    QTemporaryDir folder;
    const fs::path to = folder.filePath("kept").toStdString();
    const fs::path source = writing_source(folder, "out.txt");
    FarSessions far;
    const auto place = far.place();
    Heard heard;
    Session session(&heard);
    session.open(source);
    session.wait_idle();
    std::string fresh;
    for (const auto& line : heard.lines()) {
        if (line.access.kind == SessionListener::FileAccess::Kind::Wrote) fresh = line.access.folder;
    }
    QVERIFY(fs::exists(fs::path(fresh) / "out.txt"));
    QCOMPARE(answer_of(session, KeepWrittenQuery{.fresh_folder = fresh, .to = to}), std::string());
    QCOMPARE(text_of(to / "out.txt"), std::string("written\n"));
    const std::string again = answer_of(session, KeepWrittenQuery{.fresh_folder = fresh, .to = to});
    QVERIFY2(again.find("is there already") != std::string::npos, again.c_str());
    fs::remove_all(fs::path(fresh).parent_path());
}

void TestFarWrites::takes_its_own_folder_away() {
    QTemporaryDir temporary;
    qputenv("TMPDIR", temporary.path().toUtf8());
    {
        FarSessions far;
        const auto place = far.place();
        Session session;
        const FileBytes own = answer_of(session, OwnFileQuery{"model.pt"});
        QCOMPARE(answer_of(session, WriteFileQuery{.path = own.bytes, .bytes = "hello"}), std::string());
        QVERIFY2(own.bytes.starts_with(fs::canonical(temporary.path().toStdString()).string()), own.bytes.c_str());
        QVERIFY(fs::exists(own.bytes));
    }
    QTRY_VERIFY_WITH_TIMEOUT(names_in(temporary.path().toStdString()).empty(), 60'000);
    qunsetenv("TMPDIR");
}

void TestFarWrites::hostile_frames_data() {
    QTest::addColumn<QString>("bytes");
    QTest::addColumn<QString>("said");
    const auto row = [](const char* name, const std::string& bytes, const char* said) {
        QTest::newRow(name) << QString::fromLatin1(bytes.data(), static_cast<qsizetype>(bytes.size())) << said;
    };
    row("kind", frame(0xfffffff0U, "x", 1), "4294967280 is no kind of one");
    row("long", frame(static_cast<std::uint32_t>(MessageKind::Piece), "x", 0xffffffffU), "one of 4294967295 bytes");
    row("long grant", frame(static_cast<std::uint32_t>(MessageKind::Grant), "x", 1U << 20), "one of 1048576 bytes");
}

void TestFarWrites::hostile_frames() {
    QFETCH(const QString, bytes);
    QFETCH(const QString, said);
    FarSessions far;
    const FrontSaid answer = front_said(bytes.toLatin1().toStdString());
    QVERIFY(answer.has_ended);
    QCOMPARE(answer.errors,
             "tensorloupe-engine: what came from the window is no message: " + said.toStdString() + "\n");
    QVERIFY2(far.list().find("nobody has it") != std::string::npos, far.list().c_str());
    // And none that is cut off, or that no guardian takes, costs it anything.
    QTemporaryDir folder;
    const fs::path file = folder.filePath("x").toStdString();
    const std::string grant = to_bytes(GrantMessage{.number = 1, .path = file});
    std::string stream = frame(MessageKind::Grant, "no grant") + frame(MessageKind::Grant, {}) +
                         frame(MessageKind::Grant, grant) + frame(MessageKind::Grant, grant) +
                         frame(MessageKind::Hello, to_bytes(HelloMessage{.only_asks = true}));
    const FrontSaid told = front_said(stream);
    QVERIFY2(told.out.find("nobody has it") != std::string::npos, told.out.c_str());
    QCOMPARE(told.errors, std::string());
    QVERIFY(!fs::exists(file));
}

// The engine can have files put in place that a session has named, and no others.
void TestFarWrites::what_nobody_opened_is_not_written() {
    QTemporaryDir folder;
    FarSessions far;
    const auto place = far.place();
    Session session;
    run_digits(session);
    // Given up: the answer needs no file.
    const fs::path file = folder.filePath("weights.xyz").toStdString();
    for (int i = 0; i < 5; ++i) QVERIFY(!answer_of(session, SaveWeightsQuery{.file = file}).empty());
    QVERIFY(names_in(folder.path().toStdString()).empty());
    QCOMPARE(session.engine_end().kind, EngineEnd::Kind::None);
}

QTEST_GUILESS_MAIN(TestFarWrites)
#include "test_far_writes.moc"
