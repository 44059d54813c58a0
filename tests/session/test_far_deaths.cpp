// SPDX-License-Identifier: Apache-2.0
// An engine in the background that died while no window was there, or with another: the next one hears why, where, and
// what of it is back.
#include <signal.h>

#include <algorithm>
#include <fstream>

#include "core/session/queries/tensor.h"
#include "core/session/remote/kept_opening.h"
#include "tests/session/far_sessions.h"

using namespace loupe;
using namespace loupe::session;

namespace {

const std::string kModels = LOUPE_SOURCE_DIR "/resources/models/";

// Hears the line too.
class HeardAll final : public SessionListener {
  public:
    void on_log(const LogEntry& entry) override {
        const std::lock_guard lock(mutex_);
        lines_.push_back(entry);
    }
    void on_engine_end(const EngineEnd& end) override {
        const std::lock_guard lock(mutex_);
        if (end.kind == EngineEnd::Kind::None && !end.text.empty()) ends_.push_back(end.text);
    }
    std::vector<std::string> ends() {
        const std::lock_guard lock(mutex_);
        return ends_;
    }
    // Of the log, those that say it.
    std::vector<LogEntry> lines() {
        const std::lock_guard lock(mutex_);
        std::vector<LogEntry> found;
        std::ranges::copy_if(lines_, std::back_inserter(found),
                             [](const LogEntry& line) { return line.text.starts_with("before this window came"); });
        return found;
    }

  private:
    std::mutex mutex_;
    std::vector<LogEntry> lines_;
    std::vector<std::string> ends_;
};

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

RunOptions stepwise() {
    RunOptions options;
    options.backward = true;
    options.pause_at_start = true;
    return options;
}

// As far as that event; a step into a module runs no operator.
void step_to(Session& session, EventId event) {
    for (int i = 0; i < 40 && session.status().reached < event; ++i) {
        session.step(StepKind::Into);
        session.wait_idle();
    }
}

bool is_left(const FarSessions& far) {
    return waits_for([&] { return far.list().find("nobody has it") != std::string::npos; });
}

bool dies(const FarSessions& far, int signal = SIGSEGV) {
    ::kill(far.engine_pid(), signal);
    return waits_for([&] { return far.list().find("no engine") != std::string::npos; });
}

}  // namespace

class TestFarDeaths : public QObject {
    Q_OBJECT

  private slots:
    void a_new_window_hears_of_it();
    void a_source_may_read_what_it_might();
    void a_training_comes_back_too();
    void the_next_window_after_that_hears_nothing();
    void another_window_that_comes_first_hears_of_it();
    void a_window_that_saw_it_hears_it_once();
    void a_file_of_its_own_is_opened_instead();
    void a_model_that_is_gone_is_said();
    void one_that_ended_in_order_left_nothing();
    void what_is_kept_is_not_trusted();
};

void TestFarDeaths::a_new_window_hears_of_it() {
    FarSessions far;
    EventId reached = 0;
    {
        const auto place = far.place();
        Session session;
        session.open(kModels + "digits.pt");
        session.run(stepwise());
        session.wait_idle();
        step_to(session, 3);
        reached = session.status().reached;
        QVERIFY(reached >= 3);
        QTest::qWait(1500);  // the journal's
    }
    QVERIFY(is_left(far));
    QVERIFY(dies(far));
    const auto place = far.place();
    HeardAll heard;
    Session session(&heard);
    QVERIFY(waits_for([&] { return !heard.ends().empty(); }));
    QCOMPARE(heard.ends().size(), std::size_t{1});
    const std::string said = heard.ends().front();
    QVERIFY2(said.starts_with("before this window came the engine died: SIGSEGV behind event " +
                              std::to_string(reached) + "; restored: digits.pt, its run as far as event "),
             said.c_str());
    QVERIFY(said.find('\n') == std::string::npos);
    QCOMPARE(heard.lines().size(), std::size_t{1});
    QCOMPARE(heard.lines().front().text, said);
    QCOMPARE(heard.lines().front().level, SessionListener::LogEntry::Level::Warning);
    QVERIFY(session.model() != nullptr);
    QVERIFY(waits_for([&] { return session.recording() != nullptr && session.recording()->event_count() > 0; }));
    TensorRequest request;
    request.value = session.recording()->event(1).outputs.front();
    const auto slice = answer_of(session, TensorQuery{request});
    QVERIFY2(slice.error.empty(), slice.error.c_str());
    // It is a session like any other.
    session.run({});
    session.wait_idle();
    QCOMPARE(session.status().state, RunState::Finished);
    QCOMPARE(session.engine_end().kind, EngineEnd::Kind::None);
}

