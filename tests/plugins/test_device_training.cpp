// SPDX-License-Identifier: Apache-2.0
// Whole models on a device whose memory the host may not touch: forward, backward, training, recordings, replays and
// checkpoints give there what they give on the CPU.
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QtTest>
#include <array>
#include <map>

#include "core/autograd/engine.h"
#include "core/autograd/grad_mode.h"
#include "core/autograd/variable.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/strings.h"
#include "core/dispatch/functions.h"
#include "core/model/input_file.h"
#include "core/model/inputs.h"
#include "core/nn/layer.h"
#include "core/ops/random/generator.h"
#include "core/ops/random/philox.h"
#include "core/optim/optimizer.h"
#include "core/plugin/plugin_loader.h"
#include "core/record/backward_roots.h"
#include "core/record/fallbacks.h"
#include "core/record/memory_sums.h"
#include "core/record/recording_file.h"
#include "core/record/replay.h"
#include "core/record/run_phases.h"
#include "core/session/session.h"
#include "core/tensor/copy_elements.h"
#include "core/tensor/device_copy.h"
#include "core/train/trainer.h"
#include "tests/ops/sweep.h"
#include "tests/plugins/device_under_test.h"

using namespace loupe;
using namespace loupe::session;

namespace {

Device tested{DeviceType::PrivateUse1, 0};  // or another, see initTestCase()
constexpr Device kOther{DeviceType::PrivateUse1, 1};
const QString kFixtures = QString::fromStdString(testing::source_folder()) + "/tests/fixtures/models/";
const std::string kDigits = testing::source_folder() + "/resources/models/digits.pt";
const CancelFlag kNever{false};

// Scripts that make a tensor on the CPU beside those of the model, or are given one that must be there: PyTorch refuses
// them on a GPU too.
const std::map<QString, const char*> kRefused = {
    {"upsampler", "torch.eye"}, {"language_reflection", "torch.tensor"}, {"lstm_packed", "batch_sizes"}};

using Named = std::vector<std::pair<std::string, Tensor>>;

struct Outcome {
    Named tensors;
    std::string refusal;
};

std::string difference_of(const Named& actual, const Named& expected, Device device) {
    if (actual.size() != expected.size()) return concat(actual.size(), " tensors, not ", expected.size());
    for (std::size_t i = 0; i < actual.size(); ++i) {
        const auto& [name, t] = actual[i];
        const Tensor& want = expected[i].second;
        if (name != expected[i].first) return concat(name, " in the place of ", expected[i].first);
        if (t.defined() != want.defined()) return concat(name, ": one is undefined");
        if (!t.defined() || t.is_sparse()) continue;
        // A script may make a result on the CPU and give it back.
        const bool may_be_made = name.starts_with("out") && t.device().is_cpu();
        if (!(t.device() == device) && !may_be_made) return concat(name, " is on ", device_name(t.device()));
        const double error = sweep::precision(want.dtype()) * 64;
        const std::string found = sweep::difference(on_host(detach(t)), detach(want), error, error);
        if (!found.empty()) return concat(name, ": ", found);
    }
    return {};
}

constexpr auto kFloat64 = static_cast<std::int64_t>(ScalarType::Float64);

double largest_of(const Tensor& t) {
    if (t.numel() == 0) return 0;
    return item(fn::amax(fn::reshape(fn::abs(t), Dims{-1}), Dims{0}, false)).to<double>();
}

// Which of the found tensors is more than twice as far from the wide one as the CPU's; empty: none.
std::string farther_from(const Named& wide, const Named& found, const Named& cpus) {
    const auto distance = [](const Tensor& a, const Tensor& b) {
        return largest_of(fn::sub(fn::to_dtype(on_host(detach(a)), kFloat64), detach(b), Scalar(1)));
    };
    for (std::size_t i = 0; i < wide.size() && wide.size() == found.size(); ++i) {
        const Tensor& w = wide[i].second;
        if (!w.defined() || w.dtype() != ScalarType::Float64) continue;
        const double own = distance(cpus[i].second, w), other = distance(found[i].second, w);
        if (other > 2 * own + sweep::precision(ScalarType::Float32) * 64 * std::max(1.0, largest_of(detach(w))))
            return concat(found[i].first, ": ", other, " from float64, the CPU's ", own);
    }
    return {};
}

Named state_of(const nn::Module& module) {
    Named all;
    for (const auto& [name, t] : module.named_parameters()) {
        all.emplace_back(name, t);
        if (grad_of(t).defined()) all.emplace_back(concat("grad of ", name), grad_of(t));
    }
    for (const auto& [name, t] : module.named_buffers()) all.emplace_back(name, t);
    return all;
}

// copies, so that what goes on does not change them
Named kept(const Named& tensors) {
    const GradModeScope no_grad(false);
    Named all;
    for (const auto& [name, t] : tensors) all.emplace_back(name, fn::clone(detach(t)));
    return all;
}

QJsonArray fixture_index() {
    QFile file(kFixtures + "index.json");
    return file.open(QIODevice::ReadOnly) ? QJsonDocument::fromJson(file.readAll()).array() : QJsonArray();
}

IValue in_float64(const IValue& value) {
    if (!value.is_tensor() || !is_floating(value.to_tensor().dtype())) return value;
    return fn::to_dtype(value.to_tensor(), kFloat64);
}

// Of a model on a device: results, gradients under the cotangents of the file, buffers. In float64: what it is without
// rounding.
Outcome run_model(const std::string& model, const std::string& inputs, const std::string& method_name, bool trains,
                  Device device, const std::string& pipeline = "none", bool is_wide = false) {
    Outcome out;
    const auto program = Program::open(model);
    program->module().train(trains);
    program->to(device);
    if (is_wide) program->module().to({.dtype = ScalarType::Float64});
    const PreparedMethod method(program, method_name, pipeline);
    std::vector<IValue> arguments =
        program->make_arguments(input_specs_of_file(inputs, method.schema(), *program->info()), method_name);
    if (is_wide) std::ranges::transform(arguments, arguments.begin(), in_float64);
    require_input_gradients(arguments);
    BackwardFrom from;
    from.kind = BackwardFrom::Kind::Cotangents;
    from.file = inputs;
    const BackwardSource source(from, method);
    seed_generators(7);
    try {
        const IValue output = method.forward(arguments);
        const TensorList results = flatten_tensors(output);
        for (std::size_t i = 0; i < results.size(); ++i) out.tensors.emplace_back(concat("out", i), results[i]);
        run_backward(source.roots(method, output));
    } catch (const Error& error) {
        out.refusal = error.message();
    }
    for (auto& entry : state_of(program->module())) out.tensors.push_back(std::move(entry));
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        visit_tensors(arguments[i], [&](const Tensor& t) {
            if (grad_of(t).defined()) out.tensors.emplace_back(concat("grad of argument ", i), grad_of(t));
        });
    }
    return out;
}

