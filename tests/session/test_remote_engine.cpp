// SPDX-License-Identifier: Apache-2.0
// An engine in a process of its own is seen as one in this process: what is opened, recorded, trained, asked and
// stopped; and what is recorded comes over byte for byte.
#include <csignal>

#include "core/base/error.h"
#include "core/record/recording_file.h"
#include "core/record/recording_rows.h"
#include "core/session/queries/continue_edit.h"
#include "core/session/queries/save_recording.h"
#include "core/session/queries/studies.h"
#include "core/session/queries/tensor.h"
#include "core/session/queries/watch.h"
#include "core/session/remote/recording_stream.h"
#include "core/session/wire/wire.h"
#include "tests/session/remote_session.h"

using namespace loupe;
using namespace loupe::session;

namespace {

const std::string kModels = LOUPE_SOURCE_DIR "/resources/models/";
const std::string kFixtures = LOUPE_SOURCE_DIR "/tests/fixtures/models/";

// All of a recording as rows, a line each.
std::vector<std::string> rows_of(const Recording& recording) {
    std::vector<std::string> rows;
    TextTable text;
    const auto add = [&](const char* what, std::size_t i, const Json& row) {
        rows.push_back(std::string(what) + " " + std::to_string(i) + " " + row.dump());
    };
    for (EventId id = 1; id <= recording.event_count(); ++id)
        add("event", id, event_row(recording.event(id), recording.backward_peer(id), text));
    for (ValueId id = 1; id <= recording.value_count(); ++id) add("value", id, value_row(recording.value(id), 0, text));
    for (std::uint32_t id = 1; id <= recording.frame_count(); ++id)
        add("frame", id, frame_row(recording.frame(id), recording.frame_end(id), text));
    for (std::size_t i = 0; i < recording.allocation_count(); ++i)
        add("allocation", i, allocation_row(recording.allocation(i), text));
    const std::vector<Saving> savings = recording.savings();
    for (std::size_t i = 0; i < savings.size(); ++i) add("saving", i, saving_row(savings[i], text));
    rows.push_back("peak " + std::to_string(recording.peak_bytes()) + " " + std::to_string(recording.peak_event()));
    if (const BackwardStart* start = recording.backward_start())
        rows.push_back("backward " + backward_start_json(*start).dump());
    rows.push_back(recording.is_complete() ? "complete" : "goes on");
    for (const std::string& each : text.texts()) rows.push_back("text " + each);
    return rows;
}

// The same without what differs between two runs of the same: times, addresses, and numbers of storages.
std::vector<std::string> timeless_rows(const Recording& recording) {
    std::vector<std::string> rows;
    RecordingSource source(std::shared_ptr<const Recording>(&recording, [](const Recording*) {}), 1);
    for (EventId id = 1; id <= recording.event_count(); ++id) {
        Event event = recording.event(id);
        event.start = event.duration = 0;
        event.setup = {};
        event.workers.clear();  // with times
        event.is_cold = false;
        event.memory_before = event.memory_after = event.memory_peak = 0;
        rows.push_back(to_bytes(event) + std::to_string(recording.backward_peer(id)));
    }
    for (ValueId id = 1; id <= recording.value_count(); ++id) {
        Value value = recording.value(id);
        value.storage_id = 0;
        rows.push_back(to_bytes(value));
    }
    for (std::uint32_t id = 1; id <= recording.frame_count(); ++id)
        rows.push_back(to_bytes(recording.frame(id)) + std::to_string(recording.frame_end(id)));
    return rows;
}

RunOptions with_backward() {
    RunOptions options;
    options.backward = true;
    options.seed = 3;
    return options;
}

TrainOptions few_steps() {
    TrainOptions options;
    options.max_steps = 12;
    options.batch_size = 8;
    options.look_every = 0;
    return options;
}

}  // namespace

class TestRemoteEngine : public QObject {
    Q_OBJECT

  private slots:
    void opens_and_closes();
    void a_run_is_the_one_that_the_engine_recorded();
    void a_run_is_that_of_an_engine_in_this_process();
    void loads_and_edits_come_too();
    void a_large_run_comes_while_it_goes_on();
    void parks_steps_and_stops_at_breakpoints();
    void breakpoints_are_there_at_once();
    void a_wrong_condition_is_refused_at_once();
    void answers_questions();
    void a_question_that_is_refused_says_why();
    void questions_are_replaced_and_report_progress();
    void stops_an_endless_loop();
    void trains_as_an_engine_in_this_process();
    void a_file_that_does_not_open_is_failed();
    void inputs_and_options_are_seen_at_once();
    void ends_with_its_session();
    void copies_outlive_the_engine();
};

