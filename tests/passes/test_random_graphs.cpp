// SPDX-License-Identifier: Apache-2.0
// What holds of every pass, on graphs drawn at random: numbers forward and backward stay what they were, the graph
// stays well formed, and a second run changes nothing.
#include <QtTest>

#include <algorithm>
#include <iterator>

#include "core/autograd/engine.h"
#include "core/autograd/variable.h"
#include "core/base/error.h"
#include "core/dispatch/functions.h"
#include "core/ir/parser.h"
#include "core/ir/verify.h"
#include "core/ops/random/random.h"
#include "core/ops/samples.h"
#include "core/passes/graph_tools.h"
#include "core/passes/pass_manager.h"
#include "core/runtime/interpreter/interpreter.h"
#include "tests/passes/random_graph.h"

using namespace loupe;
using namespace loupe::passes;

namespace {

constexpr std::uint32_t kGraphs = 80;

struct Run {
    std::vector<IValue> outputs;  // tuples taken apart
    TensorList grads;
};

void take_apart(const IValue& value, std::vector<IValue>& out) {
    if (!value.is_tuple()) return out.push_back(value);
    for (const IValue& element : value.to_tuple().elements) take_apart(element, out);
}

TensorList inputs(std::uint32_t seed) {
    Random random(seed);
    TensorList leaves{random_tensor(random, {4, 4}, ScalarType::Float64),
                      random_tensor(random, {4, 4}, ScalarType::Float64),
                      random_tensor(random, {4}, ScalarType::Float64)};
    for (const Tensor& leaf : leaves) set_requires_grad(leaf, true);
    return leaves;
}

Run run(const Ptr<ir::Graph>& graph, std::uint32_t seed) {
    const TensorList leaves = inputs(seed);
    std::vector<IValue> arguments(leaves.begin(), leaves.end());
    arguments.emplace_back(seed % 2 == 0);
    arguments.emplace_back(static_cast<std::int64_t>(3 + seed % 7));
    Run result;
    const auto code = runtime::Code::make(graph, "");
    for (const IValue& output : runtime::run_code(*code, arguments)) take_apart(output, result.outputs);
    TensorList roots;
    TensorList weights;
    for (const IValue& output : result.outputs) {
        if (!output.is_tensor() || !requires_grad(output.to_tensor())) continue;
        roots.push_back(output.to_tensor());
        weights.push_back(fn::cos(detach(output.to_tensor())));
    }
    if (!roots.empty()) result.grads = gradients_of(roots, leaves, weights, {}, true);
    return result;
}

double difference(const Tensor& a, const Tensor& b) {
    if (a.numel() != b.numel()) return 1e9;
    return item(fn::sum(fn::abs(fn::sub(a, b)))).to_double();
}

QString differs(const Run& a, const Run& b) {
    if (a.outputs.size() != b.outputs.size()) return "another number of results";
    for (std::size_t i = 0; i < a.outputs.size(); ++i) {
        if (a.outputs[i].is_tensor() != b.outputs[i].is_tensor()) return "a result of another kind";
        if (!a.outputs[i].is_tensor() && a.outputs[i].to_int() != b.outputs[i].to_int())
            return QString("number %1").arg(i);
        if (a.outputs[i].is_tensor() && !(difference(a.outputs[i].to_tensor(), b.outputs[i].to_tensor()) < 1e-9))
            return QString("result %1").arg(i);
    }
    if (a.grads.size() != b.grads.size()) return "another number of gradients";
    for (std::size_t i = 0; i < a.grads.size(); ++i) {
        if (a.grads[i].defined() != b.grads[i].defined()) return QString("gradient %1 is there in one only").arg(i);
        if (a.grads[i].defined() && !(difference(a.grads[i], b.grads[i]) < 1e-8)) return QString("gradient %1").arg(i);
    }
    return {};
}

// After the tensor that is made as the n-th, wherever that is; false when there are fewer.
bool guard_at(ir::Graph& graph, std::size_t n) {
    ir::Value* value = nullptr;
    std::size_t count = 0;
    for_each_node(graph.block(), [&](ir::Node* node) {
        for (ir::Value* output : node->outputs()) {
            if (output->type()->kind() == TypeKind::Tensor && count++ == n) value = output;
        }
    });
    if (value == nullptr) return false;
    auto never = make_ptr<TensorType>();
    never->dtype = ScalarType::Float16;
    ir::Node* guard = graph.create(ir::prim::Guard, {value})->insert_after(value->node());
    guard->output()->set_type(never);
    value->replace_all_uses_with(guard->output());
    guard->replace_input(0, value);
    return true;
}

}  // namespace

