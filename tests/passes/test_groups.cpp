// SPDX-License-Identifier: Apache-2.0
// Shapes, groups and derivative graphs: what PyTorch knows of a graph, and gradients that are what they were.
#include <QtTest>

#include <cmath>

#include "core/autograd/engine.h"
#include "core/autograd/grad_mode.h"
#include "core/autograd/variable.h"
#include "core/base/error.h"
#include "core/dispatch/functions.h"
#include "core/ir/parser.h"
#include "core/ir/verify.h"
#include "core/ops/random/random.h"
#include "core/ops/samples.h"
#include "core/passes/differentiate.h"
#include "core/passes/fake_run.h"
#include "core/passes/pass_manager.h"
#include "core/runtime/interpreter/interpreter.h"
#include "tests/passes/canonical.h"

using namespace loupe;
using namespace loupe::passes;
using test::canonical;

namespace {

constexpr const char* kChain =
    R"(graph(%x : Float(2, 3, strides=[3, 1], requires_grad=1, device=cpu), %y : Float(3, strides=[1], requires_grad=1, device=cpu)):
  %one : int = prim::Constant[value=1]()
  %a : Tensor = aten::mul(%x, %y)
  %b : Tensor = aten::add(%a, %x, %one)
  %c : Tensor = aten::sigmoid(%b)
  %d : Tensor = aten::tanh(%c)
  %e : Tensor = aten::mul(%d, %y)
  return (%e)
)";

constexpr const char* kLayers = R"(graph(%x : Tensor, %w : Tensor, %b : Tensor, %n : Tensor):
  %one : int = prim::Constant[value=1]()
  %last : int = prim::Constant[value=-1]()
  %none : NoneType = prim::Constant()
  %four : int = prim::Constant[value=4]()
  %shape : int[] = prim::ListConstruct(%four)
  %eps : float = prim::Constant[value=1e-05]()
  %yes : bool = prim::Constant[value=1]()
  %h : Tensor = aten::linear(%x, %w, %b)
  %l : Tensor = aten::layer_norm(%h, %shape, %n, %b, %eps, %yes)
  %g : Tensor = aten::gelu(%l, %kind)
  %s : Tensor = aten::softmax(%g, %last, %none)
  %r : Tensor = aten::add(%s, %h, %one)
  return (%r, %g)
)";

Ptr<ir::Graph> parse(std::string text) {
    const std::string kind = "  %one : int = prim::Constant[value=1]()\n";
    if (text.find("%kind") != std::string::npos)
        text.insert(text.find(kind), "  %kind : str = prim::Constant[value=\"none\"]()\n");
    return ir::parse_graph(text);
}

Tensor drawn(std::initializer_list<std::int64_t> sizes) {
    static Random random(5);
    return random_tensor(random, sizes, ScalarType::Float64);
}

double largest_difference(const Tensor& a, const Tensor& b) {
    return item(fn::sum(fn::abs(fn::sub(a, b)))).to_double();
}

struct Run {
    TensorList outputs;
    TensorList grads;
    TensorList second;  // of the sum of squares of the first
};

// Outputs, gradients of a weighted sum of them, and gradients of those.
Run run(const Ptr<ir::Graph>& graph, const TensorList& inputs, bool twice) {
    Run result;
    TensorList leaves;
    std::vector<IValue> arguments;
    for (const Tensor& input : inputs) {
        const Tensor leaf = fn::clone(detach(input));
        set_requires_grad(leaf, true);
        leaves.push_back(leaf);
        arguments.emplace_back(leaf);
    }
    const auto code = runtime::Code::make(graph, "");
    TensorList weights;
    for (const IValue& output : runtime::run_code(*code, arguments)) result.outputs.push_back(output.to_tensor());
    for (const Tensor& output : result.outputs) weights.push_back(fn::cos(detach(output)));
    BackwardOptions options;
    options.create_graph = options.retain_graph = twice;
    result.grads = gradients_of(result.outputs, leaves, weights, options, true);
    if (!twice) return result;
    Tensor sum;
    for (const Tensor& grad : result.grads) {
        const Tensor part = fn::sum(fn::mul(grad, grad));
        sum = sum.defined() ? fn::add(sum, part) : part;
    }
    result.second = gradients_of({sum}, leaves, {}, {}, true);
    return result;
}

