// SPDX-License-Identifier: Apache-2.0
// Training in a session: the numbers of PyTorch's own loop, stops inside a step, steps that fail.
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QtTest>
#include <fstream>

#include <cmath>
#include <future>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/strings.h"
#include "core/formats/checkpoint/weights_file.h"
#include "core/formats/numpy/npy.h"
#include "core/model/call_text.h"
#include "core/session/queries/save_weights.h"
#include "core/session/queries/tensor.h"
#include "core/session/session.h"
#include "core/train/trainer.h"

using namespace loupe;
using namespace loupe::session;

namespace {

constexpr const char* kNet = R"(import torch
import torch.nn as nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 3)
        self.norm = nn.BatchNorm1d(3)
        self.out = nn.Linear(3, 2)
        with torch.no_grad():
            self.fc.weight.copy_(torch.tensor([[0.5, -0.25], [0.125, 1.0], [-0.5, 0.75]]))
            self.fc.bias.zero_()
            self.out.weight.copy_(torch.tensor([[0.25, 0.5, -1.0], [1.0, -0.5, 0.25]]))
            self.out.bias.zero_()

    def forward(self, x):
        return self.out(torch.tanh(self.norm(self.fc(x))))

model = Net()
)";

// Goes wrong when an example is negative.
constexpr const char* kRoot = R"(import torch
import torch.nn as nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1d(1)
        self.fc = nn.Linear(1, 1)

    def forward(self, x):
        root = torch.sqrt(x)
        return self.fc(self.norm(x) + root)

model = Net()
)";

class Log : public SessionListener {
  public:
    void on_log(const LogEntry& entry) override { entries.push_back(entry); }
    std::vector<LogEntry> entries;
};

template <typename T, typename Ask>
T answer(Ask&& ask) {
    std::promise<T> promise;
    ask([&promise](T value) { promise.set_value(std::move(value)); });
    return promise.get_future().get();
}

double element(Session& session, const std::string& name) {
    TensorRequest request;
    request.name = name;
    const auto slice = answer<TensorSlice>([&](auto reply) { session.ask("test", TensorQuery{request}, reply); });
    return slice.error.empty() ? slice.data.front().elements.front() : std::nan("");
}

}  // namespace

class TestTraining : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase();
    void numbers_are_pytorchs();
    void loops_are_pytorchs_data();
    void loops_are_pytorchs();
    void own_loss_takes_the_target_data();
    void own_loss_takes_the_target();
    void holds_examples_aside();
    void a_step_shows_its_loaders();
    void stops_inside_a_step();
    void breakpoints_stop_in_any_step();
    void goes_on_after_a_stop();
    void ends_at_the_origin_of_a_nan();
    void a_failing_step_changes_nothing();
    void learning_rate_that_is_no_number();
    void says_what_does_not_fit();
    void values_of_a_recorded_step_stay();
    void saves_weights();
    void samples_are_thinned();
    void calls_as_text();
    void made_up_data_fits_the_model_data();
    void made_up_data_fits_the_model();

  private:
    QString file(const char* name) const { return dir_.filePath(QString::fromLatin1(name)); }
    void write(const char* name, const char* text) { write_file_atomically(file(name).toStdString(), text); }
    TrainOptions options() const;
    void open(Session& session, const char* name) {
        session.open(file(name).toStdString());
        session.wait_idle();
    }

    QTemporaryDir dir_;
};

void TestTraining::initTestCase() {
    write("net.py", kNet);
    write("root.py", kRoot);
    const Tensor x = tensor_of<float>({-2.F, 1.F, -1.F, -1.F, 0.F, 2.F, 1.F, 0.F, 2.F, 3.F, 3.F, -2.F}, {6, 2});
    const Tensor y = tensor_of<std::int64_t>({0, 1, 0, 1, 1, 0}, {6});
    write_npz(file("data.npz").toStdString(), {{"x", x}, {"y", y}});
    write_npz(file("roots.npz").toStdString(), {{"x", tensor_of<float>({1.F, 4.F, 9.F, 1.F, -1.F, 4.F}, {6, 1})},
                                                {"y", tensor_of<float>({1.F, 2.F, 3.F, 1.F, 1.F, 2.F}, {6, 1})}});
}

