// SPDX-License-Identifier: Apache-2.0
// Gradients: what backward starts from, how a recording calls them, and what is said of their health.
#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>

#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/formats/numpy/npy.h"
#include "core/ops/random/mersenne_twister.h"
#include "core/record/backward_roots.h"
#include "core/record/recording_file.h"
#include "core/record/recording_writer.h"
#include "core/session/queries/gradients.h"
#include "core/session/queries/save_recording.h"
#include "core/session/queries/tensor.h"
#include "core/session/session.h"
#include "core/study/gradient_health.h"
#include "core/study/verdict.h"

using namespace loupe;
using namespace loupe::session;

class TestGradientNames : public QObject {
    Q_OBJECT

  private slots:
    void have_the_shape_of_their_value_data();
    void have_the_shape_of_their_value();
    void of_values_without_a_name();
    void start_where_it_was_chosen_data();
    void start_where_it_was_chosen();
    void start_with_an_event();
    void start_is_kept_in_recordings();
    void targets_come_from_files_and_data();
    void targets_of_data_are_read_once();
    void refused_with_pytorchs_words_data();
    void refused_with_pytorchs_words();
    void choices_are_texts();
    void dead_units_are_one_finding();
    void scale_is_judged_by_what_is_known();
    void steps_are_compared();
    void not_finite_is_one_finding();
};

namespace {

const char* const kSource =
    "import torch, torch.nn as nn\n"
    "class Net(nn.Module):\n"
    "    def __init__(self):\n"
    "        super().__init__()\n"
    "        self.a = nn.Linear(5, 7)\n"
    "        self.norm = nn.LayerNorm(7)\n"
    "        self.b = nn.Linear(7, 3)\n"
    "    def forward(self, x):\n"
    "        h = torch.tanh(self.a(x)) * 1.5\n"
    "        h[0] = 1\n"
    "        return self.b(self.norm(h)) + x.sum()\n"
    "model = Net()\n"
    "example_inputs = (torch.randn(4, 5),)\n";

std::shared_ptr<const Recording> record(const std::string& path) {
    Session session;
    session.open(path);
    session.wait_idle();
    RunOptions options;
    options.method = "forward";
    options.backward = true;
    session.run(options);
    session.wait_idle();
    if (session.status().state != RunState::Finished) qFatal("%s", session.status().error.c_str());
    return session.recording();
}

}  // namespace

void TestGradientNames::have_the_shape_of_their_value_data() {
    QTest::addColumn<QString>("model");
    QTest::newRow("source") << "";
    for (const char* model : {"digits.pt", "lstm.pt", "gpt.pt"})
        QTest::newRow(model) << QString(LOUPE_SOURCE_DIR "/resources/models/") + model;
}
void TestGradientNames::have_the_shape_of_their_value() {
    QFETCH(QString, model);
    const QTemporaryDir folder;
    std::string path = model.toStdString();
    if (path.empty()) {
        path = folder.filePath("net.py").toStdString();
        std::ofstream(path) << kSource;
    }
    const auto recording = record(path);
    std::set<ValueId> with_gradient;
    for (ValueId id = 1; id <= recording->value_count(); ++id) {
        const Value& value = recording->value(id);
        if (value.gradient_of == 0) continue;
        const Value& of = recording->value(value.gradient_of);
        QVERIFY2(value.shape == of.shape, (value.name + ", event " + std::to_string(value.producer)).c_str());
        if (!of.name.empty())
            QCOMPARE(QString::fromStdString(value.name), QString::fromStdString("grad of " + of.name));
        with_gradient.insert(value.gradient_of);
    }
    int parameters = 0;
    for (ValueId id = 1; id <= recording->value_count(); ++id) {
        const Value& value = recording->value(id);
        if (value.producer != 0 || !value.requires_grad || value.name.empty()) continue;
        ++parameters;
        QVERIFY2(with_gradient.contains(id), value.name.c_str());
    }
    QVERIFY(parameters >= 6);
}

