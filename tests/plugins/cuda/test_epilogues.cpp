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

using namespace loupe;
using namespace loupe::cuda;

namespace {

// d = epilogue(alpha op(a) op(b) + bias), all by columns.
class StandIn final : public LtLibrary {
  public:
    Epilogue last = Epilogue::None;

    bool multiply(const LtProduct& p) override {
        last = p.epilogue;
        const auto side = [](const LtMatrix& m) { return m.is_turned ? m.rows : m.columns; };
        const std::int64_t inner = side(p.a);
        if (p.d.rows != (p.a.is_turned ? p.a.columns : p.a.rows) || p.d.columns != side(p.b)) qFatal("sizes");
        if (inner != (p.b.is_turned ? p.b.columns : p.b.rows) || p.d.is_turned) qFatal("inner sizes");
        for (const LtMatrix& m : {p.a, p.b, p.d}) {
            if (m.leading < m.rows) qFatal("a column is shorter than its elements");
        }
        std::vector<double> sums(static_cast<std::size_t>(p.d.rows), 0);
        for (std::int64_t j = 0; j < p.d.columns; ++j) {
            for (std::int64_t i = 0; i < p.d.rows; ++i) {
                double sum = 0;
                for (std::int64_t k = 0; k < inner; ++k) sum += at(p.a, i, k) * at(p.b, k, j);
                const double value = ended(p, p.alpha * sum, i, j);
                static_cast<double*>(p.d.data)[i + j * p.d.leading] = value;
                sums[static_cast<std::size_t>(i)] += value;
            }
        }
        if (p.epilogue == Epilogue::DReluBiasGradient || p.epilogue == Epilogue::DGeluBiasGradient)
            std::copy(sums.begin(), sums.end(), static_cast<double*>(p.bias));
        if (p.epilogue == Epilogue::BiasGradientOfB) {
            // Of op(b), over what the product adds up: one for each column of d.
            for (std::int64_t j = 0; j < p.d.columns; ++j) {
                double sum = 0;
                for (std::int64_t k = 0; k < inner; ++k) sum += at(p.b, k, j);
                static_cast<double*>(p.bias)[j] = sum;
            }
        }
        return true;
    }

  private:
    static double at(const LtMatrix& m, std::int64_t i, std::int64_t j) {
        if (m.is_turned) std::swap(i, j);
        return static_cast<const double*>(m.data)[i + j * m.leading];
    }
    static double gelu(double x) { return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x))); }
    static double gelu_slope(double x) {
        const double h = 1e-6;
        return (gelu(x + h) - gelu(x - h)) / (2 * h);
    }
    static double ended(const LtProduct& p, double x, std::int64_t i, std::int64_t j) {
        const auto bit = [&](auto change) {
            auto& byte = static_cast<std::uint8_t*>(p.aux)[(i + j * p.aux_leading) / 8];
            return change(byte, static_cast<std::uint8_t>(1 << ((i + j * p.aux_leading) % 8)));
        };
        const auto kept = [&]() -> double& { return static_cast<double*>(p.aux)[i + j * p.aux_leading]; };
        const int bits = static_cast<int>(p.epilogue);
        const bool is_gradient = (bits & (8 | 64)) != 0;
        if ((bits & 4) != 0) x += static_cast<const double*>(p.bias)[i];
        if (is_gradient && (bits & 8) != 0)
            return bit([&](auto& byte, std::uint8_t mask) { return (byte & mask) != 0 ? x : 0.0; });
        if (is_gradient) return x * gelu_slope(kept());
        if ((bits & 2) != 0) {
            if ((bits & 128) != 0)
                bit([&](auto& byte, std::uint8_t mask) {
                    byte = static_cast<std::uint8_t>(x > 0 ? byte | mask : byte & ~mask);
                    return 0.0;
                });
            return x > 0 ? x : 0;
        }
        if ((bits & 32) != 0) {
            if ((bits & 128) != 0) kept() = x;
            return gelu(x);
        }
        return x;
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
            QVERIFY(lists_same(found, wanted, 1e-8));  // the stand-in's slope is a difference
            QVERIFY(lists_same(sums, fn::sum_dim(wanted, Dims{0}, false), 1e-7));
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
