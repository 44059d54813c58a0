// SPDX-License-Identifier: Apache-2.0
// The door to the engine, used as the window uses it: open, run, park, step, look, fail, go on.

#include <QtTest>
#include <atomic>
#include <condition_variable>
#include <fstream>
#include <mutex>
#include <thread>

#include "core/session/queries/gradients.h"
#include "core/session/queries/tensor.h"
#include "core/session/queries/watch.h"
#include "core/session/session.h"

using namespace loupe::session;

namespace {

const std::string kModels = std::string(LOUPE_SOURCE_DIR) + "/resources/models/";
const std::string kFixtures = std::string(LOUPE_SOURCE_DIR) + "/tests/fixtures/models/";

// Waits for a reply that comes on the engine thread.
template <typename T>
class Answer {
  public:
    void put(T value) {
        const std::lock_guard lock(mutex_);
        value_ = std::move(value);
        ready_.notify_all();
    }
    T wait() {
        std::unique_lock lock(mutex_);
        ready_.wait_for(lock, std::chrono::seconds(240), [this] { return value_.has_value(); });
        return value_.value();
    }

  private:
    std::mutex mutex_;
    std::condition_variable ready_;
    std::optional<T> value_;
};

TensorSlice look(Session& session, const TensorRequest& request) {
    Answer<TensorSlice> answer;
    session.ask("look", TensorQuery{request}, [&](TensorSlice slice) { answer.put(std::move(slice)); });
    return answer.wait();
}

class Log final : public SessionListener {
  public:
    void on_log(const LogEntry& entry) override {
        const std::lock_guard lock(mutex_);
        lines_.push_back(entry);
    }
    std::vector<LogEntry> lines() {
        const std::lock_guard lock(mutex_);
        return lines_;
    }

  private:
    std::mutex mutex_;
    std::vector<LogEntry> lines_;
};

void open(Session& session, const std::string& file) {
    session.open(file);
    session.wait_idle();
}

RunOptions with_backward() {
    RunOptions options;
    options.backward = true;
    return options;
}

}  // namespace

class TestSession : public QObject {
    Q_OBJECT

  private slots:
    void opens_the_shipped_model();
    void records_forward_and_backward();
    void every_backward_event_names_its_forward_event();
    void parks_at_module_in_backward_and_steps();
    void steps_over_into_and_out_of_modules();
    void runs_straight_to_backward();
    void shows_values_that_were_overwritten_in_place();
    void gives_gradients_by_parameter();
    void memory_comes_back_to_what_the_model_holds();
    void records_without_keeping_elements();
    void many_blocks_are_counted_as_they_go();
    void what_is_left_out_is_not_recorded();
    void a_failed_run_keeps_what_was_recorded();
    void a_broken_file_leaves_the_model_there_was();
    void stop_ends_an_endless_loop();
    void runs_to_the_first_nan();
    void refuses_a_tebibyte();
    void answers_requests_while_parked();
    void watches_values();
    void logs_what_the_program_says();
    void named_parts_are_frames();
    void a_run_waits_for_what_is_being_opened();
    void a_file_that_does_not_open_is_not_run();
    void an_order_behind_the_end_begins_a_run();
    void a_target_given_with_the_run_is_met();
};

void TestSession::opens_the_shipped_model() {
    Session session;
    open(session, kModels + "digits.pt");
    QCOMPARE(session.status().state, RunState::Ready);
    const auto model = session.model();
    QVERIFY(model != nullptr);
    QCOMPARE(model->parameter_count, 20810);
    QVERIFY(model->find_module("features.conv1") > 0);
    QCOMPARE(session.inputs().size(), std::size_t{1});
    QCOMPARE(session.inputs()[0].shape, (Shape{1, 1, 8, 8}));
    QVERIFY(model->graph != nullptr);
    int convolutions = 0;
    for (const GraphNode& node : model->graph->nodes) convolutions += node.kind == "aten::conv2d" ? 1 : 0;
    QCOMPARE(convolutions, 3);
}