void TestGradientNames::of_values_without_a_name() {
    const QTemporaryDir folder;
    const std::string path = folder.filePath("net.py").toStdString();
    std::ofstream(path) << kSource;
    const auto recording = record(path);
    bool found = false;
    for (ValueId id = 1; id <= recording->value_count(); ++id) {
        const Value& value = recording->value(id);
        if (value.gradient_of == 0) continue;
        QVERIFY(value.name != "grad of ");
        const Value& of = recording->value(value.gradient_of);
        if (of.producer == 0 || recording->event(of.producer).op != "aten::tanh") continue;
        QCOMPARE(QString::fromStdString(value.name), QString("grad of aten::tanh #%1").arg(of.producer));
        found = true;
    }
    QVERIFY(found);
}

namespace {

// y = x W: [[1, 2], [3, 4]] times [[1, 0, 2], [0, 1, 1]] gives [[1, 2, 4], [3, 4, 10]].
const char* const kLinear =
    "import torch, torch.nn as nn\n"
    "class Net(nn.Module):\n"
    "    def __init__(self):\n"
    "        super().__init__()\n"
    "        self.fc = nn.Linear(2, 3)\n"
    "        with torch.no_grad():\n"
    "            self.fc.weight.copy_(torch.tensor([[1., 0.], [0., 1.], [2., 1.]]))\n"
    "            self.fc.bias.zero_()\n"
    "    def forward(self, x):\n"
    "        return self.fc(x)\n"
    "model = Net()\n"
    "example_inputs = (torch.tensor([[1., 2.], [3., 4.]]),)\n";

// A model source in a folder of its own, opened.
class Opened {
  public:
    explicit Opened(const std::string& source) {
        path_ = folder_.filePath("net.py").toStdString();
        std::ofstream(path_) << source;
        session_.open(path_);
        session_.wait_idle();
        if (session_.status().state != RunState::Ready) qFatal("%s", session_.status().error.c_str());
    }
    Status run(const BackwardFrom& from) {
        RunOptions options;
        options.backward = true;
        options.backward_from = from;
        session_.run(options);
        session_.wait_idle();
        return session_.status();
    }
    std::vector<double> elements(const TensorRequest& request) {
        std::vector<double> found;
        session_.ask("elements", TensorQuery{request}, [&](const TensorSlice& slice) {
            for (const TensorTile& tile : slice.data)
                found.insert(found.end(), tile.elements.begin(), tile.elements.end());
        });
        session_.wait_idle();
        return found;
    }
    std::vector<double> gradient(const std::string& name) {
        TensorRequest request;
        request.name = "grad:" + name;
        return elements(request);
    }
    std::vector<GradientRow> rows() {
        std::vector<GradientRow> all;
        session_.ask("rows", GradientsQuery{}, [&](std::vector<GradientRow> rows) { all = std::move(rows); });
        session_.wait_idle();
        return all;
    }
    std::vector<GradientFinding> findings() { return judge_gradients(rows(), session_.recording().get()); }
    Session& session() { return session_; }
    std::string file(const char* name) const { return folder_.filePath(name).toStdString(); }

  private:
    QTemporaryDir folder_;
    std::string path_;
    Session session_;
};

void write_array(const std::string& file, const Tensor& t) { write_npy(file, t); }

Tensor whole_numbers(const std::vector<std::int64_t>& numbers) {
    const Tensor t = empty(std::vector<std::int64_t>{static_cast<std::int64_t>(numbers.size())}, ScalarType::Int64);
    std::copy(numbers.begin(), numbers.end(), t.data<std::int64_t>());
    return t;
}

std::string all_texts(const std::vector<GradientFinding>& findings) {
    std::string text;
    for (const GradientFinding& finding : findings) text += finding.text + "\n";
    return text;
}

GradientRow made_row(const char* name, double norm, double weights) {
    GradientRow row;
    row.parameter = name;
    row.module = row.parameter.substr(0, row.parameter.rfind('.'));
    row.shape = {10};
    row.has_gradient = true;
    row.finite = {norm / 10, norm / 2, norm};
    row.weight_norm = weights;
    return row;
}

}  // namespace