class TestRandomGraphs : public QObject {
    Q_OBJECT

  private:
    // Steps on every graph, as it is drawn and with what other passes make of it: shapes, notes of types, groups.
    // Returns how many graphs they changed.
    static int check(const std::string& steps, const std::string& again) {
        static constexpr const char* kBefore[] = {"",
                                                  "PropagateInputShapes",
                                                  "",
                                                  "PropagateInputShapes, InsertProfileNodes",
                                                  "",
                                                  "PropagateInputShapes, CreateAutodiffSubgraphs",
                                                  "PropagateInputShapes, FuseTensorExprs",
                                                  "PropagateInputShapes, InsertProfileNodes, InsertGuards"};
        int changed = 0;
        for (std::uint32_t seed = 0; seed < kGraphs; ++seed) {
            const test::RandomGraph drawn(seed);
            const auto before = ir::parse_graph(drawn.text());
            PassManager manager;
            PassContext context;
            for (const Tensor& leaf : inputs(seed)) context.input_types.push_back(ir::refined_type(leaf));
            const auto prepared = before->copy();
            auto after = prepared;
            const auto told = [&] {
                return QString("graph %1:\n%2\nbecomes\n%3")
                    .arg(seed)
                    .arg(QString::fromStdString(prepared->str()), QString::fromStdString(after->str()));
            };
            try {
                manager.run(*prepared, pipeline_of(kBefore[seed % std::size(kBefore)]), context);
                after = prepared->copy();
                const PassTrace first = manager.run(*after, pipeline_of(steps), context);
                changed += std::any_of(first.records.begin(), first.records.end(),
                                       [](const PassRecord& record) { return record.changed; });
                ir::verify(*after);
                const QString wrong = differs(run(before, seed), run(after, seed));
                if (!wrong.isEmpty()) QTest::qFail(qPrintable(wrong + " differs, " + told()), __FILE__, __LINE__);
                if (QTest::currentTestFailed()) return changed;
                if (again.empty()) continue;
                const PassTrace trace = manager.run(*after, pipeline_of(again), context);
                if (trace.records[0].changed) {
                    QTest::qFail(qPrintable("a second run changes " + told()), __FILE__, __LINE__);
                    return changed;
                }
            } catch (const Error& error) {
                QTest::qFail(qPrintable(QString(error.what()) + " in " + told()), __FILE__, __LINE__);
                return changed;
            }
        }
        return changed;
    }

  private slots:
    void graphsAreGood() {
        for (std::uint32_t seed = 0; seed < kGraphs; ++seed) {
            const test::RandomGraph drawn(seed);
            try {
                const auto graph = ir::parse_graph(drawn.text());
                ir::verify(*graph);
                QVERIFY(!run(graph, seed).outputs.empty());
            } catch (const Error& error) {
                QFAIL((error.what() + ("\n" + drawn.text())).c_str());
            }
        }
    }

