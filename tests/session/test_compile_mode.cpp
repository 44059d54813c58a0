// SPDX-License-Identifier: Apache-2.0
// The modes of compiling: the same results in each; what is measured is kept, and a damaged file is none.
#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>
#include <cmath>

#include "core/autograd/grad_mode.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/model/input_file.h"
#include "core/model/inputs.h"
#include "core/model/program.h"
#include "core/session/queries/compile.h"
#include "core/session/queries/fused_groups.h"
#include "core/session/queries/memory_plan.h"
#include "core/session/session.h"
#include "core/study/autotune.h"
#include "core/study/compare.h"
#include "core/study/compile_mode.h"
#include "core/study/plan_memory.h"

using namespace loupe;
using namespace loupe::session;

namespace {

const std::string kModels = LOUPE_SOURCE_DIR "/tests/fixtures/models/";

struct Model {
    std::shared_ptr<Program> program;
    std::vector<InputSpec> inputs;

    explicit Model(const std::string& name) : program(Program::open(kModels + name + ".pt")) {
        program->module().eval();
        inputs = input_specs_of_file(kModels + name + ".in.npz", program->schema("forward"), *program->info());
    }
    std::vector<IValue> arguments() const { return program->make_arguments(inputs, "forward"); }
    CompiledMethod compile(CompileMode mode, bool backward = false) const {
        return compile_method({mode, "none", backward, "forward"}, *program->method("forward").graph(),
                              program->script_module(), [this] { return arguments(); });
    }
    TensorList outputs(const PreparedMethod& method) const { return flatten_tensors(method.forward(arguments())); }
};

void hold_against(const TensorList& actual, const TensorList& expected) {
    QCOMPARE(actual.size(), expected.size());
    for (std::size_t i = 0; i < actual.size(); ++i) {
        const TensorDifference difference = compare_tensors(actual[i], expected[i], 1e-3, 1e-4);
        QVERIFY2(
            difference.is_equal,
            qPrintable(QString("output %1: max abs %2 %3").arg(i).arg(difference.max_abs).arg(difference.why.c_str())));
    }
}

}  // namespace

class TestCompileMode : public QObject {
    Q_OBJECT

    QTemporaryDir cache_;

  private slots:
    void initTestCase() { qputenv("XDG_CACHE_HOME", cache_.path().toUtf8()); }

    void namesAreTorchs() {
        QCOMPARE(compile_modes(), (std::vector<std::string>{"default", "reduce-overhead", "max-autotune"}));
        QCOMPARE(static_cast<int>(parse_compile_mode("reduce-overhead")),
                 static_cast<int>(CompileMode::ReduceOverhead));
        QVERIFY_THROWS_EXCEPTION(Error, parse_compile_mode("fast"));
    }

    void modesGiveTheSame_data() {
        QTest::addColumn<QString>("model");
        for (const char* name : {"resnet18", "mobilenet_v3_small", "vit", "gpt", "lstm"}) {
            if (QFile::exists(QString::fromStdString(kModels) + name + ".pt")) QTest::newRow(name) << QString(name);
        }
    }
    void modesGiveTheSame() {
        QFETCH(QString, model);
        try {
            const GradModeScope no_grad(false);
            const Model m(model.toStdString());
            const TensorList expected = m.outputs(PreparedMethod(m.program, "forward", "none"));
            for (const CompileMode mode :
                 {CompileMode::Default, CompileMode::ReduceOverhead, CompileMode::MaxAutotune}) {
                CompiledMethod compiled = m.compile(mode);
                const PreparedMethod method(m.program, "forward", std::move(compiled.graph));
                for (int i = 0; i < 5; ++i) {
                    hold_against(m.outputs(method), expected);
                    if (QTest::currentTestFailed()) return;
                }
                // The pipeline's words lead to the same graph.
                hold_against(m.outputs(PreparedMethod(m.program, "forward", compiled.pipeline)), expected);
            }
        } catch (const Error& error) {
            QFAIL(error.what());
        }
    }

    void gradientsAreNotPlanned() {
        const Model m("resnet18");
        m.program->module().train();
        const CompiledMethod compiled = m.compile(CompileMode::ReduceOverhead, true);
        QCOMPARE(compiled.pipeline, std::string("train_fused"));
        QCOMPARE(compiled.breaks.size(), std::size_t{1});
        QVERIFY(compiled.breaks[0].reason.find("backward") != std::string::npos);
    }

    void measurementsAreKept() {
        const GradModeScope no_grad(false);
        const Model m("resnet18");
        const QString file = QString::fromStdString(
            autotune_file(*m.program->method("forward").graph(), m.program->script_module(), m.arguments()));
        QVERIFY(file.startsWith(cache_.path()));
        QFile::remove(file);
        const CompiledMethod first = m.compile(CompileMode::MaxAutotune);
        QVERIFY(!first.is_from_disk);
        QVERIFY(first.complaint.empty());
        QVERIFY(first.tried.size() > 1);
        QVERIFY(first.tried[0].seconds > 0);
        QVERIFY(QFile::exists(file));
        const CompiledMethod second = m.compile(CompileMode::MaxAutotune);
        QVERIFY(second.is_from_disk);
        QCOMPARE(second.pipeline, first.pipeline);
        QCOMPARE(second.tried.size(), first.tried.size());
    }

