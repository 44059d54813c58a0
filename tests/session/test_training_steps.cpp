// SPDX-License-Identifier: Apache-2.0
// Steps of a training: their norms, what is kept of them and listed.
#include <QtTest>
#include <cmath>
#include <filesystem>
#include <future>
#include <map>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/formats/numpy/npy.h"
#include "core/session/queries/line_values.h"
#include "core/session/queries/restore_training.h"
#include "core/session/queries/save_checkpoint.h"
#include "core/session/queries/tensor.h"
#include "core/session/session.h"
#include "core/train/trainer.h"
#include "core/train/trainer_state.h"
#include "core/train/training_norms.h"
#include "tests/session/test_training_steps.h"

using namespace loupe;
using namespace loupe::session;

namespace {

constexpr const char* kNet = R"(import torch
import torch.nn as nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 8)
        self.norm = nn.BatchNorm1d(8)
        self.drop = nn.Dropout(0.25)
        self.out = nn.Linear(8, 2)
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        return self.out(self.drop(torch.relu(self.norm(self.fc(x))))) * (1.0 + 0.001 * self.calls)

torch.manual_seed(1)
model = Net()
)";

// Random numbers that are not torch's.
constexpr const char* kOther = R"(import random
import torch
import torch.nn as nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)

    def forward(self, x):
        return self.fc(x) * random.random()

model = Net()
)";

// In float or double; the same first weights.
constexpr const char* kNormalised = R"(import torch
import torch.nn as nn

class Net(nn.Module):
    def __init__(self, dtype):
        super().__init__()
        torch.manual_seed(0)
        self.layers = nn.Sequential(nn.Conv2d(1, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.Conv2d(8, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.Flatten(), nn.Linear(128, 10))
        self.layers.to(dtype)
        self.dtype = dtype

    def forward(self, x):
        return self.layers(x.to(self.dtype))

model = Net(torch.%s)
)";

constexpr const char* kNamed = R"(import torch
import torch.nn as nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)

    def forward(self, x):
        y = self.fc(x)
        return y * 2

model = Net()
)";

}  // namespace

std::vector<double> elements(Session& session, const std::string& name) {
    std::promise<TensorSlice> promise;
    TensorRequest request;
    request.name = name;
    session.ask("test", TensorQuery{request}, [&](TensorSlice slice) { promise.set_value(std::move(slice)); });
    const TensorSlice slice = promise.get_future().get();
    return slice.error.empty() ? slice.data.front().elements : std::vector<double>{};
}

void TestTrainingSteps::initTestCase() {
    write_file_atomically(file("net.py"), std::string(kNet));
    write_file_atomically(file("other.py"), std::string(kOther));
    std::vector<float> x;
    std::vector<std::int64_t> y;
    for (int i = 0; i < 30; ++i) {
        x.push_back(std::sin(static_cast<float>(i)));
        x.push_back(std::cos(static_cast<float>(3 * i)));
        y.push_back(x[static_cast<std::size_t>(2 * i)] > 0 ? 1 : 0);
    }
    const Tensor inputs = empty(span_of(Dims{30, 2}), ScalarType::Float32),
                 targets = empty(span_of(Dims{30}), ScalarType::Int64);
    std::copy(x.begin(), x.end(), inputs.data<float>());
    std::copy(y.begin(), y.end(), targets.data<std::int64_t>());
    write_npz(file("data.npz"), {{"x", inputs}, {"y", targets}});
}

TrainOptions TestTrainingSteps::options() const {
    TrainOptions how;
    how.data.path = file("data.npz");
    how.batch_size = 4;
    how.epochs = 3;
    how.optimizer = "Adam(lr=0.02)";
    how.schedule = "StepLR(1, gamma=0.5)";
    how.look_every = -1;
    how.seed = 5;
    return how;
}