void TestGradientNames::start_where_it_was_chosen_data() {
    QTest::addColumn<QString>("source");  // behind the model
    QTest::addColumn<QString>("loss");
    QTest::addColumn<QString>("target");
    QTest::addColumn<QString>("text");
    QTest::addColumn<bool>("is_loss");
    QTest::addColumn<QList<double>>("bias");
    const QString none;
    const QString own = "def loss(out):\n    return (out * out).sum()\n";
    const QString own_of_target = "def loss(out, target):\n    return ((out - target) ** 2).sum()\n";
    // What PyTorch gives for fc.bias.grad.
    QTest::newRow("nothing chosen") << none << ""
                                    << ""
                                    << "sum of outputs" << false << QList<double>{2, 2, 2};
    QTest::newRow("sum") << none << "sum"
                         << ""
                         << "sum of outputs" << false << QList<double>{2, 2, 2};
    QTest::newRow("mean") << none << "mean"
                          << ""
                          << "mean of outputs" << false << QList<double>{1 / 3.0, 1 / 3.0, 1 / 3.0};
    QTest::newRow("element") << none << "out0[1, -1]"
                             << ""
                             << "out0[1, -1]" << false << QList<double>{0, 0, 1};
    QTest::newRow("mse") << none << "mse"
                         << "0"
                         << "MSELoss(), target 0" << true << QList<double>{8 / 6.0, 12 / 6.0, 28 / 6.0};
    QTest::newRow("mse of a list") << none << "mse"
                                   << "[[1, 2, 4], [3, 4, 7]]"
                                   << "MSELoss(), target [[1, 2, 4], [3, 4, 7]]" << true << QList<double>{0, 0, 1};
    QTest::newRow("l1") << none << "L1Loss(reduction='sum')"
                        << "2.5"
                        << "L1Loss(reduction='sum'), target 2.5" << true << QList<double>{0, 0, 2};
    QTest::newRow("cross entropy") << none << "cross_entropy"
                                   << "[2, 2]"
                                   << "CrossEntropyLoss(), target [2, 2]" << true
                                   << QList<double>{0.0214594, 0.0583328, -0.0797923};
    QTest::newRow("one class for all") << none << "cross_entropy"
                                       << "2"
                                       << "CrossEntropyLoss(), target 2" << true
                                       << QList<double>{0.0214594, 0.0583328, -0.0797923};
    QTest::newRow("the source's own") << own << ""
                                      << ""
                                      << "the source's loss" << true << QList<double>{8, 12, 28};
    QTest::newRow("the sum all the same") << own << "sum"
                                          << ""
                                          << "sum of outputs" << false << QList<double>{2, 2, 2};
    QTest::newRow("the source's own of a target")
        << own_of_target << "own"
        << "[[1, 2, 4], [3, 4, 7]]"
        << "the source's loss, target [[1, 2, 4], [3, 4, 7]]" << true << QList<double>{0, 0, 6};
    QTest::newRow("a target for the source's own")
        << own_of_target << ""
        << "[[1, 2, 4], [3, 4, 7]]"
        << "the source's loss, target [[1, 2, 4], [3, 4, 7]]" << true << QList<double>{0, 0, 6};
    QTest::newRow("no target for the source's own") << own_of_target << ""
                                                    << ""
                                                    << "sum of outputs" << false << QList<double>{2, 2, 2};
}