    // Cut short, changed, empty, another's: measured again, with a line that says so.
    void aDamagedFileIsNone_data() {
        QTest::addColumn<int>("damage");
        for (int i = 0; i < 5; ++i) QTest::addRow("%d", i) << i;
    }
    void aDamagedFileIsNone() {
        QFETCH(int, damage);
        const GradModeScope no_grad(false);
        const Model m("resnet18");
        m.compile(CompileMode::MaxAutotune);
        const QString path = QString::fromStdString(
            autotune_file(*m.program->method("forward").graph(), m.program->script_module(), m.arguments()));
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QByteArray bytes = file.readAll();
        file.close();
        const QByteArray whole = bytes;
        switch (damage) {
            case 0:
                bytes.truncate(bytes.size() / 2);
                break;
            case 1:
                bytes[bytes.size() - 20] = static_cast<char>(bytes[bytes.size() - 20] ^ 1);
                break;
            case 2:
                bytes.clear();
                break;
            case 3:
                bytes = "{\"pipeline\": \"@inference\"}";
                break;
            default:
                bytes.replace("tensorloupe autotune 1", "tensorloupe autotune 9");
                break;
        }
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(bytes);
        file.close();
        const CompiledMethod compiled = m.compile(CompileMode::MaxAutotune);
        QVERIFY(!compiled.is_from_disk);
        QVERIFY2(compiled.complaint.find("damaged") != std::string::npos, compiled.complaint.c_str());
        QVERIFY(compiled.complaint.find('\n') == std::string::npos);
        QVERIFY(m.compile(CompileMode::MaxAutotune).is_from_disk);
    }

    // Blocks and results together are what a run takes; the caller's inputs and the caches are not counted.
    void predictionsHold_data() { modesGiveTheSame_data(); }
    void predictionsHold() {
        QFETCH(QString, model);
        try {
            const Model m(model.toStdString());
            const MemoryPlanReport report =
                plan_memory("inference", *m.program->method("forward").graph(), m.program->script_module(), "forward",
                            [&m] { return m.arguments(); });
            QVERIFY(report.error.empty());
            QVERIFY(report.graph != nullptr);
            QVERIFY(!report.parts.empty());
            for (const GraphBreak& found : report.breaks) qInfo("%s", found.line().c_str());
            for (const PlannedPart& part : report.parts) {
                if (!part.refusal.empty() || part.steps.empty()) return;
                QVERIFY(part.peak_bytes <= part.block_bytes + part.result_bytes + 4096);
                QVERIFY(part.block_bytes + part.result_bytes <= part.total_bytes + 4096);
            }
            if (!report.breaks.empty()) return;
            QCOMPARE(report.allocations, std::int64_t{0});
            const double predicted = static_cast<double>(report.planned_bytes);
            const double measured = static_cast<double>(report.planned_peak);
            QVERIFY2(std::abs(measured - predicted) <= 0.1 * predicted + 65536,
                     qPrintable(QString("predicted %1, measured %2").arg(predicted).arg(measured)));
        } catch (const Error& error) {
            QFAIL(error.what());
        }
    }

    // A mask is known to be one only when it runs: the plan splits there as compiling does.
    void planAndModeTellTheSame() {
        const std::string path = cache_.filePath("masked.py").toStdString();
        write_file_atomically(path,
                              "import torch\nfrom torch import nn\n\nclass Masked(nn.Module):\n    def forward(self, "
                              "x):\n        y = torch.relu(x) * 2\n"
                              "        chosen = y[x > 0.5]\n        return torch.tanh(y).sum() + chosen.sum()\n\nmodel "
                              "= Masked().eval()\nexample_inputs = (torch.ones(8, 4),)\n");
        Session session;
        session.open(path);
        session.wait_idle();
        MemoryPlanReport plan;
        session.ask("plan", MemoryPlanQuery{"inference", "forward"},
                    [&](MemoryPlanReport report) { plan = std::move(report); });
        session.wait_idle();
        CompileReport compiled;
        session.ask("compile", CompileQuery{{.mode = "reduce-overhead", .measure = false}},
                    [&](CompileReport report) { compiled = std::move(report); });
        session.wait_idle();
        QCOMPARE(plan.error, std::string());
        QCOMPARE(compiled.error, std::string());
        QStringList planned;
        QStringList broken;
        for (const GraphBreak& each : plan.breaks) planned << QString::fromStdString(each.line());
        for (const GraphBreak& each : compiled.breaks) broken << QString::fromStdString(each.line());
        QVERIFY2(broken.filter("aten::index").filter("mask").size() == 1, qPrintable(broken.join('|')));
        QCOMPARE(planned, broken);
        for (const PlannedPart& part : plan.parts)
            QVERIFY2(part.refusal.empty() && !part.steps.empty(), part.refusal.c_str());
        QCOMPARE(plan.parts.size(), std::size_t{2});
        // The break is a node of the graph that is shown.
        const GraphBreak& at = plan.breaks.front();
        QVERIFY(at.graph_node >= 0);
        QCOMPARE(plan.graph->nodes[static_cast<std::size_t>(at.graph_node)].kind, at.op);
    }

