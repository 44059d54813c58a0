// SPDX-License-Identifier: Apache-2.0
// What is asked of cublasLt for which product: planned for a stand-in that computes on the host what the library's
// documentation says of each epilogue, and held against operators.

#include <QtTest>
#include <algorithm>
#include <cmath>
#include <vector>

#include "core/dispatch/functions.h"
#include "core/kernels/elementwise.h"
#include "core/ops/random/random.h"
#include "core/ops/samples.h"
#include "plugins/cuda/products/epilogues.h"
#include "tests/plugins/cuda/stub/lt_stand_in.h"

using namespace loupe;
using namespace loupe::cuda;

namespace {

class StandIn final : public LtLibrary {
  public:
    Epilogue last = Epilogue::None;

    bool multiply(const LtProduct& product) override {
        last = product.epilogue;
        stub_gpu::LtStandIn(product).compute();
        return true;
    }
};

Tensor drawn(std::initializer_list<std::int64_t> sizes) {
    static Random random;
    return random_tensor(random, sizes, ScalarType::Float64);
}
// The same elements, as they lie in the case: by rows, by columns, or with a gap behind each row.
Tensor laid(const Tensor& t, int layout) {
    if (layout == 1) return fn::t(fn::contiguous(fn::t(t), 0));
    if (layout == 0) return t;
    const Tensor wide = zeros(std::array{t.size(0), t.size(1) + 3}, t.dtype());
    const Tensor part = fn::slice(wide, 1, 0, t.size(1), 1);
    fn::copy_(part, t);
    return part;
}
double distance(const Tensor& a, const Tensor& b) {
    return item(fn::amax(fn::abs(fn::sub(a, b, Scalar(1))), Dims{}, false)).to_double();
}
bool lists_same(const Tensor& a, const Tensor& b, double tolerance = 1e-12) {
    return std::ranges::equal(a.sizes(), b.sizes()) && distance(a, b) <= tolerance;
}

}  // namespace

class TestEpilogues : public QObject {
    Q_OBJECT

  private slots:
    void layouts_data() {
        QTest::addColumn<int>("first");
        QTest::addColumn<int>("second");
        for (int a = 0; a < 3; ++a) {
            for (int b = 0; b < 3; ++b) QTest::addRow("%d %d", a, b) << a << b;
        }
    }
    void layouts() {
        QFETCH(int, first);
        QFETCH(int, second);
        StandIn library;
        const Tensor a = laid(drawn({5, 7}), first), b = laid(drawn({7, 4}), second), bias = drawn({4});
        const Tensor sum = fn::addmm(bias, a, b, Scalar(1), Scalar(0.5)),
                     product = fn::mul_scalar(fn::mm(a, b), Scalar(0.5));
        struct Row {
            Activation activation;
            bool has_bias;
            Epilogue epilogue;
            Tensor wanted;
        };
        const Row rows[] = {{Activation::None, false, Epilogue::None, product},
                            {Activation::None, true, Epilogue::Bias, sum},
                            {Activation::Relu, false, Epilogue::Relu, fn::relu(product)},
                            {Activation::Relu, true, Epilogue::ReluBias, fn::relu(sum)},
                            {Activation::GeluTanh, false, Epilogue::Gelu, fn::gelu(product, "tanh")},
                            {Activation::GeluTanh, true, Epilogue::GeluBias, fn::gelu(sum, "tanh")}};
        for (const Row& row : rows) {
            const Tensor out = zeros(std::array<std::int64_t, 2>{5, 4}, ScalarType::Float64);
            library.multiply(plan_product(out, a, b, row.has_bias ? bias : Tensor(), 0.5, row.activation, nullptr));
            QVERIFY(library.last == row.epilogue);
            QVERIFY(lists_same(out, row.wanted));
        }
        // grad^T x, and the bias's gradient.
        const Tensor grad = laid(drawn({5, 4}), second),
                     weight = zeros(std::array<std::int64_t, 2>{4, 7}, ScalarType::Float64),
                     sums = zeros(std::array<std::int64_t, 1>{4}, ScalarType::Float64);
        library.multiply(plan_weight_gradient(weight, sums, grad, a));
        QVERIFY(library.last == Epilogue::BiasGradientOfB);
        QVERIFY(lists_same(weight, fn::mm(fn::t(grad), a)));
        QVERIFY(lists_same(sums, fn::sum_dim(grad, Dims{0}, false)));
    }