// Two layers and a norm, with the same numbers on any device.
nn::ModulePtr small_model(Device device) {
    seed_generators(3);
    auto list = std::vector<IValue>{};
    for (const nn::ModulePtr& layer : {nn::make_layer("Linear", {5, 4}), nn::make_layer("Tanh", {}),
                                       nn::make_layer("BatchNorm1d", {4}), nn::make_layer("Linear", {4, 2})})
        list.emplace_back(Ptr<Object>(layer));
    const nn::ModulePtr model = nn::make_layer("Sequential", std::move(list));
    model->to({.device = device});
    return model;
}

Tensor data_of(Device device) {
    seed_generators(4);
    return on_device(fn::uniform_(empty(std::array<std::int64_t, 2>{6, 5}, ScalarType::Float32), -1.0, 1.0), device);
}

Tensor ones_of_three() { return tensor_of<float>({1, 1, 1}, {3}); }

IValue list_of(const TensorList& tensors) {
    auto list = make_ptr<ListObject>(types::any());
    for (const Tensor& t : tensors) list->elements.emplace_back(t);
    return list;
}

Tensor loss_of(nn::Module& model, const Tensor& data) {
    const Tensor output = flatten_tensors(model.call({data})).front();
    return fn::sum(fn::mul(output, output));
}

