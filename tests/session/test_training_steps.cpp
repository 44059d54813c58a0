// SPDX-License-Identifier: Apache-2.0
// Steps of a training: their norms, what is named while they go on, and running one of them again.
#include <QTemporaryDir>
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
#include "core/train/training_watch.h"

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

// Counts its calls, and does something in one of them.
constexpr const char* kCounting = R"(import torch
import torch.nn as nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)
        self.register_buffer("calls", torch.zeros(1))

    def forward(self, x):
        self.calls.add_(1)
        if self.calls.item() == %d:
            %s
        return self.fc(x)

torch.manual_seed(1)
model = Net()
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

// Stops the session when the model prints.
class Stopper : public SessionListener {
  public:
    void on_log(const LogEntry& entry) override {
        if (entry.text == "stop now") session->stop();
    }
    Session* session = nullptr;
};

class Log : public SessionListener {
  public:
    void on_log(const LogEntry& entry) override { entries.push_back(entry); }
    std::vector<LogEntry> entries;
    int count(LogEntry::Level level, const std::string& words) const {
        return static_cast<int>(std::count_if(entries.begin(), entries.end(), [&](const LogEntry& entry) {
            return entry.level == level && entry.text.find(words) != std::string::npos;
        }));
    }
    QString text() const {
        QString all;
        for (const LogEntry& entry : entries) all += QString::fromStdString(entry.text) + QLatin1Char('\n');
        return all;
    }
};

std::vector<double> elements(Session& session, const std::string& name) {
    std::promise<TensorSlice> promise;
    TensorRequest request;
    request.name = name;
    session.ask("test", TensorQuery{request}, [&](TensorSlice slice) { promise.set_value(std::move(slice)); });
    const TensorSlice slice = promise.get_future().get();
    return slice.error.empty() ? slice.data.front().elements : std::vector<double>{};
}

struct Numbers {
    std::vector<double> all;
    bool operator==(const Numbers&) const = default;
};
Numbers numbers_of(const TrainingLog& log, std::size_t from = 0) {
    Numbers out;
    for (const TrainingStep& step : log.steps(from)) {
        for (const double number : {step.loss, step.gradient_norm, step.learning_rate}) out.all.push_back(number);
    }
    return out;
}

}  // namespace

class TestTrainingSteps : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase();
    void every_step_has_norms();
    void norms_are_those_of_the_tensors();
    void old_norms_are_merged();
    void a_jump_and_its_end_are_named();
    void a_loss_near_0_may_go_up_and_down_data();
    void a_loss_near_0_may_go_up_and_down();
    void noise_with_a_long_tail_is_no_jump();
    void divergence_is_named_once();
    void a_plateau_is_named();
    void parameters_without_gradient_are_named();
    void dead_units_are_named();
    void a_good_training_has_nothing_named();
    void a_training_that_diverges_does_not_only_finish();
    void states_are_thinned_and_spilled();
    void a_step_comes_out_as_it_was_data();
    void a_step_comes_out_as_it_was();
    void looking_changes_no_number();
    void dropout_follows_the_seed();
    void what_drifts_has_no_gradient();
    void the_end_is_returned_to();
    void another_training_does_not_lose_the_end();
    void an_optimiser_that_runs_the_model_leaves_whole_steps();
    void stopping_inside_a_recorded_step_keeps_the_place_in_the_data();
    void goes_on_from_an_earlier_step();
    void another_step_from_inside_one();
    void steps_of_a_session_before_run_again();
    void a_step_that_is_stopped_did_not_fail();
    void what_cannot_be_run_again_is_said();
    void what_is_not_the_same_is_said();
    void trainings_are_listed();
    void final_loss_and_resuming_are_logged();

  private:
    std::string file(const char* name) const { return dir_.filePath(QString::fromLatin1(name)).toStdString(); }
    TrainOptions options() const;
    void open(Session& session, const std::string& path) {
        session.open(path);
        session.wait_idle();
        QVERIFY2(session.status().state == RunState::Ready, session.status().error.c_str());
    }
    void train(Session& session, const TrainOptions& how) {
        session.train(how);
        session.wait_idle();
        QVERIFY2(session.status().state == RunState::Finished, session.status().error.c_str());
    }

    QTemporaryDir dir_;
};

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