void TestGradientNames::start_where_it_was_chosen() {
    QFETCH(QString, source);
    QFETCH(QString, loss);
    QFETCH(QString, target);
    QFETCH(QString, text);
    QFETCH(bool, is_loss);
    QFETCH(QList<double>, bias);
    Opened net(kLinear + source.toStdString());
    const Status status = net.run(parse_backward_from(loss.toStdString(), target.toStdString()));
    QVERIFY2(status.state == RunState::Finished, status.error.c_str());
    const BackwardStart* start = net.session().recording()->backward_start();
    QVERIFY(start != nullptr);
    QCOMPARE(QString::fromStdString(start->text), text);
    QCOMPARE(start->is_loss, is_loss);
    const std::vector<double> found = net.gradient("fc.bias");
    QCOMPARE(found.size(), std::size_t(3));
    for (int i = 0; i < 3; ++i)
        QVERIFY2(std::abs(found[static_cast<std::size_t>(i)] - bias[i]) < 1e-5,
                 std::to_string(found[static_cast<std::size_t>(i)]).c_str());
}

// It is the first event of its phase, and what it made can be looked at.
void TestGradientNames::start_with_an_event() {
    Opened net(kLinear);
    QVERIFY(net.run(parse_backward_from("out0[0, 1]")).state == RunState::Finished);
    const auto recording = net.session().recording();
    const EventId id = recording->backward_start()->event;
    const Event& event = recording->event(id);
    QCOMPARE(event.phase, RunPhase::Backward);
    QCOMPARE(recording->event(id - 1).phase, RunPhase::Forward);
    QCOMPARE(event.op, std::string_view("backward from: out0[0, 1]"));
    QCOMPARE(event.outputs.size(), std::size_t(1));
    const Value& seed = recording->value(event.outputs.front());
    QCOMPARE(seed.gradient_of, event.inputs.front());
    TensorRequest request;
    request.value = seed.id;
    QCOMPARE(net.elements(request), (std::vector<double>{0, 1, 0, 0, 0, 0}));
    // The next operator reads it.
    QCOMPARE(recording->event(id + 1).inputs.front(), seed.id);
    // Backward is entered before it: that is where a run to backward parks.
    Breakpoint breakpoint;
    breakpoint.kind = Breakpoint::Kind::Phase;
    breakpoint.phase = RunPhase::Backward;
    net.session().add_breakpoint(breakpoint);
    const Status parked = net.run(parse_backward_from("mean"));
    QCOMPARE(parked.state, RunState::Paused);
    QCOMPARE(parked.next_op, std::string("backward from: mean of outputs"));
    net.session().step(StepKind::Over);
    net.session().wait_idle();
    QCOMPARE(net.session().status().state, RunState::Paused);
    QCOMPARE(net.session().status().reached, net.session().recording()->backward_start()->event);
    net.session().stop();
    net.session().wait_idle();
}

void TestGradientNames::start_is_kept_in_recordings() {
    Opened net(kLinear);
    QVERIFY(net.run(parse_backward_from("cross_entropy", "[0, 1]")).state == RunState::Finished);
    const std::string file = net.file("run.loupe");
    std::string failure = "none";
    net.session().ask("save", SaveRecordingQuery{file}, [&](const std::string& why) { failure = why; });
    net.session().wait_idle();
    QCOMPARE(failure, std::string());
    const auto rows = net.rows();
    Session again;
    again.open(file);
    again.wait_idle();
    const auto reopened = again.recording();
    const BackwardStart* start = reopened->backward_start();
    QVERIFY(start != nullptr);
    QCOMPARE(start->text, std::string("CrossEntropyLoss(), target [0, 1]"));
    QVERIFY(start->is_loss);
    QCOMPARE(start->event, net.session().recording()->backward_start()->event);
    // Run again from the file, it starts from the same.
    RunOptions options = RecordingFile(file).run();
    QCOMPARE(loss_text(options.backward_from), std::string("CrossEntropyLoss()"));
    QCOMPARE(target_text(options.backward_from.target), std::string("[0, 1]"));
    again.run(options);
    again.wait_idle();
    QCOMPARE(again.status().state, RunState::Finished);
    QCOMPARE(again.recording()->backward_start()->text, start->text);
}