Named trained(const optim::OptimizerRecord& record, Device device,
              std::vector<std::pair<std::string, IValue>> options) {
    const nn::ModulePtr model = small_model(device);
    const Tensor data = data_of(device);
    TensorList parameters;
    for (const auto& [name, t] : model->named_parameters()) parameters.push_back(t);
    if (record.name == std::string_view("SGD")) options.emplace_back("lr", 0.05);
    const auto optimizer = optim::make_optimizer(record.name, {list_of(parameters)}, std::move(options));
    const auto evaluate = [&] {
        optimizer->zero_grad(true);
        const GradModeScope grad(true);
        const Tensor loss = loss_of(*model, data);
        backward({loss}, {});
        return IValue(detach(loss));
    };
    for (int step = 0; step < 4; ++step) {
        if (record.step == nullptr) evaluate();
        optimizer->step(record.step != nullptr ? optim::Closure(evaluate) : optim::Closure());
    }
    Named all = state_of(*model);
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        for (const auto& [key, value] : optimizer->state_of(parameters[i])->entries()) {
            const bool is_beside = value.is_tensor() && value.to_tensor().dim() > 0;
            if (is_beside) all.emplace_back(concat("state ", i, " ", key.to_string()), value.to_tensor());
        }
    }
    return all;
}

TrainOptions train_options() {
    TrainOptions options;
    options.data.shape = {1, 8, 8};
    options.data.classes = 10;
    options.data.count = 24;
    options.batch_size = 8;
    options.optimizer = "Adam(lr=0.01)";
    options.schedule = "StepLR(1, gamma=0.5)";
    options.epochs = 2;
    options.seed = 5;
    options.look_every = -1;
    return options;
}

std::unique_ptr<Trainer> trainer_on(Device device, const TrainOptions& options) {
    const auto program = Program::open(kDigits);
    program->to(device);
    auto trainer = std::make_unique<Trainer>(program, options);
    trainer->begin();
    return trainer;
}

std::vector<double> losses_of(Trainer& trainer, int steps) {
    std::vector<double> losses;
    for (int i = 0; i < steps; ++i) {
        trainer.compute();
        losses.push_back(trainer.update().loss);
        trainer.end_epoch();
    }
    return losses;
}

std::string losses_difference(const std::vector<double>& a, const std::vector<double>& b) {
    if (a.size() != b.size()) return "another number of steps";
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (std::abs(a[i] - b[i]) > 1e-4 * std::max(1.0, std::abs(b[i])))
            return concat("step ", i + 1, ": ", a[i], " and ", b[i]);
    }
    return {};
}

Named parameters_of(const Trainer& trainer) {
    Named all;
    for (std::size_t i = 0; i < trainer.parameters().size(); ++i)
        all.emplace_back(concat("parameter ", i), trainer.parameters()[i]);
    return all;
}

// A recorded run of digits on a device.
struct Run {
    std::shared_ptr<Program> program = Program::open(kDigits);
    std::unique_ptr<PreparedMethod> method;
    std::vector<IValue> arguments;
    std::unique_ptr<Recorder> recorder;
    std::unique_ptr<RunStart> start;
    std::unique_ptr<BackwardSource> source;
    RunBody body;

    Run(Device device, const ValueBudget& budget) {
        program->module().train(true);
        program->to(device);
        method = std::make_unique<PreparedMethod>(program, "forward", "none");
        InputSpec spec;
        spec.shape = {4, 1, 8, 8};
        seed_generators(2);
        arguments = program->make_arguments({spec}, "forward");
        require_input_gradients(arguments);
        seed_generators(7);
        recorder = std::make_unique<Recorder>(RecorderOptions{.statistics = true, .values = true, .budget = budget},
                                              method->build_graph(), nullptr, nullptr);
        name_existing_tensors(*recorder, program->module(), arguments, method->schema());
        start = std::make_unique<RunStart>(program->module(), arguments, method->schema());
        source = std::make_unique<BackwardSource>(BackwardFrom{}, *method);
        body = [this](std::vector<IValue> given) { run_phases(*method, std::move(given), source.get()); };
        {
            const ObserverScope observed(recorder.get());
            body(arguments);
        }
        recorder->finish();
    }
    Run(const Run&) = delete;
    Run& operator=(const Run&) = delete;
};

}  // namespace