void TestRemoteEngine::opens_and_closes() {
    const RemoteSessions remote;
    Session session;
    QCOMPARE(session.status().state, RunState::Empty);
    bool was_opened = false;
    session.open(kModels + "digits.pt", {}, [&] { was_opened = true; });
    session.wait_idle();
    QCOMPARE(session.status().state, RunState::Ready);
    QVERIFY(was_opened);
    QVERIFY(session.model() != nullptr);
    QCOMPARE(session.model()->parameter_count, 20810);
    QVERIFY(session.model()->graph != nullptr);
    QCOMPARE(session.inputs().size(), std::size_t{1});
    QCOMPARE(session.inputs()[0].shape, (Shape{1, 1, 8, 8}));
    session.close();
    session.wait_idle();
    QVERIFY(session.model() == nullptr);
}

void TestRemoteEngine::a_run_is_the_one_that_the_engine_recorded() {
    const RemoteSessions remote;
    QTemporaryDir folder;
    Session session;
    for (const char* model : {"digits.pt"}) {
        session.open(kModels + model);
        session.run(with_backward());
        session.wait_idle();
        QCOMPARE(session.status().state, RunState::Finished);
        const auto recording = session.recording();
        QVERIFY(recording != nullptr && recording->is_complete());
        const auto file = folder.filePath("run.loupe").toStdString();
        QCOMPARE(answer_of(session, SaveRecordingQuery{.file = file}), std::string());
        const RecordingFile original(file);
        const auto mine = rows_of(*recording);
        const auto its = rows_of(*original.recording());
        QCOMPARE(mine.size(), its.size());
        for (std::size_t i = 0; i < mine.size(); ++i) QCOMPARE(mine[i].c_str(), its[i].c_str());
    }
}

void TestRemoteEngine::a_run_is_that_of_an_engine_in_this_process() {
    const auto record = [](Session& session) {
        session.open(kModels + "digits.pt");
        session.run(with_backward());  // kernels are cold the first time
        session.wait_idle();
        return session.recording();
    };
    Session local;
    const auto expected = record(local);
    const RemoteSessions remote;
    Session session;
    const auto recording = record(session);
    const auto mine = timeless_rows(*recording);
    const auto its = timeless_rows(*expected);
    QVERIFY(mine.size() > 100);
    QCOMPARE(mine.size(), its.size());
    for (std::size_t i = 0; i < mine.size(); ++i) QVERIFY2(mine[i] == its[i], std::to_string(i).c_str());
}

// What loaders of data did, and where an edit took hold.
void TestRemoteEngine::loads_and_edits_come_too() {
    const RemoteSessions remote;
    QTemporaryDir folder;
    const auto path = folder.filePath("loads.py").toStdString();
    const std::string source =
        "import torch\nfrom torch import nn\nfrom torch.utils.data import DataLoader\n"
        "class Net(nn.Module):\n"
        "    def forward(self, x):\n"
        "        for batch in DataLoader(torch.arange(6.), batch_size=2, num_workers=2):\n"
        "            x = x + batch.sum()\n"
        "        x = x * 2\n"
        "        return x\n"
        "example_inputs = (torch.ones(1),)\n";
    std::ofstream(path) << source;
    Session session;
    session.open(path);
    session.wait_idle();
    Breakpoint breakpoint;
    breakpoint.kind = Breakpoint::Kind::Line;
    breakpoint.text = path;
    breakpoint.line = 8;
    session.add_breakpoint(breakpoint);
    session.run({});
    session.wait_idle();
    QCOMPARE(session.status().state, RunState::Paused);
    std::set<std::pair<int, std::uint64_t>> loads;
    for (const LoadSpan& load : session.recording()->loads()) loads.emplace(static_cast<int>(load.kind), load.batch);
    for (std::uint64_t batch = 0; batch < 3; ++batch) {
        QVERIFY(loads.contains({static_cast<int>(data::LoadKind::Wait), batch}));
        QVERIFY(loads.contains({static_cast<int>(data::LoadKind::Worker), batch}) ||
                loads.contains({static_cast<int>(data::LoadKind::InTurn), batch}));
    }
    std::string edited = source;
    edited.replace(edited.find("x * 2"), 5, "x * 3");
    std::ofstream(path) << edited;
    const ContinuedEdit done = answer_of(session, ContinueEditQuery{{.texts = {{path, edited}}}});
    QVERIFY2(done.error.empty(), done.error.c_str());
    session.wait_idle();
    QVERIFY(session.recording()->edit() != nullptr);
    QCOMPARE(session.recording()->edit()->event, done.from);
}