TrainOptions TestTraining::options() const {
    TrainOptions options;
    options.data.path = file("data.npz").toStdString();
    options.batch_size = 4;
    options.shuffle = false;
    options.epochs = 2;
    options.optimizer = "SGD(0.5, momentum=0.9)";
    options.schedule = "StepLR(1, gamma=0.5)";
    return options;
}

// Whole loops as scripts with a DataLoader write them: training.json, by make_training.py.
void TestTraining::loops_are_pytorchs_data() {
    QTest::addColumn<QJsonObject>("row");
    QFile file(LOUPE_SOURCE_DIR "/tests/session/training.json");
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QJsonObject all = QJsonDocument::fromJson(file.readAll()).object();
    QVERIFY(all.size() >= 6);
    for (const QString& name : all.keys()) QTest::newRow(qPrintable(name)) << all[name].toObject();
}
void TestTraining::loops_are_pytorchs() {
    QFETCH(QJsonObject, row);
    TrainOptions given;
    given.data.path = LOUPE_SOURCE_DIR "/resources/models/digits_data.npz";
    given.batch_size = row["batch"].toInt();
    given.shuffle = row["shuffle"].toBool();
    given.drop_last = row["drop_last"].toBool();
    given.held_out = row["held_out"].toDouble();
    given.optimizer = row["optimizer"].toString().toStdString();
    given.schedule = row["schedule"].toString().toStdString();
    given.schedule_every_step = row["by_step"].toBool();
    given.loss = row["loss"].toString().toStdString();
    given.clip_norm = row["clip"].toDouble();
    given.autocast = row["autocast"].toString().toStdString();
    // A number in bfloat16 has eight bits: what is summed in another order may differ by one of them.
    const double slack = given.autocast.empty() ? 1 : 50;
    given.epochs = row["epoch_count"].toInt();
    given.max_steps = row["step_count"].toInt();
    given.seed = 3;
    given.look_every = 0;  // looking changes nothing
    Session session;
    session.open(LOUPE_SOURCE_DIR "/tests/session/training_model.py");
    session.wait_idle();
    session.train(given);
    session.wait_idle();
    QVERIFY2(session.status().state == RunState::Finished, session.status().error.c_str());
    const auto is_near = [](double got, double expected, double relative) {
        return std::abs(got - expected) <= relative * std::max(1e-3, std::abs(expected));
    };
    const auto steps = session.training()->steps();
    const QJsonArray expected = row["steps"].toArray();
    QCOMPARE(static_cast<int>(steps.size()), static_cast<int>(expected.size()));
    for (int i = 0; i < expected.size(); ++i) {
        const QJsonArray one = expected[i].toArray();
        const TrainingStep& step = steps[static_cast<std::size_t>(i)];
        QVERIFY2(is_near(step.loss, one[0].toDouble(), slack * 2e-4),
                 qPrintable(QString("step %1: loss %2, expected %3").arg(i).arg(step.loss).arg(one[0].toDouble())));
        QVERIFY2(is_near(step.learning_rate, one[1].toDouble(), 1e-9),
                 qPrintable(QString("step %1: rate %2").arg(i).arg(step.learning_rate)));
        QVERIFY2(is_near(step.gradient_norm, one[2].toDouble(), slack * 1e-3),
                 qPrintable(QString("step %1: norm %2").arg(i).arg(step.gradient_norm)));
        QVERIFY(step.accuracy && std::abs(*step.accuracy - one[3].toDouble()) < std::min(slack, 4.0) * 4e-3);
    }
    const auto epochs = session.training()->epochs();
    const QJsonArray rows = row["epochs"].toArray();
    QCOMPARE(static_cast<int>(epochs.size()), static_cast<int>(rows.size()));
    for (int i = 0; i < rows.size(); ++i) {
        const QJsonArray one = rows[i].toArray();
        const TrainingEpoch& epoch = epochs[static_cast<std::size_t>(i)];
        QVERIFY2(is_near(epoch.loss, one[0].toDouble(), slack * 2e-4), qPrintable(QString::number(epoch.loss)));
        QCOMPARE(epoch.held_out_loss.has_value(), one.size() > 2);
        if (one.size() > 2)
            QVERIFY2(is_near(*epoch.held_out_loss, one[2].toDouble(), std::min(slack, 20.0) * 1e-3),
                     qPrintable(QString::number(*epoch.held_out_loss)));
        if (one.size() > 2)
            QVERIFY2(
                std::abs(*epoch.held_out_accuracy - one[3].toDouble()) < std::min(slack, 2.0) * 6e-3,
                qPrintable(
                    QString("epoch %1: %2, expected %3").arg(i).arg(*epoch.held_out_accuracy).arg(one[3].toDouble())));
    }
}