class TestDeviceTraining : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase();
    void models_data();
    void models();
    void pipelinesRunThere_data();
    void pipelinesRunThere();
    void optimisers_data();
    void optimisers();
    void optimiserStateGoesBackOntoTheDevice();
    void trainingIsTheCpus();
    void trainingGoesOnFromACheckpoint();
    void trainingStepsBack();
    void aRunSaysWhatItDid();
    void droppedValuesComeBack();
    void aSessionRunsThere();
    void aGradientOnAWrongDeviceIsRefused();
    void philoxGivesTheKnownAnswers();
    void generatorsOfDevices();
    void sourcesChooseADevice();

  private:
    QTemporaryDir dir_;
};

void TestDeviceTraining::initTestCase() {
    testing::load_device_under_test(LOUPE_BINARY_DIR "/lib/test_plugins");
    tested = parse_device(testing::device_under_test("test:0"));
}

void TestDeviceTraining::models_data() {
    QTest::addColumn<QString>("model");
    QTest::addColumn<QString>("inputs");
    QTest::addColumn<QString>("method");
    QTest::addColumn<bool>("trains");
    for (const char* name : {"digits", "gpt", "lstm"}) {
        const QString path = QString::fromStdString(testing::source_folder()) + "/resources/models/" + name;
        QTest::newRow(qPrintable(QString("shipped %1").arg(name))) << path + ".pt" << path + ".in.npz"
                                                                   << "forward" << false;
    }
    for (const QJsonValue& entry : fixture_index()) {
        const QString name = entry["name"].toString();
        const QString inputs = kFixtures + name + ".in.npz";
        // It compares the device of its input with an attribute of its own, the CPU.
        if (!QFile::exists(inputs) || name == "language_types") continue;
        QTest::newRow(qPrintable(name)) << kFixtures + entry["file"].toString() << inputs
                                        << entry["method"].toString("forward") << (entry["mode"].toString() == "train");
    }
}

void TestDeviceTraining::models() {
    QFETCH(QString, model);
    QFETCH(QString, inputs);
    QFETCH(QString, method);
    QFETCH(bool, trains);
    const auto run = [&](Device device, const char* pipeline = "none") {
        return run_model(model.toStdString(), inputs.toStdString(), method.toStdString(), trains, device, pipeline);
    };
    const Outcome want = run(Device{});
    const Outcome got = run(tested);
    if (kRefused.contains(QTest::currentDataTag())) {
        QVERIFY(!got.refusal.empty());
        return;
    }
    QCOMPARE(got.refusal, want.refusal);
    std::string found = difference_of(got.tensors, want.tensors, tested);
    // The device that copies to the host has the CPU's kernels, and its numbers. Others add in another order: where
    // terms cancel they may be as far from float64 as the CPU's.
    const bool has_own_kernels = !(tested == Device{DeviceType::PrivateUse1, 0});
    if (!found.empty() && has_own_kernels && got.tensors.size() == want.tensors.size()) {
        const Outcome wide =
            run_model(model.toStdString(), inputs.toStdString(), method.toStdString(), trains, Device{}, "none", true);
        if (wide.refusal.empty()) found = farther_from(wide.tensors, got.tensors, want.tensors);
    }
    QVERIFY2(found.empty(), found.c_str());
    // Groups that are fused on the CPU run there as they are. (A simulated GPU runs no code that is compiled for one.)
    if (qEnvironmentVariableIsSet("LOUPE_TEST_UNFUSED")) return;
    QCOMPARE(QString::fromStdString(run(tested, "train_fused").refusal), QString::fromStdString(want.refusal));
}