void TestGradientNames::targets_come_from_files_and_data() {
    Opened net(kLinear);
    write_array(net.file("y.npy"), whole_numbers({2, 2}));
    write_npz(net.file("data.npz"), {{"x", whole_numbers({7, 7})}, {"labels", whole_numbers({2, 2})}});
    const std::vector<double> wanted =
        (net.run(parse_backward_from("cross_entropy", "[2, 2]")), net.gradient("fc.bias"));
    for (const std::string& target : {net.file("y.npy"), net.file("data.npz") + ":labels"}) {
        const Status status = net.run(parse_backward_from("cross_entropy", target));
        QVERIFY2(status.state == RunState::Finished, status.error.c_str());
        QCOMPARE(net.gradient("fc.bias"), wanted);
    }
    // As many labels of the data as the model was run on; made-up ones where no data is named.
    BackwardFrom labels = parse_backward_from("cross_entropy", "labels");
    labels.target.data.classes = 3;
    labels.target.data.shape = {2};
    QVERIFY2(net.run(labels).state == RunState::Finished, net.session().status().error.c_str());
    QCOMPARE(net.session().recording()->backward_start()->text, std::string("CrossEntropyLoss(), made-up labels"));
    // Gradients of the outputs themselves.
    const Tensor cotangent = empty(std::vector<std::int64_t>{2, 3}, ScalarType::Float32);
    for (int i = 0; i < 6; ++i) cotangent.data<float>()[i] = static_cast<float>(i);
    write_npz(net.file("cot.npz"), {{"cot0", cotangent}});
    QVERIFY(net.run(parse_backward_from("cotangents:" + net.file("cot.npz"))).state == RunState::Finished);
    QCOMPARE(net.gradient("fc.bias"), (std::vector<double>{3, 5, 7}));
    QCOMPARE(net.session().recording()->backward_start()->text, std::string("gradients in cot.npz"));
}

// A run that is repeated has the targets that it had, and whether they can be read or not, random numbers go on.
void TestGradientNames::targets_of_data_are_read_once() {
    const QTemporaryDir folder;
    const std::string path = folder.filePath("net.py").toStdString();
    std::ofstream(path) << kSource;
    const std::string data = folder.filePath("data.npz").toStdString();
    write_npz(data, {{"x", whole_numbers({7, 7})}, {"y", whole_numbers({2, 1})}});
    BackwardFrom from = parse_backward_from("cross_entropy", "labels");
    from.target.data.path = data;
    const PreparedMethod method(Program::open(path), "forward", "none");
    const BackwardSource source(from, method);
    const BackwardSource stopped(from, method);
    const Tensor output = empty(std::vector<std::int64_t>{2, 3}, ScalarType::Float32);
    std::fill_n(output.data<float>(), 6, 1.0F);
    const auto next = [] { return default_generator().next64(); };
    seed_generators(3);
    const std::uint64_t wanted = next();

    seed_generators(3);
    source.roots(method, output);
    QCOMPARE(next(), wanted);
    std::filesystem::remove(data);
    source.roots(method, output);

    write_npz(data, {{"x", whole_numbers({7, 7})}, {"y", whole_numbers({2, 1})}});
    seed_generators(3);
    {
        const CancelFlag flag{true};
        const CancelScope scope(&flag);
        QVERIFY_THROWS_EXCEPTION(Error, stopped.roots(method, output));
    }
    QCOMPARE(next(), wanted);
}

void TestGradientNames::refused_with_pytorchs_words_data() {
    QTest::addColumn<QString>("loss");
    QTest::addColumn<QString>("target");
    QTest::addColumn<QString>("words");
    QTest::newRow("no loss in the source") << "own"
                                           << ""
                                           << "name 'loss' is not defined";
    QTest::newRow("a class there is not") << "cross_entropy"
                                          << "[0, 9]"
                                          << "Target 9 is out of bounds.";
    QTest::newRow("another batch") << "cross_entropy"
                                   << "[0, 1, 2]"
                                   << "Expected input batch_size (2) to match target batch_size (3).";
    QTest::newRow("another shape")
        << "mse"
        << "[1., 2., 3., 4.]"
        << "The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 1";
    QTest::newRow("an index outside") << "out0[2, 0]"
                                      << ""
                                      << "index 2 is out of bounds for dimension 0 with size 2";
    QTest::newRow("too many indices") << "out0[0, 0, 0]"
                                      << ""
                                      << "too many indices for tensor of dimension 2";
    QTest::newRow("a row") << "out0[0]"
                           << ""
                           << "grad can be implicitly created only for scalar outputs";
    QTest::newRow("uneven lists") << "mse"
                                  << "[[1, 2], [3]]"
                                  << "expected sequence of length 2 at dim 1 (got 1)";
}