void TestFarDeaths::a_source_may_read_what_it_might() {
    FarSessions far;
    QTemporaryDir elsewhere, home;
    const std::filesystem::path widths = elsewhere.path().toStdString();
    const std::filesystem::path source = std::filesystem::path(home.path().toStdString()) / "net.py";
    std::ofstream(widths / "width.txt") << 5;
    std::ofstream(source) << "import torch\nwidth = int(open('" << (widths / "width.txt").string() << "').read())\n"
                          << "class Net(torch.nn.Module):\n    def forward(self, x):\n        return x * width\n"
                          << "example_inputs = (torch.ones(width),)\nassert torch.__version__.startswith('1.13')\n";
    {
        const auto place = far.place();
        Session session;
        session.permit_source(source, {.read = {widths}, .write = {}});
        session.set_torch_release(source, "1.13");
        session.open(source);
        session.wait_idle();
        QVERIFY2(session.model() != nullptr && session.model()->cannot_run.empty(), session.status().error.c_str());
    }
    QVERIFY(is_left(far));
    QVERIFY(dies(far));
    const auto place = far.place();
    HeardAll heard;
    Session session(&heard);
    QVERIFY(waits_for([&] { return !heard.ends().empty(); }));
    QVERIFY2(has(heard.ends().front(), "restored: net.py"), heard.ends().front().c_str());
    QCOMPARE(session.permissions_of(source).read, std::vector<std::filesystem::path>{widths});
    session.run({});
    session.wait_idle();
    QCOMPARE(session.status().state, RunState::Finished);
}

void TestFarDeaths::a_training_comes_back_too() {
    FarSessions far;
    {
        const auto place = far.place();
        Session session;
        session.open(kModels + "digits.pt");
        TrainOptions options;
        options.epochs = 1;
        options.max_steps = 12;
        session.train(options);
        session.wait_idle();
        QCOMPARE(session.training()->step_count(), std::size_t{12});
        QTest::qWait(500);
    }
    QVERIFY(is_left(far));
    QVERIFY(dies(far, SIGKILL));
    const auto place = far.place();
    HeardAll heard;
    Session session(&heard);
    QVERIFY(waits_for([&] { return !heard.ends().empty(); }));
    const std::string said = heard.ends().front();
    QVERIFY2(has(said, "before this window came the engine was killed"), said.c_str());
    QVERIFY2(has(said, "restored: digits.pt, its training as far as step 12"), said.c_str());
    QCOMPARE(session.training()->step_count(), std::size_t{12});
}

void TestFarDeaths::the_next_window_after_that_hears_nothing() {
    FarSessions far;
    {
        const auto place = far.place();
        Session session;
        session.open(kModels + "digits.pt");
        session.wait_idle();
    }
    QVERIFY(is_left(far));
    QVERIFY(dies(far));
    {
        const auto place = far.place();
        HeardAll heard;
        Session session(&heard);
        QVERIFY(waits_for([&] { return !heard.ends().empty(); }));
        session.wait_idle();
    }
    QVERIFY(is_left(far));
    const auto place = far.place();
    HeardAll heard;
    Session session(&heard);
    QVERIFY(waits_for([&] { return session.model() != nullptr; }));
    session.wait_idle();
    QVERIFY(heard.ends().empty());
    QVERIFY(heard.lines().empty());
}

void TestFarDeaths::another_window_that_comes_first_hears_of_it() {
    FarSessions far;
    const auto first_place = far.place();
    Session first;
    first.open(kModels + "digits.pt");
    first.wait_idle();
    const pid_t engine = far.engine_pid();
    far.script("exit 255");
    far.drop();
    QVERIFY(waits_for([&] { return first_place->state().kind == FarState::Kind::Lost; }));
    ::kill(engine, SIGSEGV);
    QVERIFY(waits_for([&] { return far.list().find("no engine") != std::string::npos; }));
    const auto engine_line = far.engine_lines();
    {
        // Of a window that reaches it otherwise.
        FarPlace::Options options = first_place->options();
        options.command = {kFarEngine, "--stdio", "--stay", "--engine", "test"};
        set_far_place(std::make_shared<FarPlace>(options));
        HeardAll heard;
        Session second(&heard);
        QVERIFY(waits_for([&] { return !heard.ends().empty(); }));
        QVERIFY2(has(heard.ends().front(), "the engine died: SIGSEGV"), heard.ends().front().c_str());
        QVERIFY2(has(heard.ends().front(), "restored: digits.pt"), heard.ends().front().c_str());
        second.wait_idle();
        QVERIFY(second.model() != nullptr);
    }
    // And the one that had it, as before.
    far.script(engine_line);
    QVERIFY(waits_for([&] { return first.engine_end().kind != EngineEnd::Kind::None; }));
    QVERIFY2(has(first.engine_end().text, "the engine died: SIGSEGV"), first.engine_end().text.c_str());
}