void TestDeviceTraining::pipelinesRunThere_data() {
    QTest::addColumn<QString>("pipeline");
    QTest::addColumn<bool>("trains");
    for (const char* name :
         {"optimize", "specialize", "freeze", "inference", "reduce_overhead", "optimize_for_inference"})
        QTest::newRow(name) << name << false;
    for (const char* name : {"autodiff", "profiled", "train", "train_fused"}) QTest::newRow(name) << name << true;
}

// What fuses, plans or captures for the CPU declines there, and the graph runs.
void TestDeviceTraining::pipelinesRunThere() {
    QFETCH(QString, pipeline);
    QFETCH(bool, trains);
    const auto run = [&](const std::string& how, Device device) {
        const auto program = Program::open(kDigits);
        program->to(device);
        InputSpec spec;
        spec.shape = {3, 1, 8, 8};
        seed_generators(2);
        const auto arguments = program->make_arguments({spec}, "forward");
        const GradModeScope grad(trains);
        const PreparedMethod method(program, "forward", how);
        Named all;
        for (int i = 0; i < 3; ++i) {  // measured, planned, replayed
            const Tensor output = flatten_tensors(method.forward(arguments)).front();
            if (trains) backward({fn::sum(fn::mul(output, output))}, {});
            all.emplace_back("output", output);
        }
        if (trains)
            for (auto& entry : state_of(program->module())) all.push_back(std::move(entry));
        return all;
    };
    try {
        const Named want = run("none", Device{});
        const std::string found = difference_of(run(pipeline.toStdString(), tested), want, tested);
        QVERIFY2(found.empty(), found.c_str());
    } catch (const Error& error) {
        QFAIL(error.what());
    }
}

void TestDeviceTraining::optimisers_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("option");
    for (const optim::OptimizerRecord* record : optim::optimizer_records()) {
        // It takes sparse gradients alone.
        if (record->name == "SparseAdam") continue;
        const QString name = QString::fromUtf8(record->name.data(), static_cast<int>(record->name.size()));
        QTest::newRow(qPrintable(name)) << name << QString();
        for (const char* option : {"amsgrad", "centered", "momentum", "weight_decay", "maximize"}) {
            if (record->constructor.find(concat(" ", option, "=")) == std::string_view::npos) continue;
            QTest::newRow(qPrintable(QString("%1 %2").arg(name, option))) << name << QString(option);
        }
    }
}

void TestDeviceTraining::optimisers() {
    QFETCH(QString, name);
    QFETCH(QString, option);
    const optim::OptimizerRecord& record = *optim::find_optimizer(name.toStdString());
    std::vector<std::pair<std::string, IValue>> options;
    if (option == "momentum" || option == "weight_decay")
        options.emplace_back(option.toStdString(), 0.25);
    else if (!option.isEmpty())
        options.emplace_back(option.toStdString(), true);
    const Named want = trained(record, Device{}, options);
    const Named got = trained(record, tested, options);
    const std::string found = difference_of(got, want, tested);
    QVERIFY2(found.empty(), found.c_str());
}

void TestDeviceTraining::optimiserStateGoesBackOntoTheDevice() {
    const auto optimizer_of = [](nn::Module& model) {
        TensorList parameters;
        for (const auto& [name, t] : model.named_parameters()) parameters.push_back(t);
        return optim::make_optimizer("Adam", {list_of(parameters)});
    };
    const nn::ModulePtr here = small_model(Device{});
    const auto first = optimizer_of(*here);
    backward({loss_of(*here, data_of(Device{}))}, {});
    first->step();
    const nn::ModulePtr there = small_model(tested);
    const auto second = optimizer_of(*there);
    second->load_state_dict(first->state_dict());
    for (const auto& [name, t] : there->named_parameters()) {
        const auto state = second->state_of(t);
        QVERIFY(state->find(IValue("exp_avg"))->to_tensor().device() == tested);
        QVERIFY(state->find(IValue("step"))->to_tensor().device().is_cpu());
    }
    // So do parameters and buffers.
    nn::Named<Tensor> state;
    for (const auto& [name, t] : here->state_dict()) state.emplace_back(name, t);
    there->load_state_dict(state);
    for (const auto& [name, t] : there->state_dict()) QVERIFY2(t.device() == tested, name.c_str());
}