    // Compile, Kernels and Memory plan say the same of a model, whatever is chosen.
    void panelsTellTheSame_data() {
        QTest::addColumn<QString>("model");
        QTest::addColumn<bool>("backward");
        for (const char* model : {"digits.pt", "gpt.pt"}) {
            QTest::addRow("%s", model) << model << false;
            QTest::addRow("%s with backward", model) << model << true;
        }
    }
    void panelsTellTheSame() {
        QFETCH(QString, model);
        QFETCH(bool, backward);
        Session session;
        session.open(LOUPE_SOURCE_DIR "/resources/models/" + model.toStdString());
        session.wait_idle();
        for (const bool training : {false, true}) {
            RunOptions options;
            options.training = training;
            session.run(options);
            session.wait_idle();
            QCOMPARE(session.status().state, RunState::Finished);
            for (const char* mode : {"default", "reduce-overhead"}) {
                CompileReport compiled;
                session.ask("compile", CompileQuery{{.mode = mode, .backward = backward, .measure = false}},
                            [&](CompileReport report) { compiled = std::move(report); });
                session.wait_idle();
                QCOMPARE(compiled.error, std::string());
                const InForce& now = compiled.in_force;
                const bool plans = std::string(mode) != "default" && !backward && !training;
                QCOMPARE(now.not_planned.empty(), plans);
                QCOMPARE(now.planned_parts > 0, plans);
                const std::string line = now.line();
                QVERIFY2((line.find("not planned") == std::string::npos) == plans, line.c_str());
                FusedGroups kernels;
                FusedGroupsRequest request;
                request.pipeline = backward || training ? "train_fused" : "inference";
                request.measure = false;
                session.ask("kernels", FusedGroupsQuery{request},
                            [&](FusedGroups groups) { kernels = std::move(groups); });
                session.wait_idle();
                QCOMPARE(kernels.error, std::string());
                QVERIFY2((now.fusion_groups == 0) == kernels.groups.empty(), line.c_str());
                QCOMPARE(line.starts_with("no fusion groups"), kernels.groups.empty());
                if (!plans) continue;
                MemoryPlanReport plan;
                session.ask("plan", MemoryPlanQuery{"inference", "forward"},
                            [&](MemoryPlanReport report) { plan = std::move(report); });
                session.wait_idle();
                QCOMPARE(static_cast<int>(plan.parts.size()), now.planned_parts);
                QCOMPARE(static_cast<int>(plan.breaks.size()), now.graph_breaks);
            }
            for (const std::string& pipeline : list_pipelines()) {
                MemoryPlanReport plan;
                session.ask("plan", MemoryPlanQuery{pipeline, "forward"},
                            [&](MemoryPlanReport report) { plan = std::move(report); });
                session.wait_idle();
                // Freezing refuses a model in training mode.
                if (!plan.error.empty()) {
                    QVERIFY2(training && plan.parts.empty(), plan.error.c_str());
                    QCOMPARE(plan.line(), plan.error);
                    continue;
                }
                QCOMPARE(plan.pipeline, pipeline);  // it was answered
                QCOMPARE(plan.line().find("in force") == std::string::npos, !training || plan.parts.empty());
                QCOMPARE(plan.line().find("can be planned") == std::string::npos, !plan.parts.empty());
            }
        }
    }

    void aSessionGivesThePlan() {
        Session session;
        session.open(kModels + "resnet18.pt");
        session.wait_idle();
        RunOptions options;
        options.training = false;
        options.record_values = false;
        session.run(options);
        session.wait_idle();
        MemoryPlanReport report;
        session.ask("plan", MemoryPlanQuery{"inference", "forward"},
                    [&](MemoryPlanReport r) { report = std::move(r); });
        session.wait_idle();
        QCOMPARE(report.error, std::string());
        QCOMPARE(report.parts.size(), std::size_t{1});
        QVERIFY(!report.parts[0].steps.empty());
        const auto& steps = report.parts[0].steps;
        QVERIFY(std::any_of(steps.begin(), steps.end(), [](const PlannedStep& step) { return step.graph_node >= 0; }));
    }
};

QTEST_APPLESS_MAIN(TestCompileMode)
#include "test_compile_mode.moc"
