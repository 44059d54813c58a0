// SPDX-License-Identifier: Apache-2.0
// Linear layers by cublasLt, on the simulated GPU: which epilogue each is asked for, numbers against the operators that
// they are made of, and what happens where the library has no way.

#include <QtTest>

#include "core/autograd/engine.h"
#include "core/autograd/variable.h"
#include "core/base/strings.h"
#include "core/ir/parser.h"
#include "core/passes/pass_manager.h"
#include "core/plugin/plugin_loader.h"
#include "core/runtime/interpreter/interpreter.h"
#include "plugins/cuda/products/epilogues.h"
#include "tests/plugins/cuda/library_support.h"
#include "tests/plugins/cuda/stub/stub_gpu.h"

using namespace loupe;
using namespace loupe::test;
using loupe::cuda::Epilogue;

namespace {

const OperatorHandle<fn::TwoTensors> kLayer{"loupe::linear_activation"};
const OperatorHandle<fn::TwoTensors> kProductGradient{"loupe::product_activation_gradient"};
const OperatorHandle<fn::TwoTensors> kWeightGradient{"loupe::linear_weight_gradient"};
const OperatorHandle<> kAddmmActivation{"aten::_addmm_activation"};

std::vector<int> asked() { return stub_gpu::library_calls("cublasLtMatmul"); }
int number(Epilogue epilogue) { return static_cast<int>(epilogue); }

Tensor activated(const Tensor& sum, const std::string& activation) {
    if (activation == "none") return sum;
    return activation == "relu" ? fn::relu(sum) : fn::gelu(sum, "tanh");
}

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

}  // namespace