void TestSession::records_forward_and_backward() {
    Session session;
    open(session, kModels + "digits.pt");
    session.run(with_backward());
    session.wait_idle();
    QCOMPARE(session.status().state, RunState::Finished);
    const auto recording = session.recording();
    QVERIFY(recording->is_complete());
    int forward_convolutions = 0;
    int backward_convolutions = 0;
    for (EventId id = 1; id <= recording->event_count(); ++id) {
        const Event& event = recording->event(id);
        forward_convolutions += event.op == "aten::conv2d" ? 1 : 0;
        backward_convolutions += event.op == "ConvolutionBackward0" ? 1 : 0;
        QVERIFY(!event.failed);
        for (const ValueId value : event.outputs) QVERIFY(recording->value(value).statistics.has_value());
    }
    QCOMPARE(forward_convolutions, 3);
    QCOMPARE(backward_convolutions, 3);
}

void TestSession::every_backward_event_names_its_forward_event() {
    Session session;
    open(session, kModels + "digits.pt");
    session.run(with_backward());
    session.wait_idle();
    const auto recording = session.recording();
    int seen = 0;
    for (EventId id = 1; id <= recording->event_count(); ++id) {
        const Event& event = recording->event(id);
        const bool is_start = recording->backward_start() != nullptr && recording->backward_start()->event == id;
        if (event.phase != RunPhase::Backward || event.op == "AccumulateGrad" || is_start) continue;
        QVERIFY2(event.peer > 0 && event.peer < id, std::string(event.op).c_str());
        const Event& forward = recording->event(event.peer);
        QCOMPARE(forward.phase, RunPhase::Forward);
        QCOMPARE(event.scope, forward.scope);
        if (event.op == "ConvolutionBackward0") QCOMPARE(forward.op, std::string_view("aten::conv2d"));
        ++seen;
    }
    QVERIFY(seen >= 10);
}

void TestSession::parks_at_module_in_backward_and_steps() {
    Session session;
    open(session, kFixtures + "resnet18.pt");
    Breakpoint breakpoint;
    breakpoint.kind = Breakpoint::Kind::Module;
    breakpoint.text = "layer2";
    breakpoint.phase = RunPhase::Backward;
    const int id = session.add_breakpoint(breakpoint);
    session.run(with_backward());
    session.wait_idle();
    Status status = session.status();
    QCOMPARE(status.state, RunState::Paused);
    QCOMPARE(status.stopped_at_breakpoint, id);
    QCOMPARE(status.phase, RunPhase::Backward);
    QVERIFY(status.next_scope.starts_with("layer2"));
    const EventId before = status.reached;
    session.step(StepKind::Into);
    session.wait_idle();
    status = session.status();
    QCOMPARE(status.state, RunState::Paused);
    QCOMPARE(status.reached, before + 1);
    session.resume();
    session.wait_idle();
    QCOMPARE(session.status().state, RunState::Finished);
}

void TestSession::steps_over_into_and_out_of_modules() {
    Session session;
    open(session, kFixtures + "resnet18.pt");
    RunOptions options;
    options.pause_at_start = true;
    session.run(options);
    session.wait_idle();
    QCOMPARE(session.status().state, RunState::Paused);
    // Into torchvision's _forward_impl, then over module calls: the engine stays in the outermost module.
    session.step(StepKind::Into);
    session.wait_idle();
    int steps = 0;
    while (session.status().next_scope != "layer1" && steps++ < 40) {
        session.step(StepKind::Over);
        session.wait_idle();
    }
    QCOMPARE(session.status().next_scope, std::string("layer1"));
    session.step(StepKind::Into);
    session.wait_idle();
    session.step(StepKind::Into);
    session.wait_idle();
    QVERIFY(session.status().next_scope.starts_with("layer1.0"));
    const EventId inside = session.status().reached;
    session.step(StepKind::Out);
    session.wait_idle();
    QVERIFY(session.status().reached > inside);
    session.stop();
    session.wait_idle();
    QCOMPARE(session.status().state, RunState::Ready);
}