void TestTraining::own_loss_takes_the_target_data() {
    QTest::addColumn<QString>("loss");
    QTest::newRow("function") << "def loss(output, target):\n    return ((output - target) ** 2).mean()\n";
    QTest::newRow("layer") << "loss = nn.MSELoss()\n";
    QTest::newRow("model") << "";  // that takes the target itself
}
void TestTraining::own_loss_takes_the_target() {
    QFETCH(QString, loss);
    std::ofstream(file("own.py").toStdString())
        << "import torch, torch.nn as nn\n"
           "torch.manual_seed(0)\n"
           "class Net(nn.Module):\n"
           "    def __init__(self):\n"
           "        super().__init__()\n"
           "        self.fc = nn.Linear(1, 1)\n"
        << (loss.isEmpty() ? "    def forward(self, x, y):\n        return ((self.fc(x) - y) ** 2).mean()\n"
                           : "    def forward(self, x):\n        return self.fc(x)\n")
        << "model = Net()\n"
        << loss.toStdString();
    Session session;
    open(session, "own.py");
    TrainOptions given;
    given.data.path = file("roots.npz").toStdString();
    given.loss = "own";
    given.optimizer = "SGD(0.01)";
    given.epochs = 1;
    given.batch_size = 6;
    given.shuffle = false;
    session.train(given);
    session.wait_idle();
    QVERIFY2(session.status().state == RunState::Finished, session.status().error.c_str());
    // PyTorch: manual_seed(0), Linear(1, 1): weight -0.00748, bias 0.53644.
    double expected = 0;
    const double x[] = {1, 4, 9, 1, -1, 4}, y[] = {1, 2, 3, 1, 1, 2};
    for (int i = 0; i < 6; ++i) expected += std::pow(-0.00748682 * x[i] + 0.53644359 - y[i], 2) / 6;
    QVERIFY(std::abs(session.training()->steps().front().loss - expected) < 1e-5);
}

// PyTorch 1.13.1 on the same model and data.
void TestTraining::numbers_are_pytorchs() {
    Session session;
    open(session, "net.py");
    session.train(options());
    session.wait_idle();
    QCOMPARE(session.status().state, RunState::Finished);
    const double expected[][4] = {{0.6746079921722412, 0.5, 0.9664728045463562, 0.5},
                                  {1.4529107809066772, 0.5, 1.5399826765060425, 0.0},
                                  {0.5355191826820374, 0.25, 0.7884326577186584, 1.0},
                                  {0.9123987555503845, 0.25, 1.1466273069381714, 0.0}};
    const auto steps = session.training()->steps();
    QCOMPARE(steps.size(), std::size_t{4});
    for (std::size_t i = 0; i < steps.size(); ++i) {
        QVERIFY(std::abs(steps[i].loss - expected[i][0]) < 1e-5);
        QCOMPARE(steps[i].learning_rate, expected[i][1]);
        QVERIFY(std::abs(steps[i].gradient_norm - expected[i][2]) < 1e-4);
        QCOMPARE(steps[i].accuracy.value_or(-1), expected[i][3]);
    }
    QVERIFY(std::abs(element(session, "fc.weight") - 0.2616) < 1e-4);
    QVERIFY(std::abs(element(session, "norm.running_mean") - 0.0372) < 1e-4);
    const auto epochs = session.training()->epochs();
    QCOMPARE(epochs.size(), std::size_t{2});
    QVERIFY(std::abs(epochs[0].loss - (4 * expected[0][0] + 2 * expected[1][0]) / 6) < 1e-5);
}

void TestTraining::holds_examples_aside() {
    Session session;
    open(session, "net.py");
    TrainOptions with_rest = options();
    with_rest.held_out = 0.34;
    session.train(with_rest);
    session.wait_idle();
    const auto epochs = session.training()->epochs();
    QCOMPARE(epochs.size(), std::size_t{2});
    QVERIFY(epochs[0].held_out_loss.has_value() && epochs[0].held_out_accuracy.has_value());
    QCOMPARE(session.training()->steps_an_epoch(), std::int64_t{1});
}