void TestGradientNames::refused_with_pytorchs_words() {
    QFETCH(QString, loss);
    QFETCH(QString, target);
    QFETCH(QString, words);
    Opened net(kLinear);
    const Status status = net.run(parse_backward_from(loss.toStdString(), target.toStdString()));
    QCOMPARE(status.state, RunState::Failed);
    QVERIFY2(QString::fromStdString(status.error).contains(words), status.error.c_str());
}

void TestGradientNames::choices_are_texts() {
    for (const char* loss : {"", "sum", "mean", "own", "out0[0, -1]", "out2[]", "cotangents:a.npz"})
        QCOMPARE(loss_text(parse_backward_from(loss)), std::string(loss));
    QCOMPARE(loss_text(parse_backward_from("bce_with_logits", "1")), std::string("BCEWithLogitsLoss()"));
    QCOMPARE(loss_text(parse_backward_from("nn.CrossEntropyLoss(label_smoothing=0.1)", "1")),
             std::string("CrossEntropyLoss(label_smoothing=0.1)"));
    QCOMPARE(loss_text(parse_backward_from("out", "")), std::string("out0[]"));
    for (const char* target : {"3", "[1, 2]", "y.npy", "d.npz:y", "labels"})
        QCOMPARE(target_text(parse_backward_from("mse", target).target), std::string(target));
    for (const char* wrong : {"summ", "out0[a]", "out0[1", "MSE("})
        QVERIFY_THROWS_EXCEPTION(std::exception, parse_backward_from(wrong));
    QVERIFY_THROWS_EXCEPTION(std::exception, parse_backward_from("mse", "y.txt"));
    QVERIFY_THROWS_EXCEPTION(std::exception, parse_backward_from("sum", "[1]"));
}

// Of a layer whose units never fire one line is said, with its module, not one of each parameter.
void TestGradientNames::dead_units_are_one_finding() {
    Opened net(
        "import torch, torch.nn as nn\n"
        "from collections import OrderedDict\n"
        "class Net(nn.Module):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        "        self.fc1 = nn.Linear(4, 8)\n"
        "        self.fc2 = nn.Linear(8, 8)\n"
        "        self.relu3 = nn.ReLU()\n"
        "        self.classifier = nn.Sequential(OrderedDict(logits=nn.Linear(8, 3)))\n"
        "        nn.init.constant_(self.fc2.bias, -100.0)\n"
        "    def forward(self, x):\n"
        "        return self.classifier(self.relu3(self.fc2(self.fc1(x))))\n"
        "model = Net()\n"
        "example_inputs = (torch.randn(5, 4),)\n");
    QVERIFY(net.run(parse_backward_from("cross_entropy", "0")).state == RunState::Finished);
    const auto found = net.findings();
    QVERIFY2(found.size() == 1, all_texts(found).c_str());
    QCOMPARE(QString::fromStdString(found[0].text),
             QString("no gradient before classifier.logits: relu3 is dead for 100 % of the batch (5 parameters)"));
    QCOMPARE(found[0].module, std::string("relu3"));
    QCOMPARE(net.session().recording()->event(found[0].event).op, std::string_view("aten::relu"));
    QVERIFY(found[0].kind == GradientFinding::Kind::NoGradient);
    // The run's own sentence begins with it.
    const auto verdict = net.session().status().verdict;
    QVERIFY(verdict != nullptr && verdict->severity == Verdict::Severity::Warning);
    QVERIFY2(verdict->text.starts_with(found[0].text + "; finished"), verdict->text.c_str());
    QCOMPARE(verdict->module, std::string("relu3"));
    QVERIFY(!verdict->advice.empty());
    // Of a sum of outputs it does not speak.
    QVERIFY(net.run({}).state == RunState::Finished);
    QVERIFY2(net.session().status().verdict->text.starts_with("finished"),
             net.session().status().verdict->text.c_str());
}