void TestTrainingSteps::every_step_has_norms() {
    Session session;
    open(session, file("net.py"));
    train(session, options());
    const auto log = session.training();
    QCOMPARE(log->step_count(), std::size_t{24});
    QCOMPARE(log->parameters().size(), std::size_t{6});
    const auto range = log->norm_range();
    QCOMPARE(range.first, 1);
    QCOMPARE(range.last, 24);
    QCOMPARE(range.stride, 1);
    for (const TrainingStep& step : log->steps()) {
        double sum = 0;
        for (const ParameterNorms& norms : log->norms_at(step.step)) {
            sum += static_cast<double>(norms.gradient) * static_cast<double>(norms.gradient);
            QVERIFY(norms.update >= 0 && norms.weight >= 0);
        }
        QVERIFY(std::abs(std::sqrt(sum) - step.gradient_norm) < 1e-5 * step.gradient_norm);
    }
}

void TestTrainingSteps::norms_are_those_of_the_tensors() {
    Session session;
    open(session, file("net.py"));
    std::vector<std::vector<double>> before;
    const auto norm = [](const std::vector<double>& values) {
        double sum = 0;
        for (const double value : values) sum += value * value;
        return std::sqrt(sum);
    };
    for (const char* optimizer : {"SGD(0.1)", "LBFGS(max_iter=3)", "AdamW()", "Rprop()"}) {
        std::vector<double> then = elements(session, "fc.weight");
        TrainOptions how = options();
        how.optimizer = optimizer;
        how.schedule.clear();
        how.max_steps = 1;
        train(session, how);
        const std::vector<double> now = elements(session, "fc.weight");
        const auto norms = session.training()->norms_at(1);
        QVERIFY(std::abs(static_cast<double>(norms[0].weight) - norm(then)) < 1e-5);
        if (std::string(optimizer) != "LBFGS(max_iter=3)")
            QVERIFY(std::abs(static_cast<double>(norms[0].gradient) - norm(elements(session, "grad:fc.weight"))) <
                    1e-5);
        for (std::size_t i = 0; i < now.size(); ++i) then[i] -= now[i];
        QVERIFY2(std::abs(static_cast<double>(norms[0].update) - norm(then)) < 1e-5, optimizer);
    }
}

void TestTrainingSteps::a_training_that_diverges_does_not_only_finish() {
    Log log;
    Session session(&log);
    open(session, LOUPE_SOURCE_DIR "/resources/models/digits.pt");
    TrainOptions how;
    how.data.path = LOUPE_SOURCE_DIR "/resources/models/digits_data.npz";
    how.optimizer = "SGD(lr=5, momentum=0.9)";
    how.max_steps = 30;
    how.stop_at_nan = false;
    train(session, how);
    const auto findings = session.training()->findings();
    QVERIFY(!findings.empty());
    QVERIFY(log.count(SessionListener::LogEntry::Level::Warning, "the loss diverges") >=
            2);  // as it happened, and at the end
    const auto& last = log.entries.back();
    QCOMPARE(last.level, SessionListener::LogEntry::Level::Warning);
    QVERIFY2(last.text.find("lower the learning rate") != std::string::npos, last.text.c_str());
    QVERIFY(last.training_step > 0 && last.training_step < 20);
}

void TestTrainingSteps::states_are_thinned_and_spilled() {
    const auto state = [](std::int64_t step) {
        TrainerState out;
        out.steps_done = step;
        const Tensor t = empty(span_of(Dims{256}), ScalarType::Float32);
        std::fill_n(t.data<float>(), 256, static_cast<float>(step));
        out.optimizer_state = SavedValue(IValue(t));
        return out;
    };
    TrainerStates states({4096, std::size_t{1} << 20, 16});
    for (std::int64_t step = 0; step <= 100; ++step) {
        if (step == 0 || step - states.last() >= states.interval()) states.add(state(step), step == 0 || step == 30);
    }
    QVERIFY(states.count() <= 18);
    QVERIFY(states.bytes_in_memory() <= 4096);
    QCOMPARE(states.first(), 0);
    QCOMPARE(states.nearest(5)->steps_done <= 5, true);
    QVERIFY(states.nearest(-1) == nullptr);
    // What went to the file comes back.
    for (std::int64_t step = 0; step <= 100; ++step) {
        const TrainerState* found = states.nearest(step);
        QCOMPARE(found->optimizer_state.value().to_tensor().data<float>()[255], static_cast<float>(found->steps_done));
    }
    states.drop_after(40);
    QVERIFY(states.last() <= 40);
    // Where all must stay, as of a training that goes on again and again, old ones go; the steps stay as dense.
    TrainerStates many({std::size_t{1} << 20, 0, 16});
    for (std::int64_t step = 0; step < 200; ++step) {
        many.add(state(step), true);
        QVERIFY(many.count() <= 16);
    }
    QCOMPARE(many.interval(), 1);
    QCOMPARE(many.first(), 0);
    QCOMPARE(many.last(), 199);
    // And there is room for those that come later.
    for (std::int64_t step = 200; step < 1000; ++step) {
        if (step - many.last() >= many.interval()) many.add(state(step), false);
    }
    QVERIFY(many.count() <= 16);
    QVERIFY(many.interval() <= 128 && many.last() > 1000 - 2 * 128);
    // Without a file fewer are kept.
    TrainerStates small({4096, 0, 16});
    for (std::int64_t step = 0; step <= 100; ++step) small.add(state(step), step == 0);
    QVERIFY(small.bytes_in_memory() <= 4096);
    QVERIFY(small.count() >= 1);
}