// More events than one message takes, shown while they are recorded.
void TestRemoteEngine::a_large_run_comes_while_it_goes_on() {
    const RemoteSessions remote;
    Heard heard;
    Session session(&heard);
    session.open(kFixtures + "endless.pt");
    RunOptions options;
    options.inputs = {parse_input_spec("4")};
    options.record_values = false;
    session.run(options);
    QTRY_VERIFY_WITH_TIMEOUT(heard.events() > 10'000, 60'000);
    QCOMPARE(session.status().state, RunState::Running);
    session.stop();
    session.wait_idle();
    const auto recording = session.recording();
    QVERIFY(recording->is_complete());
    QVERIFY(recording->event_count() >= heard.events());
    for (EventId id = 1; id <= recording->event_count(); ++id) QCOMPARE(recording->event(id).id, id);
}

void TestRemoteEngine::parks_steps_and_stops_at_breakpoints() {
    const RemoteSessions remote;
    Session session;
    session.open(kModels + "digits.pt");
    session.wait_idle();
    Breakpoint breakpoint;
    breakpoint.kind = Breakpoint::Kind::OperatorKind;
    breakpoint.text = "relu*";
    const int id = session.add_breakpoint(breakpoint);
    session.run(with_backward());
    session.wait_idle();
    QCOMPARE(session.status().state, RunState::Paused);
    QCOMPARE(session.status().stopped_at_breakpoint, id);
    QCOMPARE(session.breakpoints().at(0).hits, 1);
    // What the status names is there.
    const EventId reached = session.status().reached;
    QVERIFY(reached > 0);
    QCOMPARE(session.recording()->event_count(), std::size_t{reached});
    session.step(StepKind::Over);
    session.wait_idle();
    QCOMPARE(session.status().reached, reached + 1);
    session.remove_breakpoint(id);
    session.run_to(RunTarget::first_of(RunPhase::Backward));
    session.wait_idle();
    QCOMPARE(session.status().phase, RunPhase::Backward);
    session.resume();
    session.wait_idle();
    QCOMPARE(session.status().state, RunState::Finished);
    QCOMPARE(session.breakpoints().size(), std::size_t{0});
}

void TestRemoteEngine::breakpoints_are_there_at_once() {
    const RemoteSessions remote;
    Session session;
    session.open(kModels + "digits.pt");
    Breakpoint breakpoint;
    breakpoint.kind = Breakpoint::Kind::Module;
    for (int i = 0; i < 50; ++i) {
        breakpoint.text = "layer" + std::to_string(i);
        breakpoint.id = session.add_breakpoint(breakpoint);
        QCOMPARE(breakpoint.id, i + 1);
        breakpoint.enabled = false;
        session.update_breakpoint(breakpoint);
        if (i % 2 == 0) session.remove_breakpoint(breakpoint.id);
        QCOMPARE(session.breakpoints().size(), static_cast<std::size_t>((i + 1) / 2));
    }
    session.set_breakpoints_elsewhere("/other.pt", {breakpoint});
    QCOMPARE(session.breakpoints_elsewhere().size(), std::size_t{1});
    session.wait_idle();
    // And the engine has the same.
    QTest::qWait(100);
    QCOMPARE(session.breakpoints().size(), std::size_t{25});
    QCOMPARE(session.breakpoints().back().text, std::string("layer49"));
    QCOMPARE(session.breakpoints_elsewhere().at("/other.pt").at(0).id, 51);
}

void TestRemoteEngine::a_wrong_condition_is_refused_at_once() {
    const RemoteSessions remote;
    Session session;
    Breakpoint breakpoint;
    breakpoint.condition = "absmax >";
    QVERIFY_THROWS_EXCEPTION(Error, session.add_breakpoint(breakpoint));
    QCOMPARE(session.breakpoints().size(), std::size_t{0});
}

void TestRemoteEngine::answers_questions() {
    const RemoteSessions remote;
    Session session;
    session.open(kModels + "digits.pt");
    session.run(with_backward());
    session.wait_idle();
    TensorRequest request;
    request.value = session.recording()->event(1).outputs.at(0);
    const TensorSlice slice = answer_of(session, TensorQuery{request});
    QVERIFY2(slice.error.empty(), slice.error.c_str());
    QVERIFY(!slice.data.empty());
    const std::string watched = answer_of(session, WatchQuery{"features.conv1.out.absmax", 3});
    QVERIFY2(QString::fromStdString(watched).toDouble() > 0, watched.c_str());
}

void TestRemoteEngine::a_question_that_is_refused_says_why() {
    const RemoteSessions remote;
    Session session;
    TensorRequest request;
    request.value = 1;
    const TensorSlice slice = answer_of(session, TensorQuery{request});
    QVERIFY(!slice.error.empty());
}

void TestRemoteEngine::questions_are_replaced_and_report_progress() {
    const RemoteSessions remote;
    Session session;
    session.open(kModels + "digits.pt");
    std::atomic<int> answered{0};
    for (int i = 0; i < 200; ++i)
        session.ask("same", WatchQuery{"features.conv1.out", 1}, [&](const std::string&) { ++answered; });
    session.wait_idle();
    QVERIFY(answered >= 1);
    QVERIFY(answered <= 200);
}