void TestDeviceTraining::trainingIsTheCpus() {
    // One after the other: both draw from the generator that a trainer seeds.
    const auto here = trainer_on(Device{}, train_options());
    const std::vector<double> want = losses_of(*here, 6);
    const auto there = trainer_on(tested, train_options());
    const std::string found = losses_difference(losses_of(*there, 6), want);
    QVERIFY2(found.empty(), found.c_str());
    const std::string moved = difference_of(parameters_of(*there), parameters_of(*here), tested);
    QVERIFY2(moved.empty(), moved.c_str());
    for (std::size_t i = 0; i < here->norms().size(); ++i)
        QVERIFY(qAbs(here->norms()[i].update - there->norms()[i].update) < 1e-4F);
}

void TestDeviceTraining::trainingGoesOnFromACheckpoint() {
    const auto first = trainer_on(tested, train_options());
    losses_of(*first, 4);
    const std::string file = dir_.filePath("training.pt").toStdString();
    first->save(file);
    const std::vector<double> want = losses_of(*first, 2);
    for (const Device device : {tested, Device{}}) {
        TrainOptions options = train_options();
        options.resume = file;
        const auto second = trainer_on(device, options);
        const std::string found = losses_difference(losses_of(*second, 2), want);
        QVERIFY2(found.empty(), found.c_str());
        for (const auto& [name, t] : parameters_of(*second)) QVERIFY(t.device() == device);
    }
}

void TestDeviceTraining::trainingStepsBack() {
    const auto trainer = trainer_on(tested, train_options());
    losses_of(*trainer, 2);
    const TrainerState state = trainer->state(Trainer::Gradients::With);
    const std::vector<double> want = losses_of(*trainer, 2);
    const Named weights = kept(parameters_of(*trainer));
    trainer->restore(state);
    QCOMPARE(losses_of(*trainer, 2), want);
    Named on_cpu;
    for (const auto& [name, t] : weights) on_cpu.emplace_back(name, on_host(t));
    const std::string found = difference_of(parameters_of(*trainer), on_cpu, tested);
    QVERIFY2(found.empty(), found.c_str());
}

void TestDeviceTraining::aRunSaysWhatItDid() {
    const Run here(Device{}, {});
    const Run there(tested, {});
    const Recording& want = *here.recorder->recording();
    const Recording& got = *there.recorder->recording();
    QCOMPARE(got.event_count(), want.event_count());
    QCOMPARE(got.value_count(), want.value_count());
    for (ValueId id = 1; id <= got.value_count(); ++id) {
        const auto& a = got.value(id).statistics;
        const auto& b = want.value(id).statistics;
        QCOMPARE(a.has_value(), b.has_value());
        if (a && a->finite && b->finite) QVERIFY(qAbs(a->finite->mean - b->finite->mean) < 1e-4);
    }
    // What ran on the CPU says what its copies took; what did not says nothing of the kind.
    std::size_t fell_back = 0;
    std::size_t own = 0;
    double given = 0;
    for (EventId id = 1; id <= got.event_count(); ++id) {
        const Event& event = got.event(id);
        QVERIFY(want.event(id).device.device.empty());
        if (event.device.device.empty()) continue;
        QCOMPARE(std::string(event.device.device), std::string("test:0"));
        QVERIFY(event.duration >= 0 && event.device.launch >= 0);
        // Given by the host before the device is done with it; the host gives one after another.
        QVERIFY(event.device.given > 0 && event.device.given <= event.end());
        QVERIFY(event.device.given + 1e-9 >= given);
        given = event.device.given;
        if (event.device.fell_back) {
            ++fell_back;
            QVERIFY(event.device.copied_bytes > 0);
            QVERIFY(event.device.text().find("ran on the CPU") != std::string::npos);
        } else if (event.backend == "test") {
            ++own;
        }
    }
    QVERIFY(fell_back > 0);
    QVERIFY(own > 0);
    const std::vector<Fallback> list = fallbacks_of(got);
    QVERIFY(
        std::ranges::any_of(list, [](const Fallback& each) { return each.op == "aten::conv2d" && each.events > 0; }) ||
        std::ranges::any_of(list, [](const Fallback& each) { return each.op.find("conv") != std::string::npos; }));
    QVERIFY(fallbacks_of(want).empty());
    // Memory by device, only where there is more than one.
    QVERIFY(MemoryBook(want).by_device(1).empty());
    const auto memory = MemoryBook(got).by_device(static_cast<EventId>(got.event_count()));
    QVERIFY(memory.size() == 2 && memory[0].device == "cpu" && memory[1].device == "test:0");
    std::int64_t parameters = 0;
    for (const auto& [name, t] : there.program->module().named_parameters())
        parameters += static_cast<std::int64_t>(t.bytes());
    QVERIFY(memory[1].at_event >= parameters && memory[1].at_peak >= memory[1].at_event);
}

