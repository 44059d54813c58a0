// SPDX-License-Identifier: Apache-2.0
// Whatever a pipeline does to a graph, the model computes what it did: every fixture, against PyTorch's numbers.

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QtTest>

#include "core/autograd/grad_mode.h"
#include "core/autograd/variable.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/formats/numpy/npy.h"
#include "core/model/input_file.h"
#include "core/model/inputs.h"
#include "core/model/program.h"
#include "core/ops/random/generator.h"
#include "core/record/backward_roots.h"
#include "core/record/run_phases.h"
#include "core/session/session.h"
#include "core/study/compare.h"

using namespace loupe;
using namespace loupe::session;

namespace {

const QString kModels = LOUPE_SOURCE_DIR "/tests/fixtures/models/";

void add_rows(const QStringList& pipelines) {
    QTest::addColumn<QJsonObject>("entry");
    QTest::addColumn<QString>("pipeline");
    QFile index(kModels + "index.json");
    QVERIFY(index.open(QIODevice::ReadOnly));
    for (const QJsonValue& value : QJsonDocument::fromJson(index.readAll()).array()) {
        const QJsonObject entry = value.toObject();
        const QString name = entry["name"].toString();
        if (entry.contains("error")) continue;
        for (const QString& pipeline : pipelines) QTest::newRow(qPrintable(name + " " + pipeline)) << entry << pipeline;
    }
}

struct Case {
    std::shared_ptr<Program> program;
    std::unique_ptr<PreparedMethod> method;
    std::vector<IValue> arguments;
    NamedTensors expected;
    double rtol = 0;
    double atol = 0;

    explicit Case(const QJsonObject& entry, const QString& pipeline) {
        const std::string name = (kModels + entry["name"].toString()).toStdString();
        program = Program::open((kModels + entry["file"].toString()).toStdString());
        program->module().train(entry["mode"].toString() == "train");
        method =
            std::make_unique<PreparedMethod>(program, entry["method"].toString().toStdString(), pipeline.toStdString());
        arguments = make_inputs(input_specs_of_file(name + ".in.npz", method->schema(), *program->info()),
                                method->schema(), true);
        expected = read_npz(name + ".out.npz");
        rtol = entry["grad_tolerance"]["rtol"].toDouble();
        atol = entry["grad_tolerance"]["atol"].toDouble();
        seed_generators(0);
    }

    void compare(const std::string& name, const Tensor& actual) const {
        for (const auto& [wanted, want] : expected) {
            if (wanted != name) continue;
            const TensorDifference difference = compare_tensors(actual, want, rtol, atol);
            QVERIFY2(
                difference.is_equal,
                qPrintable(QString("%1: %2 %3").arg(name.c_str()).arg(difference.max_abs).arg(difference.why.c_str())));
        }
    }
};

TensorList cotangents_of(const QJsonObject& entry) {
    TensorList all;
    for (const auto& [name, t] : read_npz((kModels + entry["name"].toString() + ".in.npz").toStdString())) {
        if (!name.starts_with("cot")) continue;
        const std::size_t index = std::stoul(name.substr(3));
        if (all.size() <= index) all.resize(index + 1);
        all[index] = t;
    }
    return all;
}

}  // namespace

class TestPipelines : public QObject {
    Q_OBJECT

  private slots:
    void inference_data() { add_rows({"freeze", "inference"}); }
    void inference();
    void train_data() { add_rows({"train", "train_fused", "optimize"}); }
    void train();
    void are_listed();
};

void TestPipelines::inference() {
    QFETCH(QJsonObject, entry);
    QFETCH(QString, pipeline);
    if (entry["mode"].toString() == "train") {
        try {
            const Case in_training(entry, pipeline);
            QFAIL("froze a module in training");
        } catch (const Error& error) {
            QCOMPARE(error.kind(), ErrorKind::Usage);  // as PyTorch refuses it
        }
        return;
    }
    const Case run(entry, pipeline);
    const GradModeScope grad(false);
    // Fused groups run as kernels from the second time on; one model keeps count of its calls.
    const int times = entry["name"].toString() == "language_mutable" ? 1 : 2;
    for (int time = 0; time < times; ++time) {
        const TensorList outputs = flatten_tensors(run.method->forward(run.arguments));
        for (std::size_t i = 0; i < outputs.size(); ++i) run.compare(concat("out", i), outputs[i]);
    }
}

void TestPipelines::train() {
    QFETCH(QJsonObject, entry);
    QFETCH(QString, pipeline);
    const Case run(entry, pipeline);
    const bool has_gradients = std::any_of(run.expected.begin(), run.expected.end(),
                                           [](const auto& each) { return each.first.starts_with("grad"); });
    const GradModeScope grad(has_gradients);
    if (has_gradients) require_input_gradients(run.arguments);
    const TensorList outputs = flatten_tensors(run.method->forward(run.arguments));
    for (std::size_t i = 0; i < outputs.size(); ++i) run.compare(concat("out", i), detach(outputs[i]));
    if (!has_gradients) return;
    run_backward(roots_of_outputs(outputs, cotangents_of(entry)));
    for (const auto& [name, parameter] : run.program->module().named_parameters()) {
        if (grad_of(parameter).defined()) run.compare(concat("grad.param.", name), grad_of(parameter));
    }
    for (std::size_t i = 0; i < run.arguments.size(); ++i) {
        if (run.arguments[i].is_tensor() && grad_of(run.arguments[i].to_tensor()).defined()) {
            run.compare(concat("grad.arg", i), grad_of(run.arguments[i].to_tensor()));
        }
    }
}

void TestPipelines::are_listed() {
    const auto names = list_pipelines();
    for (const char* name : {"none", "freeze", "inference", "train"}) {
        QVERIFY2(std::find(names.begin(), names.end(), name) != names.end(), name);
    }
}

QTEST_GUILESS_MAIN(TestPipelines)
#include "test_pipelines.moc"