class TestStubLibraries : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase() {
        const PluginStatus status = load_plugin(LOUPE_STUB_CUDA, true);
        QVERIFY2(status.loaded, status.reason.c_str());
    }
    void init() {
        stub_gpu::mend();
        stub_gpu::clear_counts();
    }

    void layersAreOneProduct_data() {
        QTest::addColumn<QString>("activation");
        QTest::addColumn<bool>("has_bias");
        QTest::addColumn<bool>("keeps");
        QTest::addColumn<int>("epilogue");
        const auto row = [](const char* activation, bool has_bias, bool keeps, Epilogue epilogue) {
            QTest::addRow("%s%s%s", activation, has_bias ? " bias" : "", keeps ? " kept" : "")
                << activation << has_bias << keeps << number(epilogue);
        };
        row("none", true, false, Epilogue::Bias);
        row("relu", false, false, Epilogue::Relu);
        row("relu", true, false, Epilogue::ReluBias);
        row("relu", false, true, Epilogue::ReluAux);
        row("relu", true, true, Epilogue::ReluAuxBias);
        row("gelu_tanh", false, false, Epilogue::Gelu);
        row("gelu_tanh", true, false, Epilogue::GeluBias);
        row("gelu_tanh", false, true, Epilogue::GeluAux);
        row("gelu_tanh", true, true, Epilogue::GeluAuxBias);
    }
    void layersAreOneProduct() {
        QFETCH(QString, activation);
        QFETCH(bool, has_bias);
        QFETCH(bool, keeps);
        QFETCH(int, epilogue);
        const std::string name = activation.toStdString();
        for (const ScalarType dtype : {ScalarType::Float32, ScalarType::Float64, ScalarType::Float16}) {
            const double tolerance = dtype == ScalarType::Float64 ? 1e-12 : dtype == ScalarType::Float32 ? 1e-5 : 2e-2;
            // A batch, and an input of which no stride is 1.
            const TensorList inputs{drawn({2, 3, 4}, dtype), fn::slice(fn::t(drawn({8, 6}, dtype)), 1, 0, 8, 2)};
            const Tensor w = drawn({130, 4}, dtype), b = has_bias ? drawn({130}, dtype) : Tensor(),
                         first = drawn({6, 3}, dtype), second = drawn({3, 130}, dtype);
            for (const Tensor& x : inputs) {
                const Tensor sum = fn::linear(x, w, b);
                for (const bool has_way : {true, false}) {
                    stub_gpu::clear_counts();
                    if (!has_way) stub_gpu::fail_library("cublasLtMatmul", 15, 0, 2);
                    const auto [y, aux] = kLayer(there(x), there(w), there(b), name, keeps);
                    QCOMPARE(asked().front(), epilogue);
                    QVERIFY(distance(y, activated(sum, name)) <= tolerance);
                    if (!keeps) {
                        stub_gpu::mend();
                        continue;
                    }
                    const auto [before, sums] = kProductGradient(there(first), there(second), aux, name, true);
                    const Tensor through = fn::mm(first, second), rows = fn::reshape(sum, Dims{6, 130});
                    const Tensor wanted = name == "relu" ? fn::threshold_backward(through, rows, Scalar(0))
                                                         : fn::gelu_backward(through, rows, "tanh");
                    QVERIFY(distance(before, wanted) <= tolerance * 4);
                    QVERIFY(distance(sums, fn::sum_dim(wanted, Dims{0}, false)) <= tolerance * 8);
                    QCOMPARE(asked().size(), has_way ? std::size_t{2} : asked().size());
                    if (has_way)
                        QCOMPARE(asked().back(),
                                 number(name == "relu" ? Epilogue::DReluBiasGradient : Epilogue::DGeluBiasGradient));
                    stub_gpu::mend();
                }
            }
        }
    }

    void gradientsOfWeightAndBiasAreOneProduct() {
        const Tensor grad = drawn({6, 5}), x = drawn({6, 4});
        const auto [weight, bias] = kWeightGradient(there(grad), there(x), true);
        QCOMPARE(asked(), std::vector<int>{number(Epilogue::BiasGradientOfB)});
        QVERIFY(distance(weight, fn::mm(fn::t(grad), x)) <= 1e-5);
        QVERIFY(distance(bias, fn::sum_dim(grad, Dims{0}, false)) <= 1e-5);
    }

    // PyTorch's operator: its relu is the library's, its gelu the exact one.
    void addmmWithAnActivation() {
        const Tensor b = drawn({5}), x = drawn({6, 4}), w = drawn({4, 5});
        for (const bool use_gelu : {false, true}) {
            stub_gpu::clear_counts();
            const Tensor wanted = kAddmmActivation(b, x, w, Scalar(1), Scalar(1), use_gelu);
            const Tensor found = kAddmmActivation(there(b), there(x), there(w), Scalar(1), Scalar(1), use_gelu);
            QVERIFY(distance(found, wanted) <= 1e-5);
            QCOMPARE(asked(), std::vector<int>{number(use_gelu ? Epilogue::Bias : Epilogue::ReluBias)});
        }
    }

    void theySayWhyNot() {
        const auto why = [](const Tensor& x, const Tensor& w, const Tensor& b) {
            return first_choice("loupe::linear_activation",
                                {there(x), there(w), there(b), IValue("relu"), IValue(true)});
        };
        QCOMPARE(why(drawn({6, 4}), drawn({5, 4}), drawn({5})), std::string("cublasLt: runs"));
        const std::string vector = "cublasLt: declined, one row or one column: cuBLAS's product of a vector is faster";
        QCOMPARE(why(drawn({1, 4}), drawn({5, 4}), drawn({5})), vector);
        QCOMPARE(why(drawn({6, 4}), drawn({1, 4}), drawn({1})), vector);
        QCOMPARE(why(drawn({0, 4}), drawn({5, 4}), drawn({5})), std::string("cublasLt: declined, no elements"));
    }

    // Forward three products, backward five: not one activation, nor a sum of a bias, by itself.
    void aNetworkIsTrainedInProducts() {
        const TensorList values{drawn({6, 3}), drawn({5, 3}), drawn({5}), drawn({7, 5}),
                                drawn({7}),    drawn({2, 7}), drawn({2})};
        TensorList grads[2];
        for (const Device device : {Device{}, kGpu}) {
            TensorList leaves;
            std::vector<IValue> arguments;
            for (const Tensor& value : values) {
                leaves.push_back(on_device(fn::clone(value), device));
                set_requires_grad(leaves.back(), true);
                arguments.emplace_back(leaves.back());
            }
            const auto graph = ir::parse_graph(kNetwork);
            passes::PassManager manager;
            manager.run(*graph, passes::pipeline_of("CreateAutodiffSubgraphs"), {});
            stub_gpu::clear_counts();
            const Tensor y = runtime::run_code(*runtime::Code::make(graph, ""), arguments)[0].to_tensor();
            grads[device.is_cpu() ? 0 : 1] = gradients_of({fn::sum(fn::mul(y, y))}, leaves, {}, {}, true);
        }
        for (std::size_t i = 0; i < values.size(); ++i) QVERIFY(distance(grads[1][i], grads[0][i]) <= 2e-4);
        // Of each layer, from the last on: the gradients of weight and bias, then what goes on to the layer before.
        const std::vector<int> wanted{number(Epilogue::ReluAuxBias),
                                      number(Epilogue::GeluAuxBias),
                                      number(Epilogue::Bias),
                                      number(Epilogue::BiasGradientOfB),
                                      number(Epilogue::DGeluBiasGradient),
                                      number(Epilogue::None),
                                      number(Epilogue::DReluBiasGradient),
                                      number(Epilogue::None)};
        QCOMPARE(asked(), wanted);
    }
};

QTEST_GUILESS_MAIN(TestStubLibraries)
#include "test_stub_libraries.moc"