void compare(const TensorList& a, const TensorList& b) {
    QCOMPARE(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
        QCOMPARE(a[i].defined(), b[i].defined());
        if (a[i].defined()) QVERIFY2(largest_difference(a[i], b[i]) < 1e-10, qPrintable(QString::number(i)));
    }
}

QString text_of(const ir::Graph& graph) { return QString::fromStdString(canonical(graph.str())); }

}  // namespace

class TestGroups : public QObject {
    Q_OBJECT

  private slots:
    void knowsShapes() {
        const auto graph = ir::parse_graph(
            R"(graph(%x : Float(2, 3, strides=[3, 1]), %w : Float(5, 3, strides=[3, 1]), %b : Float(5, strides=[1])):
  %one : int = prim::Constant[value=1]()
  %y : Tensor = aten::linear(%x, %w, %b)
  %z : Tensor = aten::gt(%y, %one)
  %t : Tensor = aten::t(%y)
  %s : int[] = aten::size(%t)
  %f : Tensor = aten::reshape(%y, %s)
  return (%z, %t, %f)
)");
        PassManager().run(*graph, pipeline_of("PropagateInputShapes"));
        const QString text = QString::fromStdString(graph->str());
        QVERIFY2(text.contains("Float(2, 5, strides=[5, 1], device=cpu) = aten::linear"), qPrintable(text));
        QVERIFY2(text.contains("Bool(2, 5, strides=[5, 1], device=cpu) = aten::gt"), qPrintable(text));
        QVERIFY2(text.contains("Float(5, 2, strides=[1, 5], device=cpu) = aten::t"), qPrintable(text));
        QVERIFY2(text.contains("Float(5, 2, strides=[2, 1], device=cpu) = aten::reshape"), qPrintable(text));
    }

    // How many elements of a mask hold is not known before they are there.
    void masksHaveNoShape() {
        const auto graph = ir::parse_graph(
            R"(graph(%x : Float(2, 3), %m : Bool(2, 3)):
  %zero : int = prim::Constant[value=0]()
  %l : Tensor?[] = prim::ListConstruct(%m)
  %y : Tensor = aten::index(%x, %l)
  %n : int = aten::size(%y, %zero)
  return (%y, %n)
)");
        PassManager().run(*graph, pipeline_of("PropagateInputShapes, PeepholeOptimize, ConstantPropagation"));
        const QString text = QString::fromStdString(graph->str());
        QVERIFY2(text.contains("Tensor = aten::index"), qPrintable(text));
        QVERIFY2(text.contains("aten::size"), qPrintable(text));
    }