// The order comes right behind the run, before the engine has begun it.
void TestSession::runs_straight_to_backward() {
    Session session;
    if (session.has_engine_process()) QSKIP("the engine may have ended the run when the second order comes to it");
    open(session, kModels + "digits.pt");
    for (int i = 0; i < 20; ++i) {
        session.run(with_backward());
        session.run_to(RunTarget::first_of(RunPhase::Backward));
        session.wait_idle();
        QCOMPARE(session.status().state, RunState::Paused);
        QCOMPARE(session.status().phase, RunPhase::Backward);
        session.stop();
        session.wait_idle();
    }
}

void TestSession::shows_values_that_were_overwritten_in_place() {
    Session session;
    open(session, kFixtures + "resnet18.pt");
    session.run({});
    session.wait_idle();
    const auto recording = session.recording();
    bool found = false;
    for (EventId id = 1; id <= recording->event_count() && !found; ++id) {
        const Event& event = recording->event(id);
        if (event.op != "aten::relu_") continue;
        found = true;
        TensorRequest before;
        before.value = event.inputs.front();
        TensorRequest after;
        after.value = event.outputs.front();
        const TensorSlice negative = look(session, before);
        const TensorSlice positive = look(session, after);
        QVERIFY(negative.statistics.finite->min < 0);
        QCOMPARE(positive.statistics.finite->min, 0.0);
        QCOMPARE(negative.storage_id, positive.storage_id);
    }
    QVERIFY(found);
}

void TestSession::gives_gradients_by_parameter() {
    Session session;
    open(session, kModels + "digits.pt");
    session.run(with_backward());
    session.wait_idle();
    Answer<std::vector<GradientRow>> answer;
    session.ask("rows", GradientsQuery{}, [&](std::vector<GradientRow> rows) { answer.put(std::move(rows)); });
    const auto rows = answer.wait();
    QVERIFY(!rows.empty());
    const auto recording = session.recording();
    for (const GradientRow& row : rows) {
        QVERIFY2(row.has_gradient, row.parameter.c_str());
        QVERIFY(row.event > 0);
        QCOMPARE(recording->event(row.event).op, std::string_view("AccumulateGrad"));
    }
}

void TestSession::memory_comes_back_to_what_the_model_holds() {
    Session session;
    open(session, kModels + "digits.pt");
    session.run({});
    session.wait_idle();
    // Again: the first run also fills the kernels' caches (packed weights), which stay.
    session.run({});
    session.wait_idle();
    const auto recording = session.recording();
    QVERIFY(recording->event_count() > 0);
    const Event& first = recording->event(1);
    const Event& last = recording->event(static_cast<EventId>(recording->event_count()));
    // Without backward nothing but the result outlives the run.
    QVERIFY(last.memory_after - first.memory_before < 4096);
    QVERIFY(recording->peak_bytes() > last.memory_after);
    QVERIFY(recording->peak_event() > 0);
}

// Then the account of memory holds the last reference to a block that the program has let go of.
void TestSession::records_without_keeping_elements() {
    Session session;
    open(session, kFixtures + "resnet18.pt");
    RunOptions options = with_backward();
    options.record_values = false;
    session.run(options);
    session.wait_idle();
    QCOMPARE(session.status().state, RunState::Finished);
    const auto recording = session.recording();
    const auto last = static_cast<EventId>(recording->event_count());
    QVERIFY(last > 0);
    QVERIFY(recording->event(last).memory_after < recording->peak_bytes());
}

