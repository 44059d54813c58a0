// SPDX-License-Identifier: Apache-2.0
// Checkpoints in a session: weights into a model that is there, and trainings that are left and gone on with.
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>
#include <cmath>
#include <future>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/formats/checkpoint/checkpoint.h"
#include "core/formats/checkpoint/checkpoint_writer.h"
#include "core/formats/checkpoint/weights_file.h"
#include "core/formats/numpy/npy.h"
#include "core/session/queries/load_weights.h"
#include "core/session/queries/reset_parameters.h"
#include "core/session/queries/save_checkpoint.h"
#include "core/session/queries/save_weights.h"
#include "core/session/queries/tensor.h"
#include "core/session/queries/training_checkpoint.h"
#include "core/session/session.h"

using namespace loupe;
using namespace loupe::session;

namespace {

// Random numbers in every step: the order of examples, dropout; buffers that change.
constexpr const char* kNet = R"(import torch
import torch.nn as nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 8)
        self.norm = nn.BatchNorm1d(8)
        self.drop = nn.Dropout(0.25)
        self.out = nn.Linear(8, 2)

    def forward(self, x):
        return self.out(self.drop(torch.tanh(self.norm(self.fc(x)))))

torch.manual_seed(1)
model = Net()
)";

constexpr const char* kLazy = R"(import torch.nn as nn
model = nn.Sequential(nn.LazyLinear(3), nn.ReLU())
)";

constexpr const char* kRules = R"(import torch
import torch.nn as nn
import torch.nn.utils.prune as prune
from torch.nn.utils import parametrizations, spectral_norm, weight_norm

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = parametrizations.orthogonal(nn.Linear(4, 4), orthogonal_map="cayley")
        self.b = weight_norm(nn.Linear(4, 4))
        self.c = spectral_norm(nn.Linear(4, 4))
        self.d = nn.Linear(4, 10)
        prune.l1_unstructured(self.d, "weight", amount=0.3)
        self.a.register_forward_hook(lambda module, inputs, output: None)

    def forward(self, x):
        return self.d(self.c(self.b(self.a(x))))

model = Net()
)";

template <typename T, typename Ask>
T answer(Ask&& ask) {
    std::promise<T> promise;
    ask([&promise](T value) { promise.set_value(std::move(value)); });
    return promise.get_future().get();
}

Tensor filled(float value, std::initializer_list<std::int64_t> sizes) {
    const Tensor out = empty(IntSpan(sizes.begin(), sizes.size()), ScalarType::Float32);
    std::fill_n(out.data<float>(), out.numel(), value);
    return out;
}

WeightsReport load(Session& session, const std::string& file, bool strict = true) {
    return answer<WeightsReport>([&](auto reply) { session.ask("load", LoadWeightsQuery{file, strict}, reply); });
}

double element(Session& session, const std::string& name) {
    TensorRequest request;
    request.name = name;
    const auto slice = answer<TensorSlice>([&](auto reply) { session.ask("test", TensorQuery{request}, reply); });
    return slice.error.empty() ? slice.data.front().elements.front() : std::nan("");
}

std::vector<double> numbers_of(const TrainingLog& log) {
    std::vector<double> out;
    for (const TrainingStep& step : log.steps()) {
        for (const double number : {static_cast<double>(step.step), static_cast<double>(step.epoch), step.loss,
                                    step.learning_rate, step.gradient_norm})
            out.push_back(number);
    }
    return out;
}

QStringList lines_of(const WeightsReport& report) {
    QStringList out;
    for (const WeightDifference& each : report.differences) {
        const char* kind = each.kind == WeightDifference::Kind::Missing      ? "missing"
                           : each.kind == WeightDifference::Kind::Unexpected ? "unexpected"
                                                                             : "size";
        out << QString("%1 %2 %3 %4").arg(kind, each.name.c_str(), each.in_file.c_str(), each.in_model.c_str());
    }
    return out;
}

}  // namespace