void TestRemoteEngine::stops_an_endless_loop() {
    const RemoteSessions remote;
    Session session;
    session.open(kFixtures + "endless.pt");
    RunOptions options;
    options.inputs = {parse_input_spec("4")};
    options.record = false;
    session.run(options);
    QTRY_COMPARE_WITH_TIMEOUT(session.status().state, RunState::Running, 120'000);
    QElapsedTimer timer;
    timer.start();
    session.stop();
    session.wait_idle();
    QVERIFY(timer.elapsed() < 2000);
    QCOMPARE(session.status().state, RunState::Ready);
}

void TestRemoteEngine::trains_as_an_engine_in_this_process() {
    const auto train = [](Session& session) {
        session.open(kModels + "digits.pt");
        session.train(few_steps());
        session.wait_idle();
        return session.training();
    };
    Session local;
    const auto expected = train(local);
    const RemoteSessions remote;
    Session session;
    const auto log = train(session);
    QVERIFY2(session.status().state == RunState::Finished, session.status().error.c_str());
    QCOMPARE(session.trainings().size(), std::size_t{1});
    QCOMPARE(log->step_count(), expected->step_count());
    QVERIFY(log->step_count() == 12);
    for (std::size_t i = 0; i < log->step_count(); ++i) {
        QCOMPARE(log->steps()[i].loss, expected->steps()[i].loss);
        QCOMPARE(log->steps()[i].gradient_norm, expected->steps()[i].gradient_norm);
    }
    QCOMPARE(log->parameters(), expected->parameters());
    QCOMPARE(to_bytes(log->norms_at(7)), to_bytes(expected->norms_at(7)));
    QCOMPARE(log->verdict().text, expected->verdict().text);
    QCOMPARE(log->findings().size(), expected->findings().size());
    QCOMPARE(log->options().max_steps, 12);
    QVERIFY(!log->samples().empty());
    // A step that is looked at is recorded, and shown.
    session.look_at_step(5);
    session.wait_idle();
    QCOMPARE(session.status().state, RunState::Paused);
    session.resume();
    session.wait_idle();
    QVERIFY(session.recording() != nullptr && session.recording()->event_count() > 0);
    session.return_to_end();
    session.wait_idle();
    QCOMPARE(session.status().training_end, 0);
}

void TestRemoteEngine::a_file_that_does_not_open_is_failed() {
    const RemoteSessions remote;
    Heard heard;
    Session session(&heard);
    session.open("/nowhere/model.pt");
    session.wait_idle();
    QCOMPARE(session.status().state, RunState::Failed);
    Session local;
    QVERIFY(session.status().error.find("model.pt") != std::string::npos);
    QCOMPARE(session.engine_end().kind, EngineEnd::Kind::None);
}

void TestRemoteEngine::inputs_and_options_are_seen_at_once() {
    const RemoteSessions remote;
    Session session;
    session.open(kModels + "digits.pt");
    session.wait_idle();
    for (int i = 1; i < 20; ++i) {
        session.set_inputs({parse_input_spec(std::to_string(i) + "x1x8x8")});
        QCOMPARE(session.inputs().at(0).shape.at(0), i);
        RunOptions options;
        options.seed = static_cast<std::uint64_t>(i);
        session.run(options);
        QCOMPARE(session.run_options().seed, static_cast<std::uint64_t>(i));
    }
    session.wait_idle();
    QCOMPARE(session.inputs().at(0).shape.at(0), 19);
    QCOMPARE(session.run_options().seed, std::uint64_t{19});
    QCOMPARE(session.recording()->value(session.recording()->event(1).inputs.at(0)).shape.at(0), 19);
}

void TestRemoteEngine::ends_with_its_session() {
    const RemoteSessions remote;
    QCOMPARE(engine_processes().size(), std::size_t{0});
    {
        Session session;
        session.open(kModels + "digits.pt");
        session.run(with_backward());
        QCOMPARE(engine_processes().size(), std::size_t{1});
    }
    QCOMPARE(engine_processes().size(), std::size_t{0});
}

void TestRemoteEngine::copies_outlive_the_engine() {
    std::shared_ptr<const Recording> recording;
    {
        const RemoteSessions remote;
        Session session;
        session.open(kModels + "digits.pt");
        session.run(with_backward());
        session.wait_idle();
        recording = session.recording();
    }
    QVERIFY(!recording->event(1).op.empty());
    QVERIFY(recording->is_complete());
}

QTEST_GUILESS_MAIN(TestRemoteEngine)
#include "test_remote_engine.moc"