void TestTrainingSteps::old_norms_are_merged() {
    const std::vector<std::string> names{"a", "b"};
    NormHistory history(names, 300 * 2 * sizeof(ParameterNorms));
    for (std::int64_t step = 1; step <= 5000; ++step) {
        const float gradient = step == 3333 ? 50.F : step == 60 ? 7.F : 1.F;
        const ParameterNorms norms[] = {{gradient, 0.1F, 2.F}, {ParameterNorms::kNone, 0.F, 0.F}};
        history.add(step, norms);
    }
    QCOMPARE(history.last_step(), 5000);
    QVERIFY(history.stride() > 1);
    // The first hundred stay as they were; what stood out later is still there, within the stride.
    QCOMPARE(history.at(60)[0].gradient, 7.F);
    QCOMPARE(history.at(61)[0].gradient, 1.F);
    QCOMPARE(history.at(3333)[0].gradient, 50.F);
    QCOMPARE(history.at(3333 + 2 * history.stride())[0].gradient, 1.F);
    const std::int64_t edges[] = {1, 51, 101, 3001, 4001, 5001};
    const NormMap map = history.map(NormKind::Gradient, edges);
    QCOMPARE(map.buckets, std::size_t{5});
    const double expected[] = {1, 7, 1, 50, 1};
    for (std::size_t b = 0; b < 5; ++b) {
        QCOMPARE(map.at(b, 0), expected[b]);
        QCOMPARE(map.at(b, 1), -1.0);
    }
    QCOMPARE(history.map(NormKind::Ratio, edges).at(0, 0), static_cast<double>(0.1F) / 2);
    QCOMPARE(history.until(100).last_step(), 100);
}

void TestTrainingSteps::a_jump_and_its_end_are_named() {
    TrainingWatch watch({}, "Adam()", 100);
    for (std::int64_t step = 1; step <= 60; ++step) {
        const double noise = 0.02 * std::sin(static_cast<double>(7 * step));
        watch.add_step(step, step == 40 || step == 41 ? 1.9 : 2.3 / (1 + 0.1 * static_cast<double>(step)) + noise, {});
    }
    QCOMPARE(watch.findings().size(), std::size_t{1});
    const TrainingFinding& jump = watch.findings().front();
    QCOMPARE(jump.kind, TrainingFinding::Kind::Spike);
    QCOMPARE(jump.step, 40);
    QCOMPARE(jump.last_step, 41);
    // Of the steps before it: between the loss 16 steps earlier and that of the last.
    QVERIFY2(jump.text.starts_with("the loss jumps to 1.9 at step 40: it was about 0."), jump.text.c_str());
    const double before = std::stod(jump.text.substr(jump.text.find("about ") + 6));
    QVERIFY2(before > 2.3 / (1 + 3.9) - 0.02 && before < 2.3 / (1 + 2.4) + 0.02, jump.text.c_str());
    QVERIFY2(jump.text.find(" times as much") != std::string::npos, jump.text.c_str());
    QVERIFY(watch.verdict().is_good);
}

void TestTrainingSteps::a_loss_near_0_may_go_up_and_down_data() {
    QTest::addColumn<double>("first");
    QTest::addColumn<double>("usual");
    QTest::addColumn<double>("jump");
    QTest::addColumn<int>("findings");
    QTest::newRow("learned") << 2.3 << 1e-4 << 3e-4 << 0;
    QTest::newRow("learned, weights from before") << 1e-4 << 1e-4 << 3e-4 << 0;
    QTest::newRow("learned, a hard batch") << 2.3 << 1e-4 << 0.02 << 0;
    QTest::newRow("small numbers, another scale") << 1e-6 << 1e-6 << 1e-4 << 1;
    QTest::newRow("learned, then a jump") << 2.3 << 1e-4 << 0.9 << 1;
}
void TestTrainingSteps::a_loss_near_0_may_go_up_and_down() {
    QFETCH(double, first);
    QFETCH(double, usual);
    QFETCH(double, jump);
    QFETCH(int, findings);
    TrainingWatch watch({}, "Adam()", 500);
    for (std::int64_t step = 1; step <= 90; ++step) {
        const double noise = 0.05 * usual * std::sin(static_cast<double>(7 * step));
        watch.add_step(step, step < 5 ? first : step == 60 ? jump : usual + noise, {});
    }
    QCOMPARE(watch.findings().size(), static_cast<std::size_t>(findings));
}