void TestDeviceTraining::droppedValuesComeBack() {
    const Run whole(tested, {});
    Run run(tested, {.memory = 0, .file = 0});
    const Recording& recording = *run.recorder->recording();
    std::set<ValueId> dropped;
    for (ValueId id = 1; id <= recording.value_count(); ++id) {
        const EventId producer = recording.value(id).producer;
        const bool is_unwritten = producer != 0 && recording.event(producer).op.starts_with("aten::empty");
        if (run.recorder->values().was_dropped(id) && !is_unwritten) dropped.insert(id);
    }
    QVERIFY(!dropped.empty());
    try {
        recompute_values(*run.start, *run.method, run.body, *run.recorder, dropped, kNever);
    } catch (const Error& error) {
        QFAIL(error.what());
    }
    for (const auto& [name, t] : run.program->module().named_parameters()) QVERIFY(t.device() == tested);
}

void TestDeviceTraining::aSessionRunsThere() {
    const auto run_on = [&](const char* device, const char* name) {
        Session session;
        session.open(kDigits);
        session.wait_idle();
        RunOptions options;
        options.device = device;
        options.backward = true;
        options.seed = 3;
        options.pause_at_start = true;
        session.run(options);
        session.wait_idle();
        session.step(StepKind::Over);
        session.wait_idle();
        session.resume();
        session.wait_idle();
        const Status status = session.status();
        if (status.state != RunState::Finished) return std::shared_ptr<const Recording>();
        static_cast<void>(name);
        return session.recording();
    };
    const auto want = run_on("cpu", "cpu");
    const auto got = run_on("test", "test");
    QVERIFY(want && got);
    QCOMPARE(got->event_count(), want->event_count());
    QVERIFY(!fallbacks_of(*got).empty());
}

void TestDeviceTraining::aGradientOnAWrongDeviceIsRefused() {
    const Tensor x = on_device(ones_of_three(), tested);
    set_requires_grad(x, true);
    const Tensor y = fn::mul(x, x);
    try {
        backward({y}, {ones_of_three()});
        QFAIL("a gradient on the CPU was taken");
    } catch (const Error& error) {
        QCOMPARE(error.message(), std::string("invalid gradient at index 0 - expected device test:0 but got cpu"));
    }
    // A copy between devices gives its gradient back where the tensor is.
    const Tensor on_cpu = fn::to_copy(x, IValue(), IValue(), Device{}, IValue(), false, IValue());
    backward({fn::sum(fn::mul(on_cpu, on_cpu))}, {});
    QVERIFY(grad_of(x).device() == tested);
    QCOMPARE(on_host(grad_of(x)).data<float>()[2], 2.0F);
}