// torch.manual_seed(seed); model.train(); model(torch.arange(256.).reshape(4, 1, 8, 8)) of PyTorch 1.13.1.
void TestTrainingSteps::dropout_follows_the_seed() {
    const double expected[2][4] = {{-1.3320186138153076, -0.663409948348999, 1.4046149253845215, 0.6411347389221191},
                                   {-1.141487717628479, 0.8941783905029297, 0.733173131942749, -0.7018656730651855}};
    for (const char* pipeline : {"none", "optimize"}) {
        for (std::uint64_t seed : {0U, 1U}) {
            Session session;
            open(session, LOUPE_SOURCE_DIR "/resources/models/digits.pt");
            RunOptions run;
            run.inputs = {parse_input_spec("4x1x8x8:float32:arange")};
            run.training = true;
            run.seed = seed;
            run.pipeline = pipeline;
            session.run(run);
            session.wait_idle();
            QCOMPARE(session.status().state, RunState::Finished);
            const auto recording = session.recording();
            TensorRequest last;
            last.value = recording->event(static_cast<EventId>(recording->event_count())).outputs.front();
            std::promise<TensorSlice> promise;
            session.ask("test", TensorQuery{last}, [&](TensorSlice slice) { promise.set_value(std::move(slice)); });
            const TensorSlice slice = promise.get_future().get();
            for (std::size_t i = 0; i < 4; ++i)
                QVERIFY2(std::abs(slice.data.front().elements[i] - expected[seed][i]) < 1e-4,
                         qPrintable(QString::number(slice.data.front().elements[i])));
        }
    }
}

// Adam steps by the sign of what is only rounding: biases before a normalisation have no gradient, and go where the
// last bits send them, in PyTorch too. The loss and every other parameter are those of a training in double precision.
void TestTrainingSteps::what_drifts_has_no_gradient() {
    std::map<std::string, std::vector<double>> weights[2];
    std::vector<double> losses[2];
    const char* names[] = {"float32", "float64"};
    for (int i = 0; i < 2; ++i) {
        write_file_atomically(file("normalised.py"), QString::asprintf(kNormalised, names[i]).toStdString());
        Session session;
        open(session, file("normalised.py"));
        TrainOptions how = options();
        how.data.path = LOUPE_SOURCE_DIR "/resources/models/digits_data.npz";
        how.batch_size = 32;
        how.max_steps = 60;
        how.optimizer = "Adam(lr=0.001)";
        how.schedule.clear();
        train(session, how);
        for (const std::string& name : session.training()->parameters()) weights[i][name] = elements(session, name);
        for (const TrainingStep& step : session.training()->steps()) losses[i].push_back(step.loss);
    }
    for (std::size_t i = 0; i < losses[0].size(); ++i) QVERIFY(std::abs(losses[0][i] - losses[1][i]) < 2e-5);
    for (const auto& [name, values] : weights[0]) {
        double drift = 0;
        for (std::size_t i = 0; i < values.size(); ++i)
            drift = std::max(drift, std::abs(values[i] - weights[1][name][i]));
        const bool is_before_norm = name == "layers.0.bias" || name == "layers.3.bias";
        QVERIFY2(drift < (is_before_norm ? 0.1 : 2e-4), qPrintable(QString("%1: %2").arg(name.c_str()).arg(drift)));
    }
}