    void passesKeepNumbers_data() {
        QTest::addColumn<QString>("pass");
        for (const Pass* pass : all_passes()) {
            const QString name = QString::fromUtf8(pass->name.data(), static_cast<qsizetype>(pass->name.size()));
            if (name != "FreezeAttributes") QTest::addRow("%s", qPrintable(name)) << name;
        }
    }
    void passesKeepNumbers() {
        QFETCH(QString, pass);
        const int changed = check(pass.toStdString(), pass.toStdString());
        // Those that want constants, a module, a file's version or what only the compiler makes have pages and models.
        static const QStringList kElsewhere = {"Inline",
                                               "ReplaceOldOperatorsWithUpgraders",
                                               "ConvertToSSA",
                                               "CanonicalizeModifiedLoops",
                                               "CheckInplace",
                                               "InlineForkWait",
                                               "FoldConvBatchnorm",
                                               "FoldConvAddOrSub",
                                               "FoldConvMulOrDiv",
                                               "FoldLinearBatchnorm",
                                               "FrozenConcatLinear",
                                               "FrozenLinearTranspose",
                                               "ConvertFrozenOpsToMKLDNN",
                                               "TransformConv1dToConv2d",
                                               "PeelProfilingLoops",
                                               "LowerGradOf",
                                               "FuseAttention",
                                               "SaveSlopes",
                                               "FuseLinearActivations",
                                               "FuseTrainedLinears",
                                               "FuseLinearGradients",
                                               "FuseFrozenConvAddRelu",
                                               "SplitNorms",
                                               "DecomposeFrozenBatchNorm",
                                               "SplitAppendedLists"};
        if (!QTest::currentTestFailed())
            QVERIFY2(changed > 0 || kElsewhere.contains(pass), qPrintable(QString("%1 graphs changed").arg(changed)));
    }

    // A guard that no value passes, at each place of each graph.
    void theRestRunsFromAnyPlace() {
        int places = 0;
        for (std::uint32_t seed = 0; seed < kGraphs; ++seed) {
            const auto before = ir::parse_graph(test::RandomGraph(seed).text());
            const Run expected = run(before, seed);
            for (std::size_t place = 0;; ++place) {
                const auto guarded = before->copy();
                if (!guard_at(*guarded, place)) break;
                ++places;
                const auto after = guarded->copy();
                PassManager().run(*after, pipeline_of("InsertBailOuts"));
                ir::verify(*after);
                const QString told =
                    QString("graph %1:\n%2\nbecomes\n%3")
                        .arg(seed)
                        .arg(QString::fromStdString(guarded->str()), QString::fromStdString(after->str()));
                try {
                    const QString wrong = differs(expected, run(after, seed));
                    QVERIFY2(wrong.isEmpty(), qPrintable(wrong + " differs, " + told));
                } catch (const Error& error) {
                    QFAIL(qPrintable(QString(error.what()) + " in " + told));
                }
            }
        }
        QVERIFY(places > 1000);
    }

    void pipelinesKeepNumbers_data() {
        QTest::addColumn<QString>("pipeline");
        for (const Pipeline& pipeline : named_pipelines()) {
            const QString steps = QString::fromStdString(steps_text(pipeline.steps));
            const bool needs_module =
                steps.contains("FreezeAttributes") || steps.contains("@freeze") || steps.contains("@inference");
            if (!needs_module) QTest::addRow("%s", pipeline.name.c_str()) << QString::fromStdString(pipeline.name);
        }
        QTest::addRow("groups in groups")
            << "CreateAutodiffSubgraphs, InlineAutodiffSubgraphs, FuseTensorExprs, PropagateInputShapes, Differentiate";
        QTest::addRow("without writes") << "LowerAllTuples, RemoveListMutation, RemoveTensorMutation, CSE, "
                                           "UnrollLoops, BatchMM, FuseLinear, CreateAutodiffSubgraphs";
    }
    void pipelinesKeepNumbers() {
        QFETCH(QString, pipeline);
        check(pipeline.toStdString(), {});
    }
};

QTEST_APPLESS_MAIN(TestRandomGraphs)
#include "test_random_graphs.moc"