// Noise with a long tail: one step in ten is several times the others.
void TestTrainingSteps::noise_with_a_long_tail_is_no_jump() {
    TrainingWatch watch({}, "SGD()", 500);
    for (std::int64_t step = 1; step <= 400; ++step) {
        const double hard = step % 9 == 0 ? 0.25 + 0.1 * std::sin(static_cast<double>(step)) : 0;
        watch.add_step(step, 0.05 + 0.01 * std::sin(static_cast<double>(7 * step)) + hard, {});
    }
    for (const TrainingFinding& finding : watch.findings())
        QVERIFY2(finding.kind != TrainingFinding::Kind::Spike, finding.text.c_str());
}

void TestTrainingSteps::divergence_is_named_once() {
    TrainingWatch watch({"w"}, "SGD(lr=5)", 57);
    for (std::int64_t step = 1; step <= 200; ++step) {
        const ParameterNorms norms[] = {{1.F, step == 3 ? 28.F : 0.1F, 2.F}};
        watch.add_step(step, step < 5 ? 2.3 : 2e5 + 100 * static_cast<double>(step % 7), norms);
    }
    QCOMPARE(watch.findings().size(), std::size_t{1});
    QCOMPARE(watch.findings().front().kind, TrainingFinding::Kind::Divergence);
    QCOMPARE(watch.findings().front().step, 5);
    QVERIFY2(watch.findings().front().text.find("14 times") != std::string::npos,
             watch.findings().front().text.c_str());
    QVERIFY(!watch.verdict().is_good);
    QCOMPARE(watch.verdict().step, 5);
    // Losses below 0, as log likelihoods have them.
    TrainingWatch negative({}, "Adam()", 57);
    for (std::int64_t step = 1; step <= 200; ++step)
        negative.add_step(step, -3 - 0.01 * static_cast<double>(step) + 0.1 * std::sin(static_cast<double>(step)), {});
    QVERIFY(negative.findings().empty());
}

void TestTrainingSteps::a_plateau_is_named() {
    TrainingWatch watch({}, "Adam()", 50);
    std::int64_t named = 0;
    for (std::int64_t step = 1; step <= 400; ++step) {
        const double noise = 0.01 * std::sin(static_cast<double>(7 * step));
        const double loss = step < 60    ? 2.3 - 0.01 * static_cast<double>(step)
                            : step < 300 ? 1.7
                                         : 1.7 - 0.01 * static_cast<double>(step - 300);
        watch.add_step(step, loss + noise, {});
        if (named == 0 && !watch.findings().empty()) named = step;
    }
    QVERIFY(named > 100 && named < 220);
    QCOMPARE(watch.findings().front().kind, TrainingFinding::Kind::Plateau);
    QVERIFY(std::abs(watch.findings().front().step - 60) < 30);
    QVERIFY(watch.findings().front().last_step > 250);
    // One that has learned all there is is none.
    TrainingWatch learned({}, "Adam()", 50);
    for (std::int64_t step = 1; step <= 400; ++step)
        learned.add_step(step, 0.01 + 2.3 * std::exp(-0.1 * static_cast<double>(step)), {});
    QVERIFY(learned.findings().empty());
}

void TestTrainingSteps::parameters_without_gradient_are_named() {
    TrainingWatch watch({"a.weight", "a.bias", "b.weight", "unused"}, "Adam()", 50);
    for (std::int64_t step = 1; step <= 40; ++step) {
        const float dead = step >= 11 && step < 30 ? 0.F : 0.3F;
        const ParameterNorms norms[] = {
            {dead, 0.F, 1.F}, {dead, 0.F, 1.F}, {0.3F, 0.F, 1.F}, {ParameterNorms::kNone, 0.F, 1.F}};
        watch.add_step(step, 1, norms);
    }
    QCOMPARE(watch.findings().size(), std::size_t{2});
    QCOMPARE(watch.findings()[0].text, std::string("backward gives no gradient to unused since step 1"));
    QCOMPARE(watch.findings()[1].text,
             std::string("the gradients of a.weight and 1 other parameter are exactly 0 since step 11"));
    QCOMPARE(watch.findings()[1].last_step, 29);
}

void TestTrainingSteps::dead_units_are_named() {
    TrainingWatch watch({}, "Adam()", 50);
    const auto units = [](bool second) { return std::vector<UnitActivity>{{"relu", {false, second, true, false}}}; };
    watch.add_units(1, units(true));
    watch.add_units(40, units(false));
    QVERIFY(watch.findings().empty());
    watch.add_units(95, units(true));
    QCOMPARE(watch.findings().size(), std::size_t{1});
    QCOMPARE(watch.findings()[0].text,
             std::string("relu: 1 of 4 units gave only 0 at the last 3 steps recorded (1, 40, 95)"));
    watch.add_units(120, units(false));
    QCOMPARE(watch.findings().size(), std::size_t{1});  // the same again
}