void TestGradientNames::scale_is_judged_by_what_is_known() {
    using Kind = GradientFinding::Kind;
    // Of sums of outputs a great norm says nothing.
    for (const char* model : {"digits.pt", "gpt.pt"}) {
        Session session;
        session.open(std::string(LOUPE_SOURCE_DIR "/resources/models/") + model);
        session.wait_idle();
        RunOptions options;
        options.backward = true;
        session.run(options);
        session.wait_idle();
        std::vector<GradientRow> rows;
        session.ask("rows", GradientsQuery{}, [&](std::vector<GradientRow> all) { rows = std::move(all); });
        session.wait_idle();
        const auto found = judge_gradients(rows, session.recording().get());
        QVERIFY2(found.size() == 1 && found[0].kind == Kind::NotJudged, all_texts(found).c_str());
        QVERIFY(found[0].text.starts_with("no loss chosen: scale is not judged"));
        for (const GradientRow& row : rows) {
            const bool is_plain = row.parameter.find("norm") == std::string::npos && row.parameter.ends_with(".weight");
            QVERIFY2(row.weight_ratio().has_value() == (is_plain && row.finite && *row.weight_norm > 0),
                     row.parameter.c_str());
        }
    }
    // With a loss it does.
    RecordingWriter writer;
    writer.add_event({});
    writer.set_backward_start({1, "MSELoss(), target 0", true});
    const std::vector<GradientRow> great{made_row("a.weight", 1, 1), made_row("b.weight", 5000, 2),
                                         made_row("c.weight", 1, 1)};
    auto found = judge_gradients(great, writer.recording().get());
    QVERIFY2(found.size() == 1 && found[0].kind == Kind::Exploding, all_texts(found).c_str());
    QCOMPARE(found[0].rows, std::vector<int>{1});
    // Layers are held against each other whatever backward started from.
    const std::vector<GradientRow> uneven{made_row("a.weight", 1e-8, 1), made_row("b.weight", 1, 1),
                                          made_row("c.weight", 2, 1), made_row("d.weight", 1, 1)};
    found = judge_gradients(uneven, nullptr);
    QVERIFY2(found.size() == 2 && found[0].kind == Kind::Vanishing && found[0].rows == std::vector<int>{0} &&
                 found[1].kind == Kind::NotJudged,
             all_texts(found).c_str());
    // A steady fall has no layer far from its neighbours, nor from the median.
    std::vector<GradientRow> stairs;
    for (int layer = 0; layer < 8; ++layer)
        stairs.push_back(
            made_row(("fc" + std::to_string(layer) + ".weight").c_str(), 0.36 * std::pow(7.0, layer - 7), 1));
    found = judge_gradients(stairs, writer.recording().get());
    QVERIFY2(found.size() == 1 && found[0].kind == Kind::Vanishing, all_texts(found).c_str());
    QCOMPARE(QString::fromStdString(found[0].text),
             QString("vanishing towards the input: from fc7.weight to fc0.weight the gradient falls to 1.21e-06 of it, "
                     "by about 7 a layer"));
    QCOMPARE(found[0].rows, (std::vector<int>{0, 1, 2, 3, 4, 5, 6}));
    std::reverse(stairs.begin(), stairs.end());
    found = judge_gradients(stairs, writer.recording().get());
    QVERIFY2(found.size() == 1 && found[0].kind == Kind::Exploding, all_texts(found).c_str());
    // A jump is of one layer, and a slow fall is none.
    const std::vector<GradientRow> jump{made_row("a.weight", 1e-8, 1), made_row("b.weight", 1, 1),
                                        made_row("c.weight", 2, 1), made_row("d.weight", 3, 1)};
    found = judge_gradients(jump, writer.recording().get());
    QVERIFY2(found.size() == 1 && found[0].text.find("beside the other layers") != std::string::npos,
             all_texts(found).c_str());
    std::vector<GradientRow> slow;
    for (int layer = 0; layer < 8; ++layer)
        slow.push_back(made_row(("fc" + std::to_string(layer) + ".weight").c_str(), std::pow(2.0, layer - 7), 1));
    found = judge_gradients(slow, writer.recording().get());
    QVERIFY2(found.empty(), all_texts(found).c_str());
    // Parameters that nothing used are one line; frozen ones are none.
    std::vector<GradientRow> unused{made_row("a.weight", 1, 1), made_row("b.weight", 1, 1), made_row("c.weight", 1, 1),
                                    made_row("d.weight", 1, 1)};
    for (const std::size_t i : {1U, 2U, 3U}) unused[i].has_gradient = false;
    unused[3].is_frozen = true;
    found = judge_gradients(unused, writer.recording().get());
    QVERIFY2(found.size() == 1 && found[0].kind == Kind::Unused && found[0].rows.size() == 2, all_texts(found).c_str());
}