// Random123's kat_vectors.
void TestDeviceTraining::philoxGivesTheKnownAnswers() {
    using Four = std::array<std::uint32_t, 4>;
    QVERIFY((philox({0, 0, 0, 0}, {0, 0}) == Four{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
    QVERIFY((philox({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}) ==
             Four{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
    QVERIFY((philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
             Four{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
    Philox generator(kOther, 0);
    QCOMPARE(generator.take(5).offset, std::uint64_t{0});
    QCOMPARE(generator.take(1).offset, std::uint64_t{8});
    QVERIFY(Philox::at({0, 0}, 0) == philox({0, 0, 0, 0}, {0, 0}));
    QVERIFY(Philox::at({0, 4}, 2) == philox({1, 0, 2, 0}, {0, 0}));
}

void TestDeviceTraining::generatorsOfDevices() {
    const auto drawn = [](Device device) {
        const Tensor t = empty(std::array<std::int64_t, 1>{40}, ScalarType::Float32, device);
        return on_host(fn::uniform_(t, 0.0, 1.0));
    };
    const auto same = [](const Tensor& a, const Tensor& b) { return sweep::difference(a, b, 0).empty(); };
    // One without a generator of its own draws the CPU's numbers.
    seed_generators(11);
    const Tensor cpu = drawn(Device{});
    seed_generators(11);
    QVERIFY(same(drawn(tested), cpu));
    // One with its own leaves the CPU's alone; its state is part of all.
    seed_generators(11);
    const RandomState state = random_state();
    QVERIFY(state.devices.size() == 1 && state.devices.front().first == kOther);
    const Tensor own = drawn(kOther);
    QVERIFY(!same(own, cpu));
    QVERIFY(same(drawn(Device{}), cpu));
    QVERIFY(!same(drawn(kOther), own));
    set_random_state(state);
    QVERIFY(same(drawn(kOther), own));
    seed_generators(11);
    QVERIFY(same(drawn(kOther), own));
    // One that is given.
    const auto given = make_generator(kOther);
    given->set_seed(11);
    const Tensor t = empty(std::array<std::int64_t, 1>{40}, ScalarType::Float32, kOther);
    QVERIFY(same(on_host(fn::uniform_(t, 0.0, 1.0, IValue::other(given))), own));
    try {
        fn::uniform_(empty(std::array<std::int64_t, 1>{4}, ScalarType::Float32), 0.0, 1.0, IValue::other(given));
        QFAIL("a generator of another device was taken");
    } catch (const Error& error) {
        QCOMPARE(error.message(), std::string("Expected a 'cpu' device type for generator but found 'test'"));
    }
}

void TestDeviceTraining::sourcesChooseADevice() {
    const std::string file = dir_.filePath("chooses.py").toStdString();
    write_file_atomically(file, R"(import os, tempfile, torch
import torch.nn as nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        with torch.device('test'):
            self.fc = nn.Linear(3, 2)
            assert torch.zeros(2).device == torch.device('test:0'), torch.zeros(2).device
            assert torch.tensor([1.0]).device.type == 'test'
        assert torch.zeros(2).device.type == 'cpu'
        torch.set_default_device('test:1')
        assert torch.get_default_device() == torch.device('test:1')
        assert torch.ones(2).device.index == 1
        assert torch.zeros(2, device='cpu').device.type == 'cpu'
        assert torch.zeros_like(self.fc.weight).device.index == 0
        torch.set_default_device(None)
        here = torch.ones(2, 2)
        path = os.path.join(tempfile.mkdtemp(), 'a.pt')
        torch.save({'a': here, 'row': here[1]}, path)
        there = torch.load(path, map_location='test')
        assert there['a'].device.type == 'test'
        there['row'].zero_()
        assert there['a'].sum().item() == 2
        assert torch.load(path, map_location=torch.device('cpu'))['a'].device.type == 'cpu'
        self.fc.load_state_dict({'weight': torch.ones(2, 3), 'bias': torch.zeros(2)})
        assert self.fc.weight.device.type == 'test'
        generator = torch.Generator(device='test:1')
        assert generator.device == torch.device('test:1') and generator.get_state().numel() == 16

    def forward(self, x):
        return self.fc(x.to('test'))

model = Net()
)");
    try {
        const auto program = Program::open(file);
        QVERIFY(program->module().named_parameters().front().second.device() == tested);
    } catch (const Error& error) {
        QFAIL(error.what());
    }
}

QTEST_GUILESS_MAIN(TestDeviceTraining)
#include "test_device_training.moc"