void TestFarDeaths::a_window_that_saw_it_hears_it_once() {
    FarSessions far;
    const auto place = far.place();
    HeardAll heard;
    Session session(&heard);
    session.open(kModels + "digits.pt");
    session.wait_idle();
    ::kill(far.engine_pid(), SIGSEGV);
    QVERIFY(waits_for([&] { return session.engine_end().kind != EngineEnd::Kind::None; }));
    session.restart_engine(false);
    QVERIFY(waits_for([&] { return session.status().state == RunState::Ready; }));
    session.wait_idle();
    QVERIFY(heard.ends().empty());
    QVERIFY(heard.lines().empty());
}

void TestFarDeaths::a_file_of_its_own_is_opened_instead() {
    FarSessions far;
    {
        const auto place = far.place();
        Session session;
        session.open(kModels + "digits.pt");
        session.wait_idle();
    }
    QVERIFY(is_left(far));
    QVERIFY(dies(far));
    const auto place = far.place();
    HeardAll heard;
    Session session(&heard);
    session.open(kModels + "lstm.pt");
    QVERIFY(waits_for([&] { return !heard.ends().empty(); }));
    const std::string said = heard.ends().front();
    QVERIFY2(has(said, "not restored: what it had, since another file was opened"), said.c_str());
    session.wait_idle();
    QVERIFY(session.model() != nullptr);
    QVERIFY2(has(session.model()->path, "lstm.pt"), session.model()->path.c_str());
}

void TestFarDeaths::a_model_that_is_gone_is_said() {
    QTemporaryDir folder;
    const std::filesystem::path model = folder.filePath("mine.pt").toStdString();
    std::filesystem::copy_file(kModels + "digits.pt", model);
    FarSessions far;
    {
        const auto place = far.place();
        Session session;
        session.open(model);
        session.wait_idle();
    }
    QVERIFY(is_left(far));
    QVERIFY(dies(far));
    std::filesystem::remove(model);
    const auto place = far.place();
    HeardAll heard;
    Session session(&heard);
    QVERIFY(waits_for([&] { return !heard.ends().empty(); }));
    const std::string said = heard.ends().front();
    QVERIFY2(has(said, "not restored: mine.pt, which does not open again"), said.c_str());
    // And of one that had none.
    session.open(kModels + "digits.pt");
    session.wait_idle();
    QCOMPARE(session.status().state, RunState::Ready);
}

void TestFarDeaths::one_that_ended_in_order_left_nothing() {
    FarSessions far;
    {
        const auto place = far.place();
        Session session;
        session.open(kModels + "digits.pt");
        session.wait_idle();
    }
    QVERIFY(is_left(far));
    QProcess::execute(QString::fromStdString(kFarEngine), {"--end", "test"});
    QVERIFY(waits_for([&] { return far.list().find("no engine") != std::string::npos; }));
    const auto place = far.place();
    HeardAll heard;
    Session session(&heard);
    session.wait_idle();
    QVERIFY(session.model() == nullptr);
    QVERIFY(heard.ends().empty());
}

void TestFarDeaths::what_is_kept_is_not_trusted() {
    QTemporaryDir folder;
    const std::filesystem::path path = folder.path().toStdString();
    QVERIFY(kept_opening(path).empty());
    Opened net{.open = {.file = "/models/net.pt", .build = "Net(3)"}};
    net.permissions.read = {"/data"};
    net.release = TorchRelease::V1_13;
    KeptOpening(path, net).succeed();
    {
        // One that does not succeed leaves the model there was; while it is under way none is kept.
        const KeptOpening other(path, {.open = {.file = "/models/other.pt"}});
        QVERIFY(kept_opening(path).empty());
    }
    const std::string kept = kept_opening(path);
    const auto opened = read_opening(kept);
    QVERIFY(opened && opened->open.file == "/models/net.pt" && opened->open.build == "Net(3)");
    QCOMPARE(opened->permissions.read, net.permissions.read);
    QVERIFY(opened->release == TorchRelease::V1_13);
    for (std::size_t size = 0; size < kept.size(); ++size)
        QVERIFY(!read_opening(std::string_view(kept).substr(0, size)));
    QVERIFY(!read_opening("x" + kept));
    forget_opening(path);
    QVERIFY(kept_opening(path).empty());
    std::filesystem::create_symlink("/etc/passwd", path / "opened");
    QVERIFY(kept_opening(path).empty());
}

QTEST_GUILESS_MAIN(TestFarDeaths)
#include "test_far_deaths.moc"