class TestResume : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase() {
        write("net.py", kNet);
        write("lazy.py", kLazy);
        write("rules.py", kRules);
        std::vector<float> x;
        std::vector<std::int64_t> y;
        for (int i = 0; i < 22; ++i) {
            x.push_back(std::sin(static_cast<float>(i)));
            x.push_back(std::cos(static_cast<float>(3 * i)));
            y.push_back(i % 2);
        }
        constexpr std::int64_t kSizes[] = {22, 2};
        write_npz(path("data.npz"), {{"x", tensor_of(std::span<const float>(x), IntSpan(kSizes))},
                                     {"y", tensor_of(std::span<const std::int64_t>(y), IntSpan(kSizes, 1))}});
    }

    void weights_that_fit_are_loaded() {
        Session session;
        open(session, "net.py");
        save_weights(session, "fits.pt");
        const double before = element(session, "fc.weight");
        session.ask("reset", ResetParametersQuery{"", 5}, [](const std::string&) {});
        QVERIFY(element(session, "fc.weight") != before);
        const WeightsReport report = load(session, path("fits.pt"));
        QCOMPARE(report.error, std::string());
        QCOMPARE(report.loaded, std::int64_t{9});
        QVERIFY(report.differences.empty());
        QCOMPARE(element(session, "fc.weight"), before);
    }

    // Of a wrapped model: "module." before every name.
    void wrapped_names_fit() {
        Session session;
        open(session, "net.py");
        save_weights(session, "plain.pt");
        NamedTensors wrapped;
        for (const auto& [name, t] : read_weights(path("plain.pt"))) wrapped.emplace_back("module." + name, t);
        write_npz(path("wrapped.npz"), wrapped);
        auto dict = make_ptr<DictObject>(types::any(), types::any());
        for (const auto& [name, t] : wrapped) dict->set(IValue(name), t);
        write_checkpoint(dict, path("wrapped.pt"));
        QCOMPARE(load(session, path("wrapped.pt")).error, std::string());
    }

    // Every difference at once, in PyTorch's words and as a list; nothing is changed.
    void what_does_not_fit_is_listed() {
        Session session;
        open(session, "net.py");
        const double before = element(session, "fc.bias");
        write_npz(path("other.npz"), {{"fc.weight", filled(1.F, {3, 2})},
                                      {"fc.bias", filled(7.F, {8})},
                                      {"head.bias", tensor_of<float>({1.F}, {1})},
                                      {"norm.weight", filled(1.F, {8})},
                                      {"norm.bias", filled(1.F, {4})},
                                      {"norm.running_mean", filled(1.F, {8})},
                                      {"norm.running_var", filled(1.F, {8})}});
        for (const bool strict : {true, false}) {
            const WeightsReport report = load(session, path("other.npz"), strict);
            QCOMPARE(lines_of(report),
                     (QStringList{"size fc.weight 3x2 8x2", "size norm.bias 4 8", "missing out.weight  2x8",
                                  "missing out.bias  2", "unexpected head.bias 1 "}));
            const QString error = QString::fromStdString(report.error);
            QVERIFY2(error.startsWith("Error(s) in loading state_dict for Net:\n\t"), report.error.c_str());
            QVERIFY(error.contains(
                "size mismatch for fc.weight: copying a param with shape torch.Size([3, 2]) from checkpoint, "
                "the shape in current model is torch.Size([8, 2])."));
            QVERIFY(!report.can_load_rest);
            QCOMPARE(report.loaded, std::int64_t{0});
        }
        QCOMPARE(element(session, "fc.bias"), before);
    }

    void not_strictly_names_are_passed_over() {
        Session session;
        open(session, "net.py");
        write_npz(path("part.npz"), {{"fc.bias", filled(7.F, {8})}, {"more", tensor_of<float>({1.F}, {1})}});
        const WeightsReport refused = load(session, path("part.npz"));
        QVERIFY(!refused.error.empty() && refused.can_load_rest);
        QVERIFY(element(session, "fc.bias") != 7);
        const WeightsReport report = load(session, path("part.npz"), false);
        QCOMPARE(report.error, std::string());
        QCOMPARE(report.loaded, std::int64_t{1});
        QCOMPARE(report.differences.size(), std::size_t{8});
        QCOMPARE(element(session, "fc.bias"), 7.0);
    }

    void what_is_no_checkpoint_is_reported() {
        Session session;
        open(session, "net.py");
        write("text.pt", "no archive");
        QVERIFY(QString::fromStdString(load(session, path("text.pt")).error).contains("text.pt"));
        QVERIFY(!load(session, path("gone.pt")).error.empty());
        Session empty;
        QVERIFY(QString::fromStdString(load(empty, path("text.pt")).error).contains("no model is open"));
        QVERIFY(!holds_weights(path("gone.pt")) && !holds_weights(path("net.py")));
        QVERIFY(!holds_weights(LOUPE_SOURCE_DIR "/resources/models/digits.pt"));
        save_weights(session, "held.pt");
        QVERIFY(holds_weights(path("held.pt")));
    }

    void lazy_layers_take_their_shapes() {
        Session session;
        open(session, "lazy.py");
        write_npz(path("lazy.npz"),
                  {{"0.weight", filled(2.F, {3, 4})}, {"0.bias", tensor_of<float>({1.F, 2.F, 3.F}, {3})}});
        QCOMPARE(QString::fromStdString(load(session, path("lazy.npz")).error), QString());
        const auto model = session.model();
        const ModuleInfo& layer = model->modules[static_cast<std::size_t>(model->find_module("0"))];
        QCOMPARE(layer.parameters.front().shape, (Shape{3, 4}));
    }

    void not_while_a_run_is_parked() {
        Session session;
        open(session, "net.py");
        save_weights(session, "parked.pt");
        RunOptions options;
        options.inputs = {parse_input_spec("4x2")};
        options.pause_at_start = true;
        session.run(options);
        session.wait_idle();
        QCOMPARE(session.status().state, RunState::Paused);
        QVERIFY(QString::fromStdString(load(session, path("parked.pt")).error).contains("a run is under way"));
        session.stop();
        session.wait_idle();
    }

    // What tensors are computed from, as the Modules panel shows it.
    void rules_of_tensors_are_reported() {
        Session session;
        open(session, "rules.py");
        QVERIFY2(session.model() != nullptr, session.status().error.c_str());
        QStringList lines;
        for (const ModuleInfo& module : session.model()->modules) {
            for (const TensorRule& rule : module.rules) {
                QStringList from;
                for (const auto& name : rule.from) from << name.c_str();
                lines << QString("%1: %2 %3 (%4)")
                             .arg(rule.tensor.c_str(), rule.kind.c_str(), rule.what.c_str(), from.join(", "));
            }
        }
        QCOMPARE(lines.size(), 4);
        QVERIFY2(lines[0].startsWith("a.weight: parametrization _Orthogonal()") &&
                     lines[0].endsWith("(a.parametrizations.weight.original)"),
                 qPrintable(lines[0]));
        QCOMPARE(lines[1], QString("b.weight: weight_norm g * v / |v| (b.weight_g, b.weight_v)"));
        QVERIFY2(lines[2].startsWith("c.weight: spectral_norm") &&
                     lines[2].endsWith("(c.weight_orig, c.weight_u, c.weight_v)"),
                 qPrintable(lines[2]));
        QCOMPARE(lines[3], QString("d.weight: pruning L1Unstructured, 30 % zero (d.weight_orig, d.weight_mask)"));
        const auto& modules = session.model()->modules;
        const ModuleInfo& a = modules[static_cast<std::size_t>(session.model()->find_module("a"))];
        QCOMPARE(a.hook_kinds, (std::vector<std::string>{"1 forward"}));
    }

    // Left after any step and gone on with by another session, a training ends with the numbers that it has in one go.
    void resumed_is_as_uninterrupted_data() {
        QTest::addColumn<int>("left_after");
        QTest::addColumn<QString>("schedule");
        QTest::addColumn<double>("held_out");
        QTest::addColumn<int>("workers");
        QTest::addColumn<QString>("optimizer");
        QTest::newRow("end of an epoch") << 6 << "StepLR(1, gamma=0.5)" << 0.0 << 0 << "Adam(lr=0.01)";
        QTest::newRow("middle of an epoch") << 8 << "CosineAnnealingLR(3)" << 0.0 << 0 << "SGD(0.1, momentum=0.9)";
        QTest::newRow("held out") << 7 << "ReduceLROnPlateau(patience=0)" << 0.2 << 0 << "AdamW(lr=0.01)";
        QTest::newRow("worker threads") << 4 << "" << 0.0 << 2 << "RMSprop(lr=0.01)";
        QTest::newRow("before the first step of an epoch")
            << 12 << "OneCycleLR(max_lr=0.1, total_steps=18)" << 0.0 << 1 << "SGD(0.1, momentum=0.5)";
    }
    void resumed_is_as_uninterrupted() {
        QFETCH(int, left_after);
        QFETCH(double, held_out);
        QFETCH(int, workers);
        QFETCH(QString, schedule);
        QFETCH(QString, optimizer);
        TrainOptions given = options();
        given.held_out = held_out;
        given.workers = workers;
        given.schedule = schedule.toStdString();
        given.optimizer = optimizer.toStdString();
        Session whole;
        open(whole, "net.py");
        train(whole, given);
        QVERIFY2(whole.status().state == RunState::Finished, whole.status().error.c_str());
        Session first;
        open(first, "net.py");
        TrainOptions part = given;
        part.max_steps = left_after;
        train(first, part);
        QCOMPARE(save_checkpoint(first, "left.pt"), std::string());
        // Who asks for more steps ends there too.
        first.train_on(given);
        first.wait_idle();
        QCOMPARE(numbers_of(*first.training()), numbers_of(*whole.training()));
        Session second;
        open(second, "net.py");
        second.ask("reset", ResetParametersQuery{"", 77}, [](const std::string&) {});
        given.resume = path("left.pt");
        train(second, given);
        QVERIFY2(second.status().state == RunState::Finished, second.status().error.c_str());
        QCOMPARE(numbers_of(*second.training()), numbers_of(*whole.training()));
        for (const char* name : {"fc.weight", "norm.running_var", "out.bias"})
            QCOMPARE(element(second, name), element(whole, name));
        const auto epochs = whole.training()->epochs();
        QCOMPARE(second.training()->epochs().back().loss, epochs.back().loss);
        if (held_out > 0) QCOMPARE(*second.training()->epochs().back().held_out_loss, *epochs.back().held_out_loss);
    }

    // Inside a step it is written as it was before the step.
    void saved_inside_a_step() {
        TrainOptions given = options();
        Session whole;
        open(whole, "net.py");
        train(whole, given);
        Session first;
        open(first, "net.py");
        Breakpoint stop;
        stop.kind = Breakpoint::Kind::Phase;
        stop.phase = RunPhase::Backward;
        first.add_breakpoint(stop);
        train(first, given);
        QCOMPARE(first.status().state, RunState::Paused);
        QCOMPARE(save_checkpoint(first, "inside.pt"), std::string());
        first.stop();
        first.wait_idle();
        Session second;
        open(second, "net.py");
        given.resume = path("inside.pt");
        train(second, given);
        QCOMPARE(numbers_of(*second.training()), numbers_of(*whole.training()));
    }

    void what_a_checkpoint_says() {
        Session session;
        open(session, "net.py");
        QVERIFY(QString::fromStdString(save_checkpoint(session, "none.pt")).contains("nothing was trained"));
        TrainOptions given = options();
        given.max_steps = 8;
        train(session, given);
        QCOMPARE(save_checkpoint(session, "said.pt"), std::string());
        const IValue saved = read_checkpoint(path("said.pt"));
        QStringList keys;
        for (const auto& [key, value] : saved.to_dict().entries()) keys << key.to_string().c_str();
        QCOMPARE(keys, (QStringList{"epoch", "step", "model_state_dict", "optimizer_state_dict", "scheduler_state_dict",
                                    "loss", "rng_state", "training"}));
        QCOMPARE(saved.to_dict().find("epoch")->to_int(), std::int64_t{1});
        const auto found = answer<TrainingCheckpoint>(
            [&](auto reply) { session.ask("c", TrainingCheckpointQuery{path("said.pt")}, reply); });
        QCOMPARE(found.error, std::string());
        QCOMPARE(found.step, std::int64_t{8});
        QCOMPARE(found.options.optimizer, given.optimizer);
        QCOMPARE(found.options.batch_size, given.batch_size);
        QCOMPARE(found.options.data.path, given.data.path);
        const auto weights = answer<TrainingCheckpoint>(
            [&](auto reply) { session.ask("c", TrainingCheckpointQuery{path("data.npz")}, reply); });
        QVERIFY(!weights.error.empty());
    }

    // Nothing is changed by a checkpoint of another training.
    void another_training_is_refused() {
        Session session;
        open(session, "net.py");
        TrainOptions given = options();
        given.max_steps = 2;
        train(session, given);
        save_checkpoint(session, "adam.pt");
        const double before = element(session, "fc.weight");
        given.resume = path("adam.pt");
        given.optimizer = "SGD(0.1)";
        train(session, given);
        QCOMPARE(session.status().state, RunState::Failed);
        QVERIFY2(QString::fromStdString(session.status().error).contains("of a training with Adam, this one has SGD"),
                 session.status().error.c_str());
        given.optimizer = "Adam(lr=0.01)";
        given.schedule.clear();
        train(session, given);
        QCOMPARE(session.status().state, RunState::Failed);
        given.resume = path("data.npz");
        train(session, given);
        QCOMPARE(session.status().state, RunState::Failed);
        QCOMPARE(element(session, "fc.weight"), before);
    }

    // PyTorch opens it, and its own modules, optimisers and generators take what is in it; and the other way.
    void pytorch_loads_it_and_we_its() {
        if (!QFile::exists("/usr/bin/python3") || QProcess::execute("/usr/bin/python3", {"-c", "import torch"}) != 0)
            QSKIP("PyTorch is not there");
        Session session;
        open(session, "net.py");
        TrainOptions given = options();
        given.max_steps = 8;
        train(session, given);
        QCOMPARE(save_checkpoint(session, "ours.pt"), std::string());
        write("check.py", R"(import sys, torch, collections
exec(open(sys.argv[1]).read())
saved = torch.load(sys.argv[2])
assert type(saved['model_state_dict']) is collections.OrderedDict
model.load_state_dict(saved['model_state_dict'])
optimizer = torch.optim.Adam(model.parameters(), lr=1.0)
optimizer.load_state_dict(saved['optimizer_state_dict'])
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)
scheduler.load_state_dict(saved['scheduler_state_dict'])
torch.set_rng_state(saved['rng_state'])
assert scheduler.gamma == 0.5 and optimizer.param_groups[0]['lr'] == 0.005, optimizer.param_groups
assert saved['epoch'] == 1 and saved['step'] == 8
model.train()
loss = torch.nn.functional.cross_entropy(model(torch.ones(3, 2)), torch.tensor([0, 1, 0]))
loss.backward()
optimizer.step()
scheduler.step()
torch.save({'epoch': 2, 'model_state_dict': model.state_dict(), 'optimizer_state_dict': optimizer.state_dict(),
            'scheduler_state_dict': scheduler.state_dict(), 'loss': loss}, sys.argv[3])
print(model.fc.weight[0, 0].item())
)");
        QProcess python;
        python.start("/usr/bin/python3",
                     {QString::fromStdString(path("check.py")), QString::fromStdString(path("net.py")),
                      QString::fromStdString(path("ours.pt")), QString::fromStdString(path("theirs.pt"))});
        QVERIFY(python.waitForFinished(240'000));
        QVERIFY2(python.exitCode() == 0, python.readAllStandardError().constData());
        given.resume = path("theirs.pt");
        given.max_steps = 12;  // two epochs of six are done
        train(session, given);
        QVERIFY2(session.status().state == RunState::Finished, session.status().error.c_str());
        QCOMPARE(element(session, "fc.weight"), python.readAllStandardOutput().trimmed().toDouble());
    }

  private:
    std::string path(const char* name) const { return dir_.filePath(QString::fromLatin1(name)).toStdString(); }
    void write(const char* name, const char* text) { write_file_atomically(path(name), text); }
    void open(Session& session, const char* name) {
        session.open(path(name));
        session.wait_idle();
    }
    void train(Session& session, const TrainOptions& given) {
        session.train(given);
        session.wait_idle();
    }
    void save_weights(Session& session, const char* name) {
        QCOMPARE(answer<std::string>([&](auto reply) { session.ask("save", SaveWeightsQuery{path(name)}, reply); }),
                 std::string());
    }
    std::string save_checkpoint(Session& session, const char* name) {
        return answer<std::string>([&](auto reply) { session.ask("save", SaveCheckpointQuery{path(name)}, reply); });
    }
    TrainOptions options() const {
        TrainOptions options;
        options.data.path = path("data.npz");
        options.batch_size = 4;
        options.epochs = 3;
        options.optimizer = "Adam(lr=0.01)";
        options.schedule = "StepLR(1, gamma=0.5)";
        options.look_every = -1;
        return options;
    }
    QTemporaryDir dir_;
};

QTEST_GUILESS_MAIN(TestResume)
#include "test_resume.moc"