void TestTrainingSteps::a_good_training_has_nothing_named() {
    Session session;
    open(session, LOUPE_SOURCE_DIR "/resources/models/digits.pt");
    TrainOptions how;
    how.data.path = LOUPE_SOURCE_DIR "/resources/models/digits_data.npz";
    how.max_steps = 120;
    train(session, how);
    QVERIFY2(session.training()->verdict().is_good, session.training()->verdict().text.c_str());
    QVERIFY(session.training()->verdict().text.find("in 120 steps") != std::string::npos);
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

void TestTrainingSteps::a_step_comes_out_as_it_was_data() {
    QTest::addColumn<QString>("model");
    QTest::addColumn<QString>("optimizer");
    QTest::addColumn<QString>("schedule");
    QTest::addColumn<QString>("precision");
    QTest::addColumn<double>("look");
    const QString digits = QStringLiteral(LOUPE_SOURCE_DIR "/resources/models/digits.pt");
    const QString gpt = QStringLiteral(LOUPE_SOURCE_DIR "/resources/models/gpt.pt");
    const QString net = QString::fromStdString(file("net.py"));
    QTest::newRow("digits, Adam") << digits << "Adam()"
                                  << ""
                                  << "" << -1.0;
    QTest::newRow("digits, SGD with momentum, every step recorded") << digits << "SGD(0.1, momentum=0.9)"
                                                                    << "StepLR(1, gamma=0.5)"
                                                                    << "" << 0.0;
    QTest::newRow("digits, mixed precision") << digits << "AdamW(lr=0.002)"
                                             << "OneCycleLR(0.01, total_steps=100)"
                                             << "bfloat16" << -1.0;
    QTest::newRow("gpt") << gpt << "Adam(lr=0.0005)"
                         << ""
                         << "" << -1.0;
    QTest::newRow("source with a counter") << net << "NAdam()"
                                           << "ReduceLROnPlateau()"
                                           << "" << -1.0;
    QTest::newRow("source, LBFGS") << net << "LBFGS(max_iter=4)"
                                   << ""
                                   << "" << -1.0;
}
void TestTrainingSteps::a_step_comes_out_as_it_was() {
    QFETCH(QString, model);
    QFETCH(QString, optimizer);
    QFETCH(QString, schedule);
    QFETCH(QString, precision);
    QFETCH(double, look);
    Log log;
    Session session(&log);
    open(session, model.toStdString());
    TrainOptions how = options();
    if (model.contains(QStringLiteral("digits"))) how.data.path = LOUPE_SOURCE_DIR "/resources/models/digits_data.npz";
    if (model.contains(QStringLiteral("gpt"))) {
        how.data = {};
        how.data.classes = 0;
        how.data.count = 64;
    }
    how.batch_size = model.contains(QStringLiteral("digits")) ? 64 : 4;
    how.optimizer = optimizer.toStdString();
    how.schedule = schedule.toStdString();
    how.schedule_every_step = schedule.startsWith(QStringLiteral("One"));
    how.autocast = precision.toStdString();
    how.held_out = 0.1;
    how.max_steps = 28;  // the digits' second epoch begins at 27
    how.epochs = 10;
    how.look_every = look;
    train(session, how);
    const auto steps = session.training()->steps();
    QCOMPARE(steps.size(), std::size_t{28});
    for (const std::int64_t wanted : {27, 7, 28, 1}) {
        log.entries.clear();
        session.look_at_step(wanted);
        session.wait_idle();
        QVERIFY2(session.status().state == RunState::Paused, session.status().error.c_str());
        QCOMPARE(session.status().training_step, wanted);
        QCOMPARE(session.status().training_end, 28);
        QVERIFY(session.status().is_training);
        session.resume();
        session.wait_idle();
        QVERIFY2(session.status().state == RunState::Finished, session.status().error.c_str());
        QCOMPARE(log.count(SessionListener::LogEntry::Level::Info, "came out as it was logged"), 1);
        QVERIFY2(log.count(SessionListener::LogEntry::Level::Warning, "") == 0, qPrintable(log.text()));
        // All phases are there to be looked at.
        const auto recording = session.recording();
        if (!optimizer.startsWith(QStringLiteral("LBFGS")))
            QCOMPARE(recording->event(static_cast<EventId>(recording->event_count())).phase, RunPhase::Optimizer);
    }
    QCOMPARE(session.training()->step_count(), std::size_t{28});
    session.return_to_end();
    session.wait_idle();
    QCOMPARE(session.status().training_end, 0);
}

void TestTrainingSteps::looking_changes_no_number() {
    Numbers before;
    for (const double look : {-1.0, 0.0}) {
        Session session;
        open(session, file("net.py"));
        TrainOptions how = options();
        how.look_every = look;
        train(session, how);
        if (look < 0)
            before = numbers_of(*session.training());
        else
            QVERIFY(numbers_of(*session.training()) == before);
    }
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

// After looking around, the training goes on as if nobody had.
void TestTrainingSteps::the_end_is_returned_to() {
    Session whole;
    open(whole, file("net.py"));
    TrainOptions longer = options();
    longer.epochs = 5;
    train(whole, longer);

    Session session;
    open(session, file("net.py"));
    train(session, options());
    const auto weights = elements(session, "fc.weight");
    const auto means = elements(session, "norm.running_mean");
    const auto gradient = elements(session, "grad:out.weight");
    const auto shown = session.recording();
    session.look_at_step(9);
    session.wait_idle();
    QVERIFY(session.recording() != shown);
    QVERIFY(elements(session, "fc.weight") != weights);
    session.return_to_end();  // from inside the step
    session.wait_idle();
    QVERIFY(session.recording() == shown);  // the events and values of the end are what is shown
    QCOMPARE(session.status().reached, shown ? static_cast<EventId>(shown->event_count()) : EventId{0});
    QVERIFY(elements(session, "fc.weight") == weights);
    QVERIFY(elements(session, "norm.running_mean") == means);
    QVERIFY(elements(session, "grad:out.weight") == gradient);
    session.train_on(longer);
    session.wait_idle();
    QVERIFY(numbers_of(*session.training()) == numbers_of(*whole.training()));
    QVERIFY(elements(session, "fc.weight") == elements(whole, "fc.weight"));
}

void TestTrainingSteps::another_training_does_not_lose_the_end() {
    Session session;
    open(session, file("net.py"));
    train(session, options());
    const auto weights = elements(session, "fc.weight");
    session.look_at_step(9);
    session.wait_idle();
    session.resume();
    session.wait_idle();
    session.train(options());
    session.wait_idle();
    QCOMPARE(session.status().state, RunState::Failed);
    const std::string error = session.status().error;
    QVERIFY2(error.find("at step 9 of a training that came to step 24") != std::string::npos, error.c_str());
    QCOMPARE(session.status().training_end, 24);
    QCOMPARE(session.trainings().size(), std::size_t{1});
    // What does not open, and its form, leave the model where it is.
    session.open(file("nothing.py"));
    session.wait_idle();
    QCOMPARE(session.status().state, RunState::Failed);
    QCOMPARE(session.status().training_end, 24);
    session.set_form(ModelForm::Evaluated);
    session.wait_idle();
    QCOMPARE(session.status().state, RunState::Ready);
    QCOMPARE(session.status().training_end, 24);
    QCOMPARE(session.status().training_step, 9);
    session.return_to_end();
    session.wait_idle();
    QVERIFY(elements(session, "fc.weight") == weights);
    train(session, options());
    QCOMPARE(session.trainings().size(), std::size_t{2});
}

// LBFGS runs the model several times a step: where that fails, or is stopped, no step is left half done.
void TestTrainingSteps::an_optimiser_that_runs_the_model_leaves_whole_steps() {
    TrainOptions how = options();
    how.optimizer = "LBFGS(max_iter=4)";
    const auto write = [&](int call, const char* what) {
        write_file_atomically(file("counting.py"), QString::asprintf(kCounting, call, what).toStdString());
    };
    // After two steps and after three.
    std::vector<double> weights[2];
    int calls = 0;
    for (const int steps : {2, 3}) {
        write(-1, "pass");
        Session session;
        open(session, file("counting.py"));
        how.max_steps = steps;
        train(session, how);
        weights[steps - 2] = elements(session, "fc.weight");
        if (steps == 2) calls = static_cast<int>(elements(session, "calls").front());
    }
    QVERIFY(calls > 2 && weights[0] != weights[1]);
    how.max_steps = 0;
    // The second evaluation of the third step.
    write(calls + 2, "raise ValueError('enough')");
    Session failing;
    open(failing, file("counting.py"));
    failing.train(how);
    failing.wait_idle();
    QCOMPARE(failing.status().state, RunState::Failed);
    QCOMPARE(failing.training()->step_count(), std::size_t{2});
    QVERIFY(elements(failing, "fc.weight") == weights[0]);

    write(calls + 2, "print('stop now')");
    Stopper stopper;
    Session stopped(&stopper);
    stopper.session = &stopped;
    open(stopped, file("counting.py"));
    stopped.train(how);
    stopped.wait_idle();
    QCOMPARE(stopped.status().state, RunState::Ready);
    QCOMPARE(stopped.training()->step_count(), std::size_t{3});
    QVERIFY(elements(stopped, "fc.weight") == weights[1]);
}

// The batches of the epoch are counted off again, though what stopped the step would stop that too.
void TestTrainingSteps::stopping_inside_a_recorded_step_keeps_the_place_in_the_data() {
    Session whole;
    open(whole, file("net.py"));
    train(whole, options());

    Session session;
    open(session, file("net.py"));
    TrainOptions how = options();
    how.max_steps = 5;
    train(session, how);
    Breakpoint at;
    at.kind = Breakpoint::Kind::Phase;
    at.phase = RunPhase::Optimizer;
    const int id = session.add_breakpoint(at);
    session.train_on(options());
    session.wait_idle();
    QCOMPARE(session.status().state, RunState::Paused);
    session.stop();
    session.wait_idle();
    session.remove_breakpoint(id);
    session.train_on(options());
    session.wait_idle();
    QVERIFY(numbers_of(*session.training()) == numbers_of(*whole.training()));
    QVERIFY(elements(session, "fc.weight") == elements(whole, "fc.weight"));
}

// With the same settings it comes out as it did before; the log of what came after stays.
void TestTrainingSteps::goes_on_from_an_earlier_step() {
    Session session;
    open(session, file("net.py"));
    train(session, options());
    const auto before = session.training();
    const auto weights = elements(session, "fc.weight");
    session.look_at_step(10);
    session.wait_idle();
    session.resume();
    session.wait_idle();
    session.train_on(options());
    session.wait_idle();
    const auto branch = session.training();
    QVERIFY(branch != before);
    QCOMPARE(branch->origin().branch_of, 1);
    QCOMPARE(branch->origin().branch_step, 10);
    QVERIFY(numbers_of(*branch) == numbers_of(*before));
    QVERIFY(elements(session, "fc.weight") == weights);
    QCOMPARE(branch->norm_range().last, 24);
    // Its steps can be run again too, and those before it.
    for (const std::int64_t step : {20, 5}) {
        session.look_at_step(step);
        session.wait_idle();
        QCOMPARE(session.status().training_step, step);
        QCOMPARE(session.status().state, RunState::Paused);
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

void TestTrainingSteps::another_step_from_inside_one() {
    Log log;
    Session session(&log);
    open(session, file("net.py"));
    train(session, options());
    const auto weights = elements(session, "fc.weight");
    Breakpoint at;
    at.kind = Breakpoint::Kind::Phase;
    at.phase = RunPhase::Optimizer;
    const int id = session.add_breakpoint(at);
    session.look_at_step(3);
    session.wait_idle();
    session.resume();
    session.wait_idle();
    QCOMPARE(session.status().phase, RunPhase::Optimizer);
    session.step(StepKind::Over);  // the first parameter has moved
    session.wait_idle();
    session.look_at_step(17);
    session.wait_idle();
    QCOMPARE(session.status().training_step, 17);
    session.stop();
    session.wait_idle();
    QCOMPARE(session.status().state, RunState::Ready);
    QCOMPARE(session.status().training_end, 24);
    session.remove_breakpoint(id);
    session.look_at_step(4);
    session.wait_idle();
    session.resume();
    session.wait_idle();
    QCOMPARE(log.count(SessionListener::LogEntry::Level::Info, "step 4 was run again and came out as it was logged"),
             1);
    session.return_to_end();
    session.wait_idle();
    QVERIFY(elements(session, "fc.weight") == weights);
    QCOMPARE(log.count(SessionListener::LogEntry::Level::Warning, "did not come out"), 0);
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

QTEST_GUILESS_MAIN(TestTrainingSteps)
#include "test_training_steps.moc"