// More of them than are looked at after each event.
void TestSession::many_blocks_are_counted_as_they_go() {
    QTemporaryDir folder;
    const std::string source = folder.filePath("many.py").toStdString();
    std::ofstream(source) << "import torch\n"
                             "from typing import List\n"
                             "class Many(torch.nn.Module):\n"
                             "    def forward(self, x):\n"
                             "        kept: List[torch.Tensor] = []\n"
                             "        for i in range(3000):\n"
                             "            kept.append(x + i)\n"
                             "        total = x\n"
                             "        for i in range(2000):\n"
                             "            total = total + kept.pop()\n"
                             "        kept.clear()\n"
                             "        for i in range(200):\n"
                             "            total = total * 0.5\n"
                             "        return total\n"
                             "model = Many()\n"
                             "example_inputs = (torch.ones(1024),)\n";
    Session session;
    open(session, source);
    session.set_form(ModelForm::Scripted);
    session.wait_idle();
    RunOptions options;
    options.record_values = false;
    session.run(options);
    session.wait_idle();
    QVERIFY2(session.status().state == RunState::Finished, session.status().error.c_str());
    const auto recording = session.recording();
    const std::int64_t block = 1024 * 4;
    const auto held = [&](std::size_t event) {
        return (recording->event(static_cast<EventId>(event)).memory_after - recording->event(1).memory_before) / block;
    };
    QCOMPARE(recording->event_count(), std::size_t(5200));
    for (const std::size_t event : {1U, 500U, 2000U, 3000U})
        QVERIFY2(std::abs(held(event) - static_cast<std::int64_t>(event)) <= 1, std::to_string(held(event)).c_str());
    // Each that is added up goes at once.
    QVERIFY2(std::abs(held(4000) - 2001) <= 2, std::to_string(held(4000)).c_str());
    QVERIFY2(std::abs(held(5000) - 1001) <= 2, std::to_string(held(5000)).c_str());
    // And those that nothing reads any more, soon after.
    QVERIFY2(held(5200) <= 2, std::to_string(held(5200)).c_str());
}

void TestSession::what_is_left_out_is_not_recorded() {
    Session session;
    open(session, kFixtures + "resnet18.pt");
    RunOptions options = with_backward();
    options.left_out = {"layer1.0.conv1", "fc.weight"};
    session.run(options);
    session.wait_idle();
    QCOMPARE(session.status().state, RunState::Finished);
    const auto recording = session.recording();
    int left_out = 0;
    int kept = 0;
    for (ValueId id = 1; id <= recording->value_count(); ++id) {
        const Value& value = recording->value(id);
        if (value.producer == 0) {
            QCOMPARE(value.is_left_out, value.name == "fc.weight");
            continue;
        }
        const std::string_view scope = recording->event(value.producer).scope;
        if (value.is_left_out) {
            ++left_out;
            QVERIFY2(scope == "layer1.0.conv1" || value.name == "grad of fc.weight", value.name.c_str());
            QVERIFY(!value.statistics);
            TensorRequest request;
            request.value = id;
            const std::string error = look(session, request).error;
            QVERIFY2(error.starts_with("not recorded: unticked in Modules"), error.c_str());
        } else {
            ++kept;
            QVERIFY(scope != "layer1.0.conv1");
        }
    }
    QVERIFY(left_out >= 2);  // forward and backward
    QVERIFY(kept > left_out);
}

void TestSession::a_failed_run_keeps_what_was_recorded() {
    Log log;
    Session session(&log);
    open(session, kModels + "digits.pt");
    RunOptions options;
    options.inputs = {parse_input_spec("1x3x8x8")};
    session.run(options);
    session.wait_idle();
    QCOMPARE(session.status().state, RunState::Failed);
    QVERIFY(session.status().error.find("to have 1 channels, but got 3 channels") != std::string::npos);
    const auto recording = session.recording();
    QVERIFY(recording->event_count() >= 1);
    QVERIFY(recording->event(static_cast<EventId>(recording->event_count())).failed);
    QVERIFY(!log.lines().empty());
    QVERIFY(log.lines().back().event > 0);
    // The session is still good.
    options.inputs = {parse_input_spec("1x1x8x8")};
    session.run(options);
    session.wait_idle();
    QCOMPARE(session.status().state, RunState::Finished);
}

