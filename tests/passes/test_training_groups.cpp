// SPDX-License-Identifier: Apache-2.0
// Layers of a training step as users write them: with derivative graphs and fusion groups results and gradients are
// PyTorch's, and the groups are those that they should be.
#include <QtTest>

#include "core/autograd/engine.h"
#include "core/autograd/grad_mode.h"
#include "core/autograd/variable.h"
#include "core/ir/verify.h"
#include "core/ops/random/mersenne_twister.h"
#include "core/passes/pass_manager.h"
#include "core/plugin/plugin_loader.h"
#include "core/runtime/interpreter/interpreter.h"
#include "tests/runtime/fuser_checks.h"

using namespace loupe;
using namespace loupe::test;

namespace {

// The groups that ran, with what they ran on.
class Groups final : public FusionWatcher {
  public:
    struct Group {
        Ptr<const ir::Graph> graph;
        std::vector<IValue> inputs;
    };
    void on_group(const ir::Node&, const Ptr<const ir::Graph>& group, std::span<const IValue> inputs) override {
        groups.push_back({group, {inputs.begin(), inputs.end()}});
    }
    std::vector<Group> groups;
};

// One of training_groups.txt, which make_training_groups.py writes.
struct Case {
    std::string name;
    QStringList grouped;  // operators that stand in groups
    std::string text;
    TensorList inputs;
    Tensor gradient;
    Tensor output;
    TensorList grads;
    TensorList written;  // inputs without a gradient that were written to, as they are afterwards
};

struct Step {
    TensorList outputs;
    TensorList grads;
    TensorList written;
    std::vector<Groups::Group> groups;
};

// Forward, and backward from the gradient of the first result.
Step run_step(const Ptr<const Code>& code, const Case& c) {
    Step step;
    Groups groups;
    const FusionWatcherScope watching(&groups);
    TensorList leaves;
    std::vector<IValue> arguments;
    for (const Tensor& input : c.inputs) {
        const Tensor leaf = fn::clone(input);
        const bool has_gradient = leaves.size() < c.grads.size() && is_floating(leaf.dtype());
        set_requires_grad(leaf, has_gradient);
        if (has_gradient) leaves.push_back(leaf);
        arguments.emplace_back(leaf);
    }
    seed_generators(7);
    for (const IValue& output : run_code(*code, arguments)) step.outputs.push_back(output.to_tensor());
    step.grads = gradients_of({step.outputs[0]}, leaves, {c.gradient}, {}, true);
    step.groups = std::move(groups.groups);
    for (std::size_t i = 0; i < c.inputs.size(); ++i) {
        const Tensor now = arguments[i].to_tensor();
        if (!requires_grad(now) && !same_elements(now, c.inputs[i])) step.written.push_back(now);
    }
    return step;
}

void compare(const Tensor& got, const Tensor& want, const std::string& what) {
    QVERIFY2(got.defined(), what.c_str());
    const std::string problem = difference(got, want);
    QVERIFY2(problem.empty() || problem == "elements", concat(what, ": ", problem).c_str());
    const Tensor a = fn::contiguous(got, 0), b = fn::contiguous(want, 0);
    for (std::int64_t i = 0; i < a.numel(); ++i) {
        const double x = static_cast<double>(a.data<float>()[i]), y = static_cast<double>(b.data<float>()[i]);
        QVERIFY2(std::abs(x - y) <= 2e-6 + 1e-5 * std::abs(y),
                 concat(what, ": element ", i, ": ", x, " for ", y).c_str());
    }
}

// What every fuser makes of the groups that a step came to is what their operators give.
void check_groups(const std::vector<Groups::Group>& groups) {
    const GradModeScope no_grad(false);
    for (const Groups::Group& group : groups) {
        const Ptr<ir::Graph> graph = group.graph->copy();
        const std::vector<IValue> want = run_unfused(graph, group.inputs);
        for (const std::string& backend : backends()) {
            Fused fused;
            try {
                fused = run_fused(graph, group.inputs, backend);
            } catch (const Error& error) {
                if (error.kind() == ErrorKind::Unsupported && backend != "portable") continue;
                throw;
            }
            QVERIFY2(fused.reason.empty(), concat(backend, ": ", fused.reason, "\n", graph->str()).c_str());
            for (std::size_t i = 0; i < want.size(); ++i) {
                const std::string problem = near(fused.results[i].to_tensor(), want[i].to_tensor());
                QVERIFY2(problem.empty(), concat(backend, ": ", problem, "\n", graph->str()).c_str());
            }
        }
    }
}

// "float32 [2, 3] 0.5 1 ..."
Tensor parse_tensor(const QString& line) {
    const qsizetype open = line.indexOf('['), close = line.indexOf(']');
    Dims sizes;
    for (const QString& size : line.mid(open + 1, close - open - 1).split(',', Qt::SkipEmptyParts))
        sizes.push_back(size.toLongLong());
    std::vector<float> numbers;
    for (const QString& number : line.mid(close + 1).split(' ', Qt::SkipEmptyParts))
        numbers.push_back(number.toFloat());
    const Tensor flat =
        tensor_of(std::span<const float>(numbers), std::array{static_cast<std::int64_t>(numbers.size())});
    const Tensor shaped = fn::view(flat, sizes);
    return line.startsWith("int64") ? fn::to_dtype(shaped, static_cast<std::int64_t>(ScalarType::Int64)) : shaped;
}

std::vector<Case> read_cases() {
    QFile file(QString(LOUPE_SOURCE_DIR) + "/tests/passes/training_groups.txt");
    if (!file.open(QIODevice::ReadOnly)) return {};
    std::vector<Case> cases;
    for (const QString& text : QString::fromUtf8(file.readAll()).split("=== ", Qt::SkipEmptyParts)) {
        const QStringList parts = text.split("---\n");
        Case c;
        c.name = parts[0].section('\n', 0, 0).toStdString();
        c.grouped = parts[0].section('\n', 1, 1).split(' ', Qt::SkipEmptyParts);
        c.text = parts[0].section('\n', 2).toStdString();
        for (const QString& line : parts[1].split('\n', Qt::SkipEmptyParts)) c.inputs.push_back(parse_tensor(line));
        const QStringList results = parts[2].split('\n', Qt::SkipEmptyParts);
        c.gradient = parse_tensor(results[0]);
        c.output = parse_tensor(results[1]);
        for (const QString& line : results.mid(2)) c.grads.push_back(parse_tensor(line));
        for (const QString& line : parts[3].split('\n', Qt::SkipEmptyParts)) c.written.push_back(parse_tensor(line));
        cases.push_back(std::move(c));
    }
    return cases;
}

}  // namespace