// What is said of steps is said of those that were looked at, and how far apart they are.
void TestGradientNames::steps_are_compared() {
    std::vector<StepGradients> steps;
    for (const std::int64_t step : {1, 111, 246, 285}) {
        StepGradients& made = steps.emplace_back();
        made.step = step;
        made.rows = {made_row("fc.weight", 1, 1), made_row("fc.bias", 1, 1), made_row("head.weight", 1, 1)};
        made.silent = {};
        if (step < 111) continue;
        for (const std::size_t i : {0U, 1U}) made.rows[i].finite = {0, 0, 0};
        made.silent = {"relu"};
    }
    const auto found = judge_steps(steps, true);
    QVERIFY2(found.size() == 1, all_texts(found).c_str());
    QCOMPARE(QString::fromStdString(found[0].text),
             QString("fc.weight, fc.bias are all zero in 3 of the 4 steps looked at, first seen at step 111 (not yet "
                     "at step 1): relu gives nothing but zeros there"));
    QCOMPARE(found[0].module, std::string("relu"));
    QVERIFY(judge_steps({}, true).empty());
    QCOMPARE(judge_steps(steps, false).size(), std::size_t(2));
}

// NaN in many gradients is one line, with where it came up.
void TestGradientNames::not_finite_is_one_finding() {
    Session session;
    session.open(LOUPE_SOURCE_DIR "/tests/fixtures/sources/nanback.py");
    session.wait_idle();
    RunOptions options;
    options.backward = true;
    session.run(options);
    session.wait_idle();
    QCOMPARE(session.status().state, RunState::Finished);
    std::vector<GradientRow> rows;
    session.ask("rows", GradientsQuery{}, [&](std::vector<GradientRow> all) { rows = std::move(all); });
    session.wait_idle();
    const auto found = judge_gradients(rows, session.recording().get());
    QVERIFY2(!found.empty() && found[0].kind == GradientFinding::Kind::NotFinite, all_texts(found).c_str());
    QCOMPARE(std::count_if(found.begin(), found.end(),
                           [](const GradientFinding& each) { return each.kind == GradientFinding::Kind::NotFinite; }),
             1);
    QCOMPARE(session.recording()->event(found[0].event).op, std::string_view("SqrtBackward0"));
    for (const GradientRow& row : rows) {
        if (row.has_nan_or_inf())
            QVERIFY(row.finite_share_text() != std::string());
        else
            QVERIFY(row.finite.has_value());
    }
}

QTEST_GUILESS_MAIN(TestGradientNames)
#include "test_gradient_names.moc"
