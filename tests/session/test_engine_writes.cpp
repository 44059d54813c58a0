// SPDX-License-Identifier: Apache-2.0
// An engine in a process of its own writes nowhere but into its own folder, its cache, and where its user permits. What
// is saved elsewhere it is given open, so that saving is as it is in one process.
#include <signal.h>
#include <sys/stat.h>

#include <algorithm>

#include "core/base/restricted_thread.h"
#include "core/formats/numpy/npy.h"
#include "core/session/queries/keep_written.h"
#include "core/session/queries/save_recording.h"
#include "core/session/queries/save_tensor.h"
#include "core/session/queries/save_weights.h"
#include "core/session/queries/studies.h"
#include "tests/session/remote_session.h"
#include "tests/session/written_files.h"

using namespace loupe;
using namespace loupe::session;
namespace fs = std::filesystem;

class TestEngineWrites : public QObject {
    Q_OBJECT

  private slots:
    void saves_where_its_user_says();
    void what_cannot_be_written_is_said();
    void what_ends_it_leaves_no_part_of_a_file();
    void writes_nowhere_else();
    void a_permission_counts_from_the_next_opening();
    void a_permission_of_no_source_ends_no_engine();
    void keeps_what_a_source_wrote();
    void takes_its_own_folder_away();
};

void TestEngineWrites::saves_where_its_user_says() {
    QTemporaryDir folder;
    const RemoteSessions remote;
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
    struct stat facts {};
    QCOMPARE(::lstat(folder.filePath("kept").toStdString().c_str(), &facts), 0);
    QVERIFY(S_ISREG(facts.st_mode));
    QCOMPARE(facts.st_mode & 0777, mode_t{0604});
    QVERIFY(fs::is_symlink(tensor));
    QCOMPARE(names_in(folder.path().toStdString()).size(), std::size_t{5});
    // They are what they are of an engine in this process.
    Session other;
    other.open(recording);
    other.wait_idle();
    QVERIFY(other.recording() != nullptr);
    QCOMPARE(other.recording()->event_count(), session.recording()->event_count());
    Session::set_engine_program({});
    Session local;
    local.open(kModels + "digits.pt");
    local.wait_idle();
    const fs::path same = folder.filePath("same.safetensors").toStdString();
    QCOMPARE(answer_of(local, SaveWeightsQuery{.file = same}), std::string());
    QVERIFY(text_of(weights) == text_of(same));
}

void TestEngineWrites::what_cannot_be_written_is_said() {
    QTemporaryDir folder;
    const RemoteSessions remote;
    Session session;
    const std::string nothing =
        answer_of(session, SaveRecordingQuery{.file = folder.filePath("none.loupe").toStdString()});
    QVERIFY2(nothing.find("nothing was recorded") != std::string::npos, nothing.c_str());
    run_digits(session);
    for (const char* name : {"/missing/run.loupe", "", "/"}) {
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

void TestEngineWrites::what_ends_it_leaves_no_part_of_a_file() {
    QTemporaryDir folder;
    const RemoteSessions remote;
    Session session;
    run_digits(session);
    const fs::path file = folder.filePath("run.loupe").toStdString();
    std::ofstream(file) << "of before";
    ::kill(engine_processes().front(), SIGSTOP);
    auto answer = std::make_shared<std::promise<std::string>>();
    session.ask("save", SaveRecordingQuery{.file = file}, [answer](std::string given) { answer->set_value(given); });
    ::kill(engine_processes().front(), SIGKILL);
    const std::string why = answer->get_future().get();
    QVERIFY2(why.find("the engine was killed") != std::string::npos, why.c_str());
    QCOMPARE(text_of(file), std::string("of before"));
    QCOMPARE(names_in(folder.path().toStdString()).size(), std::size_t{1});
}

void TestEngineWrites::writes_nowhere_else() {
    if (RestrictedThread::version() == 0) QSKIP("this kernel has no Landlock");
    QTemporaryDir folder;
    QTemporaryDir other;
    const RemoteSessions remote;
    Session session;
    session.keep_in(folder.path().toStdString());
    run_digits(session);
    QTRY_VERIFY(!names_in(folder.path().toStdString()).empty());
    // Behind the start of its process this is a place like any other.
    session.keep_in(other.path().toStdString());
    session.run({});
    session.wait_idle();
    QTest::qWait(1500);
    QVERIFY(names_in(other.path().toStdString()).empty());
    run_digits(session);
    QTRY_VERIFY(!names_in(other.path().toStdString()).empty());
}

void TestEngineWrites::a_permission_counts_from_the_next_opening() {
    QTemporaryDir folder;
    QTemporaryDir other;
    const fs::path written = other.filePath("out.txt").toStdString();
    const fs::path source = writing_source(folder, written);
    const RemoteSessions remote;
    Heard heard;
    Session session(&heard);
    session.open(source);
    session.wait_idle();
    QVERIFY(!fs::exists(written));
    Breakpoint breakpoint;
    breakpoint.kind = Breakpoint::Kind::OperatorKind;
    breakpoint.text = "mul";
    session.add_breakpoint(breakpoint);
    session.permit_source(source, {.read = {}, .write = {other.path().toStdString()}});
    session.open(source);
    session.wait_idle();
    QCOMPARE(text_of(written), std::string("written\n"));
    QCOMPARE(session.status().state, RunState::Ready);
    QCOMPARE(engine_processes().size(), std::size_t{1});
    // It is not told as an end, and what was set holds.
    for (const EngineEnd& end : heard.ends()) QCOMPARE(end.kind, EngineEnd::Kind::None);
    QCOMPARE(session.breakpoints().size(), std::size_t{1});
    session.run({});
    session.wait_idle();
    QCOMPARE(session.status().state, RunState::Paused);
}

// Such an order ended the engine's process: what std::filesystem threw was not caught.
void TestEngineWrites::a_permission_of_no_source_ends_no_engine() {
    const RemoteSessions remote;
    Session session;
    session.permit_source({}, {});
    session.wait_idle();
    QCOMPARE(session.engine_end().kind, EngineEnd::Kind::None);
}

void TestEngineWrites::keeps_what_a_source_wrote() {
    QTemporaryDir folder;
    const fs::path to = folder.filePath("kept").toStdString();
    const fs::path source = writing_source(folder, "out.txt");
    const RemoteSessions remote;
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

void TestEngineWrites::takes_its_own_folder_away() {
    QTemporaryDir temporary;
    qputenv("TMPDIR", temporary.path().toUtf8());
    // Left by a process that is gone: an empty one, and one in which its user may look for what a source wrote.
    QVERIFY(QDir(temporary.path()).mkdir("tensorloupe-engine-4999999-empty"));
    QVERIFY(QDir(temporary.path()).mkpath("tensorloupe-engine-4999999-full/written"));
    {
        const RemoteSessions remote;
        Session session;
        run_digits(session);
        QCOMPARE(names_in(temporary.path().toStdString()).size(), std::size_t{2});
    }
    QCOMPARE(names_in(temporary.path().toStdString()), std::vector<std::string>{"tensorloupe-engine-4999999-full"});
    qunsetenv("TMPDIR");
}

QTEST_GUILESS_MAIN(TestEngineWrites)
#include "test_engine_writes.moc"