// In another session, of which only the folder is left: the same weights, batches and random numbers.
void TestTrainingSteps::steps_of_a_session_before_run_again() {
    const std::filesystem::path kept = dir_.filePath("kept").toStdString();
    std::filesystem::create_directories(kept);
    Session first;
    first.keep_in(kept);
    open(first, file("net.py"));
    train(first, options());
    const auto weights = elements(first, "fc.weight");
    const auto is_whole = [&] {
        try {
            return read_training_checkpoint(kept / "training.pt", {}).step == 24;
        } catch (const Error&) {
            return false;
        }
    };
    QTRY_VERIFY(is_whole());
    const std::filesystem::path left = dir_.filePath("left").toStdString();
    std::filesystem::copy(kept, left);
    first.look_at_step(9);
    first.wait_idle();
    const auto then = elements(first, "fc.weight");

    Log log;
    Session second(&log);
    second.open_kept(file("net.py"), {}, left);
    second.wait_idle();
    std::promise<std::string> restored;
    second.ask("restore", RestoreTrainingQuery{left / "training.pt"},
               [&](const std::string& failure) { restored.set_value(failure); });
    QCOMPARE(restored.get_future().get(), std::string());
    QVERIFY(elements(second, "fc.weight") == weights);
    QCOMPARE(second.training()->first_replayable(), 1);
    second.look_at_step(9);
    second.wait_idle();
    QVERIFY2(second.status().state == RunState::Paused, second.status().error.c_str());
    QVERIFY(elements(second, "fc.weight") == then);
    second.resume();
    second.wait_idle();
    QCOMPARE(log.count(SessionListener::LogEntry::Level::Info, "step 9 was run again and came out as it was logged"),
             1);
    second.return_to_end();
    second.wait_idle();
    QVERIFY(elements(second, "fc.weight") == weights);
    // Without what it began with there is a true reason.
    std::filesystem::remove(left / "training-start-0.pt");
    Session third;
    third.open_kept(file("net.py"), {}, left);
    third.wait_idle();
    std::promise<std::string> again;
    third.ask("restore", RestoreTrainingQuery{left / "training.pt"},
              [&](const std::string& failure) { again.set_value(failure); });
    QCOMPARE(again.get_future().get(), std::string());
    third.look_at_step(9);
    third.wait_idle();
    QCOMPARE(third.status().state, RunState::Failed);
    QVERIFY2(third.status().error.find("the session before kept no state") != std::string::npos,
             third.status().error.c_str());
}

// Values stand beside the lines of what is parked, or failed.
void TestTrainingSteps::a_step_that_is_stopped_did_not_fail() {
    write_file_atomically(file("named.py"), std::string(kNamed));
    Session session;
    open(session, file("named.py"));
    Breakpoint at;
    at.kind = Breakpoint::Kind::Line;
    at.text = file("named.py");
    at.line = 11;
    session.add_breakpoint(at);
    session.train(options());
    session.wait_idle();
    const auto frames = [&] {
        std::promise<std::vector<FrameValues>> promise;
        session.ask("lines", LineValuesQuery{},
                    [&](std::vector<FrameValues> all) { promise.set_value(std::move(all)); });
        return promise.get_future().get();
    };
    QCOMPARE(session.status().state, RunState::Paused);
    QVERIFY(!frames().empty());
    session.stop();
    session.wait_idle();
    QCOMPARE(session.status().state, RunState::Ready);
    QVERIFY(frames().empty());
}

void TestTrainingSteps::what_cannot_be_run_again_is_said() {
    Session session;
    open(session, file("net.py"));
    session.look_at_step(1);
    session.wait_idle();
    QCOMPARE(session.status().state, RunState::Failed);
    QVERIFY(session.status().error.find("nothing was trained") != std::string::npos);
    train(session, options());
    const auto weights = elements(session, "fc.weight");
    session.look_at_step(25);
    session.wait_idle();
    QVERIFY(session.status().error.find("no step 25") != std::string::npos);
    QVERIFY(elements(session, "fc.weight") == weights);
    QCOMPARE(session.status().training_end, 0);
}