class TestTrainingGroups : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase() {
        qputenv("XDG_CACHE_HOME", cache_.path().toLocal8Bit());
        plugins();
    }

    void steps_data() {
        QTest::addColumn<int>("index");
        cases_ = read_cases();
        QVERIFY(!cases_.empty());
        for (std::size_t i = 0; i < cases_.size(); ++i) QTest::newRow(cases_[i].name.c_str()) << static_cast<int>(i);
    }
    void steps() {
        QFETCH(int, index);
        const Case& c = cases_[static_cast<std::size_t>(index)];
        const auto graph = ir::parse_graph(c.text);
        for (const char* pass : {"", "CreateAutodiffSubgraphs"}) {
            const auto made = graph->copy();
            passes::PassManager().run(*made, passes::pipeline_of(pass));
            ir::verify(*made);
            const auto code = Code::make(made, "");
            for (int time = 0; time < 2; ++time) {  // the second time kernels run
                const Step step = run_step(code, c);
                compare(step.outputs[0], c.output, concat(pass, " output"));
                for (std::size_t i = 0; i < c.grads.size(); ++i)
                    compare(step.grads[i], c.grads[i], concat(pass, " gradient ", i));
                QCOMPARE(step.written.size(), c.written.size());
                for (std::size_t i = 0; i < c.written.size(); ++i)
                    compare(step.written[i], c.written[i], concat(pass, " input ", i));
                if (*pass == 0) continue;
                check_groups(step.groups);
                for (const QString& name : c.grouped) {
                    const std::string call = name.toStdString() + "(";
                    const bool is_there = std::any_of(step.groups.begin(), step.groups.end(), [&](const auto& group) {
                        return group.graph->str().find(call) != std::string::npos;
                    });
                    QVERIFY2(is_there, qPrintable(name));
                }
            }
        }
    }

    // The same masks, in gradients of gradients too, and the generator is where it was.
    void dropoutDrawsTheSame() {
        const auto graph = ir::parse_graph(
            "graph(%x : Tensor, %y : Tensor):\n  %one : int = prim::Constant[value=1]()\n  %half : float = "
            "prim::Constant[value=0.5]()\n"
            "  %yes : bool = prim::Constant[value=1]()\n  %a : Tensor = aten::dropout(%x, %half, %yes)\n  %f : Tensor "
            "= aten::feature_dropout(%y, %half, %yes)\n"
            "  %b : Tensor = aten::mul(%a, %a)\n  %c : Tensor = aten::dropout(%b, %half, %yes)\n  %d : Tensor = "
            "aten::mul(%c, %y)\n"
            "  %e : Tensor = aten::add(%d, %f, %one)\n  return (%e)\n");
        const auto fused = graph->copy();
        passes::PassManager().run(*fused, passes::pipeline_of("CreateAutodiffSubgraphs"));
        QVERIFY(fused->str().find("prim::DifferentiableGraph") != std::string::npos);
        Random random;
        const Tensor x = random_tensor(random, {6, 8}, ScalarType::Float64),
                     y = random_tensor(random, {6, 8}, ScalarType::Float64);
        const auto run = [&](const Ptr<const Code>& code) {
            const TensorList leaves{fn::clone(x), fn::clone(y)};
            for (const Tensor& leaf : leaves) set_requires_grad(leaf, true);
            seed_generators(11);
            const Tensor output = run_code(*code, {leaves[0], leaves[1]})[0].to_tensor();
            BackwardOptions options;
            options.create_graph = options.retain_graph = true;
            const TensorList grads = gradients_of({output}, leaves, {fn::cos(y)}, options, true);
            TensorList all{output, grads[0], grads[1]};
            const TensorList second = gradients_of({fn::sum(fn::mul(grads[0], grads[1]))}, leaves, {}, {}, true);
            all.insert(all.end(), second.begin(), second.end());
            all.push_back(tensor_of({default_generator().uniform_double()}, {1}));
            return all;
        };
        const auto plain = Code::make(graph, ""), code = Code::make(fused, "");
        const TensorList want = run(plain);
        for (int time = 0; time < 3; ++time) {
            const TensorList got = run(code);
            for (std::size_t i = 0; i < want.size(); ++i) {
                const std::string problem = near(detach(got[i]), detach(want[i]));
                QVERIFY2(problem.empty(), concat(i, ": ", problem).c_str());
            }
        }
    }

    // Once a step, in gradients of gradients too, though the layer runs again for them.
    void runningStatisticsMoveOnce() {
        const auto graph = ir::parse_graph(
            "graph(%x : Tensor, %w : Tensor, %b : Tensor, %m : Tensor, %v : Tensor):\n  %yes : bool = "
            "prim::Constant[value=1]()\n"
            "  %momentum : float = prim::Constant[value=0.1]()\n  %eps : float = prim::Constant[value=1e-05]()\n"
            "  %n : Tensor = aten::batch_norm(%x, %w, %b, %m, %v, %yes, %momentum, %eps, %yes)\n  %t : Tensor = "
            "aten::tanh(%n)\n"
            "  %r : Tensor = aten::mul(%t, %x)\n  return (%r)\n");
        const auto fused = graph->copy();
        passes::PassManager().run(*fused, passes::pipeline_of("CreateAutodiffSubgraphs"));
        QVERIFY(fused->str().find("prim::DifferentiableGraph") != std::string::npos);
        Random random;
        const auto draw = [&](const Dims& sizes) { return random_tensor(random, span_of(sizes), ScalarType::Float64); };
        const TensorList given{draw({2, 3, 9, 9}), draw({3}), draw({3})};
        const Tensor weights = draw({2, 3, 9, 9});
        const auto run = [&](const Ptr<const Code>& code) {
            TensorList leaves;
            for (const Tensor& t : given) leaves.push_back(fn::clone(t));
            for (const Tensor& leaf : leaves) set_requires_grad(leaf, true);
            const Tensor mean = zeros(std::array<std::int64_t, 1>{3}, ScalarType::Float64), var = fn::ones_like(mean);
            const Tensor output = run_code(*code, {leaves[0], leaves[1], leaves[2], mean, var})[0].to_tensor();
            BackwardOptions options;
            options.create_graph = options.retain_graph = true;
            TensorList all = gradients_of({output}, leaves, {weights}, options, true);
            const TensorList second = gradients_of({fn::sum(fn::mul(all[0], all[0]))}, leaves, {}, {}, true);
            all.insert(all.end(), {output, mean, var});
            all.insert(all.end(), second.begin(), second.end());
            return all;
        };
        const auto plain = Code::make(graph, ""), code = Code::make(fused, "");
        const TensorList want = run(plain);
        for (int time = 0; time < 3; ++time) {
            const TensorList got = run(code);
            for (std::size_t i = 0; i < want.size(); ++i) {
                QCOMPARE(got[i].defined(), want[i].defined());
                const std::string problem = want[i].defined() ? near(detach(got[i]), detach(want[i])) : "";
                QVERIFY2(problem.empty(), concat(i, ": ", problem).c_str());
            }
        }
    }

  private:
    std::vector<Case> cases_;
    QTemporaryDir cache_;
};

QTEST_GUILESS_MAIN(TestTrainingGroups)
#include "test_training_groups.moc"