// The step begins with the wait for its batch; what loaders did is there, also when nothing of it was.
void TestTraining::a_step_shows_its_loaders() {
    for (const int workers : {0, 2}) {
        Session session;
        open(session, "net.py");
        TrainOptions loading = options();
        loading.batch_size = 2;
        loading.epochs = 1;
        loading.workers = workers;
        loading.look_every = 0;
        session.train(loading);
        session.wait_idle();
        QCOMPARE(session.status().state, RunState::Finished);
        const auto recording = session.recording();
        const std::vector<LoadSpan> loads = recording->loads();
        const auto kind = workers == 0 ? data::LoadKind::Loop : data::LoadKind::Wait;
        const auto its = std::ranges::find_if(loads, [&](const LoadSpan& each) { return each.kind == kind; });
        QVERIFY(its != loads.end());
        QCOMPARE(its->batch, std::uint64_t{2});  // of the last step
        QVERIFY2(
            its->start >= 0 && its->end <= recording->event(1).start,
            qPrintable(
                QString("%1 to %2, the step from %3").arg(its->start).arg(its->end).arg(recording->event(1).start)));
        QVERIFY(recording->event(1).start < 1);
    }
}

void TestTraining::stops_inside_a_step() {
    Session session;
    open(session, "net.py");
    Breakpoint at;
    at.kind = Breakpoint::Kind::Phase;
    at.phase = RunPhase::Optimizer;
    const int id = session.add_breakpoint(at);
    session.train(options());
    session.wait_idle();
    const Status status = session.status();
    QCOMPARE(status.state, RunState::Paused);
    QCOMPARE(status.next_op, std::string("SGD"));
    // The step has not been taken: the parameters are the first ones, the gradients there.
    QCOMPARE(element(session, "fc.weight"), 0.5);
    QVERIFY(!std::isnan(element(session, "grad:fc.weight")));
    session.remove_breakpoint(id);
    session.step(StepKind::Over);
    session.wait_idle();
    QCOMPARE(session.status().state, RunState::Paused);
    QVERIFY(element(session, "fc.weight") != 0.5);
    session.resume();
    session.wait_idle();
    QCOMPARE(session.status().state, RunState::Finished);
    QCOMPARE(session.training()->step_count(), std::size_t{4});
}

void TestTraining::breakpoints_stop_in_any_step() {
    Session session;
    open(session, "net.py");
    Breakpoint at;
    at.kind = Breakpoint::Kind::OperatorKind;
    at.text = "tanh";
    session.add_breakpoint(at);
    TrainOptions slow = options();
    slow.look_every = -1;
    session.train(slow);
    for (std::size_t step = 0; step < 4; ++step) {
        session.wait_idle();
        QCOMPARE(session.status().state, RunState::Paused);
        QCOMPARE(session.status().next_op, std::string("aten::tanh"));
        QCOMPARE(session.training()->step_count(), step);
        session.resume();
    }
    session.wait_idle();
    QCOMPARE(session.status().state, RunState::Finished);
}

void TestTraining::goes_on_after_a_stop() {
    Session session;
    open(session, "net.py");
    TrainOptions first = options();
    first.epochs = 1;
    session.train(first);
    session.wait_idle();
    QCOMPARE(session.training()->step_count(), std::size_t{2});
    session.train_on(options());
    session.wait_idle();
    const auto steps = session.training()->steps();
    QCOMPARE(steps.size(), std::size_t{4});
    QVERIFY(std::abs(steps[3].loss - 0.9123987555503845) < 1e-5);  // as without the stop
}