void TestSession::a_broken_file_leaves_the_model_there_was() {
    Session session;
    open(session, kModels + "digits.pt");
    open(session, std::string(LOUPE_SOURCE_DIR) + "/CMakeLists.txt");
    QCOMPARE(session.status().state, RunState::Failed);
    QVERIFY(!session.status().error.empty());
    QVERIFY(session.model() != nullptr);
    session.run({});
    session.wait_idle();
    QCOMPARE(session.status().state, RunState::Finished);
}

void TestSession::stop_ends_an_endless_loop() {
    Session session;
    open(session, kFixtures + "endless.pt");
    RunOptions options;
    options.inputs = {parse_input_spec("4")};
    options.record = false;
    session.run(options);
    QTRY_COMPARE_WITH_TIMEOUT(session.status().state, RunState::Running, 120'000);
    session.stop();
    session.wait_idle();
    QCOMPARE(session.status().state, RunState::Ready);
}

void TestSession::runs_to_the_first_nan() {
    Session session;
    open(session, kFixtures + "makes_nan.pt");
    RunOptions options;
    options.inputs = {parse_input_spec("3x4")};
    options.pause_at_start = true;
    session.run(options);
    session.wait_idle();
    session.run_to(RunTarget::nan());
    session.wait_idle();
    const Status status = session.status();
    QCOMPARE(status.state, RunState::Paused);
    const Event& culprit = session.recording()->event(status.reached);
    QCOMPARE(culprit.op, std::string_view("aten::log"));
    QCOMPARE(culprit.scope, std::string_view("middle.1"));
    QVERIFY(culprit.has_nan);
}

void TestSession::refuses_a_tebibyte() {
    Session session;
    open(session, kFixtures + "allocates.pt");
    RunOptions options;
    options.inputs = {parse_input_spec("1")};
    session.run(options);
    session.wait_idle();
    QCOMPARE(session.status().state, RunState::Failed);
    QVERIFY(session.status().error.find("out of memory") != std::string::npos);
    QVERIFY(session.status().error.find("1.00 TiB") != std::string::npos);
}

void TestSession::answers_requests_while_parked() {
    Session session;
    open(session, kModels + "digits.pt");
    RunOptions options;
    options.pause_at_start = true;
    session.run(options);
    session.wait_idle();
    QCOMPARE(session.status().state, RunState::Paused);
    TensorRequest request;
    request.name = "features.conv1.weight";
    request.slice = "[0:4, 0]";
    const TensorSlice slice = look(session, request);
    QCOMPARE(slice.error, std::string());
    QCOMPARE(slice.sliced_shape, (Shape{4, 3, 3}));
    QCOMPARE(slice.data.size(), std::size_t{4});
    QCOMPARE(session.status().state, RunState::Paused);
    // One that is being answered is not yet done.
    std::atomic<bool> began = false;
    std::atomic<bool> ended = false;
    session.ask("slow", GradientsQuery{}, [&](std::vector<GradientRow>) {
        began = true;
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        ended = true;
    });
    while (!began) std::this_thread::yield();
    session.wait_idle();
    QVERIFY(ended);
}

void TestSession::watches_values() {
    Session session;
    open(session, kModels + "digits.pt");
    session.run({});
    session.wait_idle();
    Answer<std::string> answer;
    session.ask("watch", WatchQuery{"features.conv1.out.absmax", 0},
                [&](std::string text) { answer.put(std::move(text)); });
    bool is_number = false;
    const double value = QString::fromStdString(answer.wait()).toDouble(&is_number);
    QVERIFY(is_number);
    QVERIFY(value > 0);
}

void TestSession::logs_what_the_program_says() {
    Log log;
    Session session(&log);
    open(session, kFixtures + "warns.pt");
    session.set_inputs({parse_input_spec("3")});
    session.run({});
    session.wait_idle();
    std::vector<std::string> said;
    for (const auto& entry : log.lines()) {
        said.push_back(entry.text);
        if (entry.level == SessionListener::LogEntry::Level::Warning) {
            QVERIFY(entry.source.line > 0 && QString::fromStdString(entry.source.file).endsWith("make_misbehaving.py"));
        }
    }
    QVERIFY(!said.empty() && said.back().starts_with("finished: "));  // the verdict
    said.pop_back();
    QCOMPARE(said, (std::vector<std::string>{"UserWarning: more than one: 3", "seen 1"}));
}

// with torch.autograd.profiler.record_function("part"):
void TestSession::named_parts_are_frames() {
    Session session;
    open(session, kFixtures + "language.pt");
    RunOptions options;
    options.method = "calls";
    session.set_inputs({parse_input_spec("2x4")});
    session.run(options);
    session.wait_idle();
    const auto recording = session.recording();
    QVERIFY(recording != nullptr);
    std::uint32_t part = 0;
    for (std::uint32_t id = 1; id <= recording->frame_count(); ++id) {
        if (recording->frame(id).function == "part") part = id;
    }
    QVERIFY(part != 0);
    QVERIFY(recording->frame_end(part) > recording->frame(part).first_event);
    int inside = 0;
    for (EventId id = 1; id <= recording->event_count(); ++id) {
        if (recording->event(id).frame == part) ++inside;
    }
    QVERIFY(inside > 0);
}

// Calls back on the engine thread when a state is reached.
class When final : public SessionListener {
  public:
    When(RunState state, std::function<void()> then) : state_(state), then_(std::move(then)) {}
    void on_status(const Status& status) override {
        if (status.state == state_ && then_) std::exchange(then_, nullptr)();
    }

  private:
    RunState state_;
    std::function<void()> then_;
};

void TestSession::a_run_waits_for_what_is_being_opened() {
    Session* running = nullptr;
    When listener(RunState::Opening, [&] { running->run({}); });
    Session session(&listener);
    running = &session;
    session.open(kModels + "digits.pt");
    session.wait_idle();
    QVERIFY(session.model());
    QCOMPARE(session.status().state, RunState::Finished);
    QVERIFY(session.recording()->event_count() > 0);
}

void TestSession::a_file_that_does_not_open_is_not_run() {
    Session* running = nullptr;
    int openings = 0;
    struct Opening final : SessionListener {
        std::function<void()> then;
        void on_status(const Status& status) override {
            if (status.state == RunState::Opening) then();
        }
    } listener;
    listener.then = [&] {
        if (++openings == 2) running->run({});
    };
    Session session(&listener);
    if (session.has_engine_process()) QSKIP("the order comes to the engine when the opening has failed");
    running = &session;
    open(session, kModels + "digits.pt");
    open(session, kModels + "no_such_file.pt");
    QVERIFY(!session.recording() || session.recording()->event_count() == 0);
    QVERIFY2(session.status().error.find("no_such_file") != std::string::npos, session.status().error.c_str());
}

void TestSession::an_order_behind_the_end_begins_a_run() {
    Session* running = nullptr;
    When listener(RunState::Finished, [&] { running->run_to(RunTarget::first_of(RunPhase::Backward)); });
    Session session(&listener);
    running = &session;
    open(session, kModels + "digits.pt");
    session.run(with_backward());
    session.wait_idle();
    QCOMPARE(session.status().state, RunState::Paused);
    QCOMPARE(session.status().phase, RunPhase::Backward);
}

void TestSession::a_target_given_with_the_run_is_met() {
    Session session;
    open(session, kModels + "digits.pt");
    for (int round = 0; round < 50; ++round) {
        session.run(with_backward(), RunTarget::first_of(RunPhase::Backward));
        session.wait_idle();
        QCOMPARE(session.status().state, RunState::Paused);
        QCOMPARE(session.status().phase, RunPhase::Backward);
    }
}

QTEST_GUILESS_MAIN(TestSession)
#include "test_session.moc"
