// SPDX-License-Identifier: Apache-2.0
// Layers and their activations as one call on a device: graphs before and after the passes, numbers and gradients of
// every form against the operators that they are made of, and what training really calls.

#include <QtTest>
#include <algorithm>

#include "core/autograd/engine.h"
#include "core/autograd/grad_mode.h"
#include "core/autograd/observer.h"
#include "core/autograd/variable.h"
#include "core/base/strings.h"
#include "core/dispatch/functions.h"
#include "core/ir/parser.h"
#include "core/model/inputs.h"
#include "core/model/program.h"
#include "core/ops/random/generator.h"
#include "core/ops/random/random.h"
#include "core/ops/samples.h"
#include "core/passes/differentiate.h"
#include "core/passes/fake_run.h"
#include "core/passes/pass_list.h"
#include "core/passes/pass_manager.h"
#include "core/plugin/plugin_loader.h"
#include "core/runtime/interpreter/interpreter.h"
#include "core/tensor/device_copy.h"
#include "tests/passes/canonical.h"

using namespace loupe;
using namespace loupe::passes;
using namespace loupe::session;
using test::canonical;

namespace {

constexpr Device kTest{DeviceType::PrivateUse1, 0};
const OperatorHandle<fn::TwoTensors> kLayer{"loupe::linear_activation"};
const OperatorHandle<> kActivationGradient{"loupe::activation_gradient"};
const OperatorHandle<fn::TwoTensors> kProductGradient{"loupe::product_activation_gradient"};
const OperatorHandle<fn::TwoTensors> kWeightGradient{"loupe::linear_weight_gradient"};

Tensor drawn(std::initializer_list<std::int64_t> sizes, ScalarType dtype = ScalarType::Float64) {
    static Random random(11);
    return random_tensor(random, sizes, dtype);
}
double distance(const Tensor& a, const Tensor& b) {
    const Tensor x = fn::to_dtype(on_host(a), static_cast<std::int64_t>(ScalarType::Float64));
    const Tensor y = fn::to_dtype(on_host(b), static_cast<std::int64_t>(ScalarType::Float64));
    if (!std::ranges::equal(x.sizes(), y.sizes())) return 1e9;
    return x.numel() == 0 ? 0 : item(fn::amax(fn::abs(fn::sub(x, y, Scalar(1))), Dims{}, false)).to_double();
}
Tensor activated(const Tensor& sum, const std::string& activation) {
    if (activation == "none") return sum;
    return activation == "relu" ? fn::relu(sum) : fn::gelu(sum, "tanh");
}

// Two layers, as a script has them: %place is the weights' device.
std::string layers(const char* place, const char* last = "relu(%a)") {
    return concat("graph(%x : Float(6, 3, strides=[3, 1], device=", place,
                  "), %w : Float(5, 3, strides=[3, 1], device=", place, "), %b : Float(5, strides=[1], device=", place,
                  ")):\n",
                  "  %tanh : str = prim::Constant[value=\"tanh\"]()\n"
                  "  %none : str = prim::Constant[value=\"none\"]()\n"
                  "  %a : Float(6, 5, strides=[5, 1], device=",
                  place, ") = aten::linear(%x, %w, %b)\n", "  %y : Float(6, 5, strides=[5, 1], device=", place,
                  ") = aten::", last, "\n  return (%y)\n");
}
Ptr<ir::Graph> after(const std::string& text, const char* steps) {
    auto graph = ir::parse_graph(text);
    PassManager manager;
    manager.run(*graph, pipeline_of(steps), {});
    return graph;
}
QString lines(const Ptr<ir::Graph>& graph) { return QString::fromStdString(canonical(graph->str())); }
std::size_t count_of(const ir::Graph& graph, const char* name) {
    const auto nodes = graph.nodes();
    return static_cast<std::size_t>(
        std::count_if(nodes.begin(), nodes.end(), [&](const ir::Node* node) { return node->is(name); }));
}

constexpr const char* kPlace = "test:0";

class Names : public ExecutionObserver {
  public:
    std::vector<std::string> seen;
    void before_operator(const OperatorCall& call) override {
        if (call.op != nullptr) seen.push_back(call.op->full_name);
    }
    std::size_t count(std::string_view name) const { return static_cast<std::size_t>(std::ranges::count(seen, name)); }
};

// x -> 5 relu -> 7 gelu -> 2; the inner layers with a bias, all rows of a batch of two.
constexpr const char* kNetwork =
    R"(graph(%x : Tensor, %w1 : Tensor, %b1 : Tensor, %w2 : Tensor, %b2 : Tensor, %w3 : Tensor, %b3 : Tensor):
  %tanh : str = prim::Constant[value="tanh"]()
  %a : Tensor = aten::linear(%x, %w1, %b1)
  %h : Tensor = aten::relu(%a)
  %c : Tensor = aten::linear(%h, %w2, %b2)
  %g : Tensor = aten::gelu(%c, %tanh)
  %y : Tensor = aten::linear(%g, %w3, %b3)
  return (%y)
)";