    // Every operator's samples, run on fakes: the results that there would be, or none.
    void fakesTellTheTruth() {
        const GradModeScope no_grad(false);
        const auto fake = [](const Tensor& t) {
            return t.defined() && t.is_host_memory() && t.impl()->sparse == nullptr
                       ? fake_tensor(t.sizes(), t.dtype(), t.strides())
                       : t;
        };
        int told = 0;
        QStringList wrong;
        for (const Operator* op : all_operators()) {
            const bool writes = op->written_arguments != 0 || op->written_elements != 0;
            if (op->variant != OperatorVariant::Functional || op->record->samples == nullptr || writes) continue;
            Random random;
            std::vector<Sample> samples;
            try {
                samples = op->record->samples(random, ScalarType::Float32);
            } catch (const Error&) {
                continue;
            }
            for (const Sample& sample : samples) {
                std::vector<IValue> fakes = sample.arguments;
                std::vector<IValue> real(op->result_count());
                std::optional<std::vector<IValue>> got;
                for (IValue& argument : fakes) {
                    if (argument.is_tensor()) {
                        argument = fake(argument.to_tensor());
                    } else if (argument.is_list()) {
                        auto list = make_ptr<ListObject>(argument.to_list().element_type, argument.to_list().elements);
                        for (IValue& element : list->elements)
                            if (element.is_tensor()) element = fake(element.to_tensor());
                        argument = std::move(list);
                    }
                }
                try {
                    call_operator(*op, sample.arguments, real.data());
                    got = run_on_fakes(*op, fakes);
                } catch (const Error&) {
                    continue;  // zeros may be no indices, no factors of a matrix
                }
                if (!got) continue;
                ++told;
                for (std::size_t i = 0; i < real.size(); ++i) {
                    if (!real[i].is_tensor() || !real[i].to_tensor().defined()) continue;
                    const Tensor is = real[i].to_tensor();
                    const Tensor says = (*got)[i].is_tensor() ? (*got)[i].to_tensor() : Tensor();
                    if (!says.defined() || says.dtype() != is.dtype() || !std::ranges::equal(says.sizes(), is.sizes()))
                        wrong << QString::fromStdString(op->full_name + " " + std::to_string(i));
                }
            }
        }
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join('\n')));
        QVERIFY2(told > 1000, qPrintable(QString::number(told)));
    }

    void namesUnknownSizes() {
        const auto graph =
            ir::parse_graph(R"(graph(%x : Float(SS(-2), 3), %y : Float(SS(-2), SS(-3)), %w : Float(5, 3)):
  %one : int = prim::Constant[value=1]()
  %none : NoneType = prim::Constant()
  %a : Tensor = aten::linear(%x, %w, %none)
  %l : Tensor[] = prim::ListConstruct(%a, %y)
  %b : Tensor = aten::cat(%l, %one)
  %c : Tensor = aten::t(%y)
  %d : Tensor = aten::mm(%c, %a)
  %n : int = aten::size(%d, %one)
  return (%b, %d, %n)
)");
        PassManager().run(*graph, pipeline_of("PropagateInputShapes, PeepholeOptimize"));
        const QString text = QString::fromStdString(graph->str());
        QVERIFY2(text.contains("Float(SS(-2), 5, device=cpu) = aten::linear"), qPrintable(text));
        QVERIFY2(text.contains("Float(SS(-2), SS(-4), device=cpu) = aten::cat"), qPrintable(text));
        QVERIFY2(text.contains("Float(SS(-3), 5, device=cpu) = aten::mm"), qPrintable(text));
        QVERIFY2(text.contains("value=5"), qPrintable(text));
        const QString again = QString::fromStdString(ir::parse_graph(text.toStdString())->str());
        QCOMPARE(again, text);
    }

    void groupsChains() {
        const auto graph = parse(kChain);
        PassManager().run(*graph, pipeline_of("FuseTensorExprs"));
        QCOMPARE(text_of(*graph), QString::fromStdString(
                                      canonical(R"(graph(%x : Float(2, 3, strides=[3, 1], requires_grad=1, device=cpu),
      %y : Float(3, strides=[1], requires_grad=1, device=cpu)):
  %e : Tensor = prim::TensorExprGroup_0(%x, %y)
  return (%e)
with prim::TensorExprGroup_0 = graph(%x : Float(2, 3, strides=[3, 1], requires_grad=1, device=cpu),
      %y : Float(3, strides=[1], requires_grad=1, device=cpu)):
  %one : int = prim::Constant[value=1]()
  %a : Tensor = aten::mul(%x, %y)
  %b : Tensor = aten::add(%a, %x, %one)
  %c : Tensor = aten::sigmoid(%b)
  %d : Tensor = aten::tanh(%c)
  %e : Tensor = aten::mul(%d, %y)
  return (%e)
)")));
    }

    void whatReadsAGroupStandsBehindIt() {
        const auto graph = ir::parse_graph(R"(graph(%x : Tensor, %w : Tensor):
  %a : Tensor = aten::relu(%x)
  %b : Tensor = aten::sigmoid(%a)
  %c : Tensor = aten::mm(%b, %w)
  %d : Tensor = aten::tanh(%x)
  %e : Tensor = aten::mul(%c, %d)
  %f : Tensor = aten::mul(%e, %b)
  return (%f)
)");
        PassManager manager;
        manager.run(*graph, pipeline_of("FuseTensorExprs"));
        ir::verify(*graph);
        QCOMPARE(count_nodes(*graph), std::size_t(3));
        QVERIFY(!manager.run(*graph, pipeline_of("FuseTensorExprs")).records[0].changed);
    }

    void leavesWhatIsWritten() {
        const auto graph = ir::parse_graph(R"(graph(%x : Tensor):
  %one : int = prim::Constant[value=1]()
  %a : Tensor = aten::relu(%x)
  %b : Tensor = aten::add_(%a, %one, %one)
  %c : Tensor = aten::sigmoid(%b)
  %d : Tensor = aten::tanh(%c)
  return (%d)
)");
        PassManager().run(*graph, pipeline_of("FuseTensorExprs"));
        QVERIFY(QString::fromStdString(graph->str()).contains("aten::add_"));
    }

    void derivativeGraphsHoldOperatorsDerivatives() {
        const auto graph = ir::parse_graph(R"(graph(%x : Tensor, %y : Tensor):
  %a : Tensor = aten::mul(%x, %y)
  %b : Tensor = aten::tanh(%a)
  return (%b)
)");
        const std::int64_t sizes[] = {2, 3};
        const Gradient gradient = differentiate(
            *graph, {fake_tensor(sizes, ScalarType::Float32), fake_tensor(sizes, ScalarType::Float32)}, {true, true});
        ir::verify(*gradient.f);
        ir::verify(*gradient.df);
        QCOMPARE(gradient.f_real_outputs, std::size_t(1));
        QCOMPARE(gradient.df_input_vjps, std::vector<std::int64_t>{0});
        QCOMPARE(gradient.df_output_vjps, (std::vector<std::int64_t>{0, 1}));
        QCOMPARE(gradient.df_input_captured_outputs, std::vector<std::int64_t>{0});
        const QString text = QString::fromStdString(gradient.df->str());
        QVERIFY2(text.contains("aten::tanh_backward") && text.count("aten::mul") == 2, qPrintable(text));
    }

    void keepsGradients_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<int>("kind");
        QTest::newRow("chain") << QString(kChain)
                                      .replace("Float(2, 3, strides=[3, 1], requires_grad=1, device=cpu)", "Tensor")
                                      .replace("Float(3, strides=[1], requires_grad=1, device=cpu)", "Tensor")
                               << 0;
        QTest::newRow("layers") << QString(kLayers) << 1;
    }
    void keepsGradients() {
        QFETCH(QString, text);
        QFETCH(int, kind);
        const TensorList inputs = kind == 0 ? TensorList{drawn({2, 3}), drawn({3})}
                                            : TensorList{drawn({2, 3}), drawn({4, 3}), drawn({4}), drawn({4})};
        for (const char* pass :
             {"CreateAutodiffSubgraphs", "FuseTensorExprs", "CreateAutodiffSubgraphs, InlineAutodiffSubgraphs"}) {
            const auto before = parse(text.toStdString());
            const auto after = before->copy();
            PassManager().run(*after, pipeline_of(pass));
            ir::verify(*after);
            for (const bool twice : {false, true}) {
                const Run expected = run(before, inputs, twice);
                const Run actual = run(after, inputs, twice);
                compare(actual.outputs, expected.outputs);
                compare(actual.grads, expected.grads);
                compare(actual.second, expected.second);
            }
        }
    }

    void backwardPassIsShown() {
        const auto graph = ir::parse_graph(
            R"(graph(%x : Float(2, 3, strides=[3, 1], requires_grad=1, device=cpu), %y : Float(2, 3, strides=[3, 1], requires_grad=1, device=cpu)):
  %a : Float(2, 3, strides=[3, 1], device=cpu) = aten::mul(%x, %y)
  %b : Float(2, 3, strides=[3, 1], device=cpu) = aten::tanh(%a)
  return (%b)
)");
        PassManager manager;
        manager.run(*graph, pipeline_of("CreateAutodiffSubgraphs, Differentiate"));
        const QString text = QString::fromStdString(graph->str());
        QVERIFY2(text.contains("with prim::DifferentiableGraph_0.ReverseSubgraph = graph("), qPrintable(text));
        QVERIFY2(text.contains("aten::tanh_backward"), qPrintable(text));
        QCOMPARE(QString::fromStdString(ir::parse_graph(text.toStdString())->str()), text);
        QVERIFY(!manager.run(*graph, pipeline_of("Differentiate")).records[0].changed);
    }

    void gradientsComeInAnyLayout() {
        const auto graph = ir::parse_graph(R"(graph(%x : Tensor, %w : Tensor):
  %two : int = prim::Constant[value=2]()
  %four : int = prim::Constant[value=4]()
  %one : int = prim::Constant[value=1]()
  %shape : int[] = prim::ListConstruct(%four, %two)
  %a : Tensor = aten::mm(%x, %w)
  %b : Tensor = aten::reshape(%a, %shape)
  %c : Tensor = aten::t(%b)
  return (%c)
)");
        const auto grouped = graph->copy();
        PassManager().run(*grouped, pipeline_of("CreateAutodiffSubgraphs"));
        const TensorList inputs{drawn({2, 3}), drawn({3, 4})};
        const Tensor weight = drawn({2, 4});  // contiguous, as the result is not
        TensorList found[2];
        for (const std::size_t i : {0U, 1U}) {
            TensorList leaves;
            std::vector<IValue> arguments;
            for (const Tensor& input : inputs) {
                leaves.push_back(fn::clone(input));
                set_requires_grad(leaves.back(), true);
                arguments.emplace_back(leaves.back());
            }
            const auto code = runtime::Code::make(i == 0 ? graph : grouped, "");
            found[i] = gradients_of({runtime::run_code(*code, arguments)[0].to_tensor()}, leaves, {weight});
        }
        compare(found[1], found[0]);
    }

    // Attention of heads that lie side by side: forward, backward and once more, against the operators one by one.
    void attentionIsOneOperator_data() {
        QTest::addColumn<QString>("scores");
        QTest::addColumn<QString>("joined");
        const char* kMasked =
            "  %n : Tensor = aten::bitwise_not(%m)\n  %b : Tensor = aten::masked_fill(%a, %n, %low)\n";
        const char* kScaled = "  %a : Tensor = aten::mul(%p, %half)\n";
        const char* kDivided = "  %a : Tensor = aten::div(%p, %three)\n  %b : Tensor = aten::mul(%a, %one)\n";
        QTest::addRow("mask") << QString(kScaled) + kMasked << "%r : Tensor = aten::transpose(%o, %one, %two)\n";
        QTest::addRow("heads apart") << QString(kScaled) + kMasked << "%r : Tensor = aten::mul(%o, %three)\n";
        QTest::addRow("no mask") << QString("  %b : Tensor = aten::div(%p, %three)\n")
                                 << "%r : Tensor = aten::transpose(%o, %one, %two)\n";
        QTest::addRow("plain") << QString("  %b : Tensor = aten::transpose(%p, %three, %three)\n")
                               << "%r : Tensor = aten::tanh(%o)\n";
        QTest::addRow("two numbers") << QString(kDivided) << "%r : Tensor = aten::tanh(%o)\n";
    }
    void attentionIsOneOperator() {
        QFETCH(QString, scores);
        QFETCH(QString, joined);
        const auto graph = ir::parse_graph(QString(R"(graph(%x : Tensor, %k : Tensor, %v : Tensor, %m : Tensor):
  %one : int = prim::Constant[value=1]()
  %two : int = prim::Constant[value=2]()
  %three : int = prim::Constant[value=3]()
  %last : int = prim::Constant[value=-1]()
  %half : float = prim::Constant[value=0.5]()
  %low : float = prim::Constant[value=-2.]()
  %none : NoneType = prim::Constant()
  %q : Tensor = aten::transpose(%x, %one, %two)
  %kh : Tensor = aten::transpose(%k, %one, %two)
  %vh : Tensor = aten::transpose(%v, %one, %two)
  %t : Tensor = aten::transpose(%kh, %two, %three)
  %p : Tensor = aten::matmul(%q, %t)
%1  %w : Tensor = aten::softmax(%b, %last, %none)
  %o : Tensor = aten::matmul(%w, %vh)
  %2  return (%r)
)")
                                               .arg(scores, joined)
                                               .toStdString());
        const auto grouped = graph->copy();
        PassManager().run(*grouped, pipeline_of("CreateAutodiffSubgraphs"));
        const TensorList inputs{drawn({2, 5, 3, 4}), drawn({2, 6, 3, 4}), drawn({2, 6, 3, 7})};
        const Tensor mask = fn::gt_scalar(drawn({3, 5, 6}), Scalar(0.0));
        TensorList found[2], again[2];
        for (const std::size_t i : {0U, 1U}) {
            TensorList leaves;
            std::vector<IValue> arguments;
            for (const Tensor& input : inputs) {
                leaves.push_back(fn::clone(input));
                set_requires_grad(leaves.back(), true);
                arguments.emplace_back(leaves.back());
            }
            arguments.emplace_back(mask);
            const auto code = runtime::Code::make(i == 0 ? graph : grouped, "");
            const Tensor result = runtime::run_code(*code, arguments)[0].to_tensor();
            const Tensor loss = fn::sum(fn::mul(result, result));
            BackwardOptions options;
            options.retain_graph = true;
            found[i] = gradients_of({loss}, leaves, {Tensor()}, options);
            found[i].push_back(result);
            options.create_graph = true;
            const TensorList first = gradients_of({loss}, leaves, {Tensor()}, options);
            again[i] = gradients_of({fn::sum(fn::mul(first[0], first[1].defined() ? fn::sum(first[1]) : first[0]))},
                                    leaves, {Tensor()});
        }
        compare(found[1], found[0]);
        compare(again[1], again[0]);
    }

    // A list of numbers is part of what a derivative graph holds for.
    void otherListsAreOtherGraphs() {
        const auto graph = ir::parse_graph(R"(graph(%x : Tensor, %y : Tensor, %shape : int[]):
  %a : Tensor = aten::mul(%x, %y)
  %b : Tensor = aten::view(%a, %shape)
  %c : Tensor = aten::tanh(%b)
  return (%c)
)");
        PassManager().run(*graph, pipeline_of("CreateAutodiffSubgraphs"));
        const auto code = runtime::Code::make(graph, "");
        for (const auto& [rows, columns] : {std::pair{2, 6}, std::pair{3, 4}, std::pair{2, 6}}) {
            const Tensor x = drawn({4, 3});
            set_requires_grad(x, true);
            const Tensor result =
                runtime::run_code(*code, {x, drawn({4, 3}), IValue(Dims{rows, columns})})[0].to_tensor();
            QCOMPARE(result.size(0), std::int64_t{rows});
            QCOMPARE(result.size(1), std::int64_t{columns});
            backward({fn::sum(result)});
            QVERIFY(grad_of(x).defined());
        }
    }

    // The graph of the profiling executor holds for the types that were seen; others take the fallback and get the
    // same.
    void guardsLeaveOthersToTheFallback() {
        const auto graph = ir::parse_graph(R"(graph(%x : Tensor, %y : Tensor):
  %one : int = prim::Constant[value=1]()
  %a : Tensor = aten::mul(%x, %y)
  %b : Tensor = aten::tanh(%a)
  %c : Tensor = aten::add(%b, %x, %one)
  return (%c)
)");
        const Tensor seen[] = {drawn({3, 4}), drawn({4})};
        for (const bool with_gradient : {true, false}) {
            set_requires_grad(seen[0], with_gradient);
            PassContext context;
            for (const Tensor& t : seen) context.input_types.push_back(ir::refined_type(t));
            const auto guarded = graph->copy();
            PassManager().run(*guarded, pipeline_of(with_gradient ? "profiled" : "profiled_no_grad"), context);
            const QString text = QString::fromStdString(guarded->str());
            QVERIFY2(
                text.contains(with_gradient
                                  ? "prim::RequiresGradCheck[types=[Tensor(requires_grad=1), Tensor(requires_grad=0)]]"
                                  : "prim::TypeCheck[types=[Double(3, 4"),
                qPrintable(text));
            QVERIFY2(text.contains("prim::FallbackGraph_1("), qPrintable(text));
            QVERIFY2(text.contains(with_gradient ? "prim::DifferentiableGraph_0(" : "prim::TensorExprGroup_0("),
                     qPrintable(text));
            const auto plain = runtime::Code::make(graph, "");
            const auto code = runtime::Code::make(guarded, "");
            for (const auto& [x, y] : {std::pair{seen[0], seen[1]}, std::pair{drawn({2, 5}), drawn({2, 1})},
                                       std::pair{fn::t(drawn({4, 3})), drawn({4})}}) {
                const Tensor expected = runtime::run_code(*plain, {x, y})[0].to_tensor();
                const Tensor actual = runtime::run_code(*code, {x, y})[0].to_tensor();
                QVERIFY(largest_difference(expected, actual) < 1e-12);
                QCOMPARE(requires_grad(actual), requires_grad(expected));
            }
        }
    }

    // What a pipeline made of the shapes that it saw holds for others too.
    void guardedGraphsTakeOtherShapes() {
        const auto graph = ir::parse_graph(R"(graph(%x : Tensor, %y : Tensor, %n : int):
  %no : bool = prim::Constant[value=0]()
  %yes : bool = prim::Constant[value=1]()
  %zero : int = prim::Constant[value=0]()
  %one : int = prim::Constant[value=1]()
  %w : Tensor = aten::mm(%x, %y)
  %a : Tensor = aten::mul(%w, %x)
  %z : Tensor = prim::Loop(%n, %yes, %a)
    block0(%i : int, %c : Tensor):
      %rows : int = aten::size(%c, %zero)
      %columns : int = aten::size(%c, %one)
      %shape : int[] = prim::ListConstruct(%rows, %columns)
      %big : Tensor = aten::expand(%x, %shape, %no)
      %d : Tensor = aten::mul(%big, %c)
      %e : Tensor = aten::add(%d, %rows, %columns)
      -> (%yes, %e)
  return (%z)
)");
        PassContext context;
        for (const auto& sizes : {std::initializer_list<std::int64_t>{4, 4}, {4, 4}})
            context.input_types.push_back(ir::refined_type(drawn(sizes)));
        context.input_types.push_back(nullptr);
        const auto guarded = graph->copy();
        PassManager().run(*guarded, pipeline_of("guarded"), context);
        QVERIFY2(guarded->str().find("prim::BailOut[index=0]") != std::string::npos, guarded->str().c_str());
        const auto plain = runtime::Code::make(graph, "");
        const auto code = runtime::Code::make(guarded, "");
        for (const std::int64_t size : {4, 3, 1}) {
            for (const std::int64_t rounds : {0, 3}) {
                const Tensor x = drawn({size, size});
                const Tensor y = drawn({size, size});
                const Tensor expected = runtime::run_code(*plain, {x, y, rounds})[0].to_tensor();
                QVERIFY(largest_difference(expected, runtime::run_code(*code, {x, y, rounds})[0].to_tensor()) < 1e-12);
            }
        }
    }

    void guardsSayWhatTheyWereMadeFor() {
        const auto graph = ir::parse_graph(R"(graph(%x : Tensor):
  %a : Float(2, 3, strides=[3, 1], requires_grad=0, device=cpu) = prim::Guard(%x)
  %b : Tensor = aten::tanh(%a)
  return (%b)
)");
        const auto code = runtime::Code::make(graph, "");
        QCOMPARE(runtime::run_code(*code, {zeros(std::array<std::int64_t, 2>{2, 3})}).size(), std::size_t(1));
        try {
            runtime::run_code(*code, {zeros(std::array<std::int64_t, 2>{2, 4})});
            QFAIL("took another shape");
        } catch (const Error& error) {
            QVERIFY2(std::string_view(error.what()).find("the graph was made for Float(2, 3") != std::string_view::npos,
                     error.what());
        }
    }

    // As the fuser before prim::TensorExprGroup wrote them.
    void groupsJoinTensors() {
        const auto graph = ir::parse_graph(R"(graph(%x : Tensor, %y : Tensor):
  %z : Tensor = prim::FusionGroup_0(%x, %y)
  return (%z)
with prim::FusionGroup_0 = graph(%a : Tensor, %b : Tensor):
  %c : Tensor = aten::tanh(%a)
  %d : Tensor, %e : Tensor = prim::ConstantChunk[chunks=2, dim=1](%b)
  %f : Tensor = aten::mul(%d, %e)
  %g : Tensor = prim::FusedConcat[dim=1](%c, %f, %a)
  return (%g)
)");
        const Tensor x = drawn({2, 3});
        const Tensor y = drawn({2, 4});
        const Tensor got = runtime::run_code(*runtime::Code::make(graph, ""), {x, y})[0].to_tensor();
        const TensorList halves = fn::chunk(y, 2, 1);
        const Tensor expected = fn::cat(TensorList{fn::tanh(x), fn::mul(halves[0], halves[1]), x}, 1);
        QVERIFY(largest_difference(got, expected) < 1e-12);
    }

    // Of another type only from a later round of a loop on: the rest of the rounds, of both loops, runs as it was.
    void aRunGoesOnWithTheGraphAsItWas() {
        const std::string text = R"(graph(%x : Tensor, %n : int, %flag : bool):
  %none : NoneType = prim::Constant()
  %yes : bool = prim::Constant[value=1]()
  %zero : int = prim::Constant[value=0]()
  %one : int = prim::Constant[value=1]()
  %ten : int = prim::Constant[value=10]()
  %y : Tensor, %total : int = prim::Loop(%n, %yes, %x, %zero)
    block0(%i : int, %a : Tensor, %t : int):
      %g : Double(2, 3, strides=[3, 1]) = prim::Guard(%a)
      %c : Tensor = prim::If(%flag)
        block0():
          %s : Tensor = aten::sin(%g)
          %m : Tensor = aten::mul(%s, %g)
          -> (%m)
        block1():
          %u : Tensor = aten::tanh(%g)
          -> (%u)
      %grown : bool = aten::gt(%i, %one)
      %d : Tensor = prim::If(%grown)
        block0():
          %l : Tensor[] = prim::ListConstruct(%c, %a)
          %k : Tensor = aten::cat(%l, %one)
          -> (%k)
        block1():
          -> (%c)
      %e : Tensor, %t2 : int = prim::Loop(%i, %yes, %d, %t)
        block0(%j : int, %f : Tensor, %t1 : int):
          %h : Double(2, 3, strides=[3, 1]) = prim::Guard(%f)
          %r : Tensor = aten::add(%h, %j, %one)
          %p : int = aten::mul(%i, %ten)
          %q : int = aten::add(%p, %j)
          %w : int = aten::add(%t1, %q)
          -> (%yes, %r, %w)
      %odd : bool = aten::ne(%i, %ten)
      -> (%odd, %e, %t2)
  %z : Tensor = aten::neg(%y)
  return (%z, %total)
)";
        std::string plain = text;
        for (const std::string type = "Double(2, 3, strides=[3, 1])"; plain.find(type) != std::string::npos;)
            plain.replace(plain.find(type), type.size(), "Tensor");
        const auto expected = runtime::Code::make(ir::parse_graph(plain), "");
        const auto graph = ir::parse_graph(text);
        PassManager().run(*graph, pipeline_of("InsertBailOuts"));
        ir::verify(*graph);
        const auto again = ir::parse_graph(graph->str());
        QCOMPARE(again->str(), graph->str());
        for (const auto& each : {graph, again}) {
            const auto code = runtime::Code::make(each, "");
            for (const std::int64_t rounds : {0, 1, 2, 3, 4, 6}) {
                for (const bool flag : {true, false}) {
                    for (const Tensor& x : {drawn({2, 3}), drawn({2, 4})}) {
                        const auto wanted = runtime::run_code(*expected, {x, rounds, flag});
                        const auto got = runtime::run_code(*code, {x, rounds, flag});
                        QVERIFY(wanted[0].to_tensor().is_same(got[0].to_tensor()) ||
                                largest_difference(wanted[0].to_tensor(), got[0].to_tensor()) < 1e-12);
                        QCOMPARE(got[1].to_int(), wanted[1].to_int());
                    }
                }
            }
        }
    }

    // The real part of one complex number lies where the number does, of the same sizes and strides.
    void viewsAsAnotherDtypeAreOthers() {
        const auto graph = ir::parse_graph(R"(graph(%x : Tensor, %c : Tensor):
  %a : Tensor = aten::mul(%c, %c)
  %b : Tensor = aten::real(%a)
  %d : Tensor = aten::mul(%x, %b)
  return (%d)
)");
        PassManager().run(*graph, pipeline_of("CreateAutodiffSubgraphs"));
        const Tensor x = drawn({2, 3});
        set_requires_grad(x, true);
        const Tensor c = scalar_tensor(Scalar(std::complex<double>(2, 1)), ScalarType::Complex128);
        const auto results = runtime::run_code(*runtime::Code::make(graph, ""), {x, c});
        QCOMPARE(results[0].to_tensor().dtype(), ScalarType::Float64);
        backward({fn::sum(results[0].to_tensor())});
        QCOMPARE(grad_of(x).data<double>()[0], 3.0);  // the real part of (2 + i)^2
    }

    void oneNodeStandsForAGroup() {
        const auto graph = parse(QString(kLayers).toStdString());
        PassManager().run(*graph, pipeline_of("CreateAutodiffSubgraphs"));
        const Tensor x = drawn({2, 3});
        set_requires_grad(x, true);
        const auto code = runtime::Code::make(graph, "");
        const auto results = runtime::run_code(*code, {x, drawn({4, 3}), drawn({4}), drawn({4})});
        QCOMPARE(QString::fromStdString(grad_fn(results[0].to_tensor())->name()), "DifferentiableGraphBackward");
        QCOMPARE(grad_fn(results[0].to_tensor()), grad_fn(results[1].to_tensor()));
        backward({fn::sum(results[0].to_tensor())});
        QVERIFY(grad_of(x).defined());
        QVERIFY_THROWS_EXCEPTION(Error, backward({fn::sum(results[1].to_tensor())}));
    }
};

QTEST_APPLESS_MAIN(TestGroups)
#include "test_groups.moc"