void TestTraining::ends_at_the_origin_of_a_nan() {
    Log log;
    Session session(&log);
    open(session, "root.py");
    TrainOptions given = options();
    given.data.path = file("roots.npz").toStdString();
    given.loss = "MSELoss()";
    given.batch_size = 2;
    given.schedule.clear();
    given.look_every = -1;
    session.train(given);
    session.wait_idle();
    const Status status = session.status();
    QCOMPARE(status.state, RunState::Failed);
    QVERIFY2(QString::fromStdString(status.error).startsWith("the loss is nan at step 3 (epoch 1); it began at #"),
             status.error.c_str());
    const auto recording = session.recording();
    QCOMPARE(std::string(recording->event(status.reached).op), std::string("aten::sqrt"));
    QCOMPARE(log.entries.back().event, status.reached);
    QCOMPARE(session.training()->step_count(), std::size_t{2});
    // Two steps were counted by the normalisation; the third is undone.
    QCOMPARE(element(session, "norm.num_batches_tracked"), 2.0);
    QVERIFY(!std::isnan(element(session, "fc.weight")));
}

void TestTraining::a_failing_step_changes_nothing() {
    Session session;
    open(session, "net.py");
    TrainOptions given = options();
    given.loss = "NLLLoss()";
    const Tensor x = tensor_of<float>({1.F, 2.F, 3.F, 4.F, 1.F, 0.F, 0.F, 2.F}, {4, 2});
    write_npz(file("bad.npz").toStdString(), {{"x", x}, {"y", tensor_of<std::int64_t>({0, 1, 0, 7}, {4})}});
    given.data.path = file("bad.npz").toStdString();
    given.batch_size = 2;
    session.train(given);
    session.wait_idle();
    QCOMPARE(session.status().state, RunState::Failed);
    QVERIFY2(QString::fromStdString(session.status().error).contains("Target 7 is out of bounds"),
             session.status().error.c_str());
    QCOMPARE(session.training()->step_count(), std::size_t{1});
    QCOMPARE(element(session, "norm.num_batches_tracked"), 1.0);
    // What was recorded of it can be looked at.
    QVERIFY(session.recording() != nullptr && session.recording()->event_count() > 3);
}

void TestTraining::learning_rate_that_is_no_number() {
    Session session;
    open(session, "net.py");
    TrainOptions given = options();
    given.schedule = "ExponentialLR(nan)";
    session.train(given);
    session.wait_idle();
    QCOMPARE(session.status().state, RunState::Failed);
    QVERIFY2(QString::fromStdString(session.status().error).contains("the learning rate is nan"),
             session.status().error.c_str());
    QVERIFY(!std::isnan(element(session, "fc.weight")));
}

void TestTraining::says_what_does_not_fit() {
    Session session;
    open(session, "net.py");
    const auto error_of = [&](const std::function<void(TrainOptions&)>& change) {
        TrainOptions given = options();
        change(given);
        session.train(given);
        session.wait_idle();
        return session.status().state == RunState::Failed ? QString::fromStdString(session.status().error) : QString();
    };
    QVERIFY(error_of([](TrainOptions& o) { o.optimizer = "Adamant()"; }).contains("no optimizer is called 'Adamant'"));
    QVERIFY(error_of([](TrainOptions& o) {
                o.clip_norm = std::nan("");
            }).contains("gradients cannot be clipped to a norm of nan"));
    QCOMPARE(error_of([](TrainOptions& o) { o.autocast = "float16"; }), QString());  // as PyTorch since 2.3
    QVERIFY(error_of([](TrainOptions& o) { o.autocast = "int8"; }).contains("'int8' is no precision of autocast"));
    QVERIFY(error_of([](TrainOptions& o) {
                o.clip_norm = -0.5;
            }).contains("gradients cannot be clipped to a norm of -0.5"));
    QVERIFY(error_of([](TrainOptions& o) { o.optimizer = "SGD(-1.0)"; }).contains("Invalid learning rate: -1.0"));
    QVERIFY(error_of([](TrainOptions& o) { o.loss = "Linear"; }).size() > 0);
    QCOMPARE(error_of([](TrainOptions& o) { o.data.options["target"] = "z"; }),
             QString("no array 'z'; there are x, y"));
    QVERIFY(error_of([](TrainOptions& o) { o.data.path = "/nowhere/at.npz"; }).contains("at.npz"));
    QVERIFY(error_of([](TrainOptions& o) { o.batch_size = 0; }).contains("a batch of 0"));
    QVERIFY(error_of([](TrainOptions& o) { o.loss = "own"; }).contains("which is no loss"));
}