// A convolution as it is frozen: its weights are constants.
Ptr<ir::Graph> frozen_convolution(const std::string& behind, const TensorList& weights) {
    auto graph = ir::parse_graph(concat(R"(graph(%x : Tensor, %z : Tensor, %w : Tensor, %b : Tensor):
  %one : int = prim::Constant[value=1]()
  %half : float = prim::Constant[value=0.5]()
  %pair : int[] = prim::Constant[value=[1, 1]]()
  %c : Tensor = aten::conv2d(%x, %w, %b, %pair, %pair, %pair, %one)
)",
                                        behind, "  return (%y)\n"));
    const ir::InsertPointScope first(*graph, *graph->nodes().begin());
    for (const std::size_t i : {0U, 1U})
        graph->inputs()[i + 2]->replace_all_uses_with(graph->insert_constant(IValue(weights[i])));
    return graph;
}

}  // namespace

class TestDeviceLayers : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase() {
        const auto plugins = load_plugins_from(LOUPE_BINARY_DIR "/lib/test_plugins");
        QVERIFY(
            std::ranges::any_of(plugins, [](const PluginStatus& s) { return s.name == "test_device" && s.loaded; }));
    }

    // --- passes

    void fusesWhatTheDeviceTakes_data() {
        QTest::addColumn<QString>("last");
        QTest::addColumn<QString>("activation");
        QTest::newRow("relu") << "relu(%a)"
                              << "relu";
        QTest::newRow("gelu") << "gelu(%a, %tanh)"
                              << "gelu_tanh";
    }
    void fusesWhatTheDeviceTakes() {
        QFETCH(QString, last);
        QFETCH(QString, activation);
        const auto graph = after(layers(kPlace, last.toUtf8().constData()), "FuseLinearActivations");
        const auto wanted = ir::parse_graph(concat(
            "graph(%x : Float(6, 3, strides=[3, 1], device=", kPlace,
            "), %w : Float(5, 3, strides=[3, 1], device=", kPlace, "), %b : Float(5, strides=[1], device=", kPlace,
            ")):\n", "  %n : str = prim::Constant[value=\"", activation.toStdString(), "\"]()\n",
            "  %k : bool = prim::Constant[value=0]()\n", "  %y : Float(6, 5, strides=[5, 1], device=", kPlace,
            "), %aux : Tensor = loupe::linear_activation(%x, %w, %b, %n, %k)\n  return (%y)\n"));
        QCOMPARE(lines(graph), lines(wanted));
    }
    void leavesTheOthers_data() {
        QTest::addColumn<QString>("text");
        const auto row = [](const char* name, const std::string& text) {
            QTest::newRow(name) << QString::fromStdString(text);
        };
        row("on the CPU", layers("cpu"));
        row("the exact gelu", layers(kPlace, "gelu(%a, %none)"));
        row("another activation", layers(kPlace, "tanh(%a)"));
        QString seen = QString::fromStdString(layers(kPlace));
        row("a sum that others read", seen.replace("return (%y)", "return (%y, %a)").toStdString());
        QString whole = QString::fromStdString(layers(kPlace));
        row("a bias of unknown sizes",
            whole.replace(QString::fromStdString(concat("Float(5, strides=[1], device=", kPlace, ")")), "Tensor")
                .toStdString());
    }
    void leavesTheOthers() {
        QFETCH(QString, text);
        const auto graph = after(text.toStdString(), "FuseLinearActivations");
        QCOMPARE(count_of(*graph, "loupe::linear_activation"), std::size_t{0});
        QCOMPARE(lines(graph), lines(after(text.toStdString(), "DCE")));
    }

    // The backward graph of two layers: the product between them ends in the gradient of the first's activation and in
    // the sum of its bias, and the gradients of weight and bias are one call.
    void backwardIsAProductALayer() {
        std::string text = kNetwork;
        const auto graph = ir::parse_graph(text);
        const std::vector<IValue> inputs{drawn({6, 3}), drawn({5, 3}), drawn({5}), drawn({7, 5}),
                                         drawn({7}),    drawn({2, 7}), drawn({2})};
        PassContext context;
        for (const IValue& input : inputs) {
            const Tensor t = on_device(input.to_tensor(), kTest);
            context.input_types.push_back(ir::refined_type(t));
        }
        kPropagateInputShapes.run(*graph, context);
        kFuseTrainedLinears.run(*graph, {});
        QCOMPARE(count_of(*graph, "loupe::linear_activation"), std::size_t{3});
        QCOMPARE(count_of(*graph, "aten::linear"), std::size_t{0});
        Gradient gradient = differentiate(*graph, inputs, std::vector<bool>(7, true));
        QCOMPARE(count_of(*gradient.df, "loupe::activation_gradient"), std::size_t{2});
        kFuseLinearGradients.run(*gradient.df, {});
        QCOMPARE(count_of(*gradient.df, "loupe::activation_gradient"), std::size_t{0});
        QCOMPARE(count_of(*gradient.df, "loupe::product_activation_gradient"), std::size_t{2});
        QCOMPARE(count_of(*gradient.df, "loupe::linear_weight_gradient"), std::size_t{3});
        QCOMPARE(count_of(*gradient.df, "aten::mm"), std::size_t{1});  // the gradient of x
        QCOMPARE(count_of(*gradient.df, "aten::sum"), std::size_t{0});
        for (const ir::Node* node : gradient.df->nodes()) {
            if (!node->is("loupe::linear_weight_gradient")) continue;
            // Only the last layer's bias has no product behind it.
            const bool is_last = node->input(0)->node()->kind() == ir::prim::Param;
            QCOMPARE(ir::constant_of(node->input(2))->to_bool(), is_last);
        }
    }

    // --- numbers

    void everyFormIsWhatItIsMadeOf_data() {
        QTest::addColumn<QString>("activation");
        QTest::addColumn<bool>("has_bias");
        QTest::addColumn<bool>("is_batch");
        QTest::addColumn<int>("dtype");
        for (const char* activation : {"none", "relu", "gelu_tanh"}) {
            for (const bool has_bias : {true, false}) {
                for (const bool is_batch : {true, false}) {
                    for (const ScalarType dtype : {ScalarType::Float64, ScalarType::Float32, ScalarType::BFloat16}) {
                        QTest::addRow("%s%s%s %s", activation, has_bias ? " bias" : "", is_batch ? " batch" : "",
                                      std::string(dtype_name(dtype)).c_str())
                            << activation << has_bias << is_batch << static_cast<int>(dtype);
                    }
                }
            }
        }
    }
    void everyFormIsWhatItIsMadeOf() {
        QFETCH(QString, activation);
        QFETCH(bool, has_bias);
        QFETCH(bool, is_batch);
        QFETCH(int, dtype);
        const auto type = static_cast<ScalarType>(dtype);
        const std::string name = activation.toStdString();
        const double tolerance = type == ScalarType::Float64 ? 1e-12 : type == ScalarType::Float32 ? 1e-5 : 0.15;
        const Tensor x = is_batch ? drawn({2, 3, 4}, type) : drawn({6, 4}, type), w = drawn({130, 4}, type),
                     b = has_bias ? drawn({130}, type) : Tensor(),
                     grad = is_batch ? drawn({2, 3, 130}, type) : drawn({6, 130}, type);
        const Tensor sum = fn::linear(x, w, b), wanted = activated(sum, name);
        const Tensor slope = name == "none"   ? grad
                             : name == "relu" ? fn::threshold_backward(grad, sum, Scalar(0))
                                              : fn::gelu_backward(grad, sum, "tanh");
        Tensor auxes[2];
        for (const Device device : {Device{}, kTest}) {
            const auto there = [&](const Tensor& t) { return t.defined() ? on_device(t, device) : t; };
            const auto [y, aux] = kLayer(there(x), there(w), there(b), name, true);
            QVERIFY(distance(y, wanted) <= tolerance);
            auxes[device.is_cpu() ? 0 : 1] = on_host(aux);
            const auto [plain, nothing] = kLayer(there(x), there(w), there(b), name, false);
            QVERIFY(distance(plain, wanted) <= tolerance);
            QCOMPARE(nothing.numel(), std::int64_t{0});
            if (name == "none") continue;
            QVERIFY(distance(kActivationGradient(there(grad), aux, name), slope) <= tolerance);
            // Behind a product: the gradient of a layer of three.
            const Tensor first = drawn({6, 3}, type), second = drawn({3, 130}, type);
            const Tensor through = fn::mm(first, second);
            const Tensor rows = fn::reshape(sum, Dims{6, 130});
            const Tensor expected = name == "relu" ? fn::threshold_backward(through, rows, Scalar(0))
                                                   : fn::gelu_backward(through, rows, "tanh");
            for (const bool with_bias : {true, false}) {
                const auto [before, sums] = kProductGradient(there(first), there(second), aux, name, with_bias);
                QVERIFY(distance(before, expected) <= tolerance * 4);
                QCOMPARE(sums.numel(), std::int64_t{with_bias ? 130 : 0});
                if (with_bias) QVERIFY(distance(sums, fn::sum_dim(expected, Dims{0}, false)) <= tolerance * 8);
            }
        }
        // What is kept is the same wherever it was made, so far as a gradient reads it.
        if (name != "none" && type == ScalarType::Float64) {
            QVERIFY(std::ranges::equal(auxes[0].sizes(), auxes[1].sizes()));
            QVERIFY(distance(auxes[0], auxes[1]) <= 1e-13);
        }
        const Tensor g = drawn({6, 5}, type), in = drawn({6, 4}, type);
        const auto [of_weight, of_bias] = kWeightGradient(on_device(g, kTest), on_device(in, kTest), true);
        QVERIFY(distance(of_weight, fn::mm(fn::t(g), in)) <= tolerance * 4);
        QVERIFY(distance(of_bias, fn::sum_dim(g, Dims{0}, false)) <= tolerance * 4);
    }

    // First and second derivatives, whether what the gradient reads was kept or not.
    void gradientsAreThoseOfTheOperators_data() { everyFormIsWhatItIsMadeOf_data(); }
    void gradientsAreThoseOfTheOperators() {
        QFETCH(QString, activation);
        QFETCH(bool, has_bias);
        QFETCH(bool, is_batch);
        QFETCH(int, dtype);
        if (static_cast<ScalarType>(dtype) != ScalarType::Float64) return;
        const std::string name = activation.toStdString();
        const TensorList values{is_batch ? drawn({2, 3, 4}) : drawn({6, 4}), drawn({5, 4}),
                                has_bias ? drawn({5}) : Tensor()};
        using Function = std::function<Tensor(const TensorList&)>;
        const auto gradients = [&](Device device, const Function& function) {
            TensorList leaves, all;
            for (const Tensor& value : values) {
                all.push_back(value.defined() ? on_device(fn::clone(value), device) : value);
                if (!value.defined()) continue;
                set_requires_grad(all.back(), true);
                leaves.push_back(all.back());
            }
            const Tensor y = function(all);
            TensorList found = gradients_of({fn::sum(fn::mul(y, y))}, leaves, {}, {.retain_graph = true}, true);
            const TensorList once =
                gradients_of({fn::sum(fn::mul(y, y))}, leaves, {}, {.retain_graph = true, .create_graph = true}, true);
            Tensor squares;
            for (const Tensor& grad : once) {
                const Tensor part = fn::sum(fn::mul(grad, grad));
                squares = squares.defined() ? fn::add(squares, part, Scalar(1)) : part;
            }
            for (const Tensor& second : gradients_of({squares}, leaves, {}, {}, true)) found.push_back(second);
            return found;
        };
        const TensorList wanted =
            gradients(Device{}, [&](const TensorList& in) { return activated(fn::linear(in[0], in[1], in[2]), name); });
        for (const Device device : {Device{}, kTest}) {
            for (const bool keeps : {true, false}) {
                const TensorList found = gradients(device, [&](const TensorList& in) {
                    return std::get<0>(kLayer(in[0], in[1], in[2], name, keeps));
                });
                QCOMPARE(found.size(), wanted.size());
                for (std::size_t i = 0; i < found.size(); ++i) QVERIFY(distance(found[i], wanted[i]) <= 1e-9);
            }
        }
    }

    // --- convolutions

    void frozenConvolutionsEndInRelu_data() {
        QTest::addColumn<QString>("behind");
        QTest::addColumn<QString>("fused");
        QTest::newRow("relu") << "  %y : Tensor = aten::relu(%c)\n"
                              << "aten::cudnn_convolution_relu";
        QTest::newRow("sum") << "  %s : Tensor = aten::add(%c, %z, %half)\n  %y : Tensor = aten::relu(%s)\n"
                             << "aten::cudnn_convolution_add_relu";
        QTest::newRow("second summand") << "  %s : Tensor = aten::add(%z, %c, %one)\n  %y : Tensor = aten::relu(%s)\n"
                                        << "aten::cudnn_convolution_add_relu";
        QTest::newRow("scaled") << "  %s : Tensor = aten::add(%z, %c, %half)\n  %y : Tensor = aten::relu(%s)\n"
                                << "";
        QTest::newRow("another activation") << "  %y : Tensor = aten::sigmoid(%c)\n"
                                            << "";
    }
    void frozenConvolutionsEndInRelu() {
        QFETCH(QString, behind);
        QFETCH(QString, fused);
        const Tensor x = drawn({2, 3, 6, 5}), z = drawn({2, 4, 6, 5}), w = drawn({4, 3, 3, 3}), b = drawn({4});
        const auto run = [](const Ptr<ir::Graph>& graph, const TensorList& inputs) {
            std::vector<IValue> all(inputs.begin(), inputs.end());
            return runtime::run_code(*runtime::Code::make(graph, ""), all)[0].to_tensor();
        };
        const auto on = [](const TensorList& tensors, Device device) {
            TensorList there;
            for (const Tensor& t : tensors) there.push_back(on_device(t, device));
            return there;
        };
        PassManager manager;
        const auto here = frozen_convolution(behind.toStdString(), {w, b});
        manager.run(*here, pipeline_of("FuseFrozenConvAddRelu"), {});
        QCOMPARE(count_of(*here, "aten::conv2d"), std::size_t{1});  // not on the CPU
        const auto there = frozen_convolution(behind.toStdString(), on({w, b}, kTest));
        manager.run(*there, pipeline_of("FuseFrozenConvAddRelu"), {});
        QCOMPARE(count_of(*there, "aten::conv2d"), std::size_t{fused.isEmpty() ? 1U : 0U});
        if (!fused.isEmpty()) QCOMPARE(count_of(*there, fused.toUtf8().constData()), std::size_t{1});
        // Also of one image without a batch.
        for (const bool is_batch : {true, false}) {
            const TensorList in{is_batch ? x : fn::select(x, std::int64_t{0}, std::int64_t{1}),
                                is_batch ? z : fn::select(z, std::int64_t{0}, std::int64_t{1}), w, b};
            QVERIFY(distance(run(there, on(in, kTest)), run(here, in)) <= 1e-12);
        }
    }
    void theirGradientsAreThoseOfTheOperators() {
        const OperatorHandle<> relu{"aten::cudnn_convolution_relu"}, sum{"aten::cudnn_convolution_add_relu"};
        const TensorList values{drawn({2, 4, 6, 5}), drawn({6, 2, 3, 3}), drawn({6}), drawn({2, 6, 3, 3})};
        const Dims stride{2, 2}, padding{1, 1}, dilation{1, 1};
        const auto gradients = [&](bool is_fused, bool adds) {
            TensorList leaves;
            for (const Tensor& value : values) {
                leaves.push_back(fn::clone(value));
                set_requires_grad(leaves.back(), true);
            }
            Tensor y;
            if (is_fused && adds)
                y = sum(leaves[0], leaves[1], leaves[3], Scalar(0.5), leaves[2], stride, padding, dilation, 2);
            else if (is_fused)
                y = relu(leaves[0], leaves[1], leaves[2], stride, padding, dilation, 2);
            else {
                y = fn::convolution(leaves[0], leaves[1], leaves[2], stride, padding, dilation, false, Dims{0, 0}, 2);
                y = fn::relu(adds ? fn::add(y, leaves[3], Scalar(0.5)) : y);
            }
            TensorList found = gradients_of({fn::sum(fn::mul(y, y))}, leaves, {}, {}, true);
            found.push_back(detach(y));
            return found;
        };
        for (const bool adds : {false, true}) {
            const TensorList wanted = gradients(false, adds), found = gradients(true, adds);
            for (std::size_t i = 0; i < found.size(); ++i) {
                QCOMPARE(found[i].defined(), wanted[i].defined());
                if (found[i].defined()) QVERIFY(distance(found[i], wanted[i]) <= 1e-10);
            }
        }
    }

    // --- models

    // A shipped model as its pipelines make it: what is called there, and that the numbers stay.
    void pipelinesOfAModel_data() {
        QTest::addColumn<QString>("pipeline");
        QTest::addColumn<bool>("trains");
        QTest::addColumn<QString>("called");
        QTest::newRow("inference") << "inference" << false << "aten::cudnn_convolution_relu";
        QTest::newRow("train_fused") << "train_fused" << true
                                     << "loupe::linear_activation loupe::linear_weight_gradient";
    }
    void pipelinesOfAModel() {
        QFETCH(QString, pipeline);
        QFETCH(bool, trains);
        QFETCH(QString, called);
        TensorList outputs[2], grads[2];
        Names names;
        for (const Device device : {Device{}, kTest}) {
            const std::size_t at = device.is_cpu() ? 0 : 1;
            const auto program = Program::open(std::string(LOUPE_SOURCE_DIR) + "/resources/models/digits.pt");
            program->to(device);
            InputSpec spec;
            spec.shape = {3, 1, 8, 8};
            seed_generators(2);
            const auto arguments = program->make_arguments({spec}, "forward");
            const GradModeScope grad(trains);
            const PreparedMethod method(program, "forward", device.is_cpu() ? "none" : pipeline.toStdString());
            const ObserverScope watched(device.is_cpu() ? nullptr : &names);
            outputs[at] = {flatten_tensors(method.forward(arguments)).front()};
            if (trains) backward({fn::sum(fn::mul(outputs[at][0], outputs[at][0]))}, {});
            for (const auto& [name, parameter] : program->module().named_parameters())
                grads[at].push_back(trains ? grad_of(parameter) : parameter);
        }
        QVERIFY(distance(outputs[1][0], outputs[0][0]) <= 1e-5);
        for (std::size_t i = 0; trains && i < grads[0].size(); ++i) QVERIFY(distance(grads[1][i], grads[0][i]) <= 1e-4);
        for (const QString& name : called.split(' ')) QVERIFY2(names.count(name.toStdString()) > 0, qPrintable(name));
    }

    // --- a network

    void trainingCallsThem() {
        const TensorList values{drawn({2, 3, 3}), drawn({5, 3}), drawn({5}), drawn({7, 5}),
                                drawn({7}),       drawn({2, 7}), drawn({2})};
        TensorList outputs[2], grads[2];
        Names names;
        for (const Device device : {Device{}, kTest}) {
            const std::size_t at = device.is_cpu() ? 0 : 1;
            TensorList leaves;
            std::vector<IValue> arguments;
            for (const Tensor& value : values) {
                leaves.push_back(on_device(fn::clone(value), device));
                set_requires_grad(leaves.back(), true);
                arguments.emplace_back(leaves.back());
            }
            const auto graph = after(kNetwork, "CreateAutodiffSubgraphs");
            const auto code = runtime::Code::make(graph, "");
            const ObserverScope watched(device.is_cpu() ? nullptr : &names);
            outputs[at] = {runtime::run_code(*code, arguments)[0].to_tensor()};
            grads[at] = gradients_of({fn::sum(fn::mul(outputs[at][0], outputs[at][0]))}, leaves, {}, {}, true);
        }
        QVERIFY(distance(outputs[1][0], outputs[0][0]) <= 1e-12);
        for (std::size_t i = 0; i < values.size(); ++i) QVERIFY(distance(grads[1][i], grads[0][i]) <= 1e-10);
        // What was called is what is seen.
        QCOMPARE(names.count("loupe::linear_activation"), std::size_t{3});
        QCOMPARE(names.count("loupe::product_activation_gradient"), std::size_t{2});
        QCOMPARE(names.count("loupe::linear_weight_gradient"), std::size_t{3});
        QCOMPARE(names.count("aten::linear") + names.count("aten::relu") + names.count("aten::gelu"), std::size_t{0});
    }
};

QTEST_GUILESS_MAIN(TestDeviceLayers)
#include "test_device_layers.moc"