void TestTrainingSteps::what_is_not_the_same_is_said() {
    Log log;
    Session session(&log);
    open(session, file("other.py"));
    train(session, options());
    session.look_at_step(6);
    session.wait_idle();
    session.resume();
    session.wait_idle();
    QVERIFY2(log.count(SessionListener::LogEntry::Level::Warning, "did not come out as it was logged") >= 1,
             qPrintable(log.text()));
    QCOMPARE(log.count(SessionListener::LogEntry::Level::Info, "came out as it was logged"), 0);
}

void TestTrainingSteps::trainings_are_listed() {
    Session session;
    open(session, file("net.py"));
    QVERIFY(session.trainings().empty());
    TrainOptions how = options();
    how.max_steps = 5;
    train(session, how);
    how.optimizer = "SGD(0.1)";
    train(session, how);
    const auto trainings = session.trainings();
    QCOMPARE(trainings.size(), std::size_t{2});
    QVERIFY(trainings.back() == session.training());
    QCOMPARE(trainings[0]->origin().weights, std::string("as opened"));
    QCOMPARE(trainings[1]->origin().weights, std::string("trained"));
    QCOMPARE(trainings[1]->origin().number, 2);
    // Opened again, as after an edit: they are still there to be compared with.
    open(session, file("net.py"));
    QCOMPARE(session.trainings().size(), std::size_t{2});
    const auto settings = training_settings(trainings[1]->options());
    QVERIFY(std::find(settings.begin(), settings.end(), std::pair<std::string, std::string>{"optimizer", "SGD(0.1)"}) !=
            settings.end());
    open(session, file("other.py"));
    train(session, how);
    QCOMPARE(session.trainings().size(), std::size_t{1});
}

void TestTrainingSteps::final_loss_and_resuming_are_logged() {
    Log log;
    Session session(&log);
    open(session, file("net.py"));
    train(session, options());
    QVERIFY2(log.entries.back().text.find("the training finished at step 24: ") == 0, qPrintable(log.text()));
    QVERIFY(log.entries.back().text.find("in 24 steps") != std::string::npos);
    std::promise<std::string> saved;
    session.ask("save", SaveCheckpointQuery{file("half.pt")}, [&](std::string failure) { saved.set_value(failure); });
    QCOMPARE(saved.get_future().get(), std::string());
    TrainOptions more = options();
    more.resume = file("half.pt");
    more.epochs = 4;
    log.entries.clear();
    train(session, more);
    QCOMPARE(log.count(SessionListener::LogEntry::Level::Info,
                       "resumed from " + file("half.pt") + ": 24 steps done, epoch 3, loss "),
             1);
    session.look_at_step(10);
    session.wait_idle();
    QCOMPARE(session.status().state, RunState::Failed);
    QVERIFY2(session.status().error.find("before this training began") != std::string::npos,
             session.status().error.c_str());
}

// Norms and recorded steps are not in a checkpoint, what was found by them is.
void TestTrainingSteps::findings_are_kept_in_checkpoints() {
    std::string text(kNet);
    text.replace(text.find("        self.calls = 0"), 0, "        self.spare = nn.Linear(2, 2)\n");
    write_file_atomically(file("spare.py"), text);
    Session session;
    open(session, file("spare.py"));
    train(session, options());
    const auto texts = [&] {
        std::vector<std::string> all;
        for (const TrainingFinding& each : session.training()->findings()) all.push_back(each.text);
        return all;
    };
    const auto before = texts();
    QCOMPARE(
        std::ranges::count_if(before, [](const std::string& each) { return each.find("spare") != std::string::npos; }),
        std::ptrdiff_t{1});
    std::promise<std::string> saved;
    session.ask("save", SaveCheckpointQuery{file("spare.pt")}, [&](std::string failure) { saved.set_value(failure); });
    QCOMPARE(saved.get_future().get(), std::string());
    TrainOptions more = options();
    more.resume = file("spare.pt");
    more.epochs = 4;
    train(session, more);
    const auto after = texts();
    for (const std::string& each : before) QVERIFY2(std::ranges::find(after, each) != after.end(), each.c_str());
}

QTEST_GUILESS_MAIN(TestTrainingSteps)