void TestTraining::values_of_a_recorded_step_stay() {
    Session session;
    open(session, "net.py");
    TrainOptions given = options();
    given.look_every = 1000;  // the first step alone
    session.train(given);
    session.wait_idle();
    const auto recording = session.recording();
    ValueId first = 0;
    for (ValueId id = 1; id <= recording->value_count() && first == 0; ++id) {
        if (recording->value(id).name == "fc.weight") first = id;
    }
    TensorRequest request;
    request.value = first;
    const auto slice = answer<TensorSlice>([&](auto reply) { session.ask("then", TensorQuery{request}, reply); });
    QCOMPARE(slice.data.front().elements.front(), 0.5);
    const Event* update = nullptr;
    for (EventId id = 1; id <= recording->event_count(); ++id) {
        if (recording->event(id).phase == RunPhase::Optimizer) update = &recording->event(id);
    }
    QVERIFY(update != nullptr);
    // With what its group says: where ranks differ in it alone, it is the cause.
    QCOMPARE(join(update->arguments, ", "), std::string("lr=0.5, momentum=0.9"));
    const auto samples = session.training()->samples();
    QCOMPARE(samples.size(), std::size_t{1});
    QCOMPARE(samples.front()->weights.size(), std::size_t{6});
    QCOMPARE(samples.front()->gradients.size(), std::size_t{6});
    QVERIFY(samples.front()->activations.size() >= 3);
}

void TestTraining::saves_weights() {
    Session session;
    open(session, "net.py");
    session.train(options());
    session.wait_idle();
    const std::filesystem::path to = file("trained.pt").toStdString();
    QCOMPARE(answer<std::string>([&](auto reply) { session.ask("save", SaveWeightsQuery{to}, reply); }), std::string());
    const NamedTensors weights = read_weights(to);
    QCOMPARE(weights.front().first, std::string("fc.weight"));
    QCOMPARE(static_cast<double>(weights.front().second.data<float>()[0]), element(session, "fc.weight"));
    QVERIFY(!answer<std::string>([&](auto reply) {
                 session.ask("save", SaveWeightsQuery{file("a.zip").toStdString()}, reply);
             }).empty());
}

void TestTraining::samples_are_thinned() {
    TrainingLog log({}, 1);
    for (std::int64_t i = 1; i <= 1000; ++i) {
        auto sample = std::make_shared<TrainingSample>();
        sample->step = i;
        log.add(sample);
    }
    const auto samples = log.samples();
    QVERIFY(samples.size() <= TrainingLog::kMostSamples && samples.size() > TrainingLog::kMostSamples / 4);
    QCOMPARE(samples.front()->step, std::int64_t{1});
    QCOMPARE(samples.back()->step, std::int64_t{1000});
}

void TestTraining::made_up_data_fits_the_model_data() {
    QTest::addColumn<QString>("model");
    for (const char* model : {"digits.pt", "lstm.pt", "gpt.pt"})
        QTest::newRow(model) << QStringLiteral(LOUPE_SOURCE_DIR "/resources/models/%1").arg(model);
}
void TestTraining::made_up_data_fits_the_model() {
    QFETCH(QString, model);
    Session session;
    session.open(model.toStdString());
    session.wait_idle();
    TrainOptions given;
    given.data.count = 16;
    given.batch_size = 8;
    given.max_steps = 2;
    session.train(given);
    session.wait_idle();
    QVERIFY2(session.status().state == RunState::Finished, session.status().error.c_str());
    QVERIFY(session.training()->steps().back().accuracy.has_value());
}

void TestTraining::calls_as_text() {
    const CallText call = parse_call(" nn.Conv2d(1, (2, 3), padding='same' , bias = False)");
    QCOMPARE(call.name, std::string("Conv2d"));
    QCOMPARE(call.arguments.size(), std::size_t{4});
    QCOMPARE(call.arguments[1].text, std::string("(2, 3)"));
    QCOMPARE(call.arguments[3].keyword, std::string("bias"));
    QCOMPARE(call_text(call), std::string("Conv2d(1, (2, 3), padding='same', bias=False)"));
    QCOMPARE(parse_call("ReLU").arguments.size(), std::size_t{0});
    for (const char* wrong : {"", "Adam(", "Adam)", "1x()", "A(b,,c)", "A('x)"})
        QVERIFY_THROWS_EXCEPTION(Error, parse_call(wrong));
}

QTEST_GUILESS_MAIN(TestTraining)
#include "test_training.moc"