    // Forward keeps what backward reads: two layers, the gradient that comes to the first one's product.
    void activationsAndGradients() {
        StandIn library;
        const Tensor x = drawn({6, 3}), w1 = drawn({3, 130}), bias = drawn({130}), w2 = drawn({130, 2}),
                     grad = drawn({6, 2});
        for (const Activation activation : {Activation::Relu, Activation::GeluTanh}) {
            const AuxRoom room = aux_of(activation, ScalarType::Float64, 6, 130);
            QCOMPARE(room.leading, activation == Activation::Relu ? 256 : 136);
            std::vector<double> aux(static_cast<std::size_t>(room.bytes + 7) / 8);
            const Tensor hidden = zeros(std::array<std::int64_t, 2>{6, 130}, ScalarType::Float64);
            library.multiply(plan_product(hidden, x, w1, bias, 1, activation, aux.data()));
            QVERIFY(library.last == (activation == Activation::Relu ? Epilogue::ReluAuxBias : Epilogue::GeluAuxBias));
            const Tensor before = fn::addmm(bias, x, w1, Scalar(1), Scalar(1));
            const bool is_relu = activation == Activation::Relu;
            QVERIFY(lists_same(hidden, is_relu ? fn::relu(before) : fn::gelu(before, "tanh")));
            const Tensor found = zeros(std::array<std::int64_t, 2>{6, 130}, ScalarType::Float64),
                         sums = zeros(std::array<std::int64_t, 1>{130}, ScalarType::Float64);
            library.multiply(plan_activation_gradient(found, grad, fn::t(w2), activation, aux.data(), sums));
            QVERIFY(library.last == (is_relu ? Epilogue::DReluBiasGradient : Epilogue::DGeluBiasGradient));
            const Tensor through = fn::mm(grad, fn::t(w2));
            const OperatorHandle<> threshold{"aten::threshold_backward"}, gelu{"aten::gelu_backward"};
            const Tensor wanted = is_relu ? threshold(through, before, Scalar(0)) : gelu(through, before, "tanh");
            QVERIFY(lists_same(found, wanted));
            QVERIFY(lists_same(sums, fn::sum_dim(wanted, Dims{0}, false), 1e-11));
        }
    }

    void itSaysWhyNot() {
        const Tensor a = drawn({5, 7}), b = drawn({7, 4}), bias = drawn({4});
        QVERIFY(!why_no_bias_epilogue(bias, a, b, Scalar(1)));
        QVERIFY(!why_no_bias_epilogue(fn::view(bias, Dims{1, 4}), a, b, Scalar(1)));
        QCOMPARE(*why_no_bias_epilogue(drawn({5, 4}), a, b, Scalar(1)),
                 std::string("what is added is no vector of the columns"));
        QCOMPARE(*why_no_bias_epilogue(bias, a, b, Scalar(0.5)), std::string("beta is 0.5, a bias is added as it is"));
        QCOMPARE(*why_no_bias_epilogue(bias, fn::slice(a, 0, 0, 1, 1), b, Scalar(1)),
                 std::string("one row or one column: cuBLAS's product of a vector is faster"));
        QCOMPARE(*why_no_bias_epilogue(bias, fn::slice(drawn({5, 14}), 1, 0, 14, 2), b, Scalar(1)),
                 std::string("a matrix without a stride of 1"));
    }
};

QTEST_GUILESS_MAIN(TestEpilogues)
#include "test_epilogues.moc"
